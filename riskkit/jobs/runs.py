"""One run: rows that the page reads and the worker writes; its folder holds nothing but what libraries had to say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.base import places, process
from riskkit.errors import DesignError, StoreError
from riskkit.jobs import journal, people
from riskkit.jobs.codec import seal
from riskkit.jobs.database import Database, audits, events, look_up, parts, runs, units
from riskkit.jobs.files import AuditFiles, dump
from riskkit.jobs.leases import beat, is_heard, note, place, playing, row_of, silent
from riskkit.jobs.machine import ONE_THREAD, environment
from riskkit.phrases import from_text, phrase_hook
from riskkit.plans import Plan

BEGIN_WITHIN = 120.0
"""Seconds that a process has to come up in and begin; on a busy machine a new Python takes its time."""
STATES = ("queued", "running", "paused", "interrupted", "finished", "failed", "cancelled")
LIVE = ("queued", "running")
STOPPED = ("paused", "interrupted", "failed", "cancelled")
"""States from which a run can go on."""


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


def read_request(row: Any) -> dict[str, Any] | None:
    """What was asked for, or None where it was altered since it was written, or is what another run was asked for."""
    if not isinstance(row.asked, bytes) or seal(row.id, row.asked) != row.asked_sha:
        return None
    asked: dict[str, Any] = json.loads(row.asked)
    return asked


def question_in(asked: Any) -> str:
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


@dataclass(frozen=True, slots=True)
class Run:
    """One plan being played, or played."""

    path: Path

    @property
    def id(self) -> str:
        """The hash of plan and data."""
        return self.path.name

    def _row(self, *columns: Any) -> Any:
        base, audit, name = place(self.path)

        def read() -> Any:
            with base.read() as connection:
                return row_of(connection, audit, name, *columns)

        return look_up((self.path, columns), read)

    @property
    def exists(self) -> bool:
        """Whether it was ever started."""
        return self._row(runs.c.number) is not None

    @property
    def request(self) -> dict[str, Any]:
        """What was asked for: question, plan, workers, revision, environment.

        Raises
        ------
        DesignError
            It was never started, or deleted.
        StoreError
            What is kept was altered.
        """
        row = self._row(runs.c.id, runs.c.asked, runs.c.asked_sha)
        if row is None:
            raise DesignError.phrase("There is no such run here; it may have been deleted.")
        asked = read_request(row)
        if asked is None:
            raise StoreError.phrase(
                "The settings of this run were altered on the disk, so it cannot be used. Start it anew."
            )
        return asked

    @property
    def question(self) -> str:
        """Which question it answers."""
        return str(self.request["question"])

    @property
    def workers(self) -> int:
        """Processes that train side by side."""
        return int(self.request["workers"])

    @property
    def revision(self) -> str:
        """Which data it was started on."""
        return str(self.request["revision"])

    @property
    def start_time(self) -> float:
        """When it was started or resumed last, in seconds since 1970."""
        row = self._row(runs.c.created)
        return 0.0 if row is None else float(row.created)

    def settings(self) -> dict[str, Any]:
        """Everything its numbers depend on, by name: two runs with equal settings give equal numbers."""
        asked = self.request
        return {
            "question": self.question,
            **asked["plan"],
            "data": str(asked["revision"])[:12],
            "made by": asked.get("environment", "an earlier version"),
        }

    def log(self) -> list[str]:
        """What happened to it, oldest first: the time (UTC) and a sentence."""
        row = self._row(runs.c.number)
        if row is None:
            return []
        base, _, _ = place(self.path)
        with base.read() as connection:
            lines = connection.execute(
                sa.select(events.c.at, events.c.text).where(events.c.run == row.number).order_by(events.c.number)
            )
            return [f"{line.at} · {line.text}" for line in lines]

    # ----------------------------------------------------------------------------------------------------------
    # Starting and going on

    def queue(self, plan: Plan, workers: int, data: str) -> bool:
        """Put it in the queue, where whoever plays runs finds it; False where it is there, or has finished."""
        asked = {"question": plan.question, "plan": plan.as_dict(), "workers": workers, "revision": data}
        return self._queue({**asked, "environment": environment()})

    def resume(self, workers: int | None = None) -> None:
        """Go on where it stopped; nothing that is done is done again.

        Raises
        ------
        DesignError
            It cannot go on: it is being played or has finished, its files or columns were changed since, or another
            version of riskkit or of a library began it. The same settings can be started anew then.
        """
        asked, state = self.request, self.state
        if state not in STOPPED:
            raise DesignError.phrase("This run is {state}, so there is nothing to resume.", state=state)
        if AuditFiles(self.path.parents[1]).revision != asked["revision"]:
            raise DesignError.phrase(
                "The files or the columns were changed since this run began, so it cannot go on: half of its "
                "numbers would be about other data. Put them back as they were, or start it anew."
            )
        if asked.get("environment") != environment():
            raise DesignError.phrase(
                "Another version of riskkit, Python or a library began this run, so it cannot go on: one "
                "result is never made by two versions. Start it anew."
            )
        if self._queue({**asked, "workers": workers or asked["workers"]}):
            self.spawn()

    def _queue(self, asked: dict[str, Any]) -> bool:
        """Put it in the queue; False where it is there already, or needs nothing more."""
        base, audit, name = place(self.path)
        base.keep_spare()
        with base.write() as connection:
            if connection.scalar(sa.select(audits.c.id).where(audits.c.id == audit).with_for_update()) is None:
                raise DesignError.phrase("There is no such audit here; it may have been deleted.")
            row = row_of(connection, audit, name)
            state = None if row is None else self._effective(connection, row)
            if state in LIVE or (state == "finished" and whole_result(row) is not None):
                return False
            person = people.acting()
            if person is not None and person.id:
                self._share(connection, person.id)
            kept = dump(asked)
            now = {
                "asked": kept,
                "asked_sha": seal(name, kept),
                "state": "queued",
                "cancel": 0,
                "error": None,
                "result": None,
                "result_sha": None,
                "finished": None,
                "created": time.time(),
                "person": person.id if person else "",
                **beat(connection),
            }
            if row is None:
                number = connection.execute(
                    runs.insert().values(audit=audit, id=name, token=1, **now)
                ).inserted_primary_key[0]  # type: ignore[index]
                note(connection, number, f"Started by {asked['environment']}.")
                journal.record(connection, "started", audit=audit, run=name, question=asked["question"])
                return True
            connection.execute(runs.update().where(runs.c.number == row.number).values(token=row.token + 1, **now))
            self._keep_or_forget(connection, row, asked)
            journal.record(connection, "resumed", audit=audit, run=name, question=asked["question"])
        return True

    def _share(self, connection: Connection, person: str) -> None:
        """Refuse somebody who has as many runs going on and waiting as one person may have."""
        mine = connection.execute(sa.select(runs).where((runs.c.person == person) & runs.c.state.in_(LIVE)))
        live = sum(self._effective(connection, row) in LIVE for row in mine)
        if live >= people.RUNNING + people.WAITING:
            raise DesignError.phrase(
                "You have {live} runs going on or waiting, which is as many as one person may have here "
                "({running} and {waiting}). Wait until one has ended, or cancel one.",
                live=live,
                running=people.RUNNING,
                waiting=people.WAITING,
            )

    def _keep_or_forget(self, connection: Connection, row: Any, asked: dict[str, Any]) -> None:
        """Units of the same code and libraries are used again; units of others are not mixed with new ones."""
        count = connection.scalar(sa.select(sa.func.count()).where(units.c.run == row.number))
        begun = read_request(row)
        if begun is not None and begun.get("environment") == asked["environment"]:
            note(connection, row.number, f"Resumed; {count:,} kept results are used again.")
            return
        for table in (units, parts):
            connection.execute(table.delete().where(table.c.run == row.number))
        connection.execute(runs.update().where(runs.c.number == row.number).values(done=0, total=0))
        note(connection, row.number, f"Started anew by {asked['environment']}; {count:,} older results are dropped.")

    def spawn(self) -> None:
        """Start a worker's process for it."""
        process = self.launch()
        # Somebody has to wait for a child, or it stays in the process table when it has ended.
        threading.Thread(target=process.wait, daemon=True).start()

    def launch(self, *, alone: bool = False) -> subprocess.Popen[bytes]:
        """A worker's process for it, for no other run where ``alone``; whoever calls this waits for its end."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "riskkit", "work", str(self.path), *(["--alone"] if alone else [])],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=places.project(),
                env={**process.quick(os.environ), **ONE_THREAD},
                start_new_session=True,
            )

    # ----------------------------------------------------------------------------------------------------------
    # How it stands

    def _effective(self, connection: Connection, row: Any) -> str:
        """The state, told from the heartbeat where a worker should be at it."""
        state = str(row.state)
        if state not in LIVE:
            return state if state in STATES else "interrupted"
        if is_heard(connection, row):
            return state
        # A process may still come up for a run that waits, or it waits behind others.
        if state == "queued" and (silent(connection, row) <= BEGIN_WITHIN or playing(connection) > 0):
            return state
        return "cancelled" if row.cancel else "interrupted"

    @property
    def progress(self) -> dict[str, Any]:
        """State, stage, units done and in all, seconds left; ``error`` where it failed or was paused."""
        base, audit, name = place(self.path)
        return dict(look_up((self.path, "progress"), lambda: self._progress(base, audit, name)))

    def _progress(self, base: Database, audit: str, name: str) -> dict[str, Any]:
        with base.read() as connection:
            row = row_of(connection, audit, name, *SHOWN)
            if row is None:
                return {"state": "new"}
            known: dict[str, Any] = {"state": self._effective(connection, row), "done": row.done, "total": row.total}
        known |= {"stage": from_text(row.stage)} if known["state"] in LIVE else {}
        known |= {"seconds_left": row.seconds_left} if known["state"] in (*LIVE, *STOPPED) else {}
        return known | ({"error": from_text(row.error)} if row.error else {})

    @property
    def state(self) -> str:
        """new, queued, running, paused, interrupted, finished, failed or cancelled."""
        return str(self.progress["state"])

    def cancel(self) -> None:
        """Have it stopped; a worker that is at it stops within a few seconds, and what is done stays."""
        base, audit, name = place(self.path)
        with base.write() as connection:
            row = row_of(connection, audit, name, *SHOWN, runs.c.token, lock=True)
            if row is None or row.state in ("finished", "cancelled") or row.cancel:
                return
            alone = row.state != "running" or self._effective(connection, row) != "running"
            ended = {"state": "cancelled", "token": row.token + 1} if alone else {}
            connection.execute(runs.update().where(runs.c.number == row.number).values(cancel=1, **ended))
            note(connection, row.number, "Cancelled by the user.")
            journal.record(connection, "cancelled", audit=audit, run=name)

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked it to stop, or deleted the audit."""
        row = self._row(runs.c.cancel)
        return row is None or bool(row.cancel)

    @property
    def result_bytes(self) -> bytes:
        """The JSON that a finished run found, byte for byte the same whenever and wherever it is played.

        Raises
        ------
        StoreError
            There is none, or it was altered since, or is that of another run or plan.
        """
        row = self._row(runs.c.id, runs.c.asked, runs.c.result, runs.c.result_sha)
        if row is None or row.result is None:
            raise StoreError.phrase("This run has no result; it may have been deleted. Start it again.")
        result = whole_result(row)
        if result is None:
            raise StoreError.phrase(
                "The result of this run was altered on the disk since it was written, so it is not shown. "
                "Start it again: results of its units that are whole are used, and the numbers will be the "
                "same."
            )
        return result

    @property
    def result(self) -> dict[str, Any]:
        """What a finished run found: the JSON of the command line, the scores for the charts, the seconds it took."""
        result: dict[str, Any] = json.loads(self.result_bytes, object_hook=phrase_hook)
        row = self._row(runs.c.seconds)
        return {**result, "seconds": 0.0 if row is None else row.seconds}
