"""Anonymisers of numbers: noise, rounding, top and bottom coding, and means of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column, Floats, Ints, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, with_numbers
from riskkit.parameters import parameter
from riskkit.table.encode import scale_column, to_domain


@dataclass(frozen=True)
class Rounding(Anonymiser):
    """Replaces every number by the nearest multiple of a base; a multiple outside the domain becomes its edge.

    Multiples are counted from 0 where the base is in the column's own unit (from 1970-01-01 for dates), and from the
    lower end of the domain where it is a share of the domain's width. A number halfway goes to the even multiple.
    They depend on the frozen domain alone, never on the table.
    """

    name: ClassVar[str] = "rounding"
    title: ClassVar[str] = "Rounding of numbers"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Replaces every number by the nearest multiple of a base, the same for all columns or a share of each column's "
        "domain. Nothing is random but the choice and the order of the rows; it takes milliseconds. Categories and "
        "missing values stay as they are (Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    base: float = parameter(5.0, label="Base", help="Numbers become multiples of this.", low=0.001, high=1_000_000.0)
    unit: str = parameter(
        "values",
        label="Unit of the base",
        help="Of a column the base is so many of its own units (days for dates), or that share of its domain.",
        choices={"values": "Unit of each column", "domain": "Share of each column's domain"},
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Round the table."""
        return Anonymised(with_numbers(table, self._round))

    def _round(self, values: Floats, column: Column) -> Floats:
        width = column.high - column.low
        if width <= 0:
            return values
        origin, step = (0.0, self.base) if self.unit == "values" else (column.low, self.base * width)
        return to_domain(origin + np.round((values - origin) / step) * step, column)


@dataclass(frozen=True)
class Coding(Anonymiser):
    """Replaces every number below the table's ``bottom`` quantile, or above its ``top`` quantile, by that quantile.

    The quantile of share ``q`` is the smallest value of the table that at least a share ``q`` of its present values
    does not exceed, so it lies in the domain. Missing values and categories stay.
    """

    name: ClassVar[str] = "coding"
    title: ClassVar[str] = "Top and bottom coding"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Replaces numbers beyond two quantiles of the table by those quantiles, so that no extreme value is published. "
        "Nothing is random but the choice and the order of the rows; it takes milliseconds. Values between the "
        "quantiles and all categories stay as they are (Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    bottom: float = parameter(
        0.05, label="Bottom quantile", help="Smaller numbers become this quantile. 0 changes none.", low=0.0, high=0.5
    )
    top: float = parameter(
        0.95, label="Top quantile", help="Larger numbers become this quantile. 1 changes none.", low=0.5, high=1.0
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Code the table."""
        return Anonymised(with_numbers(table, self._code))

    def _code(self, values: Floats, column: Column) -> Floats:  # noqa: ARG002  the quantiles lie in the domain
        if np.isnan(values).all():
            return values
        low, high = np.nanquantile(values, (self.bottom, self.top), method="inverted_cdf")
        coded: Floats = np.clip(values, low, high)
        return coded


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


@dataclass(frozen=True)
class Noise(Anonymiser):
    """Adds an independent random amount to every number, then rounds to the column's decimals inside its domain.

    The amount has mean 0 and standard deviation ``scale`` times the spread that the schema states for the column:
    the spread is frozen, so the size of the noise tells nothing of the table. Values near the edges of the domain
    are clipped to it. Missing values and categories stay.
    """

    name: ClassVar[str] = "noise"
    title: ClassVar[str] = "Additive noise on numbers"
    changes_numbers: ClassVar[bool] = True
    card: ClassVar[str] = (
        "Adds Gaussian or Laplace noise to every number, in units of the column's standard deviation, and clips the "
        "sum to the column's domain. Fitting has no randomness, each release draws its noise anew; both take "
        "milliseconds. No differential privacy is claimed: categories stay as they are, missing values too "
        "(Hundepool et al. 2012, Statistical Disclosure Control)." + ROWS
    )

    scale: float = parameter(
        0.1,
        label="Size of the noise",
        help="Standard deviation of the noise in standard deviations of the column.",
        low=0.0,
        high=10.0,
    )
    shape: str = parameter(
        "gaussian",
        label="Shape of the noise",
        help="Both have the same standard deviation; Laplace noise has more small and more very large amounts.",
        choices={"gaussian": "Normal (Gaussian)", "laplace": "Laplace"},
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with noise on its numbers."""

        def moved(values: Floats, column: Column) -> Floats:
            return to_domain(values + self.scale * column.sd * self._amounts(len(values), rng), column)

        return with_numbers(table, moved)

    def _amounts(self, n: int, rng: np.random.Generator) -> Floats:
        """(n,) amounts of mean 0 and standard deviation 1."""
        if self.shape == "laplace":
            return rng.laplace(scale=1 / math.sqrt(2), size=n)
        return rng.standard_normal(n)


PLUGIN = Rounding, Coding, Microaggregation, Noise
