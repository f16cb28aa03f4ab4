"""Report · :material/assignment:

The verdict over all questions, the limits it is judged by, and the report to sign and hand on.
"""

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import report
from riskkit.language import say

with shell.guard():
    audit = state.current()
    shell.header(say("What does the report say?"), audit)
    if audit is None or "real" not in audit.files:
        shell.empty(audit)
    else:
        report.show(audit)
