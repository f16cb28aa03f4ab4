"""Who is linked, for the report of the audit and for its page."""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.language import say
from riskkit.questions import beside_section
from riskkit.questions.beside_section import LookRow
from riskkit.questions.linkability.result import LinkabilityResult
from riskkit.show.finding import finding
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import share_in_tenths

LIMITS = (
    say("It speaks of this one file. Another release of the same method may link more or fewer people."),
    say("It speaks of this one way to link. A stronger one may link more."),
    say(
        "Shares depend on how many people are linked at a time: among more people a link is harder to find. "
        "Members and others are linked in groups of the same size, so their difference is fair."
    ),
    say("The result holds only if the holdout was drawn like the real table."),
)
"""What such a result does not show."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = LinkabilityResult.of(run.result)
    every, group = beside_section.answers(result, names), result.plan.group
    return (
        finding(
            run,
            names,
            sentence=sentence(every, group),
            game=(
                (
                    say("The question"),
                    say("Of two files with different columns of the same people, which records belong together?"),
                ),
                (
                    say("The worlds"),
                    say("one release, as it is; people who were in beside people who were not (the holdout)"),
                ),
                (
                    say("The attacker knows"),
                    say("the released file, and both halves of {group:,} people at a time, in no order", group=group),
                ),
                (say("The hypothesis"), say("people who were in are linked no more often than others")),
                (say("Counted are"), beside_section.counted_are(result)),
            ),
            measured=beside_section.measured(result, names),
            estimates=beside_section.estimates(result, names, every),
            limits=LIMITS,
            for_whom=beside_section.for_whom(run, result, names),
            at_risk=beside_section.at_risk(result, names, every),
        ),
    )


def sentence(every: Sequence[LookRow], group: int) -> str:
    """What was found, in one sentence."""
    if not every:
        return say("Whether people are linked could not be measured.")
    best = every[0]
    shares = {"members": share_in_tenths(best.members), "others": share_in_tenths(best.others)}
    if best.residual.low > 0:
        return say(
            "Of {group:,} people at a time whose columns lie in two files, the release links {members} of those "
            "who were in the data rightly, and {others} of those who were not.",
            group=group,
            **shares,
        )
    return say(
        "The release is not shown to link people who were in more often than others: of {group:,} people at a time, "
        "{members} of those who were in are linked rightly and {others} of those who were not.",
        group=group,
        **shares,
    )
