"""Choosing targets on the map, in a real browser: points are clicked, boxed and ticked."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from riskkit.jobs.store import Store
from riskkit.table.read.csv_text import read_csv
from tests.conftest import Server
from tests.journeys.test_first_audit import unfold
from tests.pages.membership import people

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CHART = '[data-testid="stPlotlyChart"]'


@pytest.fixture
def opened(page: Page, server: Server) -> Page:
    """The map of an audit of 120 rows, of which row 0 stands out most."""
    audit = Store(server.home).create("Map")
    audit.put("real", read_csv(people(0), name="real.csv"))
    page.set_viewport_size({"width": 1400, "height": 2200})  # what the mouse does is done where it can be seen
    page.goto("/")
    page.get_by_text("Data").first.wait_for()
    page.goto(f"/membership?audit={audit.id}")
    unfold(page)
    page.get_by_text("Choose rows on a map").click()
    page.locator(CHART).nth(1).wait_for()
    points(page).first.wait_for()
    return page


def points(page: Page) -> Locator:
    return page.locator(CHART).last.locator(".scatterlayer .point")  # the first is the example


def middle(page: Page, number: int) -> tuple[float, float]:
    box = points(page).nth(number).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def click(page: Page, number: int) -> None:
    """Click a point as a hand does: Plotly takes what the mouse was over before."""
    x, y = middle(page, number)
    page.mouse.move(x - 3, y)
    page.mouse.move(x, y, steps=3)
    page.mouse.down()
    page.mouse.up()


def chosen(page: Page, many: int) -> list[int]:
    """The chosen rows, once there are that many."""
    text = page.get_by_text(re.compile("^Chosen rows"))
    end = time.monotonic() + 30
    rows: list[int] = []
    while time.monotonic() < end:
        rows = [int(row) for row in re.findall(r"\d+", " ".join(text.all_inner_texts()))]
        if len(rows) == many:
            break
        time.sleep(0.1)
    page.wait_for_timeout(500)  # the chart is drawn anew after the text
    return rows


@pytest.mark.slow
def test_points_are_clicked_boxed_and_ticked(opened: Page) -> None:
    click(opened, 0)
    assert chosen(opened, 1) == [0], "the row that stands out most"
    click(opened, 1)
    first, second = chosen(opened, 2)
    assert first == 0
    click(opened, 0)
    assert chosen(opened, 1) == [second], "a second click takes a point away"
    click(opened, 1)
    assert chosen(opened, 0) == []

    opened.get_by_text("A box", exact=True).click()
    opened.wait_for_timeout(1000)
    x, y = middle(opened, 0)
    x_end, y_end = middle(opened, 2)
    opened.mouse.move(x - 12, y - 12)
    opened.mouse.down()
    opened.mouse.move(x_end + 4, y_end + 12, steps=8)
    opened.mouse.up()
    boxed = chosen(opened, 3)
    assert boxed[:2] == [0, second]

    table = opened.locator('[data-testid="stDataFrame"]').last.bounding_box()
    assert table is not None
    opened.mouse.click(table["x"] + 20, table["y"] + 35 + 18)
    assert chosen(opened, 2) == boxed[1:], "the table holds the same choice and gives a row up"
    opened.get_by_role("button", name="Clear the choice").click()
    assert chosen(opened, 0) == []
