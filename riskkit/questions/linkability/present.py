"""Who is linked, in words and block by block, for the page, the report and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from riskkit.language import say
from riskkit.questions import compared_present
from riskkit.questions.compared_present import LookRow
from riskkit.questions.linkability.play import LinkabilityResult
from riskkit.show.model import Block, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import tenths

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
    result = LinkabilityResult.from_plain(run.result)
    group = result.plan.group
    return compared_present.read(
        run,
        names,
        result,
        sentence=partial(sentence, group=group),
        plain=partial(plain, group=group),
        question=say("Of two files with different columns of the same people, which records belong together?"),
        knows=say("the released file, and both halves of {group:,} people at a time, in no order", group=group),
        hypothesis=say("members are linked no more often than others"),
        limits=LIMITS,
    )


def plain(look: LookRow, group: int) -> str:
    """The leak in one breath."""
    return say(
        "Among {group:,} people, an attacker links the two halves of {members} of members and {others} of others.",
        group=group,
        **compared_present.values(look),
    )


def sentence(every: Sequence[LookRow], group: int) -> str:
    """What was found, in one sentence."""
    if not every:
        return say("Whether people are linked could not be measured.")
    best = every[0]
    if best.residual.low > 0:
        return say(
            "Of {group:,} people at a time whose columns lie in two files, the release links {members} of the "
            "members rightly, and {others} of the others.",
            group=group,
            **compared_present.shares(best),
        )
    return say(
        "The release is not shown to link members more often than others: of {group:,} people at a time, "
        "{members} of members are linked rightly and {others} of others.",
        group=group,
        **compared_present.shares(best),
    )


def view(result: LinkabilityResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    group = result.plan.group
    guess = say("Guessing links one in {group:,}: {share}.", group=group, share=tenths(1 / group))
    return compared_present.view(
        result,
        names,
        say("People linked rightly: members and others, by the columns of each file"),
        say("share of people"),
        guess,
    )
