"""Findings as JSON, under a schema with a version: ``docs/report.md`` says what every field is."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.measurement import Measured
from riskkit.language import again
from riskkit.plain import plain
from riskkit.report import texts
from riskkit.report.lines import gaps
from riskkit.show.blocks import Frontier, Grid, Numbers, flat, frontiers, grids
from riskkit.show.model import Answer, Findings, RunFinding
from riskkit.show.profile import Profile
from riskkit.show.promise import with_readings
from riskkit.show.run_finding import in_its_unit

APART = ("values_apart", "kinds_apart")
"""Doubts about columns whose real and released values hardly meet."""
SCHEMA = "riskkit.report/1"
"""Name and version. A field may be added under the same number; one that goes or changes its meaning takes the next."""


def as_dict(findings: Findings) -> dict[str, Any]:
    """Everything that was found, as plain values; ``sha256`` is that of all the rest, see :func:`digest`."""
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "id": findings.id,
        "basis": findings.basis,
        "class": str(findings.kind),
        "names_columns": findings.tells_columns,
        "title": findings.title,
        "by": findings.by,
        "asked_by": findings.asked_by,
        "purpose": findings.purpose,
        "cover": asdict(findings.cover),
        "people": findings.people,
        "usefulness": _usefulness(findings),
        "made": findings.made,
        "audit": findings.audit,
        "riskkit": findings.version,
        "versions": dict(findings.versions),
        "made_by": findings.made_by,
        "overall": {**findings.overall.as_dict(), "allows_for": dict(findings.overall.figures)},
        "give_aways": [plain(give_away, "release", "brief") for give_away in findings.give_aways],
        "values_apart": [
            column for doubt in findings.doubts if doubt.code in APART for column in doubt.figures["each"]
        ],
        "doubts": [{"code": doubt.code, "why": doubt.why, "settle": doubt.settle} for doubt in findings.doubts],
        "limits": {question: limit.as_dict() for question, limit in findings.limits.items()},
        "questions": [_answer(answer) for answer in findings.answers],
        "files": plain(findings.files),
        "columns": [{"name": name, "kind": kind, "role": role} for name, kind, role in findings.schema],
        "preparation": [dict(problem) for problem in findings.preparation],
        "untested": gaps(findings),
        "not_proof": again(texts.NOT_PROOF),
        "profile": None if findings.profile is None else _profile(findings.profile),
        "reports": None if findings.reports is None else asdict(findings.reports),
    }
    return {**body, "sha256": digest(body)}


def _usefulness(findings: Findings) -> dict[str, dict[str, float]]:
    """What the release keeps, and what other people have alike, measure by measure."""
    series = () if findings.kept is None else findings.kept.series
    numbers = [(side.kind, each) for side in series for each in side.estimates if each is not None]
    out: dict[str, dict[str, float]] = {}
    for kind, each in numbers:
        out.setdefault(each.name, {})["release" if kind == "measured" else "others"] = each.value
    return out


def _profile(profile: Profile) -> dict[str, Any]:
    return {
        "name": profile.name,
        "title": profile.title,
        "source": asdict(profile.source()),
        "figure": profile.figure(),
        "sections": [
            {**asdict(section), "questions": list(section.questions), "facts": list(map(str, section.facts))}
            for section in profile.sections()
        ],
    }


def digest(body: dict[str, Any]) -> str:
    """The SHA-256 of a report without its own ``sha256``: of its JSON with sorted keys and no spaces, in UTF-8."""
    rest = {name: value for name, value in body.items() if name != "sha256"}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


@in_its_unit
def to_json(findings: Findings) -> bytes:
    """The same as a file."""
    return (json.dumps(as_dict(findings), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "question": answer.question,
        "title": answer.title,
        "state": answer.state or "not run",
        "stopped": answer.stopped,
        "judgement": None if answer.judgement is None else answer.judgement.as_dict(),
        "finding": None if answer.finding is None else _finding(answer.finding),
        "others": [_finding(other) for other in answer.others],
        "what_ifs": [
            {"judgement": what_if.judgement.as_dict(), "finding": _finding(what_if.finding)}
            for what_if in answer.what_ifs
        ],
    }


def _finding(finding: RunFinding) -> dict[str, Any]:
    return {
        "run": finding.id,
        "what_if": finding.what_if,
        "sentence": finding.sentence,
        "game": dict(finding.game),
        "measured": _claim_as_dict(finding.measured),
        **with_readings({"estimates": [estimate.as_dict() for estimate in finding.estimates]}),
        "at_risk": [
            {"reference": risk.reference, "who": risk.who, **risk.estimate.as_dict(), "record": risk.reference}
            for risk in finding.at_risk
        ],
        "grid": _grid(tuple(grids(finding.view))) or None,
        "frontier": next(map(_frontier, frontiers(finding.view)), None),
        "tables": [_table(block) for block in flat(finding.view) if isinstance(block, Numbers)],
        "extra": list(finding.extra),
        "promises": [promised.as_dict() for promised in finding.promises],
        "for_whom": None if finding.for_whom is None else finding.for_whom.as_dict(),
        "lowered": [lowered.as_dict() for lowered in finding.lowered],
        "not_shown": list(finding.limits),
        "settings": dict(finding.settings),
        "command": finding.command,
        "notes": list(finding.notes),
    }


def _claim_as_dict(measured: Measured) -> dict[str, Any]:
    below = measured.control.found_below
    return {
        "scale": measured.scale,
        "guess": measured.guess,
        "strongest": _estimate(measured.strongest),
        "widest": _estimate(measured.widest),
        "who": measured.who,
        "looks": measured.looks,
        "unit": measured.unit,
        "control": {
            "planted": measured.control.is_there,
            "found_below": below if math.isfinite(below) else None,
            "found": below > measured.guess,
            "sentence": measured.control.sentence,
        },
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.as_dict()


def _table(table: Numbers) -> dict[str, Any]:
    """A table of a view: a new column of it is here with no line of its own."""
    return {
        "table": table.key,
        "columns": [column.key for column in table.columns],
        "rows": [[cell.as_dict() if isinstance(cell, Estimate) else cell for cell in row] for row in table.rows],
    }


def _grid(grids: Sequence[Grid]) -> list[dict[str, Any]]:
    """Every field with the gain that each map has for it."""
    return [
        {
            "secret": row,
            "known": column,
            "shown": grids[0].leaks[index][by],
            **{grid.key: _estimate(grid.cells[index][by]) for grid in grids},
        }
        for index, row in enumerate(grids[0].rows if grids else ())
        for by, column in enumerate(grids[0].columns)
    ]


def _frontier(frontier: Frontier) -> list[dict[str, Any]]:
    """Every method, its hits as a share of the rows named."""
    return [
        {
            "method": spot.who,
            "usefulness": spot.usefulness,
            "hits": _estimate(frontier.share(spot)),
            "uploaded": spot.is_uploaded,
            "beaten": bool(spot.beaten),
        }
        for spot in frontier.spots
    ]
