"""The result of a self-test, and where the last one is kept for evidence packs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskkit.audit.report_facts import versions


@dataclass(frozen=True, slots=True)
class SelftestCheck:
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

    checks: tuple[SelftestCheck, ...]
    versions: dict[str, str]

    @property
    def is_passed(self) -> bool:
        """Whether the installed engine measured every planted leak rightly."""
        return all(check.passed for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "passed": self.is_passed,
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
