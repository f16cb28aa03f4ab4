"""Suppression: single cells are blanked, at random or where their level is rare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import MISSING, Codes, Column, Floats, Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, counts_of
from riskkit.parameters import parameter
from riskkit.table.encode import to_domain


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


PLUGIN = Suppression
