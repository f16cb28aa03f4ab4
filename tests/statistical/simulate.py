"""Many audits of a known truth at once, in the layout the statistics work on."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from riskkit.core import Floats, Scores
from riskkit.seeds import stream
from riskkit.stats.arms import Arm
from riskkit.stats.intervals import Interval


@dataclass(frozen=True)
class Binormal:
    """Normal scores, ``gap`` between the arms; a share ``icc`` of their variance belongs to the training.

    ``shift`` moves all scores against the attack's own cut at 0, so that its two errors differ.
    """

    trainings: int
    generations: int = 1
    icc: float = 0.0
    auc: float = 0.5
    shift: float = 0.0

    @property
    def gap(self) -> float:
        """How far the means of the arms lie apart."""
        return float(np.sqrt(2) * stats.norm.ppf(self.auc))

    @property
    def advantage(self) -> float:
        """The true TPR - FPR at the cut 0."""
        return float(stats.norm.cdf(self.gap / 2 + self.shift) - stats.norm.cdf(self.shift - self.gap / 2))

    def tpr(self, fpr: float) -> float:
        """The true TPR at that FPR."""
        return float(stats.norm.cdf(stats.norm.ppf(fpr) + self.gap))

    def play(self, times: int) -> tuple[Arm, Arm]:
        """That many independent audits; ``trainings`` an arm, ``generations`` each."""
        rng = stream(1, "calibration", repr(self))
        drawn = [self._arm(times, rng, side) for side in (0.5, -0.5)]
        return drawn[0], drawn[1]

    def _arm(self, times: int, rng: np.random.Generator, side: float) -> Arm:
        shape = times, self.trainings, self.generations
        own = rng.standard_normal(shape) * np.sqrt(1 - self.icc)
        shared = rng.standard_normal((*shape[:2], 1)) * np.sqrt(self.icc)
        value = (own + shared + side * self.gap + self.shift).reshape(times, -1)
        return Arm(value, np.full(self.trainings, self.generations))


def as_scores(inside: Arm, outside: Arm, audit: int) -> Scores:
    """One of the simulated audits as an attack would hand it over."""
    value = np.concatenate([inside.value[audit], outside.value[audit]])
    training = np.repeat(np.arange(inside.trainings + outside.trainings), np.append(inside.sizes, outside.sizes))
    return Scores(value, training < inside.trainings, training, np.zeros(len(value), dtype=np.int64), "simulated")


def covered(intervals: Interval, truth: float) -> int:
    """How many of the intervals hold the truth."""
    return int(((intervals[1] <= truth) & (truth <= intervals[2])).sum())


def missed(intervals: Interval, truth: float) -> tuple[int, int]:
    """How many of the intervals lie wholly above the truth, and how many wholly below it."""
    return int((intervals[1] > truth).sum()), int((intervals[2] < truth).sum())


def most(times: int, chance: float, false_fail: float = 1e-4) -> int:
    """The most of ``times`` that something with that chance leaves room for."""
    return int(stats.binom.isf(false_fail, times, chance))


def mean_width(intervals: Interval) -> float:
    """How wide they are on average."""
    return float((intervals[2] - intervals[1]).mean())


def fewest(times: int, level: float = 0.95, false_fail: float = 1e-4) -> int:
    """The fewest of ``times`` that a true coverage of ``level`` leaves room for."""
    return int(stats.binom.ppf(false_fail, times, level))


def ideal_width(game: Binormal, reach: float, variance: Floats | float) -> float:
    """The width that a known variance of independent trials and the known clustering would give."""
    return float(2 * reach * np.sqrt(variance * (1 + (game.generations - 1) * game.icc)))
