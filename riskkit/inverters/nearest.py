"""Nearest: no data at all, only made-up rows sent to the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.errors import DesignError
from riskkit.explain.publishing import FittedInverter, Holding, Inverted, KnownRows
from riskkit.parameters import CheckedPlugin, parameter

BLOCK = 20_000_000
"""Distances held in memory at once."""
DECIMALS = 9
"""Of a distance, as a part of the largest published value: what differs by less is equally near."""
ROUNDING = 1e-12
"""A spread that lies above τ by no more than this is τ: levels of a feature are shares such as 1/3."""


@dataclass(frozen=True)
class Nearest(CheckedPlugin):
    """Feature by feature, the made-up rows whose value of that feature was explained most alike; their mean.

    Algorithm 2: in order of distance, made-up rows join the candidates while these are fewer than ``candidates`` (m_c)
    **or** the distance is below ``reach`` (xi). So m_c is the least number of candidates, however far; and xi, in the
    units of the published values, lets more of them in. A guess is held back (the papers' "no answer") where the
    candidates spread over more than ``spread`` (tau) of the feature's range, since then very different values are
    explained alike. The defaults are those of the code of [1]: 31 candidates however far, no more of them, and no
    answer from a spread above one half (that code declines at one half too). Where several outputs are published, the
    distance is the largest of theirs.

    References
    ----------
    .. [1] Luo, Jiang and Xiao, Feature inference attack on Shapley values (CCS 2022), Algorithm 2 and code.
    """

    name: ClassVar[str] = "nearest"
    title: ClassVar[str] = "Nearest made-up rows"
    card: ClassVar[str] = (
        "Needs nobody's data: sends made-up rows to the service and copies, feature by feature, the rows with the most "
        "similar explanations. May decline to answer. More made-up rows help little once they cover the range."
    )
    holds: ClassVar[Holding] = "random"

    candidates: int = parameter(
        31,
        label="Candidates, at least",
        help="How many of the nearest made-up rows vote on a feature however far they are (m_c).",
        low=1,
        high=10_000,
    )
    reach: float = parameter(
        0.0,
        label="Reach",
        help="Made-up rows nearer than this vote too, in the units of the published values (ξ). 0: no others.",
        low=0.0,
        high=1e9,
    )
    spread: float = parameter(
        0.5,
        label="Largest spread",
        help="The attacker declines where its candidates differ by more than this share of the feature's range (τ).",
        low=0.0,
        high=1.0,
    )

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:  # noqa: ARG002  nothing is drawn
        """Keep the made-up rows with their explanations. Draws nothing at random.

        Raises
        ------
        DesignError
            Explanations were added up by column, so no feature has one of its own.
        """
        if held.phi.shape[1] != held.inputs.shape[1]:
            raise DesignError.phrase(
                "This attacker compares feature by feature, and the explanations are added up by column. Publish "
                "one value for each feature, or encode every column as one number."
            )
        return _Search(self, held.phi, held.inputs)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The made-up rows with their explanations."""

    rule: Nearest
    seen: Floats
    inputs: Floats

    def invert(self, phi: Floats) -> Inverted:
        """The mean of the candidates of every feature, and whether they agree."""
        estimates, accepted = np.empty(phi.shape[:2]), np.empty(phi.shape[:2], dtype=bool)
        size = max(1, BLOCK // len(self.seen))
        for start in range(0, len(phi), size):
            rows = slice(start, start + size)
            for feature in range(phi.shape[1]):
                mean, width = self._feature(phi[rows, feature], feature)
                estimates[rows, feature], accepted[rows, feature] = mean, width <= self.rule.spread + ROUNDING
        return Inverted(np.clip(estimates, 0.0, 1.0), accepted)

    def _feature(self, asked: Floats, feature: int) -> tuple[Floats, Floats]:
        """(n,) mean of the candidates of one feature, and how far they lie apart."""
        least = min(self.rule.candidates, len(self.seen))
        gap = np.abs(asked[:, None, :] - self.seen[None, :, feature, :]).max(axis=2)
        nearest = _nearest(gap / (np.abs(self.seen[:, feature]).max() or 1.0), least)
        value = self.inputs[:, feature]
        if not self.rule.reach:
            return value[nearest].mean(axis=1), np.ptp(value[nearest], axis=1)
        joins: Bools = gap < self.rule.reach
        np.put_along_axis(joins, nearest, True, axis=1)
        width = np.where(joins, value, -np.inf).max(axis=1) - np.where(joins, value, np.inf).min(axis=1)
        return joins @ value / joins.sum(axis=1), width


def _nearest(gap: Floats, least: int) -> Ints:
    """(n, least) the rows of the smallest gaps, of equal ones the first.

    Many made-up rows are explained alike, up to what adding up makes of the last bits: without rounding, these would
    choose among them, and another processor others.
    """
    gap = gap.round(DECIMALS)
    furthest = np.partition(gap, least - 1, axis=1)[:, least - 1 : least]
    joins, tied = gap < furthest, gap == furthest
    joins |= tied & (np.cumsum(tied, axis=1) <= least - joins.sum(axis=1, keepdims=True))
    return np.nonzero(joins)[1].reshape(len(gap), least)


PLUGIN = Nearest
