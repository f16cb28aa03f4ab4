"""Guesses weighed by how sure the attacker was: the score of the SNAKE challenge with its interval."""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.intervals import korn_graubard, square_and_add


def snake(sureness: Floats, is_in: Bools, *, level: float = 0.95) -> Estimate:
    """``(1 + TPR - FPR) / 2`` of guesses that weigh ``2 |1/2 - p|`` each; .5 is guessing and 1 always right.

    ``p`` above one half says "in". Either rate is a weighted share, and its interval Clopper and Pearson's on as many
    answers as the weights are worth (Kish); the two are put together as independent ones. ``n`` counts answers.

    Parameters
    ----------
    sureness
        (n,) how sure the attacker is of "in", in [0, 1].
    is_in
        (n,) the truth.

    Raises
    ------
    ScoreError
        Something is no chance, or all weights of a side are 0: then a rate would be nought over nought.

    References
    ----------
    .. [1] Allard et al., SNAKE challenge (CIKM 2023). Kish 1965, Survey Sampling; Newcombe 1998, method 10.
    """
    p = np.asarray(sureness, dtype=np.float64)
    if p.shape != is_in.shape or not ((p >= 0) & (p <= 1)).all():
        raise ScoreError("Every answer must be a chance between 0 and 1, one for each that was asked about.")
    weight = 2 * np.abs(0.5 - p)
    shares, ends = [], []
    for side in (True, False):
        own = weight[is_in == side]
        if not own.sum() > 0:
            raise ScoreError(
                phrase("All answers about one side are one half, which weighs nothing; no score can be given.")
            )
        share = np.minimum(own @ (p[is_in == side] > 0.5) / own.sum(), 1.0)
        worth = own.sum() ** 2 / (own**2).sum()
        shares.append(share)
        ends.append(korn_graubard(share, worth, level, None))
    low, high = square_and_add(shares[0], ends[0], shares[1], ends[1])
    value, least, most = (float((1 + end) / 2) for end in (shares[0] - shares[1], low, high))
    return Estimate(
        "snake",
        value,
        max(min(least, value), 0.0),
        min(max(most, value), 1.0),
        level,
        "Newcombe's square-and-add on weighted shares",
        len(p),
    )
