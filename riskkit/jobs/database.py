"""The tables that audits are kept in, and the one way to read and write them: SQLite, or PostgreSQL by its address.

``RISKKIT_STORE=postgresql+psycopg://user@host/name`` keeps them on a server; without it they are in ``store.db`` of the
home folder. Uploaded tables are Parquet files in the folders of their audits either way. On SQLite every commit is on
the disk before it counts (WAL, FULL), and what is deleted is overwritten. WAL needs a disk of this machine, no network
folder.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import Connection, Engine

from riskkit.errors import DiskFull, StoreError
from riskkit.jobs.codec import seal, sha
from riskkit.phrases import phrase

SCHEMA = 4
"""The version of the tables below."""
UPGRADES = {"1": ("ALTER TABLE runs ADD COLUMN person VARCHAR(64) NOT NULL DEFAULT ''",), "2": (), "3": ()}
"""What brings the tables of an older version to this one; tables that are new are made beside them, and what these
versions kept of runs is sealed."""
BUSY_SECONDS = 60
SPARE_BYTES = 1 << 20
"""Room kept free by a file of that size, so that a full disk leaves enough to say that it is full."""
FULL = ("disk is full", "no space left", "disk full", "could not extend")
TOO_BIG = phrase(
    "A file of the place where audits are kept could not be written, though its disk is not full. Most likely "
    "this process may not write files as large (ulimit -f), or the disk fails. Correct that, then go on; what is "
    "done is kept."
)
EMPTIED = phrase(
    "The file in which audits are kept (store.db) is empty, though the folders of audits are "
    "there: it was cut off. Put a copy of it back, or remove it and load the files again: the "
    "same settings give the same numbers."
)
DAMAGED = ("malformed", "not a database", "disk i/o error", "could not decode", "corrupt", "constraint")


class Blob(sa.LargeBinary):
    """Bytes as they are; a damaged cell may hold anything else, and whoever reads it finds out."""

    cache_ok = True

    def result_processor(self, dialect: Any, coltype: Any) -> None:  # noqa: ARG002
        """Hand over what is there."""
        return


metadata = sa.MetaData()
about = sa.Table(
    "about",
    metadata,
    sa.Column("key", sa.String(40), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
audits = sa.Table(
    "audits",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("created", sa.String(40), nullable=False),
    sa.Column("saved", sa.Double, nullable=False),
    sa.Column("facts", Blob, nullable=False),
    sa.Column("sha", Blob, nullable=False),
)
runs = sa.Table(
    "runs",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("audit", sa.ForeignKey("audits.id", ondelete="CASCADE"), nullable=False),
    sa.Column("id", sa.String(32), nullable=False),
    sa.Column("asked", Blob, nullable=False),
    sa.Column("asked_sha", Blob, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("token", sa.Integer, nullable=False, default=0),
    sa.Column("boot", sa.String(80), nullable=False, default=""),
    sa.Column("ticks", sa.Double, nullable=False, default=0.0),
    sa.Column("heard", sa.Double, nullable=False, default=0.0),
    sa.Column("cancel", sa.Integer, nullable=False, default=0),
    sa.Column("stage", sa.Text, nullable=False, default=""),
    sa.Column("done", sa.Integer, nullable=False, default=0),
    sa.Column("total", sa.Integer, nullable=False, default=0),
    sa.Column("seconds_left", sa.Double),
    sa.Column("error", sa.Text),
    sa.Column("seconds", sa.Double, nullable=False, default=0.0),
    sa.Column("finished", sa.Double),
    sa.Column("result", Blob),
    sa.Column("result_sha", Blob),
    sa.Column("person", sa.String(64), nullable=False, server_default=""),
    sa.UniqueConstraint("audit", "id"),
)
units = sa.Table(
    "units",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("call", sa.Integer, primary_key=True),
    sa.Column("unit", sa.Integer, primary_key=True),
    sa.Column("sha", Blob, nullable=False),
    sa.Column("payload", Blob, nullable=False),
)
parts = sa.Table(
    "parts",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("sha", sa.String(64), primary_key=True),
    sa.Column("payload", Blob, nullable=False),
)
trainings = sa.Table(
    "trainings",
    metadata,
    sa.Column("audit", sa.ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("made", sa.Double, nullable=False, default=time.time),
    sa.Column("sha", Blob, nullable=False),
    sa.Column("payload", Blob, nullable=False),
)
events = sa.Table(
    "events",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.ForeignKey("runs.number", ondelete="CASCADE"), index=True),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
)
journal = sa.Table(
    "journal",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("who", sa.Text, nullable=False),
    sa.Column("act", sa.String(40), nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("sha", Blob, nullable=False),
)
people = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("left", sa.Double, nullable=False, server_default="0"),
)
holders = sa.Table(
    "holders",
    metadata,
    sa.Column("audit", sa.ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.String(64), primary_key=True),
    sa.Column("owns", sa.Integer, nullable=False),
)


FRESH = 1.0
"""Seconds for which an answer within :func:`glance` counts."""
_SEEN: ContextVar[dict[Hashable, tuple[float, Any]] | None] = ContextVar("riskkit_seen", default=None)
T = TypeVar("T")


@contextmanager
def glance() -> Iterator[None]:
    """Within this block what was read a moment ago is not read again, until this thread writes.

    A page asks dozens of times how its runs stand and what its audit holds, and all of it within the same quarter of a
    second. Whether somebody may look is asked every time, by whoever calls :func:`look_up`.
    """
    token = None if _SEEN.get() is not None else _SEEN.set({})
    try:
        yield
    finally:
        if token is not None:
            _SEEN.reset(token)


def look_up(key: Hashable, read: Callable[[], T]) -> T:
    """What ``read`` returns, which nobody may change; ``key`` names the store and the question to it."""
    known = _SEEN.get()
    if known is None:
        return read()
    now = time.monotonic()
    if key not in known or now - known[key][0] > FRESH:
        known[key] = (now, read())
    value: T = known[key][1]
    return value


@dataclass(frozen=True, slots=True)
class Database:
    """The tables at one address."""

    engine: Engine
    spare: Path

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection to look with: one picture of the tables, however others write meanwhile."""
        with explain_errors(self.disk), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection to write with; all of it counts when the block is left, or nothing does. One writer at once."""
        try:
            with (
                explain_errors(self.disk),
                self.engine.connect().execution_options(writes=True) as connection,
                connection.begin(),
            ):
                yield connection
        finally:
            (_SEEN.get() or {}).clear()

    def compact(self) -> bool:
        """Give the room of deleted rows back to the disk; False where somebody was in the way for long."""
        how: dict[str, Any] = {"alone": True} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        try:
            with self.engine.connect().execution_options(**how) as connection:
                connection.exec_driver_sql("VACUUM" if self.is_sqlite else "VACUUM units, parts, runs, audits")
                if self.is_sqlite:
                    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        except exc.DBAPIError:
            return False
        return True

    @property
    def is_sqlite(self) -> bool:
        """Whether the tables are in a file of this machine."""
        return self.engine.dialect.name == "sqlite"

    def keep_spare(self) -> None:
        """Set room aside for a full disk; raises :class:`DiskFull` where there is none to set aside."""
        if self.spare.exists() and self.spare.stat().st_size == SPARE_BYTES:
            return
        with explain_errors(self.spare.parent, SPARE_BYTES):
            self.spare.write_bytes(bytes(SPARE_BYTES))

    @property
    def disk(self) -> Path | None:
        """A folder of the disk that the tables are on; None where that is not of this machine."""
        return self.spare.parent if self.is_sqlite else None

    def use_spare(self) -> None:
        """Give the room that was set aside to what must be written now."""
        self.spare.unlink(missing_ok=True)


@contextmanager
def explain_errors(folder: Path | None = None, size: int = SPARE_BYTES) -> Iterator[None]:
    """Turn what a database or a disk says into a sentence; ``folder`` is on that disk, ``size`` bytes were wanted."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(full(folder, size)) from error
        if error.errno == errno.EFBIG:
            raise StoreError(TOO_BIG) from error
        raise
    except exc.DBAPIError as error:
        if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_IOERR_WRITE":
            raise StoreError(TOO_BIG) from error
        raise _error(str(error.orig).lower(), folder, size) from error


def full(folder: Path | None, size: int) -> str:
    """The sentence on a full disk: how much is free where that can be told, and how much is wanted at least."""
    if folder is not None:
        with suppress(OSError):
            free, wanted = shutil.disk_usage(folder).free, max(size, SPARE_BYTES)
            if free < wanted:  # else a quota is used up, and nobody says how much is left of it
                return phrase(
                    "The disk where audits are kept is full: {free} MB are free, and at least {wanted} MB are needed. "
                    "Make room on it, then go on.",
                    free=megabytes(free, math.floor),
                    wanted=megabytes(wanted),
                )
    return phrase("The disk where audits are kept is full. Make room on it, then go on.")


def megabytes(size: float, towards: Callable[[float], int] = math.ceil) -> str:
    """That many bytes in MB, with one decimal."""
    return f"{towards(size / 1e5) / 10:,.1f}"


def _error(text: str, folder: Path | None, size: int) -> StoreError:
    if any(sign in text for sign in FULL):
        return DiskFull(full(folder, size))
    if any(sign in text for sign in DAMAGED):
        return StoreError.phrase(
            "The file in which audits are kept is damaged. Put a copy of it back, or move it away and "
            "load the files again: the same settings give the same numbers."
        )
    if "locked" in text or "busy" in text:
        return StoreError.phrase("The place where audits are kept is busy. Try again in a moment.")
    return StoreError.phrase("The place where audits are kept cannot be reached. Check RISKKIT_STORE and its server.")


def database(home: Path) -> Database:
    """The tables of that home folder, or those that ``RISKKIT_STORE`` names; made where they are not there yet.

    Raises
    ------
    StoreError
        They were written by another version, are damaged, or cannot be reached.
    """
    named = os.environ.get("RISKKIT_STORE", "")
    return look_up(("database", home, named), lambda: _open(home, named))


def _open(home: Path, named: str) -> Database:
    url = named or f"sqlite:///{home.resolve() / 'store.db'}"
    made = Database(_engine(url), home / "spare")
    _prepare(made, url)
    return made


@cache
def _engine(url: str) -> Engine:
    try:
        engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    except (exc.ArgumentError, exc.NoSuchModuleError, ModuleNotFoundError) as error:
        raise StoreError.phrase(
            "RISKKIT_STORE is no address of a database riskkit can use, or the driver it names is not "
            "installed (pip install psycopg[binary] for postgresql+psycopg://...)."
        ) from error
    if engine.dialect.name == "sqlite":
        path = Path(str(engine.url.database))
        sa.event.listen(engine, "connect", lambda raw, record: _set_up(raw, record, path))
        sa.event.listen(engine, "checkout", lambda _, record, __: _still_there(record, path))
        sa.event.listen(engine, "begin", _begin)
    return engine


def _set_up(raw: Any, record: Any, path: Path) -> None:
    """Every connection to SQLite: safe before it is fast. Transactions begin where ``_begin`` says so."""
    raw.isolation_level = None
    for pragma in (
        f"busy_timeout={BUSY_SECONDS * 1000}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "secure_delete=ON",
        "foreign_keys=ON",
        "cell_size_check=ON",
    ):
        raw.execute(f"PRAGMA {pragma}").close()
    record.info["file"] = path.stat().st_ino


def _still_there(record: Any, path: Path) -> None:
    """A connection to a file that somebody has removed writes into nothing: open the one that is there now."""
    try:
        here = path.stat().st_ino
    except FileNotFoundError:
        here = None
    if record.info.get("file") != here:
        raise exc.DisconnectionError


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("alone"):  # VACUUM is no part of a transaction
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")


_PREPARED: set[tuple[str, int]] = set()


def _prepare(made: Database, url: str) -> None:
    """Make the tables once, bring those of an older version to this one, and refuse all others."""
    path = Path(str(made.engine.url.database)) if made.is_sqlite else None
    mark = (url, path.stat().st_ino if path is not None and path.exists() else 0)
    if mark in _PREPARED:
        return
    if path is not None and path.exists() and path.stat().st_size == 0 and any(path.parent.glob("audits/*")):
        raise StoreError(EMPTIED)
    with made.write() as connection:
        if not made.is_sqlite:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(72475)")  # two processes make them at once
        about.create(connection, checkfirst=True)
        known = connection.scalar(sa.select(about.c.value).where(about.c.key == "schema"))
        if known not in (None, *UPGRADES, str(SCHEMA)):
            raise StoreError.phrase(
                "The audits kept here were written by another version of riskkit (tables of version {known}, "
                "this one knows {own}). Use that version, or name another folder in RISKKIT_HOME.",
                known=str(known),
                own=SCHEMA,
            )
        for step in UPGRADES.get(str(known), ()):
            connection.exec_driver_sql(step)
        metadata.create_all(connection)
        if known in UPGRADES:
            _seal(connection)
        if known != str(SCHEMA):
            connection.execute(about.delete().where(about.c.key == "schema"))
            connection.execute(about.insert().values(key="schema", value=str(SCHEMA)))
    _PREPARED.add((url, path.stat().st_ino if path is not None else 0))


def _seal(connection: Connection) -> None:
    """Seal what an older version kept of runs by hashes of the bytes alone, which hold beside any run.

    What does not fit its older hash is left as it is: it was altered, and is refused as that.
    """
    for number in connection.scalars(sa.select(runs.c.number)).all():  # a result may be large: one at a time
        mine = runs.c.number == number
        row = connection.execute(sa.select(runs).where(mine)).one()
        if not isinstance(row.asked, bytes) or sha(row.asked) != row.asked_sha:
            continue
        marks = {"asked_sha": seal(row.id, row.asked)}
        if isinstance(row.result, bytes) and sha(row.result) == row.result_sha:
            marks["result_sha"] = seal(row.id, row.asked, row.result)
        connection.execute(runs.update().where(mine).values(**marks))
