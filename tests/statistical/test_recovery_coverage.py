"""Intervals over victims and model seeds hold the truth as often as they say, and no oftener than they must.

A thousand audits of a known truth at once: what is recovered depends on the victim, on the model seed, and on chance.
"""

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.seeds import stream
from riskkit.stats.recovery import Spread, crossed_spread, gap_interval, mean_interval

AUDITS = 1000
LEAST, MOST = 0.93, 0.985
"""Near a share of 1 an exact interval holds oftener than it says; where it does not, it is held to .97 below."""


def shares(seeds: int, victims: int, of_seeds: float, cells: int) -> tuple[Floats, float]:
    """(audits, seeds, victims) share of recovered cells, and the true mean: a logit with effects of victim and seed."""
    rng = stream(1, "recovery", "shares", seeds, victims, str(of_seeds), cells)
    logit = 1 + rng.standard_normal((AUDITS, seeds, 1)) * of_seeds + 0.7 * rng.standard_normal((AUDITS, 1, victims))
    value = rng.binomial(cells, 1 / (1 + np.exp(-logit))) / cells
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = (weights / (1 + np.exp(-(1 + np.hypot(of_seeds, 0.7) * nodes)))).sum() / weights.sum()
    return value, float(truth)


def errors(seeds: int, victims: int, of_seeds: float) -> tuple[Floats, float]:
    """(audits, seeds, victims) skewed errors of mean .08."""
    rng = stream(1, "recovery", "errors", seeds, victims, str(of_seeds))
    shape = AUDITS, seeds, victims
    power = of_seeds / 2 * rng.standard_normal((AUDITS, seeds, 1)) + 0.5 * rng.standard_normal((AUDITS, 1, victims))
    power = power + 0.3 * rng.standard_normal(shape)
    return 0.08 * np.exp(power - (of_seeds**2 / 4 + 0.25 + 0.09) / 2), 0.08


def held(spread: Spread, truth: float) -> float:
    """The share of the intervals that hold the truth."""
    low, high = mean_interval(spread, 0.95)
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("victims", [100, 500])
@pytest.mark.parametrize(("seeds", "of_seeds"), [(1, 0.0), (5, 0.0), (5, 0.1), (5, 0.3), (10, 0.3)])
def test_a_share_and_an_error_are_held_as_often_as_said(seeds: int, of_seeds: float, victims: int) -> None:
    slack = 2.6 * np.sqrt(0.05 * 0.95 / AUDITS)
    for value, truth in (shares(seeds, victims, of_seeds, 14), errors(seeds, victims, of_seeds)):
        assert LEAST - slack / 2 <= held(crossed_spread(value), truth) <= 0.97 + slack / 2
    of_one_column = shares(seeds, victims, of_seeds, 1)
    assert LEAST - slack / 2 <= held(crossed_spread(of_one_column[0]), of_one_column[1]) <= MOST


@pytest.mark.parametrize(("seeds", "of_seeds"), [(5, 0.3), (5, 1.0), (10, 0.5)])
def test_what_one_person_gives_away_is_held_over_models(seeds: int, of_seeds: float) -> None:
    """Eleven values of one person under models that differ: the truth is the mean over all models."""
    rng = stream(1, "recovery", "person", seeds, str(of_seeds))
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    for centre in (-1.5, 0.0, 1.0, 3.0):
        logit = centre + of_seeds * rng.standard_normal((AUDITS, 1, seeds))
        value = rng.binomial(11, 1 / (1 + np.exp(-logit))) / 11
        truth = (weights / (1 + np.exp(-(centre + of_seeds * nodes)))).sum() / weights.sum()
        assert held(crossed_spread(value), float(truth)) >= LEAST - 1.3 * np.sqrt(0.05 * 0.95 / AUDITS)
        cells = value.repeat(11, axis=2)  # the mutant: every value of theirs a model of its own
        assert held(crossed_spread(cells), float(truth)) < 0.9


def test_cells_of_many_seeds_taken_for_independent_do_not_cover() -> None:
    """The mutants: every cell a trial of its own, or the victims alone."""
    value, truth = errors(5, 100, 0.3)
    cells = value.reshape(AUDITS, 1, -1)
    assert held(crossed_spread(cells), truth) < 0.7
    assert held(crossed_spread(value.mean(axis=1, keepdims=True)), truth) < 0.9


def test_two_seeds_are_too_few() -> None:
    """Why fewer than five are refused."""
    value, truth = errors(2, 500, 0.3)
    assert held(crossed_spread(value), truth) < 0.92


@pytest.mark.parametrize(("seeds", "victims"), [(1, 100), (1, 500), (5, 100)])
@pytest.mark.parametrize("rare", [0.02, 0.1, 0.5])
def test_no_gain_is_taken_for_one_as_seldom_as_said(seeds: int, victims: int, rare: float) -> None:
    """Attack and constant differ in a share of the victims, to either side alike."""
    rng = stream(1, "recovery", "gap", seeds, victims, str(rare))
    gaps = rng.choice([-1.0, 0.0, 1.0], (AUDITS, seeds, victims), p=[rare / 2, 1 - rare, rare / 2])
    gaps[:, :] = np.where(rng.random((AUDITS, seeds, victims)) < 0.5, gaps[:, :1], gaps)
    spread = crossed_spread(gaps)
    ahead, behind = (np.maximum(side, 0).mean(axis=(-2, -1)) for side in (gaps, -gaps))
    low, high = gap_interval(ahead, behind, spread, 0.95)
    false_alarms = int((low > 0).sum())
    assert false_alarms <= stats.binom.ppf(1 - 1e-4, AUDITS, 0.025)
    assert ((low <= 0) & (high >= 0)).mean() >= 0.93
    if rare == 0.5:
        assert false_alarms >= stats.binom.ppf(1e-4, AUDITS, 0.01)
    wald = crossed_spread(gaps.reshape(AUDITS, 1, -1))  # the mutant: copies of a victim taken for victims
    if seeds > 1:
        assert (np.abs(wald.mean) > 1.96 * np.sqrt(wald.variance)).mean() > 0.1
