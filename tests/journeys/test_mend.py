"""A release is mended in a real browser: what is suggested, the new file, its audit, and both side by side."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import cut, cut_sample
from tests.journeys.test_first_audit import PLAY_WITHIN, keep, settled, shown
from tests.journeys.test_report import downloaded

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_from_a_release_to_a_better_one_beside_it(page: Page, server: Server) -> None:
    cut_sample(page, server, "Audit")
    page.get_by_role("button", name="Run the audit").click()
    page.get_by_text("At this effort everything is answered").wait_for(timeout=PLAY_WITHIN)
    page.get_by_role("heading", name="What can you do about it?").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    page.get_by_text("Shuffle the rows", exact=True).click()
    settled(page)
    page.get_by_role("button", name="Make the new release and audit it").click()
    page.get_by_role("heading", name="Made from this release").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    keep(page, "mended")
    name, content = downloaded(page, "Download")
    assert name == "release_bayesnet_mended.csv"
    old = cut("release_bayesnet.csv").splitlines()
    assert Counter(content.splitlines()) == Counter(old)
    assert content.splitlines() != old
    page.get_by_role("button", name="Compare with the old one").click()
    page.get_by_role("heading", name="Is the new release better than the old one?").wait_for(timeout=PLAY_WITHIN)
    settled(page)
    shown(page, re.compile("What either file gives away by itself"))
    keep(page, "compare")
    assert re.search("left=.*right=", page.url)
