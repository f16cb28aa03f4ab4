"""Records · :material/groups:

Whom does this very table expose? The risk of every person, and for one of them: by which columns, and what helps.
"""

import streamlit as st

from riskkit.dashboard import frame, records, records_by_file, records_results, running, state, verdicts
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("Who is exposed most?"), audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
    else:
        verdicts.warn(audit)
        run = running.shown(audit, "records")
        if run is None:
            st.markdown(say("Nobody's risk has been measured yet. Choose the settings below, then press *Run*."))
        else:
            running.picker(audit, run)
            if run.state != "finished":
                running.progress(audit, run)
            else:
                records_results.show(audit, run)
        records_by_file.show(audit)
        st.divider()
        records.setup(audit)
