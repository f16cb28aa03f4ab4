"""How good guesses are, and how far each record pulls the figure up or down.

Every measure gives its value and ``pull`` (n,): the influence of each record, so that the mean of the pulls over new
records is the error of the value. Differences, ratios and groups then need nothing but pulls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Floats
from riskkit.errors import ParameterError, ScoreError
from riskkit.stats.arms import Arm
from riskkit.stats.guesses import CategoryGuesses, Clusters, Guesses, NumberGuesses
from riskkit.stats.intervals import design_effect, sum_variance
from riskkit.stats.roc import placements

LEAST_PROBABILITY = 1e-6
"""Log loss takes every probability below this one for this one, so that one sure error is not endless."""


@dataclass(frozen=True, slots=True, eq=False)
class GuessFigure:
    """A figure over records and the pull of each. ``parts`` are the levels it is the mean of, where it is one."""

    value: float
    pull: Floats
    parts: Parts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The levels a figure is the mean of.

    ``share`` (L,) a share or an AUC of each level; ``pull`` (L, n) on it; ``records`` (L, n) those it is a share of, or
    for an AUC those of the level. The figure is the mean of ``shown(share)``.
    """

    share: Floats
    pull: Floats
    records: Bools
    shown: Callable[[Floats], Floats] = np.asarray


@dataclass(frozen=True, slots=True)
class GuessMeasure:
    """A named figure. ``better`` is 1 where more is better, -1 where less is; ``span`` how far it can reach, if it has
    an end; ``method`` how its interval is made.
    """

    name: str
    kind: str
    method: str
    better: int
    span: float | None
    of: Callable[[Guesses], GuessFigure]


def measure_named(name: str, guesses: Guesses) -> GuessMeasure:
    """The measure of that name; raises :class:`ParameterError` where guesses of this kind have none such."""
    for measure in MEASURES:
        if measure.name == name and measure.kind == guesses.kind:
            return measure
    names = ", ".join(measure.name for measure in MEASURES if measure.kind == guesses.kind)
    raise ParameterError(f"Guesses of a {guesses.kind} have no measure {name!r}. Choose one of: {names}.")


def covariance(clusters: Clusters, *pulls: Floats) -> Floats:
    """(m, m) covariance of the means of these pulls over records of which copies count as one."""
    stacked = np.stack(pulls)
    off = stacked - stacked.mean(axis=1, keepdims=True)
    arm = clusters.arm(off)
    sums = arm.totals(arm.value)
    k = len(clusters)
    matrix: Floats = k / (k - 1) * (sums @ sums.T) / stacked.shape[1] ** 2
    return matrix


def effective(clusters: Clusters, of_records: Floats) -> float:
    """How many records without copies these are worth for the mean of these values (n,)."""
    arm = clusters.arm(of_records)
    if arm.trainings < 2:  # one record, with whatever copies: nothing to tell a spread from
        return 1.0
    return arm.n / float(design_effect(*sum_variance(arm, arm.value), arm.worst_design_effect))


def _right(guesses: Guesses) -> GuessFigure:
    """The share of right guesses."""
    right = guesses.right.astype(np.float64)
    return GuessFigure(float(right.mean()), right - right.mean())


def _balanced_accuracy(guesses: Guesses) -> GuessFigure:
    """The mean over levels of the share of its records that are guessed rightly."""
    categories = _require_category(guesses)
    of_level = categories.truth == categories.levels[:, None]
    return _mean_of(_shares(categories.right & of_level, of_level))


def _macro_f1(guesses: Guesses) -> GuessFigure:
    """The mean of F1 over the levels that some record has or is said to have."""
    categories = _require_category(guesses)
    levels = np.union1d(categories.levels, categories.guess)[:, None]
    either = (categories.truth == levels) | (categories.guess == levels)
    shared = _shares((categories.truth == levels) & categories.right, either)
    slope = 2 / (1 + shared.share) ** 2
    return GuessFigure(
        float(_f1(shared.share).mean()),
        (shared.pull * slope[:, None]).mean(axis=0),
        Parts(shared.share, shared.pull, either, _f1),
    )


def _f1(shared: Floats) -> Floats:
    """F1 of a level from the share of the records that have it or are said to, that do both."""
    return 2 * shared / (1 + shared)


def _shares(hits: Bools, of: Bools) -> Parts:
    """Of each row of ``of`` (L, n), the share that are hits."""
    size = of.sum(axis=1)
    share = hits.sum(axis=1) / size
    pull = np.where(of, hits - share[:, None], 0.0) * (of.shape[1] / size)[:, None]
    return Parts(share, pull, of)


def _auc(guesses: Guesses) -> GuessFigure:
    """The mean over levels of the chance that its probability is higher for a record of the level than for another."""
    categories = _require_category(guesses)
    if categories.probability is None:
        raise ScoreError.phrase("An AUC needs the probabilities of the levels, and these guesses have none.")
    if len(categories.levels) < 2:
        raise ScoreError.phrase("All records have the same true level, so there is nothing to tell apart.")
    truly = categories.truth == categories.levels[:, None]
    value, pull = np.empty(len(truly)), np.empty(truly.shape)
    for row, (level, own) in enumerate(zip(categories.levels, truly, strict=True)):
        value[row], pull[row] = _level_auc(categories.probability[:, level], own)
    return _mean_of(Parts(value, pull, truly))


def _level_auc(score: Floats, own: Bools) -> tuple[float, Floats]:
    """AUC of one level and the pull of each record."""
    inside, outside = (Arm(score[side], np.ones(side.sum(), dtype=np.int64)) for side in (own, ~own))
    placed = placements(inside, outside)
    pull = np.empty(len(own))
    pull[own] = (placed.inside - placed.auc) * len(own) / inside.n
    pull[~own] = (placed.outside - placed.auc) * len(own) / outside.n
    return float(placed.auc), pull


def _log_loss(guesses: Guesses) -> GuessFigure:
    """The mean of minus the natural logarithm of the probability that the true level was given."""
    categories = _require_category(guesses)
    if categories.probability is None:
        raise ScoreError.phrase("Log loss needs the probabilities of the levels, and these guesses have none.")
    of_truth = categories.probability[np.arange(len(categories)), categories.truth]
    loss = -np.log(np.clip(of_truth, LEAST_PROBABILITY, 1.0))
    return GuessFigure(float(loss.mean()), loss - loss.mean())


def _r2(guesses: Guesses) -> GuessFigure:
    """1 minus the squared error over that of the mean of these records."""
    numbers = _require_number(guesses)
    error, spread = (numbers.guess - numbers.truth) ** 2, (numbers.truth - numbers.truth.mean()) ** 2
    if not spread.mean() > 0:
        raise ScoreError.phrase("All records have the same true number, so there is no variation to explain.")
    unexplained = error.mean() / spread.mean()
    return GuessFigure(float(1 - unexplained), (unexplained * spread - error) / spread.mean())


def _mae(guesses: Guesses) -> GuessFigure:
    """The mean distance of guess and truth, in the unit of the secret."""
    numbers = _require_number(guesses)
    error = np.abs(numbers.guess - numbers.truth)
    return GuessFigure(float(error.mean()), error - error.mean())


def _mean_of(parts: Parts) -> GuessFigure:
    """The plain mean over levels."""
    return GuessFigure(float(parts.share.mean()), parts.pull.mean(axis=0), parts)


def _require_category(guesses: Guesses) -> CategoryGuesses:
    """The guesses, which are of a category."""
    assert isinstance(guesses, CategoryGuesses)
    return guesses


def _require_number(guesses: Guesses) -> NumberGuesses:
    """The guesses, which are of a number and all numbers."""
    assert isinstance(guesses, NumberGuesses)
    none = int((~np.isfinite(guesses.guess)).sum())
    if none:
        raise ScoreError.phrase(
            "{none} of {guesses} guesses are no number, so their error has no size. Use 'within'.",
            none=none,
            guesses=len(guesses),
        )
    return guesses


MEASURES = (
    GuessMeasure("accuracy", "category", "Korn-Graubard", 1, 1.0, _right),
    GuessMeasure("balanced_accuracy", "category", "Korn-Graubard over levels", 1, 1.0, _balanced_accuracy),
    GuessMeasure("macro_f1", "category", "Korn-Graubard over levels", 1, 1.0, _macro_f1),
    GuessMeasure("auc", "category", "Newcombe 5 over levels", 1, 1.0, _auc),
    GuessMeasure(
        "log_loss", "category", "Korn-Graubard of a bounded mean", -1, float(-np.log(LEAST_PROBABILITY)), _log_loss
    ),
    GuessMeasure("within", "number", "Korn-Graubard", 1, 1.0, _right),
    GuessMeasure("r2", "number", "t of the logarithm", 1, None, _r2),
    GuessMeasure("mae", "number", "t of the logarithm", -1, None, _mae),
)
"""Every measure, the share of right guesses first of its kind."""
