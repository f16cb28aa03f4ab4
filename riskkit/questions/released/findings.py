"""The sentences of attacks on a released file, and what the judge takes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import partial

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import again, counted, kept, say
from riskkit.questions.released.plan import ADD_OTHERS, ONLY_DISTANCES
from riskkit.questions.released.result import GUESS, ReleasedResult, ends
from riskkit.show import glossary
from riskkit.show.run_finding import silence
from riskkit.stats.multiplicity import p_of_interval

GLOSSARY: Mapping[str, str] = glossary.glossary_of("released")
"""The plain meaning of every number of these results."""

LIMITS = (
    kept("It speaks of this one file. Another release of the same method may reveal more or less."),
    kept("These numbers are about the attacks that were run. A stronger attacker may succeed where these did not."),
    kept("It averages over people: a few may be exposed where the average is not."),
    kept(
        "It holds only where the holdout was drawn like the real table; the blind baseline can only show that it was "
        "not."
    ),
    kept(
        "No ε follows from it: nobody included each person by chance before the training, so membership may hang "
        "together with other things. The question One run does so and bounds ε."
    ),
)
"""What such a result does not show."""

WITHOUT_HOLDOUT = kept(
    "No holdout is loaded. What lies in the file can be described: exact copies, near copies, distances and the "
    "order of the rows. Attacks need people outside the data, to tell what they would reach without any leak."
)
"""What can be done before a holdout is there."""


def measure(
    result: ReleasedResult, called: Callable[[str], str], plugin: Callable[[str], str], distances: Collection[str]
) -> Measured:
    """What the judge takes: one interval an attack, which hold for all of them together.

    Parameters
    ----------
    called, plugin
        What people call an attack, and how its name may be written beside a number.
    distances
        Attacks that measure how near rows lie and nothing else.
    """
    aucs = [reached.counting.label(attack=plugin(reached.attack)) for reached in result.together.each]
    numbered = {reached.attack for reached in result.together.each}
    silent = [called(name) for name in result.plan.attacks if name not in numbered]
    reasons = []
    if result.is_apart:
        reasons.append(Reason("sides_differ" if result.is_blocked else "sides_differ_too"))
    if not result.has_holdout:
        reasons.append(Reason("no_holdout"))
    return Measured(
        scale="auc",
        guess=GUESS,
        strongest=max(aucs, key=ends, default=None),
        widest=max(aucs, key=lambda auc: auc.high, default=None),
        who=called(result.strongest) if result.strongest else "",
        looks=result.looks,
        control=_control(result, plugin, distances),
        unit=result.unit,
        lowest=min(aucs, key=lambda auc: auc.low, default=None),
        is_complete=not silent,
        silent=say(", ").join(silent),
        reasons=tuple(reasons),
        chance=partial(_chance, result),
    )


def _chance(result: ReleasedResult, bar: float) -> float | None:
    """The chance that any attack reaches so much, were none above the bar: by the labels dealt anew at guessing.

    The lower ends of all attacks hold together; but where the sides are told apart without the release, the error was
    divided among what is left of each.
    """
    best = result.best
    if best is None:
        return None
    if bar == GUESS and not result.is_apart:
        return min(reached.p for reached in result.together.each)
    return p_of_interval(best.counting, bar, 1 if best.counting is best.auc else result.looks)


def _control(result: ReleasedResult, plugin: Callable[[str], str], distances: Collection[str]) -> Control:
    """The planted leak counts as found where an attack lifts it above what is to be ruled out.

    One that measures distances and nothing else does not count: it passes a release that moves every row by one step.
    Of each kind that was planted, rows or values, the attack that is best at it counts; the weakest kind decides.
    """
    planted = [(control.attack, control.auc) for control in result.control if control.auc is not None]
    kinds = {control.attack: control.kind for control in result.control}
    if not planted:
        return Control.none(say("No leak could be planted to see whether these attacks would find one."))
    best = max((auc for _, auc in planted), key=lambda auc: auc.low)
    finders = say(
        "Of {attacks}, {above} found a leak planted in this very release; best AUC {best}.",
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
        above=sum(auc.low > GUESS for _, auc in planted),
        best=best,
    )
    telling = [(name, auc) for name, auc in planted if name.partition(":")[0] not in distances]
    strongest: dict[str, Estimate] = {}
    for name, auc in telling:
        strongest[kinds[name]] = max(strongest.get(kinds[name], auc), auc, key=lambda auc: auc.low)
    if {kinds[name] for name, _ in planted} - set(strongest):
        return Control(True, -math.inf, finders, missed=again(ONLY_DISTANCES), remedy=again(ADD_OTHERS))
    weakest = min(strongest.values(), key=lambda auc: auc.low)
    return Control(True, weakest.low, finders, weakest.label(attack=plugin(weakest.labels["attack"])))


# --------------------------------------------------------------------------------------------------------------
# Sentences


def plain(result: ReleasedResult) -> dict[str, str]:
    """What was found, in one breath, and where its number stands beside it."""
    if result.auc is None:
        return {}
    if result.is_shown:
        return {"plain": say("From the released file alone, an attacker can tell members from other people.")}
    return silence(len(result.attacks), result.auc)


def sentence(result: ReleasedResult) -> str:
    """What was found, in one sentence."""
    if result.auc is None:
        return say("Whether the file reveals who is in the data is open; what lies in the file can be described.")
    if result.best is not None and result.best.counting is result.best.beyond:
        return _beyond(result.best.auc, result.auc, result.unit)
    auc = wording.share(result.auc)
    beside = say("(chance 50 %; {counted})", counted=wording.plural(result.auc.n, result.unit))
    if result.is_shown:
        return say(
            "From the released file alone, an attacker who sees one member and one person outside the data picks "
            "the right one in {told} of cases {beside}.",
            told=auc,
            beside=beside,
        )
    return say(
        "No attack on the released file is shown to tell members from others; {closest} {told} of pairs {beside}.",
        closest=(
            say("the only one is right about")
            if result.looks == 1
            else say("the strongest of {looks} is right about", looks=result.looks)
        ),
        told=auc,
        beside=beside,
    )


def _beyond(auc: Estimate, left: Estimate, unit: str) -> str:
    """What is found where the two sides are told apart without the release."""
    return say(
        "The strongest attack reaches an AUC of {auc}; {left} remains after taking off what can be said without "
        "the release (0.50 would be nothing; {counted}).",
        auc=auc,
        left=left,
        counted=wording.plural(left.n, unit),
    )


def verdict_basis(result: ReleasedResult) -> str:
    """At which level the interval of the verdict stands, and how likely so strong an attack is where nothing leaks."""
    if result.best is None or result.auc is None:
        return ""
    level = 50 * (1 + result.auc.level)
    if result.looks == 1:
        return say(
            "Each end of the interval holds at {level:.4g} %. If nothing leaked, an attack would be this strong "
            "in {p} of cases (labels exchanged {permutations:,} times).",
            level=level,
            p=chance(result.best.p),
            permutations=result.together.permutations,
        )
    return say(
        "For {looks} attacks together each end of an interval holds at {level:.4g} %, so that the strongest is "
        "not called a leak for being the luckiest. If nothing leaked, one of them would be this strong in {p} of "
        "cases (labels exchanged {permutations:,} times).",
        level=level,
        looks=result.looks,
        p=chance(result.best.p),
        permutations=result.together.permutations,
    )


def chance(p: float) -> str:
    """A p-value in per cent, with two digits that count."""
    return say("{share:.2g} %", share=100 * p)


def shows(power: Mapping[str, float], attacks: int, n_in: int, n_out: int) -> str:
    """What so many records can show, before anything is run."""
    return say(
        "{n_in:,} members' records and {n_out:,} of others: with {attacks}, a true AUC of {detectable_auc:.2f} or "
        "more is shown in 8 of 10 audits (guessing is 0.50). Where an attack is no better than guessing, an AUC "
        "above {upper_if_half:.2f} can be ruled out.",
        n_in=n_in,
        n_out=n_out,
        attacks=counted(attacks, "{n:,} attack", "{n:,} attacks"),
        detectable_auc=power["detectable_auc"],
        upper_if_half=power["upper_if_half"],
    )
