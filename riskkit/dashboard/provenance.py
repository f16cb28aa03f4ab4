"""How the release was made: asked once, kept with the audit. It decides which questions are about this release."""

from __future__ import annotations

import streamlit as st

from riskkit import registry
from riskkit.audit.provenance import provenance
from riskkit.dashboard import forms, frame, steps
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.language import say

ROOM = "generators"
NOBODY = "unknown"
ABOUT = say(
    "Questions that train a method again (Membership, Records) are about this release only where that very method, "
    "with the same settings, made it. For any other method they say what would have been."
)
QUESTION = say("How was the release made?")


def fold(audit: Audit) -> None:
    """The question, folded under its answer; *Keep* writes another answer into the audit."""
    with st.expander(f"{QUESTION} {told(audit)}"):
        st.caption(ABOUT)
        _remember(audit)
        _ask(audit)


def _ask(audit: Audit) -> None:
    left, right = st.columns((2, 3), gap="large")
    menu = [NOBODY, *steps.offered(ROOM)]
    if (kept := _method(audit.provenance)) not in menu:
        menu.append(kept)
    chosen = str(
        left.selectbox(
            say("Method"), menu, format_func=_called, key=_key(audit, "method"), persist_state="session", help=ABOUT
        )
    )
    answer = UNKNOWN if chosen == NOBODY else audit.provenance
    if chosen in registry.plugins(ROOM):
        with right:
            spelled = steps.form(ROOM, chosen, _fields(audit, chosen))
        if not spelled:
            return
        answer = provenance(spelled)
    left.button(
        say("Keep this answer"), key=_key(audit, "keep"), on_click=audit.made_by, args=(answer,), type="primary",
        disabled=answer == audit.provenance,
    )  # fmt: skip


def _remember(audit: Audit) -> None:
    """Put what is kept into the form: of a new session, and of one that shows what was changed elsewhere."""
    state, made_by, seen = st.session_state, audit.provenance, _key(audit, "seen")
    if state.get(seen) == made_by and _key(audit, "method") in state:
        return
    state[seen] = made_by
    state[_key(audit, "method")] = method = _method(made_by)
    if method in registry.plugins(ROOM):
        steps.fill(ROOM, made_by.method, _fields(audit, method))


def _method(made_by: Provenance) -> str:
    """The first step of what made it; the answer on the menu."""
    return registry.steps(made_by.method)[0].partition(":")[0] if made_by.is_known else NOBODY


def told(audit: Audit) -> str:
    """The answer that is kept, in a few words."""
    made_by = audit.provenance
    if not made_by.is_known:
        return say("Nobody has said.")
    try:
        return frame.plain(forms.named(ROOM, made_by.method))
    except ParameterError:  # a method that is no longer here
        return frame.plain(made_by.method)


def of_another_file(audit: Audit) -> None:
    """Take the answer back: another file is the release now, and nobody has said how that was made."""
    if audit.provenance.is_known:
        audit.made_by(UNKNOWN)


def _called(name: str) -> str:
    if name == NOBODY:
        return say("I don't know")
    return forms.title(ROOM, name) if name in registry.plugins(ROOM) else name


def _fields(audit: Audit, method: str) -> str:
    return _key(audit, ROOM, method)


def _key(audit: Audit, *parts: str) -> str:
    return ".".join(("provenance", audit.id, *parts))
