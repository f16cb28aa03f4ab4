"""Explanations · :material/lightbulb:

What do the reasons that a model gives for its answers tell of the people who are explained?
"""

from riskkit.dashboard import any_question, explanations
from riskkit.language import say

any_question.draw(say("What do explanations give away?"), explanations.page())
