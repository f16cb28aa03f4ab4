"""On which columns rows agree with a record: every way of asking against the one that asks set by set."""

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.table import agreements
from riskkit.table.agreements import Agreement, CountSums, answers, worth_of_words
from riskkit.table.subset_counts import SubsetCounts
from tests.tables import mixed


def asked(records: Table, seed: int = 0) -> Agreement:
    return Agreement.group(records, np.random.default_rng(seed))


def test_counts_of_all_sets_are_those_of_asking_set_by_set() -> None:
    """Missing numbers, missing categories, both directions of a number: each record against each release."""
    table = mixed(60)
    releases = [mixed(80, seed=seed) for seed in (1, 2, 3)]
    agreement = asked(table)
    places = np.stack([agreement.places(release) for release in releases])
    plain = SubsetCounts.draw(table, numbers="outward", rng=np.random.default_rng(0))
    for record in range(len(table)):
        sums = CountSums.count(agreement.words(record, places), agreement.groups)
        counts = np.stack([plain.only(record).counts(release)[0] for release in releases])
        known = ~np.isnan(table.numbers[record]).any()
        if known:  # a missing number agrees with a missing one alone in both
            np.testing.assert_array_equal(sums.total[0][1:], counts.sum(axis=0))
            np.testing.assert_array_equal(sums.squares[0][1:], (counts**2).sum(axis=0))
        assert sums.total[0][0] == 3 * 80


def test_one_release_asked_alone_gives_the_words_of_many_asked_together() -> None:
    table, release = mixed(60), mixed(80, seed=5)
    agreement = asked(table)
    places = agreement.places(release)[None]
    for record in range(len(table)):
        (alone,), (together,) = agreement.words_of_rows(record, release), agreement.words(record, places)
        np.testing.assert_array_equal(alone, together[0])


def test_a_missing_number_agrees_with_a_missing_one_alone() -> None:
    table = mixed(200)
    gone = int(np.flatnonzero(np.isnan(table.numbers[:, 1]))[0])
    (words,) = asked(table).words_of_rows(gone, table)
    bit = [column.name for column in table.schema.modelled].index("score")
    np.testing.assert_array_equal((words >> bit) & 1, np.isnan(table.numbers[:, 1]))


def test_what_words_are_worth_adds_up_to_the_weighed_counts() -> None:
    """By hand: of columns 0 and 1 the sets {0}, {1}, {0,1} weigh 1, 10, 100."""
    worth = worth_of_words(np.array([0.0, 1.0, 10.0, 100.0]))
    np.testing.assert_array_equal(worth, [0, 1, 10, 111])
    words = np.array([[0, 1, 3, 3], [2, 2, 2, 0]], dtype=np.int16)
    np.testing.assert_array_equal(answers((words,), (worth,)), [223, 30])


def test_a_wide_table_is_asked_in_groups_that_hold_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreements, "WIDEST", 3)
    monkeypatch.setattr(agreements, "NARROW", 2)
    table = mixed(40)
    agreement = asked(table)
    assert set().union(*agreement.groups) == {0, 1, 2, 3}
    assert all(len(group) <= 2 for group in agreement.groups)
    places = agreement.places(table)[None]
    whole = Agreement(table, (tuple(range(4)),))
    for group, words in zip(agreement.groups, agreement.words(7, places), strict=True):
        for bit, column in enumerate(group):
            np.testing.assert_array_equal((words >> bit) & 1, (whole.words(7, places)[0] >> column) & 1)
