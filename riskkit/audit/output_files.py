"""Every output of a report, and the way to the disk on which none is ever seen half written."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy.engine import Connection

from riskkit.audit.selftest_result import KEPT
from riskkit.base import stages
from riskkit.errors import DesignError
from riskkit.jobs import journal, people
from riskkit.jobs.files import AuditFiles
from riskkit.phrases import phrase
from riskkit.report.pack import pack
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.show.model import Class, Findings, Reports

PACK = "evidence.zip"
REPORTS = "reports"
"""The folder of an audit that restricted reports and their log are kept in."""
EXPORTED = "exported"
"""The act of the journal that somebody took a report away."""
LOG = "restricted.log"
"""In the folder of an audit's reports: a line for each restricted report, with who asked for it and what for."""


def outputs(
    findings: Findings, key: bytes | None = None, *, selftest: bytes | None = None, with_appendix: bool = False
) -> dict[str, bytes]:
    """PDF, HTML, JSON, CSV and the evidence pack that holds them all, by file name.

    ``selftest`` is the last self-test of this installation (:mod:`riskkit.audit.selftest_result`), for the pack.

    Raises
    ------
    DesignError
        The PDF cannot be made here, or the signature key is too short.
    """
    makers: Sequence[Callable[[], Mapping[str, bytes]]] = (
        lambda: {"report.pdf": to_pdf(findings, with_appendix=with_appendix)},
        lambda: {"report.html": to_html(findings)},
        lambda: {"report.json": to_json(findings), **to_csv(findings)},
    )
    words, files = phrase("Writing the report"), dict[str, bytes]()
    for done, make in enumerate(makers):
        stages.say(words, done, len(makers) + 1)
        files |= make()
    stages.say(words, len(makers), len(makers) + 1)
    evidence = {} if selftest is None else {KEPT: selftest}
    return {**files, PACK: pack(findings, {**files, **evidence}, key)}


def record_export(audit: AuditFiles, kind: str, what: str) -> None:
    """Write down that somebody takes something else than a report away, before they get it."""
    journal.add(audit.base, EXPORTED, audit=audit.id, kind=kind, what=what)


def register(audit: AuditFiles, findings: Findings, what: str) -> Findings:
    """Write down that somebody takes this report away, before they get it; the findings with its number.

    Shareable reports about one real table are counted over all audits of its owner, those that are deleted by now
    included. The same findings under the same limits are one report, in however many files they are taken away.
    ``what`` is the file or the folder as riskkit names it; a name that somebody chose is no part of the log.
    """
    about: dict[str, str | int] = {"audit": audit.id, "kind": str(findings.kind), "what": what}
    with audit.base.write() as connection:
        if findings.is_restricted:
            journal.record(
                connection, "asked for restricted", audit=audit.id, asked_by=findings.asked_by, purpose=findings.purpose
            )
            journal.record(connection, EXPORTED, **about)
            return findings
        owner = people.owner_of(connection, audit.id)
        journal.record(connection, EXPORTED, **about, report=findings.id, table=_table(findings), owner=owner)
        return replace(findings, reports=_count_reports(connection, findings, owner))


def with_number(audit: AuditFiles, findings: Findings) -> Findings:
    """The findings with the number that their report has, or would have if it were taken away now."""
    if findings.is_restricted:
        return findings
    with audit.base.read() as connection:
        return replace(findings, reports=_count_reports(connection, findings, people.owner_of(connection, audit.id)))


def _count_reports(connection: Connection, findings: Findings, owner: str) -> Reports:
    every = (entry.about for entry in journal.entries_in(connection, EXPORTED))
    about = {"kind": str(Class.SHAREABLE), "table": _table(findings), "owner": owner}
    known = list(dict.fromkeys(str(entry["report"]) for entry in every if about.items() <= entry.items()))
    before = known.index(findings.id) if findings.id in known else len(known)
    return Reports(before + 1, before)


def _table(findings: Findings) -> str:
    """The hash of the real table, which every report about it has."""
    return next((file.sha256 for file in findings.files if file.slot == "real"), "")


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write these files into the folder, each whole or not at all, readable by this user alone.

    They are written into a hidden folder beside it and synced, and take their names only when all of them are there.

    Raises
    ------
    DesignError
        The folder cannot be written to, or the disk is full.
    """
    scratch = folder / f".export-{secrets.token_hex(6)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scratch.mkdir(mode=0o700)
        for name, content in files.items():
            _sync(scratch / name, content)
        for name in files:
            (scratch / name).replace(folder / name)
        _sync_folder(folder)
    except OSError as error:
        raise DesignError.phrase(
            "The report could not be written ({why}); nothing was changed by halves.", why=str(error.strerror)
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_restricted(files: Mapping[str, bytes], folder: Path, findings: Findings, log: Path) -> None:
    """Write a restricted report into a folder; who asked for it, and what for, is a line of the log in its own folder.

    The line comes first: no restricted report is there that the log does not know.

    Raises
    ------
    DesignError
        The folder cannot be written to, or nobody asked.
    """
    if not (findings.asked_by.strip() and findings.purpose.strip()):
        raise DesignError.phrase("Say who asks for the restricted report, and what for.")
    who, what = (journal.escape(" ".join(text.split())) for text in (findings.asked_by, findings.purpose))
    try:
        log.mkdir(parents=True, exist_ok=True)
        handle = os.open(log / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as lines:
            lines.write(f"{findings.made} · report {findings.id[:12]} · asked for by {who} · for {what}\n")
            lines.flush()
            os.fsync(lines.fileno())
    except OSError as error:
        raise DesignError.phrase(
            "The log of restricted reports could not be written ({why}).", why=str(error.strerror)
        ) from error
    write(files, folder)


def restricted_log(folder: Path) -> list[str]:
    """Who asked for restricted reports in that folder of an audit, oldest first."""
    path = folder / LOG
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def _sync(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make sure that the new names survive a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
