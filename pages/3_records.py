"""Records · :material/groups:

Whom does this very table expose? The risk of every person, and for one of them: by which columns, and what helps.
"""

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import question_page, records
from riskkit.language import say

with shell.guard():
    question_page.draw(say("Who is exposed most?"), records.page())
