"""Row numbers and releases that somebody hands in: no file, whatever it is, takes more memory than a right one."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from riskkit.errors import FileError
from riskkit.questions.contest.entries import LINE, read_guesses
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.source import read_up_to
from riskkit.table.text import Limits

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
