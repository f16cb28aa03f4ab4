"""Rows as points: distances by hand, missing values, what is refused, and the same bytes in whatever order."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.core import Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.canonical import canonical
from riskkit.table.points import RowPoints, points_of, points_of_arrays
from tests.points import Parts, shuffled
from tests.tables import adult, mixed, needs_adult


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


def content(parts: Parts) -> list[tuple[bytes, bytes, tuple[int, ...]]]:
    return [(part.numbers.tobytes(), part.codes.tobytes(), part.sizes) for part in parts]


def check(parts: Parts, seed: int) -> None:
    there, orders = shuffled(parts, seed)
    (first, undo_first), (second, undo_second) = canonical(parts), canonical(there)
    assert content(first) == content(second)
    for index, part in enumerate(parts):
        assert sorted(undo_first[index]) == list(range(len(part)))
        np.testing.assert_array_equal(np.sort(part.numbers, 1), np.sort(first[index].numbers[undo_first[index]], 1))
        same = first[index].rows(undo_first[index]).rows(orders[index]), second[index].rows(undo_second[index])
        np.testing.assert_array_equal(np.sort(same[0].numbers, 1), np.sort(same[1].numbers, 1))


@st.composite
def made(draw: st.DrawFn) -> Parts:
    """Two or three small parts with many ties: few values, few levels, copies of rows and of columns."""
    lengths = draw(st.lists(st.integers(1, 8), min_size=2, max_size=3))
    values = draw(st.integers(1, 4))
    numbers, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = tuple(draw(st.integers(1, 5)) for _ in range(columns))
    parts = []
    for n in lengths:
        codes = [rng.integers(0, size, n) for size in sizes]
        stacked = np.column_stack(codes).astype(np.int32) if codes else np.empty((n, 0), dtype=np.int32)
        parts.append(RowPoints(rng.integers(0, values, (n, numbers)) / 3.0, stacked, sizes))
    if columns and draw(st.booleans()):
        parts = [RowPoints(p.numbers, np.hstack([p.codes, p.codes[:, :1]]), (*p.sizes, p.sizes[0])) for p in parts]
    return tuple(parts)


@settings(max_examples=120, deadline=None, derandomize=True)  # the next test has a table where it does not hold
@given(made(), st.integers(0, 1000))
def test_small_tables_with_many_ties_come_to_the_same_bytes(parts: Parts, seed: int) -> None:
    check(parts, seed)


def test_rows_linked_like_the_edges_of_a_ring_may_stand_as_they_were_given() -> None:
    """What ``canonical`` says of itself: one column is a copy of another, a third links rows as they do, but others."""
    codes = (
        [[3, 0, 1, 3], [1, 0, 0, 1], [1, 1, 1, 1], [3, 1, 0, 3]],
        [[3, 0, 1, 3], [0, 1, 2, 0], [0, 1, 2, 0], [1, 0, 0, 1]],
    )
    parts = tuple(RowPoints(np.empty((4, 0)), np.array(rows, dtype=np.int32), (4, 2, 4, 4)) for rows in codes)
    there, _ = shuffled(parts, 0)
    assert content(canonical(parts)[0]) != content(canonical(there)[0])


@pytest.mark.parametrize("seed", range(5))
def test_a_mixed_table_with_missing_values_comes_to_the_same_bytes(seed: int) -> None:
    check(points_of([mixed(80, seed=1), mixed(60, seed=1)]), seed)


@settings(max_examples=100, deadline=None)
@given(made())
def test_rows_stand_in_the_order_of_their_numbers_then_of_their_codes_from_the_first_column_on(parts: Parts) -> None:
    for part in canonical(parts)[0]:
        keys = [*part.codes.T[::-1], *part.numbers.T[::-1]]
        if keys:
            np.testing.assert_array_equal(np.lexsort(keys), np.arange(len(part)))


@needs_adult
def test_adult_comes_to_the_same_bytes() -> None:
    (points,) = points_of([adult(9000)])
    check((points.rows(np.arange(4000)), points.rows(np.arange(4000, 7000)), points.rows(np.arange(7000, 9000))), 1)


def test_points_and_distances_are_kept() -> None:
    parts = points_of([mixed(40)])
    (ordered,), (undo,) = canonical(parts)
    back = ordered.rows(undo)
    straight = [((p.matrix()[:, None] - p.matrix()[None]) ** 2).sum(axis=2) for p in (parts[0], back)]
    np.testing.assert_allclose(straight[0], straight[1], atol=1e-12)


def test_nought_has_one_sign() -> None:
    parts = points_of_arrays([[[0.0, 1.0], [-0.0, 2.0]]])
    (ordered,), _ = canonical(parts)
    assert not np.signbit(ordered.numbers).any()


def test_means_that_fill_gaps_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(0)
    array = rng.normal(size=(500, 2)) * 10.0 ** rng.integers(-8, 8, (500, 1))
    array[0] = np.nan
    filled = [
        points_of_arrays([array[order]])[0].numbers[np.argmin(order)]
        for order in (np.arange(500), np.r_[0, rng.permutation(499) + 1], np.r_[rng.permutation(499) + 1, 0])
    ]
    assert len({row.tobytes() for row in filled}) == 1


def sorted_by_content(points: RowPoints) -> RowPoints:
    """The obvious way, which keeps columns and codes as they came."""
    return points.rows(np.lexsort([*points.codes.T[::-1], *points.numbers.T[::-1]]))


def test_sorting_rows_alone_would_be_caught() -> None:
    parts = points_of([mixed(50)])
    there, _ = shuffled(parts, 3)
    assert content((sorted_by_content(parts[0]),)) != content((sorted_by_content(there[0]),))
