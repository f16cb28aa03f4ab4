"""Who is linked, block by block, for page and paper."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import beside_section
from riskkit.questions.linkability.result import LinkabilityResult
from riskkit.show.model import Block
from riskkit.show.names import Names
from riskkit.wording import tenths


def view(result: LinkabilityResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    group = result.plan.group
    guess = say("Guessing links one in {group:,}: {share}.", group=group, share=tenths(1 / group))
    return beside_section.view(
        beside_section.answers(result, names),
        say("People linked rightly: those who were in and those who were not, by the columns of each file"),
        say("share of people"),
        guess,
    )
