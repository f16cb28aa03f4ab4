"""The best attack against laws whose answer is known without it: coins, binomials, proofs, and nothing at all."""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.stats import optimal as grids
from riskkit.stats.atoms import Atoms
from riskkit.stats.optimal import CLOSE, Complexes, optimal


def law(inside: Floats, outside: Floats) -> Atoms:
    """The log ratio of a row that takes as many values, with these chances under either fit."""
    with np.errstate(divide="ignore"):
        value = np.log(inside) - np.log(outside)
    return Atoms(value, np.where(inside > 0, inside, outside), np.zeros(len(value)), 1)


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


@pytest.mark.parametrize("proofs", [(0.2, 0.0), (0.0, 0.2), (0.2, 0.2), (1 - 1e-9, 0.0)])
def test_releases_without_a_proof_may_be_as_good_as_none(proofs: tuple[float, float]) -> None:
    """In 5,000 rows there is nearly surely one: chances of none are below what a number can hold."""
    only_in, only_out = proofs
    chances = np.array([0.3, 0.7]), np.array([0.29, 0.71])
    inside = np.append(chances[0] * (1 - only_in), [only_in, 0.0])
    outside = np.append(chances[1] * (1 - only_out), [0.0, only_out])
    possible = inside + outside > 0
    best = optimal(law(inside[possible], outside[possible]), 5_000, fewer=True)
    assert (best.auc, best.advantage) == pytest.approx((1.0, 1.0))
    assert best.proof_in == pytest.approx(float(only_in > 0))
    assert 0 <= best.slack <= CLOSE


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
    """On a fine grid, where the area of the polygon is that of the curve."""
    best = optimal(RARE, 1000, points=1 << 16)
    tpr, fpr = best.rates
    assert np.all(np.diff(tpr) >= 0)
    assert np.all(np.diff(fpr) >= 0)
    assert float(np.trapezoid(tpr, fpr)) == pytest.approx(best.auc, abs=1e-6)
    grid = best.tpr_at(np.linspace(0.01, 0.99, 50))
    assert np.all(np.diff(grid, 2) <= 1e-6)


def test_a_pair_and_its_swap_have_the_odds_of_their_gap() -> None:
    """P(gap = g) = exp(g) P(gap = -g) for sums of log ratios: so the gap's law says its own AUC a second time."""
    best = optimal(RARE, 1000)
    chances = np.convolve(best.sums[0], best.sums[1, ::-1])
    gap = best.step * (np.arange(len(chances)) - (len(chances) - 1) // 2)
    again = 0.5 + 0.5 * float((chances * np.tanh(np.abs(gap) / 2)).sum())
    assert again == pytest.approx(best.auc, abs=2e-3)


def test_a_release_without_rows_is_refused() -> None:
    with pytest.raises(DesignError, match="at least one row"):
        optimal(RARE, 0)


def listed(inside: Floats, outside: Floats, n: int) -> Floats:
    """AUC, advantage and TPR at an FPR of .05 of the best attack on ``n`` rows, by listing every release in order."""
    with np.errstate(divide="ignore"):
        logs = np.log(inside) - np.log(outside)
    releases = np.array(list(product(range(len(inside)), repeat=n)))
    high, low = inside[releases].prod(axis=1), outside[releases].prod(axis=1)
    possible = (high > 0) | (low > 0)
    sums = np.round(logs[releases[possible]].sum(axis=1), 9)
    steps = np.unique(sums)[::-1]
    high, low = (np.array([side[possible][sums == step].sum() for step in steps]) for side in (high, low))
    tpr, fpr = (np.concatenate([[0.0], np.cumsum(side)]) for side in (high, low))
    auc = float((high * (1 - fpr[1:] + low / 2)).sum())
    proof = tpr[1] if low[0] == 0 else 0.0
    first = int(low[0] == 0)
    return np.array([auc, (tpr - fpr).max(), np.interp(0.05, fpr[first:], tpr[first:]), proof])


def rough(seed: int) -> tuple[Floats, Floats, int]:
    """Two laws of up to five kinds of row, some of them rare, a few thousand times likelier in one, or in one alone."""
    rng = np.random.default_rng(seed)
    kinds = int(rng.integers(2, 6))
    inside = rng.dirichlet(np.ones(kinds)) * 10.0 ** -rng.integers(0, 5, size=kinds)
    outside = inside * np.exp(rng.choice([0.01, 0.3, 2.0, 8.0]) * rng.standard_normal(kinds))
    if rng.random() < 0.3:
        inside[0], outside[0] = rng.permutation([inside[0], 0.0])
    return inside / inside.sum(), outside / outside.sum(), int(rng.integers(1, 7 if kinds < 5 else 6))


def test_rough_laws_against_every_release() -> None:
    """Each number is too low, by its slack at most, and that is small."""
    for seed in range(150):
        inside, outside, n = rough(seed)
        best, wanted = optimal(law(inside, outside), n), listed(inside, outside, n)
        lowest = np.array([best.auc, best.advantage, float(best.tpr_at(0.05)), best.proof_in])
        slack = np.array([best.auc_slack, best.advantage_slack, float(best.tpr_slack_at(0.05)), 0.0])
        assert slack.max() <= best.slack <= CLOSE, seed
        assert np.all(lowest <= wanted + 2e-5), seed
        assert np.all(wanted <= lowest + slack + grids.ASTRAY), seed


@pytest.mark.parametrize("points", [128, 256, 1024])
def test_the_slack_of_a_coarse_grid_is_all_that_it_loses(points: int) -> None:
    """Grids on which numbers are off by up to .1."""
    worst = 0.0
    for seed in range(60):
        inside, outside, n = rough(seed)
        best, wanted = optimal(law(inside, outside), n, points=points), listed(inside, outside, n)
        lost = wanted[:2] - [best.auc, best.advantage]
        assert np.all(lost <= np.array([best.auc_slack, best.advantage_slack]) + grids.ASTRAY), seed
        worst = max(worst, float(lost.max()))
    assert worst > {128: 1e-2, 256: 3e-3, 1024: 1e-3}[points]


@pytest.mark.parametrize("n", [10, 1_000, 100_000])
@pytest.mark.parametrize(("inside", "outside"), [(0.02, 1e-9), (1e-3, 1e-12), (0.3, 0.29), (1e-4, 9e-5), (2e-5, 1e-15)])
def test_sums_of_any_width(inside: float, outside: float, n: int) -> None:
    """From sums of some thousandths to sums of some thousands, against binomials."""
    best = optimal(coin(inside, outside), n)
    auc, advantage, tpr = by_counting(inside, outside, n)
    assert best.slack <= CLOSE
    assert best.auc == pytest.approx(auc, abs=CLOSE)
    assert best.advantage == pytest.approx(advantage, abs=CLOSE)
    assert float(best.tpr_at(0.05)) == pytest.approx(tpr, abs=CLOSE)


def test_the_finest_grid_is_fine_enough_for_the_widest_sums() -> None:
    """So that the number of points never has to stop above what is promised."""
    step = 2 * grids.WIDEST / (grids.MOST - 2 * grids.MARGIN)
    assert 2 * math.sqrt(2) * grids.LOST * grids.BLUR * step < CLOSE


def test_what_blur_can_turn_round() -> None:
    """At distance x of the cut, in blurs: tanh(x / 2) times the chance to land on the other side of it."""
    x = np.linspace(0, 12, 4001)
    for blur in (1e-3, 0.1, 0.5):
        turned = np.tanh(blur * x / 2) * stats.norm.sf(x)
        assert np.all(turned <= 0.102 * blur * np.exp(-(x**2) / 4) + 1e-12)
    assert grids.LOST > 0.102


TWO = coin(0.02, 0.01), coin(0.7, 0.3), RARE, coin(0.02, 1e-9)


@pytest.mark.parametrize("narrow", TWO)
def test_a_grid_too_narrow_is_noticed_and_made_wider(monkeypatch: pytest.MonkeyPatch, narrow: Atoms) -> None:
    """A third of the width that the law has: the same numbers, and wrong ones where nobody looks."""
    wanted, real = optimal(narrow, 300), grids._half_width
    monkeypatch.setattr(grids, "_half_width", lambda *asked: min(real(*asked), grids.DECIDED) / 6)
    best = optimal(narrow, 300)
    assert best.auc == pytest.approx(wanted.auc, abs=CLOSE)
    assert best.advantage == pytest.approx(wanted.advantage, abs=CLOSE)
    monkeypatch.setattr(grids, "ASTRAY", np.inf)
    assert abs(optimal(narrow, 300).auc - wanted.auc) > 3 * CLOSE


@dataclass(frozen=True)
class Mixed:
    """A law whose characteristic function is that of another tilt, or whose rows' chances do not sum to 1."""

    real: Atoms
    whole: float = 1.0
    aside: float = 0.0

    only_in: float = 0.0
    only_out: float = 0.0

    @property
    def reach(self) -> float:
        return self.real.reach

    def moments(self, tilt: Floats) -> Floats:
        return self.whole * self.real.moments(tilt)

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        return self.real.characteristic(tilt + self.aside, step, count)


@pytest.mark.parametrize("faulty", [Mixed(coin(0.3, 0.2), whole=0.999), Mixed(coin(0.3, 0.2), aside=0.1)])
def test_laws_that_contradict_themselves_get_a_sentence(faulty: Mixed) -> None:
    with pytest.raises(DesignError, match="cannot be worked out"):
        optimal(faulty, 50)
    assert optimal(Mixed(coin(0.3, 0.2)), 50).auc == pytest.approx(by_counting(0.3, 0.2, 50)[0], abs=CLOSE)


def test_what_one_row_says_adds_up_to_the_whole() -> None:
    """The mean over rows of the number if the row is known is the number."""
    inside, outside, n = np.array([0.01, 0.4, 0.58, 0.01, 0.0]), np.array([0.002, 0.39, 0.596, 0.0, 0.012]), 40
    best = optimal(law(inside, outside), n, fewer=True)
    with np.errstate(divide="ignore"):
        value = np.log(inside) - np.log(outside)
    chances = np.stack([inside, outside])
    np.testing.assert_allclose((chances * best.auc_if(value)).sum(axis=1), best.auc, atol=1e-7)
    rates = (chances * best.rates_if(value, best.cut)).sum(axis=1)
    np.testing.assert_allclose(rates, best.rates[:, best.cut], atol=2e-5)
