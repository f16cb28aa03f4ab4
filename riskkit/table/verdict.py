"""What the user decided about a column, and how riskkit judged it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from riskkit.core import Column, Kind, Role
from riskkit.errors import Problem

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


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What the user decided about a column; what is None or empty is left to riskkit.

    ``read_as`` are released texts, each with the text of the real file that means the same. ``differs`` says that real
    and released values differ in truth, so that nothing is matched and no question asked.
    """

    kind: Kind | None = None
    role: Role | None = None
    missing_tokens: tuple[str, ...] = ()
    read_as: tuple[tuple[str, str], ...] = ()
    differs: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "kind": self.kind,
            "role": self.role,
            "missing_tokens": list(self.missing_tokens),
            "read_as": dict(self.read_as),
            "differs": self.differs,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> ColumnChoice:
        """The choice that :meth:`as_dict` wrote, or a person did; what is not there is left to riskkit.

        Raises
        ------
        ValueError, TypeError, AttributeError
            It is no choice.
        """
        unknown = set(stored) - {own.name for own in fields(cls)}
        if unknown or not isinstance(stored.get("missing_tokens", []), list | tuple):
            raise ValueError
        return cls(
            kind=Kind(stored["kind"]) if stored.get("kind") else None,
            role=Role(stored["role"]) if stored.get("role") else None,
            missing_tokens=tuple(map(str, stored.get("missing_tokens", ()))),
            read_as=tuple((str(text), str(level)) for text, level in stored.get("read_as", {}).items()),
            differs=bool(stored.get("differs", False)),
        )


@dataclass(slots=True)
class ColumnVerdict:
    """A column as it was judged, and what the user should know of it."""

    column: Column
    problems: list[Problem] = field(default_factory=list)
