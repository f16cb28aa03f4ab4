"""LiRA and RMIA: do released rows lie thicker around the target than in the attacker's own releases without it?

Both compare one score of a release, how thick its rows lie around a person, with what it is in own releases with the
target and in those without. The score is a density: the mean over released rows of ``exp(-distance / width)``. How wide
one has to look depends on the method, so the width is the one of :data:`WIDTHS` at which own releases with and without
the target lie farthest apart, in standard deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.attacks._learned import LearnsFromReleases, own_parameter, own_releases
from riskkit.core import Brief, Floats, Ints, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.parameters import parameter
from riskkit.table.encode import distances

WIDTHS = (0.003, 0.01, 0.03, 0.1, 0.3)
"""How wide the surroundings of a person may be, as a share of the largest distance there can be."""
LEAST = 1e-9
"""A standard deviation below this is one of rounding."""
SHARED, OWN = "shared", "own"


def log_densities(people: Table, release: Table, widths: Sequence[float]) -> Floats:
    """(n_widths, n_people) how thick released rows lie around each person, as logarithms."""
    gaps = distances(people, release)
    return np.stack([np.log(np.exp(-gaps / width).mean(axis=1)) for width in widths])


def _own_side(people: Table, releases: Sequence[Table]) -> Floats:
    """(n_releases, n_widths, n_people) the same of each of the attacker's own releases of a side."""
    return np.stack([log_densities(people, release, WIDTHS) for release in releases])


def _apart(inside: Floats, outside: Floats) -> Floats:
    """(n_widths, n) how far the mean with the target lies above that without, in standard deviations."""
    spread = np.sqrt((inside.var(axis=0) + outside.var(axis=0)) / 2)
    gap: Floats = (inside.mean(axis=0) - outside.mean(axis=0)) / np.maximum(spread, LEAST)
    return gap


@dataclass(frozen=True)
class Lira(LearnsFromReleases):
    """The log ratio of two normal laws of the score: that of own releases with the target, and of those without.

    With one spread for both laws, as of few own releases, the ratio rises evenly with the score: it sets the cut and
    changes no order, so its AUC is that of the density. With a spread for each side an end of the score may speak for
    the other side, wherever the narrower law says so.

    References
    ----------
    .. [1] Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, Membership inference attacks from first principles, IEEE
       Symposium on Security and Privacy, arXiv 2112.03570.
    """

    name: ClassVar[str] = "lira"
    title: ClassVar[str] = "Two laws of the density (LiRA)"
    card: ClassVar[str] = (
        "Measures how thick released rows lie around the target, and asks whether that is usual for releases with the "
        "target or for those without. Needs every other real row, the generator and some releases of its own. Strong "
        "on methods that repeat rows or nearly so. Leave it out where only marginals are kept. After Carlini and "
        "others 2022."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"

    own: int = own_parameter(25)
    spread: str = parameter(
        SHARED,
        label="Spread of the laws",
        help="One for both sides, for few own releases; or one for each side, from about 60 a side.",
        choices={SHARED: "One for both sides", OWN: "One for each side"},
    )

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedLira:  # noqa: ARG002  draws nothing
        """Choose the width of each target, and fit both laws there.

        Raises
        ------
        DesignError
            Too few own releases.
        """
        sides = [_own_side(brief.targets, side) for side in own_releases(brief, self.own, self.title)]
        width = _apart(*sides).argmax(axis=0)
        chosen = [side[:, width, np.arange(len(width))] for side in sides]
        mean = np.stack([side.mean(axis=0) for side in chosen])
        variance = np.stack([side.var(axis=0, ddof=1) for side in chosen])
        if self.spread == SHARED:
            variance = np.broadcast_to(variance.mean(axis=0), variance.shape)
        return FittedLira(brief.targets, width, mean, np.maximum(variance, LEAST))


@dataclass(frozen=True, slots=True, eq=False)
class FittedLira:
    """The targets, the width for each, and (2, n_targets) means and variances with and without it."""

    targets: Table
    width: Ints
    mean: Floats
    variance: Floats

    def score(self, release: Table) -> Floats:
        """(n_targets,) the log ratio."""
        density = log_densities(self.targets, release, WIDTHS)[self.width, np.arange(len(self.width))]
        logs = -((density - self.mean) ** 2) / (2 * self.variance) - np.log(self.variance) / 2
        ratio: Floats = logs[0] - logs[1]
        return ratio


@dataclass(frozen=True)
class Rmia(LearnsFromReleases):
    """The share of other people beside whom a release speaks for the target, less the cut.

    A person's ratio is the density of the release around them over its mean in all own releases, half of which hold the
    target. What all people of a release have in common, as the noise of its training, is in every ratio and cancels.
    The other people are rows that the attacker knows to be in, or people of the population; the cut lies half way
    between the mean shares of own releases with the target and without.

    References
    ----------
    .. [1] Zarifzadeh, Liu and Shokri 2024, Low-cost high-power membership inference attacks, ICML, arXiv 2312.03262.
    """

    name: ClassVar[str] = "rmia"
    title: ClassVar[str] = "Density beside other people's (RMIA)"
    card: ClassVar[str] = (
        "Measures how much thicker released rows lie around the target than in releases of the attacker's own, and "
        "counts beside how many other people they do not. Needs other people, the generator and some releases of its "
        "own. Strong on methods that repeat rows or nearly so, also where trainings differ much. Leave it out where "
        "only marginals are kept. After Zarifzadeh and others 2024."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"

    own: int = own_parameter(25)
    people: int = parameter(
        200,
        label="Other people",
        help="Beside how many other people, drawn at random, the target is set.",
        low=10,
        high=10_000,
        unit="people",
    )

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedRmia:
        """Draw the other people, choose the width of each target, and take the mean densities of own releases.

        Raises
        ------
        DesignError
            Too few own releases, or the brief lacks other people.
        """
        people = brief.data if brief.data is not None else brief.reference
        if people is None or not len(people):
            raise DesignError.phrase("The RMIA attack needs other people; give it exact knowledge.")
        others = people.rows(np.sort(rng.permutation(len(people))[: self.people]))
        everybody, n = brief.targets.plus(others), len(brief.targets)
        sides = [_own_side(everybody, side) for side in own_releases(brief, self.own, self.title)]
        width = _apart(*(side[:, :, :n] for side in sides)).argmax(axis=0)
        usual = np.log(np.exp(np.concatenate(sides)).mean(axis=0))
        level = [np.mean([beside(density - usual, width) for density in side], axis=0) for side in sides]
        return FittedRmia(everybody, width, usual, (level[0] + level[1]) / 2)


def beside(ratio: Floats, width: Ints) -> Floats:
    """(n_targets,) the share of other people whose ratio is no higher than each target's, at the width of the target.

    ``ratio`` is (n_widths, n_people), the targets first.
    """
    n = len(width)
    own, others = ratio[width, np.arange(n)], ratio[width, n:]
    share: Floats = (others <= own[:, None]).mean(axis=1)
    return share


@dataclass(frozen=True, slots=True, eq=False)
class FittedRmia:
    """The targets and after them the other people, the width of each target, the usual densities, and the cuts."""

    people: Table
    width: Ints
    usual: Floats
    cut: Floats

    def score(self, release: Table) -> Floats:
        """(n_targets,) the share less the cut."""
        return beside(log_densities(self.people, release, WIDTHS) - self.usual, self.width) - self.cut


PLUGIN = Lira, Rmia
