"""What a kept result counts: records, or people with all of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PERSON = "person"
"""The unit of a result that counts people; where every person has one row, a record is a person already."""


def counts_people(result: Mapping[str, Any] | None) -> bool:
    """Whether a kept result counts people."""
    return result is not None and unit(result) == PERSON


def unit(result: Mapping[str, Any]) -> str:
    """What a kept result counts: ``record``, or ``person``."""
    return str(result.get("settings", {}).get("unit", "record"))
