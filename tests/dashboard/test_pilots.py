"""A pilot is timed once for everybody who asks, and again where it could not be made."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from riskkit.dashboard.pilots import Pilots


def test_twenty_who_ask_at_once_make_it_once() -> None:
    pilots, made, all_here = Pilots(), [], threading.Barrier(20)

    def make() -> int:
        made.append(1)
        return 7

    def ask(_: int) -> int:
        all_here.wait(timeout=30)
        return pilots.once("plan", make)

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ask, range(20))) == [7] * 20
    assert len(made) == 1


def test_other_plans_are_other_pilots_and_the_oldest_go_first() -> None:
    pilots = Pilots(most=2)
    for key in (1, 2, 3):
        assert pilots.once(key, lambda key=key: key) == key  # type: ignore[misc]
    assert pilots.once(3, lambda: 0) == 3
    assert pilots.once(1, lambda: 0) == 0, "the oldest was dropped"


def test_where_it_cannot_be_made_the_next_one_tries() -> None:
    pilots = Pilots()
    with pytest.raises(ZeroDivisionError):
        pilots.once("plan", lambda: 1 // 0)
    assert pilots.once("plan", lambda: 5) == 5
