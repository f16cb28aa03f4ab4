"""What is kept of a run is refused beside another one, and when a command may take up what another has begun."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from riskkit.errors import DesignError, StoreError
from riskkit.jobs import database as tables
from riskkit.jobs import worker
from riskkit.jobs.codec import seal, sha
from riskkit.jobs.database import Database, database, runs, units
from riskkit.jobs.files import dump
from riskkit.jobs.leases import STALE_AFTER, Lease, claim
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.pool import Clock, Pool, Progress, keeping
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import plan_of
from tests.faults.workers import PLAN, asked, made
from tests.pages.runs import changed, faked

IDS = ("e" * 32, "f" * 32)
WHAT = {
    "its result": (runs.c.result,),
    "its result with the hash": (runs.c.result, runs.c.result_sha),
    "all that is kept of it": (runs.c.asked, runs.c.asked_sha, runs.c.result, runs.c.result_sha),
}
DONE: list[int] = []
"""Units worked out in this process, in order."""


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path)


@pytest.fixture
def finished(audit: Audit) -> list[Run]:
    """Two finished runs, of plans that differ in the seed."""
    out = []
    for seed, name in enumerate(IDS):
        run = faked(audit, "finished", replace(PLAN, seed=seed), run=name, seconds=1.0)
        changed(run, result={"estimates": [], "notes": [f"of seed {seed}"]})
        out.append(run)
    return out


def row(base: Database, run: str, *columns: Any) -> dict[str, Any]:
    with base.read() as connection:
        return dict(connection.execute(sa.select(*columns).where(runs.c.id == run)).mappings().one())


def put(base: Database, run: str, **values: Any) -> None:
    with base.write() as connection:
        connection.execute(runs.update().where(runs.c.id == run).values(**values))


def swap(base: Database, *columns: Any) -> None:
    first, second = (row(base, name, *columns) for name in IDS)
    put(base, IDS[0], **second)
    put(base, IDS[1], **first)


@pytest.mark.parametrize("what", WHAT)
def test_a_result_of_another_run_is_refused_and_read_where_it_belongs(
    audit: Audit, finished: list[Run], what: str
) -> None:
    results = [run.result_bytes for run in finished]
    assert results[0] != results[1]
    swap(audit.base, *WHAT[what])
    for run in finished:
        with pytest.raises(StoreError, match="The result of this run was altered on the disk"):
            _ = run.result
    if runs.c.asked in WHAT[what]:
        with pytest.raises(StoreError, match="The settings of this run were altered on the disk"):
            _ = plan_of(finished[0])
    swap(audit.base, *WHAT[what])
    assert [run.result_bytes for run in finished] == results
    assert plan_of(finished[1]).seed == 1


def test_a_result_is_refused_beside_another_plan(audit: Audit, finished: list[Run]) -> None:
    """Even where whoever wrote that plan there wrote its hash as well."""
    run = finished[0]
    another = dump({**run.request, "plan": replace(PLAN, seed=7).as_dict()})
    put(audit.base, run.id, asked=another, asked_sha=seal(run.id, another))
    assert plan_of(run).seed == 7
    with pytest.raises(StoreError, match="The result of this run was altered on the disk"):
        _ = run.result


def squares(_: Any, units: Sequence[int]) -> list[float]:
    DONE.extend(units)
    return [unit / 3.0 for unit in units]


def lease(home: Path, seed: int) -> Lease:
    """That of the first run of a store, of that seed."""
    got = claim(asked(made(home), replace(PLAN, seed=seed)).path, STALE_AFTER)
    assert got is not None
    return got


def played(lease: Lease) -> int:
    """How many of ten units are worked out anew."""
    DONE.clear()
    with keeping(Ledger(lease)):
        assert list(Pool(1, Clock(10, lambda _: None), lambda: False).map("Squares", squares, None, range(10)))
    return len(DONE)


@pytest.mark.parametrize(("seed", "anew"), [(0, 0), (1, 10)])
def test_units_of_another_run_are_worked_out_again_though_all_but_its_plan_is_the_same(
    tmp_path: Path, seed: int, anew: int
) -> None:
    """Both are the first run of their store. One of the same plan and data may be carried over: it is the same run."""
    here, there = lease(tmp_path / "here", 0), lease(tmp_path / "there", seed)
    assert here.number == there.number
    assert played(here) == 10
    with here.base.read() as connection:
        rows = [dict(row) for row in connection.execute(sa.select(units)).mappings()]
    assert len(rows) == 10
    with there.base.write() as connection:
        connection.execute(units.insert(), rows)
    assert played(there) == anew


def test_what_an_older_version_kept_is_read_and_from_then_on_bound_to_its_run(
    audit: Audit, finished: list[Run], tmp_path: Path
) -> None:
    """Its hashes are of the bytes alone. They are sealed once, when the store is opened; what fits none is refused."""
    results = [run.result_bytes for run in finished]
    base = audit.base
    spoilt = faked(audit, "finished", PLAN, run="d" * 32)
    for name in (*IDS, spoilt.id):
        kept = row(base, name, runs.c.asked, runs.c.result)
        marks = {f"{what}_sha": None if value is None else sha(value) for what, value in kept.items()}
        put(base, name, **marks)
    put(base, spoilt.id, result=b"{}", result_sha=sha(b"[]"))
    with base.write() as connection:
        connection.execute(tables.about.update().where(tables.about.c.key == "schema").values(value="2"))
    tables._PREPARED.clear()
    assert len(Store(tmp_path).audits()) == 1
    assert [run.result_bytes for run in finished] == results
    assert row(database(tmp_path), IDS[0], runs.c.result_sha)["result_sha"] != sha(results[0])
    with pytest.raises(StoreError, match="altered on the disk"):
        _ = spoilt.result
    swap(base, runs.c.result, runs.c.result_sha)
    with pytest.raises(StoreError, match="altered on the disk"):
        _ = finished[0].result


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
