"""Vulnerable: the rows of the real table that are farthest from their nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Table, Targets
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import scale_column
from riskkit.table.neighbours import nearest
from riskkit.table.points import RowPoints
from riskkit.targets._count import check_count, first_different


@dataclass(frozen=True)
class Vulnerable(CheckedPlugin):
    """The rows with the largest mean distance to their ``neighbours`` nearest *other* rows; ties to the earlier row.

    Of equal rows only the first is a target, and a row with as many copies as neighbours is at distance 0.

    References
    ----------
    .. [1] Meeus, Guépin, Creţu, de Montjoye 2023, Achilles' heels: vulnerable record identification in synthetic data
       publishing, https://arxiv.org/abs/2306.10308
    """

    name: ClassVar[str] = "vulnerable"
    title: ClassVar[str] = "Rows with no near neighbour"
    card: ClassVar[str] = (
        "Takes the rows whose nearest other rows are farthest away, by the share of categories that differ and the "
        "angle between their numbers (Achilles' score). People who are like nobody else have nobody to hide among. "
        "Takes seconds for 45,000 rows of 15 columns."
    )

    neighbours: int = parameter(
        5, label="Neighbours", help="How many nearest other rows are averaged.", low=1, high=1000, unit="rows"
    )

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:  # noqa: ARG002  nothing is drawn
        """The ``k`` different records that are farthest from others, the farthest first.

        Raises
        ------
        DesignError
            ``k`` is below 1 or above the number of different records, or there are no more rows than neighbours.
        """
        check_count(table, k)
        first_different(table, np.arange(len(table)), k)  # refuses too many before anything is measured
        return first_different(table, np.argsort(-self.standing(table), kind="stable"), k)

    def standing(self, table: Table) -> Floats:
        """(n,) how much each row stands out: Achilles' score. Equal rows are ties but for the rounding of sums."""
        score: Floats = np.round(isolation(table, self.neighbours), 9)
        return score


def isolation(table: Table, neighbours: int = 5) -> Floats:
    """Achilles' score: the mean distance of each row to its nearest other rows.

    Of ``c`` categories and ``m`` numbers ``d = c / (c + m) * (share of categories that differ) + m / (c + m) * (1 - cos
    of the numbers)``, each number as its share of the column's domain. A missing number is the column's mean. A row
    whose numbers are all at their lowest has no direction: it is at cosine 0 to others, and at 1 to its like.

    Returns
    -------
    (n,) float64 in [0, 1], no unit.

    Raises
    ------
    DesignError
        There are no more rows than neighbours.
    """
    if len(table) <= neighbours:
        raise DesignError.phrase(
            "The {neighbours} nearest other rows were asked for, the real table has {rows} rows: ask for "
            "fewer neighbours.",
            neighbours=neighbours,
            rows=len(table),
        )
    points = _points(table)
    distance, _ = nearest(points, points, neighbours + 1)  # the row itself is among them, or a copy at the same 0
    score: Floats = (distance**2).sum(axis=1) / neighbours / len(table.schema.modelled)
    return score


def _points(table: Table) -> RowPoints:
    """Rows whose squared straight-line distance is the number of columns times ``d``.

    For vectors of length 1 the squared distance is ``2 - 2 cos``, so numbers of length ``sqrt(m / 2)`` give
    ``m (1 - cos)`` beside the count of categories that differ.
    """
    schema = table.schema
    shares = [
        scale_column(np.where(np.isnan(values), column.mean, values), column, "minmax")
        for column, values in zip(schema.numeric, table.numbers.T, strict=True)
    ]
    numbers = np.column_stack([*shares, np.zeros(len(table))])
    length = np.sqrt((numbers**2).sum(axis=1))
    numbers[length == 0, -1] = length[length == 0] = 1.0
    numbers *= np.sqrt(len(schema.numeric) / 2) / length[:, None]
    return RowPoints(numbers, table.codes, tuple(len(column.levels) for column in schema.categorical))


PLUGIN = Vulnerable
