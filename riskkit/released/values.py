"""Values: does the release hold the record's own values, pairs of them, or those of a group of columns, more than other
people explain?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.points import RowPoints, values_of

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
        exact, rough = _columns(parts, ends, self.classes)
        score = np.sum([_ratio(column, ends)[0] for column in exact], axis=0)
        return np.asarray(score + _pairs(rough, ends, sight.rng))


def _ratio(values: Ints, ends: Ints) -> tuple[Floats, Bools]:
    """(n_targets,) the log-likelihood ratio of each target's value, and whether the release holds it.

    ``values`` are numbers of the values of released rows, targets and reference rows, which end at ``ends``.
    """
    released, asked, others = np.split(values, ends)
    many = int(values.max()) + 1
    seen, held = (np.bincount(rows, minlength=many) for rows in (released, others))
    times = len(released) / len(others)
    return _weigh(seen, held, _unseen(held), times)[asked], (seen > 0)[asked]


def _unseen(held: Ints) -> float:
    """How many other rows hold a value that was seen once, by Good and Turing; ``held`` counts rows by their value."""
    once, twice = ((held == count).sum() for count in (1, 2))
    return max(float((2 * twice + 0.5) / (once + 1)), 0.01)


def _weigh(seen: Ints, held: Ints, unseen: float, times: float) -> Floats:
    """The log-likelihood ratio of values that ``seen`` released rows and ``held`` other rows have, ``times`` as many
    having been released as there are others."""
    most = times * (held + 1) + np.sqrt(times * (1 + times) * (held + 1))
    ratio = (np.minimum(seen, most) + held + unseen) / ((held + unseen) * (1 + times))
    return np.asarray(np.log((1 + ratio) / 2))


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


def _columns(parts: Sequence[RowPoints], ends: Ints, classes: int) -> tuple[list[Ints], list[Ints]]:
    """(n,) the values of each column, exact; and again, numbers of many values cut into classes."""
    exact, codes = values_of(parts)
    numbers = np.vstack([part.numbers for part in parts]).T
    rough = [_classes(column, values, ends, classes) for column, values in zip(numbers, exact, strict=True)]
    return [*exact, *codes], [*rough, *codes]


def _classes(numbers: Floats, values: Ints, ends: Ints, classes: int) -> Ints:
    """(n,) the class of each number, all as frequent in the reference; its value where there are no more of these."""
    others = numbers[ends[1] :]
    if len(np.unique(others)) <= classes:
        return values
    cuts = np.unique(np.quantile(others, np.linspace(0, 1, classes + 1)[1:-1]))
    return np.searchsorted(cuts, numbers, side="right").astype(np.int64)


SHOWN = 4.0
"""Standard deviations beyond chance from which a second group of columns counts."""
STARTS = 12
"""Groups drawn at random that the search starts from."""
SEARCHED = 20_000
"""Released rows that the search for groups looks at."""


@dataclass(frozen=True)
class Groups(FileAttack):
    """The log-likelihood ratio of a record's values in those groups of columns that the release took from people whole.

    Which groups these are, nobody tells the attacker. By Good and Turing, of new rows whose combination of values at
    most one of the people asked about has, ``2 twice / (2 twice + once)`` have one that somebody has, where ``once``
    and ``twice`` are how many combinations one and two people have. A method that puts a group of columns together
    anew hits people so often, or less often where it scatters; one that takes the group from people hits them nearly
    always, whoever was in. So the group with the most hits beyond that share, in standard deviations, is looked for by
    adding and removing columns, from several starts; then another among the columns that are left, while one is
    shown. A score adds up the groups, each weighed as :class:`Values` weighs a value, beside the other people asked
    about.

    References
    ----------
    .. [1] Good 1953, The population frequencies of species and the estimation of population parameters, Biometrika
       40:237-264. The form here is riskkit's.
    """

    name: ClassVar[str] = "groups"
    title: ClassVar[str] = "Groups of columns"
    card: ClassVar[str] = (
        "Finds the groups of columns whose combinations of values stand in the release more often than chance allows, "
        "and scores a record higher where its own do. Needs the release and possible members among the people asked "
        "about, so a score holds for this set alone. Finds a release that takes some columns of people together, even "
        "of few values, and makes the others anew; weak where every row takes other columns."
    )
    scores_together: ClassVar[bool] = True
    least: ClassVar[int] = 2

    classes: int = parameter(
        20,
        label="Classes of a numeric column",
        help="A number with more values than that is cut into this many classes of equal counts.",
        low=2,
        high=1000,
        unit="classes",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) in nats. Draws the starts of the search, and rows of a large release, at random."""
        parts = sight.release, sight.targets
        released = len(sight.release)
        ends = np.array([released, released])  # the people asked about are those to compare with
        columns = np.array(_columns(parts, ends, self.classes)[1], dtype=np.int64)
        score = np.zeros(len(sight.targets))
        left = set(range(len(columns)))
        while left:
            beyond, group = _find_group(columns, released, sorted(left), sight.rng)
            if beyond < SHOWN and len(left) < len(columns):
                break
            _, values = np.unique(columns[group], axis=1, return_inverse=True)
            seen, held = (np.bincount(rows, minlength=values.max() + 1) for rows in np.split(values, [released]))
            beside, times = np.maximum(held - 1, 0), released / max(len(score) - 1, 1)
            score += _weigh(seen, beside, _unseen(held), times)[values[released:]]
            left -= set(group)
        return score


def _find_group(columns: Ints, released: int, free: Sequence[int], rng: np.random.Generator) -> tuple[float, list[int]]:
    """The group of these columns whose combinations the release holds most beyond chance, and how far.

    ``columns`` (columns, n) are the values of the ``released`` rows and then of people.
    """
    some = np.arange(released)
    if released > SEARCHED:
        some = np.sort(rng.choice(released, SEARCHED, replace=False))
    rows = columns[:, np.concatenate([some, np.arange(released, columns.shape[1])])]
    marks = {place: rng.integers(2**63, size=rows[place].max() + 1, dtype=np.uint64)[rows[place]] for place in free}
    known: dict[frozenset[int], float] = {}

    def beyond(group: frozenset[int]) -> float:
        if group not in known:
            known[group] = _hits_beyond_chance(np.sum([marks[place] for place in sorted(group)], axis=0), len(some))
        return known[group]

    for _ in range(STARTS):
        size = rng.integers(1, 2 + len(free) // 2)
        group = frozenset(rng.permutation(free)[:size].tolist())
        while True:
            best = max((group ^ {place} for place in free if group != {place}), key=beyond, default=group)
            if beyond(best) <= beyond(group):
                break
            group = best
    best = max(known, key=lambda group: known[group])
    return known[best], sorted(best)


def _hits_beyond_chance(combined: npt.NDArray[np.uint64], released: int) -> float:
    """How many standard deviations beyond chance released rows hold combinations that one person alone has, rather than
    such as nobody has.

    ``combined`` (n,) are the combinations of the ``released`` rows and then of people.
    """
    own, counts = np.unique(combined[released:], return_counts=True)
    place = np.minimum(np.searchsorted(own, combined[:released]), len(own) - 1)
    held = np.where(own[place] == combined[:released], counts[place], 0)
    hits, misses = int((held == 1).sum()), int((held == 0).sum())
    once, twice = int((counts == 1).sum()) + 1, int((counts == 2).sum()) + 1
    share = 2 * twice / (2 * twice + once)
    expected, spread = share * (hits + misses), share * (1 - share) * (hits + misses)
    return float((hits - expected) / np.sqrt(1 + spread + spread**2 * (1 / once + 1 / twice)))


PLUGIN = Values, Groups
