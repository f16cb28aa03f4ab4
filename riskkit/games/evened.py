"""Records of several rows, thinned so that their number of rows does not tell which table they stand in."""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Ints


def evened(in_real: Ints, in_holdout: Ints, rng: np.random.Generator) -> Bools:
    """Which records stay so that a record of several rows is as likely to be asked about as in as out.

    Of rows dealt at random into tables of n and m, all c of a record fall into the first with odds
    n(n-1)...(n-c+1) : m(m-1)...(m-c+1) against the second; single rows with n : m. The rest is thinned away.

    Parameters
    ----------
    in_real, in_holdout : (n_records,)
        How many rows each record has in either table.
    """
    n, m = int(in_real.sum()), int(in_holdout.sum())
    larger, many, few = (in_real, n, m) if n >= m else (in_holdout, m, n)
    step = np.arange(1, int(larger.max(initial=1)))
    ratio = np.maximum(few - step, 0) / np.maximum(many - step, 1)
    keep = np.concatenate([[1.0, 1.0], np.cumprod(ratio)])
    drawn: Bools = rng.random(len(larger)) < keep[larger]
    return drawn
