"""Selective: the rows of the real table that stand out most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table, Targets
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.targets._count import check_count, first_different, ties
from riskkit.targets._mahalanobis import ENCODINGS, outlierness


@dataclass(frozen=True)
class Selective(CheckedPlugin):
    """The rows with the largest Mahalanobis distance from the middle of the table; ties go to the earlier row.

    Of equal rows only the first is a target.

    References
    ----------
    .. [1] Miura et al., the membership game: selective target.
    """

    name: ClassVar[str] = "selective"
    title: ClassVar[str] = "Rows that stand out most"
    card: ClassVar[str] = (
        "Takes the rows farthest from the middle of the real table, allowing for how its columns vary together. "
        "Outliers are where most methods leak first: a result for them is not one for everybody."
    )

    encoding: str = parameter(
        "onehot",
        label="What counts as standing out",
        help="Categories as numbers follow the order of the levels, so that mostly extreme numbers stand out.",
        choices=dict(zip(ENCODINGS, ("Rare values and combinations", "Categories as numbers"), strict=True)),
    )

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:  # noqa: ARG002  nothing is drawn
        """The ``k`` different records that stand out most, the farthest first.

        Raises
        ------
        DesignError
            ``k`` is below 1 or above the number of different records.
        """
        check_count(table, k)
        return first_different(table, np.argsort(-self.standing(table), kind="stable"), k)

    def standing(self, table: Table) -> Floats:
        """(n,) how much each row stands out: its distance, as a share of the largest."""
        distance = outlierness(table, self.encoding)
        # Equal rows differ in the last bits by where they stand in a block; rounding makes them the ties they are.
        level: Floats = np.round(distance / max(float(distance.max()), np.finfo(float).tiny), 9)
        return level

    def ties(self, table: Table, chosen: Targets) -> int:
        """How many different records stand out as much as the last of the targets, and come later in the table."""
        return ties(table, self.standing(table), chosen)


PLUGIN = Selective
