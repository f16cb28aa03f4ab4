"""What an attribute audit comes to: a verdict on each secret, and one plain sentence that anybody can read.

What it says is kept with results, so it is English in every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import english
from riskkit.report.words import share
from riskkit.stats.verdict import Verdict, judge

NO_HOLDOUT = (
    "Without a holdout it cannot be told whether people in the data are easier to guess than people who were not. What "
    "can be said is what the release adds to guessing without it, and what a model trained on the real data reaches on "
    "records it has not seen. Load rows of people who were not in the real table as the holdout."
)
NO_CONTROL = "There are too few different people in the holdout to plant a leak and see whether it would be found."
REFUSED = (
    "Some of what was asked could not be answered, so whether a leak shows there is not known; the notes say which "
    "and why. Mend that, or ask again without."
)
_ORDER = (Verdict.LEAK, Verdict.UNDECIDED, Verdict.NO_LEAK)


@dataclass(frozen=True, slots=True)
class Limits:
    """``leak``: a residual above it is a leak about members. ``rule_out``: the smallest whose absence may be stated."""

    leak: float
    rule_out: float


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Members beside the control for one secret and known set, all at the level that allows for the looks.

    ``residual`` from the release; ``without`` the same from a model of the real data that never saw whom it guesses;
    ``planted`` from a release with a known leak. None where it could not be had.
    """

    residual: Estimate | None
    without: Estimate | None
    planted: Estimate | None


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The verdict on one secret and known set, the residual it stands on, the limit it was judged by, and why."""

    verdict: Verdict
    limit: float
    why: str
    looks: int
    residual: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ends = ("value", "low", "high", "level")
        residual = None if self.residual is None else {end: getattr(self.residual, end) for end in ends}
        return {
            "word": str(self.verdict),
            "residual": residual,
            "looks": self.looks,
            "limit": self.limit,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """The figures of one sentence. ``asked`` is who was asked: ``control``, or ``members`` where there is none.

    ``difference`` and ``attributable`` compare members with the control; ``right`` says what a right guess of a number
    is, and is empty for a category.
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


@english()
def decide(sides: Sides, *, limits: Limits, looks: int) -> Decision:
    """The verdict on one secret and known set.

    * Leak: the residual lies wholly above ``limits.leak``, and, where members are easier to guess without the release
      too, wholly above how much easier.
    * No leak above ``limits.rule_out``: it lies wholly below it and not wholly below 0, members are not harder to guess
      without the release, and the same model found a leak that was planted.
    * Undecided: everything else.
    """
    residual, planted = sides.residual, sides.planted
    if residual is None:
        return Decision(Verdict.UNDECIDED, limits.leak, "Members and people who were not in cannot be compared.", looks)
    if judge(residual, limits.leak, positive_control_found=None) is Verdict.LEAK:
        if sides.without is not None and sides.without.low > 0 and residual.low <= sides.without.high:
            return Decision(Verdict.UNDECIDED, limits.leak, DIFFER, looks, residual)
        return Decision(Verdict.LEAK, limits.leak, _leak(residual, limits), looks, residual)
    found = planted is not None and planted.low > limits.rule_out
    verdict = judge(residual, limits.rule_out, positive_control_found=found)
    doubt = _doubt(sides, residual, limits, found=found)
    if doubt:
        return Decision(Verdict.UNDECIDED, limits.rule_out, doubt, looks, residual)
    return Decision(verdict, limits.rule_out, _no_leak(residual, limits), looks, residual)


DIFFER = (
    "Members are easier to guess than the holdout even by a model that never saw whom it guesses, so the two tables "
    "hold different people and the difference shows no leak. Load a holdout drawn from the same people."
)
HARDER = (
    "People who were in are harder to guess than people who were not: the two tables hold different people, or the "
    "release keeps away from real rows, which tells of them too."
)


def _leak(residual: Estimate, limits: Limits) -> str:
    above = "0" if limits.leak == 0 else f"the limit of {limits.leak:g}"
    return (
        f"Of what is not guessed about people who were not in, {share(residual)} is guessed about people who were; the "
        f"interval lies above {above}."
    )


def _doubt(sides: Sides, residual: Estimate, limits: Limits, *, found: bool) -> str:
    """Why the absence of a leak is not shown; empty where it is."""
    if residual.high < 0 or (sides.without is not None and sides.without.high < 0):
        return HARDER
    if residual.high >= limits.rule_out:
        return (
            f"No leak about members shows, but a residual of up to {residual.high:.3f} cannot be ruled out, and "
            f"{limits.rule_out:g} was to be. More records in the holdout narrow this."
        )
    if sides.planted is None:
        return f"No leak about members shows, but its absence cannot be claimed. {NO_CONTROL}"
    if not found:
        return (
            "No leak about members shows, but the model did not find a leak that was planted to see whether it would "
            f"(residual {three(sides.planted)}), so its silence says nothing."
        )
    return ""


def _no_leak(residual: Estimate, limits: Limits) -> str:
    return (
        f"The residual reaches {residual.high:.3f} at most, below {limits.rule_out:g}, and the same model found a leak "
        "that was planted in this release. Other models may reach more."
    )


def overall(decisions: Sequence[Decision]) -> int:
    """The position of the gravest verdict; of several the one with the highest lower end of its residual."""

    def gravity(at: int) -> tuple[int, float]:
        one = decisions[at]
        return -_ORDER.index(one.verdict), -2.0 if one.residual is None else one.residual.low

    return max(range(len(decisions)), key=gravity)


@english()
def sentence(told: Told, decision: Decision) -> str:
    """What the release adds, what the real data would, whether members are easier to guess, and what that means."""
    parts = [f"Knowing {told.known}, {_gain(told)}", _ceiling(told), _sides(told, decision)]
    return f"{'; '.join(part for part in parts if part)}. {_meaning(told, decision)}"


def _gain(told: Told) -> str:
    """What the release does to the chance of a right guess."""
    what = f"the chance of guessing *{told.secret}*{f' {told.right}' if told.right else ''}"
    before, after = f"{told.baseline.value:.3f}", f"{told.release.value:.3f}"
    beside = f"(difference {three(told.delta)})"
    if told.delta.low > 0:
        return f"the release raises {what} from {before} to {after} {beside}"
    if told.delta.high < 0:
        return f"a model of the release guesses worse than without it: {what} falls from {before} to {after} {beside}"
    return f"the release is not shown to raise {what}: {before} without it, {after} with it {beside}"


def _ceiling(told: Told) -> str:
    """What a model of the real data reaches."""
    if told.ceiling is None:
        return ""
    unseen = " on records it has not seen" if told.asked == "members" else ""
    return f"a model trained on the real data reaches {told.ceiling.value:.3f}{unseen}"


def _sides(told: Told, decision: Decision) -> str:
    """Whether people who were in are easier to guess."""
    if told.difference is None:
        return ""
    beside = f"(difference {three(told.difference)})"
    if decision.why == DIFFER:
        return (
            f"people who were in are easier to guess than people who were not, but not because of the release {beside}"
        )
    if decision.why == HARDER:
        return f"people who were in are harder to guess than people who were not {beside}"
    return {
        Verdict.LEAK: f"people who were in are easier to guess than people who were not {beside}",
        Verdict.NO_LEAK: f"people who were in are no easier to guess than people who were not {beside}",
        Verdict.UNDECIDED: f"whether people who were in are easier to guess than people who were not is open {beside}",
    }[decision.verdict]


def _meaning(told: Told, decision: Decision) -> str:
    """What kind of thing leaks."""
    if told.difference is None:
        return NO_HOLDOUT
    helps = told.delta.low > 0
    if decision.verdict is Verdict.LEAK:
        owed = "" if told.attributable is None else f": {share(told.attributable)} of the right guesses about them are"
        return f"What leaks is about the very people in the data{owed}{' owed to their having been in' * bool(owed)}."
    if decision.verdict is Verdict.NO_LEAK and helps:
        return "What leaks is a fact about the population, not about them."
    if decision.verdict is Verdict.NO_LEAK:
        return "Nothing is shown to leak of this secret, neither about the population nor about them."
    return decision.why


@english()
def right_within(relative: float, absolute: float) -> str:
    """When a guess of a number is right, in words that follow ``guessing income``."""
    if not relative:
        return f"to within {absolute:g}"
    return f"to within {100 * relative:g} %" + (f" (or {absolute:g})" if absolute else "")


@english()
def planted(copies: int, rows: int, inside: int) -> str:
    """What was planted, in a few words."""
    return (
        f"{copies:,} of {rows:,} released rows replaced by copies of people of the holdout; half of {inside:,} such "
        "people were copied"
    )


def three(estimate: Estimate) -> str:
    """``0.002 [-0.010, 0.013]``."""
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
