"""Asking for help in a real browser: a click on the sign beside a switch opens a text and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from tests.conftest import Server
from tests.journeys.short import cut_audit, opened
from tests.journeys.test_first_audit import settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

SWITCHES = """() => {
  const boxes = [...document.querySelectorAll('[data-testid=stMain] [data-testid=stCheckbox]')];
  return {
    on: boxes.map(box => box.querySelector('input').checked),
    inside: boxes.filter(box => box.querySelector('[data-testid=stTooltipIcon]')).length,
  };
}"""
UNFOLD = "() => document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary').forEach(e => e.click())"
BESIDE = (
    "[data-testid=stMain] [data-testid=stHorizontalBlock]:has([data-testid=stCheckbox]) [data-testid=stTooltipIcon]"
)


@pytest.mark.parametrize(("title", "least"), [("Report", 2), ("Membership", 1), ("Audit", 2)])
def test_a_click_on_help_beside_a_switch_changes_nothing(page: Page, server: Server, title: str, least: int) -> None:
    audit = cut_audit(server.home)
    opened(page, server, title, audit.id)
    page.evaluate(UNFOLD)
    settled(page)
    before = page.evaluate(SWITCHES)
    signs = page.locator(BESIDE)
    assert before["inside"] == 0
    assert signs.count() >= least
    for index in range(signs.count()):
        signs.nth(index).click()
        page.mouse.move(0, 0)
        signs.nth(index).hover()  # a click shuts what the mouse has opened on its way
        page.get_by_test_id("stTooltipContent").first.wait_for()
        page.mouse.move(0, 0)
    settled(page)
    assert page.evaluate(SWITCHES) == before
