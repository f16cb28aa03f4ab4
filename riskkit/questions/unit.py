"""What a question counts where a column says whose row a row is: people or households, each with all their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.show.unit import GROUP
from riskkit.table.people.persons import Persons


@dataclass(frozen=True, slots=True)
class Several:
    """The unit where people or households have several rows: most and mean rows of one of the real table."""

    unit: str
    most_rows: int
    mean_rows: float


def of_group(rows: int) -> Several:
    """The unit where a group of so many rows was named."""
    return Several(GROUP, rows, float(rows))


def unit_of(persons: Persons | None) -> Several | None:
    """The unit; None where each has one row."""
    if persons is None or not persons.has_several_rows:
        return None
    rows = np.unique(persons.real, return_counts=True)[1]
    return Several(str(persons.unit), int(rows.max()), round(float(rows.mean()), 2))
