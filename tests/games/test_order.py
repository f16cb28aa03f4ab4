"""The order of rows: a planted leak is found, a shuffled one is not, and a common sort is called what it is."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import rankdata

from riskkit.core import Floats
from riskkit.games import order
from riskkit.games.order import RowOrder, against_shuffles, nearer, row_order
from riskkit.table.points import points_of, points_of_arrays
from tests.tables import mixed


def compared(real: Floats, release: Floats, seed: int = 1) -> RowOrder:
    left, right = points_of_arrays([real, release])
    order = row_order(left, right, np.random.default_rng(seed))
    assert order is not None
    return order


def made(seed: int, n: int = 400, columns: int = 4) -> Floats:
    return np.random.default_rng(seed).standard_normal((n, columns))


def by_first(values: Floats) -> Floats:
    return values[np.argsort(values[:, 0], kind="stable")]


def test_how_often_nearer_by_hand() -> None:
    np.testing.assert_allclose(nearer(np.array([[0.0, 1.0, 1.0], [5.0, 5.0, 5.0]])), [[1, 0.25, 0.25], [0.5] * 3])


@pytest.mark.parametrize("levels", [1, 2, 40, 10**9])
def test_how_often_nearer_is_by_the_published_ranks(levels: int) -> None:
    """Ties of many, of none, and of whole rows; to the last bit."""
    distance = np.sqrt(np.random.default_rng(levels).integers(0, levels, (30, 50)))
    np.testing.assert_array_equal(nearer(distance), (50 - rankdata(distance, axis=1)) / 49)


def test_the_diagonal_against_every_order_of_four_rows() -> None:
    """The standard deviation over all 24 orders is the one that is stated."""
    own = nearer(np.random.default_rng(1).random((4, 4)))
    every = [own[np.arange(4), list(way)].mean() for way in permutations(range(4))]
    share, z, p = against_shuffles(own, np.random.default_rng(1))
    assert share == pytest.approx(own.diagonal().mean())
    assert np.mean(every) == pytest.approx(0.5)
    assert z == pytest.approx((share - 0.5) / np.std(every))
    assert p == pytest.approx(np.mean(np.array(every) >= share - 1e-12), abs=0.05)


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_a_release_made_row_by_row_is_found(noise: float) -> None:
    real = made(1)
    comparison = compared(real, real + noise * made(2))
    assert comparison.kind == "row by row"
    assert comparison.share > 0.7
    assert comparison.p == 0.001


def test_the_same_release_shuffled_is_not_found() -> None:
    real = made(1)
    shuffled = np.random.default_rng(3).permutation(real + 0.3 * made(2))
    assert compared(real, shuffled).kind == "none"


def test_files_sorted_by_one_column_share_their_order_and_no_more() -> None:
    comparison = compared(by_first(made(1)), by_first(made(2)))
    assert comparison.kind == "common order"
    assert comparison.z > 5


def test_a_row_by_row_release_of_a_sorted_table_is_found_all_the_same() -> None:
    real = by_first(made(1))
    assert compared(real, real + 0.1 * made(2)).kind == "row by row"


def test_groups_in_the_same_order_are_a_common_order() -> None:
    """Both files hold their classes one after the other, as a method that makes each class by itself leaves them."""
    rng = np.random.default_rng(4)
    real, release = (np.column_stack([np.repeat([0.0, 4.0, 8.0], 150), rng.standard_normal(450)]) for _ in range(2))
    assert compared(real, release).kind == "common order"


def test_only_one_of_the_files_sorted_says_nothing() -> None:
    assert compared(by_first(made(1)), made(2)).kind == "none"


def test_files_of_different_length_are_compared_as_far_as_both_go() -> None:
    real = made(1, n=500)
    assert compared(real, real[:200]).compared == 200


def test_short_files_are_not_compared() -> None:
    (few,) = points_of_arrays([made(1, n=order.LEAST - 1)])
    assert row_order(few, few, np.random.default_rng(1)) is None


def test_equal_rows_throughout_say_nothing() -> None:
    comparison = compared(np.ones((200, 2)), np.ones((200, 2)))
    assert (comparison.kind, comparison.share, comparison.z) == ("none", 0.5, 0.0)


def test_missing_values_and_categories_are_compared_too() -> None:
    (points,) = points_of([mixed(300)])
    order = row_order(points, points, np.random.default_rng(1))
    assert order is not None
    assert order.kind == "row by row"


def test_one_outlier_does_not_make_an_order() -> None:
    """Planted: a mean of distances would be carried by the one pair of far rows; ranks are not."""
    real, release = made(1), made(2)
    real[7] = release[7] = 1e6
    assert compared(real, release).kind == "none"


@pytest.mark.slow
def test_independent_files_are_rarely_told_anything_of() -> None:
    kinds = [compared(made(seed, 150), made(seed + 1000, 150), seed).kind for seed in range(300)]
    assert kinds.count("none") >= 297


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 4])
def test_sorted_files_are_rarely_called_row_by_row(columns: int) -> None:
    pairs = [(by_first(made(seed, 200, columns)), by_first(made(seed + 500, 200, columns))) for seed in range(150)]
    kinds = [compared(*pair, seed).kind for seed, pair in enumerate(pairs)]
    assert kinds.count("row by row") <= 4
    assert kinds.count("common order") >= 140
