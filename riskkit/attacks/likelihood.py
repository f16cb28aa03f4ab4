"""Likelihood: how much likelier is the release with the target than without? No attack that knows as much beats it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Brief, Fitted, Floats, Generator, Knowledge, Likelihood, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter

PROOF = 1e9
"""What a released row counts that one of the worlds cannot put out: more than all likelihoods of a release together."""


@dataclass(frozen=True)
class LikelihoodRatio(CheckedPlugin):
    """The sum over released rows of log p(row | in) - log p(row | out), by fits of the attacker's own.

    By Neyman and Pearson no attack of the same knowledge has a larger true positive rate at any false positive rate,
    wherever fitting has no randomness: then two fits are the two worlds. Where it has, the noise of the challenger's
    own fit is unknown; the release's likelihood is then averaged over ``fits`` trainings of each world, which comes the
    nearer to the best the more there are. A row that one world cannot put out decides before all likelihoods; one that
    neither can says nothing.

    References
    ----------
    .. [1] Neyman and Pearson 1933, On the problem of the most efficient tests of statistical hypotheses,
       https://doi.org/10.1098/rsta.1933.0009
    """

    name: ClassVar[str] = "likelihood"
    title: ClassVar[str] = "Likelihood ratio"
    card: ClassVar[str] = (
        "Fits the generator with and without the target and compares how probable the release is under each fit. "
        "Needs every other real row and a generator that gives the probability of a row. No attack can do better "
        "where fitting has no randomness and the data without the target have one person fewer: there, what this "
        "attack does not find, no attack finds. Leave it out where every training draws its own noise, or where a "
        "person unknown to the attacker replaces the target."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"
    shadows: ClassVar[int] = 0

    fits: int = parameter(
        1,
        label="Attacker's trainings per side",
        help="How often the attacker fits either data set; more than 1 helps only where trainings differ.",
        low=1,
        high=1000,
        unit="trainings",
    )

    def check(self, generator: Generator, few: Table, rng: np.random.Generator) -> None:
        """Refuse a generator that cannot say how probable a row is, before anything is trained for the game.

        Raises
        ------
        DesignError
            It cannot, as a fit to these few rows shows. Where it refuses so few, nothing is known yet.
        """
        fitted = None
        with suppress(DesignError):
            fitted = generator.fit(few, rng)
        if fitted is not None:
            _with_likelihood(generator, fitted)

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedLikelihood:
        """Fit both worlds, as often as asked.

        Raises
        ------
        DesignError
            The brief lacks the real table or the generator, or the generator cannot say how probable a row is.
        """
        if brief.data is None or brief.generator is None:
            raise DesignError.phrase(
                "The likelihood attack needs the real table and the generator; give it exact knowledge."
            )
        generator, worlds = brief.generator, (brief.data.plus(brief.targets), brief.data)
        inside, outside = (
            [_with_likelihood(generator, generator.fit(world, rng)) for _ in range(self.fits)] for world in worlds
        )
        return FittedLikelihood(tuple(inside), tuple(outside), len(brief.targets))


def _with_likelihood(generator: Generator, fitted: Fitted) -> Likelihood:
    """That fit; raises :class:`DesignError` where it cannot say how probable a row is."""
    if not isinstance(fitted, Likelihood):
        raise DesignError.phrase(
            "Generator {generator!r} cannot say how probable a row is, so the likelihood attack cannot be "
            "made on it. Choose another attack, or a generator with a likelihood.",
            generator=generator.name,
        )
    return fitted


@dataclass(frozen=True, slots=True, eq=False)
class FittedLikelihood:
    """The fits of both worlds."""

    inside: Sequence[Likelihood]
    outside: Sequence[Likelihood]
    n_targets: int

    def score(self, release: Table) -> Floats:
        """(n_targets,) one log ratio for the whole group of targets, repeated: they are in or out as one."""
        logs = [np.stack([fitted.log_prob(release) for fitted in side]) for side in (self.inside, self.outside)]
        return np.full(self.n_targets, _mean_of(*logs) if len(self.inside) > 1 else _ratio(logs[0][0], logs[1][0]))


def _ratio(inside: Floats, outside: Floats) -> float:
    """The summed log ratio of (n,) rows, proofs first."""
    finite = np.isfinite(inside) & np.isfinite(outside)
    proofs = float(np.isfinite(inside).sum() - np.isfinite(outside).sum())
    return PROOF * proofs + float((inside[finite] - outside[finite]).sum())


def _mean_of(inside: Floats, outside: Floats) -> float:
    """The log ratio of the release's mean likelihoods over (fits, n) log-probabilities.

    Fits are compared first by how many rows they cannot put out, then by the likelihood of the rest: as if an
    impossible row had a probability that is tiny and equal in all.
    """
    logs = [np.where(np.isfinite(side), side, -PROOF).sum(axis=1) for side in (inside, outside)]
    means = [float(np.logaddexp.reduce(side) - np.log(len(side))) for side in logs]
    return means[0] - means[1]


PLUGIN = LikelihoodRatio
