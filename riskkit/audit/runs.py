"""One run: a folder that the page reads and the worker writes.

::

    runs/<run id>/plan.json  state.json  beat  cancel  result.json  log
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskkit.audit.plan import MembershipPlan
from riskkit.audit.questions import Plan, question

STALE_AFTER = 15.0
"""Seconds without a heartbeat after which a run counts as interrupted; the worker beats every second."""
_SETTLED = ("queued", "running", "finished")


def write_json(path: Path, value: Any) -> None:
    """Write all of it or nothing: a reader never sees half a file."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with scratch.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, sort_keys=True, indent=1)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def read_json(path: Path) -> Any:
    """What :func:`write_json` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def fingerprint(value: Any) -> str:
    """The SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """One plan being played, or played."""

    path: Path

    @property
    def id(self) -> str:
        """The hash of plan and data."""
        return self.path.name

    @property
    def question(self) -> str:
        """Which question it answers."""
        return str(read_json(self.path / "plan.json").get("question", MembershipPlan.question))

    @property
    def plan(self) -> Any:
        """What is played: the plan of its question.

        Raises
        ------
        RiskkitError
            This version does not know the question, or a plug-in of the plan.
        """
        return question(self.question).plan.from_dict(read_json(self.path / "plan.json")["plan"])

    @property
    def unit(self) -> str:
        """What its progress counts, in the singular."""
        return str(question(self.question).plan.unit)

    @property
    def workers(self) -> int:
        """Processes that train side by side."""
        return int(read_json(self.path / "plan.json")["workers"])

    @property
    def revision(self) -> str:
        """Which data it was started on."""
        return str(read_json(self.path / "plan.json")["revision"])

    def start(self, plan: Plan, workers: int, revision: str) -> None:
        """Start the worker's process, unless one is at it or has finished. Of many callers at once one does."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = self.path / "starting"
        if self.state in _SETTLED:
            return
        try:
            lock.mkdir()
        except FileExistsError:
            return
        try:
            if self.state not in _SETTLED:  # nobody else started it in between
                self._start(plan, workers, revision)
        finally:
            lock.rmdir()

    def _start(self, plan: Plan, workers: int, revision: str) -> None:
        for name in ("cancel", "beat", "state.json", "result.json"):
            (self.path / name).unlink(missing_ok=True)
        kept = {"question": plan.question, "plan": plan.as_dict(), "workers": workers, "revision": revision}
        write_json(self.path / "plan.json", kept)
        self.beat()
        with (self.path / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "riskkit", "work", str(self.path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=Path(__file__).resolve().parents[2],
                start_new_session=True,
            )
        # Somebody has to wait for a child, or it stays in the process table when it has ended.
        threading.Thread(target=process.wait, daemon=True).start()

    def report(self, state: str, **more: Any) -> None:
        """Write the state and how far it is (the worker's side)."""
        write_json(self.path / "state.json", {"state": state, **more})

    def beat(self) -> None:
        """Say that the worker is alive; an audit that was deleted meanwhile needs no beat."""
        if self.path.is_dir():
            (self.path / "beat").touch()

    @property
    def progress(self) -> dict[str, Any]:
        """State, stage, trainings done and in all, seconds left; ``error`` where it failed."""
        try:
            known: dict[str, Any] = read_json(self.path / "state.json")
        except FileNotFoundError:
            known = {"state": "queued"}
        if known["state"] in ("queued", "running"):
            try:
                silent = time.time() - (self.path / "beat").stat().st_mtime
            except FileNotFoundError:
                return {"state": "new"}
            if silent > STALE_AFTER:
                known = {**known, "state": "interrupted"}
        return known

    @property
    def state(self) -> str:
        """new, queued, running, finished, failed, cancelled or interrupted."""
        return str(self.progress["state"])

    def cancel(self) -> None:
        """Ask the worker to stop; it does at the end of the trainings in hand."""
        (self.path / "cancel").touch()

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked it to stop, or deleted the audit."""
        return (self.path / "cancel").exists() or not self.path.is_dir()

    @property
    def result(self) -> dict[str, Any]:
        """What a finished run found: the JSON of the command line, and the scores for the charts."""
        result: dict[str, Any] = read_json(self.path / "result.json")
        return result
