"""What is put together of people's secrets, for the report of the audit and for its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit.games.reconstruction import ALONE, JOINED, NEAREST
from riskkit.language import say
from riskkit.questions import beside_section
from riskkit.questions.beside_section import LookRow
from riskkit.questions.reconstruction.play import WHOLE
from riskkit.questions.reconstruction.result import ReconstructionResult
from riskkit.show.finding import finding
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names
from riskkit.wording import share_in_tenths

HOWS: Mapping[str, str] = {
    NEAREST: say("nearest released rows"),
    ALONE: say("each column by itself"),
    JOINED: say("columns joined"),
    NEAREST + WHOLE: say("all of them right, nearest released rows"),
    ALONE + WHOLE: say("all of them right, each column by itself"),
    JOINED + WHOLE: say("all of them right, columns joined"),
}
"""How secrets are guessed."""
LIMITS = (
    say("It speaks of this one file. Another release of the same method may give away more or less."),
    say("The result is about three attackers. A stronger attacker may put more together."),
    say(
        "A right guess counts by how rare the value is. Values of fewer than 1 in 100 people, or of fewer than 20 "
        "people, count as if they were that common; a number counts as right if its group is."
    ),
    say("The result holds only if the holdout was drawn like the real table."),
)
"""What such a result does not show."""


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  asked of all alike
    """The finding of a finished run; about this release, or about a method where secrets were dealt anew."""
    assert run.result is not None
    result = ReconstructionResult.of(run.result)
    every = beside_section.answers(result, names, HOWS)
    is_dealt = result.plan.randomised_secret
    method = names.called(result.plan.generator, "generators") if is_dealt else ""
    return (
        finding(
            run,
            names,
            sentence=sentence(every),
            game=(
                (
                    say("The question"),
                    say("How much of several secret columns of a person can be put together at once?"),
                ),
                (say("The worlds"), _worlds(method)),
                (say("The attacker knows"), say("the released file, and the known columns of a person")),
                (say("The hypothesis"), say("no more is put together of people who were in than of others")),
                (say("Counted are"), beside_section.counted_are(result)),
            ),
            measured=beside_section.measured(result, names, HOWS),
            estimates=beside_section.estimates(result, names, every),
            limits=LIMITS,
            for_whom=beside_section.for_whom(run, result, names, HOWS),
            at_risk=beside_section.at_risk(result, names, every),
            what_if=_what_if(method) if is_dealt else "",
        ),
    )


def is_about(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """Whether the run is about this release: secrets dealt anew stand in another one."""
    return not run.plan.get("randomised_secret")


def sentence(every: Sequence[LookRow]) -> str:
    """What was found, in one sentence."""
    if not every:
        return say("Whether secrets can be put together could not be measured.")
    best = every[0]
    shares = {"members": share_in_tenths(best.members), "others": share_in_tenths(best.others)}
    if best.residual.low > 0:
        return say(
            "Of what is secret of people who were in, {members} is put together rightly: {known}. Of people who were "
            "not in, {others}. Rare values count more.",
            known=best.known,
            **shares,
        )
    return say(
        "No more is shown to be put together of people who were in than of others. The closest, {known}: {members} of "
        "what is secret of those who were in, and {others} of those who were not.",
        known=best.known,
        **shares,
    )


def _worlds(method: str) -> str:
    if method:
        return say(
            "one release by {method} of people whose secrets were dealt anew; people who were in beside people who "
            "were not (the holdout)",
            method=method,
        )
    return say("one release, as it is; people who were in beside people who were not (the holdout)")


def _what_if(method: str) -> str:
    return say("It is about {method} and secrets that were dealt anew, not about this release.", method=method)
