"""Attributes · :material/key:

What does the release let somebody guess who knows a few things about a person, and is that owed to being in it?
"""

import streamlit as st

from riskkit.dashboard import attributes, attributes_results, frame, running, state, verdicts
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("What can be guessed about a person?"), audit)
    if audit is None or not {"real", "synthetic"} <= set(audit.files):
        frame.empty(audit)
    else:
        verdicts.warn(audit)
        run = running.shown(audit, "attributes")
        if run is None:
            st.markdown(say("Nothing has been guessed yet. Choose the settings below, then press *Run*."))
        else:
            running.picker(audit, run)
            if run.state != "finished":
                running.progress(audit, run)
            else:
                attributes_results.show(audit, run)
        st.divider()
        attributes.setup(audit)
