"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.report.audited.model import AtRisk, Bar, Chart, Control, Given, Measured, Played, RunFinding
from riskkit.report.audited.names import Names
from riskkit.report.records_findings import Three, ceiling, widening

LIMITS = (
    say("It speaks of the method with these settings, trained anew on this table, and of one kind of attack."),
    say(
        "All records share the same releases, so their errors go together; the list allows for it, a single line does "
        "not."
    ),
    say("That a record is not on the list does not mean that it is not exposed; its interval says how much it may be."),
)
"""What such a result does not show."""
METHOD = "interval of the record, widened for all records looked at (Bonferroni)"
BARS = 12
MISSED = say(
    "That no leak shows is not the same as no leak: none is planted in this game to see whether it would be found, and "
    "what the best attack there can be would reach was not computed for every record."
)
REMEDY = say(
    "Ask again with certificates, for a method that has them; or attack the most exposed records on the page "
    "Membership, where leaks are planted."
)


def read(run: Played, names: Names, given: Given) -> RunFinding:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    final = [one for one in result["records"] if one["auc"] is not None]
    level = float(run.plan.get("level", 0.95))
    aucs = [_auc(one, level, names) for one in final]
    wide = [_widened(auc, len(aucs)) for auc in aucs]
    strongest = max(wide, key=lambda auc: auc.low, default=None)
    bound = _bound(result["records"], level)
    n = max((auc.n for auc in aucs), default=0)
    seconds = float(result.get("seconds", 0.0))
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=_sentence(result, names),
        game=_game(result, final, names),
        measured=Measured(
            scale="auc",
            guess=0.5,
            strongest=strongest,
            widest=bound or max(wide, key=lambda auc: auc.high, default=None),
            who="" if strongest is None else say("record {record}", record=strongest.labels["record"]),
            looks=len(wide),
            control=_control(bound),
            seconds_each=seconds / n if n else 0.0,
            made=int(run.plan.get("inside", 0)) + int(run.plan.get("outside", 0)),
            is_bound=bound is not None,
        ),
        estimates=tuple(names.estimate(one) for one in names.countable(map(_estimate, result["estimates"])))
        + tuple(aucs),
        limits=LIMITS,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        seconds=seconds,
        workers=run.workers,
        notes=tuple(filter(None, (names.told(str(note)) for note in result.get("notes", ())))),
        chart=_chart(aucs),
        at_risk=tuple(
            AtRisk(say("record {record}", record=auc.labels["record"]), say("queries"), auc)
            for auc in sorted(aucs, key=lambda auc: -auc.low)
            if auc.low > 0.5
        ),
    )


def _bound(records: Sequence[Mapping[str, Any]], level: float) -> Estimate | None:
    """The most that the best attack there can be reaches on any record; None where it was not computed for all."""
    best = [Three(*one["certificate"]["auc"]) for one in records if one.get("certificate")]
    high = ceiling(best, level) if len(best) == len(records) else None
    if high is None:
        return None
    value = max(one.value for one in best)
    return Estimate("auc", value, 0.5, high, level, "best attack there can be, for all records", 0)


def _control(bound: Estimate | None) -> Control:
    """In place of a planted leak: what no attack can exceed, where that was computed."""
    if bound is not None:
        told = say(
            "None is planted: no attack on any record can reach more than {high:.2f}, which was computed.",
            high=bound.high,
        )
        return Control(True, math.inf, told)
    return Control(
        False, -math.inf, say("No leak is planted for single records in this game."), missed=MISSED, remedy=REMEDY
    )


def _estimate(given: Mapping[str, Any]) -> Estimate:
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(text) for name, text in given.items() if name not in own}
    return Estimate(**{name: given[name] for name in own}, labels=labels)


def _auc(one: Mapping[str, Any], level: float, names: Names) -> Estimate:
    value, low, high = (float(end) for end in one["auc"])
    labels = {"record": names.record(str(one["row"])), "stage": str(one.get("stage", ""))}
    return Estimate("auc", value, low, high, level, "AUC interval, by training", int(one["n"]), labels)


def _widened(auc: Estimate, looks: int) -> Estimate:
    """At the level that allows for so many records: the reach of a normal interval of that level."""
    level, by = 1 - (1 - auc.level) / max(looks, 1), widening(auc.level, looks)
    low = max(auc.value - by * (auc.value - auc.low), 0.0)
    high = min(auc.value + by * (auc.high - auc.value), 1.0)
    return Estimate(auc.name, auc.value, low, high, level, METHOD, auc.n, auc.labels)


def _sentence(result: Mapping[str, Any], names: Names) -> str:
    above = [one for one in result["estimates"] if one["name"] == "records_above"]
    listed = sum(bool(one.get("leaks")) for one in result["records"])
    told = say(
        "Of {records} played, {count} are shown to be exposed",
        records=counted(len(result["records"]), "{n:,} record", "{n:,} records"),
        count=names.count(listed),
    )
    if not above:
        return f"{told}."
    last = above[-1]
    limit = last.get("limit", "0.9")
    return (
        say(
            "{told}; above an AUC of {limit} are about {count} [{low:,.0f}, {high:,.0f}] of {total:,} people.",
            told=told,
            limit=limit,
            count=names.count(float(last["value"])),
            low=last["low"],
            high=last["high"],
            total=int(result["total"]),
        )
        if names.tells or not 0 < float(last["value"]) < 10
        else say(
            "{told}; above an AUC of {limit} are {count} people.",
            told=told,
            limit=limit,
            count=names.count(float(last["value"])),
        )
    )


def _game(result: Mapping[str, Any], final: Sequence[Mapping[str, Any]], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result["settings"]
    return (
        (say("The question"), say("How exposed is each single record, on this very table?")),
        (say("The worlds"), say("the table with and without the record; releases with it are shared by all records")),
        (say("The attacker knows"), say("every other row of the real table, and the method")),
        (say("The hypothesis"), say("no record is told better than by guessing (AUC 0.50)")),
        (say("Methods"), names.called(str(settings.get("generator", "")), "generators")),
        (say("Counted are"), say("{records} played", records=counted(len(final), "{n:,} record", "{n:,} records"))),
    )


def _chart(aucs: Sequence[Estimate]) -> Chart | None:
    if not aucs:
        return None
    first = sorted(aucs, key=lambda auc: -auc.low)[:BARS]
    bars = tuple(Bar(say("record {record}", record=auc.labels["record"]), auc) for auc in first)
    return Chart(
        say("The most exposed of {records}", records=counted(len(aucs), "{n:,} record", "{n:,} records")),
        say("AUC (0.50 is guessing)"),
        bars,
        0.5,
        (0.4, 1.0),
    )
