"""Records · :material/groups:

Whom does this very table expose? The risk of every person, and for one of them: by which columns, and what helps.
"""

from riskkit.dashboard import any_question, records
from riskkit.language import say

any_question.draw(say("Who is exposed most?"), records.page())
