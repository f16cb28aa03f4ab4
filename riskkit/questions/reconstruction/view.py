"""What is put together of people's secrets, block by block, for page and paper."""

from __future__ import annotations

from riskkit.language import say
from riskkit.questions import beside_section
from riskkit.questions.reconstruction.result import ReconstructionResult
from riskkit.questions.reconstruction.section import HOWS
from riskkit.show.model import Block
from riskkit.show.names import Names


def view(result: ReconstructionResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    return beside_section.view(
        beside_section.answers(result, names, HOWS),
        say("What is put together: of people who were in, and of people who were not, by columns and attacker"),
        say("share of what is secret"),
    )
