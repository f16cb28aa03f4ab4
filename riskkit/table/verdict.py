"""What the user decided about a column, and how riskkit judged it."""

from __future__ import annotations

from dataclasses import dataclass, field

from riskkit.core import Column, Kind, Role
from riskkit.errors import Problem

TOKENS = (
    "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "null", "NULL", "None", "none", "?", ".", "-", "--", "N",
    "unknown", "Unknown", "missing", "Missing", "不明", "欠損", "未知", "모름",
)  # fmt: skip
"""Texts that often mean missing. They are values until the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user decided about a column; what is None or empty is left to riskkit."""

    kind: Kind | None = None
    role: Role | None = None
    missing_tokens: tuple[str, ...] = ()


@dataclass(slots=True)
class Verdict:
    """A column as it was judged, and what the user should know of it."""

    column: Column
    problems: list[Problem] = field(default_factory=list)
