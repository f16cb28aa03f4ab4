"""What the page of every question says alike: which file it needs, how far a run is, and how one ended."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.frame import state
from riskkit.dashboard.pages.question_page import page_of
from riskkit.jobs.store import Audit
from riskkit.plans import Plan
from riskkit.questions import names
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.singling_out.play import SinglingOutPlan
from tests.pages.runs import faked, without_clock
from tests.pages.screens import LIMIT, csv, healthy, labels, loaded, opened, press, shown

PLANS: dict[str, tuple[Plan, str]] = {
    "membership": (MembershipPlan(trainings=12), "steps"),
    "released": (ReleasedPlan(attacks=("dcr",)), "steps"),
    "records": (RecordsPlan(), "trainings"),
    "attributes": (AttributePlan(secrets=("job",)), "inferences"),
    "explanations": (ExplanationPlan(target="job"), "models"),
    "contest": (ContestPlan(anonymisers=("identity",)), "releases"),
    "households": (HouseholdsPlan(household="ward"), ""),
    "keys": (KeysPlan(keys=("ward",)), ""),
    "linkability": (LinkabilityPlan(), ""),
    "one-run": (OneRunPlan(generator="identity"), ""),
    "reconstruction": (ReconstructionPlan(secrets=("job", "ward")), ""),
    "singling-out": (SinglingOutPlan(), ""),
}
"""A plan of each question, and what its page counts; nothing of it is played."""
EVERY = pytest.mark.parametrize("name", PLANS)


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(60, 0), synthetic=csv(60, 2), holdout=csv(60, 1))


def draw(audit: str, name: str) -> None:
    """A page that has no file of its own."""
    import streamlit as st

    from riskkit.dashboard.pages import question_page

    st.query_params["audit"] = audit
    question_page.page(name)


def page(audit: Audit, name: str) -> AppTest:
    file = page_of(name)
    if isinstance(file, str):
        return healthy(opened(audit, file, question=name))
    return healthy(AppTest.from_function(draw, args=(audit.id, name), default_timeout=LIMIT).run())


def titles(screen: AppTest) -> list[str]:
    return [box.proto.title for box in (*screen.error, *screen.warning)]


def test_every_question_is_here() -> None:
    assert set(PLANS) == names()


@EVERY
def test_a_run_shows_its_stage_how_far_it_is_and_stops_when_asked(audit: Audit, name: str) -> None:
    plan, unit = PLANS[name]
    run = faked(audit, "running", plan, stage="A stage of it", done=2, total=8, seconds_left=12.0)
    screen = page(audit, name)
    (bar,) = screen.get("progress")
    assert "A stage of it" in shown(screen)
    assert re.fullmatch(rf"2 of 8 {unit or '[a-z ]+'} done · about 12 seconds left", without_clock(bar.proto.text))
    assert state.mark("membership" if name == "released" else name, audit) == state.BUSY
    press(screen, f"{name}.cancel")
    assert run.is_cancelled
    assert "It stops within 10 seconds" in shown(healthy(screen))


@EVERY
def test_a_run_that_failed_says_why_and_the_way_on(audit: Audit, name: str) -> None:
    faked(audit, "failed", PLANS[name][0], error="A sentence that says why.")
    screen = page(audit, name)
    assert "This run failed" in titles(screen)
    assert "A sentence that says why" in shown(screen)
    assert "Try again" in labels(screen)


@EVERY
def test_a_run_that_was_cancelled_can_go_on(audit: Audit, name: str) -> None:
    faked(audit, "cancelled", PLANS[name][0])
    screen = page(audit, name)
    assert "This run was cancelled" in titles(screen)
    assert "Resume" in labels(screen)


NEEDS = {"released": "synthetic", "attributes": "synthetic"} | dict.fromkeys(
    ("singling-out", "linkability", "reconstruction"), "synthetic and the holdout"
)
"""The files that a question needs beside the real one."""


@EVERY
def test_without_its_file_it_says_which_it_needs(name: str) -> None:
    alone = "real" if name in NEEDS else "synthetic"
    screen = page(loaded(**{alone: csv(60, 0)}), name)
    assert f"This page needs the {NEEDS.get(name, 'real')} table" in shown(screen)
    assert "Load your files" in labels(screen)
