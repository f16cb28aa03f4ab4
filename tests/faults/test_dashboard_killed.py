"""The dashboard is killed again and again while a run goes on that its page started: the run never notices.

SIGKILL is what a crash or a power cut of the server looks like. The server is the real one, the run was started by a
click in a real browser, and after every restart the page is opened again and has to show the run.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from riskkit.audit import sample
from riskkit.jobs.runs import LIVE, Run
from riskkit.jobs.store import Audit, Store
from tests import conftest
from tests.browsing import listened_to
from tests.conftest import ROOT, Server, _free_port, printed
from tests.faults.workers import until
from tests.journeys.test_audits import DONE
from tests.journeys.test_first_audit import number, unfold

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3000),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes as only POSIX systems can"),
]
FIGURES = logging.getLogger("riskkit.faults")
KILLS = int(os.environ.get("RISKKIT_KILLS", "20"))
TRAININGS = 100_000
"""As many as the page offers: no machine plays them while the server is killed so often. The run is cancelled."""
FOUND_WITHIN = 60.0
"""Seconds after which the page of a server that is up must show the run again, on a machine however busy; the figures
say how long it took."""


@contextmanager
def killed_after(home: Path, port: int) -> Iterator[Server]:
    """A dashboard that is killed when the block is left."""
    log = home.parent / "server.log"
    command = [sys.executable, "-m", "riskkit.dashboard", "--server.port", str(port)]
    with log.open("ab") as out:
        before = log.stat().st_size
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "RISKKIT_HOME": str(home)}, stdout=out, stderr=out
        )
        try:
            yield Server(printed(process, log, before), home)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=30)


def started(page: Page, server: Server, audit: Audit) -> Run:
    """A long run, started by a click on the page."""
    server.let_in(page.context)
    page.goto(f"{server.url}/membership?audit={audit.id}")
    unfold(page)
    number(page, "Trainings", TRAININGS)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(re.compile("run="))
    (run,) = audit.runs()
    until(lambda: run.state == "running", 60)
    return run


def test_a_run_survives_every_death_of_the_server_that_started_it(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, port = tmp_path / "home", _free_port()
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    monkeypatch.setattr(conftest, "START_WITHIN", 300.0)  # how long a start takes is not asked here
    audit = sample.load_sample(Store.default())
    page = browser.new_page()
    listened_to(page)
    page.set_default_timeout(180_000)
    with killed_after(home, port) as server:
        run = started(page, server, audit)
    begun = _takings(run)
    waits, far = [], [int(run.progress["done"])]
    for kill in range(2, KILLS + 1):
        with killed_after(home, port) as server:
            server.let_in(page.context)
            page.goto(f"{server.url}/audits?audit={audit.id}")
            since = time.monotonic()
            page.get_by_text(DONE).or_(page.get_by_text("Show the result")).first.wait_for()
            waits.append(time.monotonic() - since)
            far.append(int(run.progress["done"]))
            assert run.state in LIVE, f"the run ended before all kills, make it longer: {run.progress}"
        FIGURES.info("kill %d: %d units done, the page showed it within %.1f s", kill, far[-1], waits[-1])
    assert far == sorted(far)
    assert far[-1] > far[0], "it went on"
    assert _takings(run) == begun, "one worker played it all"
    assert max(waits) <= FOUND_WITHIN
    run.cancel()
    until(lambda: run.state == "cancelled", 60)
    assert run.progress["done"] >= far[-1], "nothing that was done is lost"


def _takings(run: Run) -> list[str]:
    """The lines of the log that say that a worker took the run."""
    return [line for line in run.log() if "has begun" in line or "taken it up" in line]
