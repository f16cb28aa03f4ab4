"""What is said of lower bounds of epsilon, before and beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import say
from riskkit.stats.epsilon import BOUNDS, epsilon_ceiling
from riskkit.wording import SHOWN_AS_NOTHING, bound, epsilon


def most(trainings: int) -> str:
    """The sentence of the largest bound that so many trainings can show, before they are played."""
    side = trainings // 2
    ceiling = epsilon_ceiling(side, trainings - side)
    if ceiling < SHOWN_AS_NOTHING:
        reads = epsilon(0.0, ceiling, trainings)
        return say("A bound on ε {reads}, even if every answer were right.", reads=reads)
    return say(
        "If every answer were right, they would show that ε is at least {most:.2f}, and never more.", most=ceiling
    )


def with_readings(result: Mapping[str, Any]) -> dict[str, Any]:
    """The same result for JSON, in which every bound on epsilon says in words how it reads (``reads``).

    A program that reads value and high end alone would take 0 for the epsilon and the ceiling for its upper limit.
    """
    out = dict(result)
    for name in ("estimates", "bounds"):
        if name in out:
            out[name] = [_estimate(stored) for stored in out[name]]
    if "records" in out:
        out["records"] = [_record(row) for row in out["records"]]
    return out


def _estimate(kept: Mapping[str, Any]) -> dict[str, Any]:
    if kept["name"] not in BOUNDS:
        return dict(kept)
    return {**kept, "reads": bound(kept["name"], kept["value"], kept["high"], kept["n"])}


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    if "epsilon" not in row:
        return dict(row)
    value, ceiling = row["epsilon"]
    return {**row, "epsilon_reads": epsilon(value, ceiling, row["n"])}
