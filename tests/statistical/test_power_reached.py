"""At the AUC that is said to be found in 8 of 10 audits, the verdict finds it in 8 of 10 audits.

The verdict's own interval is asked, at its own level and with its own look at the clustering.
"""

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.errors import ParameterError
from riskkit.questions.membership.result import Outcome, headline
from riskkit.seeds import stream
from riskkit.stats import summary
from riskkit.stats.arms import Arm
from riskkit.stats.campaign import Many, p_above
from riskkit.stats.contrasts import ratio_of_independent, tango
from riskkit.stats.inference import detectable_residual
from riskkit.stats.intervals import Interval, clopper_pearson, critical
from riskkit.stats.power import detectable_auc, detectable_auc_of_records, detectable_gain, trainings_for_auc
from riskkit.stats.records import level_of_each
from riskkit.stats.summary import auc_interval
from tests.statistical.shapes import SHAPES
from tests.statistical.simulate import Binormal, as_scores

NORMAL = next(shape for shape in SHAPES if shape.name == "equal normal")


def _reached(intervals: Interval) -> float:
    """In which share of the audits the lower end lies above guessing."""
    return float((intervals[1] > 0.5).mean())


def _error(times: int) -> float:
    """Four standard errors of a share of 80 %, and one hundredth for the formula."""
    return 4 * float(np.sqrt(0.8 * 0.2 / times)) + 0.01


@pytest.mark.parametrize(("trainings", "looks"), [(30, 1), (50, 4), (100, 1), (100, 20), (200, 8)])
def test_the_verdict_is_reached_as_often_as_foreseen(trainings: int, looks: int) -> None:
    auc = detectable_auc(trainings, looks=looks)
    level = level_of_each(0.95, looks)
    arms = NORMAL.play(4000, trainings // 2, auc)
    assert _reached(auc_interval(*arms, level)) == pytest.approx(0.8, abs=_error(4000))
    one_sided = detectable_auc(trainings, level=0.9)  # the twin: one end at 5 %, one look
    assert _reached(auc_interval(*NORMAL.play(2000, trainings // 2, one_sided), level)) < 0.75


@pytest.mark.parametrize(("trainings", "looks", "trials"), [(20, 1, 5), (30, 3, 5), (50, 8, 20), (100, 8, 5)])
def test_releases_of_one_training_that_are_all_alike_are_allowed_for(trainings: int, looks: int, trials: int) -> None:
    auc = detectable_auc(trainings, looks=looks, trials=trials)
    level = level_of_each(0.95, looks)
    inside, outside = NORMAL.play(2000, trainings // 2, auc)
    copied = [Arm(np.repeat(arm.value, trials, axis=-1), trials * arm.sizes) for arm in (inside, outside)]
    assert _reached(auc_interval(copied[0], copied[1], level)) == pytest.approx(0.8, abs=_error(2000))
    apart = Binormal(trainings // 2, trials, 0.3, auc).play(300)
    assert _reached(auc_interval(*apart, level)) > 0.9, "where they are not alike more is found"


def test_the_headline_of_four_findings_is_reached_as_often_as_foreseen() -> None:
    """One of four findings leaks just so much; the others do not, and rarely make the verdict on their own."""
    auc, audits = detectable_auc(60, looks=4), 400
    leak, none = NORMAL.play(audits, 30, auc), [Binormal(30, shift=tenth / 10).play(audits) for tenth in range(3)]
    reached = 0
    for audit in range(audits):
        outcomes = []
        for place, arms in enumerate([leak, *none]):
            scores = as_scores(*arms, audit)
            labels = {"generator": "g", "target": "random", "position": str(place), "record": str(place), "attack": "a"}
            outcomes.append(Outcome(labels, scores, {"auc": summary.auc(scores)}))
        best = headline(outcomes)
        assert best is not None
        assert best.looks == 4
        reached += best.auc.low > 0.5
    assert 0.8 - _error(audits) <= reached / audits <= 0.8 + _error(audits) + 0.02


def test_a_record_is_listed_as_often_as_foreseen() -> None:
    """A list has one-sided p-values; of a hundred records the one that leaks must have one below 5 % / 100."""
    for records in (1, 100):
        auc = detectable_auc_of_records(50, 50, alpha=0.05 / records)
        inside, outside = NORMAL.play(4000, 50, auc)
        p = p_above(Many(inside.value, outside.value), 0.5)
        assert (p <= 0.05 / records).mean() == pytest.approx(0.8, abs=_error(4000))


@pytest.mark.parametrize(("n_in", "n_out", "looks"), [(200, 60, 1), (60, 200, 8), (400, 400, 17)])
def test_records_of_two_sides_of_different_size(n_in: int, n_out: int, looks: int) -> None:
    level = level_of_each(0.95, looks)
    auc = detectable_auc_of_records(n_in, n_out, alpha=(1 - level) / 2)
    rng = stream(1, "two sides", n_in, n_out)
    inside = Arm(rng.standard_normal((3000, n_in)) + np.sqrt(2) * stats.norm.ppf(auc), np.ones(n_in, dtype=np.int64))
    outside = Arm(rng.standard_normal((3000, n_out)), np.ones(n_out, dtype=np.int64))
    assert _reached(auc_interval(inside, outside, level)) == pytest.approx(0.8, abs=_error(3000))


@pytest.mark.parametrize(
    ("n_in", "n_out", "right"), [(100, 100, 0.2), (300, 100, 0.2), (50, 50, 0.5), (1000, 1000, 0.8)]
)
@pytest.mark.parametrize("looks", [1, 10])
def test_a_residual_shows_as_often_as_foreseen(n_in: int, n_out: int, right: float, looks: int) -> None:
    tail = 0.025 / looks
    wrong = 1 - right
    fewer = wrong * (1 - detectable_residual(n_in, n_out, right, alpha=tail))
    assert ratio_shows(n_in, n_out, fewer, wrong, tail) == pytest.approx(0.8, abs=0.04)
    plain = float(stats.norm.isf(tail) + stats.norm.ppf(0.8)) * np.sqrt(right * wrong * (1 / n_in + 1 / n_out))
    assert right == 0.5 or abs(ratio_shows(n_in, n_out, wrong - plain, wrong, tail) - 0.8) > 0.03, (
        "the twin: one spread"
    )


def ratio_shows(n_in: int, n_out: int, fewer: float, wrong: float, tail: float) -> float:
    """How often the interval of the ratio of those two shares ends below 1."""
    rng = stream(1, "residual", n_in, n_out, f"{wrong:g}")
    first, second = rng.binomial(n_in, fewer, 20_000) / n_in, np.maximum(rng.binomial(n_out, wrong, 20_000), 1) / n_out
    ends = clopper_pearson(first * n_in, n_in, tail), clopper_pearson(second * n_out, n_out, tail)
    high: Floats = ratio_of_independent(first, ends[0], second, ends[1])[1]
    return float((high < 1).mean())


@pytest.mark.parametrize("victims", [50, 200, 1000])
@pytest.mark.parametrize("looks", [1, 10])
def test_a_gain_shows_as_often_as_foreseen(victims: int, looks: int) -> None:
    tail = 0.025 / looks
    gain = detectable_gain(victims, alpha=tail)
    assert gain_shows(victims, gain, tail) == pytest.approx(0.8, abs=0.045)


def gain_shows(victims: int, gain: float, tail: float) -> float:
    """How often the interval of that gain, on victims half of whom differ, lies above 0."""
    apart = max(0.5, gain)
    chances = [(apart + gain) / 2, (apart - gain) / 2, 1 - apart]
    drawn = stream(1, "gain", victims).multinomial(victims, chances, 20_000) / victims
    low, _ = tango(drawn[:, 0], drawn[:, 1], victims, critical(1 - 2 * tail, victims))
    return float((low > 0).mean())


def test_looks_and_trials_cost_trainings() -> None:
    assert detectable_auc(100) < detectable_auc(100, looks=4) < detectable_auc(100, looks=40)
    assert detectable_auc(40) < detectable_auc(40, trials=2) == detectable_auc(40, trials=20)
    assert detectable_auc(100, trials=20) == detectable_auc(100), "30 trainings an arm know a design effect well"
    assert trainings_for_auc(0.7) < trainings_for_auc(0.7, looks=4) < trainings_for_auc(0.7, looks=40)
    with pytest.raises(ParameterError, match="looks is 0"):
        detectable_auc(100, looks=0)
