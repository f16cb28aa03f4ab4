"""The attack on groups of columns: releases that take some columns of people whole, by hand and where nothing leaks."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, Ints
from riskkit.questions.released.plan import SUITE
from riskkit.released.values import Groups
from riskkit.table.points import RowPoints
from tests.points import auc
from tests.released.test_values import codes

ROWS, LEVELS = 1_000, 6
IS_IN = np.arange(2 * ROWS) < ROWS
RNG = np.random.default_rng


def answers(rng: np.random.Generator, rows: int = ROWS, columns: int = 12) -> Ints:
    """(rows, columns) answers that hang together a little."""
    mood = rng.normal(size=(rows, 1))
    return np.clip((0.5 * mood + rng.normal(size=(rows, columns))) * 1.2 + LEVELS / 2, 0, LEVELS - 1).astype(np.int64)


def points(values: Ints) -> RowPoints:
    return RowPoints(np.empty((len(values), 0)), values.astype(np.int32), (LEVELS,) * values.shape[1])


def shuffle_groups(values: Ints, groups: list[list[int]], rng: np.random.Generator) -> Ints:
    """Rows whose groups of columns come each from another person; every column in none of them by itself."""
    out = rng.permuted(values, axis=0)
    for group in groups:
        out[:, group] = values[rng.permutation(len(values))][:, group]
    return out


def reached(attack: str, release: Ints, members: Ints, others: Ints, reference: Ints) -> float:
    targets = points(np.vstack([members, others]))
    score: Floats = registry.parse("released", attack).score(points(release), targets, points(reference), RNG(0))
    return auc(score, IS_IN)


@pytest.mark.parametrize(
    ("groups", "least"),
    [([[0, 1, 2, 3, 4, 5, 6]], 0.95), ([[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]], 0.95), ([[3, 4, 6, 9, 11]], 0.62)],
)
def test_columns_that_were_taken_together_are_found_by_nothing_else(groups: list[list[int]], least: float) -> None:
    members, others, reference = (answers(RNG(seed)) for seed in (1, 2, 3))
    release = shuffle_groups(members, groups, RNG(4))
    assert reached("groups", release, members, others, reference) > least
    beside = [name for name in SUITE if name not in ("groups", "ensemble")]
    assert max(reached(name, release, members, others, reference) for name in beside) < least - 0.05


def test_where_nothing_leaks_it_is_right_as_often_as_not() -> None:
    """Also where the release scatters, every column by itself, or keeps to frequent answers."""
    aucs = []
    for seed in range(12):
        members, others, strangers = (answers(RNG([seed, side])) for side in range(3))
        scattered = RNG(seed).permuted(strangers, axis=0)
        frequent = strangers[np.argsort(np.abs(strangers - LEVELS / 2).sum(axis=1))[: ROWS // 2]]
        aucs += [reached("groups", release, members, others, members) for release in (strangers, scattered, frequent)]
    error = np.sqrt((2 * ROWS + 1) / (12 * ROWS**2))
    assert np.mean(aucs) == pytest.approx(0.5, abs=3 * error / np.sqrt(12))
    assert np.abs(np.array(aucs) - 0.5).max() < 4 * error


def test_one_column_by_hand() -> None:
    # People a b b c, released a a b, as many as others there are: of two values once and one twice unseen is
    # (2 + 1/2) / (2 + 1) = 5/6; a and c are nobody else's, b one other's. Ratio (released + others + 5/6) /
    # ((others + 5/6) 2).
    score = Groups().score(codes("aab"), codes("abbc"), None, RNG(0))
    wanted = [(17 / 6) / (10 / 6), *[(17 / 6) / (22 / 6)] * 2, 1 / 2]
    assert score == pytest.approx([log((1 + ratio) / 2) for ratio in wanted])


def test_only_what_is_of_many_values_names_anybody() -> None:
    """A column in which everybody is alike says nothing, alone or in a group."""
    members, others = answers(RNG(7), columns=8), answers(RNG(8), columns=8)
    release = shuffle_groups(members, [list(range(8))], RNG(9))
    same = np.zeros((ROWS, 1), dtype=np.int64)
    plain = reached("groups", release, members, others, others)
    also = reached("groups", *(np.hstack([values, same]) for values in (release, members, others, others)))
    assert plain > 0.99
    assert also == pytest.approx(plain, abs=0.01)
