"""The page in a real browser, from disk: it sorts, opens what a link leads to, fits a phone, and axe finds nothing."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.second

PAGE = Path(__file__).resolve().parents[2] / "docs" / "leaks" / "index.html"
ONE_OF_EACH_FORM = """() => document.querySelectorAll('table').forEach(table => {
  const known = new Set();
  for (const row of table.querySelectorAll('tbody > tr')) {
    const form = row.outerHTML.replace(/>[^<]*[^<\\s][^<]*</g, '>.<').replace(/ (id|href|data-v)="[^"]+"/g, ' $1');
    known.has(form) ? row.remove() : known.add(form);
  }
})"""
"""Leave of each table's rows those that differ in more than their texts and numbers: axe has the same to say of all."""


@pytest.mark.parametrize("rows", ["one of each form", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_opens_from_disk_and_keeps_to_itself(browser: Browser, scheme: str, width: int, rows: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    tab, asked, broken = context.new_page(), [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: broken.append(str(error)))
    tab.goto(PAGE.as_uri())
    assert (asked, broken) == ([PAGE.as_uri()], [])
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    overview = tab.get_by_role("region", name="Which methods leak")
    assert width < 1440 or overview.evaluate("box => box.scrollWidth <= box.clientWidth"), "all columns are in view"
    tab.evaluate("document.querySelectorAll('details').forEach((part, at) => part.open = at % 4 === 0)")
    axe = find_spec("axe_playwright_python")
    if rows != "all":
        tab.evaluate(ONE_OF_EACH_FORM)
        assert tab.locator("tbody > tr").count() > 10
    if axe is not None and axe.origin is not None:
        tab.evaluate(Path(axe.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
        violations = tab.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
        assert [violation["id"] for violation in violations] == []
    context.close()


def test_a_press_sorts_and_a_link_opens_its_cell(browser: Browser) -> None:
    tab = browser.new_page()
    tab.goto(PAGE.as_uri())
    first = tab.locator("table").first
    head = first.get_by_role("columnheader", name="Adult").first
    values = "rows => rows.map(row => row.cells[1].dataset.v).filter(Boolean).map(Number)"
    for order, rising in (("descending", False), ("ascending", True)):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        shown = first.locator("tbody tr").evaluate_all(values)
        assert len(shown) > 5
        assert shown == sorted(shown, reverse=not rising)
    for link in (first.locator("td a").first, first.locator("td a[style]").first):
        target = (link.get_attribute("href") or "")[1:]
        link.click()
        tab.locator(f"#{target} dl, tr#{target}").first.wait_for(state="visible")
    tab.close()


def test_a_word_leaves_the_methods_that_hold_it_and_a_press_hands_all_cells_out(browser: Browser) -> None:
    tab = browser.new_page()
    tab.goto(PAGE.as_uri())
    rows = tab.locator("#overview tbody tr")
    every = rows.count()
    tab.get_by_role("searchbox").fill("mst")
    left = [row for row in rows.all() if row.is_visible()]
    assert 0 < len(left) < every
    assert all("mst" in row.inner_text().lower() for row in left)
    assert tab.get_by_role("status").inner_text() == f"{len(left)} of {every}"
    with tab.expect_download() as handed:
        tab.get_by_role("button", name="All cells").click()
    lines = list(csv.reader(Path(handed.value.path()).read_text(encoding="utf-8").splitlines()))
    assert lines[0][:5] == ["Method", "Table", "Kind", "Attack", "AUC"]
    assert len(lines) - 1 == tab.locator("tr[id^=c]").count() > 3_000
    tab.close()
