"""The released file attacked in a real browser: the switch of the page Membership, the attacks, the verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import cut_sample
from tests.journeys.test_first_audit import FOUND, NUMBER, keep, play, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_the_released_file_alone_is_attacked_and_judged(page: Page, server: Server) -> None:
    cut_sample(page, server, "Membership")
    switch = page.get_by_role("radio", name="The released file alone")
    switch.focus()
    page.keyboard.press("Space")
    page.get_by_text("Set up the attacks").first.wait_for()
    settled(page)
    assert "question=released" in page.url
    text = play(page, FOUND)
    assert re.search(r"Leak shown|Undecided", text)
    assert NUMBER.search(text), "a number with its interval"
    assert "This describes, it does not judge" in text
    assert "Planted leak" in text
    keep(page, "released")
