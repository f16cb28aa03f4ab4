"""The density ratio: against scipy in logs, where densities underflow, and on the published example."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from riskkit.core import Floats
from riskkit.released._densities import kernels
from riskkit.released.density import Density, Domias
from riskkit.table.points import points_of_arrays
from tests.released import worlds


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


def test_the_reference_is_read() -> None:
    world = worlds.copied(0.3)
    order = np.argsort(world.scores(Domias())), np.argsort(world.scores(Density()))
    assert (order[0] != order[1]).mean() > 0.5
    assert world.auc(Domias()) > world.auc(Density()) + 0.03
    swapped = replace(world, release=world.reference, reference=world.release)
    assert swapped.auc(Domias()) < 0.5
