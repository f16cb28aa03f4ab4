"""The share named at a share of false alarms, where scores tie and where they do not.

The truth is the ROC curve of tests that may draw lots among equal scores, written down here for each law of scores.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.seeds import stream
from riskkit.stats import summary
from riskkit.stats.arms import Arm
from riskkit.stats.intervals import Interval
from riskkit.stats.privacy import posteriors
from riskkit.stats.roc import tpr_interval
from tests.statistical.simulate import Binormal, as_scores, covered, fewest, mean_width, missed, most


@dataclass(frozen=True)
class Tied:
    """Scores of few values, the highest first: how likely each is with the record and without it.

    A share ``together`` of trainings gives one and the same score in all its ``generations``.
    """

    inside: tuple[float, ...]
    outside: tuple[float, ...]
    trainings: int
    generations: int = 1
    together: float = 0.0

    def tpr(self, fpr: float) -> float:
        """The truth: straight lines between the points of the curve."""
        return float(np.interp(fpr, np.cumsum([0.0, *self.outside]), np.cumsum([0.0, *self.inside])))

    def play(self, times: int) -> tuple[Arm, Arm]:
        """That many audits."""
        rng = stream(1, "tied", repr(self))
        return self._arm(rng, times, self.inside), self._arm(rng, times, self.outside)

    def _arm(self, rng: np.random.Generator, times: int, chance: tuple[float, ...]) -> Arm:
        shape = times, self.trainings, self.generations
        values = -np.arange(len(chance), dtype=np.float64)
        drawn = rng.choice(values, shape, p=chance)
        alike = rng.random(shape[:2]) < self.together
        drawn[alike] = drawn[alike][:, :1]
        return Arm(drawn.reshape(times, -1), np.full(self.trainings, self.generations))


@dataclass(frozen=True)
class AtZero:
    """Distances: a share of either side at distance 0, all others at no two the same, alike for both sides."""

    inside: float
    outside: float
    trainings: int

    def tpr(self, fpr: float) -> float:
        """The truth: one line up to the corner, one behind it."""
        return float(np.interp(fpr, [0, self.outside, 1], [0, self.inside, 1]))

    def play(self, times: int) -> tuple[Arm, Arm]:
        """That many audits."""
        rng, sizes = stream(1, "at zero", repr(self)), np.ones(self.trainings, dtype=np.int64)
        shape = times, self.trainings
        arms = [
            Arm(-np.where(rng.random(shape) < p, 0.0, 1 + rng.random(shape)), sizes)
            for p in (self.inside, self.outside)
        ]
        return arms[0], arms[1]


RESPONSE = ((0.731, 0.269), (0.269, 0.731))
SURE_RESPONSE = ((0.953, 0.047), (0.047, 0.953))
THREE = ((0.3, 0.3, 0.4), (0.05, 0.15, 0.8))
FIVE = ((0.3, 0.25, 0.2, 0.15, 0.1), (0.02, 0.08, 0.2, 0.3, 0.4))
NOTHING = ((0.1, 0.9), (0.1, 0.9))
RARE = ((0.02, 0.98), (0.02, 0.98))
LAWS: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...] = (RESPONSE, SURE_RESPONSE, THREE, FIVE, NOTHING, RARE)


def _cut_without_lots(inside: Arm, outside: Arm, fpr: float) -> Floats:
    """The twin: the share strictly above the cut that accuses no more than that of the others seen."""
    falling = -np.sort(-outside.value, axis=-1)
    cut = falling[:, int(np.floor(outside.n * fpr + 1e-9))][:, None]
    return (inside.value > cut).mean(axis=-1)


def _within(intervals: Interval) -> bool:
    value, low, high = intervals
    return bool(((low >= 0) & (low <= value) & (value <= high) & (high <= 1)).all())


def test_the_interval_of_tied_distances_does_not_reach_from_nothing_to_two_thirds() -> None:
    """588 of 1,000 members and 8 of 1,000 others at distance 0: once 0.63 [-0.00, 0.66] at 10 %, 0.59 at 1 %."""
    rng = stream(2, "as reported")
    inside, outside = (np.where(np.arange(1000) < k, 0.0, -1 - rng.random(1000)) for k in (588, 8))
    arms = [Arm(side[None], np.ones(1000, dtype=np.int64)) for side in (inside, outside)]
    scores = as_scores(arms[0], arms[1], 0)
    tenth, hundredth = summary.tpr_at_fpr(scores, 0.1), summary.tpr_at_fpr(scores, 0.01)
    assert tenth.value == pytest.approx(0.63, abs=0.01)
    assert 0.59 <= tenth.low <= tenth.high <= 0.67
    assert 0.3 <= hundredth.low <= 0.588 <= hundredth.high <= 0.63
    band = summary.tpr_band(scores)
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()


@pytest.mark.parametrize(("law", "trainings", "fpr"), [(RESPONSE, 100, 0.1), (FIVE, 100, 0.1), (THREE, 300, 0.01)])
def test_ties_are_covered(law: tuple[tuple[float, ...], tuple[float, ...]], trainings: int, fpr: float) -> None:
    game = Tied(law[0], law[1], trainings)
    intervals = tpr_interval(*game.play(400), fpr, 0.95)
    assert _within(intervals)
    assert covered(intervals, game.tpr(fpr)) >= fewest(400)
    twin = _cut_without_lots(*game.play(400), fpr)
    assert abs(twin.mean() - game.tpr(fpr)) > 3 * abs(intervals[0].mean() - game.tpr(fpr)), (
        "a cut without lots is far off"
    )


def test_the_value_is_too_high_as_often_as_too_low() -> None:
    """The curve is bent, so that no value is right on average on all of them: this one is right in the median."""
    game = Binormal(30, auc=0.8)
    value = tpr_interval(*game.play(2000), 0.1, 0.95)[0]
    half = 2000 / 2
    error = 4 * np.sqrt(half / 2)
    assert abs((value > game.tpr(0.1)).sum() - half) <= error
    assert abs(value.mean() - game.tpr(0.1)) <= 0.02
    twin = _cut_without_lots(*game.play(2000), 0.1)
    assert abs(value.mean() - game.tpr(0.1)) < abs(twin.mean() - game.tpr(0.1))


def test_what_a_positive_answer_means_lies_within_nothing_and_certainty() -> None:
    for law, fpr in ((RARE, 0.1), (SURE_RESPONSE, 0.1), (NOTHING, 0.05)):
        arms = Tied(*law, 60).play(60)
        for audit in range(60):
            scores = as_scores(*arms, audit)
            if np.ptp(scores.value) == 0:
                continue
            for prior, posterior in posteriors(summary.tpr_at_fpr(scores, fpr)):
                assert 0 <= posterior.low <= posterior.value <= posterior.high <= 1, prior


@pytest.mark.slow
@pytest.mark.parametrize(("trainings", "fpr"), [(30, 0.1), (100, 0.1), (60, 0.05), (300, 0.01), (1000, 0.01)])
def test_every_tied_law_is_covered_and_not_vacuous(trainings: int, fpr: float) -> None:
    for law in LAWS:
        game = Tied(law[0], law[1], trainings)
        intervals = tpr_interval(*game.play(1000), fpr, 0.95)
        assert _within(intervals), law
        assert covered(intervals, game.tpr(fpr)) >= 930, law
        assert mean_width(intervals) <= 2 * _spread(intervals[0]) + 3 / trainings, law


@pytest.mark.slow
@pytest.mark.parametrize(("trainings", "fpr"), [(30, 0.1), (100, 0.1), (300, 0.01), (1000, 0.01)])
def test_a_corner_of_the_curve_at_the_very_share_of_false_alarms_is_covered(trainings: int, fpr: float) -> None:
    """The hardest there is: on one side of the share the curve climbs steeply, on the other it is flat."""
    for times in (0.5, 0.8, 1.0, 1.3, 3.0):
        game = AtZero(0.588, times * fpr, trainings)
        intervals = tpr_interval(*game.play(1000), fpr, 0.95)
        assert _within(intervals), times
        assert covered(intervals, game.tpr(fpr)) >= 930, times


@pytest.mark.slow
@pytest.mark.parametrize("generations", [2, 5, 20])
@pytest.mark.parametrize(("trainings", "fpr"), [(30, 0.1), (60, 0.05), (100, 0.1)])
def test_tied_trainings_that_were_asked_several_times_are_covered(trainings: int, fpr: float, generations: int) -> None:
    for law in (RESPONSE, THREE, FIVE, NOTHING):
        for together in (0.0, 0.3, 0.9):
            game = Tied(law[0], law[1], trainings, generations, together)
            intervals = tpr_interval(*game.play(600), fpr, 0.95)
            assert _within(intervals), game
            assert covered(intervals, game.tpr(fpr)) >= fewest(600), game


@pytest.mark.slow
@pytest.mark.parametrize(("trainings", "fpr"), [(30, 0.1), (60, 0.05), (300, 0.01), (100, 0.1)])
def test_the_bias_of_the_value_is_as_small_as_its_text_says(trainings: int, fpr: float) -> None:
    for auc in (0.5, 0.65, 0.8, 0.9, 0.95, 0.99):
        game = Binormal(trainings, auc=auc)
        intervals = tpr_interval(*game.play(4000), fpr, 0.95)
        error = 4 * float(intervals[0].std()) / np.sqrt(4000)
        assert -0.02 - error <= intervals[0].mean() - game.tpr(fpr) <= 0.01 + error, game
        above, below = missed(intervals, game.tpr(fpr))
        assert above <= most(4000, 0.03), game
        assert below <= most(4000, 0.03), game


def _spread(value: Floats) -> float:
    """How far apart the values of 95 of 100 audits lie: what an interval cannot be much narrower than."""
    return float(np.diff(np.quantile(value, [0.025, 0.975]))[0])
