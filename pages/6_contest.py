"""Contest · :material/flag:

Which way of making a release protects best at the same usefulness, and where does the uploaded one stand?
"""

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import contest, question_page
from riskkit.language import say

with shell.guard():
    question_page.draw(say("Would another method protect better?"), contest.page())
