"""One run of an audit on a page: which one is shown, how far it is, and the way on from every state it can be in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from riskkit.dashboard.frame import results, run_state, shell, state, styles, switches
from riskkit.dashboard.frame.run_state import RunStanding
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.machine import workers as workers
from riskkit.jobs.runs import LIVE, STOPPED, Run
from riskkit.jobs.store import Audit
from riskkit.language import Readings, again, counted, phrase, say
from riskkit.plans import Plan
from riskkit.questions.membership import words
from riskkit.questions.membership.partial import NO_PART, partial
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.runs import plan_of

ENDED = Readings(
    failed=(phrase("This run failed"), phrase("Try again")),
    cancelled=(phrase("This run was cancelled"), phrase("Resume")),
    interrupted=(phrase("This run was interrupted"), phrase("Resume")),
    paused=(phrase("This run is paused"), phrase("Resume")),
    new=(phrase("This run never started"), phrase("Run again")),
)
"""Title and way on of every state that has no result."""
THERE = phrase("These numbers are there already: the same settings on the same data give the same ones.")
CANCEL = {"above": "{}.cancel", "here": "{}.cancel.here"}
"""Keys of the buttons that stop a run: at the top of a page, and in the place of *Run*."""
EVERY = 1.0
"""Seconds between two looks at a run that is being played."""


def current_run(audit: Audit, question: str) -> Run | None:
    """The run of that question named in the address, else its newest; None where nothing was ever run."""
    named = audit.run(st.query_params.get("run", ""))
    if named is not None and named.question == question:
        return named
    return next(iter(audit.runs(question)), None)


def start(audit: Audit, plan: Plan) -> None:
    """Start that plan, or find it running or finished, show it, and say which it was."""
    was = audit.run_of(plan).state
    run = audit.start(plan, workers=workers())
    st.query_params["run"] = run.id
    if was == "finished":
        state.tell(again(THERE), ":material/check:")
    else:
        state.tell(
            say("The run has started. You can leave or close this page: the result appears here."),
            ":material/play_arrow:",
        )
    st.rerun()


def instead(audit: Audit, plan: Plan) -> bool:
    """Draw how far that very plan is in the place of *Run*, where it is being played; say whether it is."""
    run = audit.run_of(plan)
    if run.state not in LIVE:
        return False
    st.fragment(_live, run_every=EVERY)(run, "here")
    return True


def is_stopped_above(audit: Audit, plan: Plan) -> bool:
    """Whether that very plan was stopped and is shown above: its button *Resume* is the one way to go on."""
    run = current_run(audit, plan.question)
    return run is not None and run.state in STOPPED and run.id == audit.run_of(plan).id


def there(audit: Audit, plan: Plan) -> None:
    """Below *Run*: that the numbers of that very plan are there already, and the way up to them."""
    run = audit.run_of(plan)
    if run.state == "finished":
        st.markdown(f":material/check_circle: {again(THERE)} [{say('Show them')}](#skip-to-result)")


def picker(audit: Audit, run: Run) -> None:
    """The menu of this audit's runs, where there are several."""
    runs = {known.id: known for known in audit.runs(run.question)}
    if len(runs) < 2:
        return
    ids = list(runs)
    picked = st.selectbox(
        say("Run shown"), ids, ids.index(run.id), lambda known: _run_line(runs[known], audit.revision)
    )
    if picked != run.id:
        st.query_params["run"] = picked
        st.rerun()


def _run_line(run: Run, revision: str) -> str:
    """A run in one line."""
    now = run_state.standing(run, revision)
    state = say("running") if now.is_live else run_state.word(now.state)
    return " · ".join([now.about, state] + [say("earlier data")] * (not now.is_current))


def progress(audit: Audit, run: Run) -> None:
    """How far a run is, or why it ended without a result, with the way on."""
    now = run_state.standing(run, audit.revision)
    if now.is_live:
        st.fragment(_live, run_every=EVERY)(run, "above")
        return
    title, onward = ENDED[now.state]
    is_failure = now.state == "failed"
    box, icon = (st.error, ":material/cancel:") if is_failure else (st.warning, ":material/pause_circle:")
    box(shell.plain(run_state.need(now)), title=title, icon=icon)
    if now.done and now.total:
        st.progress(now.share, text=run_state.progress_in_words(now))
    show_part(audit, now, run.question)
    label = onward if now.is_current else say("Run on the data as it is now")
    if st.button(label, key=f"{run.question}.again", type="primary", icon=":material/play_arrow:"):
        start(audit, plan_of(run))


def _live(run: Run, where: str) -> None:
    """Stage, steps done, time left and the button to stop; drawn anew by itself, while the page stays still.

    ``where`` tells the two places of a page apart. When it is through, the page is drawn anew and says so.
    """
    with shell.guard():
        now = run_state.standing(run, run.revision)
        if not now.is_live:
            if now.state == "finished":
                state.tell(say("The result is there."), ":material/check_circle:", styles.NEAR)
            st.rerun()
        st.markdown(f"**{shell.plain(stage(now))}**")
        far = run_state.far(now.unit, now.done, now.total, now.seconds_left)
        st.progress(now.share, text=run_state.ticking(far, now.started))
        st.button(say("Cancel"), key=CANCEL[where].format(run.question), disabled=now.is_stopping, on_click=run.cancel)
        st.caption(
            say("The work goes on by itself. You can leave this page or close the tab, and find the result here later.")
        )


def stage(now: RunStanding) -> str:
    """What is being done, in a few words."""
    if now.is_stopping:
        return again(run_state.STOPPING)
    return say("Waiting for the work to start") if now.state == "queued" else now.stage or say("Working")


# --------------------------------------------------------------------------------------------------------------
# What a run that was stopped has so far: numbers with their own N, no verdict


ONE_LOOK = phrase(
    "Each interval is for the trainings it names, read once. It does not hold if you read it, go on, and read it "
    "again until you like the numbers. A verdict needs the whole run."
)


def show_part(audit: Audit, now: RunStanding, key: str) -> None:
    """A switch that shows what is done, for a run that was stopped; why not, where a part says nothing."""
    if not (now.is_stopped and now.done and now.is_current):
        return
    if now.question != MembershipPlan.question:
        st.caption(NO_PART)
        return
    if not switches.toggle(say("Show what is done so far"), key=f"{key}.partial"):
        return
    try:
        with st.spinner(say("Counting what is done")):
            mark = f"partial {now.run.id} {now.done}"
            result: dict[str, Any] = state.cached(mark, audit, lambda: partial(audit, now.run))
    except RiskkitError as error:
        shell.sentence_error(error)
        return
    _part(result)


def _part(result: Mapping[str, Any]) -> None:
    games = {(game["generator"], game["target"], game["position"]): game for game in result["partial"]}
    if not games:
        st.caption(
            say("No counted training is done yet: so far the attackers made releases of their own to learn from.")
        )
        return
    lines = [
        say(
            "- {generator}, {record}: **{done:,}** of {all}",
            generator=plain(game["generator"]),
            record=words.record(game),
            done=game["trainings"],
            all=counted(game["of"], "{n:,} training", "{n:,} trainings"),
        )
        for game in games.values()
    ]
    st.markdown("\n".join(lines))
    if result["estimates"]:
        results.table(MembershipPlan.question, result)
    for note in result["notes"]:
        st.caption(plain(again(note)))
    st.caption(again(ONE_LOOK))
