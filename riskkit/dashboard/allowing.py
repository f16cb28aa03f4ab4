"""How a dashboard is started so that it may run generators of one's own: for who wants one where none may be run."""

from __future__ import annotations

import streamlit as st

from riskkit.jobs import people
from riskkit.language import say

PROGRAM, OBJECT = (
    "python -m riskkit app --allow-external",
    "python -m riskkit app --external-python package.module:Name",
)
TRY = "python -m riskkit generators try 'COMMAND'"


def how() -> None:
    """Say what to do, and why nobody can do it on this page."""
    if people.acting() is not None:
        st.info(
            say(
                "This dashboard serves several people, so it runs no programs: what one person starts could read the "
                "audits of all. Start riskkit on a computer of your own for that."
            ),
            icon=":material/lock:",
        )
        return
    st.info(
        say(
            "This dashboard was not started to run generators of your own, and no page can change that. End it in its "
            "terminal with Ctrl+C, and start it again with one of these. Your audits are kept."
        ),
        icon=":material/lock:",
    )
    st.caption(say("For a program:"))
    st.code(PROGRAM, language="bash", wrap_lines=True)
    st.caption(say("For a Python object with fit and sample:"))
    st.code(OBJECT, language="bash", wrap_lines=True)
    st.caption(say("This shows beforehand, on sample data, whether your program can be used:"))
    st.code(TRY, language="bash", wrap_lines=True)
