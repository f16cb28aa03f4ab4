"""Scores to order."""

import numpy as np
import numpy.typing as npt

from riskkit.core import Scores


def scores(inside: npt.ArrayLike, outside: npt.ArrayLike, generations: int = 1) -> Scores:
    """Scores of the two arms; each training has that many trials, side by side."""
    value_in, value_out = np.asarray(inside, dtype=np.float64), np.asarray(outside, dtype=np.float64)
    value = np.concatenate([value_in, value_out])
    is_in = np.arange(len(value)) < len(value_in)
    return Scores(value, is_in, np.arange(len(value)) // generations, np.zeros(len(value), dtype=np.int64), "made")


def swapped(scores: Scores) -> Scores:
    """The same trials with the truths exchanged."""
    return Scores(scores.value, ~scores.is_in, scores.training, scores.target, scores.attack)


def answers(hits: int, n_in: int, false_alarms: int, n_out: int) -> Scores:
    """Scores of +1 and -1 with those counts of "in"."""
    return scores(np.where(np.arange(n_in) < hits, 1.0, -1.0), np.where(np.arange(n_out) < false_alarms, 1.0, -1.0))
