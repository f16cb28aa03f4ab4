"""The self-test: leaks of known size are planted, and what the installed engine makes of them is set beside the truth.

Every check makes its own table from one seed, so that it needs no file and gives the same bytes on every machine of one
kind. What it plants is known by a closed form or by counting, never by the engine itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from riskkit.audit.reporting import versions
from riskkit.audit.selftest_planted import CHECKS


@dataclass(frozen=True, slots=True)
class Check:
    """One planted leak: what is expected, what was measured, whether the two agree, and how long it took."""

    name: str
    plain: str
    expected: str
    measured: str
    passed: bool
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the time: the same installation gives the same bytes."""
        return {
            "name": self.name,
            "plain": self.plain,
            "expected": self.expected,
            "measured": self.measured,
            "passed": self.passed,
        }


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Every check, and what was calculated with."""

    checks: tuple[Check, ...]
    versions: dict[str, str]

    @property
    def passed(self) -> bool:
        """Whether the installed engine measured every planted leak rightly."""
        return all(check.passed for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "passed": self.passed,
            "checks": [check.as_dict() for check in self.checks],
            "versions": dict(self.versions),
        }


KEPT = "selftest.json"
"""The file of the last self-test, in the folder of the store."""


def keep(result: SelfTest, home: Path) -> bytes:
    """Write the result into the folder of the store, for evidence packs; returns what was written."""
    content = (json.dumps(result.as_dict(), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    scratch = home / f".{KEPT}"
    scratch.write_bytes(content)
    scratch.replace(home / KEPT)
    return content


def last(home: Path) -> bytes | None:
    """The last self-test of this very installation, for evidence packs; None where there is none, or of another one."""
    try:
        content = (home / KEPT).read_bytes()
        kept = json.loads(content)
    except (OSError, ValueError):
        return None
    return content if isinstance(kept, dict) and kept.get("versions") == versions() else None


def selftest(progress: Callable[[int, int, str], None] = lambda *_: None) -> SelfTest:
    """Run every check; ``progress`` is told how many are done of how many, and which comes next."""
    done = []
    with threadpool_limits(1):
        for at, planted in enumerate(CHECKS):
            progress(at, len(CHECKS), planted.plain)
            start = time.perf_counter()
            expected, measured, passed = planted.measure()
            seconds = time.perf_counter() - start
            done.append(Check(planted.name, planted.plain, expected, measured, passed, seconds))
    progress(len(CHECKS), len(CHECKS), "")
    return SelfTest(tuple(done), versions())
