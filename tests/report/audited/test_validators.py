"""What others say of the report: the Nu Html Checker of the HTML, a checker of PDF/UA of the PDF, where they are here.

``npm install vnu-jar`` brings the first (``RISKKIT_VNU`` names its ``vnu.jar``; it needs Java), ``pip install outloud``
the second, which has the checkpoints of the Matterhorn Protocol that a machine can decide. Both go into an
environment of their own: riskkit needs neither.
"""

import io
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from riskkit import registry
from riskkit.report.to_html import to_html
from riskkit.report.to_pdf import to_pdf
from riskkit.show.model import Class, Findings
from riskkit.show.profile import ROOM
from tests.report.audited import made, test_pages

pytestmark = pytest.mark.second
VNU = os.environ.get("RISKKIT_VNU", "")
OUTLOUD = os.environ.get("RISKKIT_OUTLOUD", "") or shutil.which("outloud")


def every() -> dict[str, Findings]:
    """Both classes, every profile, and audits in which something is missing."""
    out = {str(kind): test_pages.audit(kind) for kind in Class}
    for name in registry.plugins(ROOM):
        out[name] = replace(test_pages.audit(), profile=registry.make(ROOM, name))
    for seed in range(4):
        out[f"random {seed}"] = made.findings(made.random(seed), kind=Class.RESTRICTED)
    return out


def spoken(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=300)
    return done.stdout


def messages(folder: Path) -> list[str]:
    """What the Nu Html Checker says of the HTML files of a folder, warnings too."""
    files = sorted(map(str, folder.glob("*.html")))
    output = spoken("java", "-jar", VNU, "--format", "json", "--stdout", *files)
    return [f"{Path(message['url']).name}: {message['message']}" for message in json.loads(output)["messages"]]


@pytest.mark.skipif(not VNU or shutil.which("java") is None, reason="RISKKIT_VNU names no vnu.jar, or no Java is here")
def test_the_nu_html_checker_says_nothing_of_the_html(tmp_path: Path) -> None:
    for name, findings in every().items():
        (tmp_path / f"{name}.html").write_bytes(to_html(findings))
    assert messages(tmp_path) == []
    wrong = to_html(test_pages.audit()).replace(b"<h1>", b"<h1 align='left'>")
    (tmp_path / "wrong.html").write_bytes(wrong.replace(b"</main>", b""))
    assert {message.partition(":")[0] for message in messages(tmp_path)} == {"wrong.html"}


def findings_of(folder: Path) -> list[str]:
    """What the checker of PDF/UA says of the PDF files of a folder."""
    files = sorted(map(str, folder.glob("*.pdf")))
    assert OUTLOUD
    document = json.loads(spoken(OUTLOUD, "--quiet", "--layer", "conformance", "--json", "-", *files))
    return [
        f"{Path(result['path']).name}: {each['rule']}" for result in document["results"] for each in result["findings"]
    ]


@pytest.mark.skipif(not OUTLOUD, reason="outloud, a checker of PDF/UA, is not installed")
def test_a_checker_of_pdf_ua_finds_nothing_in_the_pdf(tmp_path: Path) -> None:
    for name, findings in every().items():
        (tmp_path / f"{name}.pdf").write_bytes(to_pdf(findings, with_appendix=name in list(Class)))
    assert findings_of(tmp_path) == []
    wrong = pypdf.PdfWriter(clone_from=io.BytesIO(to_pdf(test_pages.audit())))
    del wrong.root_object["/Lang"]
    wrong.write(tmp_path / "wrong.pdf")
    assert {finding.partition(":")[0] for finding in findings_of(tmp_path)} == {"wrong.pdf"}
