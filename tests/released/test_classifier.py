"""The classifier of release against reference: it finds copies, ignores the sizes of the sides, and draws as told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riskkit.released._attack import some
from riskkit.released.classifier import Classifier
from riskkit.table.points import points_of_arrays
from tests.released import worlds


def test_a_shift_that_members_share_is_found_on_its_side() -> None:
    rng = np.random.default_rng(1)
    members, others, release, reference = (rng.standard_normal((200, 2)) + shift for shift in (2, 0, 2, 0))
    world = worlds.World(*points_of_arrays([members, others, release, reference]))
    assert world.auc(Classifier()) > 0.9
    swapped = replace(world, release=world.reference, reference=world.release)
    assert swapped.auc(Classifier()) < 0.1


def test_at_most_so_many_rows_are_drawn_and_kept_in_order() -> None:
    (points,) = points_of_arrays([np.arange(50.0)[:, None]])
    drawn = some(points, 20, np.random.default_rng(3)).numbers[:, 0]
    assert len(set(drawn)) == 20
    assert (np.diff(drawn) > 0).all()
    assert some(points, 50, np.random.default_rng(3)) is points
    world = worlds.copied(n=200)
    capped, again, other = (world.scores(Classifier(rows=50), seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(capped, again)
    assert (capped != other).any()
