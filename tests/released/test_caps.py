"""What is learnt of a large or wide table: nothing else below the caps, a drawn part and pooled levels above them."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.released import _densities, density
from riskkit.released._attack import some
from riskkit.released.classifier import Classifier, Ept
from riskkit.released.density import Density, Domias, GenLra
from riskkit.table.points import WIDTH, RowPoints
from tests.released import worlds

OF_DENSITIES: tuple[tuple[Any, Any], ...] = ((Density(), density), (Domias(), _densities), (GenLra(), density))


def scored(attack: Any, release: RowPoints, reference: RowPoints, seed: int = 4) -> Floats:
    targets = worlds.people(40, np.random.default_rng(9))
    return attack.score(release, targets, reference, np.random.default_rng(seed))


@pytest.mark.parametrize(("attack", "module"), OF_DENSITIES)
def test_a_density_of_a_table_below_the_cap_draws_nothing(attack: Any, module: Any) -> None:
    world, rng = worlds.copied(0.2), np.random.default_rng(0)
    before = deepcopy(rng.bit_generator.state)
    attack.score(world.release, world.members, world.reference, rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(("attack", "module"), OF_DENSITIES)
def test_a_density_of_a_larger_table_is_that_of_a_drawn_part(
    attack: Any, module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    release, reference = worlds.people(300, rng), worlds.people(200, rng)
    whole = scored(attack, release, reference)
    draws = np.random.default_rng(4)
    parts = [release if attack.name == "gen-lra" else some(release, 60, draws)]
    parts.append(reference if attack.name == "density" else some(reference, 60, draws))
    monkeypatch.setattr(module, "DENSITY_ROWS", 60)
    capped = scored(attack, release, reference)
    monkeypatch.setattr(module, "DENSITY_ROWS", 10**6)
    np.testing.assert_array_equal(capped, scored(attack, *parts))
    assert np.abs(capped - whole).max() > 0.01


def wide(n: int, rng: np.random.Generator) -> RowPoints:
    """Rows of a number and a column of more levels than are told apart, most of them rare."""
    levels = np.where(rng.random(n) < 0.8, rng.integers(0, 4, n), rng.integers(0, 3 * WIDTH, n))
    return RowPoints(rng.normal(size=(n, 1)), levels[:, None].astype(np.int32), (3 * WIDTH,))


@pytest.mark.parametrize("attack", [Density(), Domias(), GenLra(), Classifier(), Ept()], ids=lambda each: each.name)
def test_rare_levels_of_a_wide_table_are_one_and_frequent_ones_are_not(attack: Any) -> None:
    rng = np.random.default_rng(2)
    release, reference = wide(700, rng), wide(700, rng)
    counts = np.bincount(np.concatenate([release.codes[:, 0], reference.codes[:, 0]]), minlength=3 * WIDTH)
    nobodys = np.flatnonzero(counts == 0)[:2]
    codes = np.array([nobodys[0], nobodys[1], 0, 1])[:, None].astype(np.int32)
    targets = RowPoints(np.array([[0.3], [0.3], [0.3], [0.3]]), codes, (3 * WIDTH,))
    scores = attack.score(release, targets, reference, np.random.default_rng(3))
    assert scores[0] == pytest.approx(scores[1], rel=1e-9)
    assert np.ptp(scores[1:]) > 1e-6 * np.abs(scores).max()
