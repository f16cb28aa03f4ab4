"""Who is singled out, in words and block by block, for the page, the report and the command line."""

from __future__ import annotations

from riskkit.language import counted, kept, say
from riskkit.questions import compared_present
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.singling_out.play import SinglingOutResult
from riskkit.show.model import Block, Given, Played, RunFinding
from riskkit.show.names import Names

WORDS = ComparedWords(
    question=kept("Is a person unique by a few known columns, and does the release show it?"),
    knows=kept("the released file, and up to {size} of a person"),
    hypothesis=kept("members are singled out no more often than others"),
    nothing=kept("Whether people are singled out could not be measured."),
    shown=kept(
        "By {known} alone, {members} of members are singled out: nobody else has these values, and the "
        "release has them. Of people outside the data, {others} are."
    ),
    not_shown=kept(
        "No set of columns is shown to single out members more often than others. The closest, {known}, singles "
        "out {members} of members and {others} of others."
    ),
    plain=kept("{members} of members can be singled out by {known}, {others} of other people."),
    title=kept("{members} of members and {others} of others are singled out by the most telling columns"),
    axis=kept("share of people"),
    limits=(
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
    ),
)


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = SinglingOutResult.from_plain(run.result)
    columns = counted(result.plan.size, "{n:,} column", "{n:,} columns")
    return compared_present.read(run, names, result, WORDS, size=columns)


def view(result: SinglingOutResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    return compared_present.view(result, names, WORDS)
