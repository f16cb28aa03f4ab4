"""Sampling weights: how many people of the population each row of the real table stands for.

A weight belongs to the survey, not to the person: no question reads its column as one of the person's, and a release
need not have it. Where the release has the column all the same, nobody has looked at what it says, and
:func:`riskkit.table.evidence.meeting.unread_problems` asks about it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from riskkit.core import Floats
from riskkit.errors import SchemaError
from riskkit.phrases import phrase
from riskkit.table.kinds.choice import ColumnChoice, weight_columns
from riskkit.table.text import TextTable


def weights_of(real: TextTable, choices: Mapping[str, ColumnChoice]) -> Floats | None:
    """(rows,) the weight of each real row; None where no column has the role.

    Raises
    ------
    SchemaError
        Two columns have it, or a weight is missing, no number, or not above 0.
    """
    names = weight_columns(choices)
    if not names:
        return None
    if len(names) > 1:
        raise SchemaError.of(
            "two_weights",
            phrase("{n:,} columns have the role weight: nobody knows how many people a row stands for.", n=len(names)),
            phrase("Give the role to one column, and the role ignored to the others."),
            column=names[1],
            count=len(names),
        )
    weights = real.plain(names[0])
    bad = real.rows if weights is None else int((~(np.isfinite(weights) & (weights > 0))).sum())
    if weights is None or bad:
        raise SchemaError.of(
            "no_weight",
            phrase("A sampling weight is missing, is no number, or is not above 0."),
            phrase("Repair the column, or give it another role."),
            file=real.name,
            column=names[0],
            count=bad,
        )
    return weights
