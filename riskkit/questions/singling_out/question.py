"""Singling people out, as an audit asks it and as page, report and command line say it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from riskkit.language import counted, kept, phrase
from riskkit.questions import Question, compared_present
from riskkit.questions.compared import forecast
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.singling_out.play import SinglingOutPlan, SinglingOutResult, run_singling_out
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import Block, Given, Played, RunFinding, example_sides
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
    plain=kept(
        "Knowing {known}, an attacker can single out {members} of members in the release, and {others} of others."
    ),
    done=phrase("Singled out"),
    axis=kept("share of people; difference in points"),
    limits=(
        phrase("It speaks of this one file. Another release of the same method may single out more or fewer."),
        phrase(
            "Only equal values are seen. A release that comes close to a person without an equal value is a matter for "
            "the other attacks on the file."
        ),
        phrase(
            "Unique means unique among the people of real table and holdout together. In a larger population fewer "
            "people are unique."
        ),
        phrase("The result holds only if the holdout was drawn like the real table."),
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


MOST: Mapping[Effort, int] = {Effort.QUICK: 2_000, Effort.STANDARD: 10_000, Effort.THOROUGH: 50_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> SinglingOutPlan | None:
    """By the columns that an attacker would know, where there are people who were not in."""
    if not situation.can_measure:
        return None
    return SinglingOutPlan(columns=situation.answers.known, max_rows=MOST[situation.effort])


QUESTION = Question(
    title=phrase("Singling out"),
    meaning=phrase(
        "Are people in the data unique by a few known columns, and does the release show this more often than for "
        "others?"
    ),
    place=32,
    scale="excess",
    remedy=phrase("Make these columns coarser, or drop one of them."),
    plan=SinglingOutPlan,
    main="size",
    run=run_singling_out,
    result=SinglingOutResult,
    forecast=partial(forecast, run_singling_out),
    standard=standard,
    read=read,
    view=view,
    measures={
        "singled_out": phrase("People singled out"),
        "residual": phrase("Singled out because they are in the data"),
    },
    references={"residual": 0.0},
    asks=phrase("Can someone be picked out by a few columns?"),
    icon="fingerprint",
    reads=lambda plan: plan["columns"] or None,
    wants=phrase("a holdout: people like those in the real table who are not in it"),
    example=example_sides(
        phrase("Example: age and ward single out 17 % of members, and 2 % of people outside the data."),
        phrase("share of people"),
        phrase("age, ward"),
        (0.17, 0.14, 0.21),
        (0.02, 0.01, 0.04),
    ),
)
