"""The manifest: of every name the hash of its bytes; read, made anew, compared and written."""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.golden import made

FILE = Path(__file__).with_name("manifest.json")
PARTS: Mapping[str, tuple[str, ...]] = {
    "typed": ("typed/",),
    "surface": ("help", "names"),
    "sample": ("report/sample/",),
    "questions": ("question/", "report/all/"),
}
"""How the names of each part begin."""
Hashes = dict[str, str]


def hashes(part: str, workers: int = 1) -> Hashes:
    """The hashes of a part as it is now; only questions have workers."""
    if part == "questions":
        with tempfile.TemporaryDirectory() as home:
            return {name: short(content) for name, content in made.question_bytes(Path(home), workers)}
    make = {"typed": made.typed_files, "surface": made.surface, "sample": made.sample_report}[part]
    return {name: short(content) for name, content in make().items()}


def short(content: bytes) -> str:
    """The first half of the SHA-256 of these bytes."""
    return hashlib.sha256(content).hexdigest()[:32]


def read(part: str = "") -> Hashes:
    """The hashes that are kept, of one part or of all."""
    every: Hashes = json.loads(FILE.read_bytes())
    return {name: kept for name, kept in every.items() if not part or name.startswith(PARTS[part])}


def write(every: Mapping[str, str]) -> None:
    """Keep these hashes."""
    FILE.write_text(json.dumps(every, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def compare(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What moved, one name a line."""
    lines = []
    for name in sorted({*before, *now}):
        if name not in now:
            lines.append(f"{name}: is gone")
        elif name not in before:
            lines.append(f"{name}: is new")
        elif before[name] != now[name]:
            lines.append(f"{name}: has other bytes")
    return lines
