"""A report is itself a release: how many shareable ones there are about one real table, and what several tell."""

from __future__ import annotations

from riskkit.language import counted, say
from riskkit.show.model import Findings

MANY = say(
    "Whoever has several reports about the same people learns more than from any one of them: what differs between two "
    "can be about one person (ReconSyn, arXiv 2312.05114). Share one, and withdraw those that are not needed."
)


def sentences(findings: Findings) -> tuple[str, ...]:
    """The count, and the warning where there were others before; nothing for a restricted report."""
    if findings.is_restricted:
        return ()
    if findings.reports is None:
        return (
            say(
                "It is not counted how many shareable reports there are about this real table, because this report "
                "is not kept."
            ),
        )
    number = say("This is shareable report no. {number:,} about this real table.", number=findings.reports.number)
    others = warning(findings)
    return (f"{number} {others}",) if others else (number,)


def warning(findings: Findings) -> str:
    """What is to be said of others that were made before; empty where there are none, or nobody counted."""
    if findings.is_restricted or findings.reports is None or not findings.reports.before:
        return ""
    many = counted(
        findings.reports.before,
        "{n:,} other was made before, with other settings or of another release.",
        "{n:,} others were made before, with other settings or of other releases.",
    )
    return f"{many} {MANY}"
