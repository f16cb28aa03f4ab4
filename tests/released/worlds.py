"""Worlds with a known answer for the attacks on a released file: nothing leaks, all leaks, less and less leaks."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.table.points import RowPoints, points_of_arrays
from tests.tables import DATA

needs_housing = pytest.mark.skipif(
    not (DATA / "synthmia_housing").is_dir(), reason="the housing example (shared/data/synthmia_housing) is not here"
)


@dataclass(frozen=True, eq=False)
class World:
    """Targets, of which the first half are members, and what the attacker has."""

    members: RowPoints
    others: RowPoints
    release: RowPoints
    reference: RowPoints

    def scores(self, attack: Any, seed: int = 0) -> Floats:
        """The attack's scores, members first."""
        return attack.score(self.release, self.members.plus(self.others), self.reference, np.random.default_rng(seed))

    def auc(self, attack: Any, seed: int = 0) -> float:
        """How well the attack tells members from others."""
        return auc(self.scores(attack, seed), len(self.members))


def auc(scores: Floats, members: int) -> float:
    """Share of pairs of a member and another where the member scores higher, ties one half."""
    inside, outside = scores[:members, None], scores[None, members:]
    return float(((inside > outside) + (inside == outside) / 2).mean())


def people(n: int, rng: np.random.Generator) -> RowPoints:
    """``n`` rows of one population: four dependent numbers and two codes, one with a rare level."""
    group = rng.choice(3, n, p=[0.55, 0.4, 0.05]).astype(np.int32)
    numbers = rng.standard_normal((n, 4)) + group[:, None] * np.array([1.0, -1.0, 0.5, 0.0])
    numbers[:, 1] += 0.8 * numbers[:, 0]
    other = (rng.random(n) < 0.3 + 0.2 * (numbers[:, 2] > 0)).astype(np.int32)
    return RowPoints(numbers, np.column_stack([group, other]), (3, 2))


def blurred(points: RowPoints, noise: float, rng: np.random.Generator) -> RowPoints:
    """The same rows with noise on every number, codes redrawn in proportion."""
    numbers = points.numbers + noise * rng.standard_normal(points.numbers.shape)
    fresh = people(len(points), rng).codes
    redrawn = rng.random(points.codes.shape) < noise / (1 + noise)
    return RowPoints(numbers, np.where(redrawn, fresh, points.codes), points.sizes)


def null(n: int = 1000, seed: int = 1) -> World:
    """The release is an independent sample: nothing leaks."""
    rng = np.random.default_rng(seed)
    return World(people(n, rng), people(n, rng), people(n, rng), people(n, rng))


def copied(noise: float = 0.0, n: int = 500, seed: int = 2) -> World:
    """The release is the members, less or more blurred."""
    rng = np.random.default_rng(seed)
    members = people(n, rng)
    return World(members, people(n, rng), blurred(members, noise, rng), people(n, rng))


def copied_arrays(n: int = 60, seed: int = 3) -> World:
    """Numbers alone, the release being the members: a constant column, one that repeats another, ties and doubles."""
    rng = np.random.default_rng(seed)

    def some() -> Floats:
        free = np.round(rng.standard_normal((n, 3)), 1)
        return np.column_stack([free, np.full(n, 7.0), 2 * free[:, 0] + 1, free[:, 1] + free[:, 2]])

    members, others, reference = some(), some(), some()
    return World(*points_of_arrays([members, others, np.vstack([members, members[:5]]), reference]))


@cache
def housing() -> World:
    """The published example: 200 members, 200 others, 200 released and 200 reference rows of nine raw columns."""
    names = ("mem.csv", "non_mem.csv", "synth.csv", "ref.csv")
    arrays = [np.loadtxt(DATA / "synthmia_housing" / name, delimiter=",", skiprows=1) for name in names]
    return World(*points_of_arrays(arrays))


def null_holds(attack: Any, seed: int = 0) -> None:
    """AUC within 1.96 standard errors of one half where nothing leaks, 1,000 against 1,000."""
    n = 1000
    assert abs(null(n).auc(attack, seed) - 0.5) < 1.96 * np.sqrt((2 * n + 1) / (12 * n * n))


def noise_hides(attack: Any, noises: tuple[float, ...], least: float) -> list[float]:
    """AUC of at least ``least`` on copies, falling with every step of noise, near one half at the last."""
    reached = [copied(noise).auc(attack) for noise in noises]
    assert reached[0] >= least, reached
    assert all(later < earlier + 2 * 0.018 for earlier, later in pairwise(reached)), reached
    assert reached[-1] < reached[0] - 0.05, reached
    return reached


def survives(attack: Any) -> None:
    """Finite scores, each a target's own, on the singular world and on releases of very few rows."""
    world = copied_arrays()
    whole = world.scores(attack)
    assert whole.shape == (len(world.members) + len(world.others),)
    assert whole.dtype == np.float64
    assert np.isfinite(whole).all()
    for rows in (1, 3):
        few = World(world.members, world.others, world.release.rows(range(rows)), world.reference.rows(range(8)))
        assert np.isfinite(few.scores(attack)).all()


def own_score(attack: Any) -> None:
    """A target's score does not depend on who else is asked about."""
    world = copied(0.3, n=60)
    few = World(world.members.rows(range(10)), world.others.rows(range(10)), world.release, world.reference)
    whole = world.scores(attack)
    np.testing.assert_allclose(few.scores(attack), np.r_[whole[:10], whole[60:70]], rtol=1e-9, atol=1e-9)
