"""Three things a game can end with."""

from __future__ import annotations

import math
from enum import StrEnum

from riskkit.core import Estimate
from riskkit.errors import ParameterError
from riskkit.stats.epsilon import BOUNDS


class Verdict(StrEnum):
    """What an estimate says of a limit. None of the three says that a release may be published."""

    LEAK = "leak shown"
    """The whole interval lies above the limit."""
    NO_LEAK = "no leak above the limit shown"
    """The whole interval lies below it, and the same attack found a leak planted on purpose."""
    UNDECIDED = "undecided"
    """Everything else: the interval holds the limit, or the attack was not seen to find anything."""


def is_found(auc: Estimate) -> bool:
    """Whether an attack found the leak that was planted for it: its whole interval lies above chance."""
    return auc.low > 0.5


def judge(estimate: Estimate, limit: float, *, positive_control_found: bool | None) -> Verdict:
    """What this estimate says of a leak above ``limit``.

    Parameters
    ----------
    estimate : Estimate
        With a two-sided interval, higher meaning more leak. A bound (on epsilon) is never a reason for
        "no leak", since its high end bounds nothing.
    limit : float
        On the scale of the estimate (an AUC of .6, an advantage of .1).
    positive_control_found : bool or None
        Whether the same attack found a planted leak; None when none was planted.

    Raises
    ------
    ParameterError
        The limit is not a finite number.
    """
    if not math.isfinite(limit):
        raise ParameterError(f"The limit is {limit}; it must be a number.")
    if estimate.low > limit:
        return Verdict.LEAK
    is_bound = estimate.name in BOUNDS
    if estimate.high < limit and positive_control_found and not is_bound:
        return Verdict.NO_LEAK
    return Verdict.UNDECIDED
