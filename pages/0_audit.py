"""Audit · :material/verified_user:

The path from three files to one answer: drop them, say what is known of them, press Run, and read what came of it.
"""

from riskkit.dashboard import frame, release, state
from riskkit.language import say

with frame.guard():
    audit = state.current()
    frame.header(say("Can this table be released?"), audit)
    release.page(audit)
