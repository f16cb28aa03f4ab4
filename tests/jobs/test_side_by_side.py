"""Units that belong side by side: who is in a block follows from its numbers alone, and one that fails stands alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from riskkit.errors import DesignError
from riskkit.jobs.engines import Chunks, Work, here
from riskkit.jobs.pool import Clock, Pool


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
