"""Attributes · :material/key:

What does the release let somebody guess who knows a few things about a person, and is that owed to being in it?
"""

from riskkit.dashboard import any_question, attributes
from riskkit.language import say

any_question.draw(say("What can be guessed about a person?"), attributes.page())
