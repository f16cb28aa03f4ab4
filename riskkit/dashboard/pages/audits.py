"""Every audit kept here on the Audits page: how each stands, which is open, and what can be done with it and its runs.

The lists draw themselves anew while something is being played; the page around them stays still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from riskkit import wording
from riskkit.dashboard.frame import run_state, run_view, shell, state, verdicts
from riskkit.dashboard.frame.run_state import RunStanding
from riskkit.dashboard.frame.shell import plain, quiet
from riskkit.dashboard.pages import audits_hands, question_page
from riskkit.errors import RiskkitError
from riskkit.jobs.store import Audit
from riskkit.language import say

SHOWN = 10
"""Audits in the list before more are asked for."""
EVERY = 2.0
"""Seconds between two looks at what is being played."""
SHOWN_KEY = "audits.shown"

Found = list[tuple[Audit, list[RunStanding]]]


def everything() -> tuple[Found, list[tuple[Audit, str]]]:
    """Every audit with how its runs stand, last used first; and those that cannot be read, with the sentence on why."""
    kept: Found = []
    broken: list[tuple[Audit, str]] = []
    for audit in state.store().audits():
        try:
            kept.append((audit, standings(audit)))
        except RiskkitError as error:
            broken.append((audit, wording.refusal(error)))
    return sorted(kept, key=lambda pair: (pair[0].id != state.store().last, pair[0].saved_seconds_ago)), broken


def standings(audit: Audit) -> list[RunStanding]:
    """How the runs of an audit stand, newest first."""
    revision = audit.revision
    return [run_state.standing(run, revision) for run in audit.runs()]


def _live(kept: Found) -> frozenset[str]:
    """The runs that are being played or wait to be; when they change, more than one list has to be drawn anew."""
    return frozenset(f"{audit.id}.{run.run.id}" for audit, runs in kept for run in runs if run.is_live)


# --------------------------------------------------------------------------------------------------------------
# The list


def list_audits(kept: Found, opened: Audit | None) -> None:
    """All audits: the sentence, then one line each with what can be done."""
    live = _live(kept)
    st.fragment(_list_live, run_every=EVERY if live else None)(opened.id if opened else "", live, [kept])
    if len(kept) > st.session_state.get(SHOWN_KEY, SHOWN):
        st.button(
            say("Show {more} more", more=min(len(kept) - _count_shown(), SHOWN)), key="audits.more", on_click=_more
        )


def list_damaged(broken: Sequence[tuple[Audit, str]]) -> None:
    """The audits that cannot be read: why, and the way to be rid of them."""
    for audit, why in broken:
        text, hand = st.columns([11, 2], gap="medium", vertical_alignment="center")
        text.markdown(f":red[:material/broken_image: **{say('Damaged')}**] {plain(why)}  \n{quiet(audit.id[:6])}")
        with hand, st.popover(say("Delete…"), help=say("Removes it for good; asks once more.")):
            audits_hands.delete(audit, say("this audit"), say("everything in it"))


def _count_shown() -> int:
    return int(st.session_state.get(SHOWN_KEY, SHOWN))


def _more() -> None:
    st.session_state[SHOWN_KEY] = _count_shown() + SHOWN


def _list_live(opened: str, live: frozenset[str], fresh: list[Found]) -> None:
    """``fresh`` is what the page has just read, taken the first time; whenever this draws itself anew, it looks."""
    with shell.guard():
        kept = fresh.pop() if fresh else everything()[0]
        if _live(kept) != live:
            st.rerun()
        st.markdown(f"## {run_state.overall([runs for _, runs in kept])}")
        names = Counter(audit.name for audit, _ in kept)
        for audit, runs in kept[: _count_shown()]:
            _line(audit, runs, is_open=audit.id == opened, is_twin=names[audit.name] > 1)


def _line(audit: Audit, runs: Sequence[RunStanding], *, is_open: bool, is_twin: bool) -> None:
    """One audit: its name and files, how its foremost run stands, and the button that opens it."""
    name, far, hand = st.columns([5, 6, 2], gap="medium", vertical_alignment="center")
    name.markdown(f"**{plain(audit.name)}**  \n{quiet(_about(audit, is_twin=is_twin))}")
    with far:
        st.markdown(_standing(audit, runs))
        foremost = run_state.foremost(runs)
        if foremost is not None and (foremost.is_live or (foremost.is_stopped and foremost.done)):
            st.progress(foremost.share, text=run_state.progress_in_words(foremost))
    if is_open:
        hand.markdown(quiet(f":material/visibility: {say('Open now')}"))
    elif hand.button(
        say("Open"), key=f"audits.open.{audit.id}", help=say("Show this audit on every page."), width="stretch"
    ):
        state.show(audit)
        st.rerun()


def _standing(audit: Audit, runs: Sequence[RunStanding]) -> str:
    """The verdict, where it is known; else how the foremost run stands. Nothing is green: a leak may stand in it."""
    foremost = run_state.foremost(runs)
    if foremost is None:
        return quiet(say("Not run"))
    known = verdicts.overall(audit, [(each.run.id, each.state) for each in runs])
    question = run_state.question(foremost.question)
    if foremost.state != "finished":
        before = "" if known is None else f"{verdicts.in_words(known)}  \n"
        return f"{before}{run_state.badge(foremost.state)} {quiet(question)}"
    if known is not None:
        return verdicts.in_words(known)
    if "synthetic" not in audit.files:
        return quiet(say("No release yet · tried beforehand: {question}", question=question))
    return quiet(say("Finished · the page Audit shows the verdict"))


def _about(audit: Audit, *, is_twin: bool) -> str:
    """Files and time, and for one of several audits of a name the short id, which tells them apart."""
    return " · ".join(
        [
            *shell.files_in_words(audit),
            say("saved {ago}", ago=shell.ago(audit.saved_seconds_ago)),
            *([audit.id[:6]] if is_twin else []),
        ]
    )


# --------------------------------------------------------------------------------------------------------------
# The open audit


def open_runs(audit: Audit, runs: list[RunStanding]) -> None:
    """The runs of the open audit, each with its state, how far it is, its log and what can be done."""
    live = _live([(audit, runs)])
    st.fragment(_runs, run_every=EVERY if live else None)(audit, live, [runs])


def _runs(audit: Audit, live: frozenset[str], fresh: list[list[RunStanding]]) -> None:
    """``fresh`` as in the list of audits."""
    with shell.guard():
        runs = fresh.pop() if fresh else standings(audit)
        if _live([(audit, runs)]) != live:
            st.rerun()
        if not runs:
            st.markdown(say("Nothing has been run in this audit yet. Every page asks a question of its own."))
        for run in runs:
            _run(audit, run)


def _run(audit: Audit, run_standing: RunStanding) -> None:
    """One run: what was asked, how it stands, what it needs, and the hands."""
    key = f"audits.{audit.id}.{run_standing.run.id}"
    text, hands = st.columns([7, 5], gap="medium", vertical_alignment="center")
    with text:
        heading = f"{run_state.badge(run_standing.state)} **{run_state.question(run_standing.question)}**"
        st.markdown(f"{heading}  \n{quiet(plain(run_standing.about))}")
        if run_standing.is_live or (run_standing.is_stopped and run_standing.done):
            st.progress(run_standing.share, text=run_state.progress_in_words(run_standing))
        stage = "" if run_standing.is_stopping or not run_standing.is_live else run_standing.stage
        for line in filter(None, (stage, run_state.need(run_standing))):
            st.caption(plain(line))
    with hands, st.container(horizontal=True, horizontal_alignment="right"):
        _hands(audit, run_standing, key)
        with st.popover(say("Log"), help=say("What happened to this run, times in UTC.")):
            _log(run_standing)
    run_view.show_part(audit, run_standing, key)


def _hands(audit: Audit, run_standing: RunStanding, key: str) -> None:
    if run_standing.is_live:
        st.button(
            say("Cancel"),
            key=f"{key}.cancel",
            icon=":material/stop:",
            disabled=run_standing.is_stopping,
            on_click=run_standing.run.cancel,
            help=say("Stops within 10 seconds. The work done so far is kept, and the run can be resumed."),
        )
    elif run_standing.is_stopped:
        pressed = st.button(
            say("Resume"),
            key=f"{key}.resume",
            icon=":material/play_arrow:",
            disabled=not run_standing.can_resume,
            help=say("Goes on with what is not done yet. The numbers are the same as if it had never stopped."),
        )
        if pressed:
            resume(run_standing)
    if page := question_page.page_of(run_standing.question):
        label = say("Show the result") if run_standing.state == "finished" else say("Show on its page")
        if st.button(label, key=f"{key}.show", icon=":material/arrow_forward:"):
            st.switch_page(page, query_params={"audit": audit.id, "run": run_standing.run.id})


def resume(run_standing: RunStanding) -> None:
    """Have that run go on, and draw the page anew."""
    try:
        run_standing.run.resume(run_view.workers())
    except RiskkitError as error:
        shell.sentence_error(error)
    else:
        st.rerun()


def _log(run_standing: RunStanding) -> None:
    lines = run_standing.run.log()
    if not lines:
        st.caption(say("Nothing has been noted yet."))
    for line in lines:
        st.text(line)
