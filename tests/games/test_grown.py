"""Releases of a table that grows: the worlds of the game, and the best attack played on them."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.games.records import Deal, FixedTable
from riskkit.games.several_releases import Grown, stages
from riskkit.generators.bayesnet import BayesNet
from tests.questions.records.enumeration import coded, fits_of
from tests.questions.records.test_yearly import best, grown

N = 3


def same(table: Table, two: Table) -> bool:
    return np.array_equal(table.codes, two.codes) and np.array_equal(table.numbers, two.numbers, equal_nan=True)


def test_every_stage_lacks_whoever_is_left_out() -> None:
    first, last = grown(3)
    rows = len(first), len(last)
    with_all, without = stages(last, rows, len(last)), stages(last.without(1), rows, len(last))
    assert [len(stage) for stage in with_all] == list(rows)
    assert same(with_all[0], first)
    assert same(without[0], first.without(1))
    assert same(without[1], last.without(1))


def test_a_table_that_is_no_stage_is_refused() -> None:
    with pytest.raises(DesignError, match="is no stage"):
        stages(grown(3)[1], (2, 3), 3)


@pytest.mark.parametrize("spelled", ["bayesnet", "histogram", "copula"])
def test_giving_up_a_row_of_every_stage_is_the_fit_without_it(spelled: str) -> None:
    """To the bit, for methods whose fit draws nothing: of tables that grew."""
    method = registry.parse("generators", spelled)
    for seed in (11, 12, 13):
        first, last = grown(seed)
        if len(first) < 5:
            continue
        made = Grown(method, (len(first), len(last)))
        rng = np.random.default_rng
        fitted: Any = made.fit(last, rng(1))
        if not hasattr(fitted, "without"):
            continue
        less, refit = fitted.without(2), made.fit(last.without(2), rng(1))
        assert same(less.sample(20, rng(5)), refit.sample(20, rng(5)))


def likelier(release: Table, fits: list[tuple[dict[Any, float], dict[Any, float]]]) -> float:
    """How much likelier the release is with the person than without, in logarithms, year by year and row by row."""
    rows, _ = coded(release, BayesNet().bins)
    total = 0.0
    for index, row in enumerate(rows):
        inside, outside = fits[index // N]
        pair = inside.get(row, 0.0), outside.get(row, 0.0)
        if pair[0] != pair[1]:  # a row that neither can put out says nothing
            with np.errstate(divide="ignore"):
                total += float(np.log(pair[0]) - np.log(pair[1]))
    return total


def played(seed: int, rows: tuple[int, int], trainings: int = 400) -> tuple[float, float, float]:
    """AUC of the likelihood ratio on releases that the game makes, its standard error, and the truth by enumeration."""
    first, last = grown(seed)
    game = FixedTable(Deal(Grown(BayesNet(), rows), 2 * N, seed, ("grown",)), last)
    fits = [fits_of(BayesNet(), table, 0) for table in (first, last)]
    inside: Floats = np.array([likelier(game.shared("counted", index), fits) for index in range(trainings)])
    outside = np.array([likelier(release, fits) for release in game.own(0, "counted", range(trainings))])
    inside, outside = np.round(inside, 9), np.round(outside, 9)
    wins = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
    error = np.sqrt(wins.mean(axis=1).var() / trainings + wins.mean(axis=0).var() / trainings)
    return float(wins.mean()), float(error), truths()[seed]


@cache
def truths() -> dict[int, float]:
    """The AUC by enumeration, by the seed of a small table; eight of those whose pairs of releases can be listed."""
    listed = ((seed, best(grown(seed), BayesNet(), 0, N)) for seed in range(30))
    return dict(islice(((seed, attack[0].auc) for seed, attack in listed if attack and attack[1] == N), 8))


def yearly(seed: int) -> tuple[int, int]:
    """How many rows its table has in the first year and in the last."""
    first, last = grown(seed)
    return len(first), len(last)


def away(seed: int, rows: tuple[int, int]) -> float:
    """By how many standard errors the game is off the truth."""
    auc, error, truth = played(seed, rows)
    return abs(auc - truth) / max(error, 1e-9) if abs(auc - truth) > 1e-9 else 0.0


@pytest.mark.second
def test_the_best_attack_played_on_a_grown_table_reaches_what_enumeration_says() -> None:
    errors = [away(seed, yearly(seed)) for seed in truths()]
    assert len(errors) > 5
    assert max(errors) < 3.5


@pytest.mark.second
def test_a_game_that_fits_the_last_table_every_year_is_seen() -> None:
    """The fault that the test above is there to catch."""
    assert any(away(seed, (yearly(seed)[1],) * 2) > 5 for seed in truths()), "one table is enough"
