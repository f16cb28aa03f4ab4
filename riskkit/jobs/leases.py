"""Who may write to a run: the worker that holds its lease, and nobody else.

A claim raises the token of the run. Every write names the token it was claimed with and does nothing where another
claim came in between, so of two workers that both believe a run is theirs only the later one writes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.errors import LeaseLost
from riskkit.jobs import people
from riskkit.jobs.codec import seal
from riskkit.jobs.database import Database, database, events, runs
from riskkit.jobs.machine import boot, now_text
from riskkit.jobs.pool import Progress
from riskkit.phrases import as_text, phrase

STALE_AFTER = 15.0
"""Seconds without a heartbeat after which a run counts as interrupted; the worker beats every second."""
AT_ONCE = 2
"""Runs that one machine plays at the same time; the others wait for their turn, in the order they were started."""
READING = phrase("Reading the tables")
"""The stage of a run that has just begun."""
LOST = "Another worker has taken this run over; this one stops."


def place(path: Path) -> tuple[Database, str, str]:
    """The tables, the audit's id and the run's id that a run's path stands for; of an audit of whoever acts."""
    base = database(path.parents[3])
    people.admit(base, path.parents[1].name)
    return base, path.parents[1].name, path.name


@cache
def _select_run(*columns: Any) -> sa.Select[Any]:
    """The statement that reads these columns of one run; made once, for making it takes longer than its answer."""
    mark = (runs.c.audit == sa.bindparam("audit")) & (runs.c.id == sa.bindparam("name"))
    return sa.select(*(columns or runs.c)).where(mark)


def row_of(connection: Connection, audit: str, name: str, *columns: Any, lock: bool = False) -> Any:
    """These columns of a run of that audit, every one where none is named; None where there is no such run."""
    asked = _select_run(*columns)
    asked = asked.with_for_update() if lock else asked
    return connection.execute(asked, {"audit": audit, "name": name}).one_or_none()


def note(connection: Connection, number: int | None, text: str) -> None:
    """Write a line into the log of a run, or of the store; never a cell's value."""
    connection.execute(events.insert().values(run=number, at=now_text(), text=text))


# --------------------------------------------------------------------------------------------------------------
# Is somebody at it


def server_time(connection: Connection) -> float:
    """The time of whoever keeps the tables: one clock for all machines that share them."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.scalar(sa.text("SELECT extract(epoch FROM clock_timestamp())::float8")) or 0.0)


def beat(connection: Connection) -> dict[str, Any]:
    """What a beat writes."""
    return {"boot": boot(), "ticks": time.monotonic(), "heard": server_time(connection)}


def silent(connection: Connection, row: Any) -> float:
    """Seconds since the worker of that run was last heard of, by the clock that its machine has since it was started.

    Infinite where this machine was started again since.
    """
    now = time.monotonic()
    if row.boot == boot():
        return now - float(row.ticks) if now >= row.ticks else math.inf
    if connection.dialect.name != "postgresql":
        return math.inf
    return server_time(connection) - float(row.heard)  # on another machine that shares these tables


def is_heard(connection: Connection, row: Any) -> bool:
    """Whether the worker of that run was heard of lately enough to be at it."""
    return silent(connection, row) <= STALE_AFTER


def playing(connection: Connection, person: str | None = None) -> int:
    """How many runs are being played on this machine; of a person, on all that share these tables."""
    mine = runs.c.boot == boot() if person is None else runs.c.person == person
    asked = sa.select(runs.c.boot, runs.c.ticks, runs.c.heard).where((runs.c.state == "running") & mine)
    return sum(is_heard(connection, row) for row in connection.execute(asked))


def _has_share(connection: Connection, person: str) -> bool:
    """Whether as many runs of that person are being played as one person may have; nobody's have no limit."""
    return bool(person) and playing(connection, person) >= people.RUNNING


def last_beats(home: Path) -> dict[Path, tuple[str, float]]:
    """When the worker of each run that is being played was last heard of, by the clock of its machine."""
    asked = sa.select(runs.c.audit, runs.c.id, runs.c.boot, runs.c.ticks).where(runs.c.state == "running")
    with database(home).read() as connection:
        return {
            home / "audits" / row.audit / "runs" / row.id: (str(row.boot), float(row.ticks))
            for row in connection.execute(asked)
        }


# --------------------------------------------------------------------------------------------------------------
# Taking it, and writing to it


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a run, until somebody claims it anew."""

    base: Database
    number: int
    token: int
    run: str

    @property
    def _mine(self) -> sa.ColumnElement[bool]:
        return (runs.c.number == self.number) & (runs.c.token == self.token)

    def hold(self, connection: Connection, **changed: Any) -> None:
        """Change the run within a transaction, or end it with :class:`LeaseLost`: all else in it is undone too."""
        if connection.execute(runs.update().where(self._mine).values(**changed)).rowcount != 1:
            raise LeaseLost(LOST)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection to write with, as long as the run is this worker's; else :class:`LeaseLost`, and nothing is."""
        with self.base.write() as connection:
            if connection.scalar(sa.select(runs.c.number).where(self._mine).with_for_update()) is None:
                raise LeaseLost(LOST)
            yield connection

    def beat(self, now: Progress | None) -> bool:
        """Say that the worker is alive and how far it is; True where somebody wants it to stop.

        Raises
        ------
        LeaseLost
            The run was taken over, or deleted.
        """
        with self.base.write() as connection:
            self.hold(connection, **beat(connection), **_far(now))
            return self._is_to_stop(connection)

    def is_to_stop(self) -> bool:
        """Whether somebody wants the run to stop; nothing is written."""
        with self.base.read() as connection:
            return self._is_to_stop(connection)

    def _is_to_stop(self, connection: Connection) -> bool:
        return bool(connection.scalar(sa.select(runs.c.cancel).where(runs.c.number == self.number)))

    def end(self, state: str, text: str, now: Progress | None = None, error: str | None = None) -> None:
        """Give the run up in that state, with a line for its log."""
        with self.base.write() as connection:
            self.hold(connection, state=state, error=error and as_text(error), token=self.token + 1, **_far(now))
            note(connection, self.number, text)

    def finish(self, result: bytes, seconds: float, now: Progress | None) -> None:
        """Keep the result; from here on nobody plays this run again."""
        far = {} if now is None else {"done": now.total, "total": now.total}
        with self.base.write() as connection:
            asked = connection.scalar(sa.select(runs.c.asked).where(runs.c.number == self.number))
            self.hold(
                connection,
                state="finished",
                result=result,
                result_sha=seal(self.run, asked or b"", result),
                seconds=seconds,
                error=None,
                finished=time.time(),
                seconds_left=None,
                token=self.token + 1,
                **far,
            )
            note(connection, self.number, "Finished.")


def _far(now: Progress | None) -> dict[str, Any]:
    """What is kept of how far a run is."""
    if now is None:
        return {}
    left = None if now.seconds_left is None else round(now.seconds_left, 1)
    return {"stage": as_text(now.stage), "done": now.done, "total": now.total, "seconds_left": left}


def claim(path: Path, at_once: int | None = None) -> Lease | None:
    """The lease of a run that is waiting or was interrupted; None where it is neither, or so many are being played."""
    base, audit, name = place(path)
    with base.write() as connection:
        row = row_of(connection, audit, name, lock=True)
        if row is None or row.state not in ("queued", "running", "interrupted") or row.cancel:
            return None
        if row.state == "running" and is_heard(connection, row):
            return None
        most = AT_ONCE if at_once is None else at_once
        if playing(connection) >= most or _has_share(connection, str(row.person)):
            return None
        lease = Lease(base, row.number, row.token + 1, name)
        connection.execute(
            runs.update()
            .where((runs.c.number == row.number) & (runs.c.token == row.token))
            .values(token=lease.token, state="running", stage=as_text(READING), error=None, **beat(connection))
        )
        note(connection, row.number, "A worker has begun." if row.state == "queued" else "A worker has taken it up.")
    return lease


def waiting(home: Path, *, interrupted: bool = False, besides: Collection[str] = ()) -> Path | None:
    """The run that waits longest for its turn, ``interrupted`` ones of dead workers too; None where none waits."""
    with database(home).read() as connection:
        rows = connection.execute(
            sa.select(runs.c.audit, runs.c.id, runs.c.state, runs.c.boot, runs.c.ticks, runs.c.heard, runs.c.person)
            .where(runs.c.state.in_(("queued", "running", "interrupted")) & (runs.c.cancel == 0))
            .order_by(runs.c.created, runs.c.number)
        ).all()
        for row in rows:
            path = home / "audits" / str(row.audit) / "runs" / str(row.id)
            is_dead = interrupted and (row.state == "interrupted" or not is_heard(connection, row))
            if (row.state != "queued" and not is_dead) or not path.parents[1].is_dir() or str(path) in besides:
                continue
            if not _has_share(connection, str(row.person)):
                return path
    return None
