"""A finished attack on a released file, read back from what was kept, and the sentences a page shows of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit import wording
from riskkit.core import Estimate, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import counted, say
from riskkit.questions.released.sentences import ADD_OTHERS, ONLY_DISTANCES
from riskkit.show import glossary
from riskkit.show.estimates import estimate
from riskkit.show.unit import unit
from riskkit.stats.roc import Roc, roc

GLOSSARY: Mapping[str, str] = glossary.of("released")
"""The plain meaning of every number of these results."""

LIMITS = (
    say("It speaks of this one file. Another release of the same method may give away more or less."),
    say("These numbers are about the attacks that were played. A stronger attacker may succeed where these did not."),
    say("It averages over people: a few may be exposed where the average is not."),
    say(
        "It holds only where the holdout was drawn like the real table; the blind baseline can only show that it was "
        "not."
    ),
    say(
        "No ε follows from it: nobody tossed a coin for each person before the training, so who was in may hang "
        "together with other things. The question One run tosses these coins and bounds ε."
    ),
)
"""What such a result does not show."""

WITHOUT_HOLDOUT = say(
    "No holdout is loaded. What lies in the file can be described: exact copies, near copies, distances and the order "
    "of the rows. Attacks need people who were not in, to tell what they would reach without any leak."
)
"""What can be done before a holdout is there."""

PRIVATE = ("scores",)
"""What is kept for the pages and is no part of a result that is passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What one attack did. ``control`` is its AUC on the planted leak; both AUCs may be missing.

    ``planted`` says what was planted, ``silent`` why the planted leak gave no number.
    """

    attack: str
    estimates: tuple[Estimate, ...]
    control: Estimate | None
    scores: Scores | None
    planted: str = ""
    silent: str = ""

    @property
    def auc(self) -> Estimate | None:
        """Its AUC at the level of the plan."""
        return next((estimate for estimate in self.estimates if estimate.name == "auc"), None)

    def named_at(self, fpr: str) -> Estimate | None:
        """The share it names at that share of false alarms."""
        same = (e for e in self.estimates if e.name == "tpr_at_fpr" and e.labels.get("fpr") == fpr)
        return next(same, None)

    def curve(self) -> Roc | None:
        """The ROC curve; None where there are too few records or no scores."""
        try:
            return None if self.scores is None else roc(self.scores)
        except (ScoreError, TooFewTrainings):
            return None


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """An attack's AUC and p-value that allow for all attacks together.

    ``beyond`` is what is left of the AUC where the sides are told apart without the release; None where they are not.
    """

    attack: str
    auc: Estimate
    p: float
    beyond: Estimate | None

    @property
    def counted(self) -> Estimate:
        """The AUC that a verdict may count as a leak."""
        return self.auc if self.beyond is None or self.auc.low < self.beyond.low else self.beyond


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A whole result.

    ``asked`` names the attacks of the plan, ``together`` has those with a number, by intervals that hold for all of
    them; ``permutations`` is how often labels were dealt anew for their p-values. ``blind`` is the AUC without the
    release, None where it gave none or was not asked; ``apart`` where it tells the two sides apart. ``unit`` is what is
    counted: a ``record``, or a ``person`` with all of their rows.
    """

    attacks: tuple[Attacked, ...]
    asked: tuple[str, ...]
    together: tuple[Together, ...]
    permutations: int
    has_holdout: bool
    apart: bool
    blind: Estimate | None
    blind_p: float
    blind_silent: str
    panel: Mapping[str, Any]
    unit: str

    @property
    def has_attacks(self) -> bool:
        """Whether any attack has a number; without a holdout none has."""
        return bool(self.together)

    @property
    def looks(self) -> int:
        """How many attacks were looked at."""
        return len(self.together)

    @property
    def best(self) -> Together | None:
        """The attack with the highest lower end."""
        return max(self.together, key=lambda one: _ends(one.counted), default=None)

    @property
    def strongest(self) -> str:
        """Its name; empty where there is none."""
        return "" if self.best is None else self.best.attack

    @property
    def auc(self) -> Estimate | None:
        """What it reaches and a verdict may count."""
        return None if self.best is None else self.best.counted

    @property
    def is_shown(self) -> bool:
        """Whether a leak is shown, whatever limit there is."""
        return self.auc is not None and self.auc.low > GUESS

    @property
    def blocked(self) -> bool:
        """Whether the sides are told apart without the release, and no attack is shown to tell them apart better."""
        return self.apart and not self.is_shown


GUESS = 0.5
"""What guessing reaches."""


def _ends(auc: Estimate) -> tuple[float, float]:
    return auc.low, auc.value


def read(result: Mapping[str, Any]) -> Finding:
    """A kept result, with the scores of every attack where they were kept beside it."""
    estimates = [estimate(given) for given in result["estimates"]]
    scores = {str(given["attack"]): _scores(given) for given in result.get("scores", ())}
    controls = {str(given["attack"]): given for given in result.get("control") or ()}
    settings, blind, together = result.get("settings", {}), result.get("blind") or {}, result["together"]
    names = list(dict.fromkeys([*(e.labels["attack"] for e in estimates), *scores]))
    attacks = tuple(_attacked(name, estimates, controls.get(name), scores.get(name)) for name in names)
    return Finding(
        attacks=attacks,
        asked=tuple(map(str, settings.get("attacks", ()))),
        together=tuple(map(_together, together["each"])),
        permutations=int(together["permutations"]),
        has_holdout="n_in" in settings,
        apart=bool(blind.get("apart", False)),
        blind=estimate(blind["auc"]) if blind.get("auc") else None,
        blind_p=float(blind["p"]) if blind.get("auc") else 1.0,
        blind_silent=str(blind.get("why", "")),
        panel=result["panel"],
        unit=unit(result),
    )


def _together(given: Mapping[str, Any]) -> Together:
    beyond = None if given["beyond"] is None else estimate(given["beyond"])
    return Together(str(given["attack"]), estimate(given["auc"]), float(given["p"]), beyond)


def measured(
    found: Finding, called: Callable[[str], str], plugin: Callable[[str], str], distances: Collection[str]
) -> Measured:
    """What the judge takes: one interval an attack, which hold for all of them together.

    Parameters
    ----------
    called, plugin
        What people call an attack, and how its name may be written beside a number.
    distances
        Attacks that measure how near rows lie and nothing else.
    """
    aucs = [one.counted.labelled(attack=plugin(one.attack)) for one in found.together]
    numbered = {one.attack for one in found.together}
    silent = [called(name) for name in found.asked if name not in numbered]
    reasons = []
    if found.apart:
        reasons.append(Reason("sides_differ" if found.blocked else "sides_differ_too"))
    if not found.has_holdout:
        reasons.append(Reason("no_holdout"))
    return Measured(
        scale="auc",
        guess=GUESS,
        strongest=max(aucs, key=_ends, default=None),
        widest=max(aucs, key=lambda auc: auc.high, default=None),
        who=called(found.strongest) if found.strongest else "",
        looks=found.looks,
        control=_control(found, plugin, distances),
        unit=found.unit,
        lowest=min(aucs, key=lambda auc: auc.low, default=None),
        is_complete=not silent,
        silent=say(", ").join(silent),
        reasons=tuple(reasons),
    )


def _control(found: Finding, plugin: Callable[[str], str], distances: Collection[str]) -> Control:
    """The planted leak counts as found where an attack lifts it above what is to be ruled out.

    One that measures distances and nothing else does not count: it passes a release that moves every row by one step.
    """
    planted = [(one.attack, one.control) for one in found.attacks if one.control is not None]
    if not planted:
        return Control.none(say("No leak could be planted to see whether these attacks would find one."))
    best = max((auc for _, auc in planted), key=lambda auc: auc.low)
    told = say(
        "Of {attacks}, {above} found a leak planted in this very release; best AUC {best}.",
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
        above=sum(auc.low > GUESS for _, auc in planted),
        best=best,
    )
    telling = [auc.labelled(attack=plugin(name)) for name, auc in planted if name.partition(":")[0] not in distances]
    if not telling:
        return Control(True, -math.inf, told, missed=ONLY_DISTANCES, remedy=ADD_OTHERS)
    best = max(telling, key=lambda auc: auc.low)
    return Control(True, best.low, told, best)


def _scores(given: Mapping[str, Any]) -> Scores:
    n = len(given["value"])
    return Scores(
        value=np.asarray(given["value"], dtype=np.float64),
        is_in=np.asarray(given["is_in"], dtype=np.bool_),
        training=np.asarray(given.get("record", range(n)), dtype=np.int64),
        target=np.zeros(n, dtype=np.int64),
        attack=str(given["attack"]),
    )


def _attacked(
    name: str, estimates: Sequence[Estimate], control: Mapping[str, Any] | None, scores: Scores | None
) -> Attacked:
    own = tuple(estimate for estimate in estimates if estimate.labels["attack"] == name)
    if control is None:
        return Attacked(name, own, None, scores)
    planted = None if control["auc"] is None else estimate(control["auc"])
    return Attacked(name, own, planted, scores, str(control["planted"]), str(control.get("why", "")))


def shareable(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result without the scores of single records."""
    return {name: value for name, value in result.items() if name not in PRIVATE}


# --------------------------------------------------------------------------------------------------------------
# Sentences


def sentence(found: Finding) -> str:
    """What was found, in one sentence."""
    if found.auc is None:
        return say("Whether the file reveals who was in the data is open; what lies in the file can be described.")
    if found.best is not None and found.best.counted is found.best.beyond:
        return _beyond(found.best.auc, found.auc, found.unit)
    told = wording.share(found.auc)
    beside = say("(chance 50 %; {counted})", counted=wording.plural(found.auc.n, found.unit))
    if found.is_shown:
        return say(
            "From the released file alone, an attacker who sees one person who was in and one who was not picks the "
            "right one in {told} of cases {beside}.",
            told=told,
            beside=beside,
        )
    return say(
        "No attack on the released file is shown to tell members from others; {closest} {told} of pairs {beside}.",
        closest=_closest(found),
        told=told,
        beside=beside,
    )


def _beyond(auc: Estimate, left: Estimate, unit: str) -> str:
    """What is found where the two sides are told apart without the release."""
    return say(
        "The strongest attack reaches an AUC of {auc}; {left} remains after taking off what can be told without "
        "the release (0.50 would be nothing; {counted}).",
        auc=auc,
        left=left,
        counted=wording.plural(left.n, unit),
    )


def _closest(found: Finding) -> str:
    return (
        say("the only one is right about")
        if found.looks == 1
        else say("the strongest of {looks} is right about", looks=found.looks)
    )


def judged(found: Finding) -> str:
    """At which level the interval of the verdict stands, and how likely so strong an attack is where nothing leaks."""
    if found.best is None or found.auc is None:
        return ""
    level = 50 * (1 + found.auc.level)
    if found.looks == 1:
        return say(
            "Each end of the interval holds at {level:.4g} %. If nothing leaked, an attack would look this strong "
            "in {p} of cases (labels exchanged {permutations:,} times).",
            level=level,
            p=chance(found.best.p),
            permutations=found.permutations,
        )
    return say(
        "For {looks} attacks together each end of an interval holds at {level:.4g} %, so that the strongest is not "
        "called a leak for being the luckiest. If nothing leaked, one of them would look this strong in {p} of "
        "cases (labels exchanged {permutations:,} times).",
        level=level,
        looks=found.looks,
        p=chance(found.best.p),
        permutations=found.permutations,
    )


def chance(p: float) -> str:
    """A p-value in per cent, with two digits that count."""
    return say("{share:.2g} %", share=100 * p)


def shows(power: Mapping[str, float], attacks: int, n_in: int, n_out: int) -> str:
    """What so many records can show, before anything is run."""
    return say(
        "{n_in:,} records that were in and {n_out:,} that were not: with {attacks}, a true AUC of "
        "{detectable_auc:.2f} or more is shown in 8 of 10 audits (guessing is 0.50). Where an attack is no better "
        "than guessing, an AUC above {upper_if_half:.2f} can be ruled out.",
        n_in=n_in,
        n_out=n_out,
        attacks=counted(attacks, "{n:,} attack", "{n:,} attacks"),
        detectable_auc=power["detectable_auc"],
        upper_if_half=power["upper_if_half"],
    )
