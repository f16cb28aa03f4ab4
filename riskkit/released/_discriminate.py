"""Learned judges of rows: which side is a row from, and how well do the other columns foretell each one?

They tell the frequent levels of a wide table apart and take the rare ones of a column for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from riskkit.base.estimators import integer_seed, without_limit_warning
from riskkit.core import Codes, Floats, Ints
from riskkit.table.points import RowPoints, pool_rare

# Extremely randomised trees on numbers and codes: what an attack that learns grows, whole and from all rows.
#
# A category is one column of codes: a cut at random parts its levels in two.
#
# References
# ----------
# .. [1] Geurts, Ernst and Wehenkel 2006, Extremely randomized trees, Machine Learning 63:3-42.

SEEDS = 2**63
"""Seeds of trees are drawn below it."""


@dataclass(frozen=True, slots=True, eq=False)
class Grove:
    """The rows (n, n_columns) that trees are grown on, as kernels take them.

    ``ranks`` (n_columns, n) are places of the rows' values among the different ones of their column, which stand in the
    first places of ``values`` (n_columns, n).
    """

    ranks: Codes
    values: Floats

    @classmethod
    def grow(cls, rows: Floats) -> Grove:
        """Of these rows, of which there is at least one, without gaps."""
        ranks, values = np.empty(rows.T.shape, dtype=np.int32), np.zeros(rows.T.shape)
        for position, column in enumerate(rows.T):
            different, ranks[position] = np.unique(column + 0.0, return_inverse=True)  # -0.0 and 0.0 are one number
            values[position, : len(different)] = different
        return cls(ranks, values)

    def means(
        self,
        value: Floats,
        asked: Floats,
        trees: int,
        tried: int,
        rng: np.random.Generator,
        leave_out: int | None = None,
    ) -> Floats:
        """(m,) the number foretold for each of the rows ``asked`` (m, n_columns): the mean over so many trees.

        Parameters
        ----------
        value : (n,)
            What the trees learn to foretell.
        tried
            Columns that each cut is looked for in, more while these are constant.
        leave_out
            The column that must not be looked at.
        """
        from riskkit.released import _tree_kernels as kernels

        out, none, how = np.zeros(len(asked)), np.zeros(0, dtype=np.int32), (trees, tried)
        are_two = bool(((value == 0) | (value == 1)).all())  # then they are counted: the same means, in less time
        if are_two:
            grown = self._grow(np.zeros(0), value.astype(np.int32), 2, how, rng, leave_out, are_numbers=True)
        else:
            grown = self._grow(value, none, 0, how, rng, leave_out, are_numbers=True)
        for by, cut, below, mean, _ in grown:
            kernels.add_means(asked, by, cut, below, mean, out)
        return out / trees

    def shares(
        self,
        of_class: Codes,
        classes: int,
        asked: Floats,
        wanted: Codes,
        trees: int,
        tried: int,
        rng: np.random.Generator,
        leave_out: int | None = None,
    ) -> Floats:
        """(m,) the share foretold for the class ``wanted`` (m,) of each; ``of_class`` (n,) are below ``classes``."""
        from riskkit.released import _tree_kernels as kernels

        out, none = np.zeros(len(asked)), np.zeros(0)
        for by, cut, below, _, own in self._grow(none, of_class, classes, (trees, tried), rng, leave_out):
            kernels.add_shares(asked, wanted, by, cut, below, own, out)
        return out / trees

    def _grow(
        self,
        value: Floats,
        of_class: Codes,
        classes: int,
        how: tuple[int, int],
        rng: np.random.Generator,
        leave_out: int | None,
        *,
        are_numbers: bool = False,
    ) -> Iterator[tuple[Codes, Floats, Codes, Floats, Codes]]:
        """Tree after tree, each in the room of the one before, and the classes in the order of its leaves; between two
        a signal to stop is heard."""
        from riskkit.released import _tree_kernels as kernels

        (trees, tried), (width, n) = how, self.ranks.shape
        columns: Ints = np.delete(np.arange(width), [] if leave_out is None else [leave_out])
        by, below = (np.empty(2 * n, dtype=np.int32) for _ in range(2))
        cut, mean = np.empty(2 * n), np.empty(2 * n)
        for seed in rng.integers(SEEDS, size=trees).tolist():
            own_value, own_class = value.copy(), of_class.astype(np.int32)
            learnt = self.ranks, self.values, own_value, own_class, classes, are_numbers, columns, tried, seed
            nodes = kernels.grow_tree(*learnt, by, cut, below, mean)
            yield by[:nodes], cut[:nodes], below[:nodes], mean[:nodes], own_class


TREES = 100
COLUMN_TREES = 10
TRIED = 0.4
"""Share of the columns that each cut of a tree that foretells a column is looked for in."""


def forest(release: RowPoints, targets: RowPoints, reference: RowPoints, rng: np.random.Generator) -> Floats:
    """(n_targets,) share of release that whole, extremely randomised trees find there.

    Whole trees of all rows remember single rows, which is the point; weights of the sides would change nothing in pure
    leaves, so where one side has more rows all shares lean to it alike.
    """
    release, targets, reference = pool_rare([release, targets, reference], [release, reference])
    rows = _columns(release.plus(reference))
    from_release = np.repeat([1.0, 0.0], [len(release), len(reference)])
    tried = max(int(rows.shape[1] ** 0.5), 1)
    return Grove.grow(rows).means(from_release, _columns(targets), TREES, tried, rng)


def network(
    release: RowPoints, targets: RowPoints, reference: RowPoints, epochs: int, rng: np.random.Generator
) -> Floats:
    """(n_targets,) log-odds of release in a network of two layers of 256, trained for that many passes.

    Trained in single precision: double takes nearly twice the time and finds no more. Asked in double, lest sure
    answers tie.
    """
    # Loading it takes longer than most attacks, and none else needs it.
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    release, targets, reference = pool_rare([release, targets, reference], [release, reference])
    rows, from_release = release.plus(reference).matrix(), np.repeat([1.0, 0.0], [len(release), len(reference)])
    scaler = StandardScaler().fit(rows)
    weights = np.where(from_release, len(rows) / len(release), len(rows) / len(reference)) / 2
    learner = MLPClassifier((256, 256), max_iter=epochs, n_iter_no_change=epochs, random_state=integer_seed(rng))
    with without_limit_warning():
        learner.fit(scaler.transform(rows).astype(np.float32), from_release, sample_weight=weights)
    share = np.clip(learner.predict_proba(scaler.transform(targets.matrix()))[:, 1], 1e-300, 1 - 1e-16)
    return np.asarray(np.log(share) - np.log1p(-share))


def _columns(points: RowPoints) -> Floats:
    """(n, columns) numbers, then codes as they are."""
    return np.hstack([points.numbers, points.codes])


def misfit(train: RowPoints, targets: RowPoints, rng: np.random.Generator) -> Floats:
    """(n_targets,) how badly trees grown on ``train`` foretell a row's values, each from the row's others.

    Numbers count by the log of 1 plus their error in mean deviations of that column in ``train``, so that no single
    far value outweighs the rest; codes by the negative log of the share foretold for the level there is.
    """
    train, targets = pool_rare([train, targets], [train])
    errors, numbers = column_errors(train, targets, rng), train.numbers.shape[1]
    deviation = np.abs(train.numbers - np.median(train.numbers, axis=0)).mean(axis=0)
    errors[:, :numbers] = np.log1p(errors[:, :numbers] / np.where(deviation > 0, deviation, 1.0))
    return np.asarray(errors.sum(axis=1))


def column_errors(train: RowPoints, targets: RowPoints, rng: np.random.Generator) -> Floats:
    """(n_targets, n_columns) how badly trees grown on ``train`` foretell each value from the other columns.

    For a number the distance to the forecast; for a code the negative log of its forecast share, levels that the
    trees never saw counting as one tree's worth shared by all levels.
    """
    return np.column_stack(list(_column_errors(train, targets, rng)))


def _column_errors(train: RowPoints, targets: RowPoints, rng: np.random.Generator) -> Iterator[Floats]:
    asked, grove = _columns(targets), Grove.grow(_columns(train))
    numbers = train.numbers.shape[1]
    tried = max(round(TRIED * (asked.shape[1] - 1)), 1)
    for column in range(numbers):
        foretold = grove.means(train.numbers[:, column], asked, COLUMN_TREES, tried, rng, column)
        yield np.abs(foretold - targets.numbers[:, column])
    for column, size in enumerate(train.sizes):
        own, wanted = train.codes[:, column], targets.codes[:, column]
        share = grove.shares(own, size, asked, wanted, COLUMN_TREES, tried, rng, numbers + column)
        yield -np.log((COLUMN_TREES * share + 1 / size) / (COLUMN_TREES + 1))
