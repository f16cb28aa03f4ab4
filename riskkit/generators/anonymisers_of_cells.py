"""Anonymisers of cells: drawn anew, blanked, exchanged between rows, or moved off every real row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import MISSING, Bools, Codes, Column, Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, counts_of, random_pairs
from riskkit.parameters import parameter
from riskkit.table.encode import bin_edges, from_bins, to_domain


@dataclass(frozen=True)
class Suppression(Anonymiser):
    """Blanks each cell with probability ``p``, and every level that fewer than ``k`` rows hold.

    A blanked cell is missing where the column's domain has missing values. Where it has none the domain stays as it
    is: a category becomes the commonest level of the table (the first of several), a number its median.
    """

    name: ClassVar[str] = "suppression"
    title: ClassVar[str] = "Cell suppression"
    card: ClassVar[str] = (
        "Blanks cells at random, and all levels that too few rows hold; a blank is a missing value, or the commonest "
        "level and the median where the column knows no missing values. Rare levels are found in the fit, the random "
        "cells are drawn anew for each release; both take milliseconds. Local suppression as in Hundepool et al. 2012, "
        "Statistical Disclosure Control." + ROWS
    )

    p: float = parameter(
        0.05, label="Chance of a cell", help="Each cell is blanked with this probability.", low=0.0, high=1.0
    )
    k: int = parameter(
        1,
        label="Rows a level needs",
        help="Levels of a category that fewer rows than this hold are blanked too. 1 blanks none.",
        low=1,
        high=100,
        unit="rows",
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Blank the rare levels and settle what a blank is."""
        code, number = _blanks(table)
        codes = table.codes.copy()
        for position, own in enumerate(codes.T):
            own[counts_of(own.astype(np.int64)) < self.k] = code[position]
        return Anonymised(Table(table.schema, codes, table.numbers), _Blanking(self.p, code, number))


@dataclass(frozen=True, slots=True, eq=False)
class _Blanking:
    """The random part: ``code`` (n_categorical,) and ``number`` (n_numeric,) are what a blank is in each column."""

    p: float
    code: Codes
    number: Floats

    def __call__(self, table: Table, rng: np.random.Generator) -> Table:
        codes = np.where(rng.random(table.codes.shape) < self.p, self.code, table.codes)
        numbers = np.where(rng.random(table.numbers.shape) < self.p, self.number, table.numbers)
        return Table(table.schema, codes, numbers)


def _blanks(table: Table) -> tuple[Codes, Floats]:
    """What stands for a blanked cell in each categorical and each numeric column."""
    code = [_level(codes, column) for codes, column in zip(table.codes.T, table.schema.categorical, strict=True)]
    number = [_number(values, column) for values, column in zip(table.numbers.T, table.schema.numeric, strict=True)]
    return np.array(code, dtype=np.int32), np.array(number, dtype=np.float64)


def _level(codes: Codes, column: Column) -> int:
    if MISSING in column.levels:
        return column.levels.index(MISSING)
    return int(np.bincount(codes).argmax())


def _number(values: Floats, column: Column) -> float:
    if column.has_missing:
        return float("nan")
    return float(to_domain(np.array([np.nanmedian(values)]), column)[0])


@dataclass(frozen=True)
class Swapping(Anonymiser):
    """Exchanges values between pairs of rows, every column by itself, so that each column keeps its values exactly.

    Numbers are sorted (ties in random order) and cut, from a random start, into runs of ranks no further apart than
    ``percent`` of the present values; the rows of a run are paired at random and each pair exchanges its values. Of
    each category a random part of the rows, each row with probability ``p``, is paired and exchanged in the same way.
    The odd row of a run keeps its value. Missing numbers stay where they are.

    References
    ----------
    .. [1] Moore 1996, Controlled data-swapping techniques for masking public use microdata sets, US Census Bureau
       Research Report 96-04
    """

    name: ClassVar[str] = "swapping"
    title: ClassVar[str] = "Swapping (rank swapping)"
    card: ClassVar[str] = (
        "Lets pairs of rows exchange their values, one column at a time: numbers only with rows of a nearby rank, "
        "categories with any row. Fitting has no randomness, each release pairs anew; both take milliseconds per "
        "column. Keeps every column as it is and weakens the dependences (rank swapping, Moore 1996); extreme values "
        "are still published, on other rows." + ROWS
    )

    percent: float = parameter(
        5.0,
        label="Distance of ranks",
        help="Numbers are exchanged between rows whose ranks differ by at most this part of the rows. 0 swaps none.",
        low=0.0,
        high=100.0,
        unit="percent",
    )
    p: float = parameter(
        0.05,
        label="Chance of a category",
        help="Each cell of a category takes part with this probability.",
        low=0.0,
        high=1.0,
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table after one round of exchanges."""
        codes, numbers = table.codes.copy(), table.numbers.copy()
        for own in codes.T:
            part = np.flatnonzero(rng.random(len(own)) < self.p)
            left, right = random_pairs(part, np.zeros(len(part), dtype=np.int64), rng)
            own[left], own[right] = own[right], own[left]
        for values in numbers.T:
            self._exchange_near(values, rng)
        return Table(table.schema, codes, numbers)

    def _exchange_near(self, values: Floats, rng: np.random.Generator) -> None:
        present = np.flatnonzero(~np.isnan(values))
        run = int(self.percent * len(present) / 100) + 1
        ranked = present[np.lexsort((rng.random(len(present)), values[present]))]
        left, right = random_pairs(ranked, (np.arange(len(ranked)) + rng.integers(run)) // run, rng)
        values[left], values[right] = values[right], values[left]


ATTEMPTS = 50
"""Times that rows which still equal a real one are changed anew before that is given up."""


@dataclass(frozen=True)
class Evasion(Anonymiser):
    """Changes ``cells`` cells of every row, and again until no row is equal to any row of the table.

    Which cells is drawn for each row. A category becomes another level, drawn by the shares of the table; a number
    moves by its step of the last decimal at least, and by normal noise of ``scale`` spreads of the schema. A row that
    has one column of one value only keeps that one.

    References
    ----------
    .. [1] Chida et al., PWSCUP2020: the design and result of a membership inference contest (IPSJ Journal, 2023), where
       teams perturbed exact matches.
    """

    name: ClassVar[str] = "evasion"
    title: ClassVar[str] = "Exact matches perturbed"
    card: ClassVar[str] = (
        "Changes some cells of every row until no released row equals a real one, as teams of a membership contest did "
        "to mislead attackers who look for the nearest record. Fitting has no randomness, each release draws anew; "
        "both take milliseconds. It is here to show that such a release is not private: all unchanged cells are still "
        "those of a person, and a place with no released row nearby also gives a person away." + ROWS
    )

    cells: int = parameter(
        1, label="Cells changed", help="How many cells of every row are changed.", low=1, high=50, unit="cells"
    )
    scale: float = parameter(
        0.05,
        label="Size of a change",
        help="Standard deviation of the change of a number, in standard deviations of the column.",
        low=0.0,
        high=10.0,
    )

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with every row changed.

        Raises
        ------
        DesignError
            Rows stay equal to real ones: there is too little room between them.
        """
        real, out = table.keys(), self._change(table, table, rng)
        for _ in range(ATTEMPTS):
            equal: Bools = np.isin(out.keys(), real)
            if not equal.any():
                return out
            codes, numbers = out.codes.copy(), out.numbers.copy()
            anew = self._change(table.rows(equal), table, rng)
            codes[equal], numbers[equal] = anew.codes, anew.numbers
            out = Table(table.schema, codes, numbers)
        raise DesignError.phrase(
            "evasion: rows stay equal to real ones however they are changed. Change more cells, or leave "
            "out the method: the table has too few possible rows for it."
        )

    def _change(self, rows: Table, table: Table, rng: np.random.Generator) -> Table:
        """The rows with their drawn cells changed."""
        n, categories = rows.codes.shape
        columns = categories + rows.numbers.shape[1]
        place = rng.random((n, columns)).argsort(axis=1).argsort(axis=1)
        chosen: Bools = place < self.cells
        codes = rows.codes.copy()
        for position in range(categories):
            codes[:, position] = np.where(
                chosen[:, position], _other(codes[:, position], table.codes[:, position], rng), codes[:, position]
            )
        numbers = rows.numbers.copy()
        for position, column in enumerate(rows.schema.numeric):
            moved = _move_numbers(numbers[:, position], column, self.scale, rng)
            numbers[:, position] = np.where(chosen[:, categories + position], moved, numbers[:, position])
        return Table(rows.schema, codes, numbers)


def _move_numbers(values: Floats, column: Column, scale: float, rng: np.random.Generator) -> Floats:
    """Every number moved by at least its step, up or down as there is room in the domain."""
    away = np.abs(scale * column.sd * rng.standard_normal(len(values))) + 10.0**-column.decimals
    sign = np.where(rng.random(len(values)) < 0.5, 1.0, -1.0)
    sign = np.where(values + away > column.high, -1.0, np.where(values - away < column.low, 1.0, sign))
    return to_domain(values + sign * away, column)


def _other(codes: Codes, column: Codes, rng: np.random.Generator) -> Codes:
    """Another level for each code, by the shares of the column; the same where it has one level."""
    shares = np.bincount(column) / len(column)
    drawn = rng.choice(len(shares), len(codes), p=shares)
    for _ in range(ATTEMPTS):
        same = drawn == codes
        if not same.any() or (shares > 0).sum() < 2:
            break
        drawn[same] = rng.choice(len(shares), int(same.sum()), p=shares)
    return drawn.astype(np.int32)


@dataclass(frozen=True)
class Pram(Anonymiser):
    """Keeps each cell with probability ``p``, else draws its level anew: the post-randomisation method.

    ``uniform`` draws among all ``L`` frozen levels of the column, the missing one and its own included, so a cell
    shows its own level with probability ``p + (1 - p) / L`` and each other level with ``(1 - p) / L``: randomised
    response, which for that cell is differentially private with epsilon ``ln(1 + p L / (1 - p))``. ``empirical``
    draws the value of a random row of the table, which keeps the column's shares in expectation but is no longer
    independent of the others.

    Numbers stay as they are where ``bins`` is 0. Otherwise a number that is not kept is drawn from one of that many
    equal widths of its domain, or is missing where the column knows missing values.

    References
    ----------
    .. [1] Warner 1965, Randomized response, https://doi.org/10.1080/01621459.1965.10480775
    .. [2] Gouweleeuw, Kooiman, Willenborg and de Wolf 1998, Post randomisation for statistical disclosure control,
       Journal of Official Statistics 14(4)
    """

    name: ClassVar[str] = "pram"
    title: ClassVar[str] = "PRAM (randomised response)"
    card: ClassVar[str] = (
        "Keeps every cell with a known probability and otherwise draws its level anew, from all levels alike or from "
        "the column's own shares. Fitting has no randomness, each release draws anew; both take milliseconds. "
        "Post-randomisation of Gouweleeuw et al. 1998, after the randomised response of Warner 1965; numbers are left "
        "alone unless bins are asked for." + ROWS
    )

    p: float = parameter(
        0.9, label="Chance to keep", help="Each cell is kept with this probability.", low=0.0, high=1.0
    )
    law: str = parameter(
        "uniform",
        label="Drawn from",
        help="All levels of the column are equally likely, or as likely as they are in the table.",
        choices={"uniform": "All levels alike", "empirical": "A random row of the table"},
    )
    bins: int = parameter(
        0,
        label="Bins of a number",
        help="Numbers are drawn from this many parts of their domain. 0 leaves numbers as they are.",
        low=0,
        high=100,
        unit="bins",
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """See that something is randomised."""
        if not table.schema.categorical and not self.bins:
            raise DesignError.phrase(
                "pram: the table has no categories; ask for bins, so that numbers are randomised too."
            )
        return Anonymised(table, self.draw)

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The table with its cells kept or drawn anew."""
        drawn = self._uniform(table, rng) if self.law == "uniform" else self._empirical(table, rng)
        codes = np.where(rng.random(table.codes.shape) < self.p, table.codes, drawn.codes)
        if not self.bins:
            return Table(table.schema, codes, table.numbers)
        return Table(
            table.schema, codes, np.where(rng.random(table.numbers.shape) < self.p, table.numbers, drawn.numbers)
        )

    def _uniform(self, table: Table, rng: np.random.Generator) -> Table:
        """As many rows, every cell uniform over the levels or bins of its column."""
        bins = max(self.bins, 1)
        sizes = [
            len(bin_edges(column, bins)) - 1 + column.has_missing if column.is_numeric else len(column.levels)
            for column in table.schema.modelled
        ]
        return from_bins(rng.integers(sizes, size=(len(table), len(sizes))).astype(np.int32), table.schema, bins, rng)

    @staticmethod
    def _empirical(table: Table, rng: np.random.Generator) -> Table:
        """As many rows, every cell that of a random row."""
        codes = np.take_along_axis(table.codes, rng.integers(len(table), size=table.codes.shape), axis=0)
        numbers = np.take_along_axis(table.numbers, rng.integers(len(table), size=table.numbers.shape), axis=0)
        return Table(table.schema, codes, numbers)


PLUGIN = Suppression, Swapping, Evasion, Pram
