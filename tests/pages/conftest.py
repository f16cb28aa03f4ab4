"""Every test of a page keeps its audits in a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    # A run that a test has put there has no worker that beats, and a busy machine may take long to draw its page.
    monkeypatch.setattr("riskkit.jobs.runs.STALE_AFTER", 60.0)
