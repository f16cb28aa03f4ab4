"""What is kept of compiled loops: always the code of that source, of those types and of those numbers."""

import errno
import importlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core import config
from numba.core.caching import IndexDataCacheFile

from riskkit.base.compilation import CodeFile, compile_loop

SOURCE = """
from loops_of_another import TIMES

def total(values):
    found = 0.0
    for value in values:
        found += TIMES * value
    return found
"""
TIMES = """
from riskkit.base.compilation import compile_loop

@compile_loop
def times(value):
    return {} * value
"""
WHOLE, REAL = np.arange(5, dtype=np.int32), np.arange(5, dtype=np.float32)
"""Values of as many bytes each, so that code for the one runs on the other without an error."""
TOTAL = 10.0


@pytest.fixture
def loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the source of a function, and a place of its own for what is compiled."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "loops_of_a_test.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "loops_of_another.py").write_text("TIMES = 1", encoding="utf-8")
    yield tmp_path
    for name in ("loops_of_a_test", "loops_of_another"):
        sys.modules.pop(name, None)


def program() -> Any:
    """The function as another program would have it, that has compiled nothing yet."""
    for name in ("loops_of_a_test", "loops_of_another"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    module: ModuleType = importlib.import_module("loops_of_a_test")
    return compile_loop(module.total)


def hits(loop: Any) -> int:
    """How often the code was found on disk."""
    return sum(loop.stats.cache_hits.values())


def files(loops: Path) -> list[Path]:
    return sorted((loops / "kept").rglob("*.nbc"))


STEPS = ("_load_index", "_save_index", "_save_data")
KEYS = ("for whole numbers", "for numbers")


class Turns:
    """Two programs, each of which does its next step on the disk when it is its turn."""

    def __init__(self, files: list[Any]) -> None:
        self.turns = [threading.Semaphore(0) for _ in files]
        self.waits = [threading.Semaphore(0) for _ in files]
        self.are_done = [False for _ in files]
        self.threads = [threading.Thread(target=self._save, args=(*pair,)) for pair in enumerate(files)]
        for thread, waiting in zip(self.threads, self.waits, strict=True):
            thread.start()
            waiting.acquire()

    def _save(self, program: int, file: Any) -> None:
        for step in STEPS:
            setattr(file, step, self._in_turn(program, getattr(file, step)))
        self._wait(program)
        file.save(KEYS[program], f"code {KEYS[program]}")
        self.are_done[program] = True
        self.waits[program].release()

    def _wait(self, program: int) -> None:
        self.waits[program].release()
        self.turns[program].acquire()

    def _in_turn(self, program: int, step: Callable[..., Any]) -> Callable[..., Any]:
        def later(*words: Any) -> Any:
            done = step(*words)
            self._wait(program)
            return done

        return later

    def go_on(self, program: int) -> None:
        """The program does one step more, if it has one."""
        if not self.are_done[program]:
            self.turns[program].release()
            self.waits[program].acquire()


def mixed_up(kind: Any, folder: Path) -> list[str]:
    """The orders of steps of two programs in which a third one, at whatever time, is given the code of other types."""
    wrong = []
    for firsts in itertools.combinations(range(8), 4):
        place = folder / "".join(map(str, firsts))
        place.mkdir()
        files = [kind(str(place), "loop", "source") for _ in range(3)]
        turns = Turns(files[:2])
        codes = set()
        for turn in range(8):
            turns.go_on(0 if turn in firsts else 1)
            codes |= {(key, files[2].load(key)) for key in KEYS}
        for thread in turns.threads:
            thread.join(10)
            assert not thread.is_alive()
        if not codes <= {(key, code) for key in KEYS for code in (None, f"code {key}")}:
            wrong.append(place.name)
    return wrong


def test_two_programs_that_compile_at_once_never_mix_their_codes_up(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    assert mixed_up(CodeFile, tmp_path / "ours") == []
    (tmp_path / "numba").mkdir()
    assert mixed_up(IndexDataCacheFile, tmp_path / "numba"), "numba numbers its files safely now: take it as it is"


def test_a_loop_is_compiled_once_for_all_programs(loops: Path) -> None:
    first, second = program(), program()
    assert (first(REAL), hits(first)) == (TOTAL, 0)
    assert (second(REAL), hits(second)) == (TOTAL, 1)
    assert (second(WHOLE), hits(second)) == (TOTAL, 1)
    assert len(files(loops)) == 2


def test_a_number_of_another_file_is_part_of_the_code(loops: Path) -> None:
    assert program()(REAL) == TOTAL
    (loops / "loops_of_another.py").write_text("TIMES = 2", encoding="utf-8")
    changed = program()
    assert (changed(REAL), hits(changed)) == (2 * TOTAL, 0)


def test_the_code_of_an_older_source_is_never_run(loops: Path) -> None:
    assert program()(REAL) == TOTAL
    source = loops / "loops_of_a_test.py"
    source.write_text(SOURCE.replace("found += TIMES", "found -= TIMES"), encoding="utf-8")
    changed = program()
    assert (changed(REAL), hits(changed)) == (-TOTAL, 0)


def test_a_copy_of_the_source_takes_the_code_of_the_first(loops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert program()(REAL) == TOTAL
    copies = loops / "copies"
    copies.mkdir()
    for source in loops.glob("*.py"):
        (copies / source.name).write_bytes(source.read_bytes())
    monkeypatch.syspath_prepend(str(copies))
    copied = program()
    assert (copied(REAL), hits(copied)) == (TOTAL, 1)


def test_a_loop_of_another_file_is_part_of_the_code(loops: Path) -> None:
    calling = SOURCE.replace("import TIMES", "import times").replace("TIMES * value", "times(value)")
    (loops / "loops_of_a_test.py").write_text(calling, encoding="utf-8")
    for factor in (1, 2):
        (loops / "loops_of_another.py").write_text(TIMES.format(factor), encoding="utf-8")
        assert program()(REAL) == factor * TOTAL


def test_a_damaged_file_is_compiled_anew(loops: Path) -> None:
    assert program()(REAL) == TOTAL
    (kept,) = files(loops)
    whole = kept.read_bytes()
    for spoilt in (b"", bytes(len(whole)), whole[: len(whole) // 2]):
        kept.write_bytes(spoilt)
        again, third = program(), program()
        assert (again(REAL), hits(again)) == (TOTAL, 0)
        assert (third(REAL), hits(third)) == (TOTAL, 1)


def test_a_file_that_stands_for_something_else_is_not_taken(loops: Path) -> None:
    first = program()
    assert first(REAL) == TOTAL
    (real,) = files(loops)
    assert first(WHOLE) == TOTAL
    (whole,) = set(files(loops)) - {real}
    whole.write_bytes(real.read_bytes())
    assert program()(WHOLE) == TOTAL


def test_a_full_disk_stops_nothing(loops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(CodeFile, "_save_data", full)
    assert program()(REAL) == TOTAL
    assert files(loops) == []


def test_nothing_is_kept_where_there_is_no_place(loops: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.base.compilation.CodeOnDisk", _nowhere)
    assert program()(REAL) == TOTAL
    assert files(loops) == []


def _nowhere(function: object) -> None:
    raise RuntimeError(f"cannot cache function {function}: no locator available")


def test_loops_can_run_as_python(monkeypatch: pytest.MonkeyPatch, loops: Path) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    loop = program()
    assert not hasattr(loop, "py_func")
    assert loop(REAL) == TOTAL
