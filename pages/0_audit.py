"""Audit · :material/verified_user:

The path from three files to one answer: drop them, say what is known of them, press Run, and read what came of it.
"""

from riskkit.dashboard.frame import shell, state
from riskkit.dashboard.pages import release
from riskkit.language import say

with shell.guard():
    audit = state.current()
    shell.header(say("Can this table be released?"), audit)
    release.page(audit)
