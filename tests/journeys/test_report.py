"""The report in a real browser: the example, its verdicts, a limit moved, PDF and pack with the bytes promised."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pypdf
import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from riskkit.report.pack import verify
from riskkit.report.to_json import digest
from tests.conftest import Server
from tests.journeys.short import cut_sample
from tests.journeys.test_chain import choose
from tests.journeys.test_first_audit import NUMBER, PLAY_WITHIN, go, settled, shown, there, views

if TYPE_CHECKING:
    from playwright.sync_api import Page

BAD = "Demo: a leaky release"


def downloaded(page: Page, button: str) -> tuple[str, bytes]:
    """The name and the bytes behind a download button."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_from_the_example_to_a_report_to_sign(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Open the demo").click()
    page.get_by_text("Step 1 of 5").wait_for(timeout=PLAY_WITHIN)
    page.get_by_role("button", name="Skip the tour").click()
    settled(page)
    go(page, "Report")
    text = shown(page, re.compile(BAD), re.compile("This release exposes people: .*it copies real rows"))
    assert NUMBER.search(text), "a number with its interval"
    assert "audit=" in page.url

    page.get_by_text("Limits: how much leak is tolerable?").click()  # shut while none is set
    own = "Membership: who set it"
    choose(page, "Membership: limit on the AUC", "A limit of your own", so=own)
    slider = page.get_by_role("slider", name="Membership: tolerable AUC")
    slider.wait_for(state="attached", timeout=PLAY_WITHIN)
    settled(page)
    slider.focus()
    page.keyboard.press("End")
    shown(page, re.compile("Membership\\s+◌ Undecided"), re.compile("limit 0\\.99"))
    slider.focus()
    page.keyboard.press("Home")
    shown(page, re.compile("▲ Leak shown"), re.compile("Membership\\s+▲ Above the limit"))
    settled(page)
    views(page, "report", 4200)

    name, paper = downloaded(page, "PDF")
    assert re.fullmatch(r"riskkit_shareable_[0-9a-f]{12}_\d{14}\.pdf", name)
    cover, verdicts, *_ = (page.extract_text() for page in pypdf.PdfReader(io.BytesIO(paper)).pages)
    assert "Leak shown" in cover
    assert "0.51" in verdicts
    name, source = downloaded(page, "Evidence pack (ZIP)")
    assert name.endswith(".zip")
    assert verify(source) == []
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        report = json.loads(archive.read("report.json"))
        manifest = json.loads(archive.read("MANIFEST.json"))
        assert hashlib.sha256(archive.read("report.pdf")).hexdigest() == manifest["files"]["report.pdf"]["sha256"]
    assert report["sha256"] == digest(report)
    assert report["limits"]["membership"]["value"] == 0.51
    _, alone = downloaded(page, "JSON")
    assert json.loads(alone)["questions"] == report["questions"]

    page.reload()
    there(page, "Report")
    shown(page, re.compile(BAD))


def test_hostile_names_of_an_audit_run_nothing(page: Page, server: Server) -> None:
    names = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>"]
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    cut_sample(page, server, "Report")
    page.get_by_text("Say who releases it, to whom, and for what").click()
    page.get_by_label("Title on the cover").fill(" and ".join(names))
    page.keyboard.press("Enter")
    settled(page)
    _, paper = downloaded(page, "PDF")
    cover = pypdf.PdfReader(io.BytesIO(paper)).pages[0].extract_text().replace("\u200b", "")
    assert all(name.replace(" ", "") in "".join(cover.split()) for name in names)
    assert dialogs == []
