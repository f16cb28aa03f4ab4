"""Attacks on values and on groups of columns: by hand, on releases drawn from members, and where nothing leaks."""

from math import log

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, Ints
from riskkit.questions.released.plan import SUITE
from riskkit.released.values import Groups, Values
from riskkit.table.points import RowPoints, points_of_arrays
from tests.points import auc

ROWS = 400
IS_IN = np.arange(2 * ROWS) < ROWS
RNG = np.random.default_rng


def codes(*columns: str) -> RowPoints:
    """Rows of categories, each column written as its letters from top to bottom."""
    values = np.array([["abcd".index(letter) for letter in column] for column in columns], dtype=np.int32).T
    return RowPoints(np.empty((len(values), 0)), values, (4,) * len(columns))


def score(release: RowPoints, targets: RowPoints, reference: RowPoints) -> Floats:
    return Values().score(release, targets, reference, RNG(0))


def test_one_column_by_hand() -> None:
    # release a a b, reference a b b c: r = 3/4; two values once, one twice: unseen = (2 + 1/2) / (2 + 1) = 5/6.
    # ratio (released + others + 5/6) / ((others + 5/6) (1 + r)): of a (23/6) / (11/6 7/4), b (23/6) / (17/6 7/4), and
    # 4/7 of c and d, which nobody released. A single column is also its own pair, so it counts twice.
    got = score(codes("aab"), codes("abcd"), codes("abbc"))
    assert got == pytest.approx([2 * log((1 + ratio) / 2) for ratio in (92 / 77, 92 / 119, 4 / 7, 4 / 7)])


def test_more_released_rows_than_a_person_explains_do_not_count() -> None:
    # reference a b c d, r = 2: a value is held once, so at most 2 * 2 and sqrt(2 * 3 * 2) released rows are believed
    three, eight = (score(codes("a" * n + "b" * (8 - n)), codes("a"), codes("abcd")) for n in (7, 8))
    assert three == pytest.approx(score(codes("aaaaaaab"), codes("a"), codes("abcd")))
    most, unseen = 4 + np.sqrt(12), 0.5 / 5
    assert eight == pytest.approx([log((1 + (most + 1 + unseen) / ((1 + unseen) * 3)) / 2) * 2])


def test_a_pair_counts_beside_its_values_where_both_were_released() -> None:
    release, reference = codes("aabb", "abab"), codes("aabb", "abab")
    with_pair = codes("aabb", "aabb")  # the same values in each column, no pair ab or ba
    some = codes("a", "b")
    assert score(with_pair, some, reference) < score(release, some, reference)
    # c was never released: then its pairs say nothing beyond it
    alone, other = codes("c", "a"), codes("c", "b")
    assert score(with_pair, alone, reference) == pytest.approx(score(with_pair, other, reference))


def test_numbers_are_equal_by_value_and_not_by_nearness() -> None:
    rng = RNG(1)
    targets, reference = (points_of_arrays([rng.normal(size=(50, 1))])[0] for _ in range(2))
    same = RowPoints(targets.numbers + 1e-14, targets.codes, ())  # what a sum lost on the way
    near = RowPoints(targets.numbers + 1e-6, targets.codes, ())
    assert (score(same, targets, reference) > score(near, targets, reference) + 0.5).all()


def of_people(numbers: Floats, columns: int = 6) -> RowPoints:
    """Rows of so many numbers with two decimals, so that about a third of the values of one stand elsewhere too."""
    return points_of_arrays([np.round(100 * numbers[:, :columns])])[0]


def deal(seed: int, *, is_leak: bool) -> float:
    """The AUC where each column of the release is drawn anew from the values of members, or from those of strangers."""
    rng = RNG(seed)
    members, others, strangers, *compared = (rng.normal(size=(ROWS, 6)) for _ in range(5))
    source = members if is_leak else strangers
    release = np.column_stack([rng.choice(column, ROWS) for column in source.T])
    targets, reference = of_people(np.vstack([members, others])), of_people(np.vstack(compared))
    return auc(score(of_people(release), targets, reference), IS_IN)


def test_values_of_members_are_found_though_no_row_is_copied() -> None:
    assert min(deal(seed, is_leak=True) for seed in range(4)) > 0.8


def test_values_of_strangers_tell_nothing() -> None:
    error = np.sqrt((2 * ROWS + 1) / (12 * ROWS**2)) / 2
    assert abs(np.mean([deal(seed, is_leak=False) for seed in range(4)]) - 0.5) < 2.6 * error


def test_columns_of_few_values_tell_of_members_by_their_pairs() -> None:
    """Each pair of eight questions is drawn from members together: single answers hardly tell, pairs do."""
    reached = []
    for seed in range(4):
        rng = RNG(seed)
        members, others, compared = (rng.integers(0, 12, (ROWS, 8)) for _ in range(3))
        release = np.column_stack([members[rng.integers(0, ROWS, ROWS), pair : pair + 2] for pair in range(0, 8, 2)])
        parts = [RowPoints(np.empty((len(p), 0)), p.astype(np.int32), (12,) * 8) for p in (release, members, others)]
        reference = RowPoints(np.empty((ROWS, 0)), compared.astype(np.int32), (12,) * 8)
        reached.append(auc(score(parts[0], parts[1].plus(parts[2]), reference), IS_IN))
    assert np.mean(reached) > 0.6  # single answers alone reach .58


def test_wide_tables_draw_pairs_that_weigh_as_much_as_all() -> None:
    """Of 40 columns that are all the same, 780 pairs are alike: 200 drawn ones come to what all do."""
    rng = RNG(2)
    parts = [rng.integers(0, 9, (60, 1)).astype(np.int32) for _ in range(3)]
    few, many = (
        score(*(RowPoints(np.empty((60, 0)), np.repeat(part, n, axis=1), (9,) * n) for part in parts)) for n in (2, 40)
    )
    assert many == pytest.approx(20 * few)


MANY, LEVELS = 1_000, 6
OF_MANY = np.arange(2 * MANY) < MANY


def answers(rng: np.random.Generator, rows: int = MANY, columns: int = 12) -> Ints:
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
    return auc(score, OF_MANY)


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
        frequent = strangers[np.argsort(np.abs(strangers - LEVELS / 2).sum(axis=1))[: MANY // 2]]
        aucs += [reached("groups", release, members, others, members) for release in (strangers, scattered, frequent)]
    error = np.sqrt((2 * MANY + 1) / (12 * MANY**2))
    assert np.mean(aucs) == pytest.approx(0.5, abs=3 * error / np.sqrt(12))
    assert np.abs(np.array(aucs) - 0.5).max() < 4 * error


def test_one_group_by_hand() -> None:
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
    same = np.zeros((MANY, 1), dtype=np.int64)
    plain = reached("groups", release, members, others, others)
    also = reached("groups", *(np.hstack([values, same]) for values in (release, members, others, others)))
    assert plain > 0.99
    assert also == pytest.approx(plain, abs=0.01)
