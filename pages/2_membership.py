"""Membership · 🎯

Was this record in? Plays the membership game on chosen targets and shows what an attacker learns.
"""

import streamlit as st

from riskkit.dashboard import frame, membership, results, running, state

with frame.guard():
    audit = state.current()
    frame.header("Membership", audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
    else:
        run = running.shown(audit)
        if run is None:
            st.markdown(
                "Nothing has been played yet. In a game, the method is trained many times, half of the times with one "
                "record and half without it; attackers see the releases and say which is which."
            )
        else:
            running.picker(audit, run)
            if run.state == "finished":
                results.show(audit, run)
            else:
                running.progress(audit, run)
        st.divider()
        membership.setup(audit)
