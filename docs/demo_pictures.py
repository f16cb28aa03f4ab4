"""The pictures of docs/demo.md: the tour through the demo, as a browser shows it.

    python -m docs.demo_pictures ADDRESS [FOLDER]

ADDRESS is that of a dashboard (``riskkit app --no-token``) whose store has not seen the tour; FOLDER is docs/demo.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1280, "height": 800}
WAIT = 600_000
"""Milliseconds that a page may take on a slow computer."""


def settle(page: Page) -> None:
    """Wait until the page is drawn; what runs behind it may go on."""
    page.wait_for_timeout(2000)
    for _ in range(20):
        if not page.locator("[data-testid=stSpinner], [data-testid=stSkeleton]").count():
            break
        page.wait_for_timeout(1000)
    page.wait_for_timeout(4000)


def take(address: str, folder: Path, scheme: str = "light") -> None:
    """Walk through the tour and keep a picture of each step."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()  # type: ignore[arg-type]
        page.set_default_timeout(WAIT)
        page.goto(address)
        page.get_by_role("button", name="Tour").click()
        page.mouse.move(900, 600)
        for step in range(1, 6):
            page.get_by_text(f"Step {step} of 5").wait_for()
            settle(page)
            page.screenshot(path=folder / f"step_{step}.png")
            if step == 1:
                page.get_by_role("button", name="Shuffle the rows").first.click()
                page.get_by_role("heading", name="Is the new release better").first.wait_for()
                settle(page)
                page.screenshot(path=folder / "shuffled.png")
            if step < 5:
                page.get_by_role("button", name="Next", exact=True).click()
        page.get_by_role("button", name="End the tour").click()
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).with_name("demo"))
