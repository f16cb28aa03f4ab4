"""What a kept result counts: records, or people or households with all of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from riskkit.language import counting

if TYPE_CHECKING:
    from riskkit.show.model import Findings

P = ParamSpec("P")
R = TypeVar("R")

PERSON = "person"
"""The unit of a result that counts people; where every person has one row, a record is a person already."""
HOUSEHOLD = "household"
"""The unit of a result that counts households by the same reckoning."""
GROUP = "group"
"""The unit of a result about a group of rows that was named, in or out as one."""


def counts_people(result: Mapping[str, Any] | None) -> bool:
    """Whether a kept result counts people, or households, and not their rows."""
    return result is not None and unit(result) in (PERSON, HOUSEHOLD)


def unit(result: Mapping[str, Any]) -> str:
    """What a kept result counts: ``record``, ``person`` or ``household``."""
    return str(result.get("settings", {}).get("unit", "record"))


def named_by(columns: Iterable[tuple[str, str, str]]) -> str:
    """What a column names whose rows are counted as one, of (name, kind, role): the role, or empty where none does."""
    return next((role for _, _, role in columns if role in (PERSON, HOUSEHOLD)), "")


def in_its_unit(write: Callable[Concatenate[Findings, P], R]) -> Callable[Concatenate[Findings, P], R]:
    """The same output, in whose words households are spoken of where the findings count them."""

    @wraps(write)
    def written(findings: Findings, /, *arguments: P.args, **how: P.kwargs) -> R:
        with counting(named_by(findings.schema)):
            return write(findings, *arguments, **how)

    return written
