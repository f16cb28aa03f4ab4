"""Contest · :material/flag:

Which way of making a release protects best at the same usefulness, and where does the uploaded one stand?
"""

import streamlit as st

from riskkit.dashboard import contest, contest_results, frame, running, state, verdicts
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("Which method protects best?"), audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
    else:
        verdicts.warn(audit)
        run = running.shown(audit, "contest")
        if run is None:
            st.markdown(say("No contest has been played yet. Choose the settings below, then press *Run*."))
        else:
            running.picker(audit, run)
            if run.state != "finished":
                running.progress(audit, run)
            else:
                contest_results.show(audit, run)
        st.divider()
        contest.setup(audit)
