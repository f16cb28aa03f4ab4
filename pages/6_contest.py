"""Contest · :material/flag:

Which way of making a release protects best at the same usefulness, and where does the uploaded one stand?
"""

from riskkit.dashboard import any_question, contest
from riskkit.language import say

any_question.draw(say("Which method protects best?"), contest.page())
