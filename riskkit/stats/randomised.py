"""Guesses of secrets that were drawn at random before the training, against chance. N counts **trainings**.

The people asked about are the same in every training; what is drawn anew are their secrets and the generator's seed.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Estimate, Floats, Ints
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.phrases import phrase
from riskkit.stats.arms import FEWEST_TRAININGS
from riskkit.stats.guesses import Clusters
from riskkit.stats.inference import bounded_mean
from riskkit.stats.intervals import critical
from riskkit.stats.measures import GuessFigure, covariance

NAMES = ("randomised_success", "randomised_chance", "randomised_gain")


def randomised(
    success: Floats, chance: Floats, training: Ints, *, is_category: bool, level: float = 0.95
) -> tuple[Estimate, ...]:
    """How well drawn secrets are guessed, how well they would be by chance, and the gain, last: 0 without a leak.

    Of a number only the gain: errors that are 0 in every training tell nothing of their scatter.

    Parameters
    ----------
    success, chance : (n,)
        Of each guess. Of a category shares: 0 or 1, and the exact probability to be right by chance. Of a number the
        error with a minus before it, in standard deviations, and what it is on average over all draws.
    training : (n,)
        Which training each guess comes from; those of one training are not independent.

    Intervals: t by training for the gain; Korn and Graubard's of a share of as large a variance for the others.

    Raises
    ------
    TooFewTrainings
        There are fewer than five trainings.
    ScoreError
        The gain is the same in all trainings though it need not be, so nothing is known of how far it scatters.
    """
    clusters = Clusters(training, len(success))
    if len(clusters) < FEWEST_TRAININGS:
        raise TooFewTrainings(
            phrase(
                "There are {trainings} trainings with secrets drawn anew; an interval needs at least {fewest}.",
                trainings=len(clusters),
                fewest=FEWEST_TRAININGS,
            )
        )
    least = float((chance * (1 - chance)).mean()) / len(chance) if is_category else 0.0
    gain = _gain(success - chance, least, clusters, level)
    if not is_category:
        return (gain,)
    shares = zip(NAMES, (success, chance), strict=False)
    return (*(_share(name, values, clusters, level) for name, values in shares), gain)


def _share(name: str, values: Floats, clusters: Clusters, level: float) -> Estimate:
    """The mean of values within 0 and 1."""
    ends = bounded_mean(GuessFigure(float(values.mean()), values - values.mean()), 1.0, clusters, level)
    return _estimate(name, values, ends, level, "Korn-Graubard of a bounded mean, by training", clusters)


def _gain(values: Floats, least: float, clusters: Clusters, level: float) -> Estimate:
    """The mean of gains; its variance is taken for no less than that of independent guesses without a leak."""
    spread = max(float(covariance(clusters, values - values.mean())[0, 0]), least)
    if spread <= 0:
        raise ScoreError(phrase("All trainings give the same gain, so nothing is known of how far it scatters."))
    reach = critical(level, len(clusters)) * np.sqrt(spread)
    value = float(values.mean())
    return _estimate(NAMES[-1], values, (value - reach, value + reach), level, "t, by training", clusters)


def _estimate(
    name: str, values: Floats, ends: tuple[float, float], level: float, method: str, clusters: Clusters
) -> Estimate:
    value = float(values.mean())
    low, high = min(float(ends[0]), value), max(float(ends[1]), value)
    return Estimate(name, value, low, high, level, method, len(clusters))
