"""What the numbers of a run may depend on beside its plan and its data: the code and the libraries that made them."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

from riskkit.version import __version__

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
