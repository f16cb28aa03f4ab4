"""k and delta-presence of small releases, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.games.anonymity import Anonymity, anonymity, worst

SCHEMA = Schema(
    (Column("x", Kind.CATEGORICAL, levels=("a", "b", "c")), Column("n", Kind.NUMERIC, low=0, high=9, mean=4, sd=2))
)


def rows(text: str) -> Table:
    """``a1 b2``: the letter is the category, the digit the number."""
    parts = text.split()
    return Table(SCHEMA, np.array([["abc".index(p[0])] for p in parts]), np.array([[float(p[1])] for p in parts]))


def test_counts_by_hand() -> None:
    population, is_in = rows("a1 a2 a3 a4 b1 b2 c1"), np.array([1, 1, 0, 0, 0, 1, 0], dtype=bool)
    # a1 twice, a3, b9 twice: the smallest group is a3 alone; by letters 3 and 2. a1 and a3 stand in it, a1 was in.
    # Of the four a two were in, of the two b one; c was not released.
    narrow = anonymity(rows("a1 a1 a3 b9 b9"), population, is_in)
    assert narrow == Anonymity(k=1, k_categories=2, held=2, held_in=1, low=0.5, high=0.5)
    wide = anonymity(rows("a1 a1 c5 c5"), population, is_in)
    assert (wide.k, wide.held, wide.low, wide.high) == (2, 1, 0.0, 0.5)
    copy = anonymity(population.rows(np.flatnonzero(is_in)), population, is_in)
    assert (copy.held, copy.held_in) == (3, 3), "the sample itself holds all who were in and nobody else"
    assert worst([narrow, wide]) == Anonymity(1, 2, 3, 2, 0.0, 0.5)
    with pytest.raises(DesignError, match="no row"):
        anonymity(population.rows([]), population, is_in)
