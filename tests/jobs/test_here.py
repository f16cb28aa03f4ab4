"""A run that a command plays itself: when it may take one up that another process has begun."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from riskkit.errors import DesignError
from riskkit.jobs import worker
from riskkit.jobs.database import runs
from riskkit.jobs.leases import STALE_AFTER, Lease, claim
from riskkit.jobs.pool import Progress
from riskkit.jobs.store import Audit
from tests.faults.workers import PLAN, made


@dataclass
class Other:
    """The process that has begun the run, and the time that goes by while nobody really waits for it."""

    lease: Lease
    events: list[tuple[float, Callable[[Lease], Any]]] = field(default_factory=list)
    """What it does, and after how many seconds."""
    waited: float = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.waited

    def sleep(self, seconds: float) -> None:
        """So long goes by: the last beat lies so much further back, and what falls into that time happens."""
        self.waited += seconds
        with self.lease.base.write() as connection:
            connection.execute(sa.update(runs).values(ticks=runs.c.ticks - seconds))
        while self.events and self.events[0][0] <= self.waited:
            self.events.pop(0)[1](self.lease)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path)


@pytest.fixture
def other(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> Other:
    run = audit.run_of(PLAN)
    run.queue(PLAN, 1, audit.revision)
    lease = claim(run.path, worker.ANY)
    assert lease is not None
    other = Other(lease)
    monkeypatch.setattr(worker, "time", other)
    return other


def beat(lease: Lease) -> None:
    lease.beat(None)


def play(audit: Audit, hear: Callable[[Progress], None] = lambda _: None) -> Any:
    return worker.play(audit, PLAN, lambda **_: SimpleNamespace(plain=lambda: {"played": True}), progress=hear).plain()


def is_taken_over(audit: Audit) -> bool:
    return any("taken it up" in line for line in audit.run_of(PLAN).log())


def test_one_whose_process_was_killed_a_moment_ago_is_taken_up_when_it_counts_as_dead(
    audit: Audit, other: Other
) -> None:
    news: list[Progress] = []
    assert play(audit, news.append) == {"played": True}
    assert {now.stage for now in news} == {worker.WAITING}
    assert audit.run_of(PLAN).result["played"]
    assert STALE_AFTER / 2 < other.waited <= STALE_AFTER + worker.LOOK


def test_a_helper_of_a_killed_process_that_beats_once_more_is_waited_for(audit: Audit, other: Other) -> None:
    other.events = [(0.5, beat), (1.5, beat)]
    assert play(audit) == {"played": True}
    assert STALE_AFTER / 2 < other.waited <= 1.5 + STALE_AFTER + worker.LOOK


def test_one_that_another_process_plays_is_refused_as_soon_as_that_is_certain(audit: Audit, other: Other) -> None:
    other.events = [(float(second), beat) for second in range(1, 60)]
    with pytest.raises(DesignError, match="is under way in another process"):
        play(audit)
    assert other.waited <= worker.ENDED_WITHIN + 1 + worker.LOOK
    assert not is_taken_over(audit)


@pytest.mark.parametrize("state", ["paused", "interrupted", "failed"])
@pytest.mark.parametrize("seconds", [0, 2])
def test_one_that_its_process_gives_up_is_taken_up_at_once(
    audit: Audit, other: Other, state: str, seconds: int
) -> None:
    if seconds:
        other.events = [(seconds, lambda lease: lease.end(state, "Given up."))]
    else:
        other.lease.end(state, "Given up.")
    assert play(audit) == {"played": True}
    assert other.waited <= seconds + worker.LOOK


def test_one_that_finishes_meanwhile_is_read(audit: Audit, other: Other) -> None:
    other.events = [(1.0, beat), (2.0, lambda lease: lease.finish(b'{"played": true}', 1.0, None))]
    assert play(audit) == {"played": True}
    assert not is_taken_over(audit)


def test_one_that_somebody_cancels_is_not_waited_for(audit: Audit, other: Other) -> None:
    audit.run_of(PLAN).cancel()
    with pytest.raises(DesignError, match="under way in another process"):
        play(audit)
    assert other.waited == 0.0
