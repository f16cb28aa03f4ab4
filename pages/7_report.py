"""Report · :material/assignment:

The verdict over all questions, the limits it is judged by, and the report to sign and hand on.
"""

import streamlit as st

from riskkit.dashboard import frame, report, report_pair, state
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("Can it be released?"), audit)
    if audit is None or "real" not in audit.files:
        frame.empty(audit)
        st.divider()
        report_pair.side_by_side()
    else:
        report.show(audit)
