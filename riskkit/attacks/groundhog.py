"""Groundhog: do the summary figures of the release look as they do with the target, or without?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from riskkit.attacks._learned import Judge, LearnsFromReleases, learn, own_parameter, own_releases
from riskkit.core import Brief, Floats, Ints, Knowledge, Schema, Table
from riskkit.parameters import parameter
from riskkit.table.encode import bin_columns, layout, onehot, scale_column, width

# A table in a fixed number of figures: what its columns are like one by one, and how they go together.
#
# Every table of a schema has the same figures in the same order: bins and levels are those of the frozen domain.

FLAT = 1e-12
"""A dimension with less than this share of its mean square as variance does not vary but for rounding."""


def figures(table: Table) -> Floats:
    """(3 d,) three figures a column, in file order.

    Of a number the mean, median and variance (n - 1) of what is not missing, 0 where nothing is; of a category the most
    frequent code, the least frequent one of those that occur (of equals the lowest), and how many occur.

    References
    ----------
    .. [1] Stadler, Oprisanu, Troncoso 2022, Synthetic data: anonymisation groundhog day, the naive feature set,
       https://arxiv.org/abs/2011.07018
    """
    return np.concatenate(
        [
            _number_summaries(table.numbers[:, block.source])
            if block.column.is_numeric
            else _code_summaries(np.bincount(table.codes[:, block.source], minlength=len(block.column.levels)))
            for block in layout(table.schema)
        ]
        or [np.zeros(0)]
    )


def _number_summaries(values: Floats) -> Floats:
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(3)
    return np.array([known.mean(), np.median(known), known.var(ddof=1) if len(known) > 1 else 0.0])


def _code_summaries(counts: Ints) -> Floats:
    occurs = counts > 0
    least = np.where(occurs, counts, counts.sum() + 1).argmin()
    return np.array([counts.argmax(), least, occurs.sum()], dtype=np.float64)


def histograms(table: Table, bins: int = 10) -> Floats:
    """(levels and bins of all columns,) how many rows have each, in file order.

    A number is counted in ``bins`` equal widths of the column's domain, fewer where it has fewer values, and missing
    ones beside them.
    """
    codes, sizes = bin_columns(table, bins)
    starts = np.cumsum([0, *sizes])
    counts = np.bincount((codes + starts[:-1]).ravel(), minlength=starts[-1])
    return counts.astype(np.float64)


def correlations(table: Table) -> Floats:
    """(w (w - 1) / 2,) Pearson's correlation of every two of the ``w`` dimensions of the one-hot form.

    The form is that of :func:`riskkit.table.encode.onehot` without first levels, the order row by row above the
    diagonal. What does not vary in this table correlates with nothing: 0. Everything comes from one Gram matrix, of
    which only the entries that are not zero are added up.
    """
    from riskkit.table import _kernels

    size = width(table.schema)
    out = np.empty(size * (size - 1) // 2)
    if len(table):
        _kernels.pearson_of(_gram(table, size), FLAT, out)
    else:
        out[:] = 0.0
    return out


def _gram(table: Table, size: int) -> Floats:
    """(size + 1, size + 1) the Gram matrix of the one-hot form and, last, of a dimension of ones; upper triangle."""
    from riskkit.table import _kernels

    if table.relaxed is not None:
        rows = np.hstack([onehot(table, scale="standard"), np.ones((len(table), 1))])
        gram: Floats = rows.T @ rows
        return gram
    starts, places = _places(table.schema)
    dense = np.ones((len(table), len(places)))
    position = 0
    for column, values in zip(table.schema.numeric, table.numbers.T, strict=True):
        missing = np.isnan(values)
        dense[:, position] = scale_column(np.where(missing, column.mean, values), column, "standard")
        position += 1
        if column.has_missing:
            dense[:, position] = missing
            position += 1
    out = np.empty((size + 1, size + 1))
    _kernels.gram_of(table.codes, starts, dense, places, out)
    return out


@lru_cache(maxsize=64)
def _places(schema: Schema) -> tuple[Ints, Ints]:
    """Where each category starts in the one-hot form, and where the numbers and the last dimension, of ones, are."""
    blocks = layout(schema)
    starts = [block.start for block in blocks if not block.column.is_numeric]
    numbers = [place for b in blocks if b.column.is_numeric for place in range(b.start, b.start + b.width)]
    return np.array(starts, dtype=np.int64), np.array([*numbers, width(schema)], dtype=np.int64)


BINS = 10
"""Bins of a number in the histograms, of equal width over the frozen domain: the same in every release."""
FEATURES: Mapping[str, Callable[[Table], Floats]] = {
    "naive": figures,
    "hist": lambda table: histograms(table, BINS),
    "corr": correlations,
    "ensemble": lambda table: np.concatenate([figures(table), histograms(table, BINS), correlations(table)]),
}
MODELS = {"forest": "forest", "logistic": "logistic", "k-nn": "nearest", "svm": "svm"}
"""The names of the menu, and of what is learnt."""


@dataclass(frozen=True)
class Groundhog(LearnsFromReleases):
    """Learns from the attacker's own releases to tell summary figures with the targets from those without.

    Features: ``naive`` has three figures a column, ``hist`` the counts of all levels and bins, ``corr`` the
    correlations of all one-hot dimensions, ``ensemble`` all of them. They are standard scores over the own releases, so
    that no model sees units. ``forest`` is 100 trees, ``logistic`` has a penalty of half the squared length, ``k-nn``
    compares the mean distance to the 5 nearest own releases of each side, ``svm`` has a Gaussian kernel.

    References
    ----------
    .. [1] Stadler, Oprisanu, Troncoso 2022, Synthetic data: anonymisation groundhog day,
       https://arxiv.org/abs/2011.07018
    """

    name: ClassVar[str] = "groundhog"
    title: ClassVar[str] = "Summary figures (Groundhog)"
    card: ClassVar[str] = (
        "Summarises the release in figures (means, frequencies, histograms, correlations) and learns from "
        "releases of the attacker's own which figures change with the target. Needs the generator and many such "
        "releases, which take most of its time. Reads no single record: it finds what outliers do to whole "
        "columns and misses rare combinations. Leave it out where the generator takes hours to train, or where "
        "one person changes no figure."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT

    features: str = parameter(
        "naive",
        label="Figures",
        help="What the attack computes from each release before it learns.",
        choices={
            "naive": "Three figures of each column",
            "hist": "Counts of levels and bins",
            "corr": "All correlations",
            "ensemble": "All three together",
        },
    )
    model: str = parameter(
        "forest",
        label="Learning method",
        help="The random forest is the published one. The nearest neighbours are the attacker's own releases.",
        choices={
            "forest": "Random forest",
            "logistic": "Logistic regression",
            "k-nn": "Nearest neighbours",
            "svm": "Support vector machine",
        },
    )
    own: int = own_parameter(50, low=5)

    @property
    def control(self) -> str:
        """The leak it must find: the table itself. A draw of rows anew outweighs what one row does to figures."""
        return "identity"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedGroundhog:
        """Sum up the own releases and learn.

        Raises
        ------
        DesignError
            Too few own releases.
        """
        summed = FEATURES[self.features]
        inside, outside = (
            np.stack([summed(table) for table in side]) for side in own_releases(brief, self.own, self.name)
        )
        return FittedGroundhog(self.features, learn(MODELS[self.model], inside, outside, rng), len(brief.targets))


@dataclass(frozen=True, slots=True, eq=False)
class FittedGroundhog:
    """Which figures, and what was learnt of them."""

    features: str
    judge: Judge
    n_targets: int

    def score(self, release: Table) -> Floats:
        """(n_targets,) one score for the whole group of targets, repeated: the figures hold all of them."""
        return np.full(self.n_targets, self.judge(FEATURES[self.features](release)))


PLUGIN = Groundhog
