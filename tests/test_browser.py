"""The dashboard opens in a real browser and asks nothing outside this machine; a request that does is seen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browsing import at_rest, outside
from tests.conftest import Server, dashboard, menu
from tests.pages.screens import csv
from tests.pages.test_sidebar import TITLES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_the_dashboard_opens_and_stays_on_this_machine(page: Page, requested: list[str]) -> None:
    page.goto("/")
    menu(page).first.wait_for()
    assert page.get_by_test_id("stException").count() == 0
    assert any(address.startswith("ws://127.0.0.1") for address in requested)
    assert outside(requested) == []


def test_a_bookmark_of_a_page_works_as_the_very_first_request(page: Page, tmp_path: Path) -> None:
    with dashboard(tmp_path / "home") as fresh:
        fresh.let_in(page.context)
        page.goto(f"{fresh.url}/membership")
        page.get_by_text("Nothing is loaded yet").wait_for()
        menu(page).filter(has_text="Audits").wait_for()
        titles = menu(page).all_inner_texts()
        assert [title.splitlines()[-1] for title in titles] == TITLES


DRAWS = """() => {
  window.left = 8;
  const draw = () => { document.body.dataset.left = --window.left; window.left && setTimeout(draw, 50); };
  draw();
}"""
ASKS = """() => {
  window.line.sent = performance.now();
  setTimeout(() => { window.line.came = performance.now(); }, 500);
}"""


def test_a_page_is_at_rest_when_it_has_its_answer_and_has_drawn_it(page: Page) -> None:
    page.goto("/")
    at_rest(page)
    assert menu(page).count() > 10, "all has come that the first visit asks for"
    page.evaluate(DRAWS)
    at_rest(page)
    assert page.evaluate("window.left") == 0
    page.evaluate(ASKS)
    at_rest(page)
    assert page.evaluate("window.line.came > window.line.sent")


ELSEWHERE = "fetch('http://192.0.2.1/', {signal: AbortSignal.timeout(100)}).catch(() => null)"


def test_a_request_to_another_machine_is_seen(browser: Browser, server: Server) -> None:
    context = server.let_in(browser.new_context(base_url=server.url, bypass_csp=True))
    requested: list[str] = []
    context.on("request", lambda request: requested.append(request.url))
    tab = context.new_page()
    tab.goto("/")
    tab.evaluate(ELSEWHERE)
    assert outside(requested) == ["http://192.0.2.1/"]
    context.close()


def test_a_page_is_kept_from_asking_another_machine(page: Page, requested: list[str], forbidden: list[str]) -> None:
    page.goto("/")
    page.evaluate(ELSEWHERE)
    assert outside(requested) == []
    assert forbidden
    assert all("192.0.2.1" in message for message in forbidden)
    forbidden.clear()


@pytest.mark.parametrize(
    ("address", "is_outside"),
    [
        ("http://127.0.0.1:8501/static/a.js", False),
        ("ws://127.0.0.1:8501/_stcore/stream", False),
        ("data:image/png;base64,AAAA", False),
        ("blob:http://127.0.0.1:8501/1", False),
        ("https://fonts.gstatic.com/icon.svg", True),
        ("http://127.0.0.1.example.org/", True),
    ],
)
def test_outside_knows_this_machine(address: str, is_outside: bool) -> None:
    assert bool(outside([address])) is is_outside


def test_a_chart_is_saved_as_png_and_as_svg_by_the_browser_alone(page: Page, server: Server) -> None:
    """The browser draws the PNG from an address of its own making, which the policy has to let pass."""
    from riskkit.jobs.store import Store

    audit = Store(server.home).create("Charts")
    audit.load("real", csv(80, 1), name="real.csv")
    page.goto(f"/data?audit={audit.id}")
    page.locator(".js-plotly-plot").last.wait_for()
    page.get_by_role("button", name=re.compile(r"\bSave$")).first.click()
    saved = {}
    for kind in ("PNG", "SVG"):
        page.get_by_role("radio", name=kind).or_(page.get_by_role("button", name=kind)).first.click()
        page.wait_for_timeout(1_000)
        with page.expect_download() as download:
            page.get_by_role("button", name=re.compile("Download plot")).first.click(force=True)
        saved[download.value.suggested_filename] = download.value.path().read_bytes()[:5]
    assert saved == {"riskkit_data_column_0.png": b"\x89PNG\r", "riskkit_data_column_0.svg": b"<svg "}
