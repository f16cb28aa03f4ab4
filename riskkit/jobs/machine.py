"""The computer that plays a run: processes and their memory, a clock nobody can set, and what makes its numbers."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from riskkit.base import process
from riskkit.version import __version__

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
THREADS = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS NUMBA_NUM_THREADS VECLIB_MAXIMUM_THREADS"
ONE_THREAD = dict.fromkeys(THREADS.split(), "1")
"""The environment of a process whose libraries must not start threads of their own."""
NICE = 10


def workers() -> int:
    """Processes that may work side by side: all cores but the one that shows the pages."""
    return max((os.cpu_count() or 2) - 1, 1)


@cache
def boot() -> str:
    """A name for this machine since it was switched on; another after every restart where the system tells."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        import platform

        return f"{sys.platform}:{platform.node()}"


def now_text(now: datetime | None = None) -> str:
    """A moment as logs and receipts write it."""
    return (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def humble() -> None:
    """Let everything else go first, and leave no picture of the memory behind when this process dies."""
    if hasattr(os, "nice"):
        os.nice(max(NICE - os.nice(0), 0))
    process.close()


LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "pyarrow", "torch", "ctgan", "rdt", "shap")
NUMBERLESS = ("dashboard", "figures", "commands", "project")
"""Folders that show numbers and make none; the last is what a wheel holds of the files beside the package."""


@cache
def environment() -> str:
    """Version, a hash of the code that makes numbers, Python and libraries, in one line; equal lines may be mixed."""
    parts = [f"riskkit {__version__} ({_code()[:12]})", f"Python {platform.python_version()} {platform.machine()}"]
    for name in LIBRARIES:
        try:
            parts.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            parts.append(f"no {name}")
    return ", ".join(parts)


def _code() -> str:
    """The SHA-256 of every file of the engine."""
    root = Path(__file__).resolve().parents[1]
    made = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        if place.parts[0] not in NUMBERLESS:
            made.update(f"{place.as_posix()}\n".encode())
            made.update(path.read_bytes())
    return made.hexdigest()


T = TypeVar("T")
PROCESS = 260 << 20
"""Bytes that a worker's process holds before it has read a table: Python, numpy, pyarrow and what they bring."""
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measure(make: Callable[[], T]) -> tuple[T, int | None]:
    """What ``make`` returns, and the most bytes it had beyond what this process held before.

    None where the system does not say (it is asked on Linux alone). What others do in this process meanwhile is counted
    too, so it is rather too much than too little.
    """
    before = _bytes_held("VmRSS")
    if before is None or not _forget_peak():
        return make(), None
    made = make()
    peak = _bytes_held("VmHWM")
    return made, None if peak is None else max(peak - before, 0)


def release() -> None:
    """Give back what nobody holds any more, so that tables that were let go are not left lying in this process."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):  # a library of C without it
            ctypes.CDLL(None).malloc_trim(0)


def bytes_needed(extra: int, workers: int) -> int:
    """Bytes that a run with so many processes will hold at most, if each of them has ``extra`` beyond an empty one.

    One process plays by itself; of several, one more hands out the work and holds the tables too.
    """
    return (workers + (workers > 1)) * (PROCESS + extra)


def in_words(size: int) -> str:
    """That many bytes, in words for people."""
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(round(size / (1 << 20), -1), 10):.0f} MB"


def _bytes_held(name: str) -> int | None:
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
