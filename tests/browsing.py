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
HEARD = """() => {
  const line = window.line = {sent: 0, came: 0, drawn: 0};
  const now = () => performance.now();
  const Line = window.WebSocket;
  window.WebSocket = class extends Line {
    constructor(...where) { super(...where); this.addEventListener('message', () => { line.came = now(); }); }
    send(what) { line.sent = now(); super.send(what); }
  };
  new MutationObserver(() => { line.drawn = now(); })
    .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
"""When a page last asked the server for something, was last sent something, and last changed anything it shows."""
AT_REST = """async () => {
  const {line} = window, began = performance.now();
  let last = began, still = 0;
  for (;;) {
    await new Promise(done => setTimeout(done, 25));
    const now = performance.now(), app = document.querySelector('[data-testid=stApp]');
    const runs = app?.dataset.testScriptState !== 'notRunning' || document.querySelector('[data-testid=stSkeleton]');
    const waits = !line.came || (line.came < line.sent && now - line.sent < 1000);
    const newest = Math.max(began, line.drawn, line.came);
    still = newest === last ? still + 1 : 0;
    last = newest;
    const draws = still < LOOKS && now - began < 3000;
    if (!runs && !waits && !draws) return;
    if (now - began > 60000) throw new Error('TimeoutError: the page did not come to rest');
  }
}""".replace("LOOKS", "6")
"""Wait until a page has its answer and has drawn it: the server is through, and for six looks nothing came or changed.

Looks are counted and not time: a browser that stands still for a moment neither looks nor draws meanwhile. What always
changes something, such as a clock, is let go on after three seconds.
"""


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
    listened_to(context)
    context.new_page().goto("/")
    yield context
    context.close()


def listened_to(shown: BrowserContext | Page) -> None:
    """Hear from now on what pages of that window, or in that tab, ask for and are sent; and nothing in them moves."""
    for script in (STILL, HEARD):
        shown.add_init_script(f"({script})()")


def at_rest(tab: Page) -> None:
    """Wait until the page in that tab, which is listened to, has drawn what it asked the server for."""
    tab.evaluate(AT_REST)


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
