"""Who may write to a run: the worker that holds its lease, and nobody else.

A claim raises the token of the run. Every write names the token it was claimed with and does nothing where another
claim came in between, so of two workers that both believe a run is theirs only the later one writes.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.errors import LeaseLost
from riskkit.jobs import people
from riskkit.jobs.codec import seal
from riskkit.jobs.database import Database, database, events, runs
from riskkit.jobs.machine import Beat
from riskkit.jobs.pool import Progress
from riskkit.phrases import as_text, phrase

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


def note(connection: Connection, number: int | None, text: str) -> None:
    """Write a line into the log of a run, or of the store; never a cell's value."""
    moment = datetime.now(UTC).isoformat(sep=" ", timespec="seconds").replace("+00:00", " UTC")
    connection.execute(events.insert().values(run=number, at=moment, text=text))


def server_time(connection: Connection) -> float:
    """The time of whoever keeps the tables: one clock for all machines that share them."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.scalar(sa.text("SELECT extract(epoch FROM clock_timestamp())::float8")) or 0.0)


def silent(connection: Connection, row: Any) -> float:
    """Seconds since the worker of that run was last heard of."""
    own = Beat(row.boot, row.ticks).silent()
    if own != float("inf") or connection.dialect.name != "postgresql":
        return own
    if row.boot == Beat.now().boot:
        return own
    return server_time(connection) - float(row.heard)  # on another machine that shares these tables


def beaten(connection: Connection) -> dict[str, Any]:
    """What a beat writes."""
    beat = Beat.now()
    return {"boot": beat.boot, "ticks": beat.ticks, "heard": server_time(connection)}


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a run, until somebody claims it anew."""

    base: Database
    number: int
    token: int
    run: str

    def beat(self, now: Progress | None) -> bool:
        """Say that the worker is alive and how far it is; True where somebody wants it to stop.

        Raises
        ------
        LeaseLost
            The run was taken over, or deleted.
        """
        far: dict[str, Any] = {}
        if now is not None:
            left = None if now.seconds_left is None else round(now.seconds_left, 1)
            far = {"stage": as_text(now.stage), "done": now.done, "total": now.total, "seconds_left": left}
        with self.base.write() as connection:
            self.hold(connection, **beaten(connection), **far)
            return bool(connection.scalar(sa.select(runs.c.cancel).where(runs.c.number == self.number)))

    def is_to_stop(self) -> bool:
        """Whether somebody wants the run to stop; nothing is written."""
        with self.base.read() as connection:
            return bool(connection.scalar(sa.select(runs.c.cancel).where(runs.c.number == self.number)))

    def hold(self, connection: Connection, **changed: Any) -> None:
        """Change the run within a transaction, or end it with :class:`LeaseLost`: all else in it is undone too."""
        mine = (runs.c.number == self.number) & (runs.c.token == self.token)
        if connection.execute(runs.update().where(mine).values(**changed)).rowcount != 1:
            raise LeaseLost(LOST)

    def guard(self, connection: Connection) -> None:
        """Make sure within a transaction that the run is still this worker's until the transaction ends."""
        mine = (runs.c.number == self.number) & (runs.c.token == self.token)
        if connection.scalar(sa.select(runs.c.number).where(mine).with_for_update()) is None:
            raise LeaseLost(LOST)

    def end(self, state: str, text: str, now: Progress | None = None, error: str | None = None) -> None:
        """Give the run up in that state, with a line for its log."""
        far: dict[str, Any] = {}
        if now is not None:  # what was left is told of a run that can go on
            far = {"stage": as_text(now.stage), "done": now.done, "total": now.total, "seconds_left": now.seconds_left}
        with self.base.write() as connection:
            self.hold(connection, state=state, error=error and as_text(error), token=self.token + 1, **far)
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


def claim(path: Path, stale_after: float, at_once: int | None = None) -> Lease | None:
    """The lease of a run that is waiting or was interrupted; None where it is neither, or so many are being played."""
    base, audit, name = place(path)
    with base.write() as connection:
        row = connection.execute(
            sa.select(runs).where((runs.c.audit == audit) & (runs.c.id == name)).with_for_update()
        ).one_or_none()
        if row is None or row.state not in ("queued", "running", "interrupted") or row.cancel:
            return None
        if row.state == "running" and silent(connection, row) <= stale_after:
            return None
        if playing(connection, stale_after) >= (AT_ONCE if at_once is None else at_once) or has_share(
            connection, str(row.person), stale_after
        ):
            return None
        token = row.token + 1
        connection.execute(
            runs.update()
            .where((runs.c.number == row.number) & (runs.c.token == row.token))
            .values(token=token, state="running", stage=as_text(READING), error=None, **beaten(connection))
        )
        note(connection, row.number, "A worker has begun." if row.state == "queued" else "A worker has taken it up.")
    return Lease(base, row.number, token, name)


def playing(connection: Connection, stale_after: float) -> int:
    """How many runs are being played on this machine."""
    boot = Beat.now().boot
    beats = connection.execute(
        sa.select(runs.c.boot, runs.c.ticks).where((runs.c.state == "running") & (runs.c.boot == boot))
    )
    return sum(Beat(row.boot, row.ticks).silent() <= stale_after for row in beats)


def has_share(connection: Connection, person: str, stale_after: float) -> bool:
    """Whether as many runs of that person are being played as one person may have; nobody's have no limit."""
    if not person:
        return False
    mine = connection.execute(sa.select(runs).where((runs.c.state == "running") & (runs.c.person == person)))
    return sum(silent(connection, row) <= stale_after for row in mine) >= people.RUNNING


def last_beats(home: Path) -> dict[Path, tuple[str, float]]:
    """When the worker of each run that is being played was last heard of, by the clock of its machine."""
    with database(home).read() as connection:
        rows = connection.execute(
            sa.select(runs.c.audit, runs.c.id, runs.c.boot, runs.c.ticks).where(runs.c.state == "running")
        )
        return {home / "audits" / row.audit / "runs" / row.id: (str(row.boot), float(row.ticks)) for row in rows}


def waiting(home: Path, stale_after: float, *, interrupted: bool = False, besides: Collection[str] = ()) -> Path | None:
    """The run that waits longest for its turn, ``interrupted`` ones of dead workers too; None where none waits."""
    with database(home).read() as connection:
        rows = connection.execute(
            sa.select(runs.c.audit, runs.c.id, runs.c.state, runs.c.boot, runs.c.ticks, runs.c.heard, runs.c.person)
            .where(runs.c.state.in_(("queued", "running", "interrupted")) & (runs.c.cancel == 0))
            .order_by(runs.c.created, runs.c.number)
        ).all()
        for row in rows:
            path = home / "audits" / str(row.audit) / "runs" / str(row.id)
            dead = interrupted and (row.state == "interrupted" or silent(connection, row) > stale_after)
            if (row.state != "queued" and not dead) or not path.parents[1].is_dir() or str(path) in besides:
                continue
            if not has_share(connection, str(row.person), stale_after):
                return path
    return None
