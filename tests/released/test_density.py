"""The kernel density of the release, against scipy where that works and against counting where it does not."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from riskkit.core import Floats
from riskkit.released import _densities
from riskkit.released._densities import entries, kernels
from riskkit.released._densities import log_sums as of_products
from riskkit.released.density import Density
from riskkit.table.points import points_of_arrays
from tests.released import worlds


def correlated(n: int, seed: int) -> Floats:
    """Numbers of very different scales, two of them near multiples of each other."""
    rng = np.random.default_rng(seed)
    free = rng.standard_normal((n, 5))
    free[:, 1] = free[:, 0] + 0.01 * free[:, 1]
    return free * np.array([1.0, 3.0, 1e5, 1e-3, 10.0]) + np.array([0.0, 4.0, 1e6, 0.0, -100.0])


def log_sums(queries: Floats, rows: Floats) -> Floats:
    """(m,) log of the sum over rows of exp(-d²/2), d the straight-line distance."""
    sums = of_products(entries(queries, np.zeros(queries.shape[1])), rows.T, -(rows**2).sum(axis=1) / 2)
    return sums - (queries**2).sum(axis=1) / 2


def published(rows: Floats, points: Floats) -> Floats:
    return gaussian_kde(rows.T, bw_method="silverman").logpdf(points.T)


@pytest.mark.parametrize("block", [1, 700, 30_000_000])
def test_on_full_rank_it_is_scipys(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(_densities, "PAIRS_A_CALL", block)
    rows, points = correlated(120, 1), correlated(50, 2)
    points[0] += 1e7  # so far away that the density itself underflows
    ours, theirs = kernels(rows).log_density(points), published(rows, points)
    np.testing.assert_allclose(ours[1:], theirs[1:], rtol=0, atol=1e-9)
    assert theirs[0] < -1000
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)


def test_another_bandwidth_would_be_seen() -> None:
    rows, points = correlated(120, 1), correlated(50, 2)
    scott = gaussian_kde(rows.T, bw_method="scott").logpdf(points.T)
    assert np.abs(kernels(rows).log_density(points) - scott).max() > 0.1


def test_log_sums_are_counted_by_hand() -> None:
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    expected = np.log([1 + np.exp(-12.5), 2 * np.exp(-6.25 / 2)])
    np.testing.assert_allclose(log_sums(np.array([[0.0, 0.0], [1.5, 2.0]]), rows), expected, atol=1e-12)


def test_log_sums_of_near_and_faint_terms_are_those_of_all_terms() -> None:
    """Terms that are left out as too faint, found first or last, change nothing that can be seen."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((3_000, 4)) * rng.choice([0.1, 1.0, 30.0], (3_000, 1))
    rows[1_000:1_010] = rows[0]
    queries = np.vstack([rows[::100], rng.standard_normal((20, 4)) * 40])
    exponents = -((queries[:, None] - rows) ** 2).sum(axis=2) / 2
    np.testing.assert_allclose(log_sums(queries, rows), logsumexp(exponents, axis=1), rtol=1e-12, atol=1e-10)


def test_columns_that_repeat_others_change_nothing_but_a_constant() -> None:
    rng = np.random.default_rng(4)
    rows, points = rng.standard_normal((80, 3)), rng.standard_normal((40, 3))

    def widened(matrix: Floats) -> Floats:
        return np.column_stack([matrix, matrix[:, 0] - 2 * matrix[:, 1], np.full(len(matrix), 0.1), matrix[:, 2]])

    dense = kernels(widened(rows))
    assert dense.rank == 3
    apart = dense.log_density(widened(points)) - published(rows, points)
    np.testing.assert_allclose(apart, apart[0], rtol=0, atol=1e-6)
    with pytest.raises(np.linalg.LinAlgError):
        published(widened(rows), widened(points))


def test_off_the_rows_the_density_is_finite_and_falls_with_the_distance() -> None:
    rng = np.random.default_rng(5)
    flat = np.column_stack([rng.standard_normal((60, 2)), np.zeros(60)])
    steps = np.array([0.0, 0.001, 0.01, 0.5, 1.0, 30.0])
    there = np.column_stack([np.zeros((6, 2)), steps])
    density = kernels(flat).log_density(there)
    assert np.isfinite(density).all()
    assert (np.diff(density) < 0).all()
    on_the_rim = kernels(flat).log_density(np.array([[100.0, 100.0, 0.0]]))
    assert density[3] < on_the_rim[0] < density[0]


def test_fewer_rows_than_columns() -> None:
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((10, 40))
    density = kernels(rows).log_density(np.vstack([rows, rng.standard_normal((10, 40))]))
    assert np.isfinite(density).all()
    assert density[:10].min() > density[10:].max()


@pytest.mark.parametrize("rows", [np.zeros((1, 3)), np.ones((5, 2))])
def test_rows_that_are_all_one_point(rows: Floats) -> None:
    density = kernels(rows).log_density(np.vstack([rows[:1], rows[:1] + 1, rows[:1] + 2]))
    assert density[0] > density[1] > density[2] > -np.inf


def test_units_of_columns_do_not_matter() -> None:
    rows, points, units = correlated(90, 7), correlated(30, 8), np.array([1e3, 1e-3, 1e-6, 5.0, 1.0])
    apart = kernels(rows).log_density(points) - kernels(rows * units).log_density(points * units)
    np.testing.assert_allclose(apart, np.log(units).sum(), rtol=0, atol=1e-9)


@worlds.needs_housing
def test_the_published_figure() -> None:
    assert worlds.housing().auc(Density()) == pytest.approx(0.64298, abs=1e-3)


def test_the_reference_is_not_read() -> None:
    world = worlds.copied(0.2)
    other = replace(world, reference=world.others)
    np.testing.assert_array_equal(world.scores(Density()), other.scores(Density()))


def test_memory_is_bounded_by_the_block() -> None:
    rng = np.random.default_rng(9)
    release, targets = points_of_arrays([rng.standard_normal((20_000, 6)), rng.standard_normal((2_000, 6))])
    tracemalloc.start()
    Density().score(release, targets, None, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all pairs at once would be 320 MB
