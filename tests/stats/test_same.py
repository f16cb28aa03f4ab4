"""Two releases about the same people: differences by hand, how often their intervals hold, and planted faults."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from riskkit.core import Floats, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import same
from riskkit.stats.arms import Arm
from riskkit.stats.campaign import CampaignAucs, Many
from riskkit.stats.intervals import critical
from riskkit.stats.same import auc_difference, correlation, difference_interval
from riskkit.stats.summary import auc
from tests.statistical.simulate import covered, fewest, mean_width
from tests.stats import make
from tests.stats.wilson import wilson

# --------------------------------------------------------------------------------------------------------------
# Right guesses about the same people


def test_hits_by_hand() -> None:
    """Of 10 people 6 are guessed rightly from both, 3 from the first alone, 1 from the second alone."""
    before, after = [1] * 6 + [1] * 3 + [0], [1] * 6 + [0] * 3 + [1]
    difference = same.hits_difference(before, after)
    assert difference.value == pytest.approx(-0.2)
    assert difference.low < -0.2 < difference.high
    assert difference.n == 10
    turned = same.hits_difference(after, before)
    assert (turned.value, turned.low, turned.high) == pytest.approx((0.2, -difference.high, -difference.low))


def test_the_interval_is_tangos() -> None:
    """Each end is where the score statistic, its likelihood maximised over a grid, reaches the critical value."""
    before = np.array([0] * 9 + [1] * 1 + [1] * 34, dtype=bool)
    after = np.array([1] * 9 + [0] * 1 + [1] * 34, dtype=bool)
    difference = same.hits_difference(before, after)
    for end in (difference.low, difference.high):
        assert abs(score(9, 1, 44, end)) == pytest.approx(critical(0.95), rel=1e-6)


def score(ahead: int, behind: int, n: int, gap: float) -> float:
    """Tango's statistic, by numerical maximum likelihood over the discordant share rather than in closed form."""
    grid = np.linspace(max(0.0, -gap), (1 - gap) / 2, 2_000_001)[1:-1]
    likelihood = ahead * np.log(grid + gap) + behind * np.log(grid) + (n - ahead - behind) * np.log1p(-2 * grid - gap)
    best = grid[np.nanargmax(likelihood)]
    return float((ahead - behind - n * gap) / np.sqrt(n * (2 * best + gap * (1 - gap))))


def test_a_person_of_several_rows_is_one() -> None:
    before, after = np.array([0, 1, 1, 0, 1, 0, 1]), np.array([1, 1, 0, 0, 1, 1, 1])
    once = same.hits_difference(before, after)
    five = same.hits_difference(np.repeat(before, 5), np.repeat(after, 5), np.repeat(np.arange(7), 5))
    assert five.value == pytest.approx(once.value)
    assert five.n == once.n == 7
    assert five.low <= once.low < once.high <= five.high


def test_other_people_and_too_few_are_refused() -> None:
    with pytest.raises(ScoreError):
        same.hits_difference([1, 0, 1], [1, 0])
    with pytest.raises(TooFewTrainings):
        same.hits_difference([1, 0, 1, 1], [1, 0, 0, 1])


def people(times: int, n: int, shares: tuple[float, float, float]) -> tuple[Floats, Floats]:
    """(times, n) right guesses from two releases: with these chances right from both, the first alone, the second."""
    drawn = stream(1, "same", times, n, *(int(1000 * share) for share in shares)).random((times, n))
    both, first, second = np.cumsum(shares)
    before = drawn < first
    after = (drawn < both) | ((drawn >= first) & (drawn < second))
    return before.astype(np.float64), after.astype(np.float64)


@pytest.mark.second
@pytest.mark.parametrize(("n", "shares"), [(40, (0.6, 0.1, 0.05)), (200, (0.7, 0.02, 0.02)), (60, (0.2, 0.4, 0.1))])
def test_the_interval_of_hits_holds_the_true_difference(n: int, shares: tuple[float, float, float]) -> None:
    times = 1_000
    before, after = people(times, n, shares)
    truth = shares[2] - shares[1]
    differences = [same.hits_difference(a, b) for a, b in zip(before, after, strict=True)]
    missed = sum(not difference.low <= truth <= difference.high for difference in differences)
    assert missed <= scipy_stats.binom.ppf(0.999, times, 0.05)


@pytest.mark.second
def test_pairing_shows_what_two_intervals_do_not() -> None:
    before, after = people(200, 200, (0.7, 0.08, 0.02))
    shown = apart = 0
    for a, b in zip(before, after, strict=True):
        difference = same.hits_difference(a, b)
        shown += difference.high < 0
        (low, _), (_, high) = (wilson(side.mean(), len(side), critical(0.95)) for side in (a, b))
        apart += bool(high < low)
    assert shown > 150  # a difference of 0.06 among 200 people, nearly always seen
    assert apart < 20  # and nearly never by two intervals that lie apart


@pytest.mark.second
def test_planted_fault_rows_taken_for_people_would_lie() -> None:
    whose, missed = np.repeat(np.arange(30), 10), [0, 0]
    for a, b in zip(*people(300, 30, (0.5, 0.1, 0.1)), strict=True):
        for index, known in enumerate((None, whose)):
            difference = same.hits_difference(np.repeat(a, 10), np.repeat(b, 10), known)
            missed[index] += not difference.low <= 0 <= difference.high
    assert missed[0] > 60  # ten rows of each taken for ten people
    assert missed[1] <= scipy_stats.binom.ppf(0.999, 300, 0.05)


# --------------------------------------------------------------------------------------------------------------
# AUCs


def test_the_same_trials_are_paired_and_others_are_not() -> None:
    first, second = make.scores(np.arange(20) + 5.0, np.arange(20)), make.scores(np.arange(20) + 2.0, np.arange(20))
    paired = same.aucs_difference(first, second)
    assert paired.value == pytest.approx(auc(second).value - auc(first).value)
    assert "paired" in paired.method
    alone = same.aucs_difference(first, make.scores(np.arange(21) + 2.0, np.arange(20)))
    assert "independent" in alone.method
    assert alone.high - alone.low > paired.high - paired.low


@pytest.mark.second
def test_independent_aucs_hold_the_true_difference() -> None:
    rng, times, misses = stream(3, "same", "independent"), 400, 0
    gaps = (1.0, 0.4)
    truth = np.diff([scipy_stats.norm.cdf(gap / np.sqrt(2)) for gap in gaps])[0]
    for _ in range(times):
        first, second = (
            make.scores(rng.standard_normal(n) + gap, rng.standard_normal(30))
            for n, gap in zip((30, 31), gaps, strict=True)
        )
        difference = same.aucs_difference(first, second)
        misses += not difference.low <= truth <= difference.high
    assert misses <= scipy_stats.binom.ppf(0.999, times, 0.05)


def records(rng: np.random.Generator, gaps: Floats, n: int, icc: float) -> CampaignAucs:
    """A game on many records whose trainings they share: a part of every score belongs to the training."""
    sides = []
    for side in (0.5, -0.5):
        shared = rng.standard_normal((1, n)) * np.sqrt(icc)
        own = rng.standard_normal((len(gaps), n)) * np.sqrt(1 - icc)
        sides.append(shared + own + side * gaps[:, None])
    return CampaignAucs.measure(Many(*sides))


@pytest.mark.second
@pytest.mark.parametrize("times", [120, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("icc", [0.0, 0.9])
def test_the_mean_over_the_same_records_holds_even_where_all_move_as_one(icc: float, times: int) -> None:
    rng, misses = stream(4, "same", "records", int(10 * icc)), 0
    gaps = np.linspace(0.0, 2.0, 25)
    truth = float((scipy_stats.norm.cdf(0.5 * gaps / np.sqrt(2)) - scipy_stats.norm.cdf(gaps / np.sqrt(2))).mean())
    for _ in range(times):
        difference = same.exposure_difference(records(rng, gaps, 30, icc), records(rng, gaps / 2, 30, icc))
        misses += not difference.low <= truth <= difference.high
    assert misses <= scipy_stats.binom.ppf(0.999, times, 0.05)


@pytest.mark.second
def test_planted_fault_records_taken_for_independent_would_lie() -> None:
    """Were the mean's error that of independent records, its interval would miss where trainings are shared."""
    rng, gaps, misses, times = stream(5, "same", "fault"), np.full(25, 1.0), 0, 200
    for _ in range(times):
        sides = [records(rng, gaps, 30, 0.9) for _ in range(2)]
        errors = [np.sqrt(side.variance.sum()) / len(gaps) for side in sides]
        gap = sides[1].auc.mean() - sides[0].auc.mean()
        misses += bool(abs(gap) > critical(0.95) * np.hypot(*errors))
    assert misses > 0.3 * times


# --------------------------------------------------------------------------------------------------------------
# Who moved over the limit


def achieved(aucs: list[float], variance: float = 0.0004) -> CampaignAucs:
    """Records of these AUCs, 100 trainings a side."""
    return CampaignAucs(
        np.array(aucs), np.full(len(aucs), variance), 100, 100, np.array([value != 0.5 for value in aucs])
    )


def test_who_moved_by_hand() -> None:
    """Limit 0.7. Down and shown, down by a hair, stays above, up and shown, up by a hair, no number."""
    before = achieved([0.95, 0.71, 0.9, 0.55, 0.69, 0.5])
    after = achieved([0.55, 0.69, 0.9, 0.95, 0.71, 0.9])
    moves = same.count_moved(before, after, 0.7)
    assert moves == same.Moved(5, 3, 3, under=2, over=2, under_shown=1, over_shown=1)
    assert moves.turn() == same.count_moved(after, before, 0.7)


@pytest.mark.second
@pytest.mark.parametrize("times", [150, pytest.param(400, marks=pytest.mark.slow)])
def test_where_nothing_changed_nearly_nobody_is_said_to_have_moved(times: int) -> None:
    rng, gaps, any_shown = stream(6, "same", "null"), np.full(40, 0.75), 0
    for _ in range(times):
        any_shown += bool(same.changed_records(records(rng, gaps, 40, 0.0), records(rng, gaps, 40, 0.0)).any())
    assert any_shown <= scipy_stats.binom.ppf(0.999, times, 0.05)


@pytest.mark.second
def test_planted_fault_uncorrected_somebody_always_seems_to_have_moved() -> None:
    rng, gaps, any_shown, times = stream(7, "same", "uncorrected"), np.full(40, 0.75), 0, 100
    for _ in range(times):
        p = same.p_changed(records(rng, gaps, 40, 0.0), records(rng, gaps, 40, 0.0))
        any_shown += bool((p < 0.05).any())
    assert any_shown > 50


def test_a_true_move_is_seen() -> None:
    rng = stream(8, "same", "seen")
    gaps = np.concatenate([np.full(10, 3.0), np.full(30, 0.2)])
    moves = same.count_moved(records(rng, gaps, 100, 0.0), records(rng, np.full(40, 0.2), 100, 0.0), 0.8)
    assert (moves.under_shown, moves.over_shown) == (10, 0)


def test_places_of_what_both_have() -> None:
    left, right = same.places([7, 3, 9, 1], [1, 7, 8])
    assert (left.tolist(), right.tolist()) == ([0, 3], [1, 0])


def test_other_records_are_refused() -> None:
    with pytest.raises(ScoreError):
        same.exposure_difference(achieved([0.6]), achieved([0.6, 0.7]))
    with pytest.raises(TooFewTrainings):
        same.exposure_difference(achieved([0.5]), achieved([0.6]))


Side = tuple[Arm, Arm]


def played(times: int, trainings: int, gaps: tuple[float, float], shared: float, generations: int = 1) -> list[Side]:
    """Two attacks' arms: normal scores, a share of their variance the same for both, half of it by training."""
    rng = stream(1, "paired", times, trainings, generations, int(100 * shared), *(int(100 * gap) for gap in gaps))
    sides: list[list[Arm]] = [[], []]
    for side in (1, 0):
        shape = times, trainings, generations
        both = rng.standard_normal(shape) / 2 + rng.standard_normal((*shape[:2], 1)) * np.sqrt(3) / 2
        for attack, gap in enumerate(gaps):
            own = rng.standard_normal(shape)
            value: Floats = np.sqrt(shared) * both + np.sqrt(1 - shared) * own + side * gap
            sides[attack].append(Arm(value.reshape(times, -1), np.full(trainings, generations)))
    return [(arms[0], arms[1]) for arms in sides]


def truth(gap: float, times: int = 200_000) -> float:
    """The AUC of normal scores that lie so far apart."""
    rng = stream(2, "truth", int(100 * gap))
    return float((rng.standard_normal(times) * np.sqrt(2) + gap > 0).mean())


def test_six_releases_by_hand() -> None:
    first, second = make.scores(np.arange(5) + 3.5, np.arange(5)), make.scores(np.arange(5), np.arange(5) + 0.0)
    difference = auc_difference(first, second)
    assert difference.value == pytest.approx(auc(first).value - 0.5)
    assert difference.low < difference.value < difference.high
    assert difference.n == 10
    turned = auc_difference(second, first)
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (-difference.value, -difference.high, -difference.low)
    )


def test_an_attack_does_no_better_than_itself() -> None:
    """The two ends of its own interval are not alike, so that a little width is left."""
    scores = make.scores(np.arange(20) + 5.0, np.arange(20))
    difference, own = auc_difference(scores, scores), auc(scores)
    assert difference.value == 0
    assert difference.high == -difference.low < (own.high - own.low) / 4


def test_two_attacks_that_are_always_right_are_not_known_to_be_equal() -> None:
    perfect = make.scores(np.ones(20) * 5, np.zeros(20))
    difference = auc_difference(perfect, make.scores(np.ones(20) * 9, np.zeros(20)))
    assert difference.value == 0
    assert difference.low < -0.05
    assert difference.high > 0.05


@pytest.mark.parametrize("generations", [1, 4])
@pytest.mark.parametrize("shared", [0.0, 0.8])
@pytest.mark.parametrize("gaps", [(0.0, 0.0), (1.2, 0.6), (2.3, 0.0)])
def test_the_interval_covers_at_its_level(gaps: tuple[float, float], shared: float, generations: int) -> None:
    first, second = played(500, 25, gaps, shared, generations)
    intervals = difference_interval(first, second, 0.95)
    assert covered(intervals, truth(gaps[0]) - truth(gaps[1])) >= fewest(500, 0.94)
    assert mean_width(intervals) < 0.75


def test_pairing_narrows_the_interval_where_releases_are_hard_for_both() -> None:
    """The fault planted: attacks that are compared as if they had seen different releases."""
    first, second = played(300, 25, (1.0, 0.6), 0.8)
    paired = difference_interval(first, second, 0.95)
    shuffled = tuple(Arm(arm.value[:, ::-1], arm.sizes) for arm in second)
    apart = difference_interval(first, shuffled, 0.95)
    assert mean_width(paired) < 0.8 * mean_width(apart)
    assert correlation(first, second).mean() > 0.6 > 0.3 > correlation(first, shuffled).mean()


def test_what_was_not_seen_together_is_not_compared() -> None:
    first, second = make.scores(np.ones(6), np.zeros(6)), make.scores(np.ones(7), np.zeros(5))
    with pytest.raises(ScoreError, match="saw different ones"):
        auc_difference(first, second)
    short = Scores(np.arange(6.0), np.arange(6) < 3, np.arange(6), np.zeros(6, dtype=int))
    with pytest.raises(TooFewTrainings):
        auc_difference(short, short)
