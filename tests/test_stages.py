"""Which tests belong to which stage, and which files are not even read where none of their tests is asked for."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import (
    BEGUN_FIRST,
    PLAYED_TOGETHER,
    ROOT,
    SECOND,
    SLOW,
    begun,
    has_room,
    in_turn,
    is_left_out,
    pytest_xdist_auto_num_workers,
    pytest_xdist_make_scheduler,
    unit_of,
)

FIRST, LATER, LONGEST = "not slow and not second", "second and not slow", "slow"
"""What ``make test``, ``make second`` and ``make slow`` ask for."""
BOTH = "not slow"
"""What ``make both`` asks for."""
TESTS = ROOT / "tests"


@pytest.mark.parametrize("entry", [*SECOND, *SLOW, *BEGUN_FIRST, *PLAYED_TOGETHER])
def test_what_is_in_a_stage_by_its_place_is_there(entry: str) -> None:
    place, _, name = entry.partition("::")
    assert (TESTS / place).exists()
    if name:
        assert f"def {name.partition('[')[0]}" in (TESTS / place).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "text", "left_out"),
    [
        ("stats/test_roc.py", "", {LATER, LONGEST}),
        ("stats/test_roc.py", "@pytest.mark.second", {LONGEST}),
        ("stats/test_roc.py", "@pytest.mark.slow", {LATER}),
        ("stats/test_roc.py", "\npytestmark = pytest.mark.second\n", {FIRST, LONGEST}),
        ("stats/test_roc.py", "\npytestmark = pytest.mark.slow\n", {FIRST, LATER}),
        ("stats/test_roc.py", "pytestmark = [\n    pytest.mark.second,\n    OTHER,\n]\n", {FIRST, LONGEST}),
        ("stats/test_roc.py", "pytestmark = pytest.mark.second if ODD else ()\n", {LONGEST}),
        ("stats/test_roc.py", "@pytest.mark.second  # not pytestmark = pytest.mark.second\n", {LONGEST}),
        ("journeys/test_released.py", "", {FIRST, LONGEST}),
        ("journeys/test_released.py", "@pytest.mark.slow", {FIRST}),
        ("journeys/test_no_route.py", "", {FIRST}),
        ("test_style.py", "", {LATER}),
        ("test_adding.py", "", {LATER}),
        ("contracts/test_released.py", "", {FIRST}),
    ],
)
def test_a_file_is_left_out_where_none_of_its_tests_can_be_asked_for(place: str, text: str, left_out: set[str]) -> None:
    assert {asked for asked in (FIRST, LATER, LONGEST) if is_left_out(place, text, asked)} == left_out


@pytest.mark.parametrize("asked", ["", "not slow", "slow or second", "not (slow or second)"])
def test_where_more_is_asked_for_every_file_is_read(asked: str) -> None:
    assert not any(is_left_out(place, "", asked) for place in ("stats/test_roc.py", "journeys/test_released.py"))


@pytest.mark.parametrize(
    ("place", "unit"),
    [
        ("stats/test_roc.py::test_it[a/b::c]", "stats/test_roc.py"),
        ("test_style.py::test_types_hold", "test_style.py"),
        ("journeys/test_mend.py::test_it", "journeys"),
        ("journeys/test_accessible.py::test_it", "journeys/test_accessible.py"),
    ],
)
def test_what_a_worker_plays_as_one_is_a_file_and_most_journeys_are_one_together(place: str, unit: str) -> None:
    assert unit_of(place) == unit


def test_workers_take_these_units() -> None:
    config = SimpleNamespace(option=SimpleNamespace(dist="loadfile"), getvalue=lambda _: ["popen"])
    scheduler = pytest_xdist_make_scheduler(config, None)
    assert scheduler._split_scope("tests/journeys/test_mend.py::test_it") == "journeys"
    assert scheduler._split_scope("tests/stats/test_roc.py::test_it") == "stats/test_roc.py"
    assert pytest_xdist_make_scheduler(SimpleNamespace(option=SimpleNamespace(dist="worksteal")), None) is None


def test_the_longest_units_are_begun_first_and_their_tests_stay_beside_each_other() -> None:
    places = ["attacks/test_mvl.py", "journeys/test_accessible.py", "journeys/test_mend.py", "test_style.py"]
    assert sorted(places, key=begun) == [*places[1:], places[0]]
    whole = [first for first in BEGUN_FIRST if "::" in first]
    assert whole == [], "a part of a file would be begun with, and the rest of it come later all the same"


def test_files_that_wait_are_spread_among_the_first_half_of_the_others() -> None:
    others = [f"stats/test_{number}.py" for number in range(8)]
    turns = in_turn(["attacks/test_mvl.py", "faults/test_a.py", "faults/test_b.py", "journeys", *others])
    places = sorted(turns, key=turns.__getitem__)
    assert places[:2] == ["journeys", "faults/test_a.py"]
    assert [place for place in places[2:] if place != "faults/test_b.py"] == ["attacks/test_mvl.py", *others]
    assert 3 < places.index("faults/test_b.py") < 7
    assert in_turn(["faults/test_a.py"]) == {"faults/test_a.py": 0}


LENT = re.compile(r"^(?!pytestmark\b)\w+ *(?::[^=]+)?= .*pytest\.mark\.(second|slow)\b", re.MULTILINE)
"""A mark of a stage under a name that other files could import."""


def test_a_mark_of_a_stage_stands_in_the_file_of_its_tests() -> None:
    """A mark that another file lends would not be seen there, and the tests would be played in no stage."""
    assert [path.name for path in TESTS.rglob("*.py") if LENT.search(path.read_text(encoding="utf-8"))] == []


def test_a_mark_that_is_lent_is_seen() -> None:
    assert LENT.search("import pytest\n\nLONG = pytest.mark.second\n")
    assert not LENT.search("pytestmark = pytest.mark.second\n\n\n@pytest.mark.slow\ndef test_it(): ...\n")


@pytest.mark.parametrize(
    ("room", "flags", "is_used"), [(5, 0, True), (3, 0, False), (5, os.ST_NOEXEC, False), (5, os.ST_NOSUID, True)]
)
def test_temporary_files_lie_in_memory_where_they_fit_and_programs_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, room: int, flags: int, is_used: bool
) -> None:
    place = SimpleNamespace(f_bavail=room * 2**20, f_frsize=1024, f_flag=flags)
    monkeypatch.setattr(os, "statvfs", lambda _: place)
    assert has_room(tmp_path) is is_used
    assert not has_room(tmp_path / "not there")


@pytest.mark.parametrize(("cores", "first", "later"), [(1, 2, 3), (2, 2, 3), (4, 4, 5), (64, 6, 7)])
def test_every_core_has_a_worker_and_those_that_wait_one_more_where_memory_allows(
    monkeypatch: pytest.MonkeyPatch, cores: int, first: int, later: int
) -> None:
    monkeypatch.setattr("joblib.cpu_count", lambda: cores)
    memory = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 64 * 2**30 // 4096}
    monkeypatch.setattr("os.sysconf", memory.__getitem__)
    every = (FIRST, LONGEST, LATER, BOTH)
    asked = [SimpleNamespace(option=SimpleNamespace(markexpr=expression)) for expression in every]
    assert [pytest_xdist_auto_num_workers(config) for config in asked] == [first, first, later, later]
    memory["SC_PHYS_PAGES"] = 7 * 2**30 // 4096
    assert pytest_xdist_auto_num_workers(asked[2]) == 2
