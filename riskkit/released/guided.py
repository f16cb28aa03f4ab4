"""Guided by usefulness: against which sample of those asked about would the release be most useful?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.points import RowPoints

PAIRS = 200
"""Most pairs of columns that are looked at; of more so many are drawn, so that wide tables take no longer."""


@dataclass(frozen=True)
class Guided(FileAttack):
    """How much a target is wanted in the sample whose pairs of columns hold what those of the release hold.

    A contest rewards releases that keep the counts of their sample, and so they tell of the sample. Every target has a
    weight, equal at first; in each step it grows where the release has more of the target's pairs of values than the
    weighted targets have, in units of what such a count varies by, and shrinks where it has fewer. No target may weigh
    more than a released row does. The score is the logarithm of the weight: a relaxed form of looking for the sample
    that makes the release most useful.

    References
    ----------
    .. [1] Chida et al., PWSCUP2020: the design and result of a membership inference contest (IPSJ Journal, 2023),
       section 5.2, which names attackers that are guided by usefulness as an outlook. The form here is riskkit's.
    """

    name: ClassVar[str] = "guided"
    title: ClassVar[str] = "Guided by usefulness"
    card: ClassVar[str] = (
        "Weights the people asked about until their pairs of columns match those of the release, and scores a "
        "person higher the more it weighs. Needs the release and possible members among the people asked about, so "
        "a score holds for this set alone. Finds samples whose counts a release keeps, wherever its rows lie; weak "
        "where people are many and values few."
    )
    scores_together: ClassVar[bool] = True

    bins: int = parameter(
        100,
        label="Classes of a numeric column",
        help="A numeric column is cut into this many classes of equal width.",
        low=2,
        high=200,
        unit="classes",
    )
    rounds: int = parameter(
        30,
        label="Rounds",
        help="How often the weights are corrected. 1 compares with equal weights.",
        low=1,
        high=1000,
        unit="rounds",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) the logarithm of the weight. Draws pairs of columns at random where there are many."""
        release, targets = sight.release, sight.targets
        cells = self._cells(release, targets, sight.rng)
        wanted = [np.bincount(ours, minlength=size) / len(release) for ours, _, size in cells]
        there = [np.bincount(theirs, minlength=size) / len(targets) for _, theirs, size in cells]
        score = np.zeros(len(targets))
        most = max(1 / len(release), 1 / len(targets))
        for _ in range(self.rounds):
            weight = _weights(score, most)
            pull = np.zeros(len(targets))
            for (_, theirs, size), want, usual in zip(cells, wanted, there, strict=True):
                lack = want - np.bincount(theirs, weights=weight, minlength=size)
                pull += (lack / np.maximum(want + usual, 1 / len(targets)))[theirs]
            score += pull / len(cells)
        return score

    def _cells(self, release: RowPoints, targets: RowPoints, rng: np.random.Generator) -> list[tuple[Ints, Ints, int]]:
        """For each pair of columns the cell of every released row and of every target, and how many cells there are."""
        both = release.plus(targets)
        columns = [*(_classes(column, self.bins) for column in both.numbers.T), *both.codes.T.astype(np.int64)]
        pairs = list(combinations(range(len(columns)), 2)) or [(0, 0)]
        if len(pairs) > PAIRS:
            pairs = [pairs[index] for index in np.sort(rng.permutation(len(pairs))[:PAIRS])]
        out = []
        for first, two in pairs:
            _, cell = np.unique(columns[first] * (columns[two].max() + 1) + columns[two], return_inverse=True)
            out.append((cell[: len(release)], cell[len(release) :], int(cell.max()) + 1))
        return out


def _classes(values: Floats, bins: int) -> Ints:
    low, high = values.min(), values.max()
    if not high > low:
        return np.zeros(len(values), dtype=np.int64)
    place: Ints = np.minimum((values - low) / (high - low) * bins, bins - 1).astype(np.int64)
    return place


def _weights(score: Floats, most: float) -> Floats:
    """(n,) weights that add up to 1 and grow with the score, none above ``most``, which is at least ``1 / n``."""
    weight: Floats = np.exp(score - score.max())
    weight /= weight.sum()
    for _ in range(20):
        over = weight >= most
        rest = weight[~over].sum()
        if not (weight > most).any() or rest <= 0:
            break
        weight = np.where(over, most, weight * (1 - most * over.sum()) / rest)
    weight /= weight.sum()
    return weight


PLUGIN = Guided
