"""The two questions of the Membership page, and which of them is in the address."""

from __future__ import annotations

import streamlit as st

from riskkit.jobs.store import Audit
from riskkit.language import say

QUESTIONS = {"membership": say("Rerun the generator"), "released": say("The released file alone")}
"""Question and its name on the switch."""
ABOUT = {
    "membership": say(
        "The method is trained many times, half of the times with one record and half without it; attackers see the "
        "releases and say which is which."
    ),
    "released": say(
        "Nothing is trained. Attackers see only the released file and say which people of the real table and the "
        "holdout were in."
    ),
}
KEY = "membership.question"
WRITTEN = "membership.question.written"
"""What this page wrote into the address last: anything else there is of a link that was followed."""


def question(audit: Audit) -> str:
    """The question that is shown; the address keeps it."""
    if KEY not in st.session_state or _is_linked():
        st.session_state[KEY] = _addressed(audit)
    picked = st.segmented_control(
        say("What is asked"),
        list(QUESTIONS),
        key=KEY,
        required=True,
        format_func=QUESTIONS.__getitem__,
        label_visibility="collapsed",
        on_change=_turn,
        persist_state="session",
    )
    asked = str(picked)
    st.query_params["question"] = st.session_state[WRITTEN] = asked
    st.caption(ABOUT[asked])
    return asked


def _is_linked() -> bool:
    """Whether the address is of a link to a question or a run, and not what this page wrote there."""
    named = st.query_params.get("question", "")
    return "run" in st.query_params if not named else named != st.session_state.get(WRITTEN)


def _addressed(audit: Audit) -> str:
    """The question named in the address, else that of the run named there, else what was shown, else the first."""
    named = st.query_params.get("question", "")
    run = audit.run(st.query_params.get("run", ""))
    if named not in QUESTIONS and run is not None:
        named = run.question
    return named if named in QUESTIONS else st.session_state.get(KEY, next(iter(QUESTIONS)))


def _turn() -> None:
    """The run in the address answered the other question."""
    st.query_params.pop("run", None)
