"""What a contest costs and could show, told before it is played."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import hypergeom

from riskkit.errors import DesignError
from riskkit.questions.contest.run import forecast_contest
from riskkit.questions.contest.words import could_show
from tests.games.test_contest import wide
from tests.questions.contest.test_contest import BASE, PLAN, files


def test_releases_of_all_rounds_are_counted_and_the_loaded_one_among_them() -> None:
    forecast = forecast_contest(BASE, replace(PLAN, attackers=("distance",), rounds=5))
    assert (forecast.releases, forecast.attackers) == (11, 1), "the planted control is one of them"
    assert forecast.seconds > 0
    table = wide(300)
    people = files(table.rows(np.arange(150)), table.rows(np.arange(150)), table.rows(np.arange(150, 300)))
    assert forecast_contest(people, replace(PLAN, source="people", anonymisers=("stat",))).releases == 3


def test_what_the_run_would_refuse_is_refused_here() -> None:
    with pytest.raises(DesignError, match="load a holdout"):
        forecast_contest(BASE, replace(PLAN, source="people"))


@pytest.mark.parametrize("attackers", [1, 6])
@pytest.mark.parametrize(("population", "members", "guesses"), [(100_000, 10_000, 100), (600, 300, 30)])
def test_the_fewest_hits_that_show_a_leak_are_those_of_the_hypergeometric_test(
    population: int, members: int, guesses: int, attackers: int
) -> None:
    law = hypergeom(population, members, guesses)
    least = next(k for k in range(guesses + 1) if law.sf(k - 1) < 0.05 / 2 / attackers)
    sentence = could_show(population, members, guesses, attackers, 0.95)
    assert f"shown if the best attacker has {least} hits or more" in sentence
    assert f"finds {guesses * members / population:.1f}" in sentence


def test_where_no_number_of_hits_can_show_anything_it_says_so() -> None:
    assert "No number of hits could show a leak" in could_show(10, 9, 3, 1, 0.95)
