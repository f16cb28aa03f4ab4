"""Plants faults that a colleague could commit, one at a time, and prints which test sees each.

Run alone: ``python benchmarks/mutants.py [--only NAME ...] [--list]``. The faults stand in ``benchmarks/mutants.toml``,
each with the tests that are to fail with it. The repository is copied once; in the copy every named test first passes
without any fault. A fault is *killed* where a test then fails; one that breaks the import, or that only the time limit
ends, is not. Of all faults it writes ``benchmarks/results/mutants.md``; it ends with 1 where one survives.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "benchmarks/mutants.toml"
KEPT = ROOT / "benchmarks/results/mutants.json"
PAGE = KEPT.with_suffix(".md")
LEFT_BEHIND = (".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".peers")
LIMIT, WHOLE = 600, 3600
"""Seconds for the tests of one fault, and for all tests without any."""
FAILED, PASSED = 1, 0
"""What pytest ends with where a test failed, and where all passed."""
_FIRST = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """In ``file`` the text ``old`` becomes ``new``, which ``means`` what the sentence says; ``tests`` are to see it."""

    name: str
    file: str
    old: str
    new: str
    means: str
    tests: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What changes with the fault or the tests named for it."""
        return hashlib.sha256(repr((self.file, self.old, self.new, self.tests)).encode()).hexdigest()[:16]

    def planted(self, text: str) -> str:
        """The file's text with the fault.

        Raises
        ------
        ValueError
            The text that is replaced does not stand in it just once.
        """
        times = text.count(self.old)
        if times != 1:
            raise ValueError(f"Fault {self.name!r}: its text stands {times} times in {self.file}; it must once.")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Seen:
    """The first test that failed with a fault, or why none is counted; and the seconds it took."""

    fault: Fault
    test: str
    is_killed: bool
    seconds: float


def faults() -> tuple[Fault, ...]:
    """All that stand in the table."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["fault"]
    return tuple(Fault(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries)


def run_of(root: Path, tests: Sequence[str], limit: float) -> subprocess.CompletedProcess[str]:
    """A run of these tests in that copy, up to the first that fails."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=1", *tests]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return subprocess.run(
        command, cwd=root, env={**os.environ, **threads}, capture_output=True, text=True, timeout=limit, check=False
    )


@contextmanager
def planted(root: Path, fault: Fault) -> Iterator[None]:
    """The fault, for as long as it is wanted."""
    path = root / fault.file
    text = path.read_text(encoding="utf-8")
    try:
        _write(path, fault.planted(text))
        yield
    finally:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    """The text, and no compiled one of before: one of the same length and second would be taken for it."""
    path.write_text(text, encoding="utf-8")
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def look(root: Path, fault: Fault) -> Seen:
    """Whether the tests of a fault see it."""
    start = time.monotonic()
    with planted(root, fault):
        try:
            run = run_of(root, fault.tests, LIMIT)
        except subprocess.TimeoutExpired:
            return Seen(fault, f"no test within {LIMIT} s", is_killed=False, seconds=time.monotonic() - start)
    seconds, first = time.monotonic() - start, _FIRST.search(run.stdout)
    if run.returncode == FAILED and first is not None:
        return Seen(fault, first[1], is_killed=True, seconds=seconds)
    why = "no test" if run.returncode == PASSED else f"pytest ended with {run.returncode}"
    return Seen(fault, why, is_killed=False, seconds=seconds)


def keep(seen: Sequence[Seen]) -> list[Seen]:
    """All that is known of the faults as they stand in the table: what was seen now, and what was kept before."""
    before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    now = {look.fault.name: {"fault": look.fault.digest, **_plain(look)} for look in seen}
    known = {**before, **now}
    current = [
        Seen(fault, **{name: known[fault.name][name] for name in ("test", "is_killed", "seconds")})
        for fault in faults()
        if known.get(fault.name, {}).get("fault") == fault.digest
    ]
    entries = {look.fault.name: {"fault": look.fault.digest, **_plain(look)} for look in current}
    KEPT.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(current), encoding="utf-8")
    return current


def _plain(look: Seen) -> dict[str, Any]:
    return {"test": look.test, "is_killed": look.is_killed, "seconds": round(look.seconds)}


def page(seen: Sequence[Seen]) -> str:
    """What is kept as Markdown."""
    killed, minutes = sum(look.is_killed for look in seen), sum(look.seconds for look in seen) / 60
    lines = [
        "# Faults that the tests are known to catch",
        "",
        f"By `benchmarks/mutants.py`: {killed} of {len(faults())} faults killed, in {minutes:.0f} minutes of a busy",
        "machine. Each was planted alone; the test is the first of those named for it that failed.",
        "",
        "| fault | in | what it means | killed by |",
        "|---|---|---|---|",
    ]
    for look in seen:
        by = f"`{look.test.removeprefix('tests/')}`" if look.is_killed else f"**SURVIVED** ({look.test})"
        cells = (look.fault.name, f"`{look.fault.file.removeprefix('riskkit/')}`", look.fault.means, by)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Plant the faults that are asked for, and print who kills what."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults alone")
    parser.add_argument("--list", action="store_true", help="print the faults and end")
    arguments = parser.parse_args()
    chosen = [fault for fault in faults() if not arguments.only or fault.name in arguments.only]
    if arguments.only and (unknown := set(arguments.only) - {fault.name for fault in chosen}):
        parser.error(f"There is no fault named {', '.join(sorted(unknown))}.")
    if arguments.list:
        print(*(f"{fault.name}: {fault.means} ({fault.file})" for fault in chosen), sep="\n")
        return 0
    start = time.monotonic()
    with TemporaryDirectory(prefix="riskkit-mutants-") as folder:
        root = Path(folder) / "copy"
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
        if (data := ROOT.parent / "shared").exists():  # where tests look for real tables
            (root.parent / "shared").symlink_to(data.resolve())
        for fault in chosen:
            fault.planted((root / fault.file).read_text(encoding="utf-8"))
        whole = run_of(root, sorted({test for fault in chosen for test in fault.tests}), WHOLE)
        if whole.returncode != PASSED:
            print(whole.stdout[-3000:], "The tests do not pass without a fault.", sep="\n")
            return 1
        seen = []
        for fault in chosen:
            seen.append(look(root, fault))
            word = seen[-1].test if seen[-1].is_killed else f"SURVIVED ({seen[-1].test})"
            print(f"{fault.name:<45} {seen[-1].seconds:5.0f} s  {word}", flush=True)
    killed = sum(look.is_killed for look in seen)
    print(f"{killed}/{len(seen)} killed in {(time.monotonic() - start) / 60:.0f} minutes")
    keep(seen)
    return 0 if killed == len(seen) else 1


if __name__ == "__main__":
    sys.exit(main())
