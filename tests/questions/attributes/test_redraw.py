"""Secrets drawn anew, end to end: chance where nothing leaks, all of it where rows are repeated, and what is kept."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.errors import Cancelled, DesignError, ParameterError
from riskkit.games.randomised_secret import RandomisedSecret
from riskkit.jobs.pool import Progress
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import forecast_attributes, run_attributes
from riskkit.questions.attributes.redraw import MOST_OF_TABLE, chosen_people
from riskkit.stats.inference import randomised_estimates
from tests.questions.attributes.test_attributes import TREE, apart, result

PLAN = AttributePlan(("job",), (("place", "weight"),), model=TREE, randomised=20, generator="independent")


def again(plan: AttributePlan, n: int = 400, **how: Any) -> dict[str, Any]:
    kept = result(apart(n), plan, **how)
    (randomised,) = kept["randomised"]
    return {**randomised, **{e["name"]: e for e in kept["estimates"] if e.get("trained_on") == "rerun"}}


def test_marginals_alone_give_nobody_away() -> None:
    drawn = again(PLAN)
    gain = drawn["randomised_gain"]
    assert gain["low"] < 0 < gain["high"] < 0.1
    assert not drawn["shown"]
    assert "That a person's own row leaks is not shown; a gain of up to" in drawn["sentence"]
    assert gain["n"] == 20
    assert gain["generator"] == "independent"


@pytest.mark.parametrize("secret", ["job", "pay"])
def test_a_release_that_repeats_its_rows_gives_every_draw_away(secret: str) -> None:
    drawn = again(replace(PLAN, generator="identity", randomised=5, secrets=(secret,)))
    assert drawn["shown"]
    assert drawn["randomised_gain"]["low"] > 0.4
    assert "randomised_success" not in drawn or drawn["randomised_success"]["value"] == 1.0
    assert "what leaks is a person's own row" in drawn["sentence"]
    assert "In 5 new trainings of identity, 40 people had their" in drawn["sentence"]


def test_grading_the_persons_own_secret_would_call_the_population_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: half the people keep their secret, and ``place`` tells something of everybody's job."""
    plan = replace(PLAN, known=(("place",),), generator="bayesnet", model="tree:leaf=20")
    assert not again(plan, 1500)["shown"]

    honest = RandomisedSecret.redraw

    def own(game: RandomisedSecret, rng: np.random.Generator) -> tuple[Any, Any]:
        table, drawn = honest(game, rng)
        return table, np.where(np.arange(len(drawn)) % 2, drawn, game.table.codes[game.targets, 1])

    monkeypatch.setattr(RandomisedSecret, "redraw", own)
    assert again(plan, 1500)["shown"]


def test_a_secret_more_moves_no_number_of_another() -> None:
    tables, short = apart(200), replace(PLAN, randomised=5)
    alone = result(tables, short)["randomised"][0]
    beside = result(tables, replace(short, secrets=("pay", "job")))["randomised"][1]
    assert alone["sentence"] == beside["sentence"]


def test_at_most_a_tenth_of_the_rows_get_another_secret_whatever_the_order_of_the_file() -> None:
    real = apart(300).real
    rows = chosen_people(real, PLAN)
    assert len(rows) == 30 == int(MOST_OF_TABLE * 300)
    assert len(chosen_people(real, replace(PLAN, targets=7))) == 7
    mixed = real.rows(np.random.default_rng(0).permutation(300))
    keys = np.sort(real.keys()[rows])
    assert np.array_equal(keys, np.sort(mixed.keys()[chosen_people(mixed, PLAN)]))


def test_several_questions_are_allowed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[float] = []
    whole = randomised_estimates

    def spied(*arguments: Any, level: float, **how: Any) -> Any:
        levels.append(level)
        return whole(*arguments, level=level, **how)

    monkeypatch.setattr("riskkit.questions.attributes.redraw.randomised_estimates", spied)
    result(apart(200), replace(PLAN, secrets=("job", "pay"), randomised=5))
    np.testing.assert_allclose(levels, [0.95, 0.975] * 2)


def test_what_cannot_be_trained_is_a_note_and_the_rest_stands() -> None:
    tables = apart(200)
    kept = result(tables, replace(PLAN, secrets=("job", "pay"), model="cap", generator="identity", randomised=5))
    assert [question["refusal"] for question in kept["randomised"]] == ["", ""]

    def refused(*arguments: Any) -> Any:
        raise DesignError("It cannot be trained.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RandomisedSecret, "trial", refused)
        kept = result(tables, replace(PLAN, randomised=5))
    assert kept["randomised"][0]["refusal"] == "It cannot be trained."
    assert any("could not be drawn anew: It cannot be trained." in note for note in kept["notes"])
    assert kept["compared"]


def test_it_counts_its_trainings_and_stops_when_told() -> None:
    reports: list[Progress] = []
    run_attributes(apart(200), replace(PLAN, randomised=6), progress=reports.append)
    assert (reports[-1].done, reports[-1].total) == (7, 7)
    reports.clear()
    with pytest.raises(Cancelled):
        run_attributes(apart(200), PLAN, progress=reports.append, cancelled=lambda: reports[-1].done >= 4)
    assert reports[-1].done == 4


def test_the_forecast_adds_the_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which everything takes a second."""
    monkeypatch.setattr("riskkit.questions.forecasts.time.perf_counter", itertools.count().__next__)
    with_it, without = (
        forecast_attributes(apart(300), plan) for plan in (PLAN, replace(PLAN, generator="", randomised=0))
    )
    assert (with_it.numbers["trainings"], without.numbers["trainings"]) == (20, 0)
    assert with_it.seconds == without.seconds + 20
    assert forecast_attributes(apart(300), PLAN, workers=2).seconds == without.seconds + 10


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"generator": "", "randomised": 5}, "need a generator"),
        ({"randomised": 4}, "at least 5"),
    ],
)
def test_a_plan_that_cannot_be_is_a_sentence(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        replace(PLAN, **settings)
    with pytest.raises(ParameterError, match="no 'magic' in generators"):
        replace(PLAN, generator="magic")
