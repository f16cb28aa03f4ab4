"""Classifiers of release against reference and errors of foretold values: known answers, counts by hand, own draws."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.released._attack import some
from riskkit.released._discriminate import COLUMN_TREES, column_errors, misfit
from riskkit.released.classifier import Classifier, Ept, LoganD
from riskkit.table.points import RowPoints, points_of_arrays
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


def settled(codes: list[int]) -> RowPoints:
    """Rows whose number is ten times their code, so that each tells the other."""
    array = np.array(codes, dtype=np.int32)
    return RowPoints(10.0 * array[:, None], array[:, None], (3,))


def test_errors_are_counted_by_hand() -> None:
    train = settled([0, 1] * 20)
    liar = RowPoints(np.array([[10.0], [0.0]]), np.array([[0], [2]], dtype=np.int32), (3,))
    errors = column_errors(train, settled([0, 1]).plus(liar), np.random.default_rng(0))
    sure, never = -np.log((COLUMN_TREES + 1 / 3) / (COLUMN_TREES + 1)), -np.log(1 / 3 / (COLUMN_TREES + 1))
    np.testing.assert_allclose(errors[:2], [[0, sure], [0, sure]], atol=1e-12)
    np.testing.assert_allclose(errors[2], [10, never], atol=1e-12)
    assert errors[3, 1] == pytest.approx(never)  # a level that was never released
    summed = misfit(train, settled([0, 1]).plus(liar), np.random.default_rng(0))
    np.testing.assert_allclose(summed, np.log1p(errors[:, 0] / 5) + errors[:, 1], atol=1e-12)


def test_the_column_itself_is_never_among_those_it_is_foretold_from() -> None:
    rng = np.random.default_rng(1)
    train = RowPoints(rng.standard_normal((200, 1)), rng.integers(0, 2, (200, 1)).astype(np.int32), (2,))
    fresh = RowPoints(rng.standard_normal((200, 1)), rng.integers(0, 2, (200, 1)).astype(np.int32), (2,))
    errors = column_errors(train, fresh, rng).mean(axis=0)
    assert errors[0] > 0.5  # knowing the number would make it 0
    assert errors[1] > 0.6  # a coin cannot be foretold


def test_units_and_far_values_do_not_outweigh_the_rest() -> None:
    world = worlds.copied(0.2, n=100)
    units = np.array([2.0**20, 1.0, 2.0**-10, 1.0])

    def scaled(points: RowPoints) -> RowPoints:
        return RowPoints(points.numbers * units, points.codes, points.sizes)

    other = worlds.World(*(scaled(part) for part in (world.members, world.others, world.release, world.reference)))
    np.testing.assert_allclose(other.scores(Ept()), world.scores(Ept()), rtol=1e-6)


def test_the_reference_is_read_only_when_asked() -> None:
    world = worlds.copied(0.2, n=80)
    other = worlds.World(world.members, world.others, world.release, world.others)
    np.testing.assert_array_equal(world.scores(Ept()), other.scores(Ept()))
    assert (world.scores(Ept(compare=True)) != other.scores(Ept(compare=True))).any()
