"""Runs for the tests of pages: put into a state by hand, really played, or caught as *Run* would have started them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.questions import Plan, question
from riskkit.audit.runs import Run, write_json
from riskkit.audit.store import Audit
from tests.pages.screens import field, press

worker_outlives_test = pytest.mark.filterwarnings(  # on purpose: it outlives whoever started it
    "ignore:subprocess:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def faked(audit: Audit, state: str, plan: Plan, *, run: str = "e" * 32, **more: Any) -> Run:
    """A run folder as the store and the worker leave it in that state."""
    made = Run(audit.path / "runs" / run)
    made.path.mkdir()
    kept = {"question": plan.question, "plan": plan.as_dict(), "workers": 1, "revision": audit.revision}
    write_json(made.path / "plan.json", kept)
    made.report(state, **more)
    made.beat()
    return made


def finished(audit: Audit, plan: Plan, *, run: str = "e" * 32) -> Run:
    """A run that was really played, in this process."""
    made = faked(audit, "finished", plan, run=run)
    write_json(made.path / "result.json", {**question(plan.question).played(audit, plan), "seconds": 1.0})
    return made


def started(at: AppTest, audit: Audit, asked: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plan that *Run* would have played for that question."""
    monkeypatch.setattr(Audit, "start", lambda _, plan, **__: faked(audit, "queued", plan))
    press(at, field(asked, audit, "run"))
    (run,) = audit.runs()
    assert run.question == asked
    return run.plan


def ended(run: Run, within: float = 120) -> str:
    """The state of a run when its worker is through, or after that many seconds."""
    end = time.monotonic() + within
    while run.state in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.2)
    return run.state
