"""Microaggregation: groups of at least k similar rows share the mean of their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, with_numbers
from riskkit.parameters import parameter
from riskkit.table.encode import scale_column, to_domain


@dataclass(frozen=True)
class Microaggregation(Anonymiser):
    """Puts rows with similar numbers into groups of at least ``k`` and gives every row the means of its group.

    Rows are compared by all numbers together, each standardised with the mean and spread of the schema, a missing one
    at the mean. ``mdav`` repeats: the row farthest from the mean of the remaining rows gathers the k - 1 rows nearest
    to it, then the row farthest from that one gathers its own; fewer than 2k remaining rows are one group. ``halving``
    cuts the group at the median of the number that is spread widest, again and again, as long as both halves have k.

    Means are over present values, rounded to the column's decimals; missing values and categories stay.

    References
    ----------
    .. [1] Domingo-Ferrer and Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through microaggregation,
       https://doi.org/10.1007/s10618-005-0007-5
    .. [2] LeFevre, DeWitt and Ramakrishnan 2006, Mondrian multidimensional k-anonymity,
       https://doi.org/10.1109/ICDE.2006.101
    """

    name: ClassVar[str] = "microaggregation"
    title: ClassVar[str] = "Microaggregation of numbers"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Groups at least k rows with similar numbers and publishes the mean of the group in place of each of its "
        "numbers. Nothing is random but the choice and the order of the rows; 30,000 rows take about eight seconds "
        "in groups around the farthest rows and an eighth of a second cut at medians, a thousand rows milliseconds. "
        "Categories are published as they are; MDAV is that of Domingo-Ferrer and Torra 2005, cuts at medians are "
        "those of LeFevre et al. 2006." + ROWS
    )

    k: int = parameter(
        5,
        label="Rows of a group",
        help="Every group has at least this many rows. 1 changes nothing.",
        low=1,
        high=100,
        unit="rows",
    )
    grouping: str = parameter(
        "mdav",
        label="How groups are made",
        help="Groups around the farthest rows are tighter, and slow beyond 30,000 rows. Cuts at medians take seconds "
        "for a million rows.",
        choices={"mdav": "Around the farthest rows (MDAV)", "halving": "Cut at medians"},
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Group the rows and take the means."""
        group = self.groups(table)
        return Anonymised(with_numbers(table, lambda values, column: to_domain(_means(values, group), column)))

    def groups(self, table: Table) -> Ints:
        """(n,) the group of each row, counted from 0; every group has at least ``k`` rows."""
        if self.k == 1:
            return np.arange(len(table))
        points = np.column_stack(
            [
                scale_column(np.where(np.isnan(values), column.mean, values), column, "standard")
                for values, column in zip(table.numbers.T, table.schema.numeric, strict=True)
            ]
        )
        return mdav(points, self.k) if self.grouping == "mdav" else halving(points, self.k)


def mdav(points: Floats, k: int) -> Ints:
    """(n,) groups by maximum distance to the average vector; ties are settled by the order of the rows."""
    group = np.empty(len(points), dtype=np.int64)
    left, rest, done = np.arange(len(points)), points, 0
    while len(left) >= 2 * k:
        centre = rest.mean(axis=0)
        seed = rest[_squared_distances(rest, centre).argmax()]
        for _ in range(2 if len(left) >= 3 * k else 1):
            away = _squared_distances(rest, seed)
            nearest = np.argpartition(away, k - 1)[:k]
            group[left[nearest]] = done
            done += 1
            seed = rest[away.argmax()]
            keep = np.ones(len(left), dtype=bool)
            keep[nearest] = False
            left, rest = left[keep], rest[keep]
    group[left] = done
    return group


def halving(points: Floats, k: int) -> Ints:
    """(n,) groups by cutting at the median of the widest dimension while both halves have ``k`` rows."""
    group = np.empty(len(points), dtype=np.int64)
    waiting, done = [np.arange(len(points))], 0
    while waiting:
        rows = waiting.pop()
        if len(rows) < 2 * k:
            group[rows] = done
            done += 1
            continue
        own = points[rows]
        widest = own[:, np.ptp(own, axis=0).argmax()]
        order = np.argpartition(widest, len(rows) // 2)
        waiting += [rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]]
    return group


def _squared_distances(points: Floats, centre: Floats) -> Floats:
    """(n,) squared distance of each point from the centre."""
    gap = points - centre
    squared: Floats = np.einsum("ij,ij->i", gap, gap)
    return squared


def _means(values: Floats, group: Ints) -> Floats:
    """(n,) the mean of the present values of each row's group; a missing value stays missing."""
    present = ~np.isnan(values)
    total = np.bincount(group, np.where(present, values, 0.0))
    count = np.bincount(group, present)
    means: Floats = np.where(present, (total / np.maximum(count, 1))[group], np.nan)
    return means


PLUGIN = Microaggregation
