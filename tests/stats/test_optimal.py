"""The best attack against laws whose answer is known without it: coins, binomials, proofs, and nothing at all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.stats.atoms import Atoms
from riskkit.stats.optimal import optimal


def law(inside: Floats, outside: Floats) -> Atoms:
    """The log ratio of a row that takes as many values, with these chances under either fit."""
    with np.errstate(divide="ignore"):
        value = np.log(inside) - np.log(outside)
    in_weight, out_weight = inside / (inside + outside), outside / (inside + outside)
    return Atoms.of(value, inside + outside, in_weight, out_weight, np.zeros(len(value)))


def coin(inside: float, outside: float) -> Atoms:
    """A row that says yes with these chances."""
    return law(np.array([inside, 1 - inside]), np.array([outside, 1 - outside]))


def by_counting(inside: float, outside: float, n: int) -> tuple[float, float, float]:
    """AUC, advantage and TPR at an FPR of .05 of the best attack on ``n`` coins, from the binomials themselves."""
    yes = np.arange(n + 1)
    high, low = stats.binom.pmf(yes, n, inside), stats.binom.pmf(yes, n, outside)
    auc = float(high @ (np.cumsum(low) - low / 2))
    tpr = np.concatenate([[0.0], np.cumsum(high[::-1])])
    fpr = np.concatenate([[0.0], np.cumsum(low[::-1])])
    return auc, float((tpr - fpr).max()), float(np.interp(0.05, fpr, tpr))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 5.0])
def test_randomised_response(epsilon: float) -> None:
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    best = optimal(coin(right, 1 - right), 1)
    assert best.auc == pytest.approx(right, abs=2e-4)
    assert best.advantage == pytest.approx(2 * right - 1, abs=2e-4)


@pytest.mark.parametrize(
    ("inside", "outside", "n"), [(0.51, 0.5, 1000), (0.02, 0.01, 200), (0.7, 0.3, 5), (0.11, 0.1, 40)]
)
def test_coins_against_binomials(inside: float, outside: float, n: int) -> None:
    best = optimal(coin(inside, outside), n)
    auc, advantage, tpr = by_counting(inside, outside, n)
    assert best.auc == pytest.approx(auc, abs=1e-3)
    assert best.advantage == pytest.approx(advantage, abs=2e-3)
    assert float(best.tpr_at(0.05)) == pytest.approx(tpr, abs=6e-3)


@pytest.mark.parametrize("n", [1, 20, 200, 1000])
def test_a_value_that_only_one_person_has(n: int) -> None:
    """KA2: a table of 200, of which rows are drawn with replacement."""
    best = optimal(coin(1 / 200, 0.0), n)
    shown = 1 - (1 - 1 / 200) ** n
    assert best.auc == pytest.approx(0.5 + shown / 2, abs=1e-12)
    assert best.proof_in == pytest.approx(shown, abs=1e-12)
    assert best.advantage == pytest.approx(shown, abs=1e-12)
    np.testing.assert_allclose(best.tpr_at([0.0, 0.5, 1.0]), [shown, shown + (1 - shown) / 2, 1.0], atol=1e-9)


def test_proofs_both_ways() -> None:
    """Row a only with the record, row c only without; b and d tell nothing."""
    best = optimal(law(np.array([0.1, 0.9, 0.0]), np.array([0.0, 0.9, 0.1])), 3)
    quiet = 0.9**3
    assert best.auc == pytest.approx(1 - quiet**2 / 2, abs=1e-12)
    assert best.quiet_out == pytest.approx(quiet)


def test_nothing_told_is_one_half() -> None:
    best = optimal(coin(0.3, 0.3), 1000)
    assert best.auc == pytest.approx(0.5, abs=1e-12)
    assert best.advantage == pytest.approx(0.0, abs=1e-9)


def test_all_told_is_certain() -> None:
    best = optimal(law(np.array([1.0, 0.0]), np.array([0.0, 1.0])), 1)
    assert (best.auc, best.advantage, best.proof_in) == (1.0, 1.0, 1.0)


def test_many_small_hints_are_a_normal_shift() -> None:
    """By the central limit the sum is normal with mean +-m/2 and variance m, so the AUC is that of a normal shift."""
    n, lean = 20_000, 0.003
    best = optimal(coin(0.5 + lean, 0.5 - lean), n)
    shift = 2 * lean * math.sqrt(n) / math.sqrt(0.25 - lean**2)
    assert best.auc == pytest.approx(stats.norm.cdf(shift / math.sqrt(2)), abs=1e-3)
    assert best.advantage == pytest.approx(2 * stats.norm.cdf(shift / 2) - 1, abs=1e-3)


RARE = law(np.array([1e-3, 0.3, 0.699]), np.array([1e-5, 0.302, 0.69799]))
"""A rare row that tells much among many that tell little."""


def test_the_grid_is_fine_enough() -> None:
    wanted, best = optimal(RARE, 1000, points=1 << 16), optimal(RARE, 1000)
    assert best.auc == pytest.approx(wanted.auc, abs=1e-3)
    assert best.auc > optimal(RARE, 1000, points=512).auc + 1e-3  # a coarse one would lose some of the risk
    np.testing.assert_allclose(best.tpr_at([0.01, 0.1]), wanted.tpr_at([0.01, 0.1]), atol=3e-3)


def test_curve_rises_bends_down_and_has_the_auc_as_its_area() -> None:
    best = optimal(RARE, 1000)
    tpr, fpr = best.rates
    assert np.all(np.diff(tpr) >= 0)
    assert np.all(np.diff(fpr) >= 0)
    assert float(np.trapezoid(tpr, fpr)) == pytest.approx(best.auc, abs=1e-6)
    grid = best.tpr_at(np.linspace(0.01, 0.99, 50))
    assert np.all(np.diff(grid, 2) <= 1e-6)


def test_a_pair_and_its_swap_have_the_odds_of_their_gap() -> None:
    """P(gap = g) = exp(g) P(gap = -g) for sums of log ratios: so the gap's law says its own AUC a second time."""
    best = optimal(RARE, 1000)
    gap = np.linspace(-60, 60, 24_001)
    mass = np.diff(best.gap_below(gap))
    middle = (gap[1:] + gap[:-1]) / 2
    again = 0.5 + 0.5 * float((mass * np.tanh(np.abs(middle) / 2)).sum())
    assert again == pytest.approx(best.auc, abs=2e-3)


def test_a_release_without_rows_is_refused() -> None:
    with pytest.raises(DesignError, match="at least one row"):
        optimal(RARE, 0)
