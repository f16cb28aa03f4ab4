"""The two sides of a membership game, trials ordered by training.

Every statistic here takes two :class:`Arm` and works along the last axis, so that one audit and a thousand simulated
audits go through the same lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Floats, Ints, Scores
from riskkit.errors import ScoreError, TooFewTrainings

FEWEST_TRAININGS = 5
"""Trainings that each arm needs before an interval, and so a number, is given."""


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """The trials of one truth.

    ``value`` (..., n) scores, those of one training side by side; leading axes are independent audits of the same
    layout. ``sizes`` (K,) trials of each training.
    """

    value: Floats
    sizes: Ints

    @property
    def n(self) -> int:
        """Trials."""
        return int(self.value.shape[-1])

    @property
    def trainings(self) -> int:
        """Independent trainings behind them."""
        return len(self.sizes)

    @property
    def is_clustered(self) -> bool:
        """Whether any training was asked more than once."""
        return self.n > self.trainings

    @property
    def worst_design_effect(self) -> float:
        """The design effect if all trials of a training were copies of one another."""
        return float((self.sizes**2).sum() / self.sizes.sum())

    @property
    def starts(self) -> Ints:
        """(K,) where each training begins along the last axis."""
        return (np.cumsum(self.sizes) - self.sizes).astype(np.int64)

    def totals(self, of_trials: Floats) -> Floats:
        """(..., K) the sum over the trials of each training."""
        return np.add.reduceat(of_trials, self.starts, axis=-1)


def split(scores: Scores) -> tuple[Arm, Arm]:
    """The trials with the target and those without it, as two arms.

    Raises
    ------
    ScoreError
        All trials have the same truth.
    TooFewTrainings
        An arm has fewer than five independent trainings.
    """
    if scores.is_in.all() or not scores.is_in.any():
        raise ScoreError.phrase(
            "All {trials} trials of attack {attack!r} have the same truth, so nothing can be distinguished. "
            "Run trials with and without the target.",
            trials=len(scores),
            attack=scores.attack,
        )
    inside, outside = _arm(scores, scores.is_in), _arm(scores, ~scores.is_in)
    if min(inside.trainings, outside.trainings) < FEWEST_TRAININGS:
        raise TooFewTrainings.phrase(
            "There are {inside} trainings with the target and {outside} without it; an interval needs at "
            "least {fewest} of each. Ask for more trainings; more generations do not help.",
            inside=inside.trainings,
            outside=outside.trainings,
            fewest=FEWEST_TRAININGS,
        )
    return inside, outside


def effect_trainings(inside: Arm, outside: Arm) -> int | None:
    """The trainings behind an estimated design effect; None where each training is one trial, so none was estimated."""
    clustered = inside.is_clustered or outside.is_clustered
    return min(inside.trainings, outside.trainings) if clustered else None


def _arm(scores: Scores, chosen: Bools) -> Arm:
    """The chosen trials, those of one training side by side in their given order."""
    training = scores.training[chosen]
    _, sizes = np.unique(training, return_counts=True)
    return Arm(scores.value[chosen][np.argsort(training, kind="stable")], sizes.astype(np.int64))
