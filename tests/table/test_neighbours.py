"""The nearest rows, against counting every distance."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.errors import DesignError
from riskkit.table import _kernels, neighbours
from riskkit.table.neighbours import counts_within, nearest
from riskkit.table.points import RowPoints, points_of, points_of_arrays
from tests.tables import adult, mixed, needs_adult


def slow(queries: RowPoints, among: RowPoints) -> np.ndarray:
    """Every distance from the definition: numbers column by column, then the codes that differ."""
    squared = np.zeros((len(queries), len(among)))
    for mine, theirs in zip(queries.numbers.T, among.numbers.T, strict=True):
        squared += (mine[:, None] - theirs) ** 2
    return np.sqrt(squared + (queries.codes[:, None] != among.codes[None]).sum(axis=2))


def check(queries: RowPoints, among: RowPoints, k: int) -> None:
    """Distances to the last bit, and of equal distances the first rows."""
    every = slow(queries, among)
    distances, positions = nearest(queries, among, k)
    order = np.argsort(every, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(positions, order)
    assert distances.tobytes() == np.take_along_axis(every, order, axis=1).tobytes()


def made(seed: int, n: int, numbers: int, codes: int, levels: int) -> RowPoints:
    """Rows of few different values, so that many distances are equal."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=7)
    return RowPoints(
        rng.choice(values, (n, numbers)), rng.integers(0, levels, (n, codes)).astype(np.int32), (levels,) * codes
    )


@pytest.mark.parametrize("k", [1, 3, 40])
def test_the_nearest_are_those_of_all_distances(k: int) -> None:
    queries, among = points_of([mixed(25, seed=1), mixed(40)])
    check(queries, among, k)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 4), st.integers(1, 5),
    st.sampled_from([1, 2, 127, 128, 129, 300, 700]), st.integers(1, 30),
)  # fmt: skip
def test_many_equal_distances_are_taken_in_the_order_of_the_rows(
    seed: int, numbers: int, codes: int, levels: int, n: int, k: int
) -> None:
    check(made(seed, 9, numbers, codes, levels), made(seed, n, numbers, codes, levels), min(k, n))


def test_so_many_codes_may_differ_as_the_limit_leaves_room_for() -> None:
    from riskkit.table._kernels import fitting

    rng = np.random.default_rng(0)
    gaps = [0.0, 0.1, 1 / 3, *rng.random(50) * 3]
    for gap in gaps:
        for limit in (gap, gap + 1, np.nextafter(gap + 2, 0), np.nextafter(gap + 2, 9), gap + 30, np.inf):
            most = max(codes for codes in range(8) if gap + codes <= limit)
            assert fitting(gap, limit, 7) == most


def test_city_distances_add_absolute_differences() -> None:
    queries, among = made(3, 20, 3, 2, 4), made(4, 400, 3, 2, 4)
    every = (queries.codes[:, None] != among.codes[None]).sum(axis=2) + np.zeros((20, 400))
    every += np.abs(queries.numbers[:, None] - among.numbers[None]).sum(axis=2)
    distances, positions = nearest(queries, among, 3, metric="city")
    np.testing.assert_allclose(distances, np.sort(every, axis=1)[:, :3], rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(every, positions, axis=1), distances, rtol=1e-12)


@needs_adult
def test_adult_rows_find_the_nearest_of_all() -> None:
    (points,) = points_of([adult(6000)])
    check(points.rows(np.arange(5700, 6000)), points.rows(np.arange(5700)), 5)


def test_wide_numbers_and_numbers_of_every_size_are_exact() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(900, 120)) * 10.0 ** rng.integers(-6, 6, 120)
    queries, among = points_of_arrays([wide[:100] + 1e-7, wide])
    check(queries, among, 4)


def test_a_copy_is_at_distance_nought() -> None:
    (points,) = points_of([mixed(400)])
    shifted = RowPoints(points.numbers + 1e9, points.codes, points.sizes)
    assert (nearest(shifted, shifted)[0] == 0).all()


def test_numbers_so_large_that_squares_overflow_still_find_the_copy() -> None:
    among = points_of_arrays([np.random.default_rng(0).normal(size=(300, 2)) * 1e300])[0]
    distances, positions = nearest(among, among)
    assert (distances == 0).all()
    assert (positions[:, 0] == np.arange(300)).all()


def test_rows_beyond_every_number_are_found_all_the_same() -> None:
    """Where squares overflow, all rows of other blocks are infinitely far, and still there."""
    rng = np.random.default_rng(0)
    among = points_of_arrays([rng.choice([-1e300, 1e300], (400, 2))])[0]
    with np.errstate(over="ignore"):
        check(among.rows([0, 7]), among, 390)


@pytest.mark.parametrize("levels", [2, 256, 257, 70_000])
def test_codes_of_any_size_and_columns_of_one_value_are_compared_exactly(levels: int) -> None:
    rng = np.random.default_rng(levels)

    def rows(n: int) -> RowPoints:
        codes = rng.integers(0, levels, (n, 5)).astype(np.int32)
        codes[:, 1] = levels - 1
        numbers = np.column_stack([rng.normal(size=n), np.zeros(n)])
        return RowPoints(numbers, codes, (levels,) * 5)

    among = rows(500)
    check(rows(20).plus(among.rows(np.arange(20))), among, 7)


def test_more_columns_than_a_byte_counts_are_compared_exactly() -> None:
    queries, among = made(5, 12, 1, 300, 3), made(6, 300, 1, 300, 3)
    check(queries, among, 5)
    every = slow(queries, among)
    expected = (every <= np.median(every)).sum(axis=1)
    np.testing.assert_array_equal(counts_within(queries, among, float(np.median(every))), expected)


def test_a_search_among_other_rows_does_not_meet_the_rows_of_an_earlier_one() -> None:
    queries, first, second = (made(seed, 300, 2, 2, 4) for seed in (1, 2, 3))
    for among in (first, second, first):
        check(queries, among, 3)
    high = RowPoints(queries.numbers, queries.codes + 300, (400, 400))
    check(high, first, 3)


@pytest.mark.parametrize("threads", [2, 5])
def test_the_number_of_threads_does_not_matter(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    queries, among = made(1, 103, 3, 2, 4), made(2, 900, 3, 2, 4)
    alone = nearest(queries, among, 7)
    monkeypatch.setattr(neighbours, "threads_for_sums", lambda: threads)
    for alone_part, threaded in zip(alone, nearest(queries, among, 7), strict=True):
        assert alone_part.tobytes() == threaded.tobytes()
    assert nearest(queries.rows([]), among, 2)[0].shape == (0, 2)


def test_a_search_in_many_calls_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, among = made(3, 23, 2, 2, 3), made(4, 300, 2, 2, 3)
    whole, counted = nearest(queries, among, 4), counts_within(queries, among, 1.0)
    monkeypatch.setattr(neighbours, "PAIRS_A_CALL", 700)
    for of_whole, of_calls in zip(whole, nearest(queries, among, 4), strict=True):
        assert of_whole.tobytes() == of_calls.tobytes()
    np.testing.assert_array_equal(counted, counts_within(queries, among, 1.0))


def test_what_was_found_before_is_given_again_for_the_same_rows_alone() -> None:
    queries, among, others = made(3, 9, 2, 2, 3), made(4, 40, 2, 2, 3), made(5, 40, 2, 2, 3)
    before = {k: nearest(queries, among, k) for k in (1, 3, 5)}
    marked = before[3][0] + 100.0
    neighbours.remember(queries, among, marked, before[3][1])
    for k in (1, 3):
        np.testing.assert_array_equal(nearest(queries, among, k)[0], marked[:, :k])
    np.testing.assert_array_equal(nearest(queries, among, 5)[0], before[5][0])
    again = queries.rows(np.arange(9))
    np.testing.assert_array_equal(nearest(again, among, 3)[0], before[3][0])
    assert nearest(queries, others)[0].max() < 100
    assert nearest(queries, among, metric="city")[0].max() < 100


def test_what_it_compares_is_left_as_it_was() -> None:
    queries, among = made(1, 10, 2, 2, 4), made(2, 300, 2, 2, 4)
    before = [array.tobytes() for points in (queries, among) for array in (points.numbers, points.codes)]
    nearest(queries, among, 3)
    counts_within(queries, among, 1.0)
    assert [array.tobytes() for points in (queries, among) for array in (points.numbers, points.codes)] == before


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 128, 130, 600]))
def test_rows_within_a_radius_are_counted_with_those_on_its_edge(seed: int, numbers: int, codes: int, n: int) -> None:
    queries, among = made(seed, 12, numbers, codes, 3), made(seed, n, numbers, codes, 3)
    every = slow(queries, among)
    for radius in (0.0, 1.0, float(np.median(every)), every[:, 0], 1e9):
        expected = (every <= np.broadcast_to(radius, 12)[:, None]).sum(axis=1)
        np.testing.assert_array_equal(counts_within(queries, among, radius), expected)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 128, 130, 600]),
    st.integers(1, 40),
)  # fmt: skip
def test_what_was_found_before_counts_all_within_a_radius(seed: int, numbers: int, codes: int, n: int, k: int) -> None:
    queries, among = made(seed, 12, numbers, codes, 3), made(seed, n, numbers, codes, 3)
    every = slow(queries, among)
    neighbours.remember(queries, among, *nearest(queries, among, min(k, n)))
    edges = np.sort(every, axis=1)[:, min(k, n) - 1]
    for radius in (0.0, 1.0, float(np.median(every)), every[:, 0], edges, np.nextafter(edges, 0), 1e9):
        expected = (every <= np.broadcast_to(radius, 12)[:, None]).sum(axis=1)
        np.testing.assert_array_equal(counts_within(queries, among, radius), expected)


def test_only_those_who_may_have_more_within_a_radius_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, among = made(1, 60, 2, 2, 4), made(2, 300, 2, 2, 4)
    radius = float(np.median(np.sort(slow(queries, among), axis=1)[:, 4]))
    own, asked = counts_within(queries, among, radius), list[int]()
    neighbours.remember(queries, among, *nearest(queries, among, 5))
    search = neighbours._search

    def counted(kernel: Any, squares: bool, threads: Any, queries: Any, among: Any, *each: Any) -> None:
        asked.append(len(queries))
        search(kernel, squares, threads, queries, among, *each)

    monkeypatch.setattr(neighbours, "_search", counted)
    np.testing.assert_array_equal(counts_within(queries, among, radius), own)
    assert asked == [(own >= 5).sum()]
    assert 0 < asked[0] < 60


def test_a_row_on_the_edge_is_counted_where_all_codes_of_its_block_differ() -> None:
    """A bound that adds codes one by one rounds otherwise than the distance, and passes over the block."""
    rng = np.random.default_rng(5)
    queries = RowPoints(rng.normal(size=(400, 1)), np.ones((400, 8), dtype=np.int32), (2,) * 8)
    among = RowPoints(np.full((1, 1), 0.3), np.zeros((1, 8), dtype=np.int32), (2,) * 8)
    np.testing.assert_array_equal(counts_within(queries, among, slow(queries, among)[:, 0]), 1)


def test_nothing_is_within_any_radius_among_no_rows() -> None:
    points = made(1, 5, 2, 1, 3)
    assert counts_within(points, points.rows([]), 9.0).tolist() == [0] * 5


@pytest.mark.parametrize("k", [0, 6])
def test_more_rows_than_there_are_get_a_sentence(k: int) -> None:
    (points,) = points_of([mixed(5)])
    with pytest.raises(DesignError, match=f"{k} nearest rows"):
        nearest(points, points, k)


def test_rows_of_other_columns_get_a_sentence() -> None:
    with pytest.raises(DesignError, match="Rows of 4 columns cannot be compared with rows of 3"):
        nearest(made(1, 5, 2, 2, 3), made(1, 5, 2, 1, 3))


@pytest.mark.parametrize("size", [0, 1, 2, 5, 100, 3_000])
def test_blocks_are_put_in_order(size: int) -> None:
    rng = np.random.default_rng(size)
    bound = np.where(rng.random(2 * size) < 0.5, rng.integers(0, 9, 2 * size), rng.normal(size=2 * size))
    blocks = rng.permutation(2 * size)[:size]
    wanted = sorted(bound[blocks].tolist())
    _kernels.put_in_order(blocks, bound)
    assert bound[blocks].tolist() == wanted
    assert len(set(blocks.tolist())) == size
