"""A run that is played by the process of whoever asked for it, as a command is; kept and resumed like any other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa

from riskkit.base import stages
from riskkit.errors import Cancelled, DesignError, LeaseLost
from riskkit.jobs.database import runs
from riskkit.jobs.facts import written
from riskkit.jobs.leases import Lease, claim, place, silent
from riskkit.jobs.ledger import Ledger, LedgerPage
from riskkit.jobs.pool import Progress, keeping
from riskkit.jobs.runs import STALE_AFTER, STOPPED, Run
from riskkit.jobs.store import Audit
from riskkit.jobs.worker import WRITING_DOWN, Watch
from riskkit.phrases import phrase, with_phrases
from riskkit.plans import Plan

ANY = 1_000_000
"""Runs at the same time: somebody waits for this one, so it takes no turn."""
ENDED_WITHIN, LOOK = 3.0, 0.25
"""Seconds in which helpers of a killed process end, which beat until then; and between two looks at a silent run."""


WAITING = phrase("Waiting to see whether the process that played this run is still there")


class Finished(Protocol):
    """What a played plan comes to."""

    def kept(self) -> dict[str, Any]:
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
    ``work`` is called with ``workers``, ``progress`` and ``cancelled``, and returns what is kept by its ``kept()``.

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
        return _again(run, work, workers, progress)
    watch, started = Watch(lease, run.path, is_here=True), time.monotonic()

    def hear(now: Progress) -> None:
        watch.hear(now)
        progress(now)

    with watch.kept():
        try:
            with keeping(watch.ledger):
                result = work(workers=workers, progress=hear, cancelled=lambda: watch.is_over)
            stages.say(WRITING_DOWN)
            watch.finish(written(with_phrases(result.kept())), round(time.monotonic() - started, 1))
        except LeaseLost:
            raise
        except BaseException as error:
            watch.give_up(error)
            if isinstance(error, Cancelled):
                raise Cancelled(watch.why or watch.reason) from error
            raise
    return result


def _lease(run: Run, queue: Callable[[], bool], progress: Callable[[Progress], None]) -> Lease | None:
    """The lease of a run, waited for while its process may be dead; None where another plays it, or it has ended."""
    queue()
    base, audit, name = place(run.path)
    begun = time.monotonic()
    while (lease := claim(run.path, STALE_AFTER, ANY)) is None:
        with base.read() as connection:
            row = connection.execute(sa.select(runs).where((runs.c.audit == audit) & (runs.c.id == name))).one()
            heard = time.monotonic() - silent(connection, row)
        is_over = row.cancel or row.state not in ("running", *STOPPED)
        is_played = heard > begun + ENDED_WITHIN or time.monotonic() > begun + STALE_AFTER + ENDED_WITHIN
        if is_over or is_played:
            return None
        if row.state in STOPPED:
            queue()
        progress(Progress(WAITING, row.done or 0, row.total or 1))
        time.sleep(LOOK)
    return lease


def _again(run: Run, work: Callable[..., Result], workers: int, progress: Callable[[Progress], None]) -> Result:
    """The result of a run that has finished, from its units."""
    if run.state != "finished":
        raise DesignError(
            f"This run is being played by another process (python -m riskkit audits show {run.id[:8]}). Wait, or ask "
            "with --no-keep."
        )
    base, audit, name = place(run.path)
    with base.read() as connection:
        row = connection.execute(
            sa.select(runs.c.number, runs.c.token).where((runs.c.audit == audit) & (runs.c.id == name))
        ).one()
    with keeping(_Read(Ledger(Lease(base, row.number, row.token, name)))):
        return work(workers=workers, progress=progress)


@dataclass(frozen=True, slots=True)
class _Read:
    """The book of a run that has finished; nothing is written into it."""

    ledger: Ledger

    def page(self, stage: str, work: str, units: int) -> _ReadPage:
        return _ReadPage(self.ledger.page(stage, work, units))


@dataclass(slots=True)
class _ReadPage:
    """A page of it; units that are not there any more are worked out again."""

    page: LedgerPage
    is_closed: bool = False

    def known(self) -> dict[int, Any]:
        return self.page.known()

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        return results

    def failed(self, unit: int, error: Exception) -> None:
        """Nothing is written of a run that has finished."""
