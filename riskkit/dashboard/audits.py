"""Every audit kept here on the Audits page: how each stands, which is open, and what can be done with it and its runs.

The lists draw themselves anew while something is being played; the page around them stays still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from riskkit import wording
from riskkit.dashboard import any_question, audits_hands, frame, running, standing, state, unfinished
from riskkit.dashboard.frame import plain, quiet
from riskkit.dashboard.standing import Standing
from riskkit.errors import RiskkitError
from riskkit.jobs.store import SLOTS, Audit
from riskkit.language import counted, say

SHOWN = 10
"""Audits in the list before more are asked for."""
EVERY = 2.0
"""Seconds between two looks at what is being played."""
SHOWN_KEY = "audits.shown"

Found = list[tuple[Audit, list[Standing]]]


def everything() -> tuple[Found, list[tuple[Audit, str]]]:
    """Every audit with how its runs stand, newest first; and those that cannot be read, with the sentence on why."""
    found: Found = []
    broken: list[tuple[Audit, str]] = []
    for audit in state.store().audits():
        try:
            found.append((audit, standings(audit)))
        except RiskkitError as error:
            broken.append((audit, wording.refusal(error)))
    return found, broken


def standings(audit: Audit) -> list[Standing]:
    """How the runs of an audit stand, newest first."""
    revision = audit.revision
    return [standing.standing(run, revision) for run in audit.runs()]


def _live(found: Found) -> frozenset[str]:
    """The runs that are being played or wait to be; when they change, more than one list has to be drawn anew."""
    return frozenset(f"{audit.id}.{run.run.id}" for audit, runs in found for run in runs if run.is_live)


# --------------------------------------------------------------------------------------------------------------
# The list


def listed(found: Found, opened: Audit | None) -> None:
    """All audits: the sentence, then one line each with what can be done."""
    live = _live(found)
    st.fragment(_listed, run_every=EVERY if live else None)(opened.id if opened else "", live, [found])
    if len(found) > st.session_state.get(SHOWN_KEY, SHOWN):
        st.button(say("Show {more} more", more=min(len(found) - _shown(), SHOWN)), key="audits.more", on_click=_more)


def damaged(broken: Sequence[tuple[Audit, str]]) -> None:
    """The audits that cannot be read: why, and the way to be rid of them."""
    for audit, why in broken:
        told, hand = st.columns([11, 2], gap="medium", vertical_alignment="center")
        told.markdown(f":red[:material/broken_image: **{say('Damaged')}**] {plain(why)}  \n{quiet(audit.id[:6])}")
        with hand, st.popover(say("Delete…"), help=say("Removes it for good; asks once more.")):
            audits_hands.delete(audit, say("this audit"), say("everything in it"))


def _shown() -> int:
    return int(st.session_state.get(SHOWN_KEY, SHOWN))


def _more() -> None:
    st.session_state[SHOWN_KEY] = _shown() + SHOWN


def _listed(opened: str, live: frozenset[str], fresh: list[Found]) -> None:
    """``fresh`` is what the page has just read, taken the first time; whenever this draws itself anew, it looks."""
    with frame.guard():
        found = fresh.pop() if fresh else everything()[0]
        if _live(found) != live:
            st.rerun()
        st.markdown(f"## {standing.overall([runs for _, runs in found])}")
        names = Counter(audit.name for audit, _ in found)
        for audit, runs in found[: _shown()]:
            _line(audit, runs, is_open=audit.id == opened, is_twin=names[audit.name] > 1)


def _line(audit: Audit, runs: Sequence[Standing], *, is_open: bool, is_twin: bool) -> None:
    """One audit: its name and files, how its foremost run stands, and the button that opens it."""
    name, far, hand = st.columns([5, 6, 2], gap="medium", vertical_alignment="center")
    name.markdown(f"**{plain(audit.name)}**  \n{quiet(_about(audit, is_twin=is_twin))}")
    one = standing.foremost(runs)
    with far:
        if one is None:
            st.markdown(quiet(say("Nothing run yet")))
        else:
            st.markdown(f"{standing.badge(one.state)} {quiet(_more_told(one, runs))}")
            if one.is_live or (one.is_stopped and one.done):
                st.progress(one.share, text=standing.reached(one))
    if is_open:
        hand.markdown(quiet(f":material/visibility: {say('Open now')}"))
    elif hand.button(
        say("Open"), key=f"audits.open.{audit.id}", help=say("Show this audit on every page."), width="stretch"
    ):
        state.show(audit)
        st.rerun()


def _about(audit: Audit, *, is_twin: bool) -> str:
    """Files and time, and for one of several audits of a name the short id, which tells them apart."""
    files = audit.files
    rows = [
        say("{table} {rows:,} rows", table=frame.SLOT[slot], rows=files[slot]["rows"])
        for slot in SLOTS
        if slot in files
    ] or [say("files removed for their age, {purged}", purged=audit.purged) if audit.purged else say("no file loaded")]
    return " · ".join(
        [
            *rows,
            say("made {day} {time} UTC", day=wording.day(audit.created), time=audit.created[11:16]),
            *([audit.id[:6]] if is_twin else []),
        ]
    )


def _more_told(one: Standing, runs: Sequence[Standing]) -> str:
    told = f"{standing.question(one.question)}, {plain(one.label)}"
    return (
        told
        if len(runs) == 1
        else f"{told} · {counted(len(runs), '{n:,} run', '{n:,} runs')}: {standing.summary(runs)}"
    )


# --------------------------------------------------------------------------------------------------------------
# The open audit


def opened(audit: Audit, runs: list[Standing]) -> None:
    """The runs of the open audit, each with its state, how far it is, its log and what can be done."""
    live = _live([(audit, runs)])
    st.fragment(_runs, run_every=EVERY if live else None)(audit, live, [runs])


def _runs(audit: Audit, live: frozenset[str], fresh: list[list[Standing]]) -> None:
    """``fresh`` as in the list of audits."""
    with frame.guard():
        runs = fresh.pop() if fresh else standings(audit)
        if _live([(audit, runs)]) != live:
            st.rerun()
        if not runs:
            st.markdown(say("Nothing has been run in this audit yet. Every page asks a question of its own."))
        for run in runs:
            _run(audit, run)


def _run(audit: Audit, one: Standing) -> None:
    """One run: what was asked, how it stands, what it needs, and the hands."""
    key = f"audits.{audit.id}.{one.run.id}"
    told, hands = st.columns([7, 5], gap="medium", vertical_alignment="center")
    with told:
        heading = f"{standing.badge(one.state)} **{standing.question(one.question)}**"
        st.markdown(f"{heading}  \n{quiet(plain(one.about))}")
        if one.is_live or (one.is_stopped and one.done):
            st.progress(one.share, text=standing.reached(one))
        stage = "" if one.is_stopping or not one.is_live else one.stage
        for line in filter(None, (stage, standing.need(one))):
            st.caption(plain(line))
    with hands, st.container(horizontal=True, horizontal_alignment="right"):
        _hands(audit, one, key)
        with st.popover(say("Log"), help=say("What happened to this run, times in UTC.")):
            _log(one)
    unfinished.show(audit, one, key)


def _hands(audit: Audit, one: Standing, key: str) -> None:
    if one.is_live:
        st.button(
            say("Cancel"),
            key=f"{key}.cancel",
            icon=":material/stop:",
            disabled=one.is_stopping,
            on_click=one.run.cancel,
            help=say("Stops within 10 seconds. The work done so far is kept, and the run can be resumed."),
        )
    elif one.is_stopped:
        pressed = st.button(
            say("Resume"),
            key=f"{key}.resume",
            icon=":material/play_arrow:",
            disabled=not one.can_resume,
            help=say("Goes on with what is not done yet. The numbers are the same as if it had never stopped."),
        )
        if pressed:
            resume(one)
    if page := any_question.page_of(one.question):
        label = say("Show the result") if one.state == "finished" else say("Show on its page")
        if st.button(label, key=f"{key}.show", icon=":material/arrow_forward:"):
            st.switch_page(page, query_params={"audit": audit.id, "run": one.run.id})


def resume(one: Standing) -> None:
    """Have that run go on, and draw the page anew."""
    try:
        one.run.resume(running.workers())
    except RiskkitError as error:
        frame.sentence_error(error)
    else:
        st.rerun()


def _log(one: Standing) -> None:
    lines = one.run.log()
    if not lines:
        st.caption(say("Nothing has been noted yet."))
    for line in lines:
        st.text(line)
