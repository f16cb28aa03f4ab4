"""The evidence pack: every output in one ZIP, with a manifest of hashes and, if wanted, a signature of it."""

from __future__ import annotations

import csv
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
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from riskkit.errors import DesignError
from riskkit.judging.measurement import Verdict
from riskkit.language import say
from riskkit.report.to_csv import BOM
from riskkit.report.to_json import SCHEMA, digest
from riskkit.show.model import Findings
from riskkit.show.run_finding import in_its_unit

# What stands in an evidence pack for whoever checks it: how to, with nothing but Python, and what was asked.

README, PLANS = "README.txt", "plans.json"
CHECK = """\
import hashlib, hmac, json, sys, zipfile

try:
    pack = zipfile.ZipFile(sys.argv[1])
    files = {name: pack.read(name) for name in pack.namelist()}
    manifest = files.pop("MANIFEST.json")
    signature = files.pop("MANIFEST.hmac", b"").decode().strip()
    listed = json.loads(manifest)["files"]
    wrong = sorted(set(listed) ^ set(files))
    wrong += [name for name in sorted(set(listed) & set(files))
              if hashlib.sha256(files[name]).hexdigest() != listed[name]["sha256"]]
    if len(sys.argv) > 2:
        key = open(sys.argv[2], "rb").read()
        if not hmac.compare_digest(signature, hmac.new(key, manifest, "sha256").hexdigest()):
            wrong.append("the signature")
    if "report.json" in files:
        report = json.loads(files["report.json"])
        own = report.pop("sha256")
        text = json.dumps(report, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != own:
            wrong.append("the SHA-256 in report.json")
        print("SHA-256 of report.json, as page one has it:", own)
except Exception as error:
    sys.exit(f"DAMAGED: the pack cannot be read ({type(error).__name__}).")
if wrong:
    sys.exit("CHANGED: " + ", ".join(wrong))
print("WHOLE: every file is as the manifest says.")
"""
"""The check; it imports nothing that does not come with Python."""


def readme(findings: Findings, names: Iterable[str]) -> bytes:
    """The text of the README beside files of these names."""
    there = sorted(names)
    meanings = {
        README: say("this text"),
        "report.pdf": say("the report on paper; page one has the SHA-256 of report.json as text and QR code"),
        "report.html": say("the same for a browser, with the appendix"),
        "report.json": say("everything that was found, for programs"),
        PLANS: say("what was asked: plan and seed of every run, and the versions it was calculated with"),
        "selftest.json": say("whether the installation measured leaks of known size rightly, when it was last asked"),
        "MANIFEST.json": say("SHA-256 and size of every file here, and of the tables that were audited"),
        "MANIFEST.hmac": say("the signature of the manifest, where it was signed: HMAC-SHA256 under a shared key"),
    }
    listed = [f"  {name}: {meanings.get(name) or say('a table of report.json')}" for name in there]
    if "selftest.json" not in there:
        listed.append("  " + say("selftest.json is missing: no self-test was made on that installation."))
    parts = [
        say(
            "Evidence of report {id}, made {made} by riskkit {version}.",
            id=findings.id,
            made=findings.made,
            version=findings.version,
        ),
        say("What is in it"),
        "\n".join(listed),
        say("How to check it"),
        say(
            "You need Python 3 and nothing else. Do not unpack the ZIP. Read the lines below, save them as check.py "
            "somewhere outside, and run: python check.py PACK.zip (followed by the key file, where it was signed). "
            "The same is done by: riskkit report PACK.zip --verify"
        ),
        "\n".join(f"    {line}".rstrip() for line in CHECK.splitlines()),
        say("What it shows"),
        say(
            "WHOLE: no file was changed, added or lost since the manifest was written. Whoever changes a file and the "
            "manifest alike makes another pack that is whole: so compare the SHA-256 that is printed with the one on "
            "page one of the report that you were handed, or have the pack signed."
        ),
        say(
            "To get the same numbers again: the plan, the seed and the versions of every run are in plans.json; the "
            "same tables (their SHA-256 is in the manifest) and the same versions give the same numbers."
        ),
    ]
    return ("\n\n".join(parts) + "\n").encode(errors="replace")


def plans(findings: Findings) -> bytes:
    """What was asked and calculated with, as far as the reader may see it."""
    runs = [
        {
            "question": answer.question,
            "run": finding.id,
            "seed": finding.settings.get("seed"),
            "plan": dict(finding.settings),
            "command": finding.command,
        }
        for answer in findings.answered()
        for finding in answer.findings
    ]
    value = {"report": findings.id, "versions": dict(findings.versions), "runs": runs}
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


MANIFEST, SIGNATURE = "MANIFEST.json", "MANIFEST.hmac"
LEAST_KEY = 16
"""Bytes of a key; a shorter one is guessed too easily."""


@in_its_unit
def pack(findings: Findings, files: Mapping[str, bytes], key: bytes | None = None) -> bytes:
    """A ZIP of these files with its manifest, the plans, and a README that says how to check it.

    The same findings, files and key give the same bytes.

    ``key`` is a secret that sender and receiver share: the manifest is signed with HMAC-SHA256, so that nobody without
    the key can change a byte unseen.

    Raises
    ------
    DesignError
        The key is too short.
    """
    signed = [] if key is None else [SIGNATURE]
    held = {**files, PLANS: plans(findings), README: readme(findings, [*files, PLANS, README, MANIFEST, *signed])}
    manifest = _manifest(findings, held)
    every = {**dict(sorted(held.items())), MANIFEST: manifest}
    if key is not None:
        every[SIGNATURE] = f"{signature(manifest, key)}\n".encode()
    when = datetime.fromisoformat(findings.made)
    stamp = (max(when.year, 1980), when.month, when.day, when.hour, when.minute, when.second)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in every.items():
            info = zipfile.ZipInfo(name, stamp)
            info.external_attr = 0o600 << 16
            info.create_system = 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _manifest(findings: Findings, files: Mapping[str, bytes]) -> bytes:
    value = {
        "schema": "riskkit.manifest/1",
        "report": findings.id,
        "class": str(findings.kind),
        "made": findings.made,
        "riskkit": findings.version,
        "inputs": {file.slot: file.sha256 for file in findings.files},
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        },
    }
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


def signature(manifest: bytes, key: bytes) -> str:
    """The signature of a manifest with a key, in hexadecimal.

    Raises
    ------
    DesignError
        The key is too short.
    """
    if len(key) < LEAST_KEY:
        raise DesignError(
            say(
                "The signature key has {bytes} bytes; take at least {least} random ones.",
                bytes=len(key),
                least=LEAST_KEY,
            )
        )
    return hmac.new(key, manifest, hashlib.sha256).hexdigest()


# The check of an evidence pack that came from elsewhere: read piece by piece, never more of it than a pack can hold.
#
# A ZIP of a megabyte can unpack to gigabytes, and its list of files or its manifest can be anything. So the list is
# measured before it is read, every file is read in pieces up to the size that the list states, and nothing is kept of
# it but its hash.

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


# A written report read again from its disk: the verdict that an exit code stands on is the one that is there.


_PAGE = re.compile(rb"/Type\s*/Page\b")
_PAGES = re.compile(rb"/Count\s+[1-9]")
_END = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*$")


def read_back(folder: Path, files: Mapping[str, bytes], findings: Findings) -> Verdict:
    """The overall verdict as it stands in the files of that folder.

    Raises
    ------
    DesignError
        A file is not there or not as it was written, cannot be read as what it is, or says another verdict.
    """
    for name, content in files.items():
        try:
            source = (folder / name).read_bytes()
        except OSError as error:
            raise _refusal(name, say("it cannot be read ({why})", why=error.strerror)) from error
        if source != content:
            raise _refusal(name, say("it is not what was written"))
        wrong = _wrong_field(name, source, findings)
        if wrong:
            raise _refusal(name, wrong)
    return Verdict(str(findings.overall.verdict))


def _refusal(name: str, wrong: str) -> DesignError:
    return DesignError(
        say(
            "The report was read again after it was written, and {name} cannot be relied on: {wrong}. No verdict is "
            "given. Write it again, to another folder or disk.",
            name=name,
            wrong=wrong,
        )
    )


def _wrong_field(name: str, source: bytes, findings: Findings) -> str:
    """What is wrong with a file of a report; empty where nothing is."""
    if name.endswith(".pdf"):
        return "" if is_pdf(source) else say("it is no PDF with pages")
    if name.endswith(".json"):
        try:
            body = json.loads(source)
            is_whole = (body["schema"], body["sha256"]) == (SCHEMA, digest(body))
            verdict, own = body["overall"]["word"], body["id"]
        except (ValueError, KeyError, TypeError):
            return say("it is no report in JSON")
        if not is_whole:
            return say("its hash is not that of what it holds")
        return _other(str(verdict), str(own), findings)
    if name.endswith(".csv"):
        return _wrong_csv(name, source, findings)
    if not name.endswith(".zip"):
        return "" if findings.id.encode() in source else say("it is of another report")
    return " ".join(verify(source)).rstrip(".")


def is_pdf(source: bytes) -> bool:
    """Whether these bytes are a PDF with pages, whole from its first line to the table of contents at its end."""
    end = _END.search(source[-64:])
    return (
        source.startswith(b"%PDF-")
        and end is not None
        and source[int(end[1]) :].startswith(b"xref")
        and _PAGES.search(source) is not None
        and _PAGE.search(source) is not None
    )


def _wrong_csv(name: str, source: bytes, findings: Findings) -> str:
    first, _, body = source.partition(b"\r\n")
    title = f"{BOM}# riskkit report {findings.id} SHA-256 {hashlib.sha256(body).hexdigest()}"
    if first != title.encode():
        return say("its hash is not that of what it holds")
    try:
        header, *rows = csv.reader(io.StringIO(body.decode(), newline=""), strict=True)
    except (ValueError, csv.Error):
        return say("it is no table in CSV")
    if not rows or any(len(row) != len(header) for row in rows):
        return say("it is no table in CSV")
    if name != "verdicts.csv":
        return ""
    verdicts = {row["question"]: row["verdict"] for row in (dict(zip(header, line, strict=True)) for line in rows)}
    return _other(verdicts.get("overall", ""), findings.id, findings)


def _other(verdict: str, own: str, findings: Findings) -> str:
    if (verdict, own) != (str(findings.overall.verdict), findings.id):
        return say("it says another verdict, or is of another report")
    return ""
