"""Membership · :material/person_search:

Was this record in? Rerun the generator and play games on chosen targets, or attack the released file alone.
"""

from riskkit.dashboard.pages import membership, question_page
from riskkit.language import say

question_page.draw(say("Can someone tell that a person was in?"), membership.page(), membership.picked)
