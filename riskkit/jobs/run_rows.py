"""The row of a run in the database: what it holds when it is queued, which columns tell how it stands, is it whole."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

import sqlalchemy as sa

from riskkit.jobs.codec import sha
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


def queued(asked: bytes) -> dict[str, Any]:
    """What a run holds that is put into the queue now, of all that does not hang on who asks and on which machine."""
    return {
        "asked": asked,
        "asked_sha": sha(asked),
        "state": "queued",
        "cancel": 0,
        "error": None,
        "result": None,
        "result_sha": None,
        "finished": None,
        "created": time.time(),
    }


def asked_in(row: Any) -> dict[str, Any] | None:
    """What was asked for, or None where it was altered since it was written."""
    if not isinstance(row.asked, bytes) or sha(row.asked) != row.asked_sha:
        return None
    asked: dict[str, Any] = json.loads(row.asked)
    return asked


def asked_question(asked: Any) -> str:
    """The question in what was asked for; empty where that was altered."""
    try:
        return str(json.loads(asked)["question"])
    except (ValueError, TypeError, KeyError):
        return ""


def has_whole_result(row: Any) -> bool:
    """Whether it has not finished, or its result is as it was written."""
    return row.state != "finished" or (isinstance(row.result, bytes) and sha(row.result) == row.result_sha)
