"""Beside the time a run will take, a page says how much memory it will need."""

import re
import sys

import pytest

from riskkit.jobs import machine
from tests.pages.membership import page, stays, text

pytestmark = pytest.mark.usefixtures("timed")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measured on Linux alone")
def test_memory_is_said_beside_the_time() -> None:
    shown = text(page(stays("stat")))
    assert "This takes **about" in shown
    match = re.search(r"The run needs about (\d+) MB of memory with (one process|\d+ processes)", shown)
    assert match is not None
    assert int(match[1]) >= machine.PROCESS >> 20


def test_nothing_is_said_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "measure", lambda make: (make(), None))
    shown = text(page(stays("stat")))
    assert "This takes **about" in shown
    assert "of memory" not in shown
