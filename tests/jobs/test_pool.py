"""Units side by side in blocks, work that is done aside meanwhile, and how much memory a plan needs."""

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from riskkit import language
from riskkit.base import stages
from riskkit.base.stages import Stage
from riskkit.base.threads import cores
from riskkit.errors import DesignError
from riskkit.jobs import machine
from riskkit.jobs.engines import Chunks, Work, here
from riskkit.jobs.pool import Clock, Pool, aside


@dataclass
class Blocks:
    """A game whose units belong side by side; it notes which units came together."""

    at_once: int
    fails: int = -1
    seen: list[tuple[int, ...]] = field(default_factory=list)


def noted(game: Blocks, units: Sequence[int]) -> list[int]:
    game.seen.append(tuple(units))
    if game.fails in units:
        raise DesignError("This one cannot be made.")
    return [10 * unit for unit in units]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 3, 16, 100])
@pytest.mark.parametrize("todo", [range(50), [0, 3, 4, 5, 17, 18, 40, 49], range(7, 9)], ids=["all", "left", "few"])
def test_no_chunk_parts_a_block(workers: int, size: int, todo: Sequence[int]) -> None:
    chunks = Chunks(todo, workers, 4)
    chunks.size = size
    handed = list(chunks)
    assert [unit for chunk in handed for unit in chunk] == list(todo)
    blocks = [{unit // 4 for unit in chunk} for chunk in handed]
    assert sum(map(len, blocks)) == len(set.union(*blocks))


def test_where_nothing_is_made_side_by_side_chunks_may_end_anywhere() -> None:
    """The planted fault: chunks that know of no blocks part them."""
    chunks = Chunks(range(50), 1)
    chunks.size = 3
    blocks = [{unit // 4 for unit in chunk} for chunk in chunks]
    assert sum(map(len, blocks)) > len(set.union(*blocks))


@pytest.mark.parametrize("at_once", [1, 4, 16])
def test_a_block_is_handed_over_whole(at_once: int) -> None:
    game = Blocks(at_once)
    pool = Pool(1, Clock(10, lambda _: None), lambda: False)
    assert list(pool.map("stage", noted, game, range(10))) == [10 * unit for unit in range(10)]
    assert game.seen == [tuple(range(10))[start : start + at_once] for start in range(0, 10, at_once)]


def test_of_a_block_that_fails_the_units_before_the_culprit_are_there() -> None:
    game = Blocks(4, fails=6)
    work = Work(noted, game, range(12), ())
    done = list(here(work, Chunks(range(12), 1, 4)))
    results: dict[int, Any] = {}
    for each in done:
        results.update(zip(each.at, each.results, strict=False))
        if each.error is not None:
            assert each.at[len(each.results)] == 6
            break
    assert results == {unit: 10 * unit for unit in range(6)}
    assert game.seen[:5] == [(0, 1, 2, 3), (4, 5, 6, 7), (4,), (5,), (6,)]


def test_what_is_made_here_is_handed_over_in_chunks_that_hear_a_cancel() -> None:
    game = Blocks(16)
    heard: list[int] = []
    pool = Pool(1, Clock(10, lambda now: heard.append(now.done)), lambda: False)
    assert list(pool.map("stage", noted, game, range(10), is_here=True)) == [10 * unit for unit in range(10)]
    assert heard[:2] == [0, 1]


@pytest.mark.parametrize(("units", "is_here", "each"), [(1, False, 3), (1, True, 3), (2, True, 1), (9, True, 1)])
def test_a_unit_has_the_cores_for_which_there_is_no_other(units: int, is_here: bool, each: int) -> None:
    pool = Pool.open(units, workers=3)
    assert list(pool.map("stage", cores_of_each, None, range(units), is_here=is_here)) == [each] * units
    assert cores() == 1


def cores_of_each(_: None, units: Sequence[int]) -> list[int]:
    return [cores() for _ in units]


def test_it_is_begun_at_once_and_done_once() -> None:
    begun, go_on, calls = threading.Event(), threading.Event(), list[str]()

    def work() -> int:
        begun.set()
        assert go_on.wait(60)
        calls.append(threading.current_thread().name)
        return 7

    result = aside(work)
    assert begun.wait(60)
    go_on.set()
    assert [result(), result()] == [7, 7]
    assert len(calls) == 1
    assert calls[0] != threading.current_thread().name


def test_what_it_raises_is_raised_where_its_result_is_asked_for() -> None:
    def refuse() -> int:
        raise DesignError("There are no rows.")

    result = aside(refuse)
    for _ in range(2):
        with pytest.raises(DesignError, match="no rows"):
            result()


def test_where_nobody_else_works_it_is_done_here_and_says_what_it_does() -> None:
    heard = list[str]()

    def work() -> threading.Thread:
        stages.say("Describing")
        return threading.current_thread()

    with stages.listener(lambda stage: heard.append(stage.words)):
        result = aside(work, is_aside=False)
        assert heard == ["Describing"]
        assert result() is threading.current_thread()
    assert heard == ["Describing"]


def test_what_it_does_is_said_while_somebody_waits_for_it_and_not_before() -> None:
    begun, go_on, heard = threading.Event(), threading.Event(), list[Stage]()

    def work() -> int:
        stages.say("Describing", 1, 2)
        begun.set()
        assert go_on.wait(60)
        return 7

    def hear(stage: Stage) -> None:
        heard.append(stage)
        if stage.words == "Describing":
            go_on.set()

    with stages.listener(hear):
        stages.say("Attacks")
        result = aside(work)
        assert begun.wait(60)
        assert heard == [Stage("Attacks")]
        assert result() == 7
    assert heard == [Stage("Attacks"), Stage("Describing", 1, 2)]


def test_what_is_said_aside_is_not_heard_by_others() -> None:
    heard, apart = list[Stage](), list[Stage]()
    with stages.listener(heard.append):
        stages.say("Attacks")
        with stages.listener(apart.append, alone=True):
            stages.say("Describing")
            stages.part(1, 2)
        assert stages.last() == "Attacks"
    assert heard == [Stage("Attacks")]
    assert apart == [Stage("Describing"), Stage("Describing", 1, 2)]


def test_its_texts_are_worded_as_those_of_whoever_began_it() -> None:
    """Rows that are households are called so in the thread too."""
    with language.counting("household"):
        own = language.counted(2, "{n:,} person", "{n:,} people")
        assert aside(lambda: language.counted(2, "{n:,} person", "{n:,} people"))() == own
    assert own != language.counted(2, "{n:,} person", "{n:,} people")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says it on Linux alone")
@pytest.mark.parametrize("megabytes", [64, 256])
def test_the_peak_is_that_of_the_pilot(megabytes: int) -> None:
    def pilot() -> int:
        return int(np.ones(megabytes << 17).sum())

    made, extra = machine.measure(pilot)
    assert made == megabytes << 17
    assert extra is not None
    assert abs(extra - (megabytes << 20)) < 8 << 20
    again = machine.measure(lambda: None)[1]
    assert again is not None
    assert again < 8 << 20, "an earlier peak is not counted again"


def test_where_the_system_does_not_say_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert machine.measure(lambda: 3) == (3, None)


def test_every_process_holds_its_own() -> None:
    assert machine.bytes_needed(100, 1) == machine.PROCESS + 100
    assert machine.bytes_needed(100, 3) == 4 * (machine.PROCESS + 100)


@pytest.mark.parametrize(("size", "words"), [(3 << 20, "10 MB"), (260 << 20, "260 MB"), (3 << 29, "1.5 GB")])
def test_sizes_are_said_in_words(size: int, words: str) -> None:
    assert machine.in_words(size) == words
