"""What every process of riskkit does to itself, so that nobody else on the machine can read what it writes or held."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

OTHERS = 0o077
"""The rights of a group and of everybody else."""


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
