"""What is kept of an audit itself: name, what was found in its files, the user's choices; and the hash of its data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.errors import DesignError, StoreError
from riskkit.jobs import people
from riskkit.jobs.codec import sha
from riskkit.jobs.database import audits, database
from riskkit.jobs.glance import seen
from riskkit.phrases import phrase


def fingerprint(value: Any) -> str:
    """The SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def written(value: Any) -> bytes:
    """A JSON value as it is kept: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).encode("utf-8", "surrogatepass")


def row_of(connection: Connection, audit: str, *columns: Any, lock: bool = False) -> Any:
    """These columns of an audit's row; raises :class:`DesignError` where it is gone."""
    asked = _of_one(*columns)
    row = connection.execute(asked.with_for_update() if lock else asked, {"audit": audit}).one_or_none()
    if row is None:
        raise DesignError(people.GONE)
    return row


@cache
def _of_one(*columns: Any) -> sa.Select[Any]:
    """The statement that reads these columns of one audit; made once, for making it takes longer than its answer."""
    return sa.select(*columns).where(audits.c.id == sa.bindparam("audit"))


def facts_of(connection: Connection, audit: str, *, lock: bool = False) -> dict[str, Any]:
    """The facts of an audit.

    Raises
    ------
    DesignError
        It is gone.
    StoreError
        They were altered.
    """
    return _read(row_of(connection, audit, audits.c.facts, audits.c.sha, lock=lock))


def _read(row: Any) -> dict[str, Any]:
    if not isinstance(row.facts, bytes) or sha(row.facts) != row.sha:
        raise StoreError(
            phrase(
                "What is kept of this audit was altered on the disk, so it cannot be used. Delete it and "
                "load the files again: the same settings give the same numbers."
            )
        )
    facts: dict[str, Any] = json.loads(row.facts)
    return facts


def facts_at(folder: Path) -> dict[str, Any]:
    """The facts of the audit in that folder."""
    base = database(folder.parents[1])
    people.admit(base, folder.name)

    def row() -> Any:
        with base.read() as connection:
            return row_of(connection, folder.name, audits.c.facts, audits.c.sha)

    return _read(seen(("facts", folder), row))


def revision(facts: Mapping[str, Any]) -> str:
    """A hash of the files and the choices: two equal revisions hold the same tables."""
    files = {
        slot: [file["sha256"], file["encoding"], file["delimiter"], file.get("header"), file["sheet"]]
        for slot, file in facts["files"].items()
    }
    return fingerprint([files, facts["choices"]])
