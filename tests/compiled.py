"""What Python and numba have compiled of this clone, for copies of it: a minute of work that each would do again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

LOOPS = (".nbi", ".nbc")
"""Endings of what numba keeps: which machine code there is of a file, and the code."""
KEPT = (*LOOPS, ".pyc")


def unfinished(folder: str, names: list[str]) -> set[str]:
    """What a copy of the tree leaves out, for ``shutil.copytree``: what another process is just writing."""
    return {name for name in names if folder.endswith("__pycache__") and not name.endswith(KEPT)}


def lend_loops(package: Path, copy: Path) -> None:
    """Give the files of an installed package the machine code of the same files here.

    It counts for a file of the same time and size; one with other bytes is passed over.
    """
    for kept in [path for path in package.rglob("*") if path.suffix in LOOPS]:
        source = kept.parents[1] / f"{kept.name.partition('.')[0]}.py"
        target = copy / source.relative_to(package)
        if source.exists() and target.exists() and source.read_bytes() == target.read_bytes():
            times = source.stat()
            os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
            (target.parent / "__pycache__").mkdir(exist_ok=True)
            shutil.copy2(kept, target.parent / "__pycache__" / kept.name)
