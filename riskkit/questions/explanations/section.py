"""What published explanations give away, for the report of the audit."""

from __future__ import annotations

import math
from dataclasses import replace

from riskkit.core import Estimate
from riskkit.judging.measured import Control, Measured
from riskkit.language import counted, joined, say
from riskkit.questions.explanations import findings
from riskkit.questions.explanations import words as explanations_words
from riskkit.questions.explanations.outcome import OVERALL
from riskkit.questions.explanations.result import HARDEST, ExplanationsResult
from riskkit.show import for_whom, what_if
from riskkit.show.finding import finding
from riskkit.show.model import Bar, Chart, Given, Played, RunFinding
from riskkit.show.names import Names


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  readers are called alike
    """The finding of a finished run. It is about a service that explains, which no release is made by: a what-if."""
    assert run.result is not None
    result = ExplanationsResult.of(run.result)
    return (
        finding(
            run,
            names,
            sentence=findings.sentence(
                result, names.called(result.plan.model, "explained"), lambda name: names.called(name, "inverters")
            ),
            game=_game(result, names),
            measured=_measured(result, names),
            estimates=tuple(names.estimate(e) for e in result.estimates),
            limits=explanations_words.LIMITS,
            extra=_recovered(result, names),
            chart=_chart(result, names),
            for_whom=for_whom.read(run.result, names, room="inverters"),
            what_if=what_if.if_explained(names.called(result.plan.model, "explained")),
        ),
    )


def is_about(run: Played, facts: Given) -> bool:  # noqa: ARG001  asked of every question alike
    """Never: a release is made by no service that explains."""
    return False


def _measured(result: ExplanationsResult, names: Names) -> Measured:
    """On every input and overall: the least gain over any constant guess is what an attacker is judged by."""
    least: list[tuple[str, Estimate]] = []
    every: list[Estimate] = []
    for reached in result.against:
        for feature, gains in reached.gains.items():
            own = [_gain(gain, reached.attacker, feature, names) for gain in gains]
            every += own
            who = f"{names.called(reached.attacker, 'inverters')}, {_on(feature, names)}"
            least += [(who, min(own, key=_low))] if own else []
    silent = [feature for feature in result.features if any(feature not in reached.gains for reached in result.against)]
    who, strongest = max(least, key=lambda pair: pair[1].low, default=("", None))
    return Measured(
        scale="gain",
        guess=0.0,
        strongest=strongest,
        widest=max(every, key=lambda gain: gain.high, default=None),
        who=who,
        looks=result.counts.looks,
        control=_control(result),
        unit="victim",
        is_complete=not silent,
        silent=joined(names.column(feature) for feature in silent),
    )


def _low(estimate: Estimate) -> float:
    return estimate.low


def _on(feature: str, names: Names) -> str:
    return say("all inputs together") if feature == OVERALL else names.column(feature)


def _gain(gain: Estimate, attacker: str, feature: str, names: Names) -> Estimate:
    return replace(gain, labels={"attacker": names.plugin(attacker), "feature": names.column(feature)})


def _control(result: ExplanationsResult) -> Control:
    planted = [reached.planted for reached in result.against]
    sentence = say(
        "{planted} of {attackers} recover inputs from a linear model that was planted, which gives everything away.",
        planted=sum(planted),
        attackers=counted(len(planted), "{n:,} attacker", "{n:,} attackers"),
    )
    return Control(bool(planted), math.inf if all(planted) else -math.inf, sentence)


def _game(result: ExplanationsResult, names: Names) -> tuple[tuple[str, str], ...]:
    return (
        (
            say("The question"),
            say("What do published Shapley values give away of the inputs of the person they explain?"),
        ),
        (say("The worlds"), say("a service that explains its answers; people it has not learnt from are attacked")),
        (
            say("The attacker knows"),
            say("the explanations, and {rows:,} rows of its own with their explanations", rows=result.counts.sizes[-1]),
        ),
        (say("The hypothesis"), say("no attacker does better than one constant guess for everybody (gain 0)")),
        (say("Model explained"), names.called(result.plan.model, "explained")),
        (say("Explainer"), explanations_words.EXPLAINERS[result.plan.explainer]),
        (say("Attackers"), joined(names.called(name, "inverters") for name in result.attackers)),
        (
            say("Counted are"),
            say(
                "{victims}; {models} trained",
                victims=counted(result.counts.n_victims, "{n:,} victim", "{n:,} victims"),
                models=counted(result.plan.model_seeds, "{n:,} model", "{n:,} models"),
            ),
        ),
    )


def _recovered(result: ExplanationsResult, names: Names) -> tuple[str, ...]:
    out = []
    for attacker, features in result.recovered.items():
        listed = joined(names.column(feature) for feature in features) or say("none")
        out.append(say("{called} recovers: {listed}.", called=names.called(attacker, "inverters"), listed=listed))
    for defence, stopped in result.stopped.items():
        called = names.called(defence, "defences")
        out.append(
            say("{called} stops every attacker.", called=called)
            if stopped
            else say("{called} does not stop every attacker.", called=called)
        )
    return tuple(out)


def _chart(result: ExplanationsResult, names: Names) -> Chart | None:
    rows = [
        (names.called(name, "inverters"), result.of_attacker("success_rate", name), "") for name in result.attackers
    ]
    rows += [
        (
            explanations_words.GUESSES[HARDEST["success_rate"]],
            result.of_attacker("success_rate", HARDEST["success_rate"]),
            "baseline",
        )
    ]
    bars = tuple(Bar(who, names.estimate(estimate), kind) for who, estimate, kind in rows if estimate is not None)
    return (
        Chart(say("Values recovered, beside one guess for everybody"), say("share of values recovered"), bars, None)
        if bars
        else None
    )
