"""What an explanation audit comes to: a verdict, and plain sentences that anybody can read.

What it says is kept with results, so it is English in every language.

An attack is called successful only where it beats the constant guesses, the median in the error and the most frequent
value in the rate, and each the other way, with every lower end above 0 at the level that allows for all looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import english
from riskkit.report.words import plural, share
from riskkit.stats.verdict import Verdict, judge

OVERALL = "overall"
SILENT = (
    "No attacker is shown to beat the constant guess, but of some inputs too few victims have a value, so what is "
    "given away of them is not known. Ask about more victims, or leave these inputs out."
)


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """One attacker beside the constant guesses: for each feature, and overall, its gains over them.

    ``gains`` are at the level that allows for the looks. ``planted`` says whether the attacker is successful against a
    linear model whose values are published as they are.
    """

    attacker: str
    gains: Mapping[str, Sequence[Estimate]]
    planted: bool

    def is_successful(self, feature: str = OVERALL) -> bool:
        """Whether it beats every constant guess there."""
        found = self.gains.get(feature, ())
        return bool(found) and all(gain.low > 0 for gain in found)

    @property
    def recovered(self) -> tuple[str, ...]:
        """The features on which it is successful."""
        return tuple(feature for feature in self.gains if feature != OVERALL and self.is_successful(feature))

    @property
    def reach(self) -> float:
        """The most it may gain anywhere, by its upper ends."""
        return max((gain.high for found in self.gains.values() for gain in found), default=1.0)


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on one service, the attacker it names, what that one recovers, and why."""

    verdict: Verdict
    why: str
    attacker: str
    recovered: tuple[str, ...]
    looks: int
    limit: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "word": str(self.verdict),
            "why": self.why,
            "attacker": self.attacker,
            "recovered": list(self.recovered),
            "looks": self.looks,
            "limit": self.limit,
        }


@english()
def decide(against: Sequence[Against], *, rule_out: float, looks: int, columns: Sequence[str] = ()) -> Decision:
    """The verdict on the service without a defence.

    * Leak: some attacker is successful overall or on some feature.
    * No leak above ``rule_out``: nowhere can any attacker gain that much, each has a number on all of ``columns``, and
      each was successful where a leak was planted.
    * Undecided: everything else.
    """
    best = max(against, key=lambda one: (one.is_successful(), len(one.recovered), -_place(against, one)))
    if best.is_successful() or best.recovered:
        return Decision(Verdict.LEAK, _leak(best), best.attacker, best.recovered, looks, 0.0)
    reach = max(one.reach for one in against)
    if reach >= rule_out:
        why = (
            f"No attacker is shown to beat the constant guess, but a gain of up to {reach:.2f} in some input cannot be "
            f"ruled out, and {rule_out:g} was to be. More victims narrow this."
        )
        return Decision(Verdict.UNDECIDED, why, best.attacker, (), looks, rule_out)
    if any(column not in one.gains for one in against for column in columns):
        return Decision(Verdict.UNDECIDED, SILENT, best.attacker, (), looks, rule_out)
    blind = [one.attacker for one in against if not one.planted]
    if blind:
        why = (
            f"No attacker is shown to beat the constant guess, but {', '.join(blind)} does not beat it against a "
            "linear model either, which gives everything away, so its silence says nothing."
        )
        return Decision(Verdict.UNDECIDED, why, best.attacker, (), looks, rule_out)
    why = (
        f"No attacker gains {rule_out:g} over the constant guess in any input, and each recovers inputs from a linear "
        "model that was planted for it. Other attackers may reach more."
    )
    return Decision(Verdict.NO_LEAK, why, best.attacker, (), looks, rule_out)


def _place(against: Sequence[Against], one: Against) -> int:
    return list(against).index(one)


def _leak(best: Against) -> str:
    if best.is_successful():
        return "Over all inputs it beats every constant guess, in the error and in the rate."
    return "Over all inputs together it does not beat every constant guess, but on these it does."


def decide_reference(lift: Estimate | None, planted: Estimate | None, *, rule_out: float) -> Verdict:
    """The verdict on the single reference row; ``planted`` is the same of the planted leak."""
    if lift is None:
        return Verdict.UNDECIDED
    if judge(lift, 0.0, positive_control_found=None) is Verdict.LEAK:
        return Verdict.LEAK
    return judge(lift, rule_out, positive_control_found=planted is not None and planted.low > 0)


# --------------------------------------------------------------------------------------------------------------
# Sentences


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """The figures of the sentence. ``success`` and ``constant`` are success rates over all inputs."""

    features: int
    model: str
    attacker: str
    holds: str
    success: Estimate
    constant: Estimate


@english()
def sentence(told: Told, decision: Decision) -> str:
    """What the attacker named by the verdict recovers, beside the constant guess."""
    values = plural(told.features, "Shapley value")
    who = f"an attacker ({told.attacker}, {told.holds})"
    rates = f"{share(told.success)} of all values are right, where one guess for everybody is in {share(told.constant)}"
    if decision.verdict is Verdict.LEAK:
        return (
            f"From {values} of {told.model} {who} recovers {len(decision.recovered)} of {told.features} inputs better "
            f"than any constant guess: {rates}. {decision.why}"
        )
    return f"From {values} of {told.model} {who} is not shown to recover any input: {rates}. {decision.why}"


@english()
def holding(rows: int, *, of_people: bool) -> str:
    """What an attacker has."""
    return f"holding {rows:,} other people's rows" if of_people else f"sending {rows:,} made-up rows"


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """One defence: its best attacker's success rate, whether that beats the constant guesses, what readers keep."""

    defence: str
    success: Estimate
    is_successful: bool
    top: Estimate


@english()
def defences(tried: Sequence[Tried]) -> str:
    """Which defence stops the attack and what it keeps; empty where none was tried."""
    if not tried:
        return ""
    stops = [one for one in tried if not one.is_successful]
    if not stops:
        least = min(tried, key=lambda one: one.success.value)
        none = "It is not stopped" if len(tried) == 1 else f"None of {len(tried)} defences stops it; least is left"
        return (
            f"{none} by {least.defence}: {share(least.success)} of values are still right, and {share(least.top)} of "
            "the three weightiest reasons stay."
        )
    best = max(stops, key=lambda one: one.top.value)
    return (
        f"With {best.defence} no attacker is shown to beat the constant guess overall any more "
        f"({share(best.success)} of values right), and {share(best.top)} of the three weightiest reasons stay."
    )


@english()
def reference(precision: Estimate, recall: Estimate | None, lift: Estimate, verdict: Verdict) -> str:
    """What a value of 0 gives away where there is a single reference row."""
    told = (
        f"Where a value is 0, the person equals the reference row in {share(precision)} of cells, "
        f"{lift.value:.2f} [{lift.low:.2f}, {lift.high:.2f}] more than other people do in the same columns"
    )
    names = f"; so {share(recall)} of all equal cells are named" if recall is not None else ""
    if verdict is Verdict.LEAK:
        return f"{told}{names}. More reference rows take that away."
    return f"{told}, which is not shown to tell anything of the person."
