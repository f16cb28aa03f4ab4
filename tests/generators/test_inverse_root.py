"""The inverse square root without eigenvectors: known ones, its bounds, and what is left to the ordinary way."""

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.generators import stat
from riskkit.generators.stat import LEAST, MOST, Stat, inverse_root
from tests.tables import mixed


def spread(values: Floats, seed: int = 0) -> tuple[Floats, Floats]:
    """A symmetric matrix with these eigenvalues in drawn directions, and its inverse root."""
    turned, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))
    matrix = (turned * values) @ turned.T
    return (matrix + matrix.T) / 2, (turned / np.sqrt(np.maximum(values, 1e-300))) @ turned.T


@pytest.mark.parametrize("d", [2, 3, 20, 97])
@pytest.mark.parametrize("least", [1.1 * LEAST, 0.5])
def test_it_is_the_root_of_any_spectrum_between_the_bounds(d: int, least: float) -> None:
    matrix, wanted = spread(np.geomspace(least, 0.9 * MOST, d))
    root = inverse_root(matrix)
    assert root is not None
    np.testing.assert_allclose(root, wanted, atol=1e-12 * np.abs(wanted).max())
    np.testing.assert_allclose(root @ matrix @ root, np.eye(d), atol=1e-11)


def test_a_root_that_is_known_by_hand() -> None:
    """1 and 1/2 to either side: eigenvalues 3/2 and 1/2."""
    root = inverse_root(np.array([[1.0, 0.5], [0.5, 1.0]]))
    assert root is not None
    sum_of, gap = np.sqrt(2 / 3), np.sqrt(2)
    same, other = (sum_of + gap) / 2, (sum_of - gap) / 2
    np.testing.assert_allclose(root, [[same, other], [other, same]], atol=1e-14)


def test_a_diagonal_matrix_needs_no_reflection() -> None:
    """All reflections are the identity, and nothing is divided by what they are scaled with."""
    root = inverse_root(np.diag([4.0, 1.0, 0.25, 0.01]))
    assert root is not None
    np.testing.assert_allclose(root, np.diag([0.5, 1.0, 2.0, 10.0]), atol=1e-12)


@pytest.mark.parametrize("value", [0.9 * LEAST, 1.1 * MOST, 0.0, -1.0])
def test_one_eigenvalue_beyond_the_bounds_is_left_to_the_ordinary_way(value: float) -> None:
    assert inverse_root(spread(np.append(np.linspace(0.5, 2.0, 19), value))[0]) is None


def test_too_few_shifts_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: half as many."""
    matrix, wanted = spread(np.geomspace(1.1 * LEAST, 0.9 * MOST, 30))
    monkeypatch.setattr(stat, "SHIFTS", stat.SHIFTS // 2)
    stat._shifts.cache_clear()
    root = inverse_root(matrix)
    stat._shifts.cache_clear()
    assert root is not None
    assert np.abs(root - wanted).max() > 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("missing", [True, False])
def test_a_release_is_the_same_whichever_way_is_taken(missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that has lost a level too: what stands in for it is the same draw either way."""
    table = mixed(missing=missing)
    for world in (table, table.rows(table.codes[:, 0] != 3)):
        fitted = Stat("none").fit(world, np.random.default_rng(0))
        quick = fitted.sample(300, np.random.default_rng(7))
        with monkeypatch.context() as patched:
            patched.setattr(stat, "inverse_root", lambda _: None)
            plain = fitted.sample(300, np.random.default_rng(7))
        assert quick.relaxed is not None
        assert plain.relaxed is not None
        gap = np.abs(quick.relaxed - plain.relaxed) / np.maximum(fitted.sd, 1e-12)
        assert 0 < gap.max() < 1e-11
        np.testing.assert_array_equal(quick.codes, plain.codes)
        np.testing.assert_array_equal(quick.numbers, plain.numbers)


def test_the_quick_way_is_the_one_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Independent columns have no small eigenvalue, and a category without its dropped level has one of 0."""
    taken: list[bool] = []

    def seen(covariance: Floats) -> Floats | None:
        root = inverse_root(covariance)
        taken.append(root is not None)
        return root

    monkeypatch.setattr(stat, "inverse_root", seen)
    table = mixed()
    for world in (table, table.rows(table.codes[:, 0] != 0)):
        Stat().fit(world, np.random.default_rng(0)).sample(300, np.random.default_rng(0))
    assert taken == [True, False]


def test_more_normal_draws_leave_the_first_ones_as_they_are() -> None:
    first, two = (stat.Draws.draw(1, 50, np.random.default_rng(3)) for _ in range(2))
    few, many = first.normal(2).copy(), two.normal(5)
    assert few.tobytes() == np.ascontiguousarray(many[:, :2]).tobytes()
    assert np.ascontiguousarray(first.normal(5)).tobytes() == np.ascontiguousarray(many).tobytes()
    np.testing.assert_allclose(many.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(many.std(axis=0, ddof=1), 1, atol=1e-14)
