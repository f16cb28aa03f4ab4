"""Every estimate of a kept result in one table: for results whose own pictures need what is not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import streamlit as st

from riskkit.audit.reporting import titles
from riskkit.dashboard import again, views
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.report.views import listed
from riskkit.show.estimates import estimate

PURGED = say(
    "The scores of single records were deleted because of their age, and so were the charts made from them. The "
    "estimates are kept. The same settings on the same files give the scores again."
)


def table(question: str, result: Mapping[str, Any]) -> None:
    """All estimates with their intervals, levels and numbers of trainings or records."""
    views.table(listed(question, map(estimate, result["estimates"]), titles()))


def purged(audit: Audit, run: Run, result: Mapping[str, Any]) -> None:
    """What is left of a result whose scores of single records were removed."""
    st.info(PURGED, title=say("What is kept of this result"), icon=":material/mop:")
    table(run.question, result)
    again.settings(audit, run, result, say("It holds estimates, settings and notes, but no scores."))


def unless_purged(show: Callable[[Audit, Run], None]) -> Callable[[Audit, Run], None]:
    """That page of a result; where its scores of single records were removed, what is left of it instead."""

    @wraps(show)
    def shown(audit: Audit, run: Run) -> None:
        result = run.result
        if result.get("purged"):
            purged(audit, run, result)
        else:
            show(audit, run)

    return shown
