"""An audit outlives its tab: started, left, found again, stopped, resumed and finished; then deleted with a receipt."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import WHOLE, cut_sample
from tests.journeys.test_first_audit import PLAY_WITHIN, keep, number, settled, shown, unfold

if TYPE_CHECKING:
    from playwright.sync_api import Page

TRAININGS = 400
"""Enough for a game of some seconds, which can be left and stopped in its middle."""
DONE = re.compile(r"([1-9][\d,]*) of [\d,]+ steps done")
STOPS_WITHIN = 10.0


def done(page: Page) -> int:
    """The steps that the page says are done."""
    match = DONE.search(shown(page, DONE))
    assert match
    return int(match.group(1).replace(",", ""))


@pytest.fixture
def elsewhere(page: Page) -> Iterator[Page]:
    """A second tab of the same browser."""
    tab = page.context.new_page()
    tab.set_default_timeout(60_000)
    yield tab
    tab.close()


def test_a_game_is_left_found_again_stopped_resumed_and_finished(page: Page, elsewhere: Page, server: Server) -> None:
    cut_sample(page, server, "Membership", WHOLE)
    unfold(page)
    number(page, "Trainings", TRAININGS)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile("run="))
    audit = re.search(r"audit=(\w+)", page.url)
    assert audit
    page.close()

    elsewhere.goto(f"{server.url}/audits?audit={audit.group(1)}")
    before = done(elsewhere)
    keep(elsewhere, "audits_running")
    elsewhere.get_by_role("button", name="Cancel", exact=True).click()
    pressed = time.monotonic()
    elsewhere.get_by_role("button", name="Resume", exact=True).wait_for(timeout=2 * STOPS_WITHIN * 1000)
    assert time.monotonic() - pressed < 2 * STOPS_WITHIN, "ten seconds for the worker, and time for a busy page"
    stopped = done(elsewhere)
    assert before <= stopped < 2 * TRAININGS
    keep(elsewhere, "audits_cancelled")

    elsewhere.reload()
    assert done(elsewhere) == stopped, "what is done is kept"
    settled(elsewhere)
    elsewhere.get_by_role("button", name="Resume", exact=True).click()
    elsewhere.get_by_role("button", name="Show the result").wait_for(timeout=PLAY_WITHIN)
    keep(elsewhere, "audits_finished")
    settled(elsewhere)
    elsewhere.get_by_role("button", name="Log", exact=True).first.click()
    elsewhere.get_by_text("taken it up").or_(elsewhere.get_by_text("has begun")).first.wait_for()
    elsewhere.keyboard.press("Escape")
    elsewhere.get_by_role("button", name="Show the result").click()
    elsewhere.get_by_role("heading", name=f"{TRAININGS} trainings").or_(
        elsewhere.get_by_text("All numbers")
    ).first.wait_for()
    assert f"audit={audit.group(1)}" in elsewhere.url


def test_an_audit_is_copied_and_the_copy_deleted_with_a_receipt_by_keyboard(page: Page, server: Server) -> None:
    cut_sample(page, server, "Audits")
    page.get_by_role("button", name="Copy", exact=True).press("Enter")
    name = page.get_by_role("textbox", name="Name of the copy")
    name.fill("Twice ![x](http://127.0.0.1:9/x.png)")
    name.press("Enter")
    settled(page)
    page.get_by_role("button", name="Copy it").press("Enter")
    page.get_by_role("heading", name="Twice").wait_for()
    copied = page.url
    settled(page)
    page.get_by_role("button", name="Delete…").press("Enter")
    page.get_by_role("button", name="Yes, delete it").press("Enter")
    page.get_by_text("It cannot be undone.").first.wait_for()
    keep(page, "audits_deleted")
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download the receipt").click()
    receipt = coming.value.path().read_text(encoding="utf-8")
    assert re.search(r"[0-9a-f]{64}", receipt)
    assert "Twice" not in receipt
    page.goto(copied)
    assert "Twice" not in shown(page, re.compile("kept here"))
