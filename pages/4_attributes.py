"""Attributes · :material/key:

What does the release let somebody guess who knows a few things about a person, and is that owed to being in it?
"""

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import attributes, question_page
from riskkit.language import say

with shell.guard():
    question_page.draw(say("What can be guessed about a person?"), attributes.page())
