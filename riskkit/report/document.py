"""The report as a row of blocks (headings, paragraphs, tables, charts), whatever it is set with.

Page one decides; then a page at most for each question that was asked, or the sections of the profile; the appendix,
where it is wanted, has the rest.
"""

from __future__ import annotations

from riskkit.report.appendix import appendix
from riskkit.report.asked import question
from riskkit.report.blocks import Block, whole
from riskkit.report.cover import cover
from riskkit.report.profiled import profiled
from riskkit.show.model import Findings


def blocks(findings: Findings, *, with_appendix: bool = False) -> list[Block]:
    """Everything that is printed, in order."""
    every = [*cover(findings)]
    if findings.profile is not None and findings.profile.sections():
        every += profiled(findings, findings.profile)
    else:
        for index, answer in enumerate(findings.answered()):
            every += whole(question(answer, is_first=index == 0))
    return [*every, *appendix(findings)] if with_appendix else every
