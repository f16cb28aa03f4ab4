"""Who is singled out, for the report of the audit and for its page."""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.language import counted, say
from riskkit.questions import beside_section
from riskkit.questions.beside_section import LookRow
from riskkit.questions.singling_out.result import SinglingOutResult
from riskkit.show.finding import finding
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import share_in_tenths

LIMITS = (
    say("It speaks of this one file. Another release of the same method may single out more or fewer."),
    say(
        "Only equal values are seen. A release that comes close to a person without an equal value is a matter for "
        "the other attacks on the file."
    ),
    say(
        "Unique means unique among the people of real table and holdout together. In a larger population fewer "
        "people are unique."
    ),
    say("The result holds only if the holdout was drawn like the real table."),
)
"""What such a result does not show."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = SinglingOutResult.of(run.result)
    every = beside_section.answers(result, names)
    return (
        finding(
            run,
            names,
            sentence=sentence(every),
            game=(
                (say("The question"), say("Is a person unique by a few known columns, and does the release show it?")),
                (
                    say("The worlds"),
                    say("one release, as it is; people who were in beside people who were not (the holdout)"),
                ),
                (
                    say("The attacker knows"),
                    say("the released file, and up to {size} of a person", size=_columns(result.plan.size)),
                ),
                (say("The hypothesis"), say("people who were in are singled out no more often than others")),
                (say("Counted are"), beside_section.counted_are(result)),
            ),
            measured=beside_section.measured(result, names),
            estimates=beside_section.estimates(result, names, every),
            limits=LIMITS,
            for_whom=beside_section.for_whom(run, result, names),
            at_risk=beside_section.at_risk(result, names, every),
        ),
    )


def sentence(every: Sequence[LookRow]) -> str:
    """What was found, in one sentence."""
    if not every:
        return say("Whether people are singled out could not be measured.")
    best = every[0]
    shares = {"members": share_in_tenths(best.members), "others": share_in_tenths(best.others)}
    if best.residual.low > 0:
        return say(
            "By {known} alone, {members} of the people who were in are singled out: nobody else has these values, and "
            "the release has them. Of people who were not in, {others} are.",
            known=best.known,
            **shares,
        )
    return say(
        "No set of columns is shown to single out people who were in more often than others. The closest, {known}, "
        "singles out {members} of those who were in and {others} of those who were not.",
        known=best.known,
        **shares,
    )


def _columns(count: int) -> str:
    return counted(count, "{n:,} column", "{n:,} columns")
