"""What several people on one dashboard need: whom an audit is shared with, and everybody's audits."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from riskkit import wording
from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.frame.shell import plain, quiet
from riskkit.dashboard.pages import audits_retention
from riskkit.errors import RiskkitError
from riskkit.jobs import people
from riskkit.jobs.store import Audit, Store
from riskkit.language import joined, say

KEY = "sharing"


def hands(audit: Audit) -> None:
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
