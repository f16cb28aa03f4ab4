"""A contest in a real browser: played from the form to the sentence on the frontier, then a release handed in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import ROWS, cut, cut_sample
from tests.journeys.test_first_audit import keep, play, settled, shown, unfold, views

if TYPE_CHECKING:
    from playwright.sync_api import Page

RELEASE = "release_bayesnet.csv"
HITS = re.compile(r"a usefulness of .* finds \d+ \[\d+\.\d, \d+\.\d\]")


def test_a_contest_says_where_both_releases_sit_the_loaded_one_and_one_that_was_handed_in(
    page: Page, server: Server
) -> None:
    cut_sample(page, server, "Contest")
    unfold(page)
    views(page, "contest_form", 3600)

    page.get_by_text("Hand in a release made elsewhere").click()
    settled(page)
    name = page.get_by_role("textbox", name="Name it takes part under")
    name.fill("second method")
    name.press("Enter")
    settled(page)
    box = page.get_by_test_id("stFileUploader").filter(has_text="second method").locator("input[type=file]")
    box.set_input_files({"name": RELEASE, "mimeType": "text/csv", "buffer": cut(RELEASE)})
    shown(page, re.compile(rf"second method · release_bayesnet\.csv, {ROWS} rows"))
    keep(page, "contest_handed")

    text = play(page, "people whom", re.compile("Attacker by attacker"))
    assert re.search(r"Of \d+ people whom .+ names, \d+ are members; guessing finds \d+\.", text)
    page.get_by_text("In full, and how sure it is").click()
    shown(page, HITS)
    assert "Your release sits here: a usefulness of" in page.get_by_test_id("stMain").inner_text()
    assert "Your release second method sits here" in text
    assert "Was the planted leak found?" in text
    assert "If it had been made otherwise: " in text
    views(page, "contest_result", 6000)
