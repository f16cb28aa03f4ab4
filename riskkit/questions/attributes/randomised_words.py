"""Secrets that were drawn at random before the training, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import counted, english, kept, say
from riskkit.phrases import counted_phrase, phrase
from riskkit.wording import share

TITLES: Mapping[str, str] = {
    "randomised_success": say("Random secrets guessed rightly"),
    "randomised_chance": say("By chance"),
    "randomised_gain": say("Gain over chance"),
}
"""What people call the estimates of a category, in the order of a table."""
OF_NUMBERS: Mapping[str, str] = {"randomised_gain": say("Nearer than by chance (standard deviations)")}
"""What they are called for a number."""
WHAT = kept(
    "Before each training, some people get a secret drawn at random from those of all. No fact about the population "
    "can tell the draw: whoever guesses it more often than chance has learnt it from the person's own row."
)
"""What the test does, before it is chosen."""
NO_GENERATOR = kept(
    "No generator is named, so no secrets can be drawn anew. Name the generator that made the release, if you have it: "
    "this separates what leaks from a person's own row from what is true of everybody."
)
"""The state of the test without a generator."""


def asks(generator: str, trainings: int, targets: int, questions: int) -> str:
    """What the test costs, in trainings."""
    in_all = say(
        "{trainings} of {generator}",
        trainings=counted(trainings * questions, "{n:,} training", "{n:,} trainings"),
        generator=generator,
    )
    each = say(", {trainings:,} for each secret and known set", trainings=trainings) if questions > 1 else ""
    return say(
        "{in_all}{each}, each with {secrets} drawn anew.",
        in_all=in_all,
        each=each,
        secrets=counted(targets, "{n:,} secret", "{n:,} secrets"),
    )


def sentence(
    secret: str, generator: str, estimates: Sequence[Estimate], *, targets: int, is_category: bool, is_shown: bool
) -> str:
    """What was guessed of drawn secrets, and what that means. ``is_shown`` allows for all that were looked at."""
    gain = estimates[-1]
    drawn = counted_phrase(
        gain.n,
        "In {n:,} new training of {generator}, {targets:,} people had their “{secret}” drawn at random before.",
        "In {n:,} new trainings of {generator}, {targets:,} people had their “{secret}” drawn at random before.",
        generator=generator,
        targets=targets,
        secret=secret,
    )
    start = phrase("{drawn} {found}", drawn=drawn, found=_guessed(estimates) if is_category else _nearer(gain))
    if is_shown:
        return phrase(
            "{told} No fact about the population can tell a draw: what leaks is a person's own row.", told=start
        )
    if gain.high <= 0:
        return phrase("{told} That a person's own row leaks is not shown.", told=start)
    if is_category:
        return phrase(
            "{told} That a person's own row leaks is not shown; a gain of up to {high:.3f} cannot be ruled out.",
            told=start,
            high=gain.high,
        )
    return phrase(
        "{told} That a person's own row leaks is not shown; a gain of up to {high:.3f} standard deviations cannot be "
        "ruled out.",
        told=start,
        high=gain.high,
    )


def _guessed(estimates: Sequence[Estimate]) -> str:
    success, chance, gain = estimates
    with english():
        right, by_chance = share(success), wording.percent(chance.value)
    return phrase(
        "The draw is guessed rightly in {right} of the cases, where chance gives {by_chance} (difference {gain}).",
        right=right,
        by_chance=by_chance,
        gain=_three(gain),
    )


def _nearer(gain: Estimate) -> str:
    return phrase(
        "Guesses come nearer to the draw than chance allows by {gain} standard deviations.", gain=_three(gain)
    )


def _three(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
