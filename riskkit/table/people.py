"""People who stand in several rows: a column whose equal values go with equal people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Column, Ints, Kind, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.arrow import values
from riskkit.table.text import TextTable

LEAST_SHARE = 0.1
"""Different values a row that a column needs to be looked at; fewer are groups of people."""
_PAIRS = 20
"""Pairs of rows with the same value that are needed to tell anything."""
_MOST = 5_000
"""Pairs that are looked at."""
_ALIKE, _CHANCE = 0.95, 0.8
"""Two rows of a person agree in a trait at least as often as the first, any two rows at most as often as the second."""
_FEW = 20
"""Different values that a trait of people has at most."""


def people_problems(table: Table, text: TextTable, asked: Collection[str]) -> list[Problem]:
    """A question about each column whose repeated values seem to be people, of the real table.

    Rows that share such a value agree almost always in at least two traits, neither of which follows from the other,
    as sex and country of birth do; rows that share a postcode agree in town and county, but one follows from the other.
    ``asked`` are columns that are asked about for another reason.
    """
    traits = _traits(table)
    columns = {column.name: column for column in table.schema.columns}
    problems = []
    for name in text.columns if len(traits) > 1 else ():
        if name in asked or not _may_repeat(columns.get(name), len(table)):
            continue
        coded = text.encoded(name)
        different = len(coded.dictionary)
        if not LEAST_SHARE * len(table) <= different < len(table):
            continue
        others = [trait for own, trait in traits.items() if own != name]
        if _are_people(others, *_pairs(values(coded.indices))):
            what = phrase(
                "Is this a person? {different:,} values stand in {rows:,} rows, and rows with the same value agree in "
                "what does not change of a person.",
                different=different,
                rows=len(table),
            )
            do = phrase("A game on single rows then says too little: give it the role person, or keep one row of each.")
            problems.append(Problem(Gravity.QUESTION, "repeated_people", what, do, text.name, name, count=different))
    return problems


def _may_repeat(column: Column | None, rows: int) -> bool:
    """Whether a column can hold names or numbers of people: no date, no number with decimals, no few categories."""
    if column is None or column.kind in (Kind.DATE, Kind.CONSTANT) or column.decimals:
        return column is None
    return column.kind is not Kind.CATEGORICAL or len(column.levels) >= LEAST_SHARE * rows


def _traits(table: Table) -> dict[str, Ints]:
    """The columns of few values in which any two rows often differ, as codes."""
    out = {}
    columns: list[tuple[str, npt.NDArray[np.generic]]] = [
        *((column.name, table.codes[:, position]) for position, column in enumerate(table.schema.categorical)),
        *((column.name, table.numbers[:, position]) for position, column in enumerate(table.schema.numeric)),
    ]
    for name, cells in columns:
        if len(np.unique(cells[:1000])) > _FEW:
            continue
        levels, codes = np.unique(cells, return_inverse=True)
        shares = np.bincount(codes) / max(len(codes), 1)
        if 1 < len(levels) <= _FEW and float((shares**2).sum()) <= _CHANCE:
            out[name] = codes.astype(np.int64)
    return out


def _pairs(codes: Ints) -> tuple[Ints, Ints]:
    """Rows that follow each other among those with the same value, spread over all of them."""
    order = np.argsort(codes, kind="stable")
    same: Bools = codes[order][1:] == codes[order][:-1]
    pairs = np.flatnonzero(same)
    pairs = pairs[:: max(len(pairs) // _MOST, 1)]
    return order[pairs], order[pairs + 1]


def _are_people(traits: Sequence[Ints], first: Ints, second: Ints) -> bool:
    """Whether these pairs are enough and agree in two traits, neither of which follows from the other."""
    if len(first) < _PAIRS:
        return False
    kept = [codes for codes in traits if float((codes[first] == codes[second]).mean()) >= _ALIKE]
    return any(not _follows(left, right) and not _follows(right, left) for left, right in combinations(kept, 2))


def _follows(codes: Ints, other: Ints) -> bool:
    """Whether the one trait almost says the other."""
    table = np.zeros((int(codes.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (codes, other), 1)
    return float(table.max(axis=1).sum()) >= _ALIKE * len(codes)
