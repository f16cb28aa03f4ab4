"""Linking halves of records, as an audit asks it and as page, report and command line say it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from riskkit.language import kept, phrase, say
from riskkit.questions import Question, compared_present
from riskkit.questions.compared import forecast
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.linkability.play import LinkabilityPlan, LinkabilityResult, run_linkability
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import Block, Given, Played, RunFinding, example_sides
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
    plain=kept(
        "With the release, an attacker joins two lists of the same {group:,} people rightly for {members} of members "
        "and {others} of others; guessing: {guess}."
    ),
    done=phrase("Linked"),
    axis=kept("share of people; difference in points"),
    limits=(
        phrase("It speaks of this one file. Another release of the same method may link more or fewer people."),
        phrase("It speaks of this one way to link. A stronger one may link more."),
        phrase(
            "Shares depend on how many people are linked at a time: among more people a link is harder to find. "
            "Members and others are linked in groups of the same size, so their difference is fair."
        ),
        phrase("The result holds only if the holdout was drawn like the real table."),
    ),
)


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; it is about this release, whatever made it."""
    assert run.result is not None
    result = LinkabilityResult.from_plain(run.result)
    group = result.plan.group
    return compared_present.read(run, names, result, WORDS, group=group, guess=tenths(1 / group))


def view(result: LinkabilityResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    group = result.plan.group
    guess = say("Guessing links one in {group:,}: {share}.", group=group, share=tenths(1 / group))
    return compared_present.view(result, names, WORDS, guess)


MOST: Mapping[Effort, int] = {Effort.QUICK: 1_000, Effort.STANDARD: 2_000, Effort.THOROUGH: 10_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> LinkabilityPlan | None:
    """By all columns, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return LinkabilityPlan(max_rows=MOST[situation.effort])


QUESTION = Question(
    title=phrase("Linkability"),
    meaning=phrase(
        "Two files hold different columns of the same people. Does the release help to link them, and more often "
        "for people in the data?"
    ),
    place=34,
    scale="excess",
    remedy=phrase("Make columns coarser, or drop some of them."),
    plan=LinkabilityPlan,
    main="half",
    run=run_linkability,
    result=LinkabilityResult,
    forecast=partial(forecast, run_linkability),
    standard=standard,
    read=read,
    view=view,
    measures={"linked": phrase("People linked rightly"), "residual": phrase("Linked because they are in the data")},
    references={"residual": 0.0},
    asks=phrase("Can two lists of the same people be joined with the release?"),
    icon="link",
    reads=lambda plan: plan["columns"] or None,
    wants=phrase("a holdout: people like those in the real table who are not in it"),
    example=example_sides(
        phrase(
            "Example: the release tells an attacker which rows are one person's for 30 % of members, and for 4 % of "
            "people outside the data."
        ),
        phrase("share of people"),
        "",
        (0.3, 0.25, 0.35),
        (0.04, 0.02, 0.07),
    ),
)
