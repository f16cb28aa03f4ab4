"""Nearest: no data at all, only made-up rows sent to the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.explain.inversion import FittedInverter, Held, Holding, Inverted
from riskkit.inverters._learned import Scale
from riskkit.parameters import check_parameters, parameter

BLOCK = 20_000_000
"""Distances held in memory at once."""


@dataclass(frozen=True)
class Nearest:
    """Feature by feature, the made-up rows whose value of that feature was explained most alike; their mean.

    The ``candidates`` nearest explanations of the feature (over all published outputs) vote, of which only those within
    ``reach`` count: m_c and xi of Algorithm 2. A guess is held back (the papers' "no answer") where no candidate lies
    within reach, or where the candidates spread over ``spread`` (tau) of the feature's range or more, since then very
    different values are explained alike. The defaults are those of the code of [1]: 31 candidates however far, and no
    answer from a spread of one half.

    References
    ----------
    .. [1] Luo, Jiang and Xiao, Feature inference attack on Shapley values (CCS 2022), Algorithm 2 and code.
    """

    name: ClassVar[str] = "nearest"
    title: ClassVar[str] = "Nearest made-up rows"
    card: ClassVar[str] = (
        "Needs nobody's data: sends made-up rows to the service and copies, feature by feature, those explained most "
        "alike. May decline to answer. More made-up rows help little once they cover the range."
    )
    holds: ClassVar[Holding] = "random"

    candidates: int = parameter(
        31, label="Candidates", help="How many of the nearest made-up rows vote on a feature.", low=1, high=10_000
    )
    reach: float = parameter(
        1.0,
        label="Reach",
        help="How far a candidate's explanation may be, as a share of the range of all that were seen.",
        low=0.0,
        high=1.0,
    )
    spread: float = parameter(
        0.5,
        label="Largest spread",
        help="The attacker declines where its candidates differ by this share of the feature's range, or more.",
        low=0.0,
        high=1.0,
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, held: Held, rng: np.random.Generator) -> FittedInverter:  # noqa: ARG002  nothing is drawn
        """Scale the explanations of the made-up rows. Draws nothing at random.

        Raises
        ------
        DesignError
            Explanations were added up by column, so no feature has one of its own.
        """
        if held.phi.shape[1] != held.inputs.shape[1]:
            raise DesignError(
                "This attacker compares feature by feature, and the explanations are added up by column. Publish one "
                "value for each feature, or encode every column as one number."
            )
        scale = Scale.of(held.phi)
        return _Search(self, scale, scale(held.phi), held.inputs)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The made-up rows with their scaled explanations."""

    rule: Nearest
    scale: Scale
    seen: Floats
    inputs: Floats

    def invert(self, phi: Floats) -> Inverted:
        """The mean of the candidates of every feature, and whether they agree."""
        asked = self.scale(phi)
        estimates, accepted = np.empty(asked.shape[:2]), np.empty(asked.shape[:2], dtype=bool)
        size = max(1, BLOCK // len(self.seen))
        for start in range(0, len(asked), size):
            rows = slice(start, start + size)
            for feature in range(asked.shape[1]):
                said = self._feature(asked[rows, feature], feature)
                estimates[rows, feature], accepted[rows, feature] = said
        return Inverted(estimates, accepted)

    def _feature(self, asked: Floats, feature: int) -> tuple[Floats, Floats]:
        """(n,) mean of the candidates of one feature, and whether the attacker stands by it."""
        k = min(self.rule.candidates, len(self.seen))
        gap = np.abs(asked[:, None, :] - self.seen[None, :, feature, :]).max(axis=2)
        at: Ints = np.argpartition(gap, k - 1, axis=1)[:, :k]
        value = self.inputs[at, feature]
        counts = np.take_along_axis(gap, at, axis=1) <= self.rule.reach if self.rule.reach < 1 else np.full(at.shape, 1)
        counts = counts.astype(bool)
        anybody = counts.any(axis=1)
        counts[~anybody] = True  # an answer the attacker does not stand by is still its best guess
        mean = (value * counts).sum(axis=1) / counts.sum(axis=1)
        width = np.where(counts, value, -np.inf).max(axis=1) - np.where(counts, value, np.inf).min(axis=1)
        return mean, anybody & (width < self.rule.spread)


PLUGIN = Nearest
