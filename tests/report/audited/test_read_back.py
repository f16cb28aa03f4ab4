"""A report that is read again: what is not there whole, or says something else, gives no verdict."""

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from riskkit.audit.output_files import outputs
from riskkit.errors import DesignError
from riskkit.judging.measurement import Verdict
from riskkit.report.pack import is_pdf, read_back
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import as_dict, digest, to_json
from riskkit.show.model import Findings
from tests.report.audited import made

FOUND = made.findings(made.random(2))
FILES = outputs(FOUND)
OTHER = next(verdict for verdict in Verdict if verdict is not FOUND.overall.verdict)


def stored(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def judged(verdict: Verdict) -> Findings:
    """The same findings with another overall verdict."""
    return replace(FOUND, overall=replace(FOUND.overall, verdict=verdict))


@pytest.mark.parametrize("seed", range(4))
def test_the_verdict_of_a_report_is_read_from_its_files(tmp_path: Path, seed: int) -> None:
    findings = made.findings(made.random(seed))
    files = outputs(findings)
    assert read_back(stored(tmp_path, files), files, findings) is findings.overall.verdict
    assert len(pypdf.PdfReader(io.BytesIO(files["report.pdf"])).pages) > 0


OLDER = outputs(replace(judged(OTHER), id="0" * 32))
"""Another report of the same name, as another audit may write it into the same folder."""


def damaged(name: str, damage: str) -> bytes:
    content = FILES[name]
    middle = len(content) // 2
    if damage == "bit":
        return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    return {"empty": b"", "short": content[:-1], "other": OLDER[name]}[damage]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["gone", "empty", "short", "bit", "other"])
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path: Path, name: str, damage: str) -> None:
    path = stored(tmp_path, FILES) / name
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(damaged(name, damage))
    with pytest.raises(DesignError, match="cannot be relied on") as refusal:
        read_back(tmp_path, FILES, FOUND)
    assert name in str(refusal.value)


def whole(**changed: object) -> bytes:
    """A report in JSON whose own hash is right."""
    body = {**as_dict(FOUND), **changed}
    return json.dumps({**body, "sha256": digest(body)}).encode()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("report.pdf", b"", "no PDF with pages"),
        ("report.pdf", b"%PDF-1.7\n%%EOF\n", "no PDF with pages"),
        ("report.pdf", FILES["report.pdf"].replace(b"/Type/Page", b"/Type/None"), "no PDF with pages"),
        ("report.pdf", FILES["report.pdf"][: len(FILES["report.pdf"]) // 2], "no PDF with pages"),
        ("report.pdf", FILES["report.pdf"][:5000] + FILES["report.pdf"][6000:], "no PDF with pages"),
        ("report.json", b"{", "no report in JSON"),
        ("report.json", b"[]", "no report in JSON"),
        ("report.json", to_json(FOUND).replace(b'"questions"', b'"question"'), "its hash is not that"),
        ("report.json", to_json(judged(OTHER)), "another verdict"),
        ("report.json", whole(id="0" * 32), "of another report"),
        ("report.json", whole(schema="riskkit.report/0"), "its hash is not that"),
        ("verdicts.csv", to_csv(judged(OTHER))["verdicts.csv"], "another verdict"),
        ("verdicts.csv", to_csv(FOUND)["verdicts.csv"].replace(b"overall", b"general"), "its hash is not that"),
        ("estimates.csv", to_csv(replace(FOUND, id="0" * 32))["estimates.csv"], "its hash is not that"),
        ("evidence.zip", FILES["evidence.zip"][:-30], "no evidence pack"),
    ],
)
def test_what_was_written_must_be_what_it_is_called(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    """The disk is fine here: it is the writer that went wrong."""
    assert content != FILES[name]
    files = {**FILES, name: content}
    with pytest.raises(DesignError, match=sentence) as refusal:
        read_back(stored(tmp_path, files), files, FOUND)
    assert f"{name} cannot be relied on" in str(refusal.value)


def test_a_pdf_that_another_reader_takes_is_taken() -> None:
    """A PDF by other means, with one page and its table of contents at the end."""
    writer, out = pypdf.PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(out)
    assert is_pdf(out.getvalue())
    empty, none = pypdf.PdfWriter(), io.BytesIO()
    empty.write(none)
    assert not is_pdf(none.getvalue())
