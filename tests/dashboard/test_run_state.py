"""How a run stands, in words: every state has an icon, a word, what it needs and the way on."""

import ast
import re
import time
from dataclasses import replace
from typing import Any, cast

import pytest

from riskkit import registry
from riskkit.dashboard.forms import plugin_forms
from riskkit.dashboard.frame import run_state
from riskkit.dashboard.frame.run_state import RunStanding
from riskkit.jobs.runs import Run
from riskkit.language import MARKS
from riskkit.phrases import as_text, phrase
from riskkit.plans import Plan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import faked
from tests.pages.screens import ROOT, csv, loaded
from tests.speaking import speak

DCR, DOMIAS = (registry.plugins("released")[name].title for name in ("dcr", "domias"))
TREE, NEAREST = registry.plugins("explained")["tree"].title, registry.plugins("inverters")["nearest"].title
RUN = cast(Run, None)
HERE = RunStanding(
    RUN, "membership", "running", "stat", "stat · seed 1", "training", 30, 120, "Counted trainings", 90.0
)


def of(state: str, **more: Any) -> RunStanding:
    return replace(HERE, state=state, **more)


@pytest.mark.parametrize("state", run_state.STATES)
def test_every_state_has_its_own_icon_and_word(state: str) -> None:
    icon, word, _ = run_state.STATES[state]
    assert [word in run_state.badge(other) for other in run_state.STATES].count(True) == 1
    assert icon in run_state.badge(state)


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        (of("queued"), "waits for a worker"),
        (of("running"), ""),
        (of("running", is_stopping=True), "stops within 10 seconds"),
        (of("paused", error="The disk is full. Make room on it."), "The disk is full. Make room on it. Then press"),
        (of("interrupted"), "Resume goes on from there"),
        (of("interrupted", is_current=False), "needs the files and columns it was started on"),
        (of("cancelled"), "You stopped it. What is done is kept"),
        (of("failed", error="No holdout."), "No holdout. Correct that and try again"),
        (of("failed"), "did not say why"),
        (of("new"), "did not start"),
        (of("finished"), ""),
        (of("finished", is_current=False), "earlier version of the data"),
    ],
)
def test_what_a_run_needs(now: RunStanding, sentence: str) -> None:
    need = run_state.need(now)
    assert sentence in need if sentence else need == ""


@pytest.mark.parametrize(
    ("now", "resumes"),
    [
        (of("queued"), False),
        (of("running"), False),
        (of("paused"), True),
        (of("interrupted"), True),
        (of("cancelled"), True),
        (of("failed"), True),
        (of("finished"), False),
        (of("interrupted", is_current=False), False),
    ],
)
def test_which_runs_can_go_on(now: RunStanding, resumes: bool) -> None:
    assert now.can_resume is resumes


@pytest.mark.parametrize(
    ("now", "sentence", "share"),
    [
        (HERE, "30 of 120 trainings done · about 90 seconds left", 0.25),
        (of("running", seconds_left=20.0), "30 of 120 trainings done · about 20 seconds left", 0.25),
        (of("cancelled"), "30 of 120 trainings done", 0.25),
        (of("running", done=0, total=0), "The trainings are being counted", 0.0),
        (of("queued", done=0, total=0), "", 0.0),
        (of("finished", done=120), "120 trainings", 1.0),
        (of("finished", done=0, total=0), "", 1.0),
        (of("running", done=130), "130 of 120 trainings done · about 90 seconds left", 1.0),
    ],
)
def test_how_far_it_is(now: RunStanding, sentence: str, share: float) -> None:
    text = run_state.progress_in_words(now)
    assert text == sentence or text == sentence.replace("90 seconds", "2 minutes")
    assert now.share == share


@pytest.mark.parametrize(
    ("seconds", "clock"), [(-3.0, "0:00"), (0.9, "0:00"), (754.0, "12:34"), (3605.0, "1:00:05"), (36_000.0, "10:00:00")]
)
def test_a_clock_ticks_beside_how_far_it_is(monkeypatch: pytest.MonkeyPatch, seconds: float, clock: str) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0 + seconds)
    assert run_state.ticking("3 of 4 steps done", 1000.0) == f"3 of 4 steps done · running for {clock}"


def test_the_run_an_audit_is_known_by_is_the_one_that_plays_or_needs_somebody() -> None:
    every = [of(state) for state in ("finished", "failed", "cancelled", "paused", "queued", "running")]
    for state in ("running", "queued", "paused", "failed"):
        first = run_state.foremost(every)
        assert first is not None
        assert first.state == state
        every = [run for run in every if run.state != state]
    newest = run_state.foremost(every)
    assert newest is not None
    assert newest.state == "finished"
    assert run_state.foremost([]) is None


def test_all_audits_in_one_sentence() -> None:
    assert run_state.overall([]) == "0 audits kept here; nothing is running."
    assert run_state.overall([[of("finished")]]) == "1 audit kept here; nothing is running."
    audits = [[of("running"), of("failed")], [of("paused"), of("queued"), of("finished")]]
    assert run_state.overall(audits) == (
        "2 audits kept here, 1 run under way, 1 run waiting for a worker, 2 runs that need you."
    )


def test_a_question_without_a_name_of_its_own_is_called_by_what_it_is() -> None:
    assert run_state.question("attributes") == "Attributes"
    assert run_state.question("of_tomorrow") == "Of tomorrow"


def test_no_stage_of_a_run_stays_english() -> None:
    """What a question hands to its pool as a stage is a phrase, so that a page says it in its own language."""
    plain = []
    for path in sorted((ROOT / "riskkit/questions").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
                named = ast.unparse(call.func)
                if named.endswith(("pool.map", "clock.tick")) and isinstance(
                    call.args[0], ast.Constant | ast.JoinedStr
                ):
                    plain.append(f"{path.name}: {ast.unparse(call.args[0])}")
    assert plain == []


def test_a_stage_is_said_in_the_language_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = loaded(real=csv(60))
    stage = as_text(
        phrase(
            "Counted trainings: {who}", who=phrase("{generator}, {target} target", generator="stat", target="random")
        )
    )
    run = faked(audit, "running", MembershipPlan(trainings=12), stage=stage)
    assert run_state.standing(run, audit.revision).stage == "Counted trainings: stat, random target"
    speak(monkeypatch, MARKS)
    assert run_state.standing(run, audit.revision).stage.startswith("⟦Counted trainings: ⟧")


@pytest.mark.parametrize(
    ("plan", "short"),
    [
        (MembershipPlan(("stat:post=none", "bayesnet")), "Mean and covariance (OMTH17) · Before publishing: No change"),
        (RecordsPlan(generator="bayesnet"), "Bayesian network, everybody"),
        (RecordsPlan(records="top:1000+random:20"), "1,000 who stand out most and 20 at random"),
        (RecordsPlan(records="top:7"), "7 who stand out most"),
        (RecordsPlan(records="ids:3,17"), "rows 3, 17"),
        (OneRunPlan(generator="bayesnet"), "Bayesian network"),
        (ReleasedPlan(attacks=("dcr", "domias")), f"{DCR}, {DOMIAS}"),
        (ReleasedPlan(attacks=tuple(registry.plugins("released"))[:9]), " and 6 more"),
        (ExplanationPlan(model="tree", attackers=("nearest",)), f"{TREE} for the last column by {NEAREST}"),
        (ContestPlan(anonymisers=("noise:shape=laplace",)), "Shape of the noise: Laplace"),
    ],
)
def test_menus_of_runs_call_plug_ins_by_their_names(plan: Plan, short: str) -> None:
    assert short in run_state.short(plan)
    assert run_state.short(plan) in run_state.full(plan) or isinstance(plan, MembershipPlan)
    for room in registry.ROOMS:
        codes = [name for name in registry.plugins(room) if "_" in name or "-" in name or name in ("bayesnet", "dcr")]
        assert not [name for name in codes if re.search(rf"(?<![\w-]){name}(?![\w-])", run_state.full(plan))]


def test_a_game_is_told_by_the_names_of_its_methods_attacks_and_rules() -> None:
    plan = MembershipPlan(("bayesnet",), ("selective",), ("mvl:variant=syn",), trainings=40)
    text = run_state.full(plan)
    assert text.startswith("Bayesian network · ")
    assert "Compare with: Own releases" in text
    assert registry.plugins("targets")["selective"].title in text
    assert "bayesnet" in plan.label
    assert "bayesnet" in plan.command("real.csv", None, None)


def test_a_method_that_is_no_longer_here_stays_as_it_was_written() -> None:
    assert plugin_forms.plugin_title("generators", "of_tomorrow") == "of_tomorrow"
