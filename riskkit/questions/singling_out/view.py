"""Who is singled out, block by block, for page and paper."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import beside_section
from riskkit.questions.singling_out.result import SinglingOutResult
from riskkit.show.model import Block
from riskkit.show.names import Names


def view(result: SinglingOutResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    return beside_section.view(
        beside_section.answers(result, names),
        say("People singled out: those who were in and those who were not, by the most telling columns"),
        say("share of people"),
    )
