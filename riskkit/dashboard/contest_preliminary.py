"""What stands beside a contest: an earlier one as its preliminary round, and what anonymisers declare of themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from riskkit.dashboard import asking, standing
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.contest.declared import FORM
from riskkit.questions.contest.plan import PEOPLE, ContestPlan
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult

key = partial(asking.key, "contest")


def declared(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """Table 3 of the contest's paper, one anonymiser on each line, and the plan with it.

    Raises
    ------
    DesignError
        A line is no declaration, or of somebody who takes no part.
    """
    written = st.text_area(
        say("What anonymisers declare"),
        "",
        key=key(audit, "declared"),
        persist_state="session",
        height=70,
        placeholder=say("kanonymity => {form}", form=FORM),
        help=say(
            "Methods, k, Pk, δ-presence, ε and δ, as Table 3 of the contest's paper has them; one anonymiser on "
            "each line. They are kept with the result, and k and δ-presence are counted beside them."
        ),
    )
    parts = [line.partition("=>") for line in written.splitlines() if line.strip()]
    return replace(plan, declared=tuple((name.strip(), text.strip()) for name, _, text in parts))


def section(audit: Audit, plan: ContestPlan) -> ContestPlan:
    """The menu of earlier contests, where there are any, and the plan with what was found in the one that is picked."""
    earlier = {run.id: run for run in audit.runs(ContestPlan.question) if _counts(run)}
    if not earlier:
        return plan
    picked = st.selectbox(
        say("Preliminary round"),
        ["", *earlier],
        key=key(audit, "preliminary"),
        persist_state="session",
        format_func=lambda known: plain(standing.short(earlier[known].plan)) if known in earlier else say("None"),
        help=say(
            "A contest that was played before. For those who took part in both, its points weigh 1 and those "
            "of the new contest 9."
        ),
    )
    if picked not in earlier:
        return plan
    names = [*(name for name, _ in plan.given), *plan.anonymisers]
    names += [UPLOADED] * (plan.source == PEOPLE and "synthetic" in audit.files)
    result = ContestResult.of(earlier[picked].result)
    shares = {standing.name: standing.worst.value / result.guessing.guesses for standing in result.standings}
    return replace(plan, preliminary=tuple((name, shares[name]) for name in names if name in shares))


def _counts(run: Run) -> bool:
    return run.state == "finished" and bool(run.result["anonymisers"])
