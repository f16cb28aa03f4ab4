"""Values: does the release hold the record's own values, and pairs of them, more than other people explain?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.points import values_of

CELLS = 4_000_000
"""Pairs of values of two columns up to which they are counted in a table; of more only those that there are."""
PAIRS = 200
"""Most pairs of columns that are looked at; of more so many are drawn, so that wide tables take no longer."""


@dataclass(frozen=True)
class Values(FileAttack):
    """The log-likelihood ratio of how often the release holds a record's values, had it been in and had it not.

    A value that ``others`` reference rows hold is held by ``others + unseen`` rows of as many members, give or take
    chance; by one more if the record is a member. Were released values drawn from those of members, the number of
    released rows with the value would be negative binomial, and the ratio of its chances is
    ``(released + held) / (held (1 + r))`` where ``held = others + unseen`` and ``r`` is released rows per reference
    row. So a value that nobody else has counts for much where it was released and a little against the record where it
    was not, and a common one for nearly nothing. ``unseen`` is Good and Turing's estimate for the column: how many
    other rows hold a value that was seen once. More released rows than ``others + 1`` and a standard deviation explain
    are the method's own doing and do not count. Half of all values are taken to be made up, so that nothing speaks
    against a record by more than ln 2.

    A score adds up the columns, and the mean over each column's pairs of columns; a pair counts where the release holds
    both of its values. Numbers are compared exactly, as values; in pairs a column of many values is cut into classes.

    References
    ----------
    .. [1] Good 1953, The population frequencies of species and the estimation of population parameters, Biometrika
       40:237-264. The form here is riskkit's.
    """

    name: ClassVar[str] = "values"
    title: ClassVar[str] = "Values of the release"
    card: ClassVar[str] = (
        "Scores a record higher the more of its own values, and pairs of values, stand in the release, the rarer they "
        "are among other people the more. Needs reference rows of the same population. Finds methods that draw values "
        "of members anew, column by column or along a tree or network, and copy no row; weak where all columns have "
        "few values, and blind to numbers that were made anew."
    )
    needs_reference: ClassVar[bool] = True
    looks_for: ClassVar[str] = "values"

    classes: int = parameter(
        20,
        label="Classes of a numeric column",
        help="In pairs a number with more values than that is cut into this many classes of equal counts.",
        low=2,
        high=1000,
        unit="classes",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) in nats. Draws pairs of columns at random where there are many."""
        parts = sight.release, sight.targets, sight.others
        ends = np.cumsum([len(part) for part in parts])[:2]
        exact, codes = values_of(parts)
        numbers = np.vstack([part.numbers for part in parts]).T
        score = np.sum([_ratio(column, ends)[0] for column in (*exact, *codes)], axis=0)
        rough = [_classes(column, values, ends, self.classes) for column, values in zip(numbers, exact, strict=True)]
        return np.asarray(score + _pairs([*rough, *codes], ends, sight.rng))


def _ratio(values: Ints, ends: Ints) -> tuple[Floats, Bools]:
    """(n_targets,) the log-likelihood ratio of each target's value, and whether the release holds it.

    ``values`` are numbers of the values of released rows, targets and reference rows, which end at ``ends``.
    """
    released, asked, others = np.split(values, ends)
    many = int(values.max()) + 1
    seen, held = (np.bincount(rows, minlength=many) for rows in (released, others))
    times = len(released) / len(others)
    once, twice = ((held == count).sum() for count in (1, 2))
    unseen = max((2 * twice + 0.5) / (once + 1), 0.01)
    most = times * (held + 1) + np.sqrt(times * (1 + times) * (held + 1))
    ratio = (np.minimum(seen, most) + held + unseen) / ((held + unseen) * (1 + times))
    return np.log((1 + ratio) / 2)[asked], (seen > 0)[asked]


def _pairs(columns: Sequence[Ints], ends: Ints, rng: np.random.Generator) -> Floats:
    """(n_targets,) the mean over each column's pairs with the others, added up; of one column alone, the column."""
    if len(columns) == 1:
        return _ratio(columns[0], ends)[0]
    pairs = list(combinations(range(len(columns)), 2))
    share = len(pairs) / min(len(pairs), PAIRS)
    if len(pairs) > PAIRS:
        pairs = [pairs[index] for index in np.sort(rng.permutation(len(pairs))[:PAIRS])]
    stands = [_ratio(column, ends)[1] for column in columns]
    score = np.zeros(ends[1] - ends[0])
    for first, second in pairs:
        score += np.where(stands[first] & stands[second], _ratio(_both(columns[first], columns[second]), ends)[0], 0.0)
    return score * share / (len(columns) - 1)


def _both(first: Ints, second: Ints) -> Ints:
    """(n,) a number for each pair of values."""
    width = int(second.max()) + 1
    both: Ints = first * width + second
    return both if (int(first.max()) + 1) * width <= CELLS else np.unique(both, return_inverse=True)[1]


def _classes(numbers: Floats, values: Ints, ends: Ints, classes: int) -> Ints:
    """(n,) the class of each number, all as frequent in the reference; its value where there are no more of these."""
    others = numbers[ends[1] :]
    if len(np.unique(others)) <= classes:
        return values
    cuts = np.unique(np.quantile(others, np.linspace(0, 1, classes + 1)[1:-1]))
    return np.searchsorted(cuts, numbers, side="right").astype(np.int64)


PLUGIN = Values
