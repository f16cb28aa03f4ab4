"""What the game for every record says, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from riskkit.core import Estimate
from riskkit.report import words
from riskkit.report.audited.model import AtRisk, Bar, Chart, Control, Given, Measured, Played, RunFinding
from riskkit.report.audited.names import Names

LIMITS = (
    "It speaks of the method with these settings, trained anew on this table, and of one kind of attack.",
    "All records share the same releases, so their errors go together; the list allows for it, a single line does not.",
    "That a record is not on the list does not mean that it is not exposed; its interval says how much it may be.",
)
"""What such a result does not show."""
METHOD = "interval of the record, widened for all records looked at (Bonferroni)"
BARS = 12


def read(run: Played, names: Names, given: Given) -> RunFinding:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    final = [one for one in result["records"] if one["auc"] is not None]
    level = float(run.plan.get("level", 0.95))
    aucs = [_auc(one, level, names) for one in final]
    wide = [_widened(auc, len(aucs)) for auc in aucs]
    strongest = max(wide, key=lambda auc: auc.low, default=None)
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
            widest=max(wide, key=lambda auc: auc.high, default=None),
            who="" if strongest is None else f"record {strongest.labels['record']}",
            looks=len(wide),
            control=Control(False, -math.inf, "No leak is planted for single records in this game."),
            seconds_each=seconds / n if n else 0.0,
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
    level = 1 - (1 - auc.level) / max(looks, 1)
    by = NormalDist().inv_cdf((1 + level) / 2) / NormalDist().inv_cdf((1 + auc.level) / 2)
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
