"""How long the first visit of each page takes in a new session, with an audit of 45,000 rows by 15 columns.

Run it alone: ``python benchmarks/visits.py ADDRESS AUDIT [times]``. ADDRESS is what ``make app`` prints, token and all;
AUDIT names a folder of ``audits`` where the dashboard keeps things. Each page is opened from the Audit page by a
click in the side bar, in a browser of its own (Chromium, 1440 x 900), once a person could have read that page. Printed
are seconds until the title of the page stands (content) and until nothing of it changes any more (settled), the median
of so many times.
"""

from __future__ import annotations

import shutil
import sys
import time
from statistics import median

from playwright.sync_api import Page, sync_playwright

PAGES = (
    "data",
    "membership",
    "records",
    "attributes",
    "singling-out",
    "linkability",
    "reconstruction",
    "explanations",
    "contest",
    "report",
)
READING, STILL, LONGEST = 6.0, 0.8, 60.0
"""Seconds on the Audit page, without a change until a page counts as settled, and after which a visit is given up."""
WATCH = """() => {
    window.changed = performance.now()
    const watcher = new MutationObserver(() => { window.changed = performance.now() })
    watcher.observe(document, {subtree: true, childList: true, characterData: true, attributes: true})
}"""
STATE = """() => [
    (performance.now() - window.changed) / 1000,
    !!document.querySelector('[data-testid=stStatusWidget]'),
    (document.querySelector('main h1') || {}).innerText || '',
]"""


def visit(page: Page, name: str) -> tuple[float, float]:
    """Seconds from the click in the side bar until the page has its title, and until it stands still."""
    page.evaluate(WATCH)
    link = page.locator(f'[data-testid=stSidebar] a[href$="/{name}"], [data-testid=stSidebar] a[href="{name}"]').first
    link.wait_for()
    before = page.locator("main h1").first.inner_text()
    start, content = time.perf_counter(), LONGEST
    link.click()
    while True:
        still, works, title = page.evaluate(STATE)
        seconds = time.perf_counter() - start
        if title and title != before:
            content = min(content, seconds)
        if (still > STILL and not works and seconds > 1.0) or seconds > LONGEST:
            return content, seconds - still
        time.sleep(0.02)


def main() -> None:
    """Visit every page so many times and print the medians."""
    address, audit = sys.argv[1:3]
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    print("| page | content s | settled s |\n|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in PAGES:
            taken = []
            for _ in range(times):
                context = browser.new_context(viewport={"width": 1440, "height": 900})
                page = context.new_page()
                page.goto(f"{address}&audit={audit}")
                page.wait_for_selector("main h1", timeout=60_000)
                time.sleep(READING)
                taken.append(visit(page, name))
                context.close()
            content, settled = (median(each) for each in zip(*taken, strict=True))
            print(f"| {name} | {content:.2f} | {settled:.2f} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
