"""Evasion: no released row is a real row, little else is changed, and where there is no room it says so."""

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from tests.games.test_contest import wide


def changed(table: Table, cells: int) -> tuple[Table, Table]:
    """The table and its anonymised rows, in the same order."""
    evasion = registry.make("generators", "evasion", cells=cells)
    return table, evasion.draw(table, np.random.default_rng(1))


@pytest.mark.parametrize("cells", [1, 3])
def test_every_row_is_moved_off_all_real_rows_in_so_many_cells(cells: int) -> None:
    table, out = changed(wide(400), cells)
    assert not np.isin(out.keys(), table.keys()).any()
    differ = (out.codes != table.codes).sum(axis=1) + (out.numbers != table.numbers).sum(axis=1)
    assert differ.max() == cells
    assert (differ == cells).mean() > 0.95  # a row that still met a real one was changed anew from where it stood
    for index, column in enumerate(table.schema.numeric):
        assert ((out.numbers[:, index] >= column.low) & (out.numbers[:, index] <= column.high)).all()


def test_where_no_row_is_left_it_says_so() -> None:
    schema = Schema(
        (Column("a", Kind.CATEGORICAL, levels=("x", "y")), Column("b", Kind.CATEGORICAL, levels=("x", "y")))
    )
    full = Table(schema, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.empty((4, 0)))
    with pytest.raises(DesignError, match="too few possible rows"):
        changed(full, 1)
