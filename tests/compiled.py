"""What Python and numba have compiled of this clone, for copies of it: a minute of work that each would do again."""

import shutil
from pathlib import Path

KEPT = (".nbc", ".pyc")
"""Endings of what numba and Python keep."""


def unfinished(folder: str, names: list[str]) -> set[str]:
    """What a copy of the tree leaves out, for ``shutil.copytree``: what another process is just writing."""
    return {name for name in names if folder.endswith("__pycache__") and not name.endswith(KEPT)}


def lend_loops(package: Path, copy: Path) -> None:
    """Give an installed package the machine code of the same files here; of other files none is taken."""
    for code in package.rglob("*.nbc"):
        target = copy / code.relative_to(package)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(code, target)
