"""Kernel densities, their ratio and the likelihood gain: against scipy where that works, counting where it does not."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gaussian_kde

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.released import _densities
from riskkit.released._densities import entries, kernels, log_density_with
from riskkit.released._densities import log_sums as of_products
from riskkit.released.density import Density, Domias, GenLra
from riskkit.table.neighbours import nearest
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


def log_densities(world: worlds.World) -> tuple[Floats, Floats]:
    points = world.members.plus(world.others).matrix()
    released, people = (
        gaussian_kde(rows.matrix().T, bw_method="silverman") for rows in (world.release, world.reference)
    )
    return released.logpdf(points.T), people.logpdf(points.T)


def arrays(scale: float, columns: int = 4, seed: int = 1) -> worlds.World:
    rng = np.random.default_rng(seed)
    members, others, reference = (rng.standard_normal((150, columns)) * scale for _ in range(3))
    release = members + 0.5 * scale * rng.standard_normal(members.shape)
    return worlds.World(*points_of_arrays([members, others, release, reference]))


def test_without_a_floor_it_is_the_difference_of_scipys_log_densities() -> None:
    above, below = log_densities(arrays(1.0))
    np.testing.assert_allclose(arrays(1.0).scores(Domias(floor=0)), above - below, rtol=0, atol=1e-9)


def test_the_floor_is_that_many_rows_at_the_target() -> None:
    world = arrays(1.0)
    reference = world.reference.matrix()
    dense = kernels(reference)
    bump = gaussian_kde(reference.T, bw_method="silverman")
    peak = -np.linalg.slogdet(2 * np.pi * bump.covariance)[1] / 2
    assert dense.log_floor(3) == pytest.approx(peak + np.log(3 / len(reference)), abs=1e-9)
    above, below = log_densities(world)
    np.testing.assert_allclose(
        world.scores(Domias(floor=3)), above - np.logaddexp(below, dense.log_floor(3)), rtol=0, atol=1e-9
    )


@worlds.needs_housing
def test_the_published_figure_and_the_published_floor() -> None:
    world = worlds.housing()
    assert world.auc(Domias()) == pytest.approx(0.68385, abs=1e-3)
    above, below = log_densities(world)
    assert worlds.auc(np.exp(above) / (np.exp(below) + 1e-20), 200) == pytest.approx(0.68385, abs=1e-5)
    assert kernels(world.reference.matrix()).log_floor(1.6) == pytest.approx(np.log(1e-20), abs=0.001)


@pytest.mark.parametrize("scale", [1e-30, 1e6, 1e40])
def test_units_do_not_matter_where_a_fixed_floor_would_drown_the_reference(scale: float) -> None:
    near, far = arrays(1.0), arrays(scale)
    np.testing.assert_allclose(far.scores(Domias()), near.scores(Domias()), rtol=0, atol=1e-6)
    if scale > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            above, below = log_densities(far)
            drowned = above - np.logaddexp(below, np.log(1e-20))
        assert np.abs(drowned - drowned[0] - (above - above[0])).max() < 1e-3  # the release's density alone


def test_domias_reads_the_reference() -> None:
    world = worlds.copied(0.3)
    order = np.argsort(world.scores(Domias())), np.argsort(world.scores(Density()))
    assert (order[0] != order[1]).mean() > 0.5
    assert world.auc(Domias()) > world.auc(Density()) + 0.03
    swapped = replace(world, release=world.reference, reference=world.release)
    assert swapped.auc(Domias()) < 0.5


def refitted(world: worlds.World, k: int) -> tuple[Floats, Floats]:
    """Log-densities of the k nearest released rows, with the target and without: one scipy fit for each target."""
    targets = world.members.plus(world.others)
    near = nearest(targets, world.release, k)[1]
    rows, reference = world.release.matrix(), world.reference.matrix()
    before = gaussian_kde(reference.T, bw_method="silverman").logpdf(rows.T)[near]
    after = [
        gaussian_kde(np.vstack([reference, target]).T, bw_method="silverman").logpdf(rows[those].T)
        for target, those in zip(targets.matrix(), near, strict=True)
    ]
    return np.array(after), before


def small(seed: int = 1) -> worlds.World:
    rng = np.random.default_rng(seed)
    members, others, reference = (rng.standard_normal((40, 3)) * np.array([1, 50, 1e4]) for _ in range(3))
    others[0] = [30, -2000, 1e6]  # far out: the covariance itself changes
    release = members + rng.standard_normal(members.shape) * np.array([0.3, 10, 3e3])
    return worlds.World(*points_of_arrays([members, others, release, reference]))


@pytest.mark.parametrize("block", [1, 3000, 30_000_000])
def test_one_row_more_without_a_refit_is_the_refit(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(_densities, "PAIRS_A_CALL", block)
    world = small()
    targets = world.members.plus(world.others)
    near = nearest(targets, world.release, 6)[1]
    ours = log_density_with(kernels(world.reference.matrix()), targets.matrix(), world.release.matrix(), near)
    np.testing.assert_allclose(ours, refitted(world, 6)[0], rtol=0, atol=1e-9)


def test_the_score_is_the_sum_of_gains() -> None:
    after, before = refitted(small(), 4)
    np.testing.assert_allclose(small().scores(GenLra(k=4, floor=0)), (after - before).sum(axis=1), rtol=0, atol=1e-9)


def test_holding_the_covariance_would_be_seen() -> None:
    world = small()
    base, rows = kernels(world.reference.matrix()), world.release.matrix()
    targets = world.members.plus(world.others)
    near = nearest(targets, world.release, 4)[1]
    width = _densities.silverman(40, 3)
    bumps = ((base.place(rows)[near] - base.place(targets.matrix())[:, None]) ** 2).sum(axis=2) / -2 / width**2
    before = base.log_density(rows)[near]
    held = np.logaddexp(before + np.log(40 / 41), bumps + base.log_peak - np.log(41))
    assert np.abs((held - before).sum(axis=1) - world.scores(GenLra(k=4, floor=0))).max() > 0.1


@worlds.needs_housing
def test_the_published_figure_of_the_gain() -> None:
    assert worlds.housing().auc(GenLra(k=5)) == pytest.approx(0.64785, abs=1e-3)


def test_the_gain_reads_the_reference() -> None:
    world = worlds.copied(0.2, n=300)
    other = replace(world, reference=worlds.copied(0.2, n=300, seed=9).reference)
    assert np.abs(world.scores(GenLra()) - other.scores(GenLra())).max() > 0.01
    swapped = replace(world, release=world.reference, reference=world.release)
    assert swapped.auc(GenLra()) < 0.5 < world.auc(GenLra())


def test_without_enough_reference_it_says_so() -> None:
    world = worlds.copied(n=20)
    for reference, message in ((None, "reference rows"), (world.reference.rows([0]), "at least 2")):
        with pytest.raises(DesignError, match=message):
            GenLra().score(world.release, world.members, reference, np.random.default_rng(0))
