"""What a plug-in raises to end the program ends its unit of work, and is a sentence wherever it comes from."""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib.externals.loky import reusable_executor

from riskkit.cli import main
from riskkit.errors import DesignError
from riskkit.jobs import engines, worker
from riskkit.jobs.engines import play
from riskkit.jobs.pool import Clock, Pool
from riskkit.questions.runs import work
from tests.conftest import ROOT
from tests.faults.workers import asked, made

CANARY = "quokka-canary"


PROGRAM = """
import signal, sys
from riskkit.base import process
from riskkit.jobs.pool import Clock, Pool
from tests.jobs.test_ends import tidying

list(Pool(2, Clock(4, lambda _: None), lambda: False).map("Tidying", tidying, sys.argv[1], range(4)))
{end}
"""
"""Has helpers that would write a file as they end, and ends."""


class Ends(BaseException):
    """An end of a plug-in's own."""


def ending(end: type[BaseException], units: Sequence[int]) -> list[int]:
    """Work whose fourth unit ends."""
    if 3 in units:
        raise end(CANARY)
    return list(units)


def waiting(seconds: float, units: Sequence[int]) -> list[int]:
    """Work that takes so long."""
    time.sleep(seconds)
    return list(units)


def tidying(folder: str, units: Sequence[int]) -> list[int]:
    """Work after which its process has something to do before it ends."""
    (Path(folder) / "begun").touch()
    atexit.register((Path(folder) / f"tidied up {os.getpid()}").touch)
    return list(units)


GROWN: list[Any] = []


def growing(numbers: int, units: Sequence[int]) -> list[tuple[int, int]]:
    """Work after which its process holds so many numbers more, and longer than joblib waits between two looks."""
    GROWN.append(np.ones(numbers))
    time.sleep(1.1)
    return [(unit, os.getpid()) for unit in units]


@pytest.mark.parametrize("end", [SystemExit, GeneratorExit, Ends])
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.second)])
def test_units_before_the_one_that_ends_are_done_and_it_is_a_sentence(end: type[BaseException], workers: int) -> None:
    done: list[int] = []
    results = Pool(workers, Clock(5, lambda _: None), lambda: False).map("Ending", ending, end, range(5))
    with pytest.raises(DesignError, match=rf"an unexpected {end.__name__} \(test_ends\.py:\d+\)") as refusal:
        done.extend(results)
    assert done == [0, 1, 2]
    assert CANARY not in str(refusal.value)


def test_whoever_stops_the_program_stops_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        play((ending, KeyboardInterrupt, (), {}), [3], [3])


def test_an_error_that_comes_from_another_process_keeps_its_place() -> None:
    with pytest.raises(ValueError, match=CANARY) as error:
        list(Pool(2, Clock(5, lambda _: None), lambda: False).map("Ending", ending, ValueError, range(5)))
    assert vars(error.value)["raised_at"].startswith("test_ends.py:")


@pytest.mark.second
def test_a_helper_that_has_grown_is_replaced_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """joblib ends one that holds 300 MB more than after its first units, and warns in a thread that nobody hears."""
    monkeypatch.setattr(reusable_executor, "_executor", None)  # the helpers of the other tests stay
    tracebacks: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", tracebacks.append)
    played = list(Pool(2, Clock(6, lambda _: None), lambda: False).map("Growing", growing, 50_000_000, range(6)))
    assert sorted(number for number, _ in played) == list(range(6))
    assert len({helper for _, helper in played}) > 2
    assert tracebacks == []
    engines.end_helpers()


@pytest.mark.second
@pytest.mark.parametrize("taken", [1, 3, 8])
def test_nothing_waits_for_helpers_that_are_ended(monkeypatch: pytest.MonkeyPatch, taken: int) -> None:
    """joblib's thread would look it up, find nothing, and write a traceback onto the screen; and a run may follow."""
    tracebacks: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", tracebacks.append)
    pool = Pool(2, Clock(8, lambda _: None), lambda: False)
    played = pool.map("Waiting", waiting, 0.01, range(8))
    assert [next(played) for _ in range(taken)] == list(range(taken))
    del played  # as where a run is cancelled
    assert list(pool.map("Waiting", waiting, 0.0, range(8))) == list(range(8))
    assert tracebacks == []


@pytest.mark.second
@pytest.mark.skipif(sys.platform == "win32", reason="there no session holds a helper and what it started")
def test_a_worker_that_ends_waits_for_no_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are killed at once: one that still gives back its memory holds up neither the others nor the worker."""
    monkeypatch.setattr(reusable_executor, "_executor", None)  # the helpers of the other tests stay
    monkeypatch.setattr(engines, "_STARTED", [])
    list(Pool(2, Clock(4, lambda _: None), lambda: False).map("Waiting", waiting, 0.0, range(4)))
    executor: Any = reusable_executor._executor
    helpers = list(executor._processes.values())
    assert sorted(engines._STARTED) == sorted(helper.pid for helper in helpers)
    monkeypatch.setattr(type(helpers[0]), "join", lambda *_: pytest.fail("it waited"))
    engines.end_helpers()
    monkeypatch.undo()
    for helper in helpers:
        helper.join()
    # joblib's own thread may have heard of an end before this one, which is told nothing then.
    assert {helper.exitcode for helper in helpers} <= {-signal.SIGKILL, None}
    for helper in helpers:
        with pytest.raises(ProcessLookupError):
            os.kill(helper.pid, 0)


@pytest.mark.second
@pytest.mark.skipif(sys.platform == "win32", reason="there no session holds a helper and what it started")
@pytest.mark.parametrize("end", ["process.end()", "process.stop(signal.SIGINT)"])
def test_a_program_that_ends_leaves_helpers_no_time_and_says_nothing(tmp_path: Path, end: str) -> None:
    """Python would go through all that each has loaded, which takes a large part of a second.

    What they shared is removed by a process of joblib's, which would write the names of it onto the screen.
    """
    program = PROGRAM.format(end=end)
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert [file.name for file in tmp_path.iterdir()] == ["begun"]
    assert (ended.stdout, ended.stderr) == ("", "")


@pytest.mark.parametrize("end", [SystemExit, Ends])
def test_a_kept_run_fails_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    def ends(*_: Any) -> None:
        raise end(CANARY)

    run = asked(made(tmp_path))
    monkeypatch.setattr(worker, "_result", ends)
    assert work(run.path) is False
    assert run.state == "failed"
    assert run.progress["error"] == f"The run stopped on an unexpected {end.__name__}. Nothing was lost."


@pytest.mark.parametrize("code", [0, 3, None, CANARY])
def test_a_command_that_exits_has_not_done_its_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: Any
) -> None:
    def ends(*_: Any) -> int:
        raise SystemExit(code)

    monkeypatch.setattr("riskkit.commands.check.run", ends)
    assert main(["check", os.devnull, os.devnull]) == 2
    message = capsys.readouterr().err
    assert message.startswith("riskkit: It stopped on an unexpected SystemExit (test_ends.py:")
    assert CANARY not in message
