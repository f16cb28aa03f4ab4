"""Planned trainings against the printed tables, and one of them against the test it plans."""

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import ParameterError
from riskkit.seeds import stream
from riskkit.stats.intervals import auc_limits, critical
from riskkit.stats.power import (
    _normal_variance,
    detectable_auc,
    detectable_beside,
    trainings_for_auc,
)
from riskkit.stats.summary import auc_interval
from tests.statistical.simulate import Binormal

AUCS = (0.55, 0.60, 0.65, 0.70, 0.80, 0.90)


@pytest.mark.parametrize(("auc", "trainings"), list(zip(AUCS, (822, 204, 90, 50, 22, 12), strict=True)))
def test_printed_trainings_for_one_record(auc: float, trainings: int) -> None:
    """Printed for one end at 5 %, which is the lower one of an interval at 90 %, and for exponential scores."""
    assert trainings_for_auc(auc, level=0.9) == pytest.approx(trainings, abs=2)


@pytest.mark.parametrize(("auc", "trainings"), list(zip(AUCS, (2982, 742, 328, 182, 78, 42), strict=True)))
def test_printed_trainings_for_a_thousand_records(auc: float, trainings: int) -> None:
    assert trainings_for_auc(auc, level=0.9, looks=1000) == pytest.approx(trainings, abs=2)


@pytest.mark.parametrize(
    ("trainings", "auc"), [(20, 0.80), (50, 0.70), (100, 0.64), (200, 0.60), (500, 0.56), (1000, 0.545)]
)
def test_printed_detectable_effects(trainings: int, auc: float) -> None:
    assert detectable_auc(trainings, level=0.9) == pytest.approx(auc, abs=1e-2)


def test_the_variance_of_normal_scores_agrees_with_drawing_them() -> None:
    for auc, n_in, n_out in ((0.5, 40, 40), (0.8, 30, 90), (0.95, 60, 20)):
        rng = stream(2, "variance", n_in, n_out)
        inside = rng.standard_normal((20_000, n_in)) + np.sqrt(2) * stats.norm.ppf(auc)
        outside = np.sort(rng.standard_normal((20_000, n_out)))
        drawn = [np.searchsorted(row, own).mean() / n_out for row, own in zip(outside, inside, strict=True)]
        assert np.var(drawn) == pytest.approx(_normal_variance(auc, n_in, n_out), rel=0.05)


@pytest.mark.parametrize("auc", AUCS)
def test_the_two_plans_are_each_others_inverse(auc: float) -> None:
    trainings = trainings_for_auc(auc)
    assert detectable_auc(trainings) <= auc < detectable_auc(trainings - 2)


def test_planned_trainings_find_the_effect_as_often_as_they_should() -> None:
    n = trainings_for_auc(0.7) // 2
    drawn = stream(1, "power").standard_normal((2000, 2, n))
    shifted = drawn[:, 0] + np.sqrt(2) * stats.norm.ppf(0.7)
    p = stats.mannwhitneyu(shifted, drawn[:, 1], axis=1, alternative="two-sided", method="asymptotic").pvalue
    assert np.mean(p <= 0.05) == pytest.approx(0.8, abs=0.05)


def test_what_cannot_be_planned_is_refused() -> None:
    for auc in (0.5, 0.4, 1.0, float("nan")):
        with pytest.raises(ParameterError):
            trainings_for_auc(auc)
    for trainings in (0, 2, 3):
        with pytest.raises(ParameterError, match="cannot find any effect"):
            detectable_auc(trainings)
    with pytest.raises(ParameterError, match="so small an effect"):
        trainings_for_auc(0.5 + 1e-9)


def test_what_an_interval_could_have_shown_by_hand() -> None:
    """One standard error of .1: the lower end reaches .196 down, and the value falls short by .084 in 2 of 10."""
    assert detectable_beside(0.5, 0.1 * critical(0.95)) == pytest.approx(0.5 + 0.19600 + 0.08416, abs=1e-5)
    assert detectable_beside(0.0, 0.1 * critical(0.99), level=0.99) == pytest.approx(0.25758 + 0.08416, abs=1e-5)


@pytest.mark.parametrize(("trainings", "off"), [(20, 0.012), (50, 0.003), (100, 0.001), (500, 0.0005)])
@pytest.mark.parametrize("looks", [1, 10])
def test_what_an_interval_could_have_shown_is_what_was_foreseen(trainings: int, off: float, looks: int) -> None:
    """The forecast knows how an AUC scatters where it is higher; the interval that was seen only how at one half."""
    level = 1 - 0.05 / looks
    low = float(auc_limits(0.5, trainings / 2, trainings / 2, level)[0])
    seen = detectable_beside(0.5, 0.5 - low, level=level)
    assert seen == pytest.approx(detectable_auc(trainings, looks=looks), abs=off)


def test_an_effect_as_large_as_an_interval_could_have_shown_shows_in_8_of_10_audits() -> None:
    least = detectable_beside(0.5, 0.5 - float(auc_limits(0.5, 100, 100, 0.95)[0]))
    arms = Binormal(100, auc=least).play(600)
    shown = (auc_interval(*arms, 0.95)[1] > 0.5).mean()
    assert shown == pytest.approx(0.8, abs=4 * 0.4 / np.sqrt(600))


def test_an_impossible_level_of_what_could_have_shown_is_refused() -> None:
    with pytest.raises(ParameterError):
        detectable_beside(0.5, 0.1, level=1.0)
