"""Any file of a table: CSV, Parquet, an Excel workbook, a file of a statistics program; alone, or packed in an archive.

All of them become text columns, and are typed by the same rules and refused with the same sentences. Some are read in a
process of their own, under limits of memory and time. A server that read the files of its users itself would stand
still for all of them while it reads a strange one, and fall with it: libraries that read workbooks and the like are not
written in Python and may end the process they run in. Here nothing but this one reading ends, with a sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from riskkit import errors
from riskkit.base import process, stages
from riskkit.errors import (
    EncodingError,
    FileError,
    Gravity,
    InputError,
    Problem,
    SheetError,
    describe_error,
    describe_exit,
)
from riskkit.phrases import phrase
from riskkit.table.read.columnar import MAGIC, kind_of, read_parquet, read_statistical
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.encodings import GUESS, again
from riskkit.table.read.source import ZIP, beginning, bytes_of, hash_file, is_packed, is_workbook, unpack
from riskkit.table.text import Limits, TextTable

_SHEET = re.compile(r"(.+\.xls[xm](?:\.zip|\.gz)?)#(.+)", re.IGNORECASE | re.DOTALL)
_LIMITS = Limits()


def read_file(
    source: bytes | Path,
    *,
    name: str,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str = "",
    total: bool = True,
    limits: Limits = _LIMITS,
) -> TextTable:
    """The file as text columns.

    Parameters
    ----------
    source : bytes or Path
        The file's bytes, or where it lies.
    name : str
        What to call the file in sentences.
    encoding, delimiter, header, total
        As for :func:`~riskkit.table.read.csv_text.read_csv`; what a kind of file has not is not looked at.
    sheet : str
        The sheet of a workbook; may be empty where one sheet alone is filled.
    limits : Limits
        How large the file may be, also when unpacked.

    Raises
    ------
    InputError
        The file cannot be used as it is.
    """
    if isinstance(source, Path) and not sheet and beginning(source).startswith(MAGIC):
        sha256, size = hash_file(source, name, limits)
        text = read_parquet(source, name=name, total=total, limits=limits)
        return replace(text, sha256=sha256, size=size)
    raw = bytes_of(source, name, limits)
    sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    packed = is_packed(raw)
    if packed:
        raw = unpack(raw, name, limits)
    is_excel = is_workbook(raw)
    if sheet and not is_excel:
        raise FileError.of(
            "no_workbook",
            phrase("A sheet was chosen, but this is no Excel workbook."),
            phrase("Leave the sheet out."),
            file=name,
        )
    if is_excel:
        from riskkit.table.read.sheets import read_sheet  # not at the top: few files are workbooks

        text = read_sheet(raw, name=name, sheet=sheet, header=header, total=total, limits=limits)
    elif raw.startswith(MAGIC):
        text = read_parquet(raw, name=name, total=total, limits=limits)
    elif kind_of(raw) is not None:
        text = read_statistical(raw, name=name, encoding=encoding, total=total, limits=limits)
    else:
        text = read_csv(
            raw, name=name, encoding=encoding, delimiter=delimiter, header=header, total=total, limits=limits
        )
    problems = text.problems
    if packed:
        what = phrase("The file was unpacked from an archive.")
        problems = (Problem(Gravity.REPAIR, "unpacked", what, "", name), *problems)
    return replace(text, sha256=sha256, size=size, problems=problems)


def split_sheet(path: Path) -> tuple[Path, str]:
    """The file, and the sheet that is named behind it: ``people.xlsx#Sheet 1``."""
    sheet = _SHEET.fullmatch(str(path))
    if sheet is None or path.exists():
        return path, ""
    return Path(sheet.group(1)), sheet.group(2)


WORK = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from riskkit.table.read.files import work; work(sys.argv[2])"
)
"""What the reading process runs: it finds the modules that this one finds, and no others."""


@dataclass(frozen=True, slots=True)
class Room:
    """What one reading may take: bytes of memory, and seconds."""

    memory: int = 4 << 30
    seconds: int = 60


Buffer = bytes | memoryview
_ROOM = Room()
_DAY = 24 * 3600
_TIMED_OUT = 1 << 20
"""No status that a process ends with."""
_SEATS = threading.BoundedSemaphore(2)
"""Files that one server reads at once; who comes later waits, so that memory is not taken many times over."""


def read_apart(
    source: Path | bytes,
    target: Path | None = None,
    *,
    name: str,
    limits: Limits | None = None,
    room: Room = _ROOM,
    **how: Any,
) -> TextTable:
    """What :func:`~riskkit.table.read.files.read_file` returns, read in another process.

    Parameters
    ----------
    source : Path or bytes
        The file, or what is in it.
    target : Path, optional
        Where its text columns are written to, as Parquet. The table that is returned has none of their rows then.
    name : str
        What to call the file in sentences.
    limits : Limits, optional
        How large the file may be.
    room : Room
        What the reading may take.
    **how
        Further parameters of ``read_file``.

    Raises
    ------
    InputError
        The file cannot be used as it is, or takes more memory or time than there is.
    OSError
        ``target`` cannot be written.
    """
    asked = {
        "source": str(source) if isinstance(source, Path) else None,
        "target": None if target is None else str(target),
        "name": name,
        "how": how,
        "limits": asdict(limits or Limits()),
        "room": asdict(room),
    }
    with _SEATS:
        out, status = _output(asked, source, room)
    head, _, columns = out.partition(b"\n")
    try:
        answer: dict[str, Any] = json.loads(head)
    except ValueError:
        raise _exit_error(name, room, status) from None
    if "problem" in answer:
        raise _refusal(answer)
    if "stray" in answer:
        what = phrase(
            "It could not be read: {error}. What was said is not shown: it may be values of the table.",
            error=answer["stray"],
        )
        raise FileError.of("unexpected", what, phrase("Export the table as CSV."), file=name)
    if "memory" in answer:
        raise _too_much(name, room)
    if "errno" in answer:
        raise OSError(answer["errno"], os.strerror(answer["errno"]))
    data = pq.read_table(pa.BufferReader(columns)) if target is None else pq.read_schema(target).empty_table()
    problems = tuple(map(Problem.from_plain, answer["problems"]))
    return TextTable(**{**answer["facts"], "problems": problems, "data": data})


def _output(asked: Mapping[str, Any], source: Path | bytes, room: Room) -> tuple[bytes, int]:
    """What the other process prints, and how it ended; nothing where it had to be ended from here."""
    path = json.dumps([place for place in sys.path if isinstance(place, str)])
    reading = subprocess.Popen(
        [sys.executable, "-P", "-c", WORK, path, json.dumps(asked)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**process.quick(os.environ), "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    try:
        out, _ = reading.communicate(b"" if isinstance(source, Path) else source, timeout=room.seconds + 30)
    except subprocess.TimeoutExpired:  # it ends itself, but not on Windows
        return b"", _TIMED_OUT
    finally:
        if reading.poll() is None:
            reading.kill()
            reading.communicate()
    return out, reading.returncode


def read_path(path: Path, *, limits: Limits | None = None, encoding: str | None = None) -> TextTable:
    """The table in a file, or in that sheet of a workbook: ``people.xlsx#Sheet 1``.

    What a library that is not written in Python reads is read in another process, for it may end the one it runs in.
    ``encoding`` is what a person says how the letters of a text are written; what has none does not look at it.

    Raises
    ------
    InputError
        The file cannot be used as it is.
    """
    file, sheet = split_sheet(path)
    stages.say(phrase("Reading {file}", file=file.name))
    limits = limits or Limits()
    first = beginning(file)
    if first.startswith(ZIP) or kind_of(first) is not None:
        room = Room(memory=max(_ROOM.memory, 12 * limits.size), seconds=_DAY)
        return read_apart(file, name=file.name, sheet=sheet, encoding=encoding, limits=limits, room=room)
    return read_file(file, name=file.name, sheet=sheet, encoding=encoding, limits=limits)


def _too_long(name: str, room: Room) -> InputError:
    what = phrase("Reading the file takes longer than {seconds:,} seconds.", seconds=room.seconds)
    return FileError.of("too_slow", what, phrase("Take a random part of the rows, or export it as CSV."), file=name)


def _too_much(name: str, room: Room) -> InputError:
    what = phrase("Reading the file needs more than {memory:,.1f} GB of memory.", memory=room.memory / (1 << 30))
    return FileError.of("too_much_memory", what, phrase("Take a random part of the rows."), file=name)


def _exit_error(name: str, room: Room, status: int) -> InputError:
    """What to say of a process that left no answer."""
    if status == _TIMED_OUT:
        return _too_long(name, room)
    if sys.platform != "win32":
        if status in (-signal.SIGALRM, -signal.SIGXCPU):
            return _too_long(name, room)
        if status in (-signal.SIGABRT, -signal.SIGKILL):  # by a library that found no memory, and by the system
            return _too_much(name, room)
    what = phrase("The process that read the file {ended}; the file may be damaged.", ended=describe_exit(status))
    return FileError.of("reader_ended", what, phrase("Export the table as CSV."), file=name)


def _refusal(answer: Mapping[str, Any]) -> InputError:
    problem = Problem.from_plain(answer["problem"])
    if answer["sheets"]:
        return SheetError(problem, tuple(answer["sheets"]))
    kind: type[InputError] = getattr(errors, answer["kind"])
    return kind(problem)


# --------------------------------------------------------------------------------------------------------------
# In the other process


def work(request: str) -> None:
    """Read the file that the request names, write its columns, and print the rest as JSON."""
    asked = json.loads(request)
    _confine(Room(**asked["room"]))
    answer, columns = _answer(asked)
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.write(columns)
    sys.stdout.buffer.flush()


def _answer(asked: Mapping[str, Any]) -> tuple[dict[str, Any], Buffer]:
    """What is to be said of the file, and its columns where no place was named for them."""
    try:
        source = sys.stdin.buffer.read() if asked["source"] is None else Path(asked["source"])
        text = read_file(source, name=asked["name"], limits=Limits(**asked["limits"]), **asked["how"])
        columns = _as_parquet(text, asked["target"])
    except InputError as error:
        sheets = list(error.sheets) if isinstance(error, SheetError) else []
        return {"problem": error.problem.plain(), "kind": type(error).__name__, "sheets": sheets}, b""
    except MemoryError:
        return {"memory": True}, b""
    except OSError as error:
        return {"errno": error.errno}, b""
    except Exception as stray:  # noqa: BLE001  its text may hold a cell; its kind and place may not
        return {"stray": describe_error(stray)}, b""
    facts = {field.name: getattr(text, field.name) for field in fields(text) if field.init}
    del facts["data"], facts["problems"]
    return {"facts": facts, "problems": [problem.plain() for problem in text.problems]}, columns


def _as_parquet(text: TextTable, target: str | None) -> Buffer:
    """The columns as Parquet; nothing where they were written to a file."""
    if target is None:
        stream = pa.BufferOutputStream()
        pq.write_table(text.data, stream)
        return memoryview(stream.getvalue())
    with Path(target).open("wb") as file:
        pq.write_table(text.data, file)
        file.flush()
        os.fsync(file.fileno())
    return b""


def _confine(room: Room) -> None:
    """Have the system hold this process to its room, even where the one that waits for it is gone."""
    if sys.platform == "win32":  # there the waiting process ends it
        return
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (room.memory, room.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(room.seconds)


NO_ENCODINGS: Mapping[str, str] = {}
NO_TEXTS: Mapping[str, TextTable] = {}


def read_together(
    paths: Mapping[str, Path],
    *,
    limits: Limits | None = None,
    encodings: Mapping[str, str] = NO_ENCODINGS,
    beside: Mapping[str, TextTable] = NO_TEXTS,
) -> dict[str, TextTable]:
    """The files by slot, each as :func:`~riskkit.table.read.files.read_path` reads it.

    ``encodings`` are those that a person says, by slot; under ``""`` that of every file that does not show its own.
    ``beside`` are tables of the same people that are read already.

    Raises
    ------
    InputError
        A file cannot be used as it is.
    """

    def read(slot: str, encoding: str | None) -> TextTable:
        return read_path(paths[slot], limits=limits, encoding=encoding)

    usual, texts = encodings.get(""), {}
    for slot in paths:
        try:
            texts[slot] = read(slot, encodings.get(slot))
        except EncodingError:
            if slot in encodings or not usual:
                raise
            texts[slot] = read(slot, usual)
    if usual:
        return {slot: read(slot, usual) if text.encoding_from == GUESS else text for slot, text in texts.items()}
    return texts | again({**beside, **texts}, read)
