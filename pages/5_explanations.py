"""Explanations · :material/lightbulb:

What do the reasons that a model gives for its answers tell of the people who are explained?
"""

import streamlit as st

from riskkit.dashboard import explanations, explanations_results, frame, running, state
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("What do explanations give away?"), audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
    else:
        run = running.shown(audit, "explanations")
        if run is None:
            st.markdown(say("No explanation has been attacked yet. Choose the settings below, then press *Run*."))
        else:
            running.picker(audit, run)
            if run.state != "finished":
                running.progress(audit, run)
            else:
                explanations_results.show(audit, run)
        st.divider()
        explanations.setup(audit)
