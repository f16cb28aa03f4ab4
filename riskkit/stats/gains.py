"""What a model adds to a constant guess, and how much of what the real data would add.

A constant guess that comes from the answers, the most frequent level (or the median) of the very people that are asked
about, is the hardest there is, and depends on who they happen to be: of many levels about as frequent, one is ahead by
luck alone. :class:`Baseline` therefore knows every constant that may truly be the one, and intervals hold for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from riskkit.base.distributions import norm
from riskkit.core import Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.contrasts import ratio_of_correlated
from riskkit.stats.guesses import CategoryGuesses, Guesses, NumberGuesses, check_same_records
from riskkit.stats.inference import correlation, delta, least_half_width
from riskkit.stats.measures import covariance, effective, measure_named

SPENT = 0.05
"""The part of an interval's error that goes into which constant is the right one, where the answers tell it."""
MOST_RIVALS = 20
"""Constants that are looked at one by one; of a category, those beyond them are stood for by a guess never right."""
CHANCE = ("auc", "balanced_accuracy")
"""Measures that any constant guess reaches alike: one level in so many is right, or a half of the pairs in order."""
_NEVER = -1
_SAID = {
    "accuracy": phrase("right guesses"),
    "within": phrase("guesses within the tolerance"),
    "balanced_accuracy": phrase("balanced accuracy"),
    "macro_f1": phrase("macro F1"),
    "auc": phrase("AUC"),
    "log_loss": phrase("log loss"),
    "r2": phrase("R²"),
    "mae": phrase("mean error"),
}
"""What a note calls a measure."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is guessed of everybody alike.

    ``guesses`` is the constant that was seen; ``rivals`` are the others that may truly be the most frequent level (the
    median) of the people asked about. None where the constant was known before anybody was asked.
    """

    guesses: Guesses
    rivals: tuple[Guesses, ...] = ()
    is_of_the_tested: bool = False

    @property
    def every(self) -> tuple[Guesses, ...]:
        """The constant seen, and those that may be it."""
        return (self.guesses, *self.rivals)

    def within(self, level: float) -> float:
        """The level of an interval for each constant, so that one for all of them holds as often as ``level`` says."""
        return 1 - (1 - level) * (1 - SPENT) if self.is_of_the_tested else level

    def rows(self, chosen: npt.ArrayLike) -> Baseline:
        """The same of these records: (k,) places, or (n,) a mask."""
        return Baseline(
            self.guesses.rows(chosen), tuple(rival.rows(chosen) for rival in self.rivals), self.is_of_the_tested
        )


def most_frequent(guesses: Guesses, *, level: float = 0.95) -> Baseline:
    """The baseline whose constant was read off the tested people: ``guesses``, and what else it may truly be.

    Of a category: levels that are not clearly rarer than the one that was seen oftenest (sign test, Bonferroni). Of a
    number: values from the low to the high end of the median's interval, at most :data:`MOST_RIVALS`.
    """
    error = (1 - level) * SPENT
    if isinstance(guesses, NumberGuesses):
        return Baseline(guesses, _medians(guesses, error), True)
    return Baseline(guesses, _levels(guesses, error), True)


def gain(model: Guesses, baseline: Baseline, *, metric: str = "", level: float = 0.95) -> Estimate:
    """:func:`riskkit.stats.inference.delta`, over a constant that may have been read off the tested people.

    The interval then reaches from the lowest to the highest end over every constant that may be the right one.

    Raises
    ------
    ScoreError
        What :func:`riskkit.stats.inference.delta` raises.
    """
    every = [delta(model, other, metric=metric, level=baseline.within(level)) for other in baseline.every]
    return _over_all(every, level)


def leakage_ratio(
    release: Guesses, real: Guesses, baseline: Baseline, *, metric: str = "", level: float = 0.95
) -> Estimate:
    """How much of what a model of the real data adds to the baseline, a model of the release adds too.

    ``gain(release) / gain(real)``, all three on the same control records. 1: the release teaches as much as the real
    data; that is usefulness, not yet a leak about anyone. Not cut off at 0 or 1. Interval: MOVER-R of the two gains'
    own intervals, paired; Fieller's, where these are plain standard errors.

    Raises
    ------
    ScoreError
        What :func:`gain` raises; or the model of the real data is itself not clearly better than the baseline, so that
        the ratio could be anything.
    """
    check_same_records(release, real, baseline.guesses)
    corrected = baseline.within(level)
    gains = [
        [delta(model, base, metric=metric, level=corrected) for model in (release, real)] for base in baseline.every
    ]
    below = _over_all([bottom for _, bottom in gains], level)
    if below.low <= 0:
        raise ScoreError.phrase(
            "A model of the real data is not clearly better than the baseline in {metric} (difference "
            "{value:.3f}, at {level:.0%} between {low:.3f} and {high:.3f}), so there is nothing for the "
            "release to reveal by this measure and no leakage ratio. Look at the two differences instead, or "
            "ask about more records.",
            metric=_SAID.get(below.labels["metric"], below.labels["metric"]),
            value=below.value,
            level=level,
            low=below.low,
            high=below.high,
        )
    return _over_all([_ratio(release, real, *both) for both in zip(baseline.every, gains, strict=True)], level)


def _over_all(every: list[Estimate], level: float) -> Estimate:
    """The first, with an interval that holds whichever of them is the right one."""
    low, high = min(estimate.low for estimate in every), max(estimate.high for estimate in every)
    method = every[0].method + (f", over {len(every)} constants" if len(every) > 1 else "")
    return replace(every[0], low=low, high=high, level=level, method=method)


def _ratio(release: Guesses, real: Guesses, base: Guesses, gains: Sequence[Estimate]) -> Estimate:
    """The ratio of the two gains over one constant."""
    (top, bottom), clusters = gains, release.clusters
    measure = measure_named(top.labels["metric"], release)
    pulls = np.stack([measure.of(model).pull - measure.of(base).pull for model in (release, real)])
    alike = correlation(covariance(clusters, *pulls))
    ends = ratio_of_correlated(top.value, (top.low, top.high), bottom.value, (bottom.low, bottom.high), alike)
    value = top.value / bottom.value
    least = least_half_width(measure, pulls[0] - value * pulls[1], clusters, top.level) / bottom.value
    low, high = min(ends[0], value - least), max(ends[1], value + least)
    estimate = Estimate("leakage_ratio", value, low, high, top.level, "MOVER-R, paired, by record", len(clusters))
    return estimate.label(metric=measure.name)


def _levels(guesses: CategoryGuesses, error: float) -> tuple[Guesses, ...]:
    """Every other level that may be the most frequent; one that is never right stands for those beyond the most."""
    seen, n = int(guesses.guess[0]), len(guesses)
    levels, counts = np.unique(guesses.truth, return_counts=True)
    first = int(counts[levels == seen].sum())
    others, counts = levels[levels != seen], counts[levels != seen]
    worth = effective(guesses.clusters, (guesses.truth == seen).astype(np.float64)) / n
    chance = betainc(np.maximum(first * worth, 1.0), counts * worth + 1.0, 0.5)
    stays = chance > error / max(len(others), 1)
    order = np.argsort(-counts[stays], kind="stable")
    left = others[stays][order].tolist()
    return tuple(_constant(guesses, level) for level in left[:MOST_RIVALS] + [_NEVER] * (len(left) > MOST_RIVALS))


def _constant(guesses: CategoryGuesses, level: int) -> CategoryGuesses:
    """That level said of everybody; where it is none, a guess that is right of nobody."""
    return CategoryGuesses(guesses.truth, np.full(len(guesses), level), None, guesses.clusters.label)


def _medians(guesses: NumberGuesses, error: float) -> tuple[Guesses, ...]:
    """Numbers the true median may be, by the ranks it may have; the one that was seen is left out."""
    n, rising = len(guesses), np.sort(guesses.truth)
    worth = effective(guesses.clusters, (guesses.truth <= guesses.guess[0]).astype(np.float64))
    half = float(norm.isf(error / 2)) * n / (2 * np.sqrt(worth))
    ranks = np.clip(np.linspace(n / 2 - half, n / 2 + half, MOST_RIVALS).round(), 0, n - 1).astype(np.int64)
    values: Floats = np.unique(rising[ranks])
    cluster, tolerance = guesses.clusters.label, guesses.tolerance
    return tuple(
        NumberGuesses(guesses.truth, np.full(n, value), tolerance, cluster)
        for value in values
        if value != guesses.guess[0]
    )
