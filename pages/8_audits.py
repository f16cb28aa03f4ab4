"""Audits · :material/folder_open:

Every audit kept here: how each stands, what it waits for, and what can be done with it.
"""

import streamlit as st

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import audits, audits_compare, audits_hands, audits_retention
from riskkit.language import say


def page() -> None:
    """What was deleted last, all audits, the open one, two beside each other, and what is kept for how long."""
    opened, (kept, broken) = state.current(), audits.everything()
    shell.title(say("Which audits are kept here?"))
    audits_retention.receipt()
    audits.list_damaged(broken)
    if not kept:
        shell.empty(None)
        audits_retention.show()
        audits_hands.everybody()
        return
    audits.list_audits(kept, opened)
    runs = next((runs for audit, runs in kept if opened is not None and audit.id == opened.id), None)
    if opened is not None and runs is not None:
        st.divider()
        st.header(shell.plain(opened.name), anchor=False)
        audits_hands.hands(opened, runs)
        audits_hands.share(opened)
        stays = f"audits.runs.{opened.id}"  # what was watched stays in view when it has finished
        st.session_state[stays] = st.session_state.get(stays, False) or any(run.state != "finished" for run in runs)
        with st.expander(say("Runs of this audit"), expanded=st.session_state[stays]):
            audits.open_runs(opened, runs)
        if runs:
            with st.expander(say("Run again with changed settings")):
                audits_hands.change_settings(opened, runs)
    st.divider()
    with st.expander(say("Two runs of one question")):
        audits_compare.show(kept, opened)
    with st.expander(say("What is kept, and for how long")):
        audits_retention.show()
    audits_hands.everybody()


with shell.guard():
    page()
