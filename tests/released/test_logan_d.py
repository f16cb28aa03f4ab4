"""The discriminating network: it learns a shift, weighs its sides alike, and repeats itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riskkit.released.classifier import LoganD
from riskkit.table.points import points_of_arrays
from tests.released import worlds

QUICK = LoganD(epochs=5)


def test_a_ring_no_line_can_cut_out_is_found_on_its_side() -> None:
    rng = np.random.default_rng(1)

    def ring(radius: float) -> np.ndarray:
        angle = rng.uniform(0, 2 * np.pi, 300)
        return np.column_stack([np.cos(angle), np.sin(angle)]) * (radius + 0.2 * rng.standard_normal((300, 1)))

    world = worlds.World(*points_of_arrays([ring(2), ring(1), ring(2), ring(1)]))
    assert world.auc(LoganD(epochs=40)) > 0.95
    swapped = replace(world, release=world.reference, reference=world.release)
    assert swapped.auc(LoganD(epochs=40)) < 0.05


def test_the_sides_weigh_the_same_whatever_their_sizes() -> None:
    rng = np.random.default_rng(2)
    release, targets, reference = points_of_arrays([rng.standard_normal((n, 2)) for n in (2000, 300, 100)])
    assert (
        abs(QUICK.score(release, targets, reference, rng).mean()) < 1
    )  # left to themselves the sizes alone would make it 3


def test_one_seed_gives_the_same_bytes_and_another_other_ones() -> None:
    world = worlds.copied(n=60)
    once, twice, other_seed = (world.scores(QUICK, seed) for seed in (1, 1, 2))
    assert once.tobytes() == twice.tobytes() != other_seed.tobytes()
