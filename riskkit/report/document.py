"""The report as a row of blocks (headings, paragraphs, tables, charts), whatever it is set with.

Page one decides; then a page at most for each question that was asked, or the sections of the profile; the appendix,
where it is wanted, has the rest.
"""

from __future__ import annotations

from riskkit.report.appendix import appendix
from riskkit.report.asked import question
from riskkit.report.blocks import Block
from riskkit.report.cover import cover
from riskkit.report.profiled import profiled
from riskkit.show.model import Findings


def blocks(found: Findings, *, with_appendix: bool = False) -> list[Block]:
    """Everything that is printed, in order."""
    every = [*cover(found)]
    if found.profile is not None and found.profile.sections():
        every += profiled(found, found.profile)
    else:
        for at, answer in enumerate(found.answered()):
            every += question(answer, is_first=at == 0)
    return [*every, *appendix(found)] if with_appendix else every
