"""What an explanation audit comes to, in plain sentences that anybody can read.

An attack is called successful only where it beats the constant guesses, the median in the error and the most frequent
value in the rate, and each the other way, with every lower end above 0 at the level that allows for all looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.plain import entry
from riskkit.wording import share

OVERALL = "overall"


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """One attacker beside the constant guesses: for each feature, and overall, its gains over them.

    ``holds`` says what rows it has. ``gains`` are at the level that allows for the looks. ``planted`` says whether the
    attacker is successful against a linear model whose values are published as they are. It is ``successful`` where it
    beats every constant guess overall, and ``recovered`` are the features on which it does.
    """

    attacker: str
    holds: str
    planted: bool
    gains: dict[str, tuple[Estimate, ...]]
    successful: bool = field(init=False)
    recovered: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        beaten = [feature for feature in self.gains if self.is_successful(feature)]
        object.__setattr__(self, "successful", OVERALL in beaten)
        object.__setattr__(self, "recovered", tuple(feature for feature in beaten if feature != OVERALL))

    def is_successful(self, feature: str) -> bool:
        """Whether it beats every constant guess there."""
        gains = self.gains.get(feature, ())
        return bool(gains) and all(gain.low > 0 for gain in gains)


def named_attacker(against: Sequence[Against]) -> Against:
    """The attacker that a sentence names: one that is successful overall, else one that recovers most."""
    return max(against, key=lambda reached: (reached.successful, len(reached.recovered)))


# --------------------------------------------------------------------------------------------------------------
# Sentences


def sentence(
    *,
    features: int,
    model: str,
    attacker: str,
    holds: str,
    success: Estimate,
    constant: Estimate,
    recovered: int,
    is_successful: bool,
    is_shapley: bool = True,
) -> str:
    """What the named attacker recovers, beside the constant guess.

    ``success`` and ``constant`` are success rates over all ``features`` inputs. ``model`` and ``attacker`` are what
    people call them; ``recovered`` inputs are recovered better than by any constant guess, and ``is_successful`` says
    whether that holds over all of them together. ``is_shapley``: Shapley values are published.
    """
    values = (
        counted(features, "{n:,} Shapley value", "{n:,} Shapley values")
        if is_shapley
        else counted(features, "{n:,} explaining number", "{n:,} explaining numbers")
    )
    who = say("an attacker ({attacker}, {holds})", attacker=attacker, holds=holds)
    rates = say(
        "{success} of all values are right; one guess for everybody is right in {constant}",
        success=share(success),
        constant=share(constant),
    )
    about = {"values": values, "model": model, "who": who, "rates": rates}
    if not (recovered or is_successful):
        return say("From {values} of {model}, {who} is not shown to recover any input: {rates}.", **about)
    inputs = counted(features, "{recovered} of {n:,} input", "{recovered} of {n:,} inputs", recovered=recovered)
    first = say(
        "From {values} of {model}, {who} recovers {inputs} better than any constant guess: {rates}.",
        **about,
        inputs=inputs,
    )
    if is_successful:
        return f"{first} " + say("Over all inputs it beats every constant guess, in the error and in the rate.")
    return f"{first} " + say(
        "Over all inputs together it does not beat every constant guess, but on these inputs it does."
    )


def holding(rows: int, *, of_people: bool) -> str:
    """What an attacker has."""
    if of_people:
        return say("holding {rows:,} other people's rows", rows=rows)
    return say("sending {rows:,} made-up rows", rows=rows)


@dataclass(frozen=True, slots=True, eq=False)
class TriedDefence:
    """One defence: its best attacker's success rate, whether that beats the constant guesses, what readers keep."""

    defence: str
    success: Estimate
    is_successful: bool = field(metadata=entry("successful"))
    top: Estimate = field(metadata=entry("top_three"))


def defences(tried: Sequence[TriedDefence]) -> str:
    """Which defence stops the attack and what it keeps; empty where none was tried."""
    if not tried:
        return ""
    stops = [defence for defence in tried if not defence.is_successful]
    if not stops:
        least = min(tried, key=lambda defence: defence.success.value)
        left = {"defence": least.defence, "success": share(least.success), "top": share(least.top)}
        if len(tried) == 1:
            return say(
                "{defence} does not stop it: {success} of values are still right, and {top} of the three weightiest "
                "reasons stay.",
                **left,
            )
        return say(
            "None of {defences} defences stops it; {defence} leaves the least: {success} of values are still right, "
            "and {top} of the three weightiest reasons stay.",
            defences=len(tried),
            **left,
        )
    best = max(stops, key=lambda defence: defence.top.value)
    return say(
        "With {defence}, no attacker is shown any more to beat the constant guess overall ({success} of values right), "
        "and {top} of the three weightiest reasons stay.",
        defence=best.defence,
        success=share(best.success),
        top=share(best.top),
    )


@dataclass(frozen=True, slots=True, eq=False)
class ReferencePoint:
    """What a value of 0 says where the service compares with one row.

    ``precision``: of values of 0, the share where the person equals the row; ``recall``: of equal cells, the share that
    is named so; ``lift``: how much more often than other people's cells; ``planted``: the same of the planted leak.
    """

    precision: Estimate
    recall: Estimate | None
    lift: Estimate
    planted: Estimate | None

    @property
    def is_shown(self) -> bool:
        """Whether it tells anything of the person."""
        return self.lift.low > 0

    @property
    def sentence(self) -> str:
        """What a value of 0 gives away."""
        start = say(
            "Where a value is 0, the person equals the reference row in {precision} of cells, {lift} more than other "
            "people do in the same columns",
            precision=share(self.precision),
            lift=str(self.lift),
        )
        if not self.is_shown:
            return say("{told}, which is not shown to tell anything of the person.", told=start)
        if self.recall is not None:
            start = say("{told}; this reveals {recall} of all equal cells", told=start, recall=share(self.recall))
        return say("{told}. More reference rows remove this leak.", told=start)
