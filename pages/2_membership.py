"""Membership · :material/person_search:

Was this record in? Rerun the generator and play games on chosen targets, or attack the released file alone.
"""

from riskkit.dashboard import any_question, membership
from riskkit.language import say

any_question.draw(say("Can someone tell that a person was in?"), membership.page(), membership.picked)
