"""Whether "the value is 0, so the person equals the reference row" tells of the person, or is mostly true anyway.

Many people equal any reference row in some columns, so precision alone shows nothing. Beside every cell that is named
stands the share of the **other** victims who equal the reference in that column under that model: what anybody could
say who sees no explanation.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Estimate, Floats
from riskkit.stats.recovery import FEWEST_VICTIMS, Spread, crossed, gap_interval


def reference_lift(says: Bools, equal: Bools, *, level: float = 0.95) -> Estimate | None:
    """How much oftener a cell whose value is 0 equals the reference than the same column does among the other victims.

    ``says`` and ``equal`` are (seeds, victims, columns). 0 where a value of 0 says nothing; None where fewer than five
    victims have such a value.
    """
    others: Floats = (equal.sum(axis=1, keepdims=True) - equal) / (equal.shape[1] - 1)
    gap = np.where(says, equal - others, 0.0)
    top, bottom = gap.sum(axis=2), says.sum(axis=2).astype(np.float64)
    asked = bottom.any(axis=0)
    if asked.sum() < FEWEST_VICTIMS:
        return None
    top, bottom, of = top[:, asked], bottom[:, asked], bottom.sum()
    value = top.sum() / of
    pulls = crossed((top - value * bottom) / bottom.mean())
    spread = Spread(np.asarray(value), pulls.variance, pulls.freedom, pulls.victims)
    ahead, behind = (np.asarray(np.maximum(side, 0).sum() / of) for side in (gap, -gap))
    low, high = gap_interval(ahead, behind, spread, level)
    over = "victims, one model" if len(says) == 1 else "victims and model seeds, crossed"
    method = f"Tango score of a ratio, over {over}"
    made = Estimate("lift", float(value), float(low), float(high), level, method, int(asked.sum()))
    return made.labelled(seeds=str(len(says)))
