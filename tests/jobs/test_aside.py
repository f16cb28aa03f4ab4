"""Work that is done aside is the same work, and what it raises is heard by whoever waits for it."""

from __future__ import annotations

import threading

import pytest

from riskkit import language
from riskkit.base import stages
from riskkit.base.stages import Stage
from riskkit.errors import DesignError
from riskkit.jobs.pool import aside


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

    with stages.heard(hear):
        stages.say("Attacks")
        result = aside(work)
        assert begun.wait(60)
        assert heard == [Stage("Attacks")]
        assert result() == 7
    assert heard == [Stage("Attacks"), Stage("Describing", 1, 2)]


def test_what_is_said_aside_is_not_heard_by_others() -> None:
    heard, apart = list[Stage](), list[Stage]()
    with stages.heard(heard.append):
        stages.say("Attacks")
        with stages.heard(apart.append, alone=True):
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
