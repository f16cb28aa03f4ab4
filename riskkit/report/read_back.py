"""A written report read again from its disk: the verdict that an exit code stands on is the one that is there."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path

from riskkit.errors import DesignError
from riskkit.judging.measurement import Verdict
from riskkit.language import say
from riskkit.report.pack import verify
from riskkit.report.to_csv import BOM
from riskkit.report.to_json import SCHEMA, digest
from riskkit.show.model import Findings

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
        wrong = _wrong(name, source, findings)
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


def _wrong(name: str, source: bytes, findings: Findings) -> str:
    """What is wrong with a file of a report; empty where nothing is."""
    if name.endswith(".pdf"):
        return "" if is_pdf(source) else say("it is no PDF with pages")
    if name.endswith(".json"):
        return _wrong_json(source, findings)
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


def _wrong_json(source: bytes, findings: Findings) -> str:
    try:
        body = json.loads(source)
        is_whole = (body["schema"], body["sha256"]) == (SCHEMA, digest(body))
        verdict, own = body["overall"]["word"], body["id"]
    except (ValueError, KeyError, TypeError):
        return say("it is no report in JSON")
    if not is_whole:
        return say("its hash is not that of what it holds")
    return _other(str(verdict), str(own), findings)


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
