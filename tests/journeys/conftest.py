"""All journeys share a Chromium and a window in it: what one has read and compiled, the next need not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browsing import chromium_of, window_of
from tests.conftest import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all of them."""
    with chromium_of(chromium) as started:
        yield started


@pytest.fixture(scope="package")
def window(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """One window for all of them."""
    with window_of(browser, server.url) as opened:
        yield opened
