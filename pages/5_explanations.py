"""Explanations · :material/lightbulb:

What do the reasons that a model gives for its answers tell of the people who are explained?
"""

from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import explanations, question_page
from riskkit.language import say

with shell.guard():
    question_page.draw(say("What do explanations reveal?"), explanations.page())
