"""How much memory a plan will need, measured while its pilot is timed."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

T = TypeVar("T")
PROCESS = 260 << 20
"""Bytes that a worker's process holds before it has read a table: Python, numpy, pyarrow and what they bring."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measured(make: Callable[[], T]) -> tuple[T, int | None]:
    """What ``make`` returns, and the most bytes it had beyond what this process held before.

    None where the system does not say (it is asked on Linux alone). What others do in this process meanwhile is counted
    too, so it is rather too much than too little.
    """
    before = _held("VmRSS")
    if before is None or not _forget_peak():
        return make(), None
    made = make()
    peak = _held("VmHWM")
    return made, None if peak is None else max(peak - before, 0)


def release() -> None:
    """Give back what nobody holds any more, so that tables that were let go are not left lying in this process."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):  # a library of C without it
            ctypes.CDLL(None).malloc_trim(0)


def needed(extra: int, workers: int) -> int:
    """Bytes that a run with so many processes will hold at most, if each of them has ``extra`` beyond an empty one.

    One process plays by itself; of several, one more hands out the work and holds the tables too.
    """
    return (workers + (workers > 1)) * (PROCESS + extra)


def in_words(size: int) -> str:
    """That many bytes, in words for people."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(round(size / (1 << 20), -1), 10):.0f} MB"


def _held(name: str) -> int | None:
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(sizes[0]) << 10 if sizes else None


def _forget_peak() -> bool:
    """Have the system count the peak anew from here."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        _RESET.write_text("5", encoding="ascii")
    except OSError:
        return False
    return True
