"""Putting several secrets together, as an audit asks it and as page, report and command line say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from riskkit.games.reconstruction import ALONE, JOINED, NEAREST
from riskkit.language import Readings, counted, kept, phrase, say
from riskkit.questions import Question, compared_present
from riskkit.questions.compared import forecast
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.reconstruction.play import (
    FEWEST_SECRETS,
    WHOLE,
    ReconstructionPlan,
    ReconstructionResult,
    run_reconstruction,
)
from riskkit.questions.standard import Effort, Situation
from riskkit.show.model import Block, Given, Played, RunFinding, example_sides
from riskkit.show.names import Names

HOWS: Mapping[str, str] = Readings(
    {
        NEAREST: phrase("each value counted alone; from the nearest released rows"),
        ALONE: phrase("each value counted alone; a model for each column"),
        JOINED: phrase("each value counted alone; a model of all columns"),
        NEAREST + WHOLE: phrase("people with all of them right; from the nearest released rows"),
        ALONE + WHOLE: phrase("people with all of them right; a model for each column"),
        JOINED + WHOLE: phrase("people with all of them right; a model of all columns"),
    }
)
"""What counts, and how secrets are guessed."""
WORDS = ComparedWords(
    question=kept("How much of several secret columns of a person can be rebuilt at once?"),
    knows=kept("the released file, and the known columns of a person"),
    hypothesis=kept("no more is rebuilt of members than of others"),
    nothing=kept("Whether secrets can be rebuilt could not be measured."),
    shown=kept(
        "From the release an attacker rebuilds {members} of the secret values of members and {others} of "
        "others ({known}). Rare values count more."
    ),
    not_shown=kept(
        "No attacker is shown to rebuild more secrets of members than of others. The closest, {known}: {members} "
        "of members' secrets, and {others} of others'."
    ),
    plain=kept(
        "Knowing {known_columns}, an attacker rebuilds {members} of the secret values of members and {others} of "
        "others'."
    ),
    done=phrase("Rebuilt"),
    axis=kept("share of secret values, rare ones counted more"),
    limits=(
        phrase("It speaks of this one file. Another release of the same method may reveal more or less."),
        phrase("The result is about three attackers. A stronger attacker may rebuild more."),
        phrase(
            "A right guess counts by how rare the value is. Values of fewer than 1 in 100 people, or of fewer than 20 "
            "people, count as if they were that common; a number counts as right if its group is."
        ),
        phrase("The result holds only if the holdout was drawn like the real table."),
    ),
)
WORDS_WHOLE = replace(
    WORDS,
    axis=kept("share of people; difference in points"),
    shown=kept(
        "From the release an attacker rebuilds all secrets of {members} of members and {others} of others ({known})."
    ),
    not_shown=kept(
        "No attacker is shown to rebuild all secrets of more members than others. The closest, {known}: {members} "
        "of members, and {others} of others."
    ),
    plain=kept(
        "Knowing {known_columns}, an attacker rebuilds all {secrets} secrets for {members} of members and {others} of "
        "others."
    ),
)
"""The same where the strongest attacker counts a person only if every secret is right."""


def words(result: ReconstructionResult) -> ComparedWords:
    """The words for what the strongest attacker counts."""
    strongest = next(iter(result.shown), None)
    return WORDS_WHOLE if strongest is not None and strongest.how.endswith(WHOLE) else WORDS


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; about this release, or about a method where secrets were dealt anew."""
    assert run.result is not None
    result = ReconstructionResult.from_plain(run.result)
    worlds, what_if = "", ""
    if result.plan.randomised_secret:
        method = names.called(result.plan.generator, "generators")
        worlds = say(
            "one release by {method} of people whose secrets were shuffled; members compared with people outside "
            "the data (the holdout)",
            method=method,
        )
        what_if = say("It is about {method} and shuffled secrets, not about this release.", method=method)
    strongest = next(iter(result.shown), None)
    secrets = 0 if strongest is None else len(strongest.columns)
    known = counted(len(result.plan.known), "{n:,} column", "{n:,} columns") if result.plan.known else ""
    return compared_present.read(
        run,
        names,
        result,
        words(result),
        worlds=worlds,
        hows=HOWS,
        what_if=what_if,
        known_columns=known or say("the other columns"),
        secrets=secrets,
    )


def is_about(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """Whether the run is about this release: secrets dealt anew stand in another one."""
    return not run.plan.get("randomised_secret")


def view(result: ReconstructionResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    return compared_present.view(result, names, words(result), hows=HOWS)


MOST: Mapping[Effort, int] = {Effort.QUICK: 1_000, Effort.STANDARD: 2_000, Effort.THOROUGH: 10_000}
"""People asked about, at most, on a side."""


def standard(situation: Situation) -> ReconstructionPlan | None:
    """All that is secret together, where that is several columns and there are people who were not in."""
    known = situation.answers.known
    secrets = tuple(name for name in situation.secrets if name not in known)
    in_use = len(situation.tables.schema.modelled)
    if not situation.can_measure or not FEWEST_SECRETS <= len(secrets) < in_use:
        return None
    return ReconstructionPlan(secrets=secrets, known=known, max_rows=MOST[situation.effort])


QUESTION = Question(
    title=phrase("Reconstruction"),
    meaning=phrase("How much of several secret columns at once can an attacker rebuild, of members and of others?"),
    asks=phrase("Can several secrets of a person be rebuilt?"),
    icon="extension",
    place=36,
    scale="excess",
    remedy=phrase("Make the sensitive columns coarser, or drop some of them."),
    plan=ReconstructionPlan,
    main="secrets",
    run=run_reconstruction,
    result=ReconstructionResult,
    forecast=partial(forecast, run_reconstruction),
    standard=standard,
    read=read,
    is_about=is_about,
    view=view,
    measures={"reconstructed": phrase("Secrets rebuilt"), "residual": phrase("Rebuilt because they are in the data")},
    references={"residual": 0.0},
    reads=lambda plan: [*plan["known"], *plan["secrets"]] if plan["known"] else None,
    wants=phrase("a holdout, and two sensitive columns or more"),
    example=example_sides(
        phrase("Example: an attacker rebuilds 42 % of the secrets of members, and 20 % of those of other people."),
        phrase("share of secrets"),
        phrase("diagnosis, ward"),
        (0.42, 0.38, 0.46),
        (0.2, 0.17, 0.24),
    ),
)
