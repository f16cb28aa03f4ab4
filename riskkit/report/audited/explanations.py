"""What published explanations give away, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.report import explanations_findings as said
from riskkit.report import explanations_words, words
from riskkit.report.audited.model import Bar, Chart, Control, Given, Measured, Played, RunFinding
from riskkit.report.audited.names import Names
from riskkit.report.explanations_findings import HARDEST, OVERALL, Finding
from riskkit.stats.verdict import Verdict

BEFORE = say(
    "This run was made by a version that did not keep what it takes to judge it by another limit. Its own verdict was "
    "“{word}”; run it again to have one here."
)


def read(run: Played, names: Names, given: Given) -> RunFinding:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    found = said.read(result)
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=_sentence(found, result, names),
        game=_game(found, result, names),
        measured=_measured(found, result, names),
        estimates=tuple(names.estimate(e) for e in found.estimates),
        limits=explanations_words.LIMITS,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        seconds=float(result.get("seconds", 0.0)),
        workers=run.workers,
        notes=tuple(filter(None, (names.told(str(note)) for note in result.get("notes", ())))),
        extra=_recovered(found, names),
        chart=_chart(found, names),
    )


def _measured(found: Finding, result: Mapping[str, Any], names: Names) -> Measured:
    """On every input and overall: the least gain over any constant guess is what an attacker is judged by."""
    least: list[tuple[str, Estimate]] = []
    every: list[Estimate] = []
    for one in result["attackers"]:
        for feature, gains in one.get("gains", {}).items():
            own = [_gain(gain, str(one["attacker"]), feature, names) for gain in gains]
            every += own
            least += (
                [(f"{names.called(str(one['attacker']), 'inverters')}, {_on(feature, names)}", min(own, key=_low))]
                if own
                else []
            )
    silent = [
        feature for feature in found.features if any(feature not in one.get("gains", {}) for one in result["attackers"])
    ]
    who, strongest = max(least, key=lambda pair: pair[1].low, default=("", None))
    return Measured(
        scale="gain",
        guess=0.0,
        strongest=strongest,
        widest=max(every, key=lambda gain: gain.high, default=None),
        who=who,
        looks=int(result["verdict"]["looks"]),
        control=_control(found, result),
        unit="victim",
        is_complete=not silent,
        silent=", ".join(names.column(feature) for feature in silent),
        blocked="" if least else BEFORE.format(word=found.verdict),
    )


def _low(estimate: Estimate) -> float:
    return estimate.low


def _on(feature: str, names: Names) -> str:
    return say("all inputs together") if feature == OVERALL else names.column(feature)


def _gain(given: Mapping[str, Any], attacker: str, feature: str, names: Names) -> Estimate:
    ends = {end: float(given[end]) for end in ("value", "low", "high", "level")}
    labels = {"attacker": names.plugin(attacker), "feature": names.column(feature)}
    return Estimate(str(given["name"]), **ends, method=str(given["method"]), n=int(given["n"]), labels=labels)


def _control(found: Finding, result: Mapping[str, Any]) -> Control:
    planted = [bool(one["planted"]) for one in result["attackers"]]
    told = say(
        "{planted} of {attackers} recover inputs from a linear model that was planted, which gives everything away.",
        planted=sum(planted),
        attackers=counted(len(planted), "{n:,} attacker", "{n:,} attackers"),
    )
    missed = found.verdict is not Verdict.LEAK and not all(planted)
    return Control(bool(planted), -math.inf if missed or not all(planted) else math.inf, told)


def _sentence(found: Finding, result: Mapping[str, Any], names: Names) -> str:
    rate, constant = found.of("success_rate", found.attacker), found.of("success_rate", HARDEST["success_rate"])
    count = len(found.features)
    who = say(
        "From {values} an attacker ({called})",
        values=counted(count, "{n:,} Shapley value", "{n:,} Shapley values"),
        called=names.called(found.attacker, "inverters"),
    )
    recovered = len(result["verdict"]["recovered"])
    told = say(
        "{who} recovers {recovered} of {inputs} better than any constant guess",
        who=who,
        recovered=recovered,
        inputs=counted(count, "{n:,} input", "{n:,} inputs"),
    )
    if not recovered:
        told = say("{who} is not shown to recover any input", who=who)
    if rate is None or constant is None:
        return f"{told}."
    return say(
        "{told}: {rate} of values are right, one guess for everybody is in {constant}.",
        told=told,
        rate=words.share(rate),
        constant=words.share(constant),
    )


def _game(found: Finding, result: Mapping[str, Any], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result["settings"]
    return (
        (
            say("The question"),
            say("What do published Shapley values give away of the inputs of the person they explain?"),
        ),
        (say("The worlds"), say("a service that explains its answers; people it has not learnt from are attacked")),
        (
            say("The attacker knows"),
            say("the explanations, and {rows:,} rows of its own with theirs", rows=found.sizes[-1]),
        ),
        (say("The hypothesis"), say("no attacker does better than one constant guess for everybody (gain 0)")),
        (say("Model explained"), names.called(str(settings.get("model", "")), "explained")),
        (say("Attackers"), ", ".join(names.called(name, "inverters") for name in found.attackers)),
        (
            say("Counted are"),
            say(
                "{victims}; {models} trained",
                victims=counted(int(settings.get("n_victims", 0)), "{n:,} victim", "{n:,} victims"),
                models=counted(int(settings.get("model_seeds", 1)), "{n:,} model", "{n:,} models"),
            ),
        ),
    )


def _recovered(found: Finding, names: Names) -> tuple[str, ...]:
    out = []
    for attacker, features in found.recovered.items():
        listed = ", ".join(names.column(feature) for feature in features) or say("none")
        out.append(say("{called} recovers: {listed}.", called=names.called(attacker, "inverters"), listed=listed))
    for defence, stopped in found.stopped.items():
        does = say("stops every attacker") if stopped else say("does not stop every attacker")
        out.append(say("With {called}: {does}.", called=names.called(defence, "defences"), does=does))
    return tuple(out)


def _chart(found: Finding, names: Names) -> Chart | None:
    rows = [(names.called(name, "inverters"), found.of("success_rate", name), "") for name in found.attackers]
    rows += [
        (
            explanations_words.GUESSES[HARDEST["success_rate"]],
            found.of("success_rate", HARDEST["success_rate"]),
            "baseline",
        )
    ]
    bars = tuple(Bar(who, names.estimate(estimate), kind) for who, estimate, kind in rows if estimate is not None)
    return (
        Chart(say("Values recovered, beside one guess for everybody"), say("share of values recovered"), bars, None)
        if bars
        else None
    )
