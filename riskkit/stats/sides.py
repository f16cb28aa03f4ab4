"""How much more often a guess is right about people who were in than about people who were not, in plain shares."""

from __future__ import annotations

import math

from scipy import stats

from riskkit.core import Estimate
from riskkit.errors import ParameterError
from riskkit.stats.guesses import Guesses
from riskkit.stats.inference import shares_of
from riskkit.stats.intervals import square_and_add


def difference(members: Guesses, control: Guesses, *, level: float = 0.95) -> Estimate:
    """Share of right guesses among members minus that among people who were not in.

    Interval: square-and-add of Wilson's two (Newcombe 1998); copies shared by the two sides are taken for different
    records.

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    inside, outside = shares_of((members.right, members.clusters), (control.right, control.clusters), level=level)
    low, high = (float(end) for end in square_and_add(*inside, *outside))
    value = float(inside[0] - outside[0])
    n = len(members.clusters) + len(control.clusters)
    method = "Wilson, square-and-add, by record"
    found = Estimate("difference", value, min(low, value), max(high, value), level, method, n)
    return found.labelled(metric="accuracy" if members.kind == "category" else "within")


def detectable_residual(n_in: int, n_out: int, right: float, *, alpha: float = 0.025, power: float = 0.8) -> float:
    """The smallest residual that so many records on either side show with chance ``power``.

    ``right`` is the share of the control that is guessed rightly; the more is guessed anyway, the less is left to show
    anything by. ``alpha`` is one-sided; divide it by the number of looks. At most 1, which says that nothing is.

    Raises
    ------
    ParameterError
        A side is empty, or a share is not within 0 and 1.
    """
    if min(n_in, n_out) < 1 or not 0 <= right <= 1:
        raise ParameterError("Each side needs at least one record, and a share lies within 0 and 1.")
    if right == 1:
        return 1.0
    reach = float(stats.norm.isf(alpha) + stats.norm.ppf(power))
    return min(reach * math.sqrt(max(right * (1 - right), 1e-9) * (1 / n_in + 1 / n_out)) / (1 - right), 1.0)
