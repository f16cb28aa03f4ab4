"""Every byte is the one that is kept: typed files, help, names and reports, and what jobs keep of every question."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.golden import made
from tests.golden.manifest import PARTS, compare, hashes, read
from tests.table.corpus import CORPUS

WRITE = "If these bytes are meant, write them with `python -m tests.golden` and let the commit say why they moved."


def held(part: str, now: Mapping[str, str]) -> None:
    """Refuse other bytes than those that are kept, by name."""
    moved = compare(read(part), now)
    assert not moved, "\n".join([*moved, WRITE])


@pytest.mark.locked
@pytest.mark.parametrize("part", [part for part in PARTS if part != "questions"])
def test_bytes_are_those_that_are_kept(part: str) -> None:
    held(part, hashes(part))


@pytest.mark.second
@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_questions_keep_the_bytes_that_are_kept(workers: int) -> None:
    held("questions", hashes("questions", workers))


def test_a_number_that_changes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CORPUS["5"]
    monkeypatch.setattr(made, "CORPUS", {"5": replace(case, real=case.real.replace(b"31", b"32", 1))})
    before = {name: kept for name, kept in read("typed").items() if name == "typed/5"}
    assert compare(before, hashes("typed")) == ["typed/5: has other bytes"]


def test_what_moved_is_named() -> None:
    kept = {"same": "1", "other": "2", "old": "3"}
    assert compare(kept, {"same": "1", "other": "9", "new": "4"}) == [
        "new: is new",
        "old: is gone",
        "other: has other bytes",
    ]
