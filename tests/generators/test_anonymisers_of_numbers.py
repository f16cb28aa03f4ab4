"""Anonymisers of numbers, counted by hand and held to their stated laws, and to k rows where k is promised.

What is marked as planted is a fault: the check that passes the real plug-in must fail on it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Column, Floats, Ints, Kind, Schema, Table
from riskkit.generators.anonymisers_of_numbers import Coding, Microaggregation, Noise, Rounding, halving, mdav
from tests.generators.anonymised import CERTAIN, NAN, numbers_of, rng, whole


def test_numbers_beyond_a_quantile_become_it() -> None:
    values = [10.0, 1, 2, 3, 4, 5, 6, 7, 8, NAN, 9]
    coded = numbers_of(Coding(bottom=0.2, top=0.8), values)
    np.testing.assert_array_equal(coded, [8, 2, 2, 3, 4, 5, 6, 7, 8, NAN, 8])
    np.testing.assert_array_equal(numbers_of(Coding(bottom=0.5, top=0.5), values), [5] * 9 + [NAN, 5])
    assert np.isnan(numbers_of(Coding(), [NAN, NAN])).all()


def test_numbers_become_multiples_of_the_base() -> None:
    np.testing.assert_array_equal(
        numbers_of(Rounding(base=10), [0, 4, 6, 15, 25, NAN, 96]), [0, 0, 10, 20, 20, NAN, 100]
    )
    np.testing.assert_array_equal(numbers_of(Rounding(base=30), [0, 14, 16, 94, 100]), [0, 0, 30, 90, 90])
    np.testing.assert_array_equal(numbers_of(Rounding(base=70), [100, 36]), [70, 70])
    np.testing.assert_array_equal(numbers_of(Rounding(base=60), [100, 29]), [100, 0])  # 120 is outside: the edge
    np.testing.assert_array_equal(
        numbers_of(Rounding(base=0.25, unit="domain"), [0, 12, 13, 60, 88]), [0, 0, 25, 50, 100]
    )


def test_multiples_of_a_share_of_the_domain_start_at_its_lower_end() -> None:
    column = Column("x", Kind.NUMERIC, low=18, high=98, mean=50, sd=10)
    table = Table(Schema((column,)), np.empty((4, 0), dtype=np.int32), np.array([[18.0], [21], [23], [97]]))
    assert whole(Rounding(base=0.1, unit="domain"), table).numbers[:, 0].tolist() == [18, 18, 26, 98]


def amounts(scale: float, shape: str, n: int = 20_000) -> Floats:
    """Noise on the middle of a domain so fine and wide that neither rounding nor clipping shows, in its stated unit."""
    column = Column("x", Kind.NUMERIC, low=-1e6, high=1e6, mean=0, sd=10, decimals=9)
    table = Table(Schema((column,)), np.empty((n, 0), dtype=np.int32), np.zeros((n, 1)))
    return whole(Noise(scale=scale, shape=shape), table, 11).numbers[:, 0] / 5.0


@pytest.mark.parametrize(
    ("shape", "law", "other"),
    [
        ("gaussian", stats.norm(), stats.laplace(scale=math.sqrt(0.5))),
        ("laplace", stats.laplace(scale=math.sqrt(0.5)), stats.norm()),
    ],
)
def test_noise_has_the_stated_size_and_shape(shape: str, law: Any, other: Any) -> None:
    assert stats.kstest(amounts(0.5, shape), law.cdf).pvalue > CERTAIN
    assert stats.kstest(amounts(0.5, shape), other.cdf).pvalue < CERTAIN  # planted: the other shape
    for factor in (0.7, 1.3):  # planted: the wrong size
        assert stats.kstest(amounts(0.5 * factor, shape), law.cdf).pvalue < CERTAIN


def test_noise_leaves_missing_values_and_the_domain() -> None:
    noisy = np.array(numbers_of(Noise(scale=10.0), [0.0, NAN, 100.0] * 200))
    assert np.isnan(noisy[1::3]).all()
    assert noisy[0::3].min() == 0
    assert noisy[2::3].max() == 100


def test_groups_of_three_share_their_mean() -> None:
    for grouping in ("mdav", "halving"):
        plugin = Microaggregation(k=3, grouping=grouping)
        assert numbers_of(plugin, [1, 50, 3, 51, 2, 52]) == [2, 51, 2, 51, 2, 51]
        assert numbers_of(plugin, [1, 2, 3, 4, 6]) == [3] * 5  # fewer than 2k rows: one group; 3.2 has no decimals
        np.testing.assert_array_equal(numbers_of(plugin, [1, 2, NAN]), [2, 2, NAN])  # 1.5 rounds to the even 2


def naive_mdav(points: Floats, k: int) -> set[frozenset[int]]:
    """The groups of MDAV as the paper tells it, with lists and loops."""
    left, groups = list(range(len(points))), []

    def farthest(point: Floats) -> int:
        return max(left, key=lambda i: sum((points[i] - point) ** 2))

    def gather(seed: int) -> None:
        near = sorted(left, key=lambda i: sum((points[i] - points[seed]) ** 2))[:k]
        groups.append(frozenset(near))
        left[:] = [i for i in left if i not in near]

    while len(left) >= 3 * k:
        first = farthest(points[left].mean(axis=0))
        second = farthest(points[first])
        gather(first)
        gather(second if second in left else farthest(points[first]))
    if len(left) >= 2 * k:
        gather(farthest(points[left].mean(axis=0)))
    return {*groups, frozenset(left)}


def as_sets(group: Ints) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(group == number).tolist()) for number in np.unique(group)}


@pytest.mark.parametrize("n", [4, 8, 11, 12, 13, 60])
@pytest.mark.parametrize("k", [2, 4])
def test_mdav_makes_the_groups_of_the_paper(n: int, k: int) -> None:
    points = rng(n).standard_normal((n, 3))
    assert as_sets(mdav(points, k)) == naive_mdav(points, k)


def all_hold(group: Ints, k: int) -> Bools:
    """Which groups have at least ``k`` rows."""
    held: Bools = np.bincount(group) >= k
    return held


@pytest.mark.parametrize("grouping", [mdav, halving])
@pytest.mark.parametrize("k", [2, 3, 7, 50])
def test_every_group_holds_k_rows_and_no_group_twice_as_many(grouping: Any, k: int) -> None:
    for points in (
        rng(k).standard_normal((333, 4)),
        rng(k).integers(2, size=(333, 4)).astype(float),
        np.zeros((333, 2)),
    ):
        group = grouping(points, k)
        assert all_hold(group, k).all()
        assert np.bincount(group).max() < 2 * k
        assert not all_hold(grouping(points[: 2 * k - 2], k - 1), k).all()  # planted: one row too few


def test_groups_are_of_similar_rows_and_mdav_groups_closer() -> None:
    points = rng(2).standard_normal((600, 3))

    def within(group: Ints) -> float:
        centres = np.array([points[group == number].mean(axis=0) for number in range(group.max() + 1)])
        return float(((points - centres[group]) ** 2).sum())

    chance = within(rng(3).permutation(mdav(points, 5)))
    assert within(mdav(points, 5)) < within(halving(points, 5)) < 0.3 * chance
