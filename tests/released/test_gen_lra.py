"""The likelihood gain: against fitting a density anew for every target, and on the published example."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.released import _densities
from riskkit.released._densities import kernels, log_density_with
from riskkit.released.density import GenLra
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of_arrays
from tests.released import worlds


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
def test_the_published_figure() -> None:
    assert worlds.housing().auc(GenLra(k=5)) == pytest.approx(0.64785, abs=1e-3)


def test_the_reference_is_read() -> None:
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
