"""Playing runs: :func:`work` in a process of their own, :func:`play` in that of a command, :func:`serve` what waits.

Everything that is finished is in the store already, so whoever plays may be killed at any moment. A run stops by itself
when it is asked to, and when nothing was finished for many hours: between two chunks of units, and where a unit takes
long, in the middle of it.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, TypeVar

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
from riskkit.jobs import leases, machine
from riskkit.jobs.engines import end_helpers
from riskkit.jobs.files import dump
from riskkit.jobs.leases import Lease
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.machine import environment
from riskkit.jobs.pool import Progress, keeping
from riskkit.jobs.runs import STOPPED, Run
from riskkit.jobs.store import Audit, Store
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
TOLD = 143
"""Exit code of a command that was told to end: what a shell says of one that a signal ended."""
WRITING_DOWN = phrase("Writing down the result")
"""The stage in which all is worked out."""
SAID = {"cancelled": "Stopped as asked; what is done is kept.", "interrupted": "Its worker was told to end."}


ANY = 1_000_000
"""Runs at the same time: somebody waits for a command, so it takes no turn."""
ENDED_WITHIN = 3.0
"""Seconds in which helpers of a killed process end, which beat until then."""
WAITING = phrase("Waiting to see whether the process of this run is still there")
PAUSE = 1.0
"""Seconds between two looks at an empty queue."""
AGAIN = 3
"""How often the same run is taken up within one process; one that kills its worker each time is left alone."""
T = TypeVar("T")


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
    raise DesignError.phrase(
        "{patience} is {chosen!r}. It says after how many hours without a finished step a run is paused; "
        "give a number above 0, or leave it out for {hours} hours.",
        patience=PATIENCE,
        chosen=chosen,
        hours=HOURS,
    )


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

    def play(self, make: Callable[[], T], kept: Callable[[T], dict[str, Any]]) -> T:
        """What ``make`` comes to, of which ``kept`` says what is kept as the result of the run.

        An error ends the run in the state that it leaves it in, and is raised.
        """
        started = time.monotonic()
        with self.beat():
            try:
                with keeping(self.ledger):
                    result = make()
                stages.say(WRITING_DOWN)
                content = dump(with_phrases(kept(result)))
                self.is_writing = True
                self.lease.finish(content, round(time.monotonic() - started, 1), self.now)
                with suppress(StoreError):
                    self.ledger.close()
            except LeaseLost:
                raise
            except BaseException as error:
                self.give_up(error)
                raise
        return result

    def end(self, state: str, *, error: str | None = None) -> None:
        """Give the run up in that state."""
        self.lease.end(state, error or SAID.get(state, state), self.now, error)

    def give_up(self, error: BaseException) -> None:
        """Give the run up in the state that this error leaves it in, with a sentence that holds no cell."""
        if isinstance(error, Cancelled):
            self.end(self.reason, error=self.why)
        elif isinstance(error, DiskFull):
            self._pause(message_of(error))
        elif isinstance(error, WorkersGone):
            self.end("interrupted", error=message_of(error))
        elif isinstance(error, RiskkitError):
            self.end("failed", error=message_of(error))
        elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            self._pause(phrase("A disk that the work needs is full. Make room on it, then go on."))
        elif isinstance(error, KeyboardInterrupt):
            self.end("interrupted")
        else:
            self.end(
                "failed",
                error=phrase("The run stopped on an unexpected {kind}. Nothing was lost.", kind=type(error).__name__),
            )

    def _pause(self, why: str) -> None:
        """Say that a disk is full, in the room that was kept free for saying it."""
        with suppress(StoreError, OSError):
            if wanted := self.ledger.shortage(self.now):
                why = phrase("{what} {do}", what=why, do=wanted)
        self.lease.base.use_spare()
        self.end("paused", error=phrase("{why} Nothing that is done is lost.", why=why))

    @contextmanager
    def beat(self) -> Iterator[None]:
        """Beat until the block is left."""
        thread = threading.Thread(target=self._beat, daemon=True)
        in_main = threading.current_thread() is threading.main_thread()
        before: Any = signal.signal(signal.SIGTERM, self._tell) if in_main else None
        thread.start()
        try:
            with process.last_step(self._give_up), stages.listener(self.hear_stage):
                yield
        finally:
            self.over.set()
            thread.join()
            if in_main:
                signal.signal(signal.SIGTERM, before)

    def _tell(self, *_: object) -> None:
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
                    self.reason = self.reason or "lost"
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
            following = leases.waiting(self.folder.parents[3])
            if following is not None:
                Run(following).spawn()

    def _give_up(self) -> None:
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
                end_helpers()
            # Whatever went wrong on the way: a worker that stays would hold its place for ever.
            os._exit(TOLD if self.is_here else 0)


# --------------------------------------------------------------------------------------------------------------
# In a process of its own


class Playable(Protocol):
    """What a worker needs of the question of a run."""

    @property
    def plan(self) -> type[Plan]:
        """The type of its plans."""

    def work_out(self, audit: Audit, plan: Plan, **how: Any) -> dict[str, Any]:
        """What is kept of a run of that plan on the tables of an audit."""


Questions = Callable[[str], Playable]
"""The question of that name."""


def work(folder: Path, question: Questions, *, alone: bool = False) -> bool:
    """Play the run of that folder, then every run that waits unless ``alone``; True when the first has finished.

    An error of ours ends in the run's state as its sentence. Any other error is named by its kind alone, because
    its text may hold the value of a cell.
    """
    machine.humble()
    store = Store(folder.parents[3])
    _play(folder, question, alone)
    let_go(folder)
    while not alone and (following := leases.waiting(store.home)) is not None and _play(following, question):
        let_go(following)
    with suppress(RiskkitError):
        if store.retention is not None:
            store.purge()
    return Run(folder).state == "finished"


def let_go(folder: Path) -> None:
    """Remove the tables of an audit that keeps them only until its runs have ended; of none that can go on."""
    with suppress(RiskkitError):
        audit = Audit(folder.parents[1])
        if audit.is_passing and all(run.state in ("finished", "failed") for run in audit.runs()):
            audit.strip()


def _play(folder: Path, question: Questions, alone: bool = False) -> bool:
    """Play one run if it is free to be played; whether it was."""
    lease = leases.claim(folder)
    if lease is None:
        return False
    watch = Watch(lease, folder, is_alone=alone)
    try:
        watch.play(lambda: _result(folder, question, watch), dict)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  its text may hold a cell; its kind may not
        if not isinstance(error, RiskkitError):
            sys.stderr.writelines(traceback.format_tb(error.__traceback__))  # where, but never what with
    return True


def _result(folder: Path, question: Questions, watch: Watch) -> dict[str, Any]:
    """What the run comes to, as it is kept."""
    watch.patience = patience()
    run, audit = Run(folder), Audit(folder.parents[1])
    asked = run.request
    if audit.revision != asked["revision"]:
        raise DesignError.phrase("The files or the columns were changed before the run began. Start it again.")
    if asked.get("environment") != environment():
        raise DesignError.phrase("Another version of riskkit, Python or a library began this run. Start it again.")
    known = question(asked["question"])
    return known.work_out(
        audit,
        known.plan.from_dict(asked["plan"]),
        workers=int(asked["workers"]),
        progress=watch.hear,
        cancelled=lambda: bool(watch.reason),
    )


# --------------------------------------------------------------------------------------------------------------
# In the process of a command


class Finished(Protocol):
    """What a played plan comes to."""

    def plain(self) -> dict[str, Any]:
        """All of it as plain values, as a store keeps it."""


Result = TypeVar("Result", bound=Finished)


def play(
    audit: Audit,
    plan: Plan,
    work: Callable[..., Result],
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Result:
    """Play a plan on the tables of an audit in this process, and keep the result as a run.

    What an earlier attempt has kept is used; of a run that has finished its units are read and none is played again.
    One whose process was killed a moment ago is taken up when it has been silent long enough to count as dead.
    ``work`` is called with ``workers``, ``progress`` and ``cancelled``, and returns a result; its ``plain()`` is kept.

    Raises
    ------
    Cancelled
        The run was stopped from outside: it was cancelled, or this process told to end.
    DesignError
        Another process plays it.
    """
    run = audit.run_of(plan)
    lease = _lease(run, lambda: run.queue(plan, workers, audit.revision), progress)
    if lease is None:
        if run.state != "finished":
            raise DesignError(
                f"This run is under way in another process (riskkit audits show {run.id[:8]}). "
                "Wait, or ask with --no-keep."
            )
        with keeping(Ledger.reading(run.path)):
            return work(workers=workers, progress=progress)
    watch = Watch(lease, run.path, is_here=True)

    def hear(now: Progress) -> None:
        watch.hear(now)
        progress(now)

    try:
        return watch.play(
            lambda: work(workers=workers, progress=hear, cancelled=lambda: bool(watch.reason)),
            lambda result: result.plain(),
        )
    except Cancelled as stopped:
        raise Cancelled(watch.why or watch.reason) from stopped


def _lease(run: Run, queue: Callable[[], bool], progress: Callable[[Progress], None]) -> Lease | None:
    """The lease of a run, waited for while its process may be dead; None where another plays it, or it has ended."""
    queue()
    base, audit, name = leases.place(run.path)
    begun = time.monotonic()
    while (lease := leases.claim(run.path, ANY)) is None:
        with base.read() as connection:
            row = leases.row_of(connection, audit, name)
            heard = time.monotonic() - leases.silent(connection, row)
        is_over = row.cancel or row.state not in ("running", *STOPPED)
        is_played = heard > begun + ENDED_WITHIN or time.monotonic() > begun + leases.STALE_AFTER + ENDED_WITHIN
        if is_over or is_played:
            return None
        if row.state in STOPPED:
            queue()
        progress(Progress(WAITING, row.done or 0, row.total or 1))
        time.sleep(LOOK)
    return lease


# --------------------------------------------------------------------------------------------------------------
# Whatever waits


def serve(
    store: Store, *, once: bool = False, over: threading.Event | None = None, tell: Callable[[str], None] = print
) -> tuple[int, int]:
    """Play runs until nobody waits (``once``) or ``over`` is set; returns how many have finished, and how many failed.

    A run whose worker died is taken up where it was, if its data and the versions that began it are still the same.
    With ``once`` a run whose worker was heard of lately, and is not heard of again, is waited for: it may have died a
    moment ago, which is known after :data:`riskkit.jobs.leases.STALE_AFTER` seconds.
    """
    ended = over or threading.Event()
    tried: dict[str, int] = {}
    ends: Counter[str] = Counter()
    first = leases.last_beats(store.home)
    doubtful = set(first) if once else set()
    while not ended.is_set():
        path = leases.waiting(store.home, interrupted=True, besides={p for p, n in tried.items() if n >= AGAIN})
        if path is None:
            silent = {quiet for quiet, beat in leases.last_beats(store.home).items() if first.get(quiet) == beat}
            if once and not silent:
                break
            for quiet in silent & doubtful:
                doubtful.remove(quiet)
                tell(
                    f"{quiet.name[:8]} may have lost its worker; that is known within {leases.STALE_AFTER:.0f} seconds."
                )
            ended.wait(PAUSE)
            continue
        run = Run(path)
        tried[str(path)] = tried.get(str(path), 0) + 1
        try:
            child = run.launch(alone=True)
        except (OSError, RiskkitError) as error:
            tell(f"{run.id[:8]} could not be begun: {error}")
            continue
        _wait(child, ended)
        if run.state == "queued":  # too many are being played: it was not begun
            tried[str(path)] -= 1
            ended.wait(PAUSE)
            continue
        state = run.state
        ends[state] += 1
        tell(f"{run.id[:8]} of audit {path.parents[1].name[:8]}: {state}")
        ended.wait(0 if state in ("finished", "failed") else PAUSE)
    return ends["finished"], ends["failed"]


def _wait(child: subprocess.Popen[bytes], over: threading.Event) -> None:
    """Until the process ends; told to end itself where this one is told so."""
    while True:
        try:
            child.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if over.is_set():
                child.terminate()
        else:
            return
