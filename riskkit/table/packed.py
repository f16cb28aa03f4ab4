"""Archives that hold one file: gzip and ZIP, unpacked no further than a file may be large."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import zipfile
import zlib
from pathlib import PurePosixPath

from riskkit.errors import FileError, InputError
from riskkit.phrases import phrase
from riskkit.table.source import check_size
from riskkit.table.text import Limits

GZIP, ZIP, EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_OFFICE = "[Content_Types].xml"
"""What every document of Office holds."""
_HEAD = 8192
_BLOCK = 1024 * 1024
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
    """Whether the bytes are an archive that :func:`unpacked` opens."""
    if source.startswith(ZIP) and b"mimetypeapplication/vnd.oasis" in source[:200]:
        return False
    return source.startswith((GZIP, ZIP, EMPTY_ZIP)) and not is_workbook(source)


def unpacked(source: bytes, name: str, limits: Limits) -> bytes:
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
                phrase("Export the table as CSV."),
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
