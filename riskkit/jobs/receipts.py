"""What was removed, in a form that can be kept: hashes and counts, nothing of what was in the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Removed:
    """A file that is gone: a name that says what it was, its SHA-256 and its size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What went, and when (UTC). ``rows`` counts rows of the store by what they were.

    ``compacted`` says whether the room of the rows was given back to the disk; their content was overwritten either way
    where the store is SQLite.
    """

    what: str
    at: str
    audits: tuple[str, ...]
    files: tuple[Removed, ...]
    rows: dict[str, int]
    compacted: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For people, a line each."""
        lines = [f"{self.what}, {self.at}"]
        lines += [f"audit {audit[:8]}" for audit in self.audits]
        lines += [f"{file.name}: {file.size:,} bytes, SHA-256 {file.sha256}" for file in self.files]
        lines += [f"{count:,} {name}" for name, count in self.rows.items() if count]
        return [*lines, "" if self.compacted else "The store could not be compacted now; that is done the next time."]


def now_text(now: datetime | None = None) -> str:
    """A moment as receipts write it."""
    return (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def removed(paths: Iterable[Path]) -> tuple[Removed, ...]:
    """Remove these files, and say what they were."""
    out = []
    for path in sorted(paths):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        out.append(Removed(path.name, digest, path.stat().st_size))
        path.unlink()
    return tuple(out)
