"""What a worker does to its own process, and a clock that all processes of a machine share and nobody can set."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from riskkit.base import process

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


@dataclass(frozen=True, slots=True)
class Beat:
    """When a worker was last heard of, by the clock of its machine that runs since it was switched on."""

    boot: str
    ticks: float

    @classmethod
    def now(cls) -> Beat:
        """This moment."""
        return cls(boot(), time.monotonic())

    def silent(self) -> float:
        """Seconds since then; infinite where the machine was restarted since, or is another one."""
        here = Beat.now()
        return here.ticks - self.ticks if here.boot == self.boot and here.ticks >= self.ticks else float("inf")


def humble() -> None:
    """Let everything else go first, and leave no picture of the memory behind when this process dies."""
    if hasattr(os, "nice"):
        os.nice(max(NICE - os.nice(0), 0))
    process.close()
