"""What is said of copied rows: beside people who were not in, or beside what chance makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import say

SHOWN, NOT_SHOWN = "shown", "not shown"
"""States of a give-away, as :class:`riskkit.judging.give_aways.State` calls them."""


def beside_holdout(
    figures: Mapping[str, Any], state: str, estimate: Estimate | None, count: Callable[[float], str], rows: str
) -> str:
    """What was counted, beside how often the same is seen of people who were not in."""
    is_told = count(figures["rows"]) == f"{figures['rows']:,.0f}"
    if state == SHOWN and estimate is None and figures["alone"] <= figures["most"]:
        return say(
            "{rows}. Of different rows that one table alone has, {k_in} of {n_in} real ones stand in it and {k_out} of "
            "{n_out} of the holdout. The release copies people.",
            rows=rows,
            **{name: count(figures[name]) for name in ("k_in", "n_in", "k_out", "n_out")},
        )
    if state == SHOWN and estimate is None:
        return say(
            "{rows}. Rows within either file are so seldom alike that chance would make at most about {most}. The "
            "release copies people.",
            rows=rows,
            most=count(figures["most"]),
        )
    if not figures["has_holdout"]:
        return say("{rows}. Whether that is more than chance cannot be said without a holdout.", rows=rows)
    if not figures["alone"]:
        return say("{rows}; each of them is a row of the holdout too.", rows=rows)
    if state == NOT_SHOWN and estimate is None:
        return say(
            "{rows}. Nearly everybody in the holdout has a row of the real table too: such rows are combinations that "
            "many people have, and say of nobody that they were in.",
            rows=rows,
        )
    if estimate is None:
        return say(
            "{rows}. Too few people are in only one of the two tables to tell whether that is more than chance.",
            rows=rows,
        )
    if not is_told:  # a share of a known number is that number again
        if state == SHOWN:
            return say("{rows}, relatively more than for people who were not in. The release copies people.", rows=rows)
        return say("{rows}. That is not shown to be more than chance.", rows=rows)
    shares = say(
        "{inside} of the different people in the real table, {outside} of the different people in the holdout "
        "(difference {difference})",
        inside=wording.percent(figures["k_in"] / figures["n_in"]),
        outside=wording.percent(figures["k_out"] / figures["n_out"]),
        difference=wording.share(estimate),
    )
    if state == SHOWN:
        return say("{rows}: {shares}. The release copies people.", rows=rows, shares=shares)
    return say("{rows}: {shares}. That is not shown to be more than chance.", rows=rows, shares=shares)
