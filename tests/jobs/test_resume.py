"""Going on where a run stopped, and refusing to where its numbers would be mixed."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from riskkit.core import Role
from riskkit.errors import Cancelled, DesignError, LeaseLost
from riskkit.jobs import pool
from riskkit.jobs.leases import STALE_AFTER, Lease, claim
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.pool import Clock, Pool, Progress, keeping
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import work
from riskkit.table.kinds.choice import ColumnChoice
from tests.faults.workers import PLAN, asked, at_once, kept, made
from tests.pages.runs import changed

DONE: list[int] = []
"""Units worked out in this process, in order."""


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path)


@pytest.fixture
def lease(audit: Audit) -> Lease:
    run = asked(audit)
    got = claim(run.path)
    assert got is not None
    return got


def squares(game: Any, units: Sequence[int]) -> list[dict[str, float]]:
    DONE.extend(units)
    if game in units:
        raise DesignError("This one cannot be worked out.")
    return [{"square": unit / 3.0} for unit in units]


def played(
    lease: Lease, units: int = 40, *, fails: int = -1, stop: int = 10**9, reports: list[Progress] | None = None
) -> list[Any]:
    """The map of that lease's run, on a new page; stopped when that many are done."""
    DONE.clear()
    clock = Clock(units, (reports if reports is not None else []).append)
    with keeping(Ledger(lease)):
        return list(Pool(1, clock, lambda: clock.done >= stop).map("Squares", squares, fails, range(units)))


def test_units_that_are_there_are_not_worked_out_again(lease: Lease) -> None:
    with pytest.raises(Cancelled):
        played(lease, stop=20)
    before = set(DONE)
    assert 20 <= len(before) < 40
    assert played(lease) == [{"square": unit / 3.0} for unit in range(40)]
    assert not before & set(DONE)
    assert before | set(DONE) == set(range(40))


def test_units_that_were_there_say_nothing_of_the_pace(lease: Lease) -> None:
    played(lease)
    reports: list[Progress] = []
    assert len(played(lease, reports=reports)) == 40
    assert [(progress.done, progress.seconds_left) for progress in reports] == [(40, None)]


def test_another_map_at_the_same_place_is_not_taken_for_this_one(lease: Lease) -> None:
    played(lease, units=40)
    assert len(played(lease, units=41)) == 41
    assert len(DONE) == 41


def test_units_before_one_that_raises_are_kept_and_it_is_named(audit: Audit, lease: Lease) -> None:
    with pytest.raises(DesignError, match="cannot be worked out"):
        played(lease, fails=7)
    (run,) = audit.runs()
    assert run.log()[-1].endswith("Squares: unit 8 of 40 ended with This one cannot be worked out.")
    played(lease)
    assert set(DONE) == set(range(7, 40))


def test_what_cannot_be_kept_is_said_and_worked_out_again(audit: Audit, lease: Lease) -> None:
    with keeping(Ledger(lease)):
        page = Ledger(lease).page("Odd", "odd", 3)
        assert page.keep({0: {1, 2}, 1: 2}) == {0: {1, 2}, 1: 2}
        assert page.keep({2: {3}}) == {2: {3}}
    (run,) = audit.runs()
    assert [line for line in run.log() if "Odd: worked out again when the run goes on." in line] == run.log()[-1:]
    assert set(kept(run)) == {(0, 1)}, "what can be kept beside it is kept"


def test_results_of_units_that_take_much_room_go_when_the_run_has_finished(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskkit.jobs.ledger.KEPT_BYTES", 0)
    run = asked(audit, replace(PLAN, trainings=10))
    assert work(run.path)
    assert kept(run) == {}
    assert run.result_bytes


def test_a_worker_whose_run_was_taken_over_can_write_nothing(audit: Audit, lease: Lease) -> None:
    (run,) = audit.runs()
    changed(run, ticks=time.monotonic() - STALE_AFTER - 1)
    second = claim(run.path)
    assert second is not None
    for write in (
        lambda: played(lease),
        lambda: lease.beat(None),
        lambda: lease.finish(b"{}", 1.0, None),
        lambda: lease.end("failed", "no"),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert kept(run) == {}
    assert run.state == "running"
    assert len(played(second)) == 40


def test_of_many_workers_one_gets_the_lease(audit: Audit) -> None:
    run = asked(audit)
    won = at_once(8, lambda: claim(run.path))
    assert sum(lease is not None for lease in won) == 1


def test_a_run_waits_while_as_many_are_played_as_one_machine_may(audit: Audit) -> None:
    first, second, third = (asked(audit, replace(PLAN, seed=seed)) for seed in range(3))
    assert claim(first.path)
    assert claim(second.path)
    assert claim(third.path) is None
    changed(third, ticks=time.monotonic() - STALE_AFTER - 60)
    assert third.state == "queued", "it waits for its turn, however long that takes"
    changed(first, ticks=time.monotonic() - STALE_AFTER - 60)
    assert claim(third.path)


def test_a_worker_goes_on_with_whoever_waits(audit: Audit) -> None:
    first, second = (asked(audit, replace(PLAN, trainings=10, seed=seed)) for seed in range(2))
    assert work(first.path)
    assert (first.state, second.state) == ("finished", "finished")


# --------------------------------------------------------------------------------------------------------------
# Going on, or not


def test_a_run_does_not_go_on_with_other_data(audit: Audit) -> None:
    run = asked(audit)
    changed(run, state="paused")
    audit.choose({"age": ColumnChoice(role=Role.SECRET)})
    with pytest.raises(DesignError, match="were changed since this run began"):
        run.resume()


def test_a_run_does_not_go_on_with_other_code_or_libraries(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = asked(audit)
    lease = claim(run.path)
    assert lease is not None
    played(lease)
    changed(run, state="interrupted", done=40)
    monkeypatch.setattr("riskkit.jobs.runs.environment", lambda: "numpy of tomorrow")
    with pytest.raises(DesignError, match="never made by two versions"):
        run.resume()
    asked(audit)
    assert kept(run) == {}, "started anew, nothing of the other version is left"
    assert "40 older results are dropped" in run.log()[-1]


@pytest.mark.parametrize("state", ["running", "finished"])
def test_what_needs_no_resuming_says_so(audit: Audit, state: str) -> None:
    run = asked(audit)
    changed(run, state=state)
    with pytest.raises(DesignError, match=f"This run is {state}"):
        run.resume()


def test_after_a_restart_of_the_machine_nobody_is_at_it(audit: Audit) -> None:
    run = asked(audit)
    assert claim(run.path)
    changed(run, boot="an earlier one")
    assert run.state == "interrupted"


def test_settings_hold_all_that_the_numbers_depend_on(audit: Audit) -> None:
    first, other = asked(audit).settings(), asked(audit, replace(PLAN, seed=5), workers=3).settings()
    assert {name for name in first if first[name] != other[name]} == {"seed"}
    assert json.dumps(first)


def test_a_store_lists_and_opens_only_what_is_here(tmp_path: Path, audit: Audit) -> None:
    """Two installations may share one database; the uploads of the other are not on this disk."""
    store = Store(tmp_path)
    audit.path.rename(tmp_path / "elsewhere")
    assert store.audits() == []
    with pytest.raises(DesignError, match="no such audit"):
        store.open(audit.id)


def test_processes_that_vanish_again_and_again_end_the_run_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import BrokenExecutor

    def vanish(*_: object) -> Any:
        yield from ()
        raise BrokenExecutor

    monkeypatch.setattr(pool, "engine", lambda *_: vanish)
    with pytest.raises(DesignError, match="memory ran out"):
        list(Pool(2, Clock(5, lambda _: None), lambda: False).map("Squares", squares, -1, range(5)))
