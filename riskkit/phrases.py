"""English texts that know their words and figures, so that another language can say them where they are read.

What is said of a file is English wherever it is kept, logged or written as JSON. A page or a report says the same again
in its own language: :func:`riskkit.language.again`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Value = str | float | tuple[str, ...]
"""What stands in the place of a name in braces; names one after the other as a tuple. A text may be a phrase itself."""


class Phrase(str):
    """An English text, which is its value, with ``forms`` (one, or one and more) and the ``values`` in their places.

    Of two forms the value ``n`` chooses.
    """

    forms: tuple[str, ...]
    values: dict[str, Value]

    def __new__(cls, forms: Sequence[str], values: Mapping[str, Value]) -> Phrase:
        """The phrase of that form with these values."""
        values = {name: _plainly(value) for name, value in values.items()}
        form = forms[0] if len(forms) == 1 or values["n"] == 1 else forms[1]
        plain = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in values.items()}
        made = super().__new__(cls, form.format(**plain) if plain else form)
        made.forms, made.values = tuple(forms), dict(values)
        return made

    def __reduce__(self) -> tuple[type[Phrase], tuple[Any, ...]]:
        return type(self), (self.forms, self.values)


def _plainly(value: Any) -> Value:
    """A number of numpy as one of Python; any other value as it is."""
    own: Value = value.item() if hasattr(value, "item") else value
    return own


def phrase(english: str, /, **values: Value) -> Phrase:
    """That text with the values where it names them; without values as it stands."""
    return Phrase((english,), values)


def counted_phrase(n: int, singular: str, more: str, /, **values: Value) -> Phrase:
    """The same for a number of things: ``counted_phrase(20, "{n:,} row is short.", "{n:,} rows are short.")``."""
    return Phrase((singular, more), {"n": n, **values})


def as_plain(value: Value) -> Any:
    """A text or a value as JSON keeps it; :func:`from_plain` makes it again."""
    if isinstance(value, Phrase):
        values = {name: as_plain(own) for name, own in value.values.items()}
        return {"text": str(value), "forms": list(value.forms), "values": values}
    if isinstance(value, tuple):
        return [as_plain(part) for part in value]
    return value


def from_plain(plain: Any) -> Any:
    """What :func:`as_plain` was given; of a phrase that cannot be made again its English alone."""
    if isinstance(plain, list):
        return tuple(from_plain(part) for part in plain)
    if not isinstance(plain, dict):
        return plain
    english = str(plain.get("text", ""))
    try:
        made = Phrase(plain["forms"], {name: from_plain(own) for name, own in plain["values"].items()})
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return english
    return made if made == english else english


def as_text(text: str) -> str:
    """A text as a column of texts keeps it, a phrase with its words and figures; :func:`from_text` makes it again."""
    return json.dumps(as_plain(text), default=str) if isinstance(text, Phrase) else text


def from_text(kept: str) -> str:
    """The text that :func:`as_text` was given."""
    if not kept.startswith(_PHRASE):
        return kept
    try:
        return str(made) if not isinstance(made := from_plain(json.loads(kept)), Phrase) else made
    except ValueError:
        return kept


def with_phrases(value: Any) -> Any:
    """Plain values for JSON in which phrases keep their words and figures; :func:`phrase_hook` reads them again."""
    if isinstance(value, Phrase):
        return as_plain(value)
    if isinstance(value, dict):
        return {name: with_phrases(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [part if type(part) in _NUMBERS else with_phrases(part) for part in value]
    return value


def phrase_hook(stored: dict[str, Any]) -> Any:
    """The phrase that a JSON object stands for, and any other object as it is: the ``object_hook`` of a reader."""
    return from_plain(stored) if stored.keys() == _KEYS else stored


_NUMBERS = frozenset({bool, int, float})
"""What most of what is kept is made of: lists of them are long."""
_KEYS = {"text", "forms", "values"}
"""What a phrase is as JSON."""
_PHRASE = '{"text": '
"""How a phrase begins that is kept as a text."""
