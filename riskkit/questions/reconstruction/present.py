"""What is put together of people's secrets, in words and block by block, for page, report and command line."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.games.reconstruction import ALONE, JOINED, NEAREST
from riskkit.language import kept, say
from riskkit.questions import compared_present
from riskkit.questions.compared_present import ComparedWords
from riskkit.questions.reconstruction.play import WHOLE, ReconstructionResult
from riskkit.show.model import Block, Given, Played, RunFinding
from riskkit.show.names import Names

HOWS: Mapping[str, str] = {
    NEAREST: say("nearest released rows"),
    ALONE: say("each column by itself"),
    JOINED: say("columns joined"),
    NEAREST + WHOLE: say("all of them right, nearest released rows"),
    ALONE + WHOLE: say("all of them right, each column by itself"),
    JOINED + WHOLE: say("all of them right, columns joined"),
}
"""How secrets are guessed."""
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
        "From the release, an attacker rebuilds {members} of the secret values of members and {others} of others'."
    ),
    title=kept("{members} of members' secrets and {others} of others' are rebuilt"),
    axis=kept("share of what is secret"),
    limits=(
        say("It speaks of this one file. Another release of the same method may reveal more or less."),
        say("The result is about three attackers. A stronger attacker may rebuild more."),
        say(
            "A right guess counts by how rare the value is. Values of fewer than 1 in 100 people, or of fewer than 20 "
            "people, count as if they were that common; a number counts as right if its group is."
        ),
        say("The result holds only if the holdout was drawn like the real table."),
    ),
)


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
    return compared_present.read(run, names, result, WORDS, worlds=worlds, hows=HOWS, what_if=what_if)


def is_about(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """Whether the run is about this release: secrets dealt anew stand in another one."""
    return not run.plan.get("randomised_secret")


def view(result: ReconstructionResult, names: Names) -> tuple[Block, ...]:
    """The shares of people who were in and who were not, look by look."""
    return compared_present.view(result, names, WORDS, hows=HOWS)
