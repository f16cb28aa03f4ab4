"""What a stopped run shows is the first trainings of what it would have shown, counted as what they are."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from riskkit.errors import Cancelled, DesignError
from riskkit.jobs.database import runs
from riskkit.jobs.leases import Lease, place
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.pool import Progress, keeping
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.partial import partial
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from tests.pages.runs import changed, faked
from tests.pages.screens import csv, loaded

PLAN = MembershipPlan(trainings=40, n_syn=100, targets=("selective",), control=False)
TWO = replace(PLAN, generators=("stat", "independent"))


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(), synthetic=csv(seed=1))


def stopped(audit: Audit, plan: MembershipPlan, after: int) -> Run:
    """A run of that plan that was cancelled once so many units were done."""
    run = faked(audit, "running", plan)
    base, name, path = place(run.path)
    with base.read() as connection:
        number = connection.scalar(sa.select(runs.c.number).where((runs.c.audit == name) & (runs.c.id == path)))
    reports: list[Progress] = []
    with keeping(Ledger(Lease(base, int(number or 0), 1, path))), pytest.raises(Cancelled):
        run_membership(
            audit.tables().real,
            plan,
            progress=reports.append,
            cancelled=lambda: bool(reports) and reports[-1].done >= after,
        )
    changed(run, state="cancelled")
    return run


def test_the_first_trainings_are_shown_with_their_own_number(audit: Audit) -> None:
    before = PLAN.units_a_game() - PLAN.trainings
    part_result = partial(audit, stopped(audit, PLAN, before + 22))
    whole = run_membership(audit.tables().real, PLAN).plain()
    (n,) = {game["trainings"] for game in part_result["partial"]}
    assert 22 <= n < PLAN.trainings
    assert {estimate["n"] for estimate in part_result["estimates"]} == {n}
    for part, full in zip(part_result["scores"], whole["scores"], strict=True):
        count = n * PLAN.generations
        assert part["value"] == full["value"][:count]
        assert part["is_in"] == full["is_in"][:count]
    wide, narrow = (
        next(
            estimate
            for estimate in result["estimates"]
            if estimate["name"] == "accuracy" and estimate["attack"] == "mvl"
        )
        for result in (part_result, whole)
    )
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_games_that_are_done_stand_and_those_not_begun_are_not_there(audit: Audit) -> None:
    part_result = partial(audit, stopped(audit, TWO, TWO.units_a_game() + 3))
    assert {(game["generator"], game["trainings"]) for game in part_result["partial"]} == {("stat", TWO.trainings)}
    whole = run_membership(audit.tables().real, TWO).plain()
    stat = [estimate for estimate in whole["estimates"] if estimate["generator"] == "stat"]
    assert part_result["estimates"] == stat


def test_too_few_trainings_give_a_note_and_no_number(audit: Audit) -> None:
    before = PLAN.units_a_game() - PLAN.trainings
    part_result = partial(audit, stopped(audit, PLAN, before + 2))
    assert part_result["estimates"] == []
    assert part_result["notes"]


def test_before_the_first_counted_training_there_is_nothing(audit: Audit) -> None:
    part_result = partial(audit, stopped(audit, PLAN, 2))
    assert (part_result["estimates"], part_result["scores"], part_result["partial"]) == ([], [], [])


def test_a_damaged_training_ends_the_part_before_it(audit: Audit) -> None:
    """The fault is planted in one row: it and what follows are not shown, and nothing is counted wrong."""
    run = stopped(audit, PLAN, PLAN.units_a_game() - PLAN.trainings + 30)
    base, _, _ = place(run.path)
    with base.write() as connection:
        connection.exec_driver_sql(
            "UPDATE units SET payload = x'00' WHERE unit = 14 AND call = (SELECT max(call) FROM units)"
        )
    assert {game["trainings"] for game in partial(audit, run)["partial"]} == {14}


def test_what_cannot_be_shown_in_part_is_refused_with_a_sentence(audit: Audit) -> None:
    with pytest.raises(DesignError, match="no part of its answer"):
        partial(audit, faked(audit, "cancelled", AttributePlan(), run="a" * 32))
    with pytest.raises(DesignError, match="Only a run that was stopped"):
        partial(audit, faked(audit, "finished", PLAN, run="b" * 32))
    run = stopped(audit, PLAN, 25)
    changed(run, asked={**run.request, "environment": "another"})
    with pytest.raises(DesignError, match="was changed since"):
        partial(audit, run)
    changed(run, asked={**run.request, "revision": "another"})
    with pytest.raises(DesignError, match="was changed since"):
        partial(audit, run)
