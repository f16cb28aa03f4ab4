"""The check of an evidence pack that came from elsewhere: read piece by piece, never more of it than a pack can hold.

A ZIP of a megabyte can unpack to gigabytes, and its list of files or its manifest can be anything. So the list is
measured before it is read, every file is read in pieces up to the size that the list states, and nothing is kept of it
but its hash.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import os
import re
import struct
import zipfile
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from riskkit.language import say
from riskkit.report.pack import MANIFEST, SIGNATURE, signature

LARGEST = 256 << 20
"""Bytes of a pack, and of all that it unpacks to; the pack of a large audit has a hundredth of that."""
MOST_FILES = 1000
LONGEST_LIST = 1 << 20
"""Bytes of the list of files at the end of the ZIP."""
LONGEST_MANIFEST, LONGEST_SIGNATURE = 4 << 20, 1024
PIECE = 1 << 16
END, END_64 = struct.Struct("<4sHHHHIIH"), struct.Struct("<4sIQI")
"""The records at the end of a ZIP: the usual one, and what stands before it where the ZIP is of the 64-bit kind."""
_PLAIN = re.compile(r"(?![.]{1,2}$)[^/\\:]{1,200}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNREADABLE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    KeyError,
    ValueError,
    EOFError,
    RuntimeError,
    OSError,
    NotImplementedError,
    struct.error,
)


class _Refused(Exception):
    """The pack is not read any further; says why in a sentence."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """What a manifest says of one file."""

    sha256: str
    size: int


def verify(source: bytes | Path, key: bytes | None = None) -> list[str]:
    """What is wrong with a pack, one sentence each; empty where every byte is as its manifest says.

    With a key the manifest must also carry that key's signature. Whatever the pack holds, it is read in little memory
    and never unpacked onto the disk.

    Raises
    ------
    DesignError
        The key is too short.
    OSError
        The file of the pack cannot be opened.
    """
    if key is not None:
        signature(b"", key)
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        try:
            return _wrong(file, key)
        except _Refused as refusal:
            return [str(refusal)]
        except _UNREADABLE:
            return [say("This is no evidence pack, or it is damaged: it cannot be read to its end.")]


def _wrong(file: IO[bytes], key: bytes | None) -> list[str]:
    _measure(file)
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename: entry for entry in _entries(archive)}
        manifest = _whole(archive, entries, MANIFEST, LONGEST_MANIFEST)
        listed = _files_of(manifest)
        wrong = [say("{name} is missing.", name=name) for name in listed if name not in entries]
        wrong += [
            say("{name} is not in the manifest.", name=name)
            for name in entries
            if name not in (*listed, MANIFEST, SIGNATURE)
        ]
        wrong += [
            say("{name} was changed: its SHA-256 or its size is not the one in the manifest.", name=name)
            for name, facts in listed.items()
            if name in entries and _read(archive, entries[name]) != facts
        ]
        if key is not None:
            signed = b"" if SIGNATURE not in entries else _whole(archive, entries, SIGNATURE, LONGEST_SIGNATURE)
            if not hmac.compare_digest(signed.strip(), signature(manifest, key).encode()):
                wrong.append(say("The manifest does not carry a signature of this key."))
    return wrong


def _measure(file: IO[bytes]) -> None:
    """Refuse what is too large, and what has another end than our packs, before a library reads its list of files."""
    size = file.seek(0, os.SEEK_END)
    if size > LARGEST:
        raise _Refused(_too_much())
    file.seek(max(size - END.size - END_64.size, 0))
    tail = file.read(END.size + END_64.size)
    sign, _, _, _, files, length, _, comment = END.unpack(tail[-END.size :])
    if sign != b"PK\x05\x06" or comment or tail.startswith(b"PK\x06\x07"):
        raise zipfile.BadZipFile
    if files > MOST_FILES or length > LONGEST_LIST:
        raise _Refused(_too_much())
    file.seek(0)


def _too_much() -> str:
    return say(
        "This is no evidence pack: it holds more than {files:,} files, or more than {size} MB. Nothing of it was "
        "unpacked.",
        files=MOST_FILES,
        size=LARGEST >> 20,
    )


def _entries(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The list of files, refused where another program could read it in another way."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > LARGEST:
        raise _Refused(_too_much())
    if any(count > 1 for count in Counter(entry.filename for entry in entries).values()):
        raise _Refused(say("This is no evidence pack: two of its files have one name."))
    if not all(_is_plain(entry.orig_filename) for entry in entries):
        raise _Refused(
            say("This is no evidence pack: a file in it has a name that leads elsewhere, or hides characters.")
        )
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise _Refused(say("This is no evidence pack: it is compressed in a way that riskkit does not use."))
    return entries


def _is_plain(name: str) -> bool:
    """Whether a name stays in the folder that it is unpacked into, and shows every sign it has on a terminal."""
    return _PLAIN.fullmatch(name) is not None and name.isprintable()


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> _Listed:
    """Hash and size of a file, read in pieces; of one that is longer than its list says the library raises."""
    digest, size = hashlib.sha256(), 0
    with archive.open(entry) as unpacked:
        while piece := unpacked.read(PIECE):
            size += len(piece)
            digest.update(piece)
    return _Listed(digest.hexdigest(), size)


def _whole(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str, longest: int) -> bytes:
    """All of a short file."""
    if entries[name].file_size > longest:
        raise _Refused(say("This is no evidence pack: {name} is longer than it can be.", name=name))
    with archive.open(entries[name]) as unpacked:
        return unpacked.read(longest)


def _files_of(manifest: bytes) -> dict[str, _Listed]:
    """The files that a manifest lists."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        body: dict[str, Any] = json.loads(manifest)
        if body["schema"] == "riskkit.manifest/1":
            files: dict[str, Any] = body["files"]
            if all(map(_is_plain, files)):
                return {name: _facts(facts) for name, facts in files.items()}
    raise _Refused(say("This is no evidence pack: its manifest does not list files with their SHA-256 and size."))


def _facts(entry: Any) -> _Listed:
    sha256, size = entry["sha256"], entry["bytes"]
    if type(sha256) is not str or not _SHA256.fullmatch(sha256) or type(size) is not int or size < 0:
        raise TypeError
    return _Listed(sha256, size)
