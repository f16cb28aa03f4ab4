"""CAP, DCAP and TCAP: counted by hand, held as often as said, and with the faults they are there to catch."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.errors import ScoreError
from riskkit.stats import matches
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.matches import Matches

TRUTH = np.array([0, 0, 1, 1, 0, 1])
SAID = np.array([0, 0, 1, 0, 1, 0])
"""The last record has no match and is told the more frequent level."""
HANDS = Matches(
    CategoryGuesses(TRUTH, SAID),
    cap=np.array([1.0, 0.75, 1.0, 0.0, 0.25, 0.4]),
    prior=np.array([0.6, 0.6, 0.4, 0.4, 0.6, 0.4]),
    matched=np.array([True, True, True, True, True, False]),
    agreed=np.array([True, False, True, True, False, False]),
)


def times(matches: Matches, copies: int) -> Matches:
    """The same records over again, as different people."""
    parts = (matches.cap, matches.prior, matches.matched, matches.agreed)
    guesses = CategoryGuesses(np.tile(TRUTH, copies), np.tile(SAID, copies))
    return Matches(guesses, *(np.tile(part, copies) for part in parts))


def test_six_records_by_hand() -> None:
    assert matches.matched_share(HANDS).value == pytest.approx(5 / 6)
    assert matches.agreed_share(HANDS).value == pytest.approx(3 / 6)
    assert matches.cap(HANDS).value == pytest.approx(3.4 / 6)
    assert matches.dcap(HANDS).value == pytest.approx((3.4 - 3.0) / 6)
    assert matches.tcap(times(HANDS, 2)).value == pytest.approx(2 / 3)
    for statistic in (matches.matched_share, matches.agreed_share, matches.cap, matches.dcap):
        estimate = statistic(HANDS)
        assert estimate.low < estimate.value < estimate.high
        assert (estimate.n, estimate.level) == (6, 0.95)


def test_members_beside_people_who_were_not_in() -> None:
    control = replace(HANDS, cap=HANDS.prior)
    assert matches.dcap_apart(HANDS, control).value == pytest.approx(0.4 / 6)
    assert matches.dcap_apart(control, HANDS).value == pytest.approx(-0.4 / 6)
    right = replace(times(HANDS, 3), guesses=CategoryGuesses(np.tile(TRUTH, 3), np.tile(TRUTH, 3)))
    difference = matches.tcap_apart(right, times(HANDS, 3))
    assert difference.value == pytest.approx(1 / 3)
    assert difference.n == 18


def test_copies_of_a_record_are_one_record() -> None:
    twice = np.repeat(np.arange(6), 2)
    rows = HANDS.rows(twice)
    assert matches.cap(rows).n == 6
    assert matches.dcap(rows).value == pytest.approx(matches.dcap(HANDS).value)
    wide = matches.dcap(rows)
    blind = replace(rows, guesses=CategoryGuesses(TRUTH[twice], SAID[twice]))
    assert matches.dcap(blind).high - matches.dcap(blind).low < wide.high - wide.low


def test_without_a_match_the_interval_is_no_point() -> None:
    nobody = np.zeros(400, dtype=bool)
    level = np.full(400, 0.5)
    estimate = matches.dcap(Matches(CategoryGuesses(nobody, nobody), level, level, nobody, nobody))
    assert estimate.value == 0
    assert estimate.low < -0.004
    assert estimate.high > 0.004


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ScoreError, match="cannot have rows that agree"):
        replace(HANDS, matched=np.zeros(6, dtype=bool))
    with pytest.raises(ScoreError, match="lists differ"):
        replace(HANDS, cap=HANDS.cap[:5])
    with pytest.raises(ScoreError, match="no TCAP"):
        matches.tcap(replace(HANDS, agreed=np.zeros(6, dtype=bool)))
    with pytest.raises(ScoreError, match="different records"):
        matches.cap(HANDS.rows([0, 1, 2, 3]))


def drawn(rng: np.random.Generator, n: int, hit: float) -> Matches:
    """Records of which few match, most of those for sure; the truth of DCAP is ``hit`` times one half."""
    truth = (rng.random(n) < 0.3).astype(np.int64)
    prior = np.where(truth == 1, 0.3, 0.7)
    matched = rng.random(n) < hit
    sure = matched & (rng.random(n) < 0.5)
    kind = np.where(sure, 1.0, prior)
    return Matches(CategoryGuesses(truth, truth), kind, prior, matched, sure)


HIT = 0.42 / 2
"""What a sure match adds on average: 1 less the prior of the truth, by half of the matches."""


@pytest.mark.parametrize(("n", "hit"), [(100, 0.5), (400, 0.2), (400, 0.9), (2000, 0.05)])
def test_dcap_is_held_as_often_as_said(n: int, hit: float) -> None:
    rng = np.random.default_rng(n)
    held = [(estimate := matches.dcap(drawn(rng, n, hit))).low <= hit * HIT <= estimate.high for _ in range(600)]
    assert 0.925 <= np.mean(held) <= 0.985


def test_the_difference_of_sides_is_held_as_often_as_said() -> None:
    rng = np.random.default_rng(5)
    held, wrong = [], []
    for _ in range(600):
        members, control = drawn(rng, 400, 0.5), drawn(rng, 150, 0.2)
        difference = matches.dcap_apart(members, control)
        held.append(difference.low <= 0.3 * HIT <= difference.high)
        alone = matches.dcap(members)  # the fault: the control is taken for known
        gap = difference.value - alone.value
        wrong.append(alone.low + gap <= 0.3 * HIT <= alone.high + gap)
    assert 0.93 <= np.mean(held) <= 0.98
    assert np.mean(wrong) < 0.9
