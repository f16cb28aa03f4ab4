"""Labels dealt anew: every deal of the labels to records and nothing else, and p-values that count them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from riskkit.core import Bools, Floats
from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats import _deal_kernels, permuted

VALUES = np.array([3.0, 1.0, 1.0, 0.0, 2.0, 1.0])
RECORD = np.arange(6)
IS_IN = np.array([True, True, True, False, False, False])


def area(value: Floats, is_in: Bools) -> float:
    """Pairs of a row that was in and one that was not in which the first scores higher, ties one half."""
    wins = [(inside > outside) + (inside == outside) / 2 for inside in value[is_in] for outside in value[~is_in]]
    return float(np.mean(wins))


def all_deals(value: Floats, record: np.ndarray, inside: int) -> list[float]:
    """The AUC by every choice of so many records."""
    return [area(value, np.isin(record, chosen)) for chosen in combinations(np.unique(record), inside)]


def test_deals_are_all_choices_of_as_many_records_alike() -> None:
    true, dealt = permuted.aucs(VALUES[:, None], IS_IN, RECORD, 20_000, stream(1, "test"))
    assert true[0] == pytest.approx(area(VALUES, IS_IN))
    every = np.round(all_deals(VALUES, RECORD, 3), 9)
    values, counts = np.unique(np.round(dealt[:, 0], 9), return_counts=True)
    expected = np.array([(every == value).sum() for value in values])
    assert expected.sum() == len(every) == 20
    off = (counts - 1000 * expected) / np.sqrt(20_000 * expected / 20 * (1 - expected / 20))
    assert np.abs(off).max() < 4


@pytest.mark.parametrize("inside", [1, 2, 4, 5])
def test_every_choice_of_records_is_dealt_as_often(inside: int) -> None:
    """By sums that tell every choice apart; the smaller side is drawn, whichever it is."""
    is_in = np.arange(6) < inside
    records = permuted.Records.of(is_in, np.arange(6))
    sums = records.sums(2 ** np.arange(6)[:, None], 30_000, stream(inside, "test"))[:, 0]
    choices = {sum(2**each for each in chosen) for chosen in combinations(range(6), inside)}
    values, counts = np.unique(sums, return_counts=True)
    assert set(values.tolist()) == choices
    share = 1 / len(choices)
    assert np.abs((counts - 30_000 * share) / np.sqrt(30_000 * share * (1 - share))).max() < 4


def test_deals_are_those_of_a_shuffle_in_plain_python() -> None:
    """From the generator's own words, lower half first; deals go on from where the last one left the records."""
    is_in, times = np.arange(11) % 4 == 0, 40
    values = np.random.default_rng(3).integers(0, 10**12, (11, 2))
    sums = permuted.Records.of(is_in, np.arange(11)).sums(values, times, np.random.default_rng(7))
    words = np.random.default_rng(7).bit_generator.random_raw(1_000).tolist()
    halves = iter([half for word in words for half in (word % 2**32, word >> 32)])
    order, theirs = list(range(11)), []
    for _ in range(times):
        for index in range(int(is_in.sum())):
            left = 11 - index
            draw = next(halves)
            while draw * left % 2**32 < 2**32 % left:
                draw = next(halves)
            place = index + draw * left // 2**32
            order[index], order[place] = order[place], order[index]
        theirs.append(values[order[: int(is_in.sum())]].sum(axis=0))
    np.testing.assert_array_equal(sums, theirs)


@pytest.mark.parametrize("most", [2**31 - 1, 2**31])
def test_sums_are_exact_beyond_the_size_of_a_value(most: int) -> None:
    """Values are held in 32 bits where each fits; their sums are not."""
    is_in = np.arange(9) < 4
    sums = permuted.Records.of(is_in, np.arange(9)).sums(np.full((9, 1), most), 20, stream(1, "test"))
    np.testing.assert_array_equal(sums, np.full((20, 1), 4 * most))


def test_rows_of_one_record_keep_one_label() -> None:
    record = np.array([0, 0, 0, 1, 2, 3])
    is_in = np.isin(record, [0, 1])
    true, dealt = permuted.aucs(VALUES[:, None], is_in, record, 500, stream(2, "test"))
    assert true[0] == pytest.approx(area(VALUES, is_in))
    whole = set(np.round(all_deals(VALUES, record, 2), 9).tolist())
    assert set(np.round(dealt[:, 0], 9).tolist()) == whole
    alone = set(np.round(permuted.aucs(VALUES[:, None], is_in, RECORD, 500, stream(2, "test"))[1][:, 0], 9).tolist())
    assert alone != whole, "the twin that deals to rows is told from it"


def test_all_attacks_see_the_same_deals() -> None:
    both = np.column_stack([VALUES, 2 * VALUES + 1, -VALUES])
    true, dealt = permuted.aucs(both, IS_IN, RECORD, 50, stream(3, "test"))
    assert np.array_equal(dealt[:, 0], dealt[:, 1])
    np.testing.assert_allclose(dealt[:, 0] + dealt[:, 2], 1.0)
    assert true[0] == true[1]


def test_blocks_change_no_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = permuted.aucs(VALUES[:, None], IS_IN, RECORD, 33, stream(4, "test"))[1]
    monkeypatch.setattr(permuted, "WORDS", 1)
    assert np.array_equal(whole, permuted.aucs(VALUES[:, None], IS_IN, RECORD, 33, stream(4, "test"))[1])


def test_one_truth_is_refused() -> None:
    with pytest.raises(ScoreError, match="same truth"):
        permuted.aucs(VALUES[:, None], np.ones(6, dtype=bool), RECORD, 9, stream(5, "test"))


def test_a_learner_that_has_seen_the_label_it_is_asked_about_shows_nothing() -> None:
    """It scores 1 on the true labels and on any others; a p-value from ranks alone would be tiny."""
    p, deals = permuted.p_of_relearnt(lambda labels: labels.astype(float), IS_IN, RECORD, 999, stream(6, "test"))
    assert (p, deals) == (1.0, permuted.ENOUGH)


def test_the_p_value_of_a_learner_that_ignores_labels_counts_the_choices_as_high() -> None:
    """20 choices of three records; three in all rank the true ones as high."""
    value = np.array([5.0, 4.0, 1.0, 3.0, 2.0, 0.0])
    at_least = sum(dealt >= area(value, IS_IN) - 1e-12 for dealt in all_deals(value, RECORD, 3))
    p, deals = permuted.p_of_relearnt(
        lambda labels: np.tile(value, (len(labels), 1)), IS_IN, RECORD, 9_999, stream(7, "test")
    )
    assert p == pytest.approx(at_least / 20, abs=4 * np.sqrt(at_least / 20 / deals))


def test_the_p_value_is_never_below_one_over_the_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    record, is_in = np.arange(60), np.arange(60) < 30
    score = lambda labels: np.tile(is_in.astype(float), (len(labels), 1))  # noqa: E731
    assert permuted.p_of_relearnt(score, is_in, record, 99, stream(8, "test")) == (0.01, 99)


def test_stopping_early_does_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    record, is_in = np.arange(60), np.arange(60) < 30
    value = stream(1, "test", "value").standard_normal(60)
    results = []
    for cells in (60, 600, 60_000):
        monkeypatch.setattr(permuted, "CELLS", cells)
        results.append(
            permuted.p_of_relearnt(
                lambda labels: np.tile(value, (len(labels), 1)), is_in, record, 4_999, stream(9, "test")
            )
        )
    assert results[0] == results[1] == results[2]
    p, deals = results[0]
    assert p == permuted.ENOUGH / deals
    assert deals < 4_999


@pytest.mark.parametrize("lines", [1, 20, 10**6])
def test_areas_of_lines_are_counted_pair_by_pair(monkeypatch: pytest.MonkeyPatch, lines: int) -> None:
    """Records of several rows; of equal scores the record that comes first counts as the lower one."""
    monkeypatch.setattr(permuted, "LINES", lines)
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 4, 13)
    labels = np.array([rng.permutation(np.arange(13) < 5) for _ in range(9)])
    scores = rng.integers(0, 4, (9, 13)) + np.where(rng.random((9, 1)) < 0.5, 0.0, rng.random((9, 13)))
    scores[3] = 0.0
    theirs = []
    for score, is_in in zip(scores.tolist(), labels, strict=True):
        places = [(value, place) for place, value in enumerate(score)]
        pairs = [(inside, outside) for inside in np.flatnonzero(is_in) for outside in np.flatnonzero(~is_in)]
        wins = sum(int(rows[inside] * rows[outside]) for inside, outside in pairs if places[inside] > places[outside])
        theirs.append(wins / int(rows[is_in].sum() * rows[~is_in].sum()))
    np.testing.assert_array_equal(permuted._areas(scores, labels, rows), theirs)


def test_a_tie_is_seen_wherever_it_stands() -> None:
    """The two lowest scores, the two highest, and every two neighbours between."""
    n = 400
    line = stream(1, "test").permutation(n).astype(float)
    scores = np.array([np.where(line == place + 1, place, line) for place in range(n - 1)])
    assert np.array_equal(_deal_kernels.lines_with_ties(scores, np.argsort(scores, axis=1)), np.ones(n - 1, dtype=bool))
    assert not _deal_kernels.lines_with_ties(line[None], np.argsort(line[None], axis=1)).any()
