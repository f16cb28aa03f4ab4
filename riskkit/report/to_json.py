"""Findings as JSON, under a schema with a version: ``docs/report.md`` says what every field is."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.measured import Measured
from riskkit.report import texts
from riskkit.show.epsilon_words import with_readings
from riskkit.show.model import Answer, Findings, Frontier, Grid, RunFinding
from riskkit.show.profile import Profile
from riskkit.show.unit import in_its_unit

SCHEMA = "riskkit.report/1"
"""Name and version. A field may be added under the same number; one that goes or changes its meaning takes the next."""


def as_dict(found: Findings) -> dict[str, Any]:
    """Everything that was found, as plain values; ``sha256`` is that of all the rest, see :func:`digest`."""
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "id": found.id,
        "basis": found.basis,
        "class": str(found.kind),
        "names_columns": found.tells_columns,
        "title": found.title,
        "by": found.by,
        "asked_by": found.asked_by,
        "purpose": found.purpose,
        "made": found.made,
        "audit": found.audit,
        "riskkit": found.version,
        "versions": dict(found.versions),
        "made_by": found.made_by,
        "overall": found.overall.as_dict(),
        "give_aways": [
            {"code": one.code, "state": str(one.state), "sentence": one.sentence, "repair": one.repair}
            for one in found.give_aways
        ],
        "values_apart": list(found.apart),
        "limits": {question: limit.as_dict() for question, limit in found.limits.items()},
        "questions": [_answer(answer) for answer in found.answers],
        "files": [
            {"slot": one.slot, "name": one.name, "sha256": one.sha256, "rows": one.rows, "columns": one.columns}
            for one in found.files
        ],
        "columns": [{"name": name, "kind": kind, "role": role} for name, kind, role in found.schema],
        "preparation": [dict(problem) for problem in found.preparation],
        "not_proof": texts.NOT_PROOF,
        "profile": None if found.profile is None else _profile(found.profile),
        "reports": None if found.reports is None else asdict(found.reports),
    }
    return {**body, "sha256": digest(body)}


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
def to_json(found: Findings) -> bytes:
    """The same as a file."""
    return (json.dumps(as_dict(found), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "question": answer.question,
        "title": answer.title,
        "state": answer.state or "not run",
        "stopped": answer.stopped,
        "judgement": None if answer.judgement is None else answer.judgement.as_dict(),
        "finding": None if answer.finding is None else _finding(answer.finding),
        "others": [_finding(one) for one in answer.others],
        "what_ifs": [
            {"judgement": one.judgement.as_dict(), "finding": _finding(one.finding)} for one in answer.what_ifs
        ],
    }


def _finding(found: RunFinding) -> dict[str, Any]:
    return {
        "run": found.id,
        "what_if": found.what_if,
        "sentence": found.sentence,
        "game": dict(found.game),
        "measured": _measured(found.measured),
        **with_readings({"estimates": [estimate.as_dict() for estimate in found.estimates]}),
        "at_risk": [
            {"reference": one.reference, "who": one.who, **one.estimate.as_dict(), "record": one.reference}
            for one in found.at_risk
        ],
        "grid": None if found.grid is None else _grid(found.grid),
        "frontier": None if found.frontier is None else _frontier(found.frontier),
        "extra": list(found.extra),
        "promises": [promised.as_dict() for promised in found.promises],
        "for_whom": None if found.for_whom is None else found.for_whom.as_dict(),
        "lowered": [lowered.as_dict() for lowered in found.lowered],
        "not_shown": list(found.limits),
        "settings": dict(found.settings),
        "command": found.command,
        "notes": list(found.notes),
    }


def _measured(found: Measured) -> dict[str, Any]:
    below = found.control.found_below
    return {
        "scale": found.scale,
        "guess": found.guess,
        "strongest": _estimate(found.strongest),
        "widest": _estimate(found.widest),
        "who": found.who,
        "looks": found.looks,
        "unit": found.unit,
        "control": {
            "planted": found.control.is_there,
            "found_below": below if math.isfinite(below) else None,
            "found": below > found.guess,
            "sentence": found.control.sentence,
        },
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.as_dict()


def _grid(grid: Grid) -> list[dict[str, Any]]:
    return [
        {"secret": row, "known": column, "shown": grid.marked[at][by], "delta": _estimate(grid.cells[at][by])}
        for at, row in enumerate(grid.rows)
        for by, column in enumerate(grid.columns)
    ]


def _frontier(frontier: Frontier) -> list[dict[str, Any]]:
    return [
        {
            "method": spot.who,
            "usefulness": spot.usefulness,
            "hits": _estimate(spot.hits),
            "uploaded": spot.is_uploaded,
            "beaten": spot.is_beaten,
        }
        for spot in frontier.spots
    ]
