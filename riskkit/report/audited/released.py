"""What the attacks on a released file say, for the report of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.report import released as decided
from riskkit.report import released_findings as said
from riskkit.report.audited.model import Bar, Chart, Control, Given, Measured, Played, RunFinding
from riskkit.report.audited.names import Names
from riskkit.report.released_findings import Attacked, Finding
from riskkit.stats import records

KNOWS = say("the released file, and the rows asked about; some attacks also other people of the population")


def read(run: Played, names: Names, given: Given) -> RunFinding:
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    found = said.read(result)
    return RunFinding(
        id=run.id,
        question=run.question,
        sentence=said.sentence(found),
        game=_game(run, result, names),
        measured=_measured(found, run, names, given.distances),
        estimates=tuple(names.estimate(e) for attacked in found.attacks for e in attacked.estimates),
        limits=said.LIMITS,
        settings=names.settings(run.plan),
        command=names.told(run.command),
        seconds=float(result.get("seconds", 0.0)),
        workers=run.workers,
        notes=tuple(filter(None, (names.told(str(note)) for note in result.get("notes", ())))),
        extra=_panel(found.panel, names),
        chart=_chart(found, names),
    )


def _measured(found: Finding, run: Played, names: Names, distances: frozenset[str]) -> Measured:
    assert run.result is not None
    settings = run.result.get("settings", {})
    told = {one.attack for one in found.attacks if one.auc is not None}
    silent = [names.called(str(text), "released") for text in settings.get("attacks", ()) if str(text) not in told]
    judged = [one for one in found.together if one.attack in told]
    aucs = [one.counted.labelled(attack=names.plugin(one.attack)) for one in judged]
    strongest, widest, who = None, None, ""
    if aucs:
        at = records.strongest(aucs)
        strongest, widest = aucs[at], max(aucs, key=lambda auc: auc.high)
        who = names.called(judged[at].attack, "released")
    return Measured(
        scale="auc",
        guess=0.5,
        strongest=strongest,
        widest=widest,
        who=who,
        looks=len(aucs),
        control=_control(found, distances, names),
        unit="record",
        lowest=min((auc.low for auc in aucs), default=None),
        is_complete=not silent,
        silent=", ".join(silent),
        blocked=decided.BLOCKED if found.blocked else "" if "n_in" in settings else decided.NO_HOLDOUT,
        no_absence=decided.NO_ABSENCE if found.apart else "",
    )


def _control(found: Finding, distances: frozenset[str], names: Names) -> Control:
    """The planted leak counts as found where an attack lifts it above what is to be ruled out.

    One that measures distances and nothing else does not count: it passes a release that moves every row by one step.
    """
    planted = [(one, one.control) for one in found.attacks if one.control is not None]
    if not planted:
        return Control(False, -math.inf, say("No leak could be planted to see whether these attacks would find one."))
    above = sum(one.found_planted for one, _ in planted)
    best = max((auc for _, auc in planted), key=lambda auc: auc.low)
    told = say(
        "Of {attacks} {above} found a leak planted in this very release; best AUC {best}.",
        attacks=counted(len(planted), "{n:,} attack", "{n:,} attacks"),
        above=above,
        best=best,
    )
    telling = [auc for one, auc in planted if one.attack.partition(":")[0] not in distances]
    if not telling:
        return Control(True, -math.inf, told, missed=decided.ONLY_DISTANCES, remedy=decided.ADD_OTHERS)
    best = max(telling, key=lambda auc: auc.low)
    return Control(True, best.low, told, names.estimate(best))


def _game(run: Played, result: Mapping[str, Any], names: Names) -> tuple[tuple[str, str], ...]:
    settings = result.get("settings", {})
    return (
        (say("The question"), say("Was this person in the real table, told from the released file alone?")),
        (say("The worlds"), say("one release, as it is; people who were in beside people who were not (the holdout)")),
        (say("The attacker knows"), KNOWS),
        (say("The hypothesis"), say("no attack tells the two apart better than guessing (AUC 0.50)")),
        (say("Attacks"), ", ".join(names.called(str(text), "released") for text in run.plan.get("attacks", ()))),
        (
            say("Counted are"),
            say(
                "{n_in:,} records that were in and {n_out:,} that were not",
                n_in=settings.get("n_in", 0),
                n_out=settings.get("n_out", 0),
            ),
        ),
    )


def _panel(panel: Mapping[str, Any], names: Names) -> tuple[str, ...]:
    """Copies and the order of rows; small counts are withheld from those who may not see rows."""
    real = panel["copies"]["real"]["rows"]
    told = [
        say(
            "{count} of {of:,} rows of the real table stand in the release as they are.",
            count=names.count(real["count"]),
            of=real["of"],
        )
    ]
    if names.tells:
        told.append(said.near(panel))
    return (*told, said.nearer(panel), said.row_order(panel), say("Distances describe; no verdict stands on them."))


def _chart(found: Finding, names: Names) -> Chart | None:
    drawn = sorted((one for one in found.attacks if one.auc is not None), key=lambda one: -_of(one).low)
    if not drawn:
        return None
    above = sum(_of(one).low > 0.5 for one in drawn)
    told = say(
        "{above} of {intervals} wholly above guessing",
        above=above or say("None"),
        intervals=counted(len(drawn), "{n:,} interval", "{n:,} intervals"),
    )
    bars = [Bar(names.called(one.attack, "released"), names.estimate(_of(one))) for one in drawn]
    planted = [
        Bar(
            say("{called} on the planted leak", called=names.called(one.attack, "released")),
            names.estimate(one.control),
            "control",
        )
        for one in drawn
        if one.control is not None
    ]
    return Chart(told, say("AUC (0.50 is guessing)"), (*bars, *planted[:3]), 0.5, (0.4, 1.0))


def _of(one: Attacked) -> Estimate:
    assert one.auc is not None
    return one.auc
