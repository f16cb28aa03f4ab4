"""The row of a run in the database: what it holds when it is queued, which columns tell how it stands, is it whole."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

import sqlalchemy as sa

from riskkit.jobs.codec import seal
from riskkit.jobs.database import runs

SHOWN = (
    runs.c.number,
    runs.c.state,
    runs.c.boot,
    runs.c.ticks,
    runs.c.heard,
    runs.c.cancel,
    runs.c.stage,
    runs.c.done,
    runs.c.total,
    runs.c.seconds_left,
    runs.c.error,
)
"""What tells how a run stands."""


@cache
def of_one(*columns: Any) -> sa.Select[Any]:
    """The statement that reads these columns of one run; made once, for making it takes longer than its answer."""
    mark = (runs.c.audit == sa.bindparam("audit")) & (runs.c.id == sa.bindparam("name"))
    return sa.select(*columns).where(mark)


def queued(run: str, asked: bytes) -> dict[str, Any]:
    """What a run holds that is put into the queue now, of all that does not hang on who asks and on which machine."""
    return {
        "asked": asked,
        "asked_sha": seal(run, asked),
        "state": "queued",
        "cancel": 0,
        "error": None,
        "result": None,
        "result_sha": None,
        "finished": None,
        "created": time.time(),
    }


def asked_in(row: Any) -> dict[str, Any] | None:
    """What was asked for, or None where it was altered since it was written, or is what another run was asked for."""
    if not isinstance(row.asked, bytes) or seal(row.id, row.asked) != row.asked_sha:
        return None
    asked: dict[str, Any] = json.loads(row.asked)
    return asked


def asked_question(asked: Any) -> str:
    """The question in what was asked for; empty where that was altered."""
    try:
        return str(json.loads(asked)["question"])
    except (ValueError, TypeError, KeyError):
        return ""


def whole_result(row: Any) -> bytes | None:
    """The result as it was written for this run and plan; None where there is none, or it is altered or another's."""
    if not isinstance(row.result, bytes) or not isinstance(row.asked, bytes):
        return None
    return row.result if seal(row.id, row.asked, row.result) == row.result_sha else None
