"""The oldest and the newest versions of libraries that ``pyproject.toml`` allows, and wheels for other Pythons.

``python tests/versions.py oldest`` (or ``newest``) prints what pip installs for an environment in which the tests are
played: ``make oldest`` and ``make newest``. ``python tests/versions.py wheels 3.12 3.13 3.14`` asks the index whether
every package of an installation has a wheel for these Pythons; nothing is built or installed. It needs no library.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
APART = ("deep", "bench", "all")
"""Extras that these environments leave out: ctgan and rdt hold pandas below 3, and the dashboard is tested without."""
UNPLAYED = ("mypy", "pandas-stubs", "scipy-stubs", "pip-audit")
"""Tools of the tests that look at the source alone, which is the same whatever is installed."""
PLATFORMS = [f"manylinux{age}_x86_64" for age in (1, 2010, 2014, *(f"_2_{glibc}" for glibc in range(5, 35)))]
"""All that a Linux of today takes wheels of."""


def project() -> dict[str, Any]:
    """The project's table of ``pyproject.toml``."""
    read: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return read


def ranges(*extras: str) -> list[str]:
    """What riskkit and these extras allow, a requirement each."""
    optional = project()["optional-dependencies"]
    return [*project()["dependencies"], *(line for extra in extras for line in optional[extra])]


def oldest(requirement: str) -> str:
    """The requirement, at the lowest version that it allows."""
    low = re.fullmatch(r"([\w.-]+)>=([\w.]+)(?:,.*)?", requirement)
    if low is None:
        raise ValueError(f"{requirement!r} has no lower bound.")
    return f"{low[1]}=={low[2]}"


def tools(taken: set[str]) -> Iterator[str]:
    """What the tests need beside riskkit, as it is pinned, but for what is taken already."""
    for line in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines():
        name = name_of(line)
        if name and name not in taken and name not in UNPLAYED:
            yield line


def name_of(line: str) -> str:
    """The package of a line of requirements, as indexes spell it; empty for any other line."""
    name = re.match(r"[\w.-]+", line)
    return re.sub("[-_.]+", "-", name[0]).lower() if name and line[0] not in "#-" else ""


def listed(which: str) -> list[str]:
    """What pip installs for that environment."""
    allowed = ranges(*(extra for extra in project()["optional-dependencies"] if extra not in APART))
    own = [oldest(line) for line in allowed] if which == "oldest" else allowed
    return [*own, *tools({name_of(line) for line in own})]


def wheels(python: str) -> str:
    """The packages that an installation with all extras takes for that Python, all of them as wheels."""
    extras = [extra for extra in project()["optional-dependencies"] if extra not in ("bench", "all")]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--only-binary", ":all:", "--python-version", python, "--target", folder, "--report", str(report)]
        command += [word for platform in PLATFORMS for word in ("--platform", platform)]
        subprocess.run([*command, *ranges(*extras)], check=True)
        chosen = json.loads(report.read_text(encoding="utf-8"))["install"]
    assert all(each["download_info"]["url"].endswith(".whl") for each in chosen)
    named = sorted(f"{each['metadata']['name']} {each['metadata']['version']}" for each in chosen)
    return f"Python {python}: {len(named)} wheels: {', '.join(named)}"


def main(words: list[str]) -> int:
    """Print what was asked for."""
    match words:
        case ["oldest" | "newest" as which]:
            lines = listed(which)
        case ["wheels", *pythons] if pythons:
            lines = [wheels(python) for python in pythons]
        case _:
            lines = [__doc__ or ""]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
