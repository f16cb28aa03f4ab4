"""Anonymisers of cells and of numbers, counted by hand and held to their stated laws, and to k rows where k is so."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import MISSING, Bools, Column, Floats, Ints, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.anonymisers_of_cells import Pram, Suppression, Swapping
from riskkit.generators.anonymisers_of_numbers import Coding, Microaggregation, Noise, Rounding, halving, mdav
from riskkit.generators.engines.anonymise import random_pairs
from tests.generators.anonymised import CERTAIN, NAN, column_of, made, numbers_of, rng, whole
from tests.tables import mixed

# Blanking and randomising


def test_a_blank_is_missing_or_the_commonest_or_the_median() -> None:
    table = mixed(100)
    blank = whole(Suppression(p=1.0), table)
    assert set(blank.codes[:, 0]) == {4}  # ward knows a missing level, the last
    assert set(blank.codes[:, 1]) == {int(np.bincount(table.codes[:, 1]).argmax())}
    assert set(blank.numbers[:, 0]) == {float(np.round(np.median(table.numbers[:, 0])))}
    assert np.isnan(blank.numbers[:, 1]).all()


def test_levels_below_k_are_blanked() -> None:
    table = made([[0], [1], [1], [2], [2], [2]], [])
    assert whole(Suppression(p=0.0, k=2), table).codes[:, 0].tolist() == [2, 1, 1, 2, 2, 2]
    assert whole(Suppression(p=0.0, k=3), table).codes[:, 0].tolist() == [2] * 6
    missing = made([[0], [1], [1], [2], [2], [2]], [], levels=("a", "b", "c", MISSING))
    assert whole(Suppression(p=0.0, k=2), missing).codes[:, 0].tolist() == [3, 1, 1, 2, 2, 2]


def blanked(p: float, n: int = 20_000) -> int:
    """How many of ``n`` cells are missing."""
    table = made([[0]] * n, [[1.0]] * n, levels=("a", MISSING))
    return int(whole(Suppression(p=p), table, 5).codes.sum())


def test_cells_are_blanked_with_the_stated_chance() -> None:
    assert stats.binomtest(blanked(0.2), 20_000, 0.2).pvalue > CERTAIN
    assert stats.binomtest(blanked(0.22), 20_000, 0.2).pvalue < CERTAIN  # planted: a tenth too often


def pram_fit(p: float, stated: float, law: str = "uniform") -> float:
    """The p-value of all transitions of two columns, randomised at ``p``, against the law stated for ``stated``."""
    n, levels = 30_000, 3
    codes = rng(8).choice(levels, size=(n, 2), p=[0.6, 0.3, 0.1])
    table = made(codes.tolist(), [])
    released = whole(Pram(p=p, law=law), table, 3).codes
    worst = 1.0
    for column in range(2):
        share = np.bincount(codes[:, column], minlength=levels) / n
        for level in range(levels):
            seen = np.bincount(released[codes[:, column] == level, column], minlength=levels)
            chance = stated * np.eye(levels)[level] + (1 - stated) * (share if law == "empirical" else 1 / levels)
            worst = min(worst, stats.chisquare(seen, chance * seen.sum()).pvalue)
    return float(worst)


@pytest.mark.parametrize("law", ["uniform", "empirical"])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.8])
def test_a_cell_is_kept_with_exactly_the_stated_chance(p: float, law: str) -> None:
    assert pram_fit(p, p, law) > CERTAIN
    assert pram_fit(p + 0.1, p, law) < CERTAIN  # planted: kept a tenth too often


@pytest.mark.parametrize("plugin", [Pram(p=0.5), Suppression(p=0.5)])
def test_the_cells_of_a_row_are_changed_independently(plugin: Any) -> None:
    levels = (*(f"level {i}" for i in range(49)), MISSING)
    released = whole(plugin, made([[7, 7]] * 4_000, [], levels=levels)).codes == 7
    both = np.histogram2d(released[:, 0], released[:, 1], bins=2)[0]
    assert stats.chi2_contingency(both).pvalue > CERTAIN
    together = np.histogram2d(released[:, 0], released[:, 0], bins=2)[0]  # planted: one draw for the whole row
    assert stats.chi2_contingency(together).pvalue < CERTAIN


def test_pram_knows_the_two_laws_apart() -> None:
    with_uniform = whole(Pram(p=0.0), made([[0]] * 3_000, []))
    with_empirical = whole(Pram(p=0.0, law="empirical"), made([[0]] * 3_000, []))
    assert set(with_uniform.codes[:, 0]) == {0, 1, 2}  # levels of the frozen domain that no row holds
    assert set(with_empirical.codes[:, 0]) == {0}


def test_pram_leaves_numbers_alone_unless_bins_are_asked_for() -> None:
    table = made([[0]] * 4_000, [[7.0], [NAN]] * 2_000)
    np.testing.assert_array_equal(whole(Pram(p=0.0), table).numbers, table.numbers)
    drawn = whole(Pram(p=0.4, bins=4), table).numbers[:, 0]
    sevens = drawn[::2]
    # kept with .4, else missing with 1/5 and otherwise in one of four parts of [0, 100]
    assert stats.binomtest(int(np.isnan(sevens).sum()), 2_000, 0.6 / 5).pvalue > CERTAIN
    parts = np.bincount(np.minimum(sevens[~np.isnan(sevens) & (sevens != 7)] // 25.25, 3).astype(int), minlength=4)
    assert parts.min() > 0.6 / 5 * 2_000 - 5 * math.sqrt(240)
    assert (sevens == 7).mean() == pytest.approx(0.4 + 0.6 / 5 / 25.25, abs=5 * math.sqrt(0.24 / 2_000))
    assert np.isnan(drawn[1::2]).mean() == pytest.approx(0.4 + 0.6 / 5, abs=5 * math.sqrt(0.25 / 2_000))


def test_pram_with_nothing_to_randomise_is_refused() -> None:
    with pytest.raises(DesignError, match="ask for bins"):
        Pram().fit(column_of([1, 2, 3]), rng())
    assert len(Pram(bins=2).fit(column_of([1, 2, 3]), rng()).sample(3, rng())) == 3


# Swapping


def test_pairs_are_disjoint_and_inside_their_group() -> None:
    rows, group = np.array([10, 11, 12, 13, 14, 15]), np.array([0, 0, 0, 1, 1, 2])
    met: Counter[frozenset[int]] = Counter()
    for seed in range(600):
        left, right = random_pairs(rows, group, rng(seed))
        assert len({*left, *right}) == 2 * len(left) == 4
        met.update(frozenset(pair) for pair in zip(left.tolist(), right.tolist(), strict=True))
    assert met[frozenset({13, 14})] == 600
    assert stats.chisquare([met[frozenset(pair)] for pair in ((10, 11), (10, 12), (11, 12))]).pvalue > CERTAIN


def test_two_rows_exchange_their_values() -> None:
    table = made([[0], [1]], [[NAN], [7]])
    swapped = whole(Swapping(percent=0.0, p=1.0), table)
    assert swapped.codes[:, 0].tolist() == [1, 0]
    np.testing.assert_array_equal(swapped.numbers, table.numbers)  # the missing one stays, the other is alone
    seen = {tuple(numbers_of_seed(seed)) for seed in range(30)}
    assert seen == {(1.0, 2.0), (2.0, 1.0)}  # a run of two, or cut between them


def numbers_of_seed(seed: int) -> list[float]:
    out: list[float] = whole(Swapping(percent=100.0), column_of([1, 2]), seed).numbers[:, 0].tolist()
    return out


def test_swapping_keeps_every_column_and_breaks_the_rows() -> None:
    table = mixed(500)
    swapped = whole(Swapping(percent=20.0, p=0.5), table)
    for before, after in [
        *zip(table.codes.T, swapped.codes.T, strict=True),
        *zip(table.numbers.T, swapped.numbers.T, strict=True),
    ]:
        np.testing.assert_array_equal(np.sort(before), np.sort(after))
        assert (before != after).mean() > 0.1
    np.testing.assert_array_equal(np.isnan(table.numbers), np.isnan(swapped.numbers))


def longest_move(percent: float) -> int:
    """The largest change of rank over releases of 200 different numbers."""
    values = rng(1).permutation(np.arange(200) / 2).tolist()
    table = Table(
        Schema((Column("x", Kind.NUMERIC, low=0, high=100, decimals=1),)),
        np.empty((200, 0), dtype=np.int32),
        np.array(values)[:, None],
    )
    moves = [np.abs(whole(Swapping(percent=percent), table, seed).numbers - table.numbers).max() for seed in range(40)]
    return round(2 * float(max(moves)))


def test_no_rank_moves_farther_than_stated() -> None:
    assert longest_move(5.0) == 10  # reached, never passed
    assert longest_move(7.5) > 10  # planted: half as far again
    assert longest_move(0.4) == 0  # less than one rank


def test_categories_take_part_with_the_stated_chance() -> None:
    """Of two equally common levels a cell that takes part is changed half of the time."""
    n = 20_000
    table = made([[0], [1]] * (n // 2), [])

    def changed(p: float) -> float:
        return float((whole(Swapping(p=p), table, 2).codes != table.codes).mean())

    assert abs(changed(0.3) - 0.15) < 5 * math.sqrt(0.15 / n)
    assert abs(changed(0.4) - 0.15) > 5 * math.sqrt(0.15 / n)  # planted: a tenth more
    assert abs(changed(1.0) - 0.5) < 5 * math.sqrt(0.5 / n)


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
