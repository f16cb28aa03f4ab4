"""How much more often a guess is right about people who were in than about people who were not, in plain shares."""

from __future__ import annotations

import math

from riskkit.base import distributions as stats
from riskkit.core import Estimate
from riskkit.errors import ParameterError
from riskkit.stats.guesses import Guesses
from riskkit.stats.inference import shares_of
from riskkit.stats.intervals import clopper_pearson_high, clopper_pearson_low, square_and_add


def difference(members: Guesses, control: Guesses, *, level: float = 0.95) -> Estimate:
    """Share of right guesses among members minus that among people who were not in.

    Interval: square-and-add (Newcombe 1998) of Korn and Graubard's two; copies shared by the two sides are taken for
    different records.

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    inside, outside = shares_of((members.right, members.clusters), (control.right, control.clusters), level=level)
    low, high = (float(end) for end in square_and_add(*inside, *outside))
    value = float(inside[0] - outside[0])
    n = len(members.clusters) + len(control.clusters)
    method = "Korn-Graubard, square-and-add, by record"
    estimate = Estimate("difference", value, min(low, value), max(high, value), level, method, n)
    return estimate.labelled(metric="accuracy" if members.kind == "category" else "within")


def detectable_residual(n_in: int, n_out: int, right: float, *, alpha: float = 0.025, power: float = 0.8) -> float:
    """The smallest residual that so many records on either side show with chance ``power``.

    It shows where its interval (MOVER-R of exact ones of both shares) lies above 0. ``right`` is the share of the
    control that is guessed rightly; the more is guessed anyway, the less is left to show anything by. ``alpha`` is the
    error of the lower end: half of what the level leaves, divided by the number of looks. At most 1, which says that
    nothing is.

    Raises
    ------
    ParameterError
        A side is empty, or a share is not within 0 and 1.
    """
    if min(n_in, n_out) < 1 or not 0 <= right <= 1:
        raise ParameterError("Each side needs at least one record, and a share lies within 0 and 1.")
    if right == 1:
        return 1.0
    miss, wrong = float(stats.norm.ppf(power)), 1 - right

    def beyond(residual: float) -> float:
        """By how much the shares lie further apart than they must: the ends that face each other, and a miss."""
        fewer = wrong * (1 - residual)
        upper = float(clopper_pearson_high(fewer * n_in, n_in, alpha))
        lower = float(clopper_pearson_low(wrong * n_out, n_out, alpha))
        needed = math.hypot(upper - fewer, wrong - lower)
        return wrong - fewer - needed - miss * math.sqrt(fewer * (1 - fewer) / n_in + wrong * right / n_out)

    from scipy.optimize import brentq  # it takes long to load

    return float(brentq(beyond, 0.0, 1.0, xtol=1e-12)) if beyond(1.0) > 0 else 1.0
