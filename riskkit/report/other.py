"""A run of a question that this report has no words for: its numbers are shown, its verdict is its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import say
from riskkit.show.estimates import estimate
from riskkit.show.finding import finding
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names


def read(run: Played, names: Names, facts: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    estimates = tuple(filter(None, (_estimate(stored, names) for stored in result.get("estimates", ()))))
    return (
        finding(
            run,
            names,
            sentence=say("{estimates:,} numbers were measured; the tables hold them.", estimates=len(estimates)),
            measured=Measured(
                scale="auc",
                guess=0.5,
                strongest=None,
                widest=None,
                who="",
                looks=0,
                control=Control.none(""),
                reasons=(Reason("unknown_question"),),
            ),
            estimates=estimates,
        ),
    )


def _estimate(stored: Mapping[str, Any], names: Names) -> Estimate | None:
    try:
        return names.estimate(estimate(stored))
    except (DesignError, KeyError, TypeError):
        return None
