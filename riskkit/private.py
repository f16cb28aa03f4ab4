"""What every process of riskkit does to itself, so that nobody else on the machine can read what it writes or held."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

OTHERS = 0o077
"""The rights of a group and of everybody else."""


FORGETTING = {
    "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0",
    "PYTHONMALLOC": "malloc",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Settings with which a new process overwrites all memory that it gives back to itself, on Linux with the usual library
of C: that is told to, keeps nothing aside from it, and is what Python and Arrow ask for memory."""


def forgetful() -> dict[str, str]:
    """The environment of a process that lives long and holds tables: what it lets go is overwritten, not only free."""
    return {**os.environ, **(FORGETTING if sys.platform.startswith("linux") else {})}


def quick(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that computes and ends, and whose memory the system clears then: without that."""
    return {name: value for name, value in environment.items() if FORGETTING.get(name) != value}


def close() -> None:
    """Let what this process makes be its user's alone, and leave no picture of its memory behind when it dies.

    Processes that it starts do the same.
    """
    os.umask(OTHERS)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@cache
def tighten(folder: Path) -> None:
    """Take away the rights that others have to a folder and all in it, as an earlier version or a copy left them.

    Done once a process: what is made later is made without them. Links are not followed.
    """
    for path in (folder, *folder.rglob("*")):
        try:
            mode = path.lstat().st_mode
            if mode & OTHERS and not path.is_symlink():
                path.chmod(mode & ~OTHERS & 0o7777)
        except (FileNotFoundError, PermissionError):  # removed meanwhile, or another user's
            continue
