"""What a question counts where a column names the person of a row: people, each with all of their rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.show.unit import PERSON
from riskkit.table.persons import Persons


@dataclass(frozen=True, slots=True)
class Several:
    """The unit where people have several rows: most and mean rows of a person of the real table."""

    unit: str
    most_rows: int
    mean_rows: float


def unit_of(persons: Persons | None) -> Several | None:
    """The unit; None where everybody has one row."""
    if persons is None or not persons.has_several_rows:
        return None
    rows = np.unique(persons.real, return_counts=True)[1]
    return Several(PERSON, int(rows.max()), round(float(rows.mean()), 2))
