"""The certificate of MST against the law of all that it draws, integrated numerically on binary columns."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from scipy import special, stats

from riskkit.generators import mst as msts
from riskkit.generators.engines.noisy_counts import Exponential
from riskkit.generators.mst import Mst
from riskkit.stats.composition import compose
from tests.generators import plain_mst as plain
from tests.generators.plain_private import Rows, rho
from tests.generators.test_privbayes import categories

BUDGETS = (0.5, 1.0, 3.0, 10.0)
DELTA = 0.01


def small(seed: int) -> tuple[Rows, int, float]:
    """A table of 2 to 84 rows of three binary columns, or four now and then, with many copies; a row; an epsilon.

    Where few rows have a level, the noise hides it and MST puts levels together: then picks say nothing. Of tables with
    more rows they say something, where pairs of columns are nearly as strong.
    """
    rng = np.random.default_rng([seed, 11])
    n, columns = int(rng.integers(2, 15)), 4 if seed % 10 == 9 else 3
    first = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    rest = [np.where(rng.random(n) < rng.random(), first, rng.random(n) < rng.random()) for _ in range(columns - 1)]
    rows = [tuple(map(int, row)) for row in np.stack([first, *rest], axis=1)]
    return rows * int(rng.choice([1, 2, 6])), int(rng.integers(n)), float(rng.choice(BUDGETS))


def integrated(tables: int, less: float = 1.0, sensitivity: float = 1.0) -> np.ndarray:
    """(tables, 3) the certificate, the best attack's AUC and its numerical error."""
    out = []
    for seed in range(tables):
        rows, gone, epsilon = small(seed)
        columns = len(rows[0])
        noise = plain.Noise.of(rho(epsilon, DELTA), columns, less, sensitivity)
        certified = compose(Mst(epsilon=epsilon, delta=DELTA).losses("add-one", len(rows), columns)).auc
        out.append([certified, *plain.best_auc(rows, gone, noise)])
    return np.array(out)


def judged(results: np.ndarray) -> tuple[int, float]:
    """How many truths lie above their certificate by more than 5 errors; and the root mean square of the errors."""
    error = float(np.sqrt((results[:, 2] ** 2).mean()))
    return int((results[:, 1] > results[:, 0] + 5 * np.maximum(results[:, 2], error)).sum()), error


def test_two_columns_have_the_closed_form() -> None:
    """There is one tree: two normal steps, and nothing is picked."""
    for epsilon in BUDGETS:
        noise = plain.Noise.of(rho(epsilon, DELTA), 2)
        mu = math.sqrt(2 / noise.column**2 + 1 / noise.pair**2)
        closed = float(special.ndtr(mu / math.sqrt(2)))
        truth, error = plain.best_auc([(0, 0), (0, 1), (1, 1)], 1, noise)
        assert abs(truth - closed) < 5 * error + 2e-4
        assert compose(Mst(epsilon=epsilon, delta=DELTA).losses("add-one", 3, 2)).auc == pytest.approx(closed, abs=5e-4)


def test_trees_are_counted() -> None:
    """Of three columns 3 x 2 orders; of four the 16 trees of Cayley, each in 3! orders."""
    assert len(plain.trees(3)) == 6
    ways = plain.trees(4)
    assert len(ways) == 96
    assert set(Counter(frozenset(pick for pick, _ in way) for way in ways).values()) == {6}


def test_no_attack_on_mst_is_above_its_certificate() -> None:
    results = integrated(8)
    assert judged(results)[0] == 0
    assert results[:, 0].mean() - 0.05 < results[:, 1].mean() < results[:, 0].mean()


@pytest.mark.slow
def test_no_attack_on_mst_is_above_its_certificate_on_a_thousand_tables() -> None:
    """The worst table is not every table, and not far away: the nearest of 1,000 is .007 below."""
    results = integrated(1_000)
    above, error = judged(results)
    assert above == 0
    assert error < 2e-4
    assert results[:, 0].mean() - 0.05 < results[:, 1].mean() < results[:, 0].mean()
    assert (results[:, 0] - results[:, 1]).min() < 0.01


@pytest.mark.second
@pytest.mark.parametrize(("less", "sensitivity"), [(0.5, 1.0), (0.8, 1.0), (1.0, 1 / 8)])
def test_a_method_that_gives_more_away_is_seen(less: float, sensitivity: float) -> None:
    """Planted: half of the noise, four fifths of it, and a sensitivity of an eighth of a row."""
    assert judged(integrated(30, less, sensitivity))[0] >= 5


def picks_agree(rows: Rows, epsilon: float, fits: int) -> float:
    """The p-value (chi-square) of how often fits of the program picked each tree, by the integrated law of picks."""
    columns, rng, generator = len(rows[0]), np.random.default_rng(len(rows)), Mst(epsilon=epsilon, delta=DELTA)
    pairs, table = list(combinations(range(columns), 2)), categories(rows, (2,) * columns)
    seen = Counter(tuple(pairs[pick] for pick in generator.fit(table, rng).drawn.picks) for _ in range(fits))
    chance = plain.picked(rows, plain.Noise.of(rho(epsilon, DELTA), columns))
    ways = [tuple(pick for pick, _ in way) for way in plain.trees(columns)]
    assert set(seen) <= set(ways)
    return float(stats.chisquare([seen[way] for way in ways], fits * chance / chance.sum()).pvalue)


LEANING = [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)]
"""The first two columns lean on each other; of so few rows the noise often hides levels, and picks are nearly even."""
WEAK = [
    (a, b, c)
    for (a, b, c), n in zip(product((0, 1), repeat=3), (4, 2, 2, 2, 2, 3, 2, 3), strict=True)
    for _ in range(n)
]
"""Every pair leans a little: how sure picks are shows in how often each tree is picked."""


def test_fits_pick_by_the_law_that_was_integrated() -> None:
    assert picks_agree(WEAK, 10.0, 300) > 1e-4


@pytest.mark.second
@pytest.mark.parametrize(
    "fault", ["", pytest.param("picks twice too sure", marks=pytest.mark.slow), "levels not put together"]
)
def test_fits_that_pick_by_another_law_are_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault.startswith("picks"):
        monkeypatch.setattr(msts, "Exponential", lambda epsilon, moved, rng: Exponential(2 * epsilon, moved, rng))
    elif fault:
        monkeypatch.setattr(msts, "SEEN", -math.inf)
    cases = [(LEANING, 10.0), (LEANING * 3, 3.0), (LEANING * 6, 1.0), (WEAK, 10.0), (WEAK * 2, 3.0)]
    worst = min(picks_agree(rows, epsilon, 1_000) for rows, epsilon in cases)
    assert (worst < 1e-6) == bool(fault), worst
