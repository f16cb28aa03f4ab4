"""The attack that is played, by an attacker who sees the first releases alone: after one of them, after two, and so on.

The releases are there already, so an attacker who sees fewer costs no training: what it learns and what it is shown are
the first rows of the same releases.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit.core import Floats
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import After, counts
from riskkit.stats.campaign import Many
from riskkit.stats.summary import auc_interval


def ends_of(plan: RecordsPlan) -> tuple[int, ...]:
    """The released rows up to each count of releases but the last; none of one release."""
    return tuple(plan.n_syn * count for count in counts(plan.releases)[:-1])


def after_each(plan: RecordsPlan, first: Many, fewer: Sequence[tuple[Floats, ...]]) -> tuple[tuple[After, ...], ...]:
    """The AUC of the attack that was played on each record after each count of releases; none of one release.

    All of them are of the trainings of the first look. Of a record whose scores never differ nothing is said: its AUC
    is then one half, and may be 1.
    """
    if not fewer:
        return ()
    out = []
    for position, (inside, outside) in enumerate(fewer):
        every = Many(np.vstack([inside, first.inside[position]]), np.vstack([outside, first.outside[position]]))
        decided, intervals = every.decided(), zip(*auc_interval(*every.arms, plan.level), strict=True)
        series = [
            After(count, *map(float, interval)) if says else After(count, 0.5, 0.5, 1.0)
            for count, says, interval in zip(counts(plan.releases), decided, intervals, strict=True)
        ]
        out.append(tuple(series))
    return tuple(out)
