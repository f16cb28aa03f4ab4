"""The one button of the page Audit: what it asks at which effort, how long that takes, and how far it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from riskkit import wording
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import run_state, run_view, shell, state, styles
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.runs import LIVE, STOPPED, Run
from riskkit.jobs.store import Audit, Tables
from riskkit.language import Readings, again, counted, joined, kept, phrase, say
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.forecasts import seconds_together
from riskkit.questions.standard import Effort, Situation, plans_for, soonest_first

EFFORTS: Mapping[str, str] = Readings(
    {
        Effort.QUICK: phrase("Quick"),
        Effort.STANDARD: phrase("Standard"),
        Effort.THOROUGH: phrase("Thorough"),
    }
)
ABOUT = phrase(
    "Quick shows large leaks and takes about a minute. Standard is enough to decide on a release and takes about ten "
    "minutes. Thorough asks about everybody and takes about an hour. More effort gives narrower intervals."
)
USUAL: Mapping[str, str] = Readings(
    {
        Effort.QUICK: phrase("usually about a minute"),
        Effort.STANDARD: phrase("usually about ten minutes"),
        Effort.THOROUGH: phrase("usually about an hour"),
    }
)
"""How long each takes, until it is timed."""
NOTHING = kept(
    "Load a holdout (people from the same population whom the method never saw), or say above which method made the "
    "release. No holdout? Keep a third of the real rows aside, make the release anew from the others, and load that "
    "third here."
)
EVERY = 1.0
"""Seconds between two looks at what is being played."""


@dataclass(frozen=True, slots=True)
class EffortPlans:
    """What the chosen effort asks of the open audit: plans with their runs in the order they are played.

    ``wrong`` is the sentence that says why nothing can be asked; empty where it can.
    """

    effort: Effort
    runs: tuple[tuple[Plan, Run], ...]
    wrong: str = ""

    @property
    def live(self) -> list[Run]:
        """The runs that wait or are played."""
        return [run for _, run in self.runs if run.state in LIVE]

    @property
    def is_stopped(self) -> bool:
        """Whether some of it was begun and stopped: the same button goes on where it was."""
        return any(run.state in STOPPED for _, run in self.runs)

    @property
    def left(self) -> list[Plan]:
        """What has not finished."""
        return [plan for plan, run in self.runs if run.state != "finished"]


def effort_plans(audit: Audit, tables: Tables) -> EffortPlans:
    """What the effort that is chosen asks."""
    effort, made_by = Effort(audit.effort), audit.provenance
    try:
        plans = plans_for(
            Situation(tables, effort, made_by.method, audit.answers.within(tables.schema), made_by.settings)
        )
    except RiskkitError as error:  # a method that is not here any more, columns that leave nothing to know
        return EffortPlans(effort, (), wording.refusal(error))
    return EffortPlans(effort, tuple((plan, audit.run_of(plan)) for plan in soonest_first(plans)))


def show(audit: Audit, tables: Tables, asked: EffortPlans) -> None:
    """Effort and *Run the audit*, how long it will take, and what it asks."""
    styles.place("run")
    if asked.wrong:
        shell.sentence_error(RiskkitError(asked.wrong))
    elif not asked.runs:
        st.info(say(NOTHING), title=say("One more thing is needed to run anything"), icon=":material/help:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        state.keep(
            st.segmented_control,
            _key(audit, "effort"),
            asked.effort,
            lambda effort: audit.spend(Effort(effort)),
            say("Effort"),
            list(EFFORTS),
            format_func=EFFORTS.__getitem__,
            required=True,
            help=again(ABOUT),
        )
        st.button(
            say("Go on with the audit") if asked.is_stopped else say("Run the audit"),
            key="release.run",
            type="secondary"
            if any(run.state == "finished" for run in audit.runs()) and not asked.is_stopped
            else "primary",
            icon=":material/play_arrow:",
            disabled=not asked.left,
            on_click=_start,
            args=(audit, asked),
        )
        _foretell(audit, tables, asked.left)
    _effort_in_words(audit, tables, asked)


def progress(audit: Audit, asked: EffortPlans) -> None:
    """How far the audit is, and *Cancel*, drawn anew by themselves while the page stays still."""
    styles.place("run")
    st.fragment(_live, run_every=EVERY)(audit, asked)


def _effort_in_words(audit: Audit, tables: Tables, asked: EffortPlans) -> None:
    """What the button asks, what it leaves out, and why."""
    named = [plain(again(question(plan.question).title)) for plan, _ in asked.runs]
    if asked.runs and not asked.left:
        st.markdown(f":material/check_circle: {say('At this effort everything is answered: the numbers are there.')}")
    elif named and len(asked.left) == len(asked.runs) and not any(run.state == "finished" for run in audit.runs()):
        st.caption(say("Questions it asks: {questions}.", questions=joined(named)))
    if tables.holdout is None and asked.runs:
        st.caption(
            say(
                "Without a holdout no question about the file can be decided. The audit then shows what the file "
                "shows by itself, and how to make a holdout."
            )
        )
    if not audit.provenance.is_known and asked.runs:
        st.caption(
            say("Membership and Records train the method again: they are asked once you say how the release was made.")
        )


def _foretell(audit: Audit, tables: Tables, plans: Sequence[Plan]) -> None:
    """How long it will take, by small pilots on this computer; they are timed beside the page, which does not wait."""
    if not plans or any(question(plan.question).forecast is None for plan in plans):
        return
    timed = [made.forecast for plan in plans if (made := launch.expectation(audit, tables, plan)) is not None]
    if len(timed) == len(plans):
        seconds = seconds_together(timed)
        if math.isfinite(seconds):
            st.markdown(say("{time} on this computer", time=launch.duration(seconds)))
    else:
        usual = USUAL[Effort(audit.effort)]
        launch.timing(audit, plans, say("{usual}; timing it on this computer …", usual=usual))


@shell.guard()  # a press is answered before the page is drawn
def _start(audit: Audit, asked: EffortPlans) -> None:
    """Start everything that has not finished, the soonest first."""
    try:
        for plan in asked.left:
            audit.start(plan, workers=run_view.workers())
    except RiskkitError as error:  # a full disk, a share of the queue that is used up: what was started goes on
        state.tell(plain(wording.refusal(error)), ":material/cancel:")
        return
    state.tell(
        say("The audit has started. You can leave or close this page: the answers appear here."),
        ":material/play_arrow:",
    )


def _live(audit: Audit, asked: EffortPlans) -> None:
    """One line for each question that is asked, and the button that stops them; drawn anew by itself."""
    with shell.guard():
        now = [(plan, run_state.standing(run, run.revision)) for plan, run in asked.runs]
        live = [run for run in now if run[1].is_live]
        done = sum(run_standing.state == "finished" for _, run_standing in now)
        seen = st.session_state.get(_key(audit, "done"))
        st.session_state[_key(audit, "done")] = done
        if not live or (seen is not None and done > seen):
            if not live:
                st.session_state.pop(_key(audit, "done"), None)
                state.tell(say("The audit is finished."), ":material/check_circle:", styles.NEAR)
            st.rerun()
        share = sum(1.0 if run_standing.state == "finished" else run_standing.share for _, run_standing in now) / len(
            now
        )
        answered = counted(
            len(now), "{done} of {n:,} question answered", "{done} of {n:,} questions answered", done=done
        )
        since = min(run_standing.started for _, run_standing in live)
        st.progress(min(share, 1.0), text=run_state.ticking(answered, since))
        for plan, run_standing in live:
            named = plain(again(question(plan.question).title))
            far = run_state.far(run_standing.unit, run_standing.done, run_standing.total, run_standing.seconds_left)
            doing = [run_view.stage(run_standing), *([] if run_standing.state == "queued" else [far])]
            st.caption(f"**{named}** · {plain(' · '.join(doing))}")
        st.button(
            say("Cancel"),
            key="release.cancel",
            icon=":material/stop_circle:",
            on_click=_cancel,
            args=(asked,),
            disabled=all(run_standing.is_stopping for _, run_standing in live),
        )
        st.caption(
            say(
                "The work goes on by itself. You can leave this page or close the tab, and find the answers here later."
            )
        )


def _cancel(asked: EffortPlans) -> None:
    for run in asked.live:
        run.cancel()


def _key(audit: Audit, what: str) -> str:
    return f"release.{audit.id}.{what}"
