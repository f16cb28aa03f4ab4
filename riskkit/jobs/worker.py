"""The process that plays runs: the one it was started for, then those that wait for their turn.

Everything it has finished is in the store already, so it may be killed at any moment. It stops by itself when it is
asked to, and when nothing was finished for many hours: between two chunks of units, and where a unit takes long, in the
middle of it.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from riskkit.base import process, stages
from riskkit.base.stages import Stage
from riskkit.errors import (
    Cancelled,
    DesignError,
    DiskFull,
    LeaseLost,
    RiskkitError,
    StoreError,
    WorkersGone,
    message_of,
)
from riskkit.jobs import apart, machine, retention
from riskkit.jobs.database import database
from riskkit.jobs.facts import written
from riskkit.jobs.leases import Lease, claim, waiting
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.pool import Progress, keeping
from riskkit.jobs.runs import STALE_AFTER, Run
from riskkit.jobs.store import Audit
from riskkit.jobs.versions import environment
from riskkit.phrases import phrase, with_phrases
from riskkit.plans import Plan

BEAT, LOOK = 1.0, 0.25
"""Seconds between two heartbeats, and between two looks at whether somebody wants the run to stop."""
GRACE, WRITING = 0.4, 10.0
"""Seconds that the unit in hand has to end in, once the run must stop, and those in which its result is written."""
QUIET = 120.0
"""Seconds without a finished unit after which the stage says since when nothing was finished."""
PATIENCE, HOURS = "RISKKIT_PATIENCE_HOURS", "24"
"""The variable that says after how many hours without a finished unit a run is paused, and what it is where it is not
set: a unit that hangs would hold its place for ever."""
STOPPED = 143
"""Exit code of a command that was told to end: what a shell says of one that a signal ended."""
WRITING_DOWN = phrase("Writing down the result")
"""The stage in which all is worked out."""
SAID = {"cancelled": "Stopped as asked; what is done is kept.", "interrupted": "Its worker was told to end."}


class Playable(Protocol):
    """What a worker needs of the question of a run."""

    @property
    def plan(self) -> type[Plan]:
        """The type of its plans."""

    def played(self, audit: Audit, plan: Plan, **how: Any) -> dict[str, Any]:
        """What is kept of a run of that plan on the tables of an audit."""


Questions = Callable[[str], Playable]
"""The question of that name."""


def work(folder: Path, question: Questions, *, alone: bool = False) -> bool:
    """Play the run of that folder, then every run that waits unless ``alone``; True when the first has finished.

    An error of ours ends in the run's state as its sentence. Any other error is named by its kind alone, because
    its text may hold the value of a cell.
    """
    machine.humble()
    home = folder.parents[3]
    _play(folder, question, alone)
    let_go(folder)
    while not alone and (following := waiting(home, STALE_AFTER)) is not None:
        if not _play(following, question):
            break
        let_go(following)
    with suppress(RiskkitError):
        if retention.chosen(database(home)) is not None:
            retention.purge(home, None, datetime.now(UTC))
    return Run(folder).state == "finished"


def let_go(folder: Path) -> None:
    """Remove the tables of an audit that keeps them only until its runs have ended; of none that can go on."""
    with suppress(RiskkitError):
        audit = Audit(folder.parents[1])
        if audit.is_passing and all(run.state in ("finished", "failed") for run in audit.runs()):
            audit.strip()


def _play(folder: Path, question: Questions, alone: bool = False) -> bool:
    """Play one run if it is free to be played; whether it was."""
    lease = claim(folder, STALE_AFTER)
    if lease is None:
        return False
    watch = Watch(lease, folder, is_alone=alone)
    with watch.kept(), suppress(StoreError):  # nothing can be said where nothing can be written
        try:
            result, seconds = _result(folder, question, watch)
            watch.finish(result, seconds)
        except (LeaseLost, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  its text may hold a cell; its kind may not
            if not isinstance(error, RiskkitError):
                sys.stderr.writelines(traceback.format_tb(error.__traceback__))  # where, but never what with
            watch.give_up(error)
    return True


def _result(folder: Path, question: Questions, watch: Watch) -> tuple[bytes, float]:
    """The JSON of the run's result, and the seconds it took."""
    started = time.monotonic()
    watch.patience = patience()
    run, audit = Run(folder), Audit(folder.parents[1])
    asked = run.asked
    if audit.revision != asked["revision"]:
        raise DesignError(phrase("The files or the columns were changed before the run began. Start it again."))
    if asked.get("environment") != environment():
        raise DesignError(phrase("Another version of riskkit, Python or a library began this run. Start it again."))
    known = question(asked["question"])
    plan = known.plan.from_dict(asked["plan"])
    with keeping(watch.ledger):
        result = known.played(
            audit, plan, workers=int(asked["workers"]), progress=watch.hear, cancelled=lambda: watch.is_over
        )
    stages.say(WRITING_DOWN)
    return written(with_phrases(result)), round(time.monotonic() - started, 1)


def patience() -> float:
    """Seconds without a finished unit after which a run is paused.

    Raises
    ------
    DesignError
        What was chosen is no such number.
    """
    chosen = os.environ.get(PATIENCE) or HOURS
    with suppress(ValueError):
        if float(chosen) > 0:
            return 3600 * float(chosen)
    raise DesignError(
        phrase(
            "{patience} is {chosen!r}. It says after how many hours without a finished step a run is paused; "
            "give a number above 0, or leave it out for {hours} hours.",
            patience=PATIENCE,
            chosen=chosen,
            hours=HOURS,
        )
    )


def _pause(watch: Watch, why: str) -> None:
    """Say that the disk is full, in the room that was kept free for saying it."""
    with suppress(StoreError, OSError):
        if wanted := watch.ledger.wanted(watch.now):
            why = phrase("{what} {do}", what=why, do=wanted)
    watch.lease.base.use_spare()
    watch.end("paused", error=phrase("{why} Nothing that is done is lost.", why=why))


@dataclass(slots=True)
class Watch:
    """Beats for a run while it is played, hears when it must stop, and sees to it that it does.

    ``is_here`` says that the process is somebody's command, whose end must not read as done, and not a worker;
    ``is_alone``, that somebody else sees to the runs that wait.
    """

    lease: Lease
    folder: Path
    reason: str = ""
    why: str | None = None
    patience: float = math.inf
    now: Progress | None = None
    heard: float = field(default_factory=time.monotonic)
    ledger: Ledger = field(init=False)
    over: threading.Event = field(default_factory=threading.Event)
    is_here: bool = False
    is_alone: bool = False
    is_writing: bool = False

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.lease)

    @property
    def is_over(self) -> bool:
        """Whether the run must stop."""
        return bool(self.reason)

    def hear(self, progress: Progress) -> None:
        """How far it is; written with the next beat."""
        self.now, self.heard = progress, time.monotonic()

    def hear_stage(self, stage: Stage) -> None:
        """What a step is doing that is no unit: no unit is done by it."""
        words = stage.words
        if stage.total:
            words = phrase("{stage}: {done:,} of {total:,}", stage=words, done=stage.done, total=stage.total)
        self.now = Progress(words, 0, 0) if self.now is None else replace(self.now, stage=words)

    def far(self) -> Progress | None:
        """How far it is; where nothing was finished for long, the stage says since when (UTC)."""
        quiet = time.monotonic() - self.heard
        if self.now is None or quiet < QUIET:
            return self.now
        since = datetime.now(UTC) - timedelta(seconds=quiet)
        return replace(
            self.now,
            stage=phrase("{stage} (nothing finished since {since} UTC)", stage=self.now.stage, since=f"{since:%H:%M}"),
        )

    def _tire(self) -> None:
        """Pause the run where nothing was finished for longer than anybody waits."""
        quiet = time.monotonic() - self.heard
        if self.reason or quiet < self.patience:
            return
        since = datetime.now(UTC) - timedelta(seconds=quiet)
        stage = "the reading of the tables" if self.now is None else self.now.stage
        self.why = phrase(
            "Nothing was finished since {since} UTC, at {stage}, so it was stopped; nothing that is done is lost. See "
            "what holds it up there, or set {patience} to more hours where a single step takes so long.",
            since=f"{since:%Y-%m-%d %H:%M}",
            stage=stage,
            patience=PATIENCE,
        )
        self.reason = "paused"

    def end(self, state: str, *, error: str | None = None) -> None:
        """Give the run up in that state."""
        self.lease.end(state, error or SAID.get(state, state), self.now, error)

    def finish(self, result: bytes, seconds: float) -> None:
        """Keep the result, and drop what only a damaged one would need where that takes much room."""
        self.is_writing = True
        self.lease.finish(result, seconds, self.now)
        with suppress(StoreError):
            self.ledger.close()

    def give_up(self, error: BaseException) -> None:
        """Give the run up in the state that this error leaves it in, with a sentence that holds no cell."""
        if isinstance(error, Cancelled):
            self.end(self.reason, error=self.why)
        elif isinstance(error, DiskFull):
            _pause(self, message_of(error))
        elif isinstance(error, WorkersGone):
            self.end("interrupted", error=message_of(error))
        elif isinstance(error, RiskkitError):
            self.end("failed", error=message_of(error))
        elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            _pause(self, phrase("A disk that the work needs is full. Make room on it, then go on."))
        elif isinstance(error, KeyboardInterrupt):
            self.end("interrupted")
        else:
            self.end(
                "failed",
                error=phrase("The run stopped on an unexpected {kind}. Nothing was lost.", kind=type(error).__name__),
            )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Beat until the block is left."""
        thread = threading.Thread(target=self._beat, daemon=True)
        in_main = threading.current_thread() is threading.main_thread()
        before: Any = signal.signal(signal.SIGTERM, self._told) if in_main else None
        thread.start()
        try:
            with process.last_step(self._told_to_end), stages.heard(self.hear_stage):
                yield
        finally:
            self.over.set()
            thread.join()
            if in_main:
                signal.signal(signal.SIGTERM, before)

    def _told(self, *_: object) -> None:
        self.reason = self.reason or "interrupted"

    def _beat(self) -> None:
        since, due, last = None, time.monotonic() + BEAT, self.far()
        while not self.over.wait(min(LOOK, BEAT)):
            with suppress(StoreError):  # a busy or a full disk: the next beat tries again
                try:
                    far = self.far()
                    is_due = time.monotonic() >= due or far != last  # whoever looks is shown what is new
                    due, last = (time.monotonic() + BEAT, far) if is_due else (due, last)
                    if self.lease.beat(far) if is_due else self.lease.is_to_stop():
                        self.reason = self.reason or "cancelled"
                except LeaseLost:
                    self.reason = "lost"
            self._tire()
            if self.reason and since is None:
                since = time.monotonic()
            if since is not None and time.monotonic() > since + (WRITING if self.is_writing else GRACE):
                self._stop_now()

    def _leave(self) -> None:
        """Give the run up where it stands, and have the next one played."""
        with suppress(StoreError):
            if self.reason != "lost":
                self.end(self.reason, error=self.why)
        if self.is_here or self.is_alone:
            return
        with suppress(RiskkitError):
            following = waiting(self.folder.parents[3], STALE_AFTER)
            if following is not None:
                Run(following).spawn()

    def _told_to_end(self) -> None:
        """Give the run up, as this process ends whatever it does; a result that is being written is written."""
        self.reason = self.reason or "interrupted"
        if not (self.is_writing and self.over.wait(WRITING)):
            self._leave()

    def _stop_now(self) -> None:
        """The unit in hand takes long: end this process and those that work for it. What is done is in the store."""
        try:
            self._leave()
        finally:
            with suppress(Exception):
                _end_helpers()
            # Whatever went wrong on the way: a worker that stays would hold its place for ever.
            os._exit(STOPPED if self.is_here else 0)


def _end_helpers() -> None:
    """Kill the processes that were started to train side by side, and wait for none of them."""
    apart.kill_all()
    if sys.platform == "win32":  # there they are not known by a session
        from joblib.externals.loky import reusable_executor
        from joblib.externals.loky.backend.utils import kill_process_tree

        executor: Any = reusable_executor._executor
        for process in list(((executor and executor._processes) or {}).values()):
            with suppress(OSError):
                kill_process_tree(process)
