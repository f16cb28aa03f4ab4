"""A target is picked by a hand on the map of outliers, and the game is played for it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")
from playwright.sync_api import TimeoutError as TookTooLong

from tests.conftest import Server
from tests.journeys.short import cut_sample
from tests.journeys.test_first_audit import FOUND, NUMBER, keep, number, play, settled, shown, unfold

if TYPE_CHECKING:
    from playwright.sync_api import Page

MAP = '[class*="-chart-"] .js-plotly-plot'


def click_point(page: Page, number: int) -> None:
    """Click a point of the outlier map as a hand would: bring it in sight, move there, then press."""
    point = page.locator(f"{MAP} .scatterlayer .point").nth(number)
    point.wait_for(state="attached")
    page.locator(MAP).scroll_into_view_if_needed()
    box = point.bounding_box()
    assert box
    spot = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(spot[0] - 5, spot[1] - 5)
    page.mouse.move(*spot, steps=5)
    page.wait_for_timeout(300)  # the chart picks its point when the mouse has come to rest
    page.mouse.click(*spot)


def choose_point(page: Page, number: int) -> None:
    """Click a point until the page says which rows are chosen: a busy browser may miss a click."""
    for _ in range(3):
        click_point(page, number)
        with suppress(TookTooLong):
            page.get_by_text(re.compile(r"Chosen rows: \d+")).wait_for(timeout=15_000)
            return
    raise AssertionError("no click on the map chose a row")


def test_a_point_of_the_outlier_map_becomes_the_target(page: Page, server: Server) -> None:
    cut_sample(page, server, "Membership")
    unfold(page)
    page.get_by_text("Choose rows on a map").click()
    page.locator(MAP).wait_for()
    settled(page)
    choose_point(page, 2)
    chosen = re.compile(r"Chosen rows: (\d+)")
    row = chosen.search(shown(page, chosen))
    assert row
    number(page, "Trainings", 10)
    assert NUMBER.search(play(page, FOUND))
    page.get_by_text("In full, and how sure it is").first.click()
    page.get_by_text(f"record {row.group(1)}").first.wait_for()
    keep(page, "membership_map")
