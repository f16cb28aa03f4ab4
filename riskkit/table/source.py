"""The bytes of a file, wherever it lies: no more than may be read, and none of what never ends."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from riskkit.errors import FileError, InputError
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
    try:
        size = _size(source, name, limits)
        with source.open("rb") as file:
            content = file.read(limits.size + 1) if size == 0 else file.read(size)
    except OSError as error:
        raise _unreadable(name, error.strerror.lower() if error.strerror else phrase("it cannot be opened")) from None
    except ValueError:
        raise _unreadable(name, phrase("its name holds a NUL")) from None
    check_size(len(content), name, limits)
    if len(content) < size:
        raise _cut_short(name)
    return content


def hashed(source: Path, name: str, limits: Limits) -> tuple[str, int]:
    """The SHA-256 of a file and its size, with no more than a block of it in memory.

    Raises
    ------
    FileError
        As :func:`bytes_of` says.
    """
    try:
        size, digest, count = _size(source, name, limits), hashlib.sha256(), 0
        with source.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                count += len(block)
    except OSError as error:
        raise _unreadable(name, error.strerror.lower() if error.strerror else phrase("it cannot be opened")) from None
    check_size(count, name, limits)
    if count < size:
        raise _cut_short(name)
    return digest.hexdigest(), count


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


def _cut_short(name: str) -> InputError:
    return FileError.of(
        "cut_short",
        phrase("The file became shorter while it was read."),
        phrase("Copy it again, then load it."),
        file=name,
    )


def beginning(path: Path) -> bytes:
    """The first bytes of an ordinary file; none where it is another thing or cannot be opened."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except (OSError, ValueError):
        return b""


def _unreadable(name: str, why: str) -> InputError:
    return FileError.of(
        "unreadable", phrase("The file cannot be read: {why}.", why=why), phrase("Check the path."), file=name
    )


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


def at_most(path: Path, most: int) -> bytes:
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
