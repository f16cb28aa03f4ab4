"""What is handed in to contests: releases, row numbers, households, the bundle; and that no file takes much memory."""

import io
import tracemalloc
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from riskkit.errors import DesignError, FileError, SchemaError
from riskkit.jobs.store import Audit, Store
from riskkit.questions import question
from riskkit.questions.contest.entries import LINE, HandedIn, dealing, first_sample, read_guesses
from riskkit.questions.contest.plan import ContestPlan
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.source import read_up_to
from riskkit.table.text import Limits
from tests.pages.screens import csv

PLAN = ContestPlan(
    anonymisers=("stat",), attackers=("distance",), source="base", population=300, sample=60, guesses=20, rules="none"
)
CONTEST = question("contest")


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    audit = Store.default().create("Ward study")
    audit.load("real", csv(400, 0), name="real.csv")
    return audit


def test_a_release_of_the_dealt_sample_takes_part_under_its_name(audit: Audit) -> None:
    handed, tables, deal = HandedIn.read(audit), audit.tables(), dealing(PLAN, audit.revision)
    sample = first_sample(tables, PLAN, "team 1")
    assert sample.count(b"\n") == 61
    handed.take_release("team 1", sample, "ours.csv", tables.schema, deal)
    releases, own = handed.fitting(deal)
    assert [name for name, _ in releases] == ["team 1"]
    result = CONTEST.work_out(audit, replace(PLAN, given=releases, own=own))
    first = result["anonymisers"][0]
    assert (first["anonymiser"], first["uploaded"], first["worst"]["value"]) == ("team 1", True, 20)
    assert result["uploads"][0].startswith("Your release team 1 sits here")
    elsewhere = first_sample(tables, PLAN, "team 2")
    assert elsewhere != sample, "every name is dealt a sample of its own"


def test_what_was_handed_in_for_another_deal_is_left_out(audit: Audit) -> None:
    handed, tables = HandedIn.read(audit), audit.tables()
    handed.take_release(
        "team", first_sample(tables, PLAN, "team"), "t.csv", tables.schema, dealing(PLAN, audit.revision)
    )
    handed.take_rows("me", "stat", range(20), dealing(PLAN, audit.revision))
    for other in (replace(PLAN, seed=2), replace(PLAN, sample=50), replace(PLAN, mode="hide-and-seek")):
        assert handed.fitting(dealing(other, audit.revision)) == ((), ())
    assert handed.fitting(dealing(replace(PLAN, attackers=("dpi",)), audit.revision))[1][0][:2] == ("me", "stat")


def test_a_release_that_holds_what_the_files_do_not_is_refused_without_its_value(audit: Audit) -> None:
    schema = audit.tables().schema
    handed = HandedIn.read(audit)
    strange = csv(60, 0).replace(b"Quokka", b"secretcanary")
    with pytest.raises(SchemaError, match="only values that the loaded files hold") as refused:
        handed.take_release("team", strange, "t.csv", schema, "")
    assert "secretcanary" not in str(refused.value)
    with pytest.raises(SchemaError, match="no such column"):
        handed.take_release("team", b"age,ward\n" + b"40,E\n" * 60, "t.csv", schema, "")
    with pytest.raises(DesignError, match="taken by riskkit"):
        handed.take_release("control", csv(60, 0), "t.csv", schema, "")
    with pytest.raises(DesignError, match="A name has"):
        handed.take_release("=1+1", csv(60, 0), "t.csv", schema, "")
    assert handed.releases == {}


def test_a_file_goes_with_its_last_name_and_a_plan_that_needs_it_says_so(audit: Audit) -> None:
    handed, schema = HandedIn.read(audit), audit.tables().schema
    for name in ("one", "two"):
        handed.take_release(name, csv(60, 0), "t.csv", schema, "d")
    (release, *_), _ = handed.fitting("d")
    handed.drop_release("one")
    assert len(handed.release("two", release[1], schema)) == 60
    handed.drop_release("two")
    with pytest.raises(DesignError, match="hand it in again"):
        CONTEST.work_out(audit, replace(PLAN, given=(release,)))


def test_a_file_that_was_changed_is_not_played(audit: Audit) -> None:
    handed, schema = HandedIn.read(audit), audit.tables().schema
    handed.take_release("team", csv(60, 0), "t.csv", schema, "d")
    ((release,), _) = handed.fitting("d")
    (handed.folder / f"{release[1]}.csv").write_bytes(csv(60, 1))
    with pytest.raises(DesignError, match="was changed"):
        CONTEST.work_out(audit, replace(PLAN, given=(release,)))


def test_the_same_contest_leaves_the_same_bundle(audit: Audit) -> None:
    plan = replace(PLAN, bundle=True)
    path = HandedIn.read(audit).bundle(plan, audit.revision)
    made = []
    for _ in range(2):
        CONTEST.work_out(audit, plan)
        made.append(path.read_bytes())
    assert made[0] == made[1]
    names = zipfile.ZipFile(io.BytesIO(made[0])).namelist()
    assert {"README.txt", "population.csv", "samples.csv", "guesses.csv", "scores.csv", "releases/01.csv"} <= set(names)


def test_what_was_handed_in_goes_with_the_audit_and_with_its_age(audit: Audit) -> None:
    handed, schema = HandedIn.read(audit), audit.tables().schema
    handed.take_release("team", csv(60, 0), "t.csv", schema, "d")
    ((release,), _) = handed.fitting("d")
    Store.default().purge(30, now=datetime.now(UTC) + timedelta(days=29))
    assert handed.releases
    receipt = Store.default().purge(30, now=datetime.now(UTC) + timedelta(days=31))
    assert f"{release[1]}.csv" in {file.name for file in receipt.files}
    assert handed.releases == {}
    handed.take_release("team", csv(60, 0), "t.csv", schema, "d")
    audit.delete()
    assert not handed.folder.exists()


def test_without_an_audit_there_is_nothing_to_hand_in_to(audit: Audit) -> None:
    with pytest.raises(DesignError, match="reads files of its own"):
        CONTEST.run(audit.tables(), replace(PLAN, bundle=True))


DEVICE = Path("/dev/zero")
needs_devices = pytest.mark.skipif(not DEVICE.exists(), reason="needs the devices of a POSIX system")


@pytest.mark.parametrize(
    "content", [b"\n" * 15_000_000, b"1\n" * 7_500_000, b"9" * 15_000_000], ids=["blank", "one row", "one number"]
)
@pytest.mark.parametrize("is_file", [True, False], ids=["file", "bytes"])
def test_a_list_far_longer_than_what_is_wanted_is_refused_before_it_is_read(
    content: bytes, is_file: bool, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="too large for a list of so many row numbers"):
            read_guesses(path if is_file else content, 600, 100)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_long_list_within_its_bounds_is_read_line_by_line(tmp_path: Path) -> None:
    """Blank lines are nothing: as many as the file may hold cost no memory of their own."""
    wanted = 10_000
    content = b"".join(b"%d\n" % row for row in range(wanted))
    content += b"\n" * (LINE * wanted - len(content))
    tracemalloc.start()
    try:
        assert read_guesses(content, wanted, wanted).tolist() == list(range(wanted))
        assert tracemalloc.get_traced_memory()[1] < 4 * len(content)
    finally:
        tracemalloc.stop()


def test_a_heading_may_stand_after_blank_lines() -> None:
    assert read_guesses(b"\xef\xbb\xbf\n\nrow,\r\n5,\r\n 7\n", 600, 2).tolist() == [5, 7]


@needs_devices
def test_what_never_ends_is_refused() -> None:
    """A device states a size of nothing and has no end."""
    with pytest.raises(FileError, match="too large for a list"):
        read_guesses(DEVICE, 600, 100)
    with pytest.raises(FileError, match="This is a pipe or a device, no file"):
        read_csv(DEVICE, name="release.csv", limits=Limits(size=1_000_000))
    assert len(read_up_to(DEVICE, 1000)) == 1001


def test_a_file_is_read_to_its_end_and_no_further(tmp_path: Path) -> None:
    path = tmp_path / "some"
    path.write_bytes(b"12345")
    assert [read_up_to(path, most) for most in (5, 6, 4, 2)] == [b"12345", b"12345", b"12345", b"123"]
    path.write_bytes(b"")
    assert read_up_to(path, 3) == b""
