"""Those whom trainings on parts of the people expose most, once more on the whole table: its time, and a button."""

from __future__ import annotations

import math
from functools import partial

import streamlit as st

from riskkit import wording
from riskkit.dashboard.forms import games, launch
from riskkit.dashboard.frame import run_view, state, verdicts
from riskkit.dashboard.frame.shell import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.records import subsets
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.result import RecordsResult

key = partial(launch.key, "records")


def show(audit: Audit, run: Run, result: RecordsResult) -> None:
    """What such a run is, how long it takes, and the button; nothing for a run that was of the whole table."""
    if not result.plan.is_by_subsets or run.revision != audit.revision or "real" not in audit.files:
        return
    limit = verdicts.limit_of(audit, run)
    plan = subsets.run_again(result, None if limit is None else limit.value)
    if plan is None:
        return
    people = counted(len(plan.named), "the {n:,} most exposed person", "the {n:,} most exposed people")
    about = say(
        "Each training had a part of the people. Run {people} on the whole table, with and without each of them, on "
        "trainings that did not choose them.",
        people=people,
    )
    takes = _cost(audit, run, result, plan)
    st.markdown(plain(f"{about} {takes}"))
    if not takes:
        launch.timing(audit, [plan], say("Timing it on this computer …"))
    if run_view.instead(audit, plan):
        return
    if st.button(say("Run the most exposed again"), key=key(audit, "again", "go"), icon=":material/replay:"):
        run_view.start(audit, plan)


def _cost(audit: Audit, run: Run, result: RecordsResult, plan: RecordsPlan) -> str:
    """How long it takes: timed beside the pages, or where a training takes long, by what this run took.

    Empty until it is timed.
    """
    trainings = subsets.trainings_of(plan)
    if not games.is_heavy([plan.generator]):
        takes = launch.seconds(audit, state.tables(audit), plan)
        if takes is None:
            return ""
        if math.isfinite(takes):
            return say("This takes {duration}.", duration=launch.duration(takes))
        return say("It takes {trainings:,} trainings.", trainings=trainings)
    each = float(run.result.get("seconds", 0.0)) / result.plan.trainings / result.plan.share
    if not each:
        return say("It takes {trainings:,} trainings.", trainings=trainings)
    return say(
        "It takes {trainings:,} trainings: {duration}, by what this run took.",
        trainings=trainings,
        duration=wording.duration(trainings * each),
    )
