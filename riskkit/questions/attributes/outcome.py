"""What guesses of one secret come to: what the judge takes, and one plain sentence that anybody can read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import again, english, kept, say
from riskkit.phrases import phrase
from riskkit.wording import share

NO_HOLDOUT = phrase(
    "Without a holdout it cannot be told whether people in the data are easier to guess than people who were not. What "
    "can be said is what the release adds to guessing without it, and what a model trained on the real data reaches on "
    "records it has not seen. Load rows of people who were not in the real table as the holdout."
)
NO_CONTROL = kept(
    "There are too few different people in the holdout to plant a leak and see whether it would be found."
)
MORE_PEOPLE = kept("Load a holdout with more different people.")


@dataclass(frozen=True, slots=True)
class About:
    """What was asked: a secret, the known set in words, and the model."""

    secret: str
    known: str
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class Guessed:
    """Each member (n,): its row in the real file, by whom it was guessed rightly, and whether nothing else would."""

    row: Ints
    right: Bools
    confidence: Floats
    baseline_right: Bools
    never_in_right: Bools
    exposed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Members beside the control for one secret and known set, all at the level that allows for the looks.

    ``residual`` from the release; ``without`` the same from a model of the real data that never saw whom it guesses;
    ``planted`` from a release with a known leak. None where it could not be had.
    """

    residual: Estimate | None
    without: Estimate | None
    planted: Estimate | None

    @property
    def is_easier_anyway(self) -> bool:
        """Whether members are easier to guess without the release too, by as much: the two tables differ."""
        residual, without = self.residual, self.without
        if residual is None or without is None:
            return False
        return residual.low > 0 and without.low > 0 and residual.low <= without.high

    @property
    def is_harder(self) -> bool:
        """Whether members are harder to guess than others, from the release or without it."""
        return any(side is not None and side.high < 0 for side in (self.residual, self.without))


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """What is reached by a measure that no constant guess lifts over chance, the AUC or the balanced accuracy."""

    measure: str
    chance: Estimate
    release: Estimate
    delta: Estimate
    ratio: Estimate | None


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """The figures of one sentence. ``asked`` is who was asked: ``control``, or ``members`` where there is none.

    ``difference`` and ``attributable`` compare members with the control; ``right`` says what a right guess of a number
    is, and is empty for a category. ``constant`` says what the baseline guesses, ``ratio`` is the leakage ratio.
    ``ranked`` is a measure that ranks people and is better than chance, or has the ratio that the share has not.
    """

    secret: str
    known: str
    asked: str
    right: str
    baseline: Estimate
    release: Estimate
    delta: Estimate
    ceiling: Estimate | None
    difference: Estimate | None
    attributable: Estimate | None
    constant: str
    ratio: Estimate | None = None
    ranked: Ranked | None = None


def measured(
    sides: Sequence[Sides],
    who: Sequence[str],
    *,
    looks: int,
    people: int,
    silent: Sequence[str],
    has_holdout: bool,
) -> Measured:
    """What the judge takes of these secrets and known sets together; of one alone, its own.

    Parameters
    ----------
    who
        What each is called.
    looks
        Secrets and known sets that the intervals allow for.
    people
        Members and control together.
    silent
        What was asked and gave no number.
    has_holdout
        Whether people who were not in were asked about at all.
    """
    there = [side for side in sides if side.residual is not None]
    free = [secret for secret in there if not secret.is_easier_anyway]
    counted = free or there
    strongest = max(counted, key=lambda secret: _of(secret).low, default=None)
    widest = max(there, key=lambda secret: _of(secret).high, default=None)
    return Measured(
        scale="residual",
        guess=0.0,
        strongest=None if strongest is None else _of(strongest),
        widest=None if widest is None else _of(widest),
        who="" if strongest is None else who[list(sides).index(strongest)],
        looks=looks,
        control=_control(sides, people),
        unit="record",
        is_complete=len(there) == len(sides) > 0 and not silent,
        silent=", ".join(silent),
        reasons=_reasons(there, free, has_holdout=has_holdout),
    )


def _of(sides: Sides) -> Estimate:
    assert sides.residual is not None
    return sides.residual


def _reasons(there: Sequence[Sides], free: Sequence[Sides], *, has_holdout: bool) -> tuple[Reason, ...]:
    """What stands in the way of a verdict."""
    if not there:
        return (Reason("not_compared" if has_holdout else "no_holdout_for_secrets"),)
    reasons = []
    if len(free) < len(there):
        reasons.append(Reason("members_easier_anyway", of_a_part=bool(free)))
    if any(secret.is_harder for secret in there):
        reasons.append(Reason("members_harder"))
    return tuple(reasons)


def _control(sides: Sequence[Sides], people: int) -> Control:
    """The planted leak that was found worst."""
    planted = [side.planted for side in sides]
    if not planted or None in planted:
        return Control.none(say(NO_CONTROL), missed=say(NO_CONTROL), remedy=say(MORE_PEOPLE))
    weakest = min((leak for leak in planted if leak is not None), key=lambda control: control.low)
    words = say("A leak planted as a control has a residual of {weakest}.", weakest=weakest)
    whole = Estimate("residual", weakest.value, weakest.low, weakest.high, weakest.level, weakest.method, people)
    return Control(True, weakest.low if math.isfinite(weakest.low) else -math.inf, words, whole)


def sentence(facts: Told, sides: Sides) -> str:
    """What the release adds, what the real data would, whether members are easier to guess, and what that means."""
    first = say("Knowing {known}, {gain}", known=facts.known, gain=_gain(facts))
    parts = [first, _ranked(facts), _ceiling(facts), _ratio(facts), _sides(facts, sides)]
    clauses = say("; ").join(part for part in parts if part)
    return say("{clauses}. {meaning}", clauses=clauses, meaning=_meaning(facts, sides))


def _gain(facts: Told) -> str:
    """What the release does to the chance of a right guess."""
    what = say("the chance of guessing “{secret}”", secret=facts.secret)
    if facts.right:
        what = say("{what} {within}", what=what, within=facts.right)
    before, after = percent(facts.baseline.value), percent(facts.release.value)
    numbers = {"what": what, "before": before, "after": after, "constant": facts.constant}
    difference = percents(facts.delta)
    if facts.delta.low > 0:
        return say(
            "the release raises {what} from {before}, {constant}, to {after} (gain Δ {difference})",
            **numbers,
            difference=difference,
        )
    if facts.delta.high < 0:
        return say(
            "guesses from the release are worse than guesses without it: {what} falls from {before}, {constant}, to "
            "{after} (gain Δ {difference})",
            **numbers,
            difference=difference,
        )
    return say(
        "the release is not shown to raise {what}: {before} without it, {constant}, and {after} with it (gain Δ "
        "{difference})",
        **numbers,
        difference=difference,
    )


def _ranked(facts: Told) -> str:
    """Where the share of right guesses hides it: whether the release tells who is likelier to have a level."""
    ranked = facts.ranked
    if ranked is None or facts.delta.low > 0 or ranked.delta.low <= 0:
        return ""
    return say(
        "but the release raises {measure} from {before}, which is chance, to {after} (gain Δ {difference})",
        measure=ranked.measure,
        before=f"{ranked.chance.value:.3f}",
        after=f"{ranked.release.value:.3f}",
        difference=three(ranked.delta),
    )


def _ratio(facts: Told) -> str:
    """How much of what the real data would add the release adds."""
    if facts.ratio is not None:
        return say("the release adds {ratio} of what the real data would add (leakage ratio)", ratio=share(facts.ratio))
    if facts.ranked is None or facts.ranked.ratio is None:
        return ""
    return say(
        "by {measure}, the release adds {ratio} of what the real data would add (leakage ratio)",
        measure=facts.ranked.measure,
        ratio=share(facts.ranked.ratio),
    )


def _ceiling(facts: Told) -> str:
    """What a model of the real data reaches."""
    if facts.ceiling is None:
        return ""
    reached = percent(facts.ceiling.value)
    if facts.asked == "members":
        return say("a model trained on the real data reaches {reached} on records it has not seen", reached=reached)
    return say("a model trained on the real data reaches {reached}", reached=reached)


def _sides(facts: Told, sides: Sides) -> str:
    """Whether people who were in are easier to guess."""
    if facts.difference is None or sides.residual is None:
        return ""
    difference = percents(facts.difference)
    if sides.is_easier_anyway:
        return say(
            "people who were in are easier to guess than people who were not, but not because of the release "
            "(difference {difference})",
            difference=difference,
        )
    if sides.residual.low > 0:
        return say(
            "people who were in are easier to guess than people who were not (difference {difference})",
            difference=difference,
        )
    if sides.is_harder:
        return say(
            "people who were in are harder to guess than people who were not (difference {difference})",
            difference=difference,
        )
    return say(
        "people who were in are not shown to be easier to guess than people who were not (difference {difference})",
        difference=difference,
    )


def _meaning(facts: Told, sides: Sides) -> str:
    """What kind of thing leaks."""
    if facts.difference is None or sides.residual is None:
        return again(NO_HOLDOUT) if facts.asked == "members" else Reason("not_compared").why
    if sides.is_easier_anyway:
        return Reason("members_easier_anyway").why
    if sides.is_harder:
        return Reason("members_harder").why
    if sides.residual.low > 0:
        if facts.attributable is None:
            return say("What leaks is about the very people in the data.")
        return say(
            "What leaks is about the very people in the data: {part} of the right guesses about them are right only "
            "because they were in.",
            part=share(facts.attributable),
        )
    if facts.delta.low > 0 or (facts.ranked is not None and facts.ranked.delta.low > 0):
        return say("As far as this audit shows, what leaks is a fact about the population, not about these people.")
    return say("This audit shows no leak of this secret, neither about the population nor about these people.")


@english()
def planted(copies: int, rows: int, inside: int) -> str:
    """What was planted, in a few words."""
    return phrase(
        "{copies:,} of {rows:,} released rows replaced by copies of people of the holdout; half of "
        "{inside:,} such people were copied",
        copies=copies,
        rows=rows,
        inside=inside,
    )


def percent(value: float) -> str:
    """A share in per cent to one decimal: what a release adds may be little."""
    return say("{share:.1f} %", share=100 * value + 0.0)


def percents(estimate: Estimate) -> str:
    """``5.8 % [5.0 %, 6.6 %]``."""
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def three(estimate: Estimate) -> str:
    """``0.002 [-0.010, 0.013]``."""
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
