"""Reconstruction as a question: releases of known answer, secrets dealt anew, refusals."""

from typing import Any

import numpy as np
import pytest

from riskkit.base import stages
from riskkit.errors import DesignError
from riskkit.questions import question
from riskkit.questions.reconstruction.play import ReconstructionPlan, run_reconstruction
from riskkit.questions.standard import Effort, Situation, StewardAnswers
from tests.judged import word
from tests.statistical.test_criteria import people, together

PLAN = ReconstructionPlan(secrets=("pay", "job"), groups=5)


def tables(kind: str) -> Any:
    rng = np.random.default_rng(1)
    real, fresh, others = (people(rng, 250) for _ in range(3))
    return together(real, {"identity": real, "independent": fresh}[kind], others)


@pytest.mark.second
def test_the_people_themselves_are_found_and_others_tell_nothing() -> None:
    leak, none = (run_reconstruction(tables(kind), PLAN) for kind in ("identity", "independent"))
    assert leak.estimates[2].low > 0.1
    assert word(leak.plain(), PLAN, 0.09, tables=tables("identity")) == "above the limit"
    assert none.estimates[2].low <= 0 <= none.estimates[2].high
    assert {e.name for e in leak.estimates} == {"reconstructed", "residual"}
    shown = {(look.how, look.columns) for look in leak.shown}
    assert {columns for _, columns in shown} == {("job", "pay"), ("job",), ("pay",)}  # beside one column at a time
    assert "records" not in leak.as_dict()


@pytest.mark.second
def test_what_it_does_behind_its_units_is_said() -> None:
    heard: list[str] = []
    with stages.listener(lambda stage: heard.append(stage.words)):
        run_reconstruction(tables("independent"), PLAN)
    wanted = ["Putting secrets together", "Labels permuted", "What the numbers mean"]
    assert [words for words in dict.fromkeys(heard) if words in wanted] == wanted


@pytest.mark.second
@pytest.mark.parametrize(("generator", "leaks"), [("identity", True), ("bayesnet", False)])
def test_secrets_dealt_anew_are_told_by_the_own_row_alone(generator: str, leaks: bool) -> None:
    """A network learns what is true of people and no row: nothing is gained. A copy of the rows tells all the same."""
    plan = ReconstructionPlan(secrets=("pay", "job"), groups=5, randomised_secret=True, generator=generator)
    result = run_reconstruction(tables("independent"), plan)
    residual = result.estimates[2]
    assert (residual.low > 0) is leaks
    if not leaks:
        assert residual.low <= 0 <= residual.high
        shares = [e.value for e in result.estimates if e.name == "reconstructed" and e.labels["known"] == "job"]
        assert max(shares) < 0.35  # seven levels; what people of a town do tells nothing any more


def test_what_cannot_be_asked_is_said() -> None:
    settings: dict[str, Any]
    for settings, says in (
        ({"secrets": ("pay",)}, "single column"),
        ({"secrets": ("pay", "job"), "known": ("job",)}, "both known and secret"),
        ({"secrets": ("pay", "job"), "randomised_secret": True}, "need a generator"),
    ):
        with pytest.raises(DesignError, match=says):
            ReconstructionPlan(**settings)
    schema = tables("independent").schema
    for settings, says in (
        ({"secrets": ("pay", "nowhere")}, "no column named"),
        ({}, "At least 2 secret columns are rebuilt"),
        ({"secrets": ("pay", "job", "town", "age")}, "There is no known column"),
    ):
        with pytest.raises(DesignError, match=says):
            ReconstructionPlan(**settings).columns(schema)


def test_it_is_asked_by_itself_where_several_columns_are_secret() -> None:
    there = tables("independent")
    ask = question("reconstruction").standard
    assert ask(Situation(there, Effort.QUICK)) is None
    plan = ask(Situation(there, Effort.STANDARD, answers=StewardAnswers(secrets=("pay", "job"))))
    assert isinstance(plan, ReconstructionPlan)
    assert plan.secrets == ("pay", "job")
