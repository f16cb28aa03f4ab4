"""What benchmarks measured, put on a page of the documentation between two marks: what people wrote there stays."""

from __future__ import annotations

from pathlib import Path


def put_between(page: Path, mark: str, text: str) -> None:
    """Replace what stands between the two marks of a page."""
    before, _, after = page.read_text(encoding="utf-8").split(mark)
    page.write_text(before + mark + text + mark + after, encoding="utf-8")
