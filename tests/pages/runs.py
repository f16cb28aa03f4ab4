"""Runs for the tests of pages: put into a state by hand, really played, or caught as *Run* would have started them."""

import re
import time
from typing import Any

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from riskkit.errors import DesignError
from riskkit.jobs.codec import seal
from riskkit.jobs.database import runs
from riskkit.jobs.files import dump
from riskkit.jobs.leases import beat, note, place
from riskkit.jobs.machine import environment
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.phrases import with_phrases
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.questions.runs import plan_of
from tests.pages.screens import field, press

worker_outlives_test = pytest.mark.filterwarnings(  # on purpose: it outlives whoever started it
    "ignore:subprocess:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def faked(audit: Audit, state: str, plan: Plan, *, run: str = "e" * 32, **more: Any) -> Run:
    """A run as the store and the worker leave it in that state."""
    made = Run(audit.path / "runs" / run)
    asked = {"question": plan.question, "plan": plan.as_dict(), "workers": 1, "revision": audit.revision}
    row = {
        "created": time.time(),
        "token": 1,
        "state": state,
        **sealed(run, asked={**asked, "environment": environment()}),
    }
    with audit.base.write() as connection:
        added = connection.execute(runs.insert().values(audit=audit.id, id=run, **{**row, **beat(connection), **more}))
        number = added.inserted_primary_key
        assert number is not None
        note(connection, number[0], "Started by a test.")
    return made


def without_clock(text: str) -> str:
    """What a bar of a run says, without for how long the run goes on; a bar that does not say it is an error."""
    words, clock = text.split(" · running for ")
    assert re.fullmatch(r"(\d+:)?\d+:\d\d", clock), text
    return words


def finished(audit: Audit, plan: Plan, *, run: str = "e" * 32) -> Run:
    """A run that was really played, in this process: once for all tests, where plan and tables are the same."""
    made = faked(audit, "finished", plan, run=run, seconds=1.0)
    changed(made, result=result_of(audit, plan))
    return made


_RESULTS: dict[tuple[str, Plan], dict[str, Any]] = {}


def result_of(audit: Audit, plan: Plan) -> dict[str, Any]:
    """What a run of that plan gives on the tables of an audit.

    It depends on nothing else, but where a plan names files that are kept with the audit: that is always played.
    """
    asked, name = question(plan.question), (audit.revision, plan)
    if name not in _RESULTS:
        try:
            _RESULTS[name] = asked.run(audit.tables(), plan).plain()
        except DesignError:  # it cannot be played on tables alone, or not at all
            return asked.work_out(audit, plan)
    return _RESULTS[name]


def changed(run: Run, **more: Any) -> None:
    """Change what is kept of a run: columns of its row; ``asked`` and ``result`` are given as plain values."""
    base, audit, name = place(run.path)
    mine = (runs.c.audit == audit) & (runs.c.id == name)
    with base.write() as connection:
        row = connection.execute(sa.select(runs.c.asked, runs.c.result).where(mine)).one()
        if more.get("asked") is not None or more.get("result") is not None:
            more |= sealed(name, more.get("asked", row.asked), more.get("result", row.result))
        connection.execute(runs.update().where(mine).values(**more))


def sealed(run: str, asked: Any, result: Any = None) -> dict[str, Any]:
    """What a run was asked for and its result, plain values or bytes, with the hashes beside them, as columns."""
    asked, result = (_bytes(value) for value in (asked, result))
    marks = {"asked": asked, "asked_sha": seal(run, asked)}
    return marks if result is None else {**marks, "result": result, "result_sha": seal(run, asked, result)}


def _bytes(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return dump(with_phrases({key: each for key, each in value.items() if key != "seconds"}))


def started(screen: AppTest, audit: Audit, asked: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plan that *Run* would have played for that question."""
    monkeypatch.setattr(Audit, "start", lambda _, plan, **__: faked(audit, "queued", plan))
    press(screen, field(asked, audit, "run"))
    (run,) = audit.runs()
    assert run.question == asked
    return plan_of(run)


def ended(run: Run, within: float = 120) -> str:
    """The state of a run when its worker is through, or after that many seconds."""
    end = time.monotonic() + within
    while run.state in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.2)
    return run.state
