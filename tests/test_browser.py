"""The dashboard opens in a real browser and asks nothing outside this machine; a request that does is seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Server, dashboard, menu, outside

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
        titles = menu(page).all_inner_texts()
        assert [title.splitlines()[-1] for title in titles] == [
            "Audit", "Data", "Membership", "Records", "Attributes", "Singling out", "Linkability", "Compare", "Report",
            "Explanations", "Contest", "Audits",
        ]  # fmt: skip


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
    assert all("192.0.2.1" in told for told in forbidden)
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
