"""Compare · :material/compare_arrows:

Two releases of one real table, question by question, on the same people.
"""

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import compare
from riskkit.language import say

with shell.guard():
    audit = state.current()
    shell.header(say("Is the new release better than the old one?"), audit)
    compare.show(audit)
