"""Compare · :material/compare_arrows:

Two releases of one real table, question by question, on the same people.
"""

from riskkit.dashboard import compare, frame, state
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("Is the new release better than the old one?"), audit)
    compare.show(audit)
