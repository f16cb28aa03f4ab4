"""Who is linked, in words and block by block, for the page, the report and the command line."""

from __future__ import annotations

from riskkit.language import kept, say
from riskkit.questions import compared_present
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.linkability.play import LinkabilityResult
from riskkit.show.model import Block, Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import tenths

WORDS = ComparedWords(
    question=kept("Of two files with different columns of the same people, which records belong together?"),
    knows=kept("the released file, and both halves of {group:,} people at a time, in no order"),
    hypothesis=kept("members are linked no more often than others"),
    nothing=kept("Whether people are linked could not be measured."),
    shown=kept(
        "Of {group:,} people at a time whose columns lie in two files, the release links {members} of the "
        "members rightly, and {others} of the others."
    ),
    not_shown=kept(
        "The release is not shown to link members more often than others: of {group:,} people at a time, "
        "{members} of members are linked rightly and {others} of others."
    ),
    plain=kept("An attacker links {members} of members and {others} of others."),
    title=kept("{members} of members and {others} of others are linked rightly"),
    axis=kept("share of people"),
    limits=(
        say("It speaks of this one file. Another release of the same method may link more or fewer people."),
        say("It speaks of this one way to link. A stronger one may link more."),
        say(
            "Shares depend on how many people are linked at a time: among more people a link is harder to find. "
            "Members and others are linked in groups of the same size, so their difference is fair."
        ),
        say("The result holds only if the holdout was drawn like the real table."),
    ),
)


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = LinkabilityResult.from_plain(run.result)
    return compared_present.read(run, names, result, WORDS, group=result.plan.group)


def view(result: LinkabilityResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    group = result.plan.group
    guess = say("Guessing links one in {group:,}: {share}.", group=group, share=tenths(1 / group))
    return compared_present.view(result, names, WORDS, guess)
