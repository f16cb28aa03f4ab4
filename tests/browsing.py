"""A Chromium for tests, a window in it that several of them share, and what a tab asked of other machines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

POLICY = "Content Security Policy"
"""What Chromium writes into its console where it keeps a page from something."""
CHROMIUM_ARGUMENTS = [
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--process-per-site",
]
"""What it asks of the network by itself is off; all tabs of one window share a process, and so what it has compiled."""
STILL = """() => {
  const still = new CSSStyleSheet();
  still.replaceSync('*, *::before, *::after { animation: none !important; transition: none !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}"""
"""Nothing moves: a spinner that turns while a run is played keeps a core busy with drawing it."""


@contextmanager
def chromium_of(program: str) -> Iterator[Browser]:
    """A Chromium, started and stopped; while it runs, this thread can run no event loop of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=CHROMIUM_ARGUMENTS, chromium_sandbox=False)
        yield launched
        launched.close()


@contextmanager
def window_of(browser: Browser, url: str) -> Iterator[BrowserContext]:
    """A tall window at the dashboard of that address.

    Its first tab stays at the door: the process of the window lives as long, and what later tabs show need not be read
    and compiled anew.
    """
    context = browser.new_context(viewport={"width": 1400, "height": 2200}, base_url=url)
    context.add_init_script(f"({STILL})()")
    context.new_page().goto("/")
    yield context
    context.close()


def origin(address: str) -> str:
    """Scheme, computer and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def emptied(tab: Page, origins: set[str]) -> None:
    """Take away what pages of these origins keep in the browser, cookies and all."""
    browser = tab.context.new_cdp_session(tab)
    for place in origins:
        browser.send("Storage.clearDataForOrigin", {"origin": place, "storageTypes": "all"})
    browser.detach()
    tab.context.clear_cookies()


def outside(addresses: list[str]) -> list[str]:
    """The addresses that are not on this machine; what a page holds in itself (``data:``, ``blob:``) is."""
    return [
        address
        for address in addresses
        if urlsplit(address).scheme not in ("data", "blob", "about") and urlsplit(address).hostname != "127.0.0.1"
    ]
