"""A run of a question that this report has no words for: its numbers are shown, its verdict is its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import say
from riskkit.show.model import Given, Played, RunFinding
from riskkit.show.names import Names


def read(run: Played, names: Names, given: Given) -> tuple[RunFinding, ...]:  # noqa: ARG001  every reader is called alike
    """The finding of a finished run."""
    assert run.result is not None
    result = run.result
    estimates = tuple(filter(None, (_estimate(one, names) for one in result.get("estimates", ()))))
    return (
        RunFinding(
            id=run.id,
            question=run.question,
            sentence=say("{estimates:,} numbers were measured; the tables hold them.", estimates=len(estimates)),
            game=(),
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
            limits=(),
            settings=names.settings(run.plan),
            command=names.told(run.command),
            seconds=float(result.get("seconds", 0.0)),
            workers=run.workers,
        ),
    )


def _estimate(given: Mapping[str, Any], names: Names) -> Estimate | None:
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(text) for name, text in given.items() if name not in own}
    try:
        return names.estimate(Estimate(**{name: given[name] for name in own}, labels=labels))
    except (DesignError, KeyError, TypeError):
        return None
