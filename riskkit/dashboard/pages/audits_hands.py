"""What can be done with the open audit: another name, a copy, a run with changed settings, an end without a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import streamlit as st

from riskkit import wording
from riskkit.dashboard.forms import plan_forms
from riskkit.dashboard.frame import run_state, run_view, shell, state
from riskkit.dashboard.frame.run_state import RunStanding
from riskkit.dashboard.frame.shell import plain, quiet
from riskkit.dashboard.pages import audits_retention
from riskkit.errors import RiskkitError
from riskkit.jobs import people
from riskkit.jobs.store import Audit, Store
from riskkit.language import counted, joined, say
from riskkit.questions.runs import plan_of


def hands(audit: Audit, runs: Sequence[RunStanding]) -> None:
    """Rename, copy and delete, in one row."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(say("Rename"), icon=":material/edit:"):
            rename(audit)
        with st.popover(
            say("Copy"), icon=":material/content_copy:", help=say("The same files and columns, with no run.")
        ):
            name = st.text_input(
                say("Name of the copy"),
                say("{name}, copy", name=audit.name),
                max_chars=100,
                key=f"audits.{audit.id}.copy_name",
            )
            st.caption(say("Files and decisions about columns are copied; runs are not. The copy is opened."))
            if st.button(say("Copy it"), key=f"audits.{audit.id}.copy", type="primary", disabled=not name.strip()):
                state.show(audit.clone(name.strip()))
                st.rerun()
        with st.popover(say("Delete…"), icon=":material/delete:", help=say("Removes it for good; asks once more.")):
            _delete(audit, runs)


def rename(audit: Audit) -> None:
    """The field with the name of an audit."""
    hint = say("What this audit is called on every page and in its report.")
    name = st.text_input(say("Name of the open audit"), audit.name, max_chars=100, key=f"name_{audit.id}", help=hint)
    if name and name.strip() and name.strip() != audit.name:
        audit.rename(name.strip())
        st.rerun()


def _delete(audit: Audit, runs: Sequence[RunStanding]) -> None:
    live = sum(run.is_live for run in runs)
    files, count = counted(len(audit.files), "{n:,} file", "{n:,} files"), counted(len(runs), "{n:,} run", "{n:,} runs")
    if live:
        st.markdown(
            counted(
                live,
                ":orange[:material/warning:] {n:,} run is still going on; it is stopped first.",
                ":orange[:material/warning:] {n:,} runs are still going on; they are stopped first.",
            )
        )
    delete(
        audit,
        f"**{plain(audit.name)}**",
        say("{files}, the decisions about columns, {count} with results and logs", files=files, count=count),
    )


def delete(audit: Audit, called: str, holds: str) -> None:
    """What would go, and the button that takes it away and leaves a receipt."""
    st.markdown(say("Delete {called}: {holds}? This cannot be undone.", called=called, holds=holds))
    if st.button(say("Yes, delete it"), key=f"audits.{audit.id}.delete", type="primary"):
        opened = state.current()
        if opened is not None and opened.id == audit.id:
            state.close()
        with st.spinner(say("Deleting, and overwriting what was deleted")):
            st.session_state[audits_retention.RECEIPT] = audit.delete()
        st.rerun()


# --------------------------------------------------------------------------------------------------------------
# Run again with changed settings


def change_settings(audit: Audit, runs: Sequence[RunStanding]) -> None:
    """Take the settings of a run, change some, and run them on the data as it is now."""
    known = {run_standing.run.id: run_standing for run_standing in runs}
    if not known:
        return
    lines = _apart(runs)
    chosen = st.selectbox(
        say("Settings of"), list(known), format_func=lambda run: lines[run], key=f"audits.{audit.id}.again"
    )
    try:
        plan = plan_of(known[str(chosen)].run)
    except RiskkitError as error:
        shell.sentence_error(error)
        return
    prefix = f"audits.{audit.id}.again.{chosen}"
    try:
        values = {spec.name: getattr(plan, spec.name) for spec in fields(plan)}
        entered = plan_forms.rest(type(plan), (), lambda *parts: ".".join((prefix, *parts)), values, columns=3)
        wanted = replace(plan, **entered)
    except RiskkitError as error:
        shell.sentence_error(error)
        wanted = None
    same = wanted == plan and known[str(chosen)].is_current
    if same:
        st.caption(say("Nothing is changed yet: the same settings on the same data give the same numbers."))
    cannot = wanted is None or same
    pressed = st.button(say("Run with these settings"), key=f"{prefix}.run", type="primary", disabled=cannot)
    if pressed and wanted is not None:
        st.query_params["run"] = audit.start(wanted, workers=run_view.workers()).id
        st.rerun()


def _apart(runs: Sequence[RunStanding]) -> dict[str, str]:
    """Each run in one line: its question, settings and state; with its short id where two lines are the same."""
    return shell.tell_apart(
        {run.run.id: f"{run_state.question(run.question)} · {run.about} · {run_state.word(run.state)}" for run in runs}
    )


# --------------------------------------------------------------------------------------------------------------
# What several people on one dashboard need: whom an audit is shared with, and everybody's audits


KEY = "sharing"


def share(audit: Audit) -> None:
    """Whom the open audit is shared with, and, for its owner, the way to change that."""
    if people.acting() is None:
        return
    names = audit.guests
    with_whom = joined(map(plain, names)) if names else say("nobody")
    owner = plain(audit.owner)
    st.markdown(quiet(say("Owner: {owner} · shared with {names}", owner=owner, names=with_whom)))
    if not audit.is_mine:
        return
    with st.popover(say("Share"), icon=":material/group_add:"):
        st.caption(
            say(
                "They may see everything in this audit, its tables too, and run and cancel things in it. They may not "
                "delete it or share it."
            )
        )
        name = st.text_input(say("Name of the person, as their login says it"), key=f"{KEY}.{audit.id}.name")
        if st.button(say("Share it"), key=f"{KEY}.{audit.id}.share", type="primary", disabled=not name.strip()):
            _do(audit.share, name.strip())
        for index, other in enumerate(names):
            if st.button(say("Stop sharing with {name}", name=plain(other)), key=f"{KEY}.{audit.id}.stop.{index}"):
                _do(audit.stop_sharing, other)


def everybody() -> None:
    """Everybody's audits for an administrator: whose, how old, how large, and the way to be rid of one."""
    if people.acting() is None or not people.is_admin():
        return
    store = state.store()
    with st.expander(say("Everybody's audits, for administrators")):
        st.caption(say("What is in them is not shown. Deleting one leaves a receipt, and an entry in the log."))
        for audit in store.everybody():
            text, hand = st.columns([8, 3], vertical_alignment="center")
            text.markdown(
                say(
                    "{id} · {owner} · made {day} · {size:,.1f} MB",
                    id=audit.id[:8],
                    owner=plain(audit.owner) or say("nobody"),
                    day=wording.day(audit.created),
                    size=audit.size / 1e6,
                )
            )
            with hand.popover(say("Delete…")):
                st.markdown(say("Delete this audit with everything in it? This cannot be undone."))
                if st.button(say("Yes, delete it"), key=f"{KEY}.delete.{audit.id}", type="primary"):
                    _do(_remove, store, audit.id)


def _remove(store: Store, audit: str) -> None:
    st.session_state[audits_retention.RECEIPT] = store.remove(audit)


def _do(act: Callable[..., object], *arguments: object) -> None:
    """Do it and draw the page anew, or say why not."""
    try:
        act(*arguments)
    except RiskkitError as error:
        shell.sentence_error(error)
    else:
        st.rerun()
