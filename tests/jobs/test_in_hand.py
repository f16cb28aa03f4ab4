"""What helper processes have in hand is read by the process that asked, and nothing of it stays behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from riskkit import stages
from riskkit.jobs import in_hand
from riskkit.jobs.pool import Clock, Pool
from riskkit.stages import Stage

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="only Linux has such memory")


def waited_for(heard: Sequence[str], text: str) -> bool:
    """Whether that was said within half a minute."""
    end = time.monotonic() + 30
    while not any(text in words for words in heard) and time.monotonic() < end:
        time.sleep(0.01)
    return any(text in words for words in heard)


def test_what_is_written_in_hand_is_said_behind_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_hand, "LOOK", 0.01)
    monkeypatch.setattr(in_hand, "SOON", 0.0)
    heard: list[str] = []
    with stages.heard(lambda stage: heard.append(stage.words)):
        stages.say("Attacks")
        with in_hand.shown() as place:
            with in_hand.written(place):
                stages.part(1, 4)
                assert waited_for(heard, "Attacks, steps in hand: 25%")
                stages.part(3, 4)
                assert waited_for(heard, "Attacks, steps in hand: 75%")
            held = Path(place).read_bytes()
    assert held == bytes(len(held)), "a step that has ended is in nobody's hand"
    assert not os.path.lexists(place)


def test_a_step_that_stands_still_while_its_helper_loads_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_hand, "LOOK", 0.01)
    monkeypatch.setattr(in_hand, "SOON", 0.0)
    heard: list[str] = []
    with stages.heard(lambda stage: heard.append(stage.words)):
        stages.say("Attacks")
        with in_hand.shown() as place, in_hand.written(place):
            stages.part(1, 4)
            assert waited_for(heard, "Attacks, steps in hand: 25%")
            os.pwrite(in_hand._of_new_helpers(), in_hand._FIGURES.pack(812, 0), 0)
            assert waited_for(heard, "Attacks, modules loaded by helpers: 812")
            os.pwrite(in_hand._of_new_helpers(), in_hand._FIGURES.pack(812, 1300) + in_hand._FIGURES.pack(0, 7), 0)
            assert waited_for(heard, "Attacks, first run: 1,300, 7 compiled")
            stages.part(2, 4)
            assert waited_for(heard, "Attacks, steps in hand: 50%")
    shown = [words for words in heard if words]  # the helper's own words are those of nothing
    assert len(shown) == len(set(shown)), "nothing is said twice"


def test_steps_of_several_helpers_are_said_beside_each_other() -> None:
    figures = in_hand._FIGURES
    written_down = figures.pack(0, 0) + figures.pack(1, 2) + figures.pack(0, 0) + figures.pack(1, 5)
    assert in_hand._shares(written_down) == [0.5, 0.2]


LOADS = """
import sys
from riskkit import loading
from riskkit.jobs import in_hand
in_hand.loads(sys.argv[1])
print(len(sys.modules), flush=True)
input()
sys.modules["one more"] = sys
print(len(sys.modules), flush=True)
input()
with in_hand.written(sys.argv[2]):
    pass
for _ in sys.stdin:
    loading.step()
"""


@pytest.mark.second
def test_what_new_helpers_have_loaded_is_said_until_their_first_step_has_ended() -> None:
    heard: list[str] = []
    with stages.heard(lambda stage: heard.append(stage.words)):
        stages.say("Attacks")
        with in_hand.shown() as place:
            command = [sys.executable, "-c", LOADS, in_hand.place_of_new_helpers(), place]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as helper:
                assert helper.stdin is not None
                assert helper.stdout is not None
                for _ in range(2):
                    modules = int(helper.stdout.readline())
                    assert waited_for(heard, f"Attacks, modules loaded by helpers: {modules:,}"), heard
                    print(file=helper.stdin, flush=True)
                end = time.monotonic() + 30
                while any(written := os.pread(in_hand._of_new_helpers(), in_hand.SIZE, 0)):
                    assert time.monotonic() < end, written
                    time.sleep(0.01)
                while not any("Attacks, first run: " in words for words in heard):
                    assert time.monotonic() < end + 30, heard
                    print(file=helper.stdin, flush=True)
                    time.sleep(0.1)


def test_a_single_step_that_compiles_is_written_for_longer_than_two_looks() -> None:
    compiling = in_hand._Compiling(3)
    every = [compiling.told(3 if look < 8 else 4, look * in_hand.LOOK / 2) for look in range(24)]
    assert every == [0] * 8 + [4] * 8 + [0] * 8, "steps of before are not told, the new one for four looks"


def test_nothing_is_said_of_helpers_that_were_killed_while_they_loaded() -> None:
    os.pwrite(in_hand._of_new_helpers(), in_hand._FIGURES.pack(812, 0), 0)
    with in_hand.shown():
        assert in_hand._needs(os.pread(in_hand._of_new_helpers(), in_hand.SIZE, 0), 0) == []


def test_nowhere_to_write_is_no_harm() -> None:
    for place in ("", "/proc/0/fd/0", "/no/such/place"):
        with in_hand.written(place):
            stages.part(1, 2)


def halfway(_: object, units: Sequence[Path]) -> list[int]:
    """Say that half is done, and wait until somebody has heard it."""
    for flag in units:
        stages.part(1, 2)
        end = time.monotonic() + 60
        while not flag.exists() and time.monotonic() < end:
            time.sleep(0.05)
            stages.part(1, 2)
    return [os.getpid()] * len(units)


@pytest.mark.second
def test_a_run_of_two_workers_says_how_far_their_units_are(tmp_path: Path) -> None:
    heard: list[str] = []
    flag = tmp_path / "heard"

    def hear(stage: Stage) -> None:
        heard.append(stage.words)
        if "50%, 50%" in stage.words:
            flag.touch()

    with stages.heard(hear):
        pool = Pool(2, Clock(2, lambda _: None), lambda: False)
        processes = list(pool.map("Attacks", halfway, None, [flag, flag]))
    assert os.getpid() not in processes
    assert "Attacks, steps in hand: 50%, 50%" in heard
    assert threading.active_count() < 20
