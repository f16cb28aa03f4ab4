"""Evasion: every released row is moved off every real row, so that the nearest record misleads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Codes, Column, Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.anonymise import ROWS, Anonymiser
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.table.encode import to_domain

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
        raise DesignError(
            phrase(
                "evasion: rows stay equal to real ones however they are changed. Change more cells, or leave "
                "out the method: the table has too few possible rows for it."
            )
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


PLUGIN = Evasion
