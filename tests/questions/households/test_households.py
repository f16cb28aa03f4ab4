"""Households by how surely they were told: known answers, whoever names them, what is refused, and how it is judged."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Estimate, Kind, Role
from riskkit.errors import Cancelled, DesignError
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Verdict
from riskkit.phrases import with_phrases
from riskkit.questions.households import question
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import forecast, homes, run_households
from riskkit.questions.households.result import Counts, HouseholdCounts, HouseholdsResult, Planted, Standing
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, tables_of
from riskkit.table.read.csv_text import read_csv
from tests.judged import judged, reported
from tests.pages.screens import csv

PLAN = HouseholdsPlan("home", ("identity", "stat"), ("distance",), sample=150, asked=20)
HOUSEHOLD = ColumnChoice(role=Role.HOUSEHOLD)
NAMED = (None, ColumnChoice(kind=Kind.ID), HOUSEHOLD)
"""What may be decided about the column: nothing, that it identifies, that it names the household."""


def tables(
    rows: int = 300, each: int = 5, form: str = "h{}", chosen: ColumnChoice | None = None, without: tuple[int, ...] = ()
) -> Tables:
    """People of whom so many, one after the other, live together; those of ``without`` name no household."""
    head, *lines = csv(rows, 0).decode().splitlines()
    named = [f"{line},{'' if row in without else form.format(row // each)}" for row, line in enumerate(lines)]
    text = read_csv("\n".join([f"{head},home", *named]).encode(), name="real.csv")
    return tables_of({"real": text}, {} if chosen is None else {"home": chosen})


def test_the_sample_itself_is_told_and_an_independent_release_is_not() -> None:
    result = run_households(tables(), replace(PLAN, level=0.999))
    assert [score.labels["anonymiser"] for score in result.estimates] == ["identity", "stat"]
    assert result.estimates[0].value == result.controls[0].score.value == 1.0
    assert result.estimates[1].low <= 0.5 <= result.estimates[1].high
    assert result.controls[0].is_found
    assert result.households == HouseholdCounts(20, 10, 100)
    assert result.counts == Counts(300, 150, 150)
    assert result.notes == ()
    kept = json.loads(json.dumps(with_phrases(result.plain())))
    assert HouseholdsResult.from_plain(kept).plain() == result.plain(), "a result that was read is as it was"


def test_whoever_names_the_households_the_numbers_are_the_same() -> None:
    """A column in use, one of numbers, one that identifies, one with the role; nobody else sees any of them."""
    wanted = run_households(tables(), PLAN).estimates
    assert run_households(tables(chosen=ColumnChoice(kind=Kind.ID)), PLAN).estimates == wanted
    assert run_households(tables(chosen=HOUSEHOLD), replace(PLAN, household="")).estimates == wanted
    numbers = run_households(tables(form="{}"), PLAN)
    assert numbers.estimates == run_households(tables(form="{}", chosen=ColumnChoice(kind=Kind.ID)), PLAN).estimates
    for chosen in NAMED:
        table, household = homes(tables(chosen=chosen), "home")
        assert "home" not in [column.name for column in table.schema.modelled]
        assert (np.bincount(household) == 5).all()


def test_who_names_no_household_lives_alone() -> None:
    """Rows without a name are no household of strangers; planted: taken as one they would be the largest of all."""
    for chosen in NAMED:
        _, household = homes(tables(without=tuple(range(290, 300)), chosen=chosen), "home")
        assert sorted(np.bincount(household).tolist()) == [1] * 10 + [5] * 58


@pytest.mark.parametrize(
    ("changed", "chosen", "says"),
    [
        ({"household": ""}, None, "Name the column that says who lives together"),
        ({"household": "nobody"}, None, "has no column 'nobody'"),
        ({}, ColumnChoice(role=Role.IGNORED), "out of use"),
        ({"least": 9}, None, "households have 9 rows or more"),
        ({"sample": 20}, None, "A sample of 20 rows cannot hold"),
        ({"anonymisers": ()}, None, "name an anonymiser"),
        ({"attackers": ()}, None, "name an attacker"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_run_and_forecast(
    changed: dict[str, Any], chosen: ColumnChoice | None, says: str
) -> None:
    made, plan = tables(chosen=chosen), replace(PLAN, **changed)
    with pytest.raises(DesignError, match=says):
        run_households(made, plan)
    if plan.anonymisers and plan.attackers:
        with pytest.raises(DesignError, match=says):
            forecast(made, plan)


def test_a_forecast_counts_releases_and_says_what_could_be_shown() -> None:
    foreseen = forecast(tables(600), replace(PLAN, sample=0))
    assert foreseen.numbers == {"releases": 3, "attackers": 1}, "the planted control is one of them"
    assert foreseen.seconds > 0
    assert foreseen.could_show.startswith("120 households of 5 people or more; 20 are asked about, half of them in. ")


def test_it_tells_how_far_it_is_and_can_be_cancelled() -> None:
    steps: list[tuple[int, int]] = []
    run_households(tables(), PLAN, progress=lambda now: steps.append((now.done, now.total)))
    assert steps == sorted(set(steps)), "it goes forward only"
    assert (steps[0], steps[-1]) == ((0, 3), (3, 3)), "the planted control is one of them"
    with pytest.raises(Cancelled):
        run_households(tables(), PLAN, cancelled=lambda: True)


def scored(low: float, value: float, high: float, *, is_found: bool = True) -> HouseholdsResult:
    about = {"anonymiser": "x", "attacker": "a"}
    score = Estimate("snake", value, low, high, 0.95, "by hand", 40, about)
    planted = Planted(Estimate("snake", 0.9, 0.8, 1.0, 0.95, "by hand", 40, about), is_found)
    standing = Standing.measure("x", {"a": score}, {"a": score})
    return HouseholdsResult(
        HouseholdsPlan("home"),
        (score,),
        Counts(400, 200, 200),
        HouseholdCounts(40, 20, 200),
        (standing,),
        (planted,),
        (),
    )


@pytest.mark.parametrize(
    ("ends", "verdict", "says"),
    [
        ((0.6, 0.7, 0.8), Verdict.LEAK, "more than guessing explains"),
        ((0.4, 0.5, 0.6), Verdict.UNDECIDED, "not shown to be more than guessing"),
        ((0.2, 0.3, 0.4), Verdict.UNDECIDED, "evasion and no protection"),
    ],
)
def test_households_are_judged_by_their_score(ends: tuple[float, float, float], verdict: Verdict, says: str) -> None:
    result = scored(*ends)
    (standing,) = result.standings
    measured = question.claim(standing, result)
    assert (measured.scale, measured.guess, measured.made) == ("score", 0.5, 40)
    assert judge(measured, None).verdict is verdict
    assert says in question.sentence(standing, result)


def test_a_finding_is_about_methods_and_says_each_of_them() -> None:
    result = run_households(tables(), PLAN)
    ((finding, _),) = judged(result.plain(), PLAN)
    assert finding.what_if
    assert finding.sentence == (
        "With 1 of 2 methods tried, an attacker recognises which of 20 households are in the data, most surely with "
        "The table itself (calibration): a score of 1.00 (guessing 0.50, always right 1.00)."
    )
    assert finding.change.startswith("With Mean and covariance (OMTH17) it is undecided: ")
    assert [judge(part.measured, None).verdict for part in finding.parts] == [Verdict.LEAK, Verdict.UNDECIDED]
    assert finding.extra[0].startswith("The table itself (calibration): Contest's nearest record scores 1.00 [")
    assert "on 20 households (guessing 0.50), more than guessing explains." in finding.extra[0]
    assert "Planted control, the sample itself as a release: " in finding.extra[2]
    assert finding.chart is not None
    assert [bar.who for bar in finding.chart.bars] == ["The table itself (calibration)", "Mean and covariance (OMTH17)"]
    (answer,) = (answer for answer in reported(result.plain(), PLAN, 0.6).answers if answer.question == "households")
    assert answer.finding is None
    assert answer.what_ifs[0].judgement.verdict is Verdict.ABOVE


def test_of_one_method_no_other_is_advised_and_without_a_leak_none_is_named() -> None:
    for low, says in ((0.6, "a score of 0.70"), (0.4, "No attacker is shown to recognise households")):
        result = scored(low, 0.7, 0.8)
        ((finding, _),) = judged(result.plain(), result.plan)
        assert says in finding.sentence
        assert finding.change == ""


def test_nothing_that_could_be_played_is_said_to_be_nothing() -> None:
    result = replace(scored(0.4, 0.5, 0.6), standings=(), estimates=())
    ((finding, judgement),) = judged(result.plain(), result.plan)
    assert finding.sentence == "No release could be made."
    assert judgement.verdict is Verdict.UNDECIDED
    assert finding.chart is None
