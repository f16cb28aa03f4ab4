"""MVL: does the release have the mean and covariance of the table with the target, or without?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from riskkit.core import Brief, Floats, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, Choice, parameter
from riskkit.table.encode import Scale, onehot

LAMBDAS = np.array([0.0, 1e-4, 1e-3, 1e-2, *np.linspace(0.05, 0.95, 19), 0.99, 1.0])
"""Where λ is looked for; the published sweeps found the best values near 0."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean vector (width,) and covariance matrix (width, width) of a table's one-hot form."""

    mean: Floats
    covariance: Floats

    @classmethod
    def measure(cls, table: Table, scale: Scale) -> Moments:
        """Moments of the rows, the covariance divided by n as in the source (definition 3.1).

        Every level is a dimension: were one of each category left out, distances would depend on which.
        """
        matrix = onehot(table, scale=scale, drop_first=False)
        mean = matrix.mean(axis=0)
        centred = matrix - mean
        return cls(mean, centred.T @ centred / max(len(matrix), 1))

    @classmethod
    def average(cls, tables: Sequence[Table], scale: Scale) -> Moments:
        """The mean of the moments of several tables."""
        all_ = [cls.measure(table, scale) for table in tables]
        return cls(np.mean([m.mean for m in all_], axis=0), np.mean([m.covariance for m in all_], axis=0))

    def less(self, other: Moments) -> Moments:
        """These moments less the others, entry by entry."""
        return Moments(self.mean - other.mean, self.covariance - other.covariance)

    def plus(self, other: Moments) -> Moments:
        """These moments and the others, added up."""
        return Moments(self.mean + other.mean, self.covariance + other.covariance)

    def middle(self, other: Moments) -> Moments:
        """Half way to the others."""
        return Moments((self.mean + other.mean) / 2, (self.covariance + other.covariance) / 2)

    def gaps(self, other: Moments) -> Floats:
        """(2,) Euclidean distance of the means and Frobenius distance of the covariances."""
        return np.array([np.linalg.norm(self.mean - other.mean), np.linalg.norm(self.covariance - other.covariance)])


@dataclass(frozen=True)
class Mvl(CheckedPlugin):
    """Names the world whose mean and covariance lie nearer to the release's.

    ``MVL(A, B) = (1 - λ) |mean A - mean B| + λ |cov A - cov B|``; the score is ``MVL(release, out) - MVL(release,
    in)``. Variant ``orig`` compares with the two real tables themselves, ``syn`` with the average moments of
    releases the attacker made from each. ``corrected`` compares with the real tables after taking the method's bias off
    the release: how far the moments of own releases lie from those of the table they came from, on average. What
    rounding and clipping do to every release then counts for nothing; the references differ by the record alone.

    References
    ----------
    .. [1] Miura et al., the membership game on statistics-based, Bayesian-network and CTGAN synthesis.
    """

    name: ClassVar[str] = "mvl"
    title: ClassVar[str] = "Mean and covariance (MVL)"
    card: ClassVar[str] = (
        "Compares the mean and covariance of the release with those of the real table with and without the target. "
        "Needs every other real row; comparing with own releases or corrected tables, and choosing λ, also refit the "
        "generator. Strong where a method copies the table's moments and publishes them unrounded. Leave it out where "
        "rounding or clipping changes the moments by more than one person does: it then gives every release the same "
        "answer."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT

    variant: str = parameter(
        "orig",
        label="Compare with",
        help="The two real tables that are possible, the attacker's own releases made from each of them, or the real "
        "tables corrected for what the method does to the moments of any table.",
        choices={"orig": "The possible real tables", "syn": "Own releases", "corrected": "The corrected real tables"},
    )
    lam: float = parameter(
        0.5, label="λ", help="Weight of the covariance against the mean: 0 is the mean alone.", low=0.0, high=1.0
    )
    tune: bool = parameter(
        False,
        label="Choose λ",
        help="Choose the λ that did best on the attacker's own releases. Those trainings are never counted.",
    )
    scale: str = parameter(
        "raw",
        label="Scale of numbers",
        help=(
            "As they are in the file, large numbers weigh most. Otherwise each column's domain becomes 0 to 1, or each "
            "number is divided by the column's spread."
        ),
        choices={"raw": "As in the file", "minmax": "0 to 1", "standard": "Standard deviations"},
    )
    own: int = parameter(
        10,
        label="Attacker's releases per side",
        help="How many releases the attacker makes with and without the target: to compare with, to correct by, and to "
        "choose λ.",
        low=2,
        high=1000,
        unit="releases",
    )

    @property
    def shadows(self) -> int:
        """Own releases a side: one set to compare with or take the bias from, another to choose λ on."""
        return self.own * ((self.variant != "orig") + self.tune)

    @property
    def control(self) -> str:
        """The leak it must find: the table's very moments.

        A plant that draws rows anew would ask for what no attack on moments can do: the draw outweighs one row.
        ``leaky`` copies the moments in four of five trainings. No release has a larger margin than the table with the
        target, by the triangle inequality, so the AUC is at least .82; how far it comes towards the best, .98, is up to
        where the noise lies. Averages over own releases would mix it in: the other variants get the table.
        """
        return "leaky:p=0.8" if self.variant == "orig" else "identity"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedMvl | TunedMvl:  # noqa: ARG002  the protocol's shape
        """Settle the two references and λ. Draws nothing at random.

        Raises
        ------
        DesignError
            The brief lacks the real table or the releases the variant needs.
        """
        if brief.data is None:
            raise DesignError.phrase("The MVL attack needs the real table; give it exact knowledge.")
        if min(len(brief.shadows_in), len(brief.shadows_out)) < self.shadows:
            raise DesignError.phrase(
                "The MVL attack wants {shadows} own releases a side and got fewer.", shadows=self.shadows
            )
        scale: Scale = self.scale  # type: ignore[assignment]  # the menu holds just these words
        if self.variant != "syn":
            world_in = Moments.measure(brief.data.plus(brief.targets), scale)
            world_out = Moments.measure(brief.data, scale)
        if self.variant != "orig":
            own_in = Moments.average(brief.shadows_in[: self.own], scale)
            own_out = Moments.average(brief.shadows_out[: self.own], scale)
        if self.variant == "syn":
            world_in, world_out = own_in, own_out
        elif self.variant == "corrected":
            bias = own_in.less(world_in).middle(own_out.less(world_out))
            world_in, world_out = world_in.plus(bias), world_out.plus(bias)
        fitted = FittedMvl(world_in, world_out, self.lam, scale, len(brief.targets))
        if not self.tune:
            return fitted
        kept = slice(self.shadows - self.own, self.shadows)
        return fitted.tune(brief.shadows_in[kept], brief.shadows_out[kept])


@dataclass(frozen=True, slots=True)
class FittedMvl:
    """The moments of both worlds and the λ to weigh them with."""

    world_in: Moments
    world_out: Moments
    lam: float
    scale: Scale
    n_targets: int

    def score(self, release: Table) -> Floats:
        """(n_targets,) one score for the whole group of targets, repeated: the moments hold all of them."""
        return np.full(self.n_targets, weighted_score(self.margins(release), self.lam))

    def tune(self, shadows_in: Sequence[Table], shadows_out: Sequence[Table]) -> TunedMvl:
        """The same with the λ that names most of these releases rightly; of equals the one nearest to one half."""
        margins = [self.margins(table) for table in (*shadows_in, *shadows_out)]
        is_in = np.arange(len(margins)) < len(shadows_in)
        own = np.array([[weighted_score(margin, lam) for margin in margins] for lam in LAMBDAS])
        right = (np.where(is_in, own, -own) > 0).sum(axis=1)
        best = int(min(np.flatnonzero(right == right.max()), key=lambda candidate: abs(LAMBDAS[candidate] - 0.5)))
        return TunedMvl(replace(self, lam=float(LAMBDAS[best])), Choice("lam", LAMBDAS, best, own, is_in))

    def margins(self, release: Table) -> Floats:
        """(2,) how much nearer the release lies to the in-world, for mean and covariance."""
        seen = Moments.measure(release, self.scale)
        return seen.gaps(self.world_out) - seen.gaps(self.world_in)


def weighted_score(margins: Floats, lam: float) -> float:
    """The score of (2,) margins for that λ."""
    return float(margins @ np.array([1.0 - lam, lam]))


@dataclass(frozen=True, slots=True)
class TunedMvl:
    """The attack with the λ that did best on releases of its own, and how each λ did there."""

    fitted: FittedMvl
    choice: Choice

    @property
    def lam(self) -> float:
        """The λ that was taken."""
        return self.fitted.lam

    def score(self, release: Table) -> Floats:
        """(n_targets,) the score under the λ that was taken."""
        return self.fitted.score(release)

    def score_each(self, release: Table) -> Floats:
        """(n_values, n_targets) the scores under every λ that was tried; the moments are taken once."""
        margins = self.fitted.margins(release)
        each = np.array([weighted_score(margins, lam) for lam in self.choice.values])
        return np.repeat(each[:, None], self.fitted.n_targets, axis=1)


PLUGIN = Mvl
