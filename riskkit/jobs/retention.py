"""Removing: an audit with everything in it, or what is known of single people once it is old."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.errors import DesignError
from riskkit.jobs import journal
from riskkit.jobs.codec import seal, sha
from riskkit.jobs.database import Database, about, audits, database, events, parts, runs, units
from riskkit.jobs.facts import written
from riskkit.jobs.leases import note, silent
from riskkit.jobs.receipts import Receipt, Removed, now_text, removed
from riskkit.jobs.run_rows import whole_result
from riskkit.jobs.runs import LIVE, STALE_AFTER
from riskkit.phrases import phrase

OF_PEOPLE = ("scores", "records", "for_whom")
"""What of a result is known of single records, or names values of the table; all else is a summary."""
KEY = "retention"
DELETED = "Deleted"


def chosen(base: Database) -> int | None:
    """Days after which what is known of single people goes."""
    with base.read() as connection:
        kept = connection.scalar(sa.select(about.c.value).where(about.c.key == KEY))
    return int(kept) if kept else None


def choose(base: Database, days: int | None) -> None:
    """Choose that age; None for never.

    Raises
    ------
    DesignError
        Less than a day.
    """
    if days is not None and days < 1:
        raise DesignError(phrase("Files can be kept for a day at least; choose 1 or more, or remove them now."))
    with base.write() as connection:
        connection.execute(about.delete().where(about.c.key == KEY))
        if days is not None:
            connection.execute(about.insert().values(key=KEY, value=str(days)))


def delete(folder: Path) -> Receipt:
    """Remove an audit: its rows, its files, and the room they took."""
    base = database(folder.parents[1])
    with base.write() as connection:
        mine = connection.scalars(sa.select(runs.c.number).where(runs.c.audit == folder.name)).all()
        rows = {"audits": 1, "runs": len(mine), **_emptied(connection, mine, (units, parts, events))}
        connection.execute(runs.delete().where(runs.c.audit == folder.name))
        connection.execute(audits.delete().where(audits.c.id == folder.name))
    files = removed(path for path in folder.rglob("*") if path.is_file())
    shutil.rmtree(folder, ignore_errors=True)
    return _receipt(base, DELETED, (folder.name,), files, rows, datetime.now(UTC))


def purge(home: Path, days: float | None, now: datetime) -> Receipt:
    """Remove uploads and scores of single records older than that many days, or than the chosen age."""
    base = database(home)
    days = chosen(base) if days is None else days
    if days is None:
        raise DesignError(phrase("No age was chosen after which files go; name one."))
    with base.read() as connection:
        every = connection.scalars(sa.select(audits.c.id)).all()
    return _purged(home, every, now.astimezone(UTC) - timedelta(days=days), now, f"what is older than {days:g} days")


def strip(folder: Path, now: datetime) -> Receipt:
    """Remove the files of one audit and what its results know of single people, however new; summaries stay."""
    home = folder.parents[1]
    return _purged(home, [folder.name], now.astimezone(UTC) + timedelta(days=1), now, "what was kept while it ran")


def _purged(home: Path, every: Iterable[str], until: datetime, now: datetime, what: str) -> Receipt:
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
            old_runs, stripped = _aged(connection, name, until.timestamp())
            counted = _emptied(connection, old_runs, (units, parts))
            old_files = _forgotten(connection, name, until, now)
        handed_in = (path for path in folder.glob("contest/*.*") if path.stat().st_mtime < until.timestamp())
        noted = folder.glob("*.noted") if old_files else ()  # what was found in tables of which a file goes
        of_slots = (path for path in folder.glob("*.*") if path.stem.lstrip(".") in old_files)
        gone = removed([*of_slots, *noted, *handed_in])
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


def _emptied(connection: Connection, mine: Iterable[int], tables: Iterable[sa.Table]) -> dict[str, int]:
    """Remove the rows of these runs from these tables; how many, by what they are called."""
    called = {"units": "results of units", "parts": "shared parts", "events": "log lines"}
    numbers = list(mine)
    return {
        called[table.name]: connection.execute(table.delete().where(table.c.run.in_(numbers))).rowcount
        for table in tables
    }


def _is_live(connection: Connection, audit: str) -> bool:
    """Whether something is being played in that audit, however old its files are."""
    rows = connection.execute(sa.select(runs).where((runs.c.audit == audit) & runs.c.state.in_(LIVE)))
    return any(row.state == "queued" or silent(connection, row) <= STALE_AFTER for row in rows)


def _aged(connection: Connection, audit: str, until: float) -> tuple[list[int], int]:
    """The runs that were started before then, and from how many results what is known of people was taken out."""
    old = connection.execute(sa.select(runs).where((runs.c.audit == audit) & (runs.c.created < until))).all()
    stripped = 0
    for row in old:
        kept = whole_result(row)
        result: dict[str, Any] = {} if kept is None else json.loads(kept)
        if not set(result) & set(OF_PEOPLE):
            continue
        left = written({**{key: value for key, value in result.items() if key not in OF_PEOPLE}, "purged": True})
        mark = seal(row.id, row.asked, left)
        connection.execute(runs.update().where(runs.c.number == row.number).values(result=left, result_sha=mark))
        stripped += 1
    return [row.number for row in old], stripped


def _forgotten(connection: Connection, audit: str, until: datetime, now: datetime) -> set[str]:
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
        kept = written({**facts, "purged": now_text(now)})
        connection.execute(
            audits.update().where(audits.c.id == audit).values(facts=kept, sha=sha(kept), saved=time.time())
        )
    return old
