"""Files that once hung the reader, crashed it, or gave a record away as names."""

import os
import socket
import sys
from pathlib import Path

import pytest

from riskkit.errors import FileError, InputError
from riskkit.table.read.csv_text import _end_of_text
from riskkit.table.read.encodings import _sample
from riskkit.table.read.files import read_file, read_path
from riskkit.table.read.header import Head
from riskkit.table.text import Limits
from tests.table.files import CANARY, codes, text

# --------------------------------------------------------------------------------------------------------------
# Time grows with the size of a file, not with its square: what ends here in a blink took minutes to hours

hangs = pytest.mark.timeout(60)


@hangs
def test_a_long_line_is_looked_at_once() -> None:
    """A megabyte without a line end did not end in 150 seconds."""
    line = b"x" * 1_000_000
    assert _sample(line) == b""
    assert _sample(line + b"\n\xe9t\xe9\n") == b"\xe9t\xe9\n"
    assert _sample(line + b"\xe9") == b"\xe9"
    with pytest.raises(FileError, match=r"The line has more than|cell"):
        text(b"a,b\n1," + line * 3 + b"\n2,\xe9\n")


@hangs
def test_a_long_cell_of_another_encoding_is_refused_by_its_place() -> None:
    with pytest.raises(FileError) as caught:
        text(b"name,text\nAlice," + b"long " * 14_000 + b"\nM\xfcller,short\n")
    assert (caught.value.problem.code, caught.value.problem.column) == ("cell_too_long", "text")
    read = text(b"name,text\nAlice," + b"long " * 12_000 + b"\nM\xfcller,short\n")
    assert (read.encoding, read.rows, codes(read.problems)) == ("cp1252", 2, ["encoding_guess"])


def test_the_sample_holds_lines_beyond_ascii_up_to_a_size() -> None:
    near, far = b"abc,\xe9,d\n", b"y" * 5_000 + b"\xe8 end\n"
    assert _sample(b"plain\n" + near + b"plain\n" + far) == near + b"\xe8 end\n"
    assert len(_sample((b"\xe9" * 99 + b"\n") * 9_000)) == 200_000


@hangs
def test_blank_lines_at_the_end_are_cut_off_at_once() -> None:
    blank = b" \t\n" * 300_000
    table = text(b"a,b\n" + b"x,y\n" * 200_000 + blank)
    assert table.rows == 200_000
    head = Head(("a", "b"), 2, ",", 4, 2)
    assert _end_of_text(b"a,b\nx,y  \n \n", head) == len(b"a,b\nx,y  ")
    assert _end_of_text(b"a,b\nx,y \t", head) == len(b"a,b\nx,y \t")
    assert _end_of_text(b"a,b\n \n", head) == 4
    tabs = Head(("a", "b"), 2, "\t", 4, 2)
    assert _end_of_text(b"a\tb\nx\ty\n\t\n", tabs) == len(b"a\tb\nx\ty\n\t"), "a record of two missing values"


@hangs
def test_stray_quotes_of_long_lines_are_counted_once_a_line() -> None:
    names, plain, doubled, long = map(
        ",".join, ([f"n{index}" for index in range(15)], "x" * 15, ['"a ""b"""', *"x" * 14], ['a"b' * 20_000] * 15)
    )
    table = text("\n".join((names, plain, *[long] * 12, doubled)).encode())
    (problem,) = table.problems
    assert (problem.code, problem.count, problem.line) == ("stray_quote", 12, 3)


@pytest.mark.parametrize("digits", [4_301, 60_000])
def test_names_of_thousands_of_digits_are_no_positions(digits: int) -> None:
    """Python makes no number of a text of more than 4,300 digits."""
    table = text(b"1" * digits + b",2,3\nx,y,z\n")
    assert table.rows == 2
    assert "no_header" in codes(table.problems)


# --------------------------------------------------------------------------------------------------------------
# A first record is not swallowed as names

RECORDS = {
    "names and a category": "Alice {0},north\nBob,south\nCarol,north\nDave,north\n",
    "two unique columns": "Alice {0},12 Oak,north,a\nBob,3 Elm,south,b\nCarol,9 Ash,north,a\nDave,1 Fir,south,b\n",
    "names and one number": "Alice {0},34,north\nBob,35,south\nCarol,34,north\nDave,61,south\n",
    "codes of one shape": "A-17,{0} x\nA-18,b\nA-19,c\nA-20,d\n",
    "addresses": "{0}@mail.example,x\nb@mail.example,y\nc@post.example,z\n d@post.example,w\n",
    "names and a day": "Alice {0},red wine,2020-01-31\nBob,beer,2020-02-29\nEve,ale,2021-01-01\nDave,gin,2021-01-02\n",
}


@pytest.mark.parametrize("case", RECORDS)
def test_a_file_without_names_keeps_its_first_record(case: str) -> None:
    source = RECORDS[case].format(CANARY)
    table = text(source.encode())
    assert table.rows == 4
    assert all(name.startswith("column ") for name in table.columns)
    assert codes(table.problems) == ["no_header"]
    assert CANARY not in table.problems[0].sentence()


@pytest.mark.parametrize(
    "source",
    [
        "name,ward\nAlice,north\nBob,south\nCarol,north\nDave,north\n",
        "name,email\nAlice,a@b.c\nBob,b@b.c\nCarol,c@b.c\nDave,d@b.c\n",
        "code,ward\nA-17,x\nA-18,y\nA-19,z\nA-20,x\n",
        "name,age\nAlice,34\nBob,35\nCarol,34\n",
        "a,b,c\n1,x,2\n2,y,3\n3,z,4\n",
        "first,second\nx,y\nz,w\nq,r\n",
        ",ward\n0,north\n1,south\n2,north\n3,north\n",
        "country,region,2001,2002,2003\nA,x,1,2,3\nB,y,1,2,3\nC,x,4,5,6\n",
        "yes,no\nyes,yes\nno,no\nyes,no\nno,yes\n",
    ],
)
def test_names_stay_names(source: str) -> None:
    table = text(source.encode())
    first = source.split("\n", 1)[0].split(",")
    assert table.columns == tuple(name for name in first if name)


# --------------------------------------------------------------------------------------------------------------
# What is no file


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_path(path)
    assert caught.value.problem.file == path.name
    return caught.value.problem.code


@hangs
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_pipes_devices_and_folders_are_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.csv")
        paths = ["pipe.csv", "socket.csv", "/dev/zero", "/dev/null", "/dev/full", ".", "/proc/self/fd"]
        assert [refused(Path(path)) for path in paths] == ["no_file"] * 7


@pytest.mark.parametrize("name", ["not there.csv", "n" * 300, "a\0b", "file/below"])
def test_what_cannot_be_opened_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refused(tmp_path / name) == "unreadable"


@hangs
@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="there is no such system here")
def test_a_file_that_does_not_say_its_size_is_read_to_the_limit(tmp_path: Path) -> None:
    """Files of the system have 0 bytes, whatever they hold."""
    with pytest.raises(FileError) as caught:
        read_file(Path("/proc/self/smaps"), name="smaps", limits=Limits(size=100))
    assert caught.value.problem.code == "too_large"


@pytest.mark.parametrize("limit", [10, 11])
def test_the_limit_names_the_option_that_raises_it(limit: int) -> None:
    source = b"a,b\nx,y\nz,w"
    if limit >= len(source):
        assert read_file(source, name="x", limits=Limits(size=limit)).rows == 2
    else:
        with pytest.raises(FileError, match=r"command line with a higher limit \(--largest\)"):
            read_file(source, name="x", limits=Limits(size=limit))
