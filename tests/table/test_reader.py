"""Reading in a process of its own: the same table, and a sentence where memory, time or a library gives out."""

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest

from riskkit.base import process
from riskkit.errors import FileError, InputError, LayoutError, SheetError
from riskkit.table.read import files
from riskkit.table.read.files import Room, read_apart, read_file, read_path
from riskkit.table.text import Limits
from tests.table.files import AGE, CANARY, WARD, made
from tests.table.test_kinds_of_file import KINDS, ROWS, frame, workbook

pytestmark = [
    pytest.mark.second,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows holds no process to its memory"),
]

SOURCE = made({"age": AGE, "ward": WARD})


def test_the_table_is_the_same_as_read_here(tmp_path: Path) -> None:
    path = tmp_path / "real.csv"
    path.write_bytes(b";\n" + SOURCE.replace(b",", b";"))
    here = read_file(path, name="real.csv")
    for apart in (read_apart(path, name="real.csv"), read_apart(path.read_bytes(), name="real.csv")):
        assert apart.data.equals(here.data, check_metadata=True)
        assert (apart.problems, apart.sha256, apart.encoding) == (here.problems, here.sha256, here.encoding)
    target = tmp_path / "columns.parquet"
    facts = read_apart(path, target, name="real.csv", delimiter=";")
    assert (facts.rows, facts.columns) == (0, here.columns)
    assert pq.read_table(target).equals(here.data, check_metadata=True)


def test_a_refusal_comes_back_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(LayoutError) as caught:
        read_apart(b"a,b\n1,2\n" + CANARY.encode() + b"\n", name="real.csv")
    assert (caught.value.problem.code, caught.value.problem.line) == ("too_few_fields", 3)
    assert CANARY not in str(caught.value)
    with pytest.raises(SheetError) as asked:
        read_apart(workbook({"A": ROWS, "B": ROWS}), name="real.xlsx")
    assert asked.value.sheets == ("A", "B")
    with pytest.raises(FileError, match="4 MB, the limit is 1 MB"):
        read_apart(bytes(4_000_000), name="real.csv", limits=Limits(size=1_000_000))


def test_a_reading_that_wants_too_much_memory_is_a_sentence() -> None:
    """200 MB unpacked, in a process of 150 MB: this one goes on."""
    with pytest.raises(FileError, match=r"needs more than 0\.1 GB of memory"):
        read_apart(gzip.compress(SOURCE * 220_000, 1), name="real.csv", room=Room(memory=150 << 20))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak of a program's own")
def test_rows_of_a_small_archive_fill_no_memory() -> None:
    """290 MB of lines of two numbers, which a file may have, and 70 million rows, which it may not.

    The peak is that of the program alone: what the tests that start it hold is no part of it.
    """
    read = (
        "import gzip, sys; from riskkit.table.read.files import read_file; from riskkit.errors import FileError\n"
        "try: read_file(sys.stdin.buffer.read(), name='x')\n"
        "except FileError as error:\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    print(error.problem.code, next(line.split()[1] for line in lines if line.startswith('VmHWM')))"
    )
    source = gzip.compress(b"a,b\n" + b"1,2\n" * 72_500_000, 1)
    begun = subprocess.run([sys.executable, "-c", read], input=source, capture_output=True, check=True)
    code, kilobytes = begun.stdout.split()
    assert code == b"too_many_rows"
    assert int(kilobytes) < 800_000, "300 MB unpacked, what Python needs, and five million rows"


def test_a_sparse_sheet_that_is_huge_is_a_sentence() -> None:
    """One cell in the last corner: 17 thousand million cells, for which the library ends its process."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "a", CANARY
    out = io.BytesIO()
    book.save(out)
    with pytest.raises(FileError, match="of memory") as caught:
        read_apart(out.getvalue(), name="real.xlsx", room=Room(memory=1 << 30))
    assert CANARY not in str(caught.value)


def test_a_reading_begins_with_its_room_to_itself() -> None:
    """Arrow takes a GB of it where anything is asked of its memory, which is for the file."""
    start = "import pyarrow as pa; from riskkit.table.read import files; print(pa.default_memory_pool().max_memory())"
    begun = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True)
    assert int(begun.stdout) == 0


def slow(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Have the reading process do this instead of reading."""
    start = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from riskkit.table.read import files; "
    monkeypatch.setattr(files, "WORK", f"{start}files.read_file = lambda *_, **__: {body}; files.work(sys.argv[2])")


def test_a_reading_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, "__import__('time').sleep(500)")
    with pytest.raises(FileError, match="takes longer than 1 seconds"):
        read_apart(SOURCE, name="real.csv", room=Room(seconds=1))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("__import__('os').abort()", "of memory"),
        ("__import__('os').kill(__import__('os').getpid(), 11)", "signal SIGSEGV"),
        ("__import__('os')._exit(0)", "exit status 0"),
        (f"{{}}['{CANARY}']", "an unexpected KeyError"),
    ],
)
def test_whatever_ends_the_process_is_a_sentence(body: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow(monkeypatch, body)
    with pytest.raises(FileError, match=sentence) as caught:
        read_apart(SOURCE, name="real.csv")
    assert CANARY not in str(caught.value)


def test_a_reading_is_spared_what_a_server_does_to_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory goes when it ends, so it need not be overwritten before."""
    for name, value in process.FORGETTING.items():
        monkeypatch.setenv(name, value)
    slow(monkeypatch, f"__import__('os')._exit(len({set(process.FORGETTING)} & {{*__import__('os').environ}}))")
    with pytest.raises(FileError, match="exit status 0"):
        read_apart(SOURCE, name="real.csv")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["Parquet", "Excel", "SPSS", "Stata", "SAS transport"])
def test_spoilt_files_of_libraries_are_a_table_or_a_sentence(kind: str, seed: int, tmp_path: Path) -> None:
    """Bytes behind the beginning, which says what the file is, exchanged for others."""
    rng = np.random.default_rng(seed)
    content = np.frombuffer(KINDS[kind](frame(), tmp_path), dtype=np.uint8).copy()
    where = rng.integers(80, len(content), size=12)
    content[where] = rng.integers(256, size=12)
    try:
        assert read_apart(content.tobytes(), name="real.bin").columns
    except InputError as error:
        assert error.problem.code != "unexpected", "it has a sentence of its own"  # noqa: PT017


def test_no_process_is_left_when_the_one_that_waits_is_gone() -> None:
    """The limit of time is the system's, so it holds without a parent."""
    room = {"memory": 1 << 32, "seconds": 1}
    asked = {"source": None, "target": None, "name": "x", "how": {}, "limits": {}, "room": room}
    command = [sys.executable, "-c", files.WORK, json.dumps(sys.path), json.dumps(asked)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as orphan:  # nobody writes, so it waits for its file for ever
        assert orphan.wait(timeout=120) < 0


def test_what_is_not_written_in_python_is_read_apart_from_a_path_too(tmp_path: Path) -> None:
    path = tmp_path / "real.xlsx"
    path.write_bytes(workbook({"A": ROWS, "B b": ROWS[:3]}))
    assert read_path(Path(f"{path}#B b")).rows == 2
    with pytest.raises(SheetError):
        read_path(path)
