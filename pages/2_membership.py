"""Membership · :material/person_search:

Was this record in? Rerun the generator and play games on chosen targets, or attack the released file alone.
"""

import streamlit as st

from riskkit.dashboard import asked, frame, membership, released, released_results, results, running, state, verdicts
from riskkit.language import say

NOT_YET = {
    "membership": say("No game has been played yet. Choose the settings below, then press *Run*."),
    "released": say("No attack has been run yet. Choose the settings below, then press *Run*."),
}

with frame.guard():
    audit = state.current()
    frame.header(say("Can someone tell that a person was in?"), audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
    else:
        verdicts.warn(audit)
        question = asked.question(audit)
        if question == "released" and "synthetic" not in audit.files:
            frame.empty(audit)
        else:
            run = running.shown(audit, question)
            if run is None:
                st.markdown(NOT_YET[question])
            else:
                running.picker(audit, run)
                if run.state != "finished":
                    running.progress(audit, run)
                elif question == "released":
                    released_results.show(audit, run)
                else:
                    results.show(audit, run)
            st.divider()
            (released if question == "released" else membership).setup(audit)
