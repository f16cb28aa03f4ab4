"""Guesses in one training, where epsilon is known: how often the bound is wrong, how near it comes, and faults planted.

Each mechanism is played 1,000 times; wrong in more than 5 % and four standard errors of that fails.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from riskkit.core import Bools, Floats, Table
from riskkit.games.one_run import deal
from riskkit.generators.mst import Mst
from riskkit.seeds import stream
from riskkit.stats.one_run import Guesses, grade, one_run, one_run_epsilon, one_run_gaussian, tries
from riskkit.stats.privacy import gaussian_epsilon
from tests.tables import from_frame

pytestmark = pytest.mark.second

RUNS, MOST = 1_000, 0.05
TOO_OFTEN = MOST * RUNS + 4 * math.sqrt(MOST * (1 - MOST) * RUNS)
EPSILON = 1.0
DELTA = 1e-5
Mechanism = Callable[[Bools, np.random.Generator], Floats]


def randomised_response(is_in: Bools, rng: np.random.Generator) -> Floats:
    """Each coin is told, and turned round with chance 1 / (1 + e)."""
    return np.where(rng.random(len(is_in)) < 1 / (1 + math.e), ~is_in, is_in).astype(float)


def laplace(is_in: Bools, rng: np.random.Generator) -> Floats:
    """Each coin with Laplace noise of scale 1."""
    return is_in + rng.laplace(0.0, 1.0, len(is_in))


def gaussian(is_in: Bools, rng: np.random.Generator) -> Floats:
    """Each coin with normal noise of standard deviation 1: mu 1, epsilon 4.377 at delta 1e-5."""
    return is_in + rng.normal(0.0, 1.0, len(is_in))


def leaky(is_in: Bools, rng: np.random.Generator, delta: float = 0.01) -> Floats:
    """Randomised response that tells a row in full, and says so, with chance delta: (1, delta)-private."""
    return np.where(rng.random(len(is_in)) < delta, 10.0 * np.where(is_in, 1, -1), randomised_response(is_in, rng))


def played(mechanism: Mechanism, rows: int, name: str, seed: int, sides: Sequence[int] = ()) -> list[Guesses]:
    """The guesses of one audit: coins, one outcome, and as many guesses a side."""
    rng = stream(seed, "one run", name, rows)
    is_in = rng.random(rows) < 0.5
    scores = mechanism(is_in, rng)
    return [grade(scores, is_in, side, side, rng) for side in sides or tries(rows)]


@pytest.mark.parametrize("rows", [100, 1_000])
@pytest.mark.parametrize(
    ("mechanism", "truth", "delta"),
    [(randomised_response, EPSILON, 0.0), (laplace, EPSILON, 0.0), (gaussian, gaussian_epsilon(1.0, DELTA), DELTA)],
)
def test_the_bound_is_seldom_above_the_truth(mechanism: Mechanism, truth: float, delta: float, rows: int) -> None:
    over = {"tried": 0, "fixed": 0}
    for seed in range(RUNS):
        guessed = played(mechanism, rows, mechanism.__name__, seed)
        over["tried"] += one_run(rows, guessed, delta=delta).value > truth
        over["fixed"] += one_run(rows, guessed[1:2], delta=delta).value > truth
    assert over["tried"] <= TOO_OFTEN, over
    assert over["fixed"] <= TOO_OFTEN, over


def test_the_bound_for_normal_noise_is_seldom_above_the_truth() -> None:
    truth = gaussian_epsilon(1.0, DELTA)
    over = sum(
        one_run_gaussian(300, played(gaussian, 300, "normal", seed), delta=DELTA).value > truth for seed in range(RUNS)
    )
    assert over <= TOO_OFTEN, over


def test_a_row_told_in_full_breaks_no_promise_of_delta() -> None:
    """The fault planted: delta forgotten. Then a promise that is kept is said to be broken."""
    kept = forgotten = 0
    for seed in range(RUNS):
        guessed = played(leaky, 1_000, "leaky", seed, (10,))
        kept += one_run(1_000, guessed, delta=0.01).value > EPSILON
        forgotten += one_run(1_000, guessed).value > EPSILON
    assert kept <= TOO_OFTEN, kept
    assert forgotten > 2 * TOO_OFTEN, forgotten


def test_the_best_of_several_numbers_of_guesses_must_be_allowed_for() -> None:
    """The faults planted: the best number of guesses is taken as if it had been fixed; abstentions count as right."""
    best = abstained = 0
    for seed in range(RUNS):
        guessed = played(randomised_response, 200, "best", seed, range(5, 100, 2))
        best += max(one_run_epsilon(200, guesses.n_guesses, guesses.right) for guesses in guessed) > EPSILON
        middle = guessed[22]
        abstained += one_run(200, [Guesses(100, 100, middle.right + 200 - middle.n_guesses)]).value > EPSILON
    assert best > 2 * TOO_OFTEN, best
    assert abstained > 2 * TOO_OFTEN, abstained


def test_coins_that_were_known_show_what_is_not_there() -> None:
    """The fault planted: the audit rows are always in. Who says so is always right, by no fault of a method."""
    is_in = np.ones(200, dtype=bool)
    assert one_run(200, [grade(np.zeros(200), is_in, 200, 0, stream(1, "known"))]).value > 4
    rng = stream(2, "known")
    coins = rng.random(200) < 0.5
    assert one_run(200, [grade(np.zeros(200), coins, 200, 0, rng)]).value == 0.0


@pytest.mark.parametrize(
    ("mechanism", "rows", "least", "most"),
    [
        (randomised_response, 1_000, 0.75, 0.90),
        (randomised_response, 10_000, 0.90, 0.97),
        (laplace, 1_000, 0.68, 0.85),
        (laplace, 10_000, 0.90, 0.97),
    ],
)
def test_much_of_epsilon_is_shown(mechanism: Mechanism, rows: int, least: float, most: float) -> None:
    """Of epsilon 1, the median over 60 audits."""
    shown = np.median([one_run(rows, played(mechanism, rows, "near", seed)).value for seed in range(60)])
    assert least < shown < most, shown


@pytest.mark.parametrize(
    ("rows", "audits", "plain", "normal"),
    [
        (1_000, 20, (0.30, 0.42), (0.42, 0.58)),
        (10_000, 7, (0.40, 0.52), (0.58, 0.74)),
        pytest.param(10_000, 20, (0.40, 0.52), (0.58, 0.74), marks=pytest.mark.slow),
    ],
)
def test_less_is_shown_of_normal_noise(
    rows: int, audits: int, plain: tuple[float, float], normal: tuple[float, float]
) -> None:
    """Of epsilon 4.377 at delta 1e-5, the median over so many audits; more of it by the curve of normal noise."""
    truth = gaussian_epsilon(1.0, DELTA)
    every = [played(gaussian, rows, "near", seed) for seed in range(audits)]
    shown = np.median([one_run(rows, guessed, delta=DELTA).value for guessed in every]) / truth
    assert plain[0] < shown < plain[1], shown
    shown = np.median([one_run_gaussian(rows, guessed, delta=DELTA).value for guessed in every]) / truth
    assert normal[0] < shown < normal[1], shown


def of_levels(rows: int, columns: int, levels: int, seed: int) -> Table:
    """Different rows whose values are even and say nothing of each other."""
    drawn = stream(seed, "levels").integers(levels, size=(rows, columns))
    return from_frame(pd.DataFrame(drawn, columns=list("abcdefgh")[:columns]).astype(str).drop_duplicates())


def audited(table: Table, mst: Mst, most: int, seed: int, delta: float) -> tuple[float, float]:
    """The bound of one training of MST, and the share of right guesses where fewest are made.

    The auditor sees the model: how likely it makes a row, beside the exact counts of all other rows.
    """
    game = deal(table, most=most, made=False, relation="add-one", n_syn=0, seed=seed)
    scores = game.by_model(game.train(mst), Mst(epsilon=1e6).fit(game.others, game.rng("beside")))
    guessed = [grade(scores, game.is_in, side, side, game.rng("ties")) for side in tries(len(scores))]
    return one_run(len(scores), guessed, delta=delta).value, guessed[-1].right / guessed[-1].n_guesses


def test_mst_is_seldom_said_to_break_its_promise() -> None:
    table = of_levels(200, 3, 8, 1)
    audits = np.array([audited(table, Mst(epsilon=1.0, delta=DELTA), 80, seed, DELTA) for seed in range(RUNS)])
    assert (audits[:, 0] > 1.0).sum() <= TOO_OFTEN
    assert abs(audits[:, 1].mean() - 0.5) < 0.1


def in_cells(rows: int, levels: int) -> Table:
    """Rows of two columns, each alone in its cell: what MST counts of the pair is a noisy coin for every row."""
    cell = stream(1, "cells").permutation(levels**2)[:rows]
    return from_frame(pd.DataFrame({"a": cell // levels, "b": cell % levels}).astype(str))


@pytest.mark.parametrize(
    ("rows", "levels", "audits", "least", "most"),
    [
        (1_000, 50, 3, 0.9, 1.4),
        pytest.param(1_000, 50, 10, 0.9, 1.4, marks=pytest.mark.slow),
        pytest.param(10_000, 150, 3, 1.3, 1.8, marks=pytest.mark.slow),
    ],
)
def test_some_is_shown_of_mst(rows: int, levels: int, audits: int, least: float, most: float) -> None:
    """Of epsilon 10 at delta 1e-6; the noise that is added has 7.40. The median of so many audits, and none above."""
    table, mst = in_cells(2 * rows, levels), Mst(epsilon=10.0, delta=1e-6)
    shown = [audited(table, mst, rows, seed, 1e-6)[0] for seed in range(audits)]
    assert least < np.median(shown) < most, shown
    assert max(shown) < 7.4, shown


@pytest.mark.parametrize("audits", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_mst_with_too_little_noise_is_caught(audits: int) -> None:
    """The fault planted: it promises epsilon 1 and adds the noise of 10,000."""
    table = of_levels(800, 8, 30, 2)
    shown = [audited(table, Mst(epsilon=1e4, delta=DELTA), 400, seed, DELTA)[0] for seed in range(audits)]
    assert min(shown) > 2.0, shown


def test_guesses_by_chance_show_nothing_in_95_of_100() -> None:
    """P-values of nothing at all: the share of audits that show any epsilon."""
    over = sum(
        one_run(500, played(lambda is_in, rng: rng.random(len(is_in)), 500, "nothing", seed)).value > 0
        for seed in range(RUNS)
    )
    assert over <= stats.binom.ppf(1 - 1e-5, RUNS, MOST)
