"""What the user decided about a column, and how riskkit judged it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from riskkit.core import Column, Kind, Role
from riskkit.errors import Problem, nearest
from riskkit.phrases import phrase

T = TypeVar("T", bound=StrEnum)

TOKENS = (
    "NA",
    "N/A",
    "n/a",
    "na",
    "#N/A",
    "#NA",
    "<NA>",
    "NaN",
    "nan",
    "NAN",
    "-NaN",
    "-nan",
    "NaT",
    "null",
    "NULL",
    "Null",
    "(null)",
    "None",
    "none",
    "nil",
    "\\N",
    "#NULL!",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#REF!",
    "#NUM!",
    "<NULL>",
    "[NULL]",
    "<missing>",
    '""',
    "1.#QNAN",
    "1.#IND",
    "-1.#IND",
    "0000-00-00",
    "0000-00-00 00:00:00",
    "n.a.",
    "N.A.",
    "k.A.",
    "k. A.",
    "keine Angabe",
    "?",
    ".",
    "-",
    "--",
    "N",
    "unknown",
    "Unknown",
    "missing",
    "Missing",
    "不明",
    "欠損",
    "未知",
    "모름",
)
"""Texts that often mean missing. They are values until the user says otherwise."""


class UnknownWord(ValueError):
    """What is decided about a column has a setting, a kind or a role that there is not; the text names the nearest."""

    what: str
    near: str

    def __init__(self, what: str, word: object, known: Iterable[object]) -> None:
        there = tuple(map(str, known))
        self.what, self.near = what, nearest(word, there)
        super().__init__(
            phrase(
                "There is no {what} {word!r}{near}; there are {there}.",
                what=what,
                word=str(word),
                near=self.near,
                there=there,
            )
        )


def _word(words: type[T], word: Any) -> T | None:
    """The kind or role of that name; none where nothing is said."""
    if word and word not in list(words):
        raise UnknownWord(words.__name__.lower(), word, words)
    return words(word) if word else None


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What the user decided about a column; what is None or empty is left to riskkit.

    ``read_as`` are released texts, each with the text of the real file that means the same. ``scale`` and ``offset``
    say the same of numbers in another unit: real = scale * released + offset, of dates in days. ``differs`` says that
    real and released values differ in truth, so that nothing is matched and no question asked. ``reason`` says why a
    column that is left out (role *ignored*) need be read by nobody. ``called`` has, by slot of a file, the name of the
    column there, empty where the file lacks it. ``date_format`` says how its dates are written, and ``label`` what the
    column is about, in words for people.
    """

    kind: Kind | None = None
    role: Role | None = None
    missing_tokens: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()
    differs: bool = False
    scale: float = 1.0
    offset: float = 0.0
    reason: str = ""
    called: tuple[tuple[str, str], ...] = ()
    date_format: str = ""
    label: str = ""

    @property
    def has_unit(self) -> bool:
        """Whether released numbers are in another unit, or from another origin, than real ones."""
        return (self.scale, self.offset) != (1.0, 0.0)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; a unit only where one was said."""
        unit = {"scale": self.scale, "offset": self.offset} if self.has_unit else {}
        return {
            "kind": self.kind,
            "role": self.role,
            "missing_tokens": list(self.missing_tokens),
            "read_as": dict(self.read_as),
            "differs": self.differs,
            **unit,
            **({"reason": self.reason} if self.reason else {}),
            **({"called": dict(self.called)} if self.called else {}),
            **({"date_format": self.date_format} if self.date_format else {}),
            **({"label": self.label} if self.label else {}),
        }

    def with_defaults(self, other: ColumnChoice) -> ColumnChoice:
        """The same choice, with what ``other`` decides where this one leaves it to riskkit."""
        free = ColumnChoice()
        open_settings = [own.name for own in fields(self) if getattr(self, own.name) == getattr(free, own.name)]
        return replace(self, **{name: getattr(other, name) for name in open_settings})

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> ColumnChoice:
        """The choice that :meth:`as_dict` wrote, or a person did; what is not there is left to riskkit.

        Raises
        ------
        ValueError, TypeError, AttributeError
            It is no choice.
        """
        known = [own.name for own in fields(cls)]
        if unknown := [name for name in stored if name not in known]:
            raise UnknownWord("setting", unknown[0], known)
        scale, offset = (float(stored.get(name, usual)) for name, usual in (("scale", 1.0), ("offset", 0.0)))
        is_line = math.isfinite(scale) and math.isfinite(offset) and scale != 0.0
        if not is_line or not isinstance(stored.get("missing_tokens", []), list | tuple):
            raise ValueError
        return cls(
            kind=_word(Kind, stored.get("kind")),
            role=_word(Role, stored.get("role")),
            missing_tokens=tuple(map(str, stored.get("missing_tokens", ()))),
            read_as=tuple((str(text), str(level)) for text, level in stored.get("read_as", {}).items()),
            differs=bool(stored.get("differs", False)),
            scale=scale,
            offset=offset,
            reason=str(stored.get("reason", "")),
            called=tuple(
                ("synthetic" if slot == "release" else str(slot), str(name or ""))
                for slot, name in stored.get("called", {}).items()
            ),
            date_format=str(stored.get("date_format", "")),
            label=str(stored.get("label", "")),
        )


def weight_columns(choices: Mapping[str, ColumnChoice]) -> tuple[str, ...]:
    """The columns whose role is *weight*; more than one cannot be used."""
    return tuple(name for name, choice in choices.items() if choice.role is Role.WEIGHT)


@dataclass(slots=True)
class ColumnVerdict:
    """A column as it was judged, and what the user should know of it."""

    column: Column
    problems: list[Problem] = field(default_factory=list)
