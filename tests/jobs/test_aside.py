"""Work that is done aside is the same work, and what it raises is heard by whoever waits for it."""

from __future__ import annotations

import threading

import pytest

from riskkit import language, stages
from riskkit.errors import DesignError
from riskkit.jobs.aside import aside


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

    with stages.heard(lambda stage: heard.append(stage.words)):
        result = aside(work, is_aside=False)
        assert heard == ["Describing"]
        assert result() is threading.current_thread()
        aside(work)()
    assert heard == ["Describing"]


def test_its_texts_are_worded_as_those_of_whoever_began_it() -> None:
    """Rows that are households are called so in the thread too."""
    with language.counting("household"):
        own = language.counted(2, "{n:,} person", "{n:,} people")
        assert aside(lambda: language.counted(2, "{n:,} person", "{n:,} people"))() == own
    assert own != language.counted(2, "{n:,} person", "{n:,} people")
