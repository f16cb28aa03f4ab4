"""The bytes of a file, wherever it lies and packed or not: what it is by them, and no more than may be read."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from riskkit.errors import FileError, Gravity, InputError, Problem
from riskkit.phrases import phrase
from riskkit.table.text import Limits

_BEGINNING, _BLOCK = 4096, 1 << 20


def bytes_of(source: bytes | Path, name: str, limits: Limits) -> bytes:
    """The file's bytes, refused before they are read where there are too many.

    Raises
    ------
    FileError
        It is over the limit, cannot be opened, or is no ordinary file: a pipe or a device may never come to an end.
    """
    if isinstance(source, bytes):
        check_size(len(source), name, limits)
        return source
    with _open(source, name, limits) as (file, size):
        content = file.read(size or limits.size + 1)
    _check_whole(len(content), size, name, limits)
    return content


def beside_table(parts: Sequence[str], name: str) -> tuple[Problem, ...]:
    """A question where a file holds such parts beside the table that was read: whoever gets it sees all of it."""
    if not parts:
        return ()
    what = phrase("The file holds more than the table that was read: {parts}.", parts=tuple(dict.fromkeys(parts)))
    do = phrase("Save the table alone in a file and release that; until then it cannot be shown that there is no leak.")
    return (Problem(Gravity.QUESTION, "unread_parts", what, do, name),)


def hash_file(source: Path, name: str, limits: Limits) -> tuple[str, int]:
    """The SHA-256 of a file and its size, with no more than a block of it in memory.

    Raises
    ------
    FileError
        As :func:`bytes_of` says.
    """
    digest, count = hashlib.sha256(), 0
    with _open(source, name, limits) as (file, size):
        while block := file.read(_BLOCK):
            digest.update(block)
            count += len(block)
    _check_whole(count, size, name, limits)
    return digest.hexdigest(), count


@contextmanager
def _open(source: Path, name: str, limits: Limits) -> Iterator[tuple[BinaryIO, int]]:
    """An ordinary file that may be read, and the bytes that it says it has."""
    try:
        size = _size(source, name, limits)
        with source.open("rb") as file:
            yield file, size
        return
    except OSError as error:
        why = error.strerror.lower() if error.strerror else phrase("it cannot be opened")
    except ValueError:
        why = phrase("its name holds a NUL")
    what = phrase("The file cannot be read: {why}.", why=why)
    raise FileError.of("unreadable", what, phrase("Check the path."), file=name)


def _size(source: Path, name: str, limits: Limits) -> int:
    """The bytes that an ordinary file says it has."""
    about = source.stat()
    if not stat.S_ISREG(about.st_mode):
        what = (
            phrase("This is a folder, no file.")
            if stat.S_ISDIR(about.st_mode)
            else phrase("This is a pipe or a device, no file.")
        )
        raise FileError.of("no_file", what, phrase("Save the table in a file."), file=name)
    check_size(about.st_size, name, limits)
    return about.st_size


def _check_whole(count: int, size: int, name: str, limits: Limits) -> None:
    """Raise where more was read than may be, or less than the file said it has."""
    check_size(count, name, limits)
    if count < size:
        what = phrase("The file became shorter while it was read.")
        raise FileError.of("cut_short", what, phrase("Copy it again, then load it."), file=name)


def beginning(path: Path) -> bytes:
    """The first bytes of an ordinary file; none where it is another thing or cannot be opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except (OSError, ValueError):
        return b""


def check_size(size: int, name: str, limits: Limits, what: str = phrase("The file has")) -> None:
    """Raise :class:`FileError` where there are more bytes than may be read."""
    if size > limits.size:
        raise FileError.of(
            "too_large",
            phrase(
                "{what} {size:,.0f} MB, the limit is {limit:,.0f} MB.",
                what=what,
                size=size / 1e6,
                limit=limits.size / 1e6,
            ),
            phrase("Take a random part of the rows, or use the command line with a higher limit (--largest)."),
            file=name,
            count=size,
        )


def read_up_to(path: Path, most: int) -> bytes:
    """The bytes of a file, or ``most + 1`` of them where it has more: whoever asks then knows that it is too large.

    What states no size, such as a device or a pipe, is not believed to be empty, and a file that grows meanwhile is not
    followed.

    Raises
    ------
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(min(size or most, most) + 1)


GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_OFFICE = "[Content_Types].xml"
"""What every document of Office holds."""
_HEAD = 8192
_DAMAGE = (
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What the libraries raise for an archive that is not as it should be."""


def is_workbook(source: bytes) -> bool:
    """Whether the bytes are an Excel workbook (.xlsx), which is a ZIP archive of a known inside."""
    if not source.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            return any(member.filename.startswith("xl/") for member in archive.infolist())
    except _DAMAGE:
        return any(sign in source[:_HEAD] for sign in (_OFFICE.encode(), b"docProps/", b"xl/"))


def is_packed(source: bytes) -> bool:
    """Whether the bytes are an archive that :func:`unpack` opens."""
    if source.startswith(ZIP) and b"mimetypeapplication/vnd.oasis" in source[:200]:
        return False
    return source.startswith((GZIP, ZIP, EMPTY_ZIP)) and not is_workbook(source)


def unpack(source: bytes, name: str, limits: Limits) -> bytes:
    """The one file in the archive.

    Raises
    ------
    FileError
        It is damaged, has a password, holds no file or several, holds an archive again, or is too large when unpacked.
    """
    try:
        content = _from_gzip(source, limits) if source.startswith(GZIP) else _from_zip(source, name, limits)
    except InputError:
        raise
    except _DAMAGE:
        raise FileError.of(
            "broken_archive", phrase("The archive is damaged or cut off."), phrase("Pack or copy it again."), file=name
        ) from None
    check_size(len(content), name, limits, phrase("Unpacked the file has at least"))
    if is_packed(content):
        raise FileError.of(
            "packed_twice",
            phrase("The archive holds an archive again."),
            phrase("Unpack it, and load what is in it."),
            file=name,
        )
    return content


def _from_gzip(source: bytes, limits: Limits) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(source)) as packed:
        return packed.read(limits.size + 1)


def _from_zip(source: bytes, name: str, limits: Limits) -> bytes:
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        members = [member for member in archive.infolist() if _is_content(member)]
        if any(member.filename == _OFFICE for member in members):
            raise FileError.of(
                "not_csv",
                phrase("This is an Office document without sheets."),
                _EXPORT_TABLE,
                file=name,
            )
        if len(members) != 1:
            raise FileError.of(
                "several_files" if members else "empty_archive",
                phrase("The archive holds {files:,} files.", files=len(members))
                if members
                else phrase("The archive holds no file."),
                phrase("Pack the one table alone, or load it unpacked."),
                file=name,
                count=len(members),
            )
        if members[0].flag_bits & 1:
            raise FileError.of(
                "password", phrase("The archive has a password."), phrase("Load the file unpacked."), file=name
            )
        check_size(members[0].file_size, name, limits, phrase("Unpacked the file has"))
        blocks: list[bytes] = []
        size = 0
        with archive.open(members[0]) as packed:
            while size <= limits.size and (block := packed.read(_BLOCK)):
                blocks.append(block)
                size += len(block)
    return b"".join(blocks)


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Whether it is a file that a person packed: no folder, and nothing that a system put beside."""
    path = PurePosixPath(member.filename)
    return not member.is_dir() and path.parts[:1] != ("__MACOSX",) and not path.name.startswith(".")


_EXPORT, _EXPORT_TABLE = phrase("Export it as CSV."), phrase("Export the table as CSV.")
_UNPACK = phrase("Unpack it first and load the CSV.")
_MAGIC = (
    (b"\xd0\xcf\x11\xe0", phrase("an old Excel workbook (.xls) or another Office file"), _EXPORT),
    (b"%PDF", phrase("a PDF document"), _EXPORT_TABLE),
    (b"\x89PNG", phrase("a PNG image"), _EXPORT_TABLE),
    (b"\xff\xd8\xff", phrase("a JPEG image"), _EXPORT_TABLE),
    (b"GIF8", phrase("a GIF image"), _EXPORT_TABLE),
    (b"PAR1", phrase("a Parquet file"), _EXPORT),
    (b"ARROW1", phrase("an Arrow file"), _EXPORT),
    (b"FEA1", phrase("a Feather file"), _EXPORT),
    (b"{\\rtf", phrase("a document in rich text (RTF)"), _EXPORT_TABLE),
    (b"\x1f\x8b", phrase("a gzip archive"), _UNPACK),
    (b"BZh", phrase("a bzip2 archive"), _UNPACK),
    (b"\xfd7zXZ", phrase("an xz archive"), _UNPACK),
    (b"\x28\xb5\x2f\xfd", phrase("a zstd archive"), _UNPACK),
    (b"7z\xbc\xaf", phrase("a 7-Zip archive"), _UNPACK),
    (b"Rar!", phrase("a RAR archive"), _UNPACK),
    (b"SQLite format 3\x00", phrase("an SQLite database"), _EXPORT_TABLE),
    (b"$FL2", phrase("an SPSS file"), _EXPORT),
    (b"<stata_dta>", phrase("a Stata file"), _EXPORT),
    (b"\x89HDF\r\n", phrase("an HDF5 file"), _EXPORT_TABLE),
    (b"Obj\x01", phrase("an Avro file"), _EXPORT_TABLE),
    (b"\x93NUMPY", phrase("a NumPy array"), _EXPORT_TABLE),
    (b"PARE", phrase("an encrypted Parquet file"), phrase("Export it without encryption.")),
    (b"RDX2\n", phrase("a file of R"), _EXPORT_TABLE),
    (b"RDX3\n", phrase("a file of R"), _EXPORT_TABLE),
    (b"X\n\0\0\0", phrase("a file of R"), _EXPORT_TABLE),
    (b"\x80\x04\x95", phrase("a pickle of Python"), _EXPORT_TABLE),
    (b"\x80\x05\x95", phrase("a pickle of Python"), _EXPORT_TABLE),
)
_JSON = re.compile(rb'\s*(\{\s*["}]|\[\s*[\[{"])')
_HTML = re.compile(rb"\s*<(!doctype|html|\?xml|head|body)", re.IGNORECASE)
_SQL_FIRST = re.compile(
    rb"\s*(?:--|/\*|#|\\\w|(?:rem|prompt|set|use|begin|start|create|insert|replace|drop|pragma|alter|lock|copy)\b)",
    re.IGNORECASE,
)
"""How a dump of a database may begin: a comment or a command. A table may, too, by its first name."""
_SQL = re.compile(
    rb"^[ \t]*(?:create\s+(?:\w+\s+){0,3}?table\s[^(,;]{1,300}\("
    rb"|(?:insert|replace)\s[^(,;]{1,300}(?:\([^;)]{1,9999}\)\s*)?values\s*\("
    rb"|copy\s[^;]{1,9999}?\sfrom\s+stdin\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A command that makes a table or fills one, at the start of a line."""
_SQL_HEAD = 1 << 16
"""Bytes in which the first such command stands: settings and types stand before it."""
_RULE = re.compile(rb"(?:[^\n]*\n)?[ \t]*[|+:-]*[-]{3}[ \t|+:-]*[|+][ \t|+:-]*\r?\n")
"""A line of dashes that crosses or bars divide, as the first or the second of a file."""


def refuse_other_formats(source: bytes, name: str) -> None:
    """Raise :class:`FileError` where the bytes are not those of a text table, whatever the file is called."""
    if not source:
        raise FileError.of("empty_file", phrase("The file is empty (0 bytes)."), phrase("Export it again."), file=name)
    other = _other_format(source)
    if other is not None:
        raise FileError.of("not_csv", phrase("This is {what}, not a CSV.", what=other[0]), other[1], file=name)
    if not source[:4096].strip(b"\0") and not source.strip(b"\0"):
        raise FileError.of(
            "only_nul", phrase("The file holds nothing but NUL bytes."), phrase("Export it again."), file=name
        )


def _other_format(source: bytes) -> tuple[str, str] | None:
    """What the bytes are that are no text table, and what to do about it; None of all others."""
    if source.startswith(ZIP):
        return _describe_zip(source[:_HEAD])
    for magic, what, do in _MAGIC:
        if source.startswith(magic):
            return what, do
    start = _start(source)
    head = start[:4096]
    if _SQL_FIRST.match(head) and _SQL.search(start):
        return phrase("a list of commands for a database (SQL)"), _EXPORT_TABLE
    if _HTML.match(head):
        return phrase("an HTML or XML page (perhaps a login or error page)"), phrase("Download the table again.")
    if _JSON.match(head):
        return "JSON", _EXPORT_TABLE
    if source[257:262] == b"ustar":
        return phrase("a tar archive"), _UNPACK
    if _RULE.match(head):
        return phrase("a table drawn with lines, as in Markdown or a terminal"), _EXPORT_TABLE
    return None


def _start(source: bytes) -> bytes:
    """The first bytes without a byte-order mark, those of UTF-16 as UTF-8."""
    start = source[:_SQL_HEAD]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return start.decode("utf-16", "ignore").encode("utf-8", "ignore")
    return start.removeprefix(codecs.BOM_UTF8)


def _describe_zip(head: bytes) -> tuple[str, str]:
    """What a ZIP container holds, and what to do about it."""
    if b"[Content_Types].xml" in head or b"xl/" in head:
        return phrase("an Excel workbook (.xlsx)"), _EXPORT
    if b"mimetypeapplication/vnd.oasis" in head:
        return phrase("an OpenDocument file (.ods)"), _EXPORT
    return phrase("a ZIP archive"), _UNPACK
