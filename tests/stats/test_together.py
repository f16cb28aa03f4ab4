"""Releases of several tables at once: against coins that are counted, one law taken apart, and enumeration."""

import math

import numpy as np
import pytest
from scipy import stats

from riskkit.errors import DesignError
from riskkit.stats.optimal import CLOSE, MeanLaw, optimal, optimal_together
from tests.stats.test_optimal import coin, law


def counted(coins: list[tuple[float, float]], rows: list[int]) -> float:
    """The AUC of the best attack on so many tosses of each coin, from the binomials."""
    chances, logs = np.ones((2, 1)), np.zeros(1)
    for (inside, outside), n in zip(coins, rows, strict=True):
        yes = np.arange(n + 1)
        pair = np.stack([stats.binom.pmf(yes, n, inside), stats.binom.pmf(yes, n, outside)])
        ratios = yes * math.log(inside / outside) + (n - yes) * math.log((1 - inside) / (1 - outside))
        chances = (chances[:, :, None] * pair[:, None, :]).reshape(2, -1)
        logs = np.add.outer(logs, ratios).ravel()
    order = np.argsort(np.round(logs, 9), kind="stable")
    values, first = np.unique(np.round(logs, 9)[order], return_index=True)
    high, low = (np.add.reduceat(side[order], first) for side in chances)
    assert len(values) == len(high)
    return float(high @ (np.cumsum(low) - low / 2))


@pytest.mark.parametrize(
    ("coins", "rows"),
    [
        ([(0.51, 0.5), (0.6, 0.5)], [100, 10]),
        ([(0.02, 0.01), (0.3, 0.31), (0.7, 0.6)], [50, 20, 3]),
        ([(0.1, 0.2)], [30]),
    ],
)
def test_coins_of_different_tables_against_binomials(coins: list[tuple[float, float]], rows: list[int]) -> None:
    best = optimal_together([coin(*chances) for chances in coins], rows)
    assert best.auc == pytest.approx(counted(coins, rows), abs=CLOSE)


def test_one_law_taken_apart_is_the_law() -> None:
    tossed = law(np.array([0.2, 0.3, 0.4, 0.1]), np.array([0.25, 0.3, 0.45, 0.0]))
    whole, apart = optimal(tossed, 12), optimal_together([tossed, tossed, tossed], [3, 4, 5])
    assert apart.auc == pytest.approx(whole.auc, abs=1e-9)
    assert apart.proof_in == pytest.approx(1 - 0.9**12)


def test_proofs_of_different_tables_are_looked_for_in_each() -> None:
    first = law(np.array([0.1, 0.9]), np.array([0.0, 1.0]))
    second = law(np.array([0.3, 0.7]), np.array([0.0, 1.0]))
    best = optimal_together([first, second], [2, 3])
    assert best.proof_in == pytest.approx(1 - 0.9**2 * 0.7**3)


def test_a_release_where_every_row_is_a_proof() -> None:
    certain = law(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert optimal_together([certain, coin(0.5, 0.5)], [1, 5]).auc == pytest.approx(1.0)


def test_thousands_of_rows_do_not_run_out_of_digits() -> None:
    best = optimal_together([coin(0.9, 0.1), coin(0.8, 0.2)], [50_000, 50_000])
    assert best.auc == pytest.approx(1.0)
    assert best.proof_in == 0.0


@pytest.mark.parametrize("rows", [[], [1], [1, 0]])
def test_what_cannot_be_is_refused(rows: list[int]) -> None:
    with pytest.raises(DesignError):
        MeanLaw([coin(0.6, 0.5), coin(0.6, 0.5)], rows)
