"""Anonymisers that drop rows, counted by hand and held to their stated chances, and to k rows where k is promised.

What is marked as planted is a fault: the check that passes the real plug-in must fail on it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Role, Table
from riskkit.errors import DesignError
from riskkit.generators.anonymisers_of_rows import Deletion, KAnonymity, Sampling, surprise
from tests.generators.anonymised import CERTAIN, NAN, column_of, made, rng, whole
from tests.tables import mixed


def test_sampling_and_random_deletion_keep_every_row_with_the_stated_chance() -> None:
    table, games = column_of([0, 1, 2, 3, 4, 5, 6, 7]), 4_000
    for plugin in (Sampling(share=0.25), Deletion(share=0.75, which="random")):
        fitted, draw = plugin.fit(table, rng()), rng(3)
        kept = [fitted.whole(draw).numbers[:, 0].astype(int) for _ in range(games)]
        assert {len(rows) for rows in kept} == {2}
        times = np.bincount(np.concatenate(kept), minlength=8)
        assert stats.chisquare(times).pvalue > CERTAIN
        favoured = times + np.array([games // 10, *[0] * 6, -games // 10])  # planted: the first row is kept more often
        assert stats.chisquare(favoured).pvalue < CERTAIN


def test_a_small_sample_of_many_asked_rows_repeats_only_its_own() -> None:
    release = Sampling(share=0.25).fit(column_of([0, 1, 2, 3, 4, 5, 6, 7]), rng()).sample(10, rng(1))
    assert sorted(Counter(release.numbers[:, 0]).values()) == [5, 5]


def test_outlying_rows_are_the_rare_and_the_extreme() -> None:
    table = made([[0], [0], [0], [0], [1], [0]], [[50], [51], [49], [50], [50], [99]])
    left = whole(Deletion(share=1 / 3), table)
    assert left.codes[:, 0].tolist() == [0, 0, 0, 0]
    assert left.numbers[:, 0].tolist() == [50, 51, 49, 50]
    # the lone level weighs log 6; 99 has mean 58.1667 and spread 18.272..., so half its squared distance is 2.497
    mean, spread = 349 / 6, np.std([50, 51, 49, 50, 50, 99])
    assert surprise(table)[4] == pytest.approx(math.log(6) + ((50 - mean) / spread) ** 2 / 2)
    assert surprise(table)[5] == pytest.approx(math.log(6 / 5) + ((99 - mean) / spread) ** 2 / 2)


def test_a_missing_number_stands_out_by_its_share() -> None:
    assert surprise(column_of([5, 5, 5, NAN])).tolist() == pytest.approx([0, 0, 0, math.log(4)])


def test_ties_between_outlying_rows_are_drawn() -> None:
    table = column_of([1, 2, 1, 2])  # every row stands out alike
    gone = Counter(tuple(Deletion(share=0.25).fit(table, rng(seed)).table.numbers[:, 0]) for seed in range(40))
    assert len(gone) == 4


def test_rare_combinations_are_dropped() -> None:
    table = made([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1], [2, 0]], [[1], [1], [1], [2], [2], [3], [4]])
    assert whole(KAnonymity(k=2), table).codes.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]
    assert whole(KAnonymity(k=3), table).codes.tolist() == [[1, 1]] * 3
    both = whole(KAnonymity(k=2, numbers=True), table)
    assert both.numbers[:, 0].tolist() == [1, 1, 2, 2]


def test_missing_numbers_are_one_value_of_a_combination() -> None:
    table = made([[0]] * 5, [[NAN], [NAN], [3], [NAN], [4]])
    assert np.isnan(whole(KAnonymity(k=3, numbers=True), table).numbers[:, 0]).tolist() == [True] * 3


def test_only_known_columns_are_counted_unless_all_are_asked_for() -> None:
    table = made([[0, 0], [0, 1], [1, 0]], [])
    secret = replace(table.schema.columns[1], role=Role.SECRET)
    table = Table(table.schema.with_column(secret), table.codes, table.numbers)
    assert whole(KAnonymity(k=2), table).codes.tolist() == [[0, 0], [0, 1]]
    with pytest.raises(DesignError, match="would drop all 3 rows"):
        KAnonymity(k=2, columns="all").fit(table, rng())
    hidden = replace(table.schema.columns[0], role=Role.SECRET)
    with pytest.raises(DesignError, match="no column to count by"):
        KAnonymity(k=2).fit(Table(table.schema.with_column(hidden), table.codes, table.numbers), rng())


def rarest(table: Table) -> int:
    """How many rows share the rarest combination of the categories."""
    return min(Counter(map(tuple, table.codes.tolist())).values())


@pytest.mark.parametrize("k", [2, 5, 12])
def test_what_is_left_is_k_anonymous_and_nothing_more_is_dropped(k: int) -> None:
    table = mixed(400)
    left = whole(KAnonymity(k=k), table)
    assert rarest(left) >= k
    assert len(left) == sum(count for count in Counter(map(tuple, table.codes.tolist())).values() if count >= k)


def test_a_faulty_k_is_seen() -> None:
    table = made([[0]] * 4 + [[1]] * 5, [])
    assert rarest(whole(KAnonymity(k=5), table)) == 5
    assert rarest(whole(KAnonymity(k=4), table)) < 5  # planted: one row too few is enough
