"""What attacks share that learn from the attacker's own releases: features of both sides in, a judge of features out.

There are many more features than releases, so nothing here costs more than one product of the features with themselves,
save for the forest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from riskkit.base.estimators import integer_seed
from riskkit.core import Brief, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.phrases import phrase

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

Singles = npt.NDArray[np.float32]

TREES, DEPTH = 100, 10
NEAREST = 5
STEPS = 1000
GAMMA = 1.0


class LearnsFromReleases(CheckedPlugin):
    """An attack that makes :attr:`own` releases on each side, with and without the target, before it can score."""

    own: int

    @property
    def shadows(self) -> int:
        """Own releases a side."""
        return self.own


def own_parameter(default: int, low: int = 2) -> Any:
    """How many of them to learn from."""
    return parameter(
        default,
        label="Attacker's releases per side",
        help="How many releases the attacker makes with and without the target to learn from.",
        low=low,
        high=10_000,
        unit="releases",
    )


class Judge(Protocol):
    """What was learnt of one target."""

    def __call__(self, features: npt.NDArray[Any]) -> float:
        """The score of a release with these (p,) features; above 0 is "in"."""


def own_releases(brief: Brief, own: int, title: str) -> tuple[Sequence[Table], Sequence[Table]]:
    """The attacker's own releases with and without the targets, as many of each as it wants.

    Raises
    ------
    DesignError
        There are fewer.
    """
    if min(len(brief.shadows_in), len(brief.shadows_out)) < own:
        raise DesignError.phrase(
            "The {title} attack wants {own} own releases a side and got fewer.", title=phrase(title), own=own
        )
    return brief.shadows_in[:own], brief.shadows_out[:own]


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Features as standard scores over the attacker's own releases; those that never differ there are left out.

    ``kept`` are the positions of the others, ``unit`` their standard deviation times the root of their number: releases
    have a mean squared length of 1, however many features there are.
    """

    kept: Ints
    centre: Singles
    unit: Singles

    @classmethod
    def fit(cls, rows: Singles) -> Scaling:
        """The scaling of (n, p) features."""
        sd = rows.std(axis=0, dtype=np.float64)
        mean = rows.mean(axis=0, dtype=np.float64)
        kept = np.flatnonzero(sd > 1e-9 * np.abs(mean))
        unit = sd[kept] * np.sqrt(max(len(kept), 1))
        return cls(kept, mean[kept].astype(np.float32), unit.astype(np.float32))

    def __call__(self, rows: npt.NDArray[Any]) -> Singles:
        """(n, kept) scaled features of (n, p)."""
        scaled: Singles = (rows[:, self.kept] - self.centre) / self.unit
        return scaled


@dataclass(frozen=True, slots=True, eq=False)
class LinearScore:
    """A straight line in the features that were kept: the score is ``weight @ features - cut``."""

    kept: Ints
    weight: Floats
    cut: float

    def __call__(self, features: npt.NDArray[Any]) -> float:
        return float(features[self.kept] @ self.weight - self.cut)


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees that each give a share of "in"; the score is their mean less one half.

    The nodes of all trees lie one after the other; ``roots`` are where trees begin. A leaf is its own child, so all
    trees are walked at once: scikit-learn's walk, tree by tree, takes many times as long for a single release.
    """

    scaling: Scaling
    roots: Ints
    feature: Ints
    threshold: Floats
    children: Ints
    share: Floats
    depth: int

    @classmethod
    def flatten(cls, scaling: Scaling, model: RandomForestClassifier) -> Forest:
        """The nodes of a fitted forest."""
        trees = [tree.tree_ for tree in model.estimators_]
        roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
        below = [
            np.where(left < 0, np.arange(tree.node_count), left) + root
            for tree, root in zip(trees, roots, strict=True)
            for left in (tree.children_left, tree.children_right)
        ]
        return cls(
            scaling,
            roots,
            np.maximum(np.concatenate([tree.feature for tree in trees]), 0),
            np.concatenate([tree.threshold for tree in trees]),
            np.stack([np.concatenate(below[::2]), np.concatenate(below[1::2])]),
            np.concatenate([tree.value[:, 0, -1] / tree.value[:, 0].sum(axis=1) for tree in trees]),
            max(tree.max_depth for tree in trees),
        )

    def __call__(self, features: npt.NDArray[Any]) -> float:
        shown = self.scaling(features[None])[0]
        nodes = self.roots
        for _ in range(self.depth):
            nodes = self.children[(shown[self.feature[nodes]] > self.threshold[nodes]).astype(np.int64), nodes]
        return float(self.share[nodes].mean() - 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A support vector machine with a Gaussian kernel; the score is the distance from its border.

    ``support`` (n, kept) are the releases that hold the border, ``weight`` (n,) how much each does, ``cut`` what their
    sum must exceed.
    """

    scaling: Scaling
    support: Floats
    weight: Floats
    cut: float
    gamma: float

    def __call__(self, features: npt.NDArray[Any]) -> float:
        apart = self.support - self.scaling(features[None])
        return float(np.exp(-self.gamma * (apart * apart).sum(axis=1)) @ self.weight - self.cut)


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """How much nearer the features lie to the nearest releases with the target than to the nearest without."""

    scaling: Scaling
    inside: Singles
    outside: Singles

    def __call__(self, features: npt.NDArray[Any]) -> float:
        shown = self.scaling(features[None])
        gaps = [np.sqrt(((side - shown) ** 2).sum(axis=1, dtype=np.float64)) for side in (self.inside, self.outside)]
        near = [float(np.sort(gap)[:NEAREST].mean()) for gap in gaps]
        return near[1] - near[0]


def shrunken(inside: Iterable[npt.NDArray[Any]], outside: Iterable[npt.NDArray[Any]]) -> LinearScore:
    """A straight line whose weights are the cubes of each feature's correlation with the truth.

    The score is the mean of standard scores under these weights. Features are taken one by one, and those that say
    little are held back by their own evidence: of thousands of counts a handful move with the target, and weights that
    keep sums of squares small (ridge, logistic regression) let the others drown them. Costs one look at each release,
    none of which is kept.

    Parameters
    ----------
    inside, outside
        The (p,) features of the attacker's own releases with and without the target, at least one each.
    """
    origin: Any = None
    sums, squares, counts = [], 0.0, []
    for side in (inside, outside):
        total, count = 0.0, 0
        for features in side:
            origin = features.astype(np.float64) if origin is None else origin
            apart = features - origin  # a feature that never differs is exactly 0, however large
            total, squares, count = total + apart, squares + apart**2, count + 1
        sums.append(total)
        counts.append(count)
    n = sum(counts)
    mean = np.asarray(sums[0] + sums[1]) / n
    variance = np.asarray(squares) / n - mean**2
    kept = np.flatnonzero(variance > 1e-12 * np.asarray(squares) / n)
    sd = np.sqrt(variance[kept])
    gap = np.asarray(sums[0])[kept] / counts[0] - np.asarray(sums[1])[kept] / counts[1]
    weight = (gap / sd * np.sqrt(counts[0] * counts[1]) / n) ** 3
    weight /= max(float(np.abs(weight).sum()), np.finfo(np.float64).tiny)
    plain = weight / sd
    return LinearScore(kept, plain, float(plain @ (origin + mean)[kept]))


def learn(learner: str, inside: npt.NDArray[Any], outside: npt.NDArray[Any], rng: np.random.Generator) -> Judge:
    """A judge of the features of releases.

    Parameters
    ----------
    learner
        One of :data:`LEARNERS`.
    inside, outside : (n_in, p) and (n_out, p)
        The features of the attacker's own releases with and without the target.
    rng
        Only the forest draws.
    """
    rows = np.vstack([inside, outside]).astype(np.float32)
    scaling = Scaling.fit(rows)
    if not len(scaling.kept):
        return LinearScore(scaling.kept, np.zeros(0), 0.0)
    return LEARNERS[learner](scaling, scaling(rows), np.repeat([1, 0], [len(inside), len(outside)]), rng)


def _logistic(scaling: Scaling, rows: Singles, is_in: Ints, rng: np.random.Generator) -> Judge:  # noqa: ARG001
    """Logistic regression with a penalty of half the squared length, found in the span of the releases."""
    from sklearn.linear_model import LogisticRegression

    values, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    spanned = values > 1e-6 * values[-1]
    length = np.sqrt(values[spanned])
    model = LogisticRegression(max_iter=STEPS).fit(vectors[:, spanned] * length, is_in)
    return _line(scaling, rows.T @ (vectors[:, spanned] @ (model.coef_[0] / length)), -float(model.intercept_[0]))


def _line(scaling: Scaling, weight: Floats, cut: float) -> LinearScore:
    """A line for scaled features as one for plain ones."""
    plain = np.asarray(weight, dtype=np.float64) / scaling.unit
    return LinearScore(scaling.kept, plain, cut + float(plain @ scaling.centre))


def _forest(scaling: Scaling, rows: Singles, is_in: Ints, rng: np.random.Generator) -> Judge:
    """The share of trees, each on releases drawn anew, less one half."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(TREES, max_depth=DEPTH, random_state=integer_seed(rng)).fit(rows, is_in)
    return Forest.flatten(scaling, model)


def _machine(scaling: Scaling, rows: Singles, is_in: Ints, rng: np.random.Generator) -> Judge:  # noqa: ARG001
    """Support vectors with a Gaussian kernel as wide as the releases lie apart."""
    from sklearn.svm import SVC

    model = SVC(gamma=GAMMA, random_state=0).fit(rows, is_in)
    return Machine(scaling, model.support_vectors_, model.dual_coef_[0], -float(model.intercept_[0]), GAMMA)


def _nearest(scaling: Scaling, rows: Singles, is_in: Ints, rng: np.random.Generator) -> Judge:  # noqa: ARG001
    """The nearest releases of each side."""
    return Nearest(scaling, rows[is_in == 1], rows[is_in == 0])


LEARNERS: Mapping[str, Callable[[Scaling, Singles, Ints, np.random.Generator], Judge]] = {
    "logistic": _logistic,
    "forest": _forest,
    "nearest": _nearest,
    "svm": _machine,
}
