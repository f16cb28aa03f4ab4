"""Removing: an audit with everything in it, or what is known of single people once it is old; and what a receipt says.

A receipt holds hashes and counts, nothing of what was in the files."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.jobs import journal
from riskkit.jobs.codec import seal
from riskkit.jobs.database import Database, audits, database, events, parts, runs, trainings, units
from riskkit.jobs.files import dump, write_facts
from riskkit.jobs.leases import is_heard, note
from riskkit.jobs.machine import now_text
from riskkit.jobs.runs import LIVE, whole_result

OF_PEOPLE = ("scores", "records", "for_whom")
"""What of a result is known of single records, or names values of the table; all else is a summary."""
DELETED = "Deleted"


@dataclass(frozen=True, slots=True)
class Removed:
    """A file that is gone: a name that says what it was, its SHA-256 and its size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What went, and when (UTC). ``rows`` counts rows of the store by what they were.

    ``compacted`` says whether the room of the rows was given back to the disk; their content was overwritten either way
    where the store is SQLite.
    """

    what: str
    at: str
    audits: tuple[str, ...]
    files: tuple[Removed, ...]
    rows: dict[str, int]
    compacted: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For people, a line each."""
        lines = [f"{self.what}, {self.at}"]
        lines += [f"audit {audit[:8]}" for audit in self.audits]
        lines += [f"{file.name}: {file.size:,} bytes, SHA-256 {file.sha256}" for file in self.files]
        lines += [f"{count:,} {name}" for name, count in self.rows.items() if count]
        return [*lines, "" if self.compacted else "The store could not be compacted now; that is done the next time."]


def remove(paths: Iterable[Path]) -> tuple[Removed, ...]:
    """Remove these files, and say what they were."""
    out = []
    for path in sorted(paths):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        out.append(Removed(path.name, digest, path.stat().st_size))
        path.unlink()
    return tuple(out)


# --------------------------------------------------------------------------------------------------------------
# Removing


def delete(folder: Path) -> Receipt:
    """Remove an audit: its rows, its files, and the room they took."""
    base = database(folder.parents[1])
    with base.write() as connection:
        mine = connection.scalars(sa.select(runs.c.number).where(runs.c.audit == folder.name)).all()
        rows = {"audits": 1, "runs": len(mine), **_empty(connection, mine, (units, parts, events))}
        rows |= _drop_trainings(connection, folder.name)
        connection.execute(runs.delete().where(runs.c.audit == folder.name))
        connection.execute(audits.delete().where(audits.c.id == folder.name))
    files = remove(path for path in folder.rglob("*") if path.is_file())
    shutil.rmtree(folder, ignore_errors=True)
    return _receipt(base, DELETED, (folder.name,), files, rows, datetime.now(UTC))


def purge(home: Path, days: float, now: datetime) -> Receipt:
    """Remove uploads and scores of single records older than that many days."""
    with database(home).read() as connection:
        every = connection.scalars(sa.select(audits.c.id)).all()
    return _purge(home, every, now.astimezone(UTC) - timedelta(days=days), now, f"what is older than {days:g} days")


def strip(folder: Path, now: datetime) -> Receipt:
    """Remove the files of one audit and what its results know of single people, however new; summaries stay."""
    home = folder.parents[1]
    return _purge(home, [folder.name], now.astimezone(UTC) + timedelta(days=1), now, "what was kept while it ran")


def _purge(home: Path, every: Iterable[str], until: datetime, now: datetime, what: str) -> Receipt:
    """Remove of these audits what was loaded or started before ``until``."""
    base = database(home)
    files: list[Removed] = []
    names: list[str] = []
    rows = {"results without scores of records": 0}
    for name in every:
        folder = home / "audits" / name
        with base.write() as connection:
            if not folder.is_dir() or _is_live(connection, name):
                continue
            old_runs, stripped = _find_aged(connection, name, until.timestamp())
            counted = _empty(connection, old_runs, (units, parts))
            counted |= _drop_trainings(connection, name, until.timestamp())
            old_files = _forget(connection, name, until, now)
        handed_in = (path for path in folder.glob("contest/*.*") if path.stat().st_mtime < until.timestamp())
        noted = folder.glob("*.noted") if old_files else ()  # what was found in tables of which a file goes
        of_slots = (path for path in folder.glob("*.*") if path.stem.lstrip(".") in old_files)
        gone = remove([*of_slots, *noted, *handed_in])
        files += gone
        for kind, count in {**counted, "results without scores of records": stripped}.items():
            rows[kind] = rows.get(kind, 0) + count
        if gone or stripped or any(counted.values()):
            names.append(name)
    return _receipt(base, f"Purged {what}", tuple(names), tuple(files), rows, now)


def _receipt(
    base: Database, what: str, names: tuple[str, ...], files: tuple[Removed, ...], rows: dict[str, int], now: datetime
) -> Receipt:
    compacted = base.compact() if names else True
    receipt = Receipt(what, now_text(now), names, files, rows, compacted)
    if names:
        with base.write() as connection:
            act, gone = "deleted" if what == DELETED else "purged", sum(rows.values())
            journal.record(connection, act, audits=" ".join(names), files=len(files), rows=gone)
            note(connection, None, json.dumps(receipt.as_dict(), sort_keys=True))
    return receipt


def _empty(connection: Connection, mine: Iterable[int], tables: Iterable[sa.Table]) -> dict[str, int]:
    """Remove the rows of these runs from these tables; how many, by what they are called."""
    called = {"units": "results of units", "parts": "shared parts", "events": "log lines"}
    numbers = list(mine)
    return {
        called[table.name]: connection.execute(table.delete().where(table.c.run.in_(numbers))).rowcount
        for table in tables
    }


def _drop_trainings(connection: Connection, audit: str, until: float = math.inf) -> dict[str, int]:
    """Remove the kept releases of that audit that were made before then; how many they were, where there were any."""
    old = (trainings.c.audit == audit) & (trainings.c.made < until)
    gone = connection.execute(trainings.delete().where(old)).rowcount
    return {"kept trainings": gone} if gone else {}


def _is_live(connection: Connection, audit: str) -> bool:
    """Whether something is being played in that audit, however old its files are."""
    rows = connection.execute(sa.select(runs).where((runs.c.audit == audit) & runs.c.state.in_(LIVE)))
    return any(row.state == "queued" or is_heard(connection, row) for row in rows)


def _find_aged(connection: Connection, audit: str, until: float) -> tuple[list[int], int]:
    """The runs that were started before then, and from how many results what is known of people was taken out."""
    old = connection.execute(sa.select(runs).where((runs.c.audit == audit) & (runs.c.created < until))).all()
    stripped = 0
    for row in old:
        kept = whole_result(row)
        result: dict[str, Any] = {} if kept is None else json.loads(kept)
        if not set(result) & set(OF_PEOPLE):
            continue
        left = dump({**{key: value for key, value in result.items() if key not in OF_PEOPLE}, "purged": True})
        mark = seal(row.id, row.asked, left)
        connection.execute(runs.update().where(runs.c.number == row.number).values(result=left, result_sha=mark))
        stripped += 1
    return [row.number for row in old], stripped


def _forget(connection: Connection, audit: str, until: datetime, now: datetime) -> set[str]:
    """The slots whose files are that old; the audit no longer names them."""
    row = connection.execute(sa.select(audits).where(audits.c.id == audit).with_for_update()).one()
    facts = json.loads(row.facts)
    old = {
        slot
        for slot, file in facts["files"].items()
        if datetime.fromisoformat(file.get("loaded") or row.created).timestamp() < until.timestamp()
    }
    if old:
        facts["files"] = {slot: file for slot, file in facts["files"].items() if slot not in old}
        write_facts(connection, audit, {**facts, "purged": now_text(now)})
    return old
