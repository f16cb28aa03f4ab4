"""Spoilt files by the thousand: a sentence or a table for each, soon, in little memory, and no cell in a sentence."""

import subprocess
import sys
from collections.abc import Callable
from itertools import count

import pytest

from riskkit.errors import Gravity, LayoutError, Problem
from riskkit.table.text import TextTable
from tests.table import fuzz
from tests.table.files import CANARY

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no alarm and tells no peak of memory")


def test_spoilt_files_are_read_or_refused() -> None:
    tally = fuzz.played(200, 1)
    assert tally.faults == []
    assert tally.answers["read"] >= 40, "files so spoilt that none is read show little"
    assert len(tally.answers) >= 8


@pytest.mark.slow
def test_twenty_thousand_spoilt_files_are_read_or_refused() -> None:
    """In a process of their own, so that the peak of its memory is theirs."""
    made = subprocess.run(
        [sys.executable, "-c", SAID], capture_output=True, text=True, timeout=3_600, check=True
    ).stdout.splitlines()
    faults, memory = made[1:-1], float(made[-1])
    assert faults == []
    assert memory <= 1_000


SAID = """
from tests.table.fuzz import played
tally = played(20_000, 20)
print(tally.answers)
for fault in tally.faults:
    print(fault)
print(tally.memory)
"""


def _foreign(*_: object, **__: object) -> TextTable:
    raise ValueError(CANARY)


def _slow(*_: object, **__: object) -> TextTable:
    while True:
        pass


def _telling(*_: object, **__: object) -> TextTable:
    raise LayoutError(Problem(Gravity.ERROR, "planted", f"The value {CANARY} is wrong.", "Mend it."))


@pytest.mark.parametrize(
    ("fault", "sentence"), [(_foreign, "ValueError at _foreign"), (_slow, "HangError"), (_telling, "a cell in")]
)
def test_a_planted_fault_is_caught(
    fault: Callable[..., TextTable], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "read_file", fault)
    monkeypatch.setattr(fuzz, "LONGEST", 1)
    (fault_seen,) = fuzz.played(1, 1).faults
    assert sentence in fault_seen


def test_the_same_seed_spoils_the_same_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "time.time", count(1_000_000_000).__next__
    )  # a compressed file can hold the second of its making
    first, second = (list(fuzz.pairs(50, 7)) for _ in range(2))
    assert first == second
    assert len(set(first)) >= 45
