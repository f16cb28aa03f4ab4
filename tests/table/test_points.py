"""Rows as points: distances counted by hand, missing values, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.canonical import canonical
from riskkit.table.points import RowPoints, points_of, points_of_arrays
from tests.tables import mixed


def gaps(points: RowPoints) -> np.ndarray:
    """Squared distances the slow way, from the definition."""
    numbers = ((points.numbers[:, None] - points.numbers[None]) ** 2).sum(axis=2)
    return numbers + (points.codes[:, None] != points.codes[None]).sum(axis=2)


def test_the_matrix_has_the_distances_of_the_definition() -> None:
    (points,) = points_of([mixed(60)])
    matrix = points.matrix()
    assert matrix.shape == (60, points.numbers.shape[1] + sum(points.sizes))
    straight = ((matrix[:, None] - matrix[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(straight, gaps(points), atol=1e-12)


def test_raw_points_have_the_numbers_of_the_file_whatever_was_done_to_them() -> None:
    table = mixed(60)
    (points,) = points_of([table])
    gap = np.isnan(table.numbers)
    for part, rows in ((points, slice(None)), (points.rows([5, 2]), [5, 2]), (points.plus(points), [*range(60)] * 2)):
        known = ~gap[rows]
        assert (part.raw().numbers[known] == table.numbers[rows][known]).all(), "to the last bit, so that gaps tie"
    (ordered,), (undo,) = canonical([points])
    assert (np.sort(ordered.raw().numbers, axis=1)[undo] == np.sort(points.raw().numbers, axis=1)).all()
    plain = points_of_arrays([[[1.5, 2.0]]])[0]
    assert plain.raw() is plain


def test_a_category_that_differs_counts_one_and_a_number_its_standard_deviations() -> None:
    table = mixed(50, missing=False)
    (points,) = points_of([table])
    assert set(np.unique((points.codes[0] != points.codes[1]).astype(int))) <= {0, 1}
    for index, column in enumerate(table.schema.numeric):
        expected = (table.numbers[0, index] - table.numbers[1, index]) / column.sd
        assert points.numbers[0, index] - points.numbers[1, index] == pytest.approx(expected)


def test_missing_agrees_with_missing_and_is_one_away_from_the_mean() -> None:
    (points,) = points_of_arrays([[[1.0, 5.0], [np.nan, 5.0], [np.nan, 5.0], [3.0, 5.0], [2.0, 5.0]]])
    assert gaps(points)[1, 2] == 0
    assert gaps(points)[1, 4] == 1  # the mean of 1, 3 and 2, and the flag
    assert gaps(points)[1, 3] == 2


def test_arrays_are_measured_as_they_are_and_together() -> None:
    first, second = points_of_arrays([[[1.0, 2.0]], [[4.0, 6.0], [np.nan, 0.0]]])
    assert first.numbers.tolist() == [[1.0, 2.0]]
    assert first.sizes == second.sizes == (2,)
    assert second.codes.tolist() == [[0], [1]]
    assert second.numbers[1, 0] == 2.5


def test_rows_and_plus_keep_order_and_layout() -> None:
    (points,) = points_of([mixed(20)])
    back = points.rows([3, 1]).plus(points.rows([2]))
    assert back.numbers.tolist() == points.numbers[[3, 1, 2]].tolist()
    assert back.codes.tolist() == points.codes[[3, 1, 2]].tolist()
    assert len(back) == 3


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ([np.zeros(3)], "1 dimensions"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], "3, 4 columns"),
        ([[["a"]]], "no number"),
        ([[[np.inf]]], "infinite"),
    ],
)
def test_arrays_that_cannot_be_measured_get_a_sentence(arrays: list[object], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        points_of_arrays(arrays)


def test_a_table_without_columns_is_refused() -> None:
    table = mixed(5)
    schema = Schema(tuple(replace(column, role=Role.IGNORED) for column in table.schema.columns))
    bare = Table(schema, np.empty((5, 0), dtype=np.int32), np.empty((5, 0)))
    with pytest.raises(DesignError, match="No column is left"):
        points_of([bare])
