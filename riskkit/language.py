"""Every text that people see, in their language: the English stands in the code, the rest in catalogues.

``RISKKIT_LANGUAGE`` chooses the language at start, and :func:`speaking` that of one reader. Without them, and for every
text that a catalogue lacks, it is the English of the code. Nothing is looked up when a module is loaded: a text that
stands outside of a function is a :func:`phrase`, said :func:`again` where it is shown; a table of them says its own
(:class:`Readings`). ``riskkit/locale/riskkit.pot`` lists all texts; ``docs/languages.md`` says how a language is added.

Where a column names households, a text that speaks of people has a second reading: :func:`counting` says of whom texts
are within, and ``locale/<language>/LC_MESSAGES/household.po`` holds that reading, of English too. A text that has none
there is the same of both.

What is kept with a result stays English whatever the language, so that the same seed gives the same bytes: sentences
and notes of the engine, errors, and what plug-ins say of themselves. See :func:`english`. What is said of a file is a
phrase too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from gettext import NullTranslations
from pathlib import Path
from typing import Any, TypeVar, overload

from riskkit.base.catalogue import Catalogue, CatalogueError
from riskkit.phrases import Phrase, Value
from riskkit.phrases import phrase as phrase

K = TypeVar("K")
V = TypeVar("V")
DOMAIN = "riskkit"
ENGLISH = "en"
MARKS = "xx-marks"
"""Not a language: English with ⟦marks⟧ around every text, so that a text without them is one that cannot be translated.

Values stay outside the marks.
"""
FOLDER = Path(__file__).with_name("locale")

_BEFORE_SIGN = re.compile(r"(?<=\d) (?=[%‰])")
_VALUE = re.compile(r"((?<!\{)\{[^{}]+\}(?!\}))")
"""The place of a value in a text."""
_SPOKEN: ContextVar[str] = ContextVar("spoken", default="")
HOUSEHOLD = "household"
"""The unit whose texts read otherwise, and the name of the catalogues that hold them."""
_COUNTED: ContextVar[str] = ContextVar("counted", default="")


def say(english: str, /, **values: object) -> str:
    """That text in the language of the reader, with the values where it names them; without values as it stands.

    What a user wrote (names of columns and files, titles) comes as a value: it is neither looked up nor read as a
    format. A value that is a phrase is said too.
    """
    return _fill(_catalogue().gettext(english), english, values)


def counted(n: int, singular: str, more: str, /, **values: object) -> str:
    """The same for a number of things: ``counted(20, "{n:,} training", "{n:,} trainings")``."""
    return _fill(_catalogue().ngettext(singular, more, n), singular if n == 1 else more, {"n": n, **values})


def unbroken(text: str) -> str:
    """A text, such as a heading, in which no line ends between a number and the % behind it."""
    return _BEFORE_SIGN.sub("\u00a0", text)


def joined(parts: Iterable[str]) -> str:
    """Names or clauses one after the other, as the language sets them apart."""
    return say(", ").join(parts)


@overload
def again(english: str, /) -> str: ...
@overload
def again(english: V, /) -> V: ...
def again(english: Any, /) -> Any:
    """A phrase that was made elsewhere, in the language of the reader; so too all phrases of a tuple or a dataclass.

    Anything else, and what a user wrote, as it is.
    """
    if isinstance(english, tuple):
        return tuple(map(again, english))
    if is_dataclass(english) and not isinstance(english, type):
        return replace(english, **{spec.name: again(getattr(english, spec.name)) for spec in fields(english)})
    if not isinstance(english, Phrase):
        return english
    values = {name: _value(value) for name, value in english.values.items()}
    if len(english.forms) > 1:
        return counted(values.pop("n"), *english.forms, **values)
    return say(english.forms[0], **values)


def _value(value: Value) -> Any:
    return joined(map(again, value)) if isinstance(value, tuple) else again(value)


def kept(english: str, /) -> str:
    """An English text that is kept with a result and said where it is shown: ``say(kept)``."""
    return english


def forms(singular: str, more: str, /) -> tuple[str, str]:
    """The two forms of a counted thing for a table, from which :func:`counted` says them."""
    return singular, more


class Readings(Mapping[K, V]):
    """A table of texts that are kept in English, each said where it is looked up: in the language, of the unit.

    Beside texts it may hold tuples and dataclasses with phrases in them.
    """

    @overload
    def __init__(self: Readings[str, V], /, **texts: V) -> None: ...
    @overload
    def __init__(self, table: Mapping[K, V], /) -> None: ...
    def __init__(self, table: Mapping[Any, V] | None = None, /, **texts: V) -> None:
        self._texts: dict[Any, Any] = {**_kept(table or {}), **texts}
        self._texts |= {name: phrase(own) for name, own in self._texts.items() if type(own) is str}

    def __getitem__(self, name: K) -> V:
        reading: V = again(self._texts[name])
        return reading

    def __or__(self, more: Mapping[K, Any]) -> Readings[K, V]:
        return Readings({**self._texts, **_kept(more)})

    def __iter__(self) -> Iterator[K]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _kept(table: Mapping[K, V]) -> Mapping[K, V]:
    """A table as it is kept, none of its texts said."""
    return table._texts if isinstance(table, Readings) else table


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak that language meanwhile."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def keep_speaking(work: Callable[[], V]) -> Callable[[], V]:
    """The same work, spoken as now whenever and in whatever thread it is done: in this language, of this unit."""
    spoken, unit = choice(), _COUNTED.get()

    def speak() -> V:
        with speaking(spoken), counting(unit):
            return work()

    return speak


english = partial(speaking, ENGLISH)
"""Speak English meanwhile, for what is kept. As a decorator: that function always speaks English."""


@contextmanager
def counting(unit: str) -> Iterator[None]:
    """Speak of that unit meanwhile (``household``); of any other, texts are as they stand. Ends :func:`count` too."""
    before = _COUNTED.set(unit)
    try:
        yield
    finally:
        _COUNTED.reset(before)


def count(unit: str) -> None:
    """Speak of that unit from now on, to the end of the :func:`counting` around."""
    _COUNTED.set(unit)


def choice() -> str:
    """The language that was asked for: of the :func:`speaking` around, else of this process."""
    return _SPOKEN.get() or os.environ.get("RISKKIT_LANGUAGE", "").strip() or ENGLISH


def tag() -> str:
    """The language that is spoken as a tag (``en``, ``ja``), for what has to name it."""
    return ENGLISH if choice() == MARKS or refusal() else choice().partition("_")[0]


def languages() -> list[str]:
    """The languages that can be chosen."""
    return [ENGLISH, MARKS, *sorted(file.parts[-3] for file in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))]


def refusal() -> str:
    """Why the language that was asked for cannot be had, in a sentence; empty where it can."""
    if choice() in languages():
        try:
            _load(choice())
        except CatalogueError as error:
            return f"The translations of RISKKIT_LANGUAGE={choice()} cannot be read. {error}"
        return ""
    return f"RISKKIT_LANGUAGE asks for a language that is not here. Choose one of {', '.join(languages())}."


def _catalogue() -> NullTranslations:
    return _load(choice(), _COUNTED.get())


@cache
def _load(language: str, unit: str = "") -> NullTranslations:
    """English for a language that is not here: :func:`refusal` says so at start."""
    is_english = language in (ENGLISH, MARKS) or language not in languages()
    folder = FOLDER / (ENGLISH if is_english else language) / "LC_MESSAGES"
    people = NullTranslations() if is_english else Catalogue(folder / f"{DOMAIN}.po")
    if unit != HOUSEHOLD or not (folder / f"{HOUSEHOLD}.po").is_file():
        return people
    return _OfUnit(Catalogue(folder / f"{HOUSEHOLD}.po"), people)


class _OfUnit(NullTranslations):
    """What a text reads like for a unit, and where it has no reading of its own what it reads like for people."""

    def __init__(self, own: NullTranslations, people: NullTranslations) -> None:
        super().__init__()
        self._own, self._people = own, people

    def gettext(self, message: str) -> str:
        """The reading of a text."""
        translated = self._own.gettext(message)
        return translated if translated != message else self._people.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The reading of the form for ``n`` things."""
        translated = self._own.ngettext(msgid1, msgid2, n)
        return translated if translated not in (msgid1, msgid2) else self._people.ngettext(msgid1, msgid2, n)


def _fill(text: str, source: str, values: dict[str, object]) -> str:
    """The text with its values; a translation that names a value there is not gives way to the English."""
    values = {name: again(value) if isinstance(value, Phrase) else value for name, value in values.items()}
    if choice() == MARKS:
        parts = _VALUE.split(text) if values else [text]
        return "".join(part.format(**values) if values else part for part in map(_mark, parts))
    if not values:
        return text
    try:
        return text.format(**values)
    except (KeyError, IndexError, ValueError, AttributeError):
        return source.format(**values)


def _mark(part: str) -> str:
    """Marks around a part with a word of its own; a part that a value takes, or that has marks, stays as it is."""
    is_text = any(sign.isalpha() for sign in part) and not _VALUE.fullmatch(part) and "⟦" not in part
    return f"⟦{part}⟧" if is_text else part
