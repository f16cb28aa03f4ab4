"""Errors of foretold values, counted by hand on columns that settle each other."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.released._discriminate import COLUMN_TREES, column_errors, misfit
from riskkit.released.classifier import Ept
from riskkit.table.points import RowPoints
from tests.released import worlds


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
