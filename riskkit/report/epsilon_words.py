"""How a lower bound of epsilon reads, on every page and in every file.

A bound of 0 is the absence of a result. Written as "0.00" it was taken for a proof of privacy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import counted, say
from riskkit.stats.epsilon import BOUNDS, epsilon_ceiling

SHOWN_AS_NOTHING = 0.005
"""A bound below it would read 0.00."""


def bound(value: float, ceiling: float, trainings: int) -> str:
    """``0.52 (ceiling 1.20)``, or that nothing can be shown with so many trainings; the ceiling beside either."""
    if value < SHOWN_AS_NOTHING:
        return say(
            "cannot be shown with {trainings} (ceiling {ceiling:.2f})",
            trainings=counted(trainings, "{n:,} training", "{n:,} trainings"),
            ceiling=ceiling,
        )
    return say("{value:.2f} (ceiling {ceiling:.2f})", value=value, ceiling=ceiling)


def most(trainings: int) -> str:
    """The sentence of the largest bound that so many trainings can show, before they are played."""
    side = trainings // 2
    ceiling = epsilon_ceiling(side, trainings - side)
    if ceiling < SHOWN_AS_NOTHING:
        reads = bound(0.0, ceiling, trainings)
        return say("A bound on ε {reads}, even were every answer right.", reads=reads)
    return say("Were every answer right, they would show that ε is at least {most:.2f}, and never more.", most=ceiling)


def with_readings(result: Mapping[str, Any]) -> dict[str, Any]:
    """The same result for JSON, in which every bound on epsilon says in words how it reads (``reads``).

    A program that reads value and high end alone would take 0 for the epsilon and the ceiling for its upper limit.
    """
    out = dict(result)
    for name in ("estimates", "bounds"):
        if name in out:
            out[name] = [_estimate(one) for one in out[name]]
    if "records" in out:
        out["records"] = [_record(row) for row in out["records"]]
    return out


def _estimate(kept: Mapping[str, Any]) -> dict[str, Any]:
    if kept["name"] not in BOUNDS:
        return dict(kept)
    return {**kept, "reads": bound(kept["value"], kept["high"], kept["n"])}


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    if "epsilon" not in row:
        return dict(row)
    value, ceiling = row["epsilon"]
    return {**row, "epsilon_reads": bound(value, ceiling, row["n"])}
