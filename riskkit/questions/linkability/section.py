"""Who is linked, for the report of the audit and for its page."""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.language import say
from riskkit.questions import beside
from riskkit.questions.beside import Answer
from riskkit.show.finding import finding
from riskkit.show.model import Chart, Given, Played, RunFinding
from riskkit.show.names import Names

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


def read(run: Played, names: Names, given: Given) -> tuple[RunFinding, ...]:
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    every, group = beside.answers(run.result, names), int(run.plan["group"])
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
                (say("Counted are"), beside.counted_are(run.result)),
            ),
            measured=beside.measured(run.result, names, given),
            estimates=tuple(each for answer in every for each in answer.estimates),
            limits=LIMITS,
            extra=(
                say(
                    "Guessing links one in {group:,}: {share}.",
                    group=group, share=beside.percent(1 / group),
                ),
                *beside.lines(every),
            ),
            chart=_chart(every),
            at_risk=beside.at_risk(run.result, names, every),
        ),
    )  # fmt: skip


def sentence(every: Sequence[Answer], group: int) -> str:
    """What was found, in one sentence."""
    if not every:
        return say("Whether people are linked could not be measured.")
    best = every[0]
    shares = {"members": beside.share(best.members), "others": beside.share(best.others)}
    if best.residual.low > 0:
        return say(
            "Of {group:,} people at a time whose columns lie in two files, the release links {members} of those "
            "who were in the data rightly, and {others} of those who were not.",
            group=group, **shares,
        )  # fmt: skip
    return say(
        "The release is not shown to link people who were in more often than others: of {group:,} people at a time, "
        "{members} of those who were in are linked rightly and {others} of those who were not.",
        group=group, **shares,
    )  # fmt: skip


def _chart(every: Sequence[Answer]) -> Chart | None:
    if not every:
        return None
    told = say("People linked rightly: those who were in and those who were not, by the columns of each file")
    return Chart(told, say("share of people"), beside.bars(every), None)
