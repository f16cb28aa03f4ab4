"""Taking over what the first version of riskkit kept: a JSON file an audit, and files for each run."""

from __future__ import annotations

import json
import shutil
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.audit.codec import sha
from riskkit.audit.database import audits, database, runs
from riskkit.audit.facts import written
from riskkit.audit.leases import note
from riskkit.errors import StoreError


def take_over(home: Path) -> int:
    """Move every audit that is kept in files into the tables; returns how many.

    Raises
    ------
    StoreError
        Such a file cannot be read.
    """
    old = sorted((home / "audits").glob("*/audit.json"))
    for path in old:
        with database(home).write() as connection:
            if connection.scalar(sa.select(audits.c.id).where(audits.c.id == path.parent.name)) is None:
                _audit(connection, path)
        for run in (path.parent / "runs").glob("*"):
            shutil.rmtree(run, ignore_errors=True)
        path.unlink(missing_ok=True)
    return len(old)


def _audit(connection: Connection, path: Path) -> None:
    given = _read(path)
    created = str(given.pop("created"))
    facts = written(given)
    saved = datetime.fromisoformat(created).timestamp()
    connection.execute(
        audits.insert().values(id=path.parent.name, created=created, saved=saved, facts=facts, sha=sha(facts))
    )
    for plan in sorted((path.parent / "runs").glob("*/plan.json"), key=lambda found: found.stat().st_mtime):
        _run(connection, path.parent.name, plan)


def _run(connection: Connection, audit: str, path: Path) -> None:
    asked = written(_read(path))
    state = path.with_name("state.json")
    known: dict[str, Any] = _read(state) if state.exists() else {"state": "interrupted"}
    result = path.with_name("result.json")
    values: dict[str, Any] = {"state": known["state"], "error": known.get("error")}
    if known["state"] in ("queued", "running") or (known["state"] == "finished" and not result.exists()):
        values["state"] = "interrupted"
    if values["state"] == "finished":
        found = _read(result)
        values |= {"seconds": found.pop("seconds", 0.0), "finished": result.stat().st_mtime, "result": written(found)}
        values["result_sha"] = sha(values["result"])
    kept = {"audit": audit, "id": path.parent.name, "asked": asked, "asked_sha": sha(asked)}
    created = min(path.stat().st_mtime, time.time())
    added = connection.execute(runs.insert().values(**kept, created=created, **values))
    assert added.inserted_primary_key is not None
    note(connection, added.inserted_primary_key[0], "Taken over from an earlier version of riskkit.")


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"An audit of an earlier version of riskkit cannot be taken over, because its {path.name} cannot be read. "
            f"Move the folder {path.parent.name} out of the audits and start again."
        ) from error
