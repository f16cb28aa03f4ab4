"""Every text that people see, in the language of this process: the English stands in the code, the rest in catalogues.

``RISKKIT_LANGUAGE`` chooses the language at start. Without it, and for every text that a catalogue lacks, it is the
English of the code. ``riskkit/locale/riskkit.pot`` lists all texts; ``docs/languages.md`` says how a language is added.

What is kept with a result stays English whatever the language, so that the same seed gives the same bytes: sentences
and notes of the engine, errors, and what plug-ins say of themselves. See :func:`english`. What is said of a file is a
:class:`~riskkit.phrases.Phrase`: English too, and said :func:`again` where it is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import Any

from riskkit.catalogue import Catalogue, CatalogueError
from riskkit.phrases import Phrase, Value

DOMAIN = "riskkit"
ENGLISH = "en"
MARKS = "xx-marks"
"""Not a language: English with ⟦marks⟧ around every text, so that a text without them is one that cannot be translated.

Values stay outside the marks.
"""
FOLDER = Path(__file__).with_name("locale")

_VALUE = re.compile(r"((?<!\{)\{[^{}]+\}(?!\}))")
"""The place of a value in a text."""
_IN_ENGLISH: ContextVar[bool] = ContextVar("in_english", default=False)


def say(english: str, /, **values: object) -> str:
    """That text in the language of this process, with the values where it names them; without values as it stands.

    What a user wrote (names of columns and files, titles) comes as a value: it is neither looked up nor read as a
    format.
    """
    return _filled(_catalogue().gettext(english), english, values)


def counted(n: int, one: str, more: str, /, **values: object) -> str:
    """The same for a number of things: ``counted(20, "{n:,} training", "{n:,} trainings")``."""
    return _filled(_catalogue().ngettext(one, more, n), one if n == 1 else more, {"n": n, **values})


def joined(parts: Iterable[str]) -> str:
    """Names or clauses one after the other, as the language sets them apart."""
    return say(", ").join(parts)


def again(english: str, /) -> str:
    """A phrase that was made elsewhere, in the language of this process; any other text as it is."""
    if not isinstance(english, Phrase):
        return english
    values = {name: _value(value) for name, value in english.values.items()}
    if len(english.forms) > 1:
        return counted(values.pop("n"), *english.forms, **values)
    return say(english.forms[0], **values)


def _value(value: Value) -> Any:
    if isinstance(value, tuple):
        return joined(map(again, value))
    return again(value) if isinstance(value, str) else value


def kept(english: str, /) -> str:
    """An English text that is kept with a result and said where it is shown: ``say(kept)``."""
    return english


def forms(one: str, more: str, /) -> tuple[str, str]:
    """The two forms of a counted thing for a table, from which :func:`counted` says them."""
    return one, more


@contextmanager
def english() -> Iterator[None]:
    """Speak English meanwhile, for what is kept. As a decorator: that function always speaks English."""
    before = _IN_ENGLISH.set(True)
    try:
        yield
    finally:
        _IN_ENGLISH.reset(before)


def chosen() -> str:
    """The language that was asked for."""
    return os.environ.get("RISKKIT_LANGUAGE", "").strip() or ENGLISH


def spoken() -> str:
    """The language of this process as a tag (``en``, ``ja``), for what has to name it."""
    return ENGLISH if chosen() == MARKS or refused() else chosen().partition("_")[0]


def languages() -> list[str]:
    """The languages that can be chosen."""
    return [ENGLISH, MARKS, *sorted(file.parts[-3] for file in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))]


def refused() -> str:
    """Why the language that was asked for cannot be had, in a sentence; empty where it can."""
    if chosen() in languages():
        try:
            _loaded(chosen())
        except CatalogueError as error:
            return f"The translations of RISKKIT_LANGUAGE={chosen()} cannot be read. {error}"
        return ""
    return f"RISKKIT_LANGUAGE asks for a language that is not here. Choose one of {', '.join(languages())}."


def _catalogue() -> NullTranslations:
    return _loaded(ENGLISH if _IN_ENGLISH.get() else chosen())


@cache
def _loaded(language: str) -> NullTranslations:
    """English for a language that is not here: :func:`refused` says so at start."""
    if language in (ENGLISH, MARKS) or language not in languages():
        return NullTranslations()
    return Catalogue(FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po")


def _filled(told: str, source: str, values: dict[str, object]) -> str:
    """The text with its values; a translation that names a value there is not gives way to the English."""
    if chosen() == MARKS and not _IN_ENGLISH.get():
        return _marked(told, values)
    if not values:
        return told
    try:
        return told.format(**values)
    except (KeyError, IndexError, ValueError, AttributeError):
        return source.format(**values)


def _marked(told: str, values: dict[str, object]) -> str:
    parts = _VALUE.split(told) if values else [told]
    return "".join(part.format(**values) if values else part for part in map(_mark, parts))


def _mark(part: str) -> str:
    """Marks around a part with a word of its own; a part that a value takes, or that has marks, stays as it is."""
    is_text = any(sign.isalpha() for sign in part) and not _VALUE.fullmatch(part) and "⟦" not in part
    return f"⟦{part}⟧" if is_text else part
