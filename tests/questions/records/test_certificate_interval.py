"""What a certificate's numbers and ends are made of, by hand: what its grid loses, and the error of drawn rows."""

import math
from dataclasses import replace

import numpy as np
import pytest

from riskkit.questions.records.certificate import Terms, _interval, _numbers
from riskkit.stats.atoms import Atoms
from riskkit.stats.optimal import Optimal, optimal


def coin() -> Atoms:
    """The law of a coin that says heads with chance .6 with the record and .4 without it."""
    return Atoms.weigh(np.log([1.5, 1 / 1.5]), np.array([1.2, 0.8]))


def coarse(law: Atoms) -> Optimal:
    """Its best attack on ten rows, on a grid so coarse that it loses a hundredth."""
    return optimal(law, 10, points=64, fewer=True)


class Exact:
    """A law that is known exactly."""


def test_half_of_what_the_grid_may_lose_is_put_back() -> None:
    """A number lies between what the grid shows and that with all it may lose; the middle is off by half at most."""
    best = coarse(coin())
    assert best.auc_slack > 0.003
    auc, advantage, *_ = _numbers(best, Exact(), Terms(10))  # type: ignore[arg-type]  # nothing is asked of it
    assert auc.value == pytest.approx(best.auc + best.auc_slack / 2, abs=1e-12)
    assert advantage.value == pytest.approx(best.advantage + best.advantage_slack / 2, abs=1e-12)
    fine = optimal(coin(), 10, fewer=True)
    assert abs(auc.value - fine.auc) <= best.auc_slack / 2 + fine.auc_slack


def test_the_interval_of_drawn_rows_reaches_as_many_errors_as_its_level_says() -> None:
    """.30 is left to 1, its error .02: 1.96 errors are a factor of exp(.1307)."""
    factor = math.exp(1.959964 * 0.02 / 0.3)
    assert _interval(0.7, 0.02, 0.0, 0.95) == pytest.approx((1 - 0.3 * factor, 1 - 0.3 / factor), abs=1e-7)
    assert _interval(0.7, 0.02, 0.01, 0.95) == pytest.approx((0.99 - 0.3 * factor, 1.01 - 0.3 / factor), abs=1e-7)
    wider = math.exp(2.575829 * 0.02 / 0.3)
    assert _interval(0.7, 0.02, 0.0, 0.99) == pytest.approx((1 - 0.3 * wider, 1 - 0.3 / wider), abs=1e-7)


def test_drawn_rows_have_an_interval_and_an_exact_law_has_none() -> None:
    law = replace(coin(), drawn=2_000, square=np.array([0.36, 0.16]) / 500)
    best = optimal(law, 10, fewer=True)
    drawn, exact = (_numbers(best, of, Terms(10))[0] for of in (law, Exact()))  # type: ignore[arg-type]
    assert drawn.low < drawn.value < drawn.high
    assert (exact.low, exact.high) == (exact.value, exact.value)
    assert drawn.value == exact.value
