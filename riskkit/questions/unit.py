"""What a question counts where a column names the person of a row: people, each with all of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.show.unit import PERSON
from riskkit.table.persons import Persons


def unit_of(persons: Persons | None) -> dict[str, Any]:
    """The unit, and most and mean rows of a person of the real table; nothing where everybody has one row."""
    if persons is None or not persons.has_several_rows:
        return {}
    rows = np.unique(persons.real, return_counts=True)[1]
    return {"unit": PERSON, "most_rows": int(rows.max()), "mean_rows": round(float(rows.mean()), 2)}
