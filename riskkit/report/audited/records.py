"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from riskkit.core import Estimate
from riskkit.report import words
from riskkit.report.audited.model import AtRisk, Bar, Chart, Control, Given, Measured, Played, RunFinding
from riskkit.report.audited.names import Names
from riskkit.report.records_findings import Three, ceiling, widening

LIMITS = (
    "It speaks of the method with these settings, trained anew on this table, and of one kind of attack.",
    "All records share the same releases, so their errors go together; the list allows for it, a single line does not.",
    "That a record is not on the list does not mean that it is not exposed; its interval says how much it may be.",
)
"""What such a result does not show."""
METHOD = "interval of the record, widened for all records looked at (Bonferroni)"
BARS = 12
MISSED = (
    "That no leak shows is not the same as no leak: none is planted in this game to see whether it would be found, and "
    "what the best attack there can be would reach was not computed for every record."
)
REMEDY = (
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
            who="" if strongest is None else f"record {strongest.labels['record']}",
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
            AtRisk(f"record {auc.labels['record']}", "queries", auc)
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
        told = f"None is planted: no attack on any record can reach more than {bound.high:.2f}, which was computed."
        return Control(True, math.inf, told)
    return Control(
        False, -math.inf, "No leak is planted for single records in this game.", missed=MISSED, remedy=REMEDY
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
    told = f"Of {words.plural(len(result['records']), 'record')} played, {names.count(listed)} are shown to be exposed"
    if not above:
        return f"{told}."
    last = above[-1]
    limit = last.get("limit", "0.9")
    return (
        f"{told}; above an AUC of {limit} are about {names.count(float(last['value']))} "
        f"[{last['low']:,.0f}, {last['high']:,.0f}] of {int(result['total']):,} people."
        if names.tells or not 0 < float(last["value"]) < 10
        else f"{told}; above an AUC of {limit} are {names.count(float(last['value']))} people."
    )


def _game(result: Mapping[str, Any], final: Sequence[Mapping[str, Any]], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result["settings"]
    return (
        ("The question", "How exposed is each single record, on this very table?"),
        ("The worlds", "the table with and without the record; releases with it are shared by all records"),
        ("The attacker knows", "every other row of the real table, and the method"),
        ("The hypothesis", "no record is told better than by guessing (AUC 0.50)"),
        ("Methods", names.called(str(settings.get("generator", "")), "generators")),
        ("Counted are", f"{words.plural(len(final), 'record')} played"),
    )


def _chart(aucs: Sequence[Estimate]) -> Chart | None:
    if not aucs:
        return None
    first = sorted(aucs, key=lambda auc: -auc.low)[:BARS]
    bars = tuple(Bar(f"record {auc.labels['record']}", auc) for auc in first)
    return Chart(
        f"The most exposed of {words.plural(len(aucs), 'record')}", "AUC (0.50 is guessing)", bars, 0.5, (0.4, 1.0)
    )
