"""Membership · :material/person_search:

Was this record in? Rerun the generator and play games on chosen targets, or attack the released file alone.
"""

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import membership, question_page
from riskkit.language import say

with shell.guard():
    question_page.draw(say("Can someone tell that a person is in the data?"), membership.page(), membership.pick)
