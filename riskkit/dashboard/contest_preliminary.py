"""The preliminary round of a contest: an earlier one of the same audit, whose hits count 1 : 9 beside the new ones."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from riskkit.audit.contest_plan import PEOPLE, SNAKE, ContestPlan
from riskkit.audit.runs import Run
from riskkit.audit.store import Audit
from riskkit.dashboard import asking
from riskkit.dashboard.frame import plain
from riskkit.language import say
from riskkit.report import contest_words as said
from riskkit.report.contest import UPLOADED

key = partial(asking.key, "contest")


def section(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The menu of earlier contests, where there are any, and the plan with what was found in the one that is picked."""
    earlier = {run.id: run for run in audit.runs(ContestPlan.question) if _counts(run)}
    if not earlier:
        return plan
    picked = st.selectbox(
        say("Preliminary round"), ["", *earlier], key=key(audit, "preliminary"), persist_state="session",
        format_func=lambda known: plain(earlier[known].plan.label) if known in earlier else say("None"),
        help=say("A contest that was played before. In the points of those who took part in both it weighs 1, the new "
                 "one 9."),
    )  # fmt: skip
    if picked not in earlier:
        return plan
    names = [*(name for name, _ in plan.given), *plan.anonymisers]
    names += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    found = said.read(earlier[picked].result)
    shares = {one.name: one.worst.value / found.guesses for one in found.standings}
    return replace(plan, preliminary=tuple((name, shares[name]) for name in names if name in shares))


def _counts(run: Run) -> bool:
    return run.state == "finished" and run.plan.mode != SNAKE and bool(run.result["anonymisers"])
