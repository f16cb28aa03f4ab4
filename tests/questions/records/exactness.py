"""Whether many certificates agree with the attack played, judged as chance allows: the spread of what was seen.

If a certificate is right, its own curve says how an AUC of so many releases a side is spread: a release with the record
has a false positive rate at its place that is spread as the curve says, one without it an even one. So every AUC that
was seen has a place in its own law, however near 1 it is, and normal scores of these places are normal if all
certificates are right, and independent where every record had releases of its own.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from riskkit.core import Floats

FALSE: Floats = np.concatenate([[0.0], np.geomspace(1e-5, 0.01, 60), np.linspace(0.01, 1.0, 400)[1:]])
"""The false positive rates at which curves are wanted."""
ROUNDS = 2000
CHANCE = 1e-3
"""So rarely does each of the three looks refuse certificates that are right."""


def aucs_of(curve: Floats, releases: int, rounds: int, rng: np.random.Generator) -> Floats:
    """(rounds,) AUCs of so many releases a side, if the true positive rates at :data:`FALSE` are ``curve``."""
    inside = np.interp(rng.random((rounds, releases)), curve, FALSE)
    outside = np.sort(rng.random((rounds, releases)), axis=1)
    base = np.arange(rounds)[:, None]  # one round after the other, so that one search serves all
    behind = (outside + base).ravel().searchsorted((inside + base).ravel(), "right").reshape(inside.shape)
    wins: Floats = (releases * (base + 1) - behind).mean(axis=1) / releases
    return wins


def score(seen: float, law: Floats, own: float, rng: np.random.Generator) -> float:
    """The normal score of an AUC among those that its law gave; ``own`` is the certificate's own standard error."""
    blurred = law + own * rng.standard_normal(len(law))
    below = (blurred < seen - 1e-12).sum() + ((np.abs(blurred - seen) <= 1e-12).sum() + 1) / 2
    return float(stats.norm.ppf(below / (len(law) + 1)))


@dataclass(frozen=True, slots=True)
class Judgement:
    """``z`` (m,) the normal scores of as many records, and three looks at them."""

    z: Floats

    @property
    def few_far_off(self) -> bool:
        """Beyond 3 standard errors lie no more than chance puts there: of 50 records one or two."""
        most = stats.binom.ppf(1 - CHANCE, len(self.z), 2 * stats.norm.sf(3))
        return bool((np.abs(self.z) > 3).sum() <= most)

    @property
    def spread_right(self) -> bool:
        """The sum of squares is one of chi-square; neither larger nor, as with errors said too large, smaller."""
        low, high = stats.chi2.ppf([CHANCE / 2, 1 - CHANCE / 2], len(self.z))
        return bool(low <= (self.z**2).sum() <= high)

    @property
    def centred(self) -> bool:
        """They are not all too high or too low."""
        return bool(abs(self.z.sum()) <= stats.norm.isf(CHANCE / 2) * np.sqrt(len(self.z)))

    @property
    def agrees(self) -> bool:
        """Whether all three say so."""
        return self.few_far_off and self.spread_right and self.centred

    def __str__(self) -> str:
        far = (np.abs(self.z) > 3).sum()
        return (
            f"{len(self.z)} records: {far} beyond 3, largest {np.abs(self.z).max():.2f}, sum of squares "
            f"{(self.z**2).sum():.1f}, mean {self.z.mean():+.2f}"
        )
