"""Linear reconstruction: everybody's secret at once, from the shares that the release gives of many small groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.inference._groups import check_rows
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, Guess, Secret, SecretKind, guess_level

MOST_SETS = 400
"""Sets of columns that are counted; where there are more, a part drawn at random."""
STEPS = 100
"""Steps towards the secrets that agree best with all equations."""
ROUNDS, LEAST = 10, 1e-6
"""Rounds in which the length of a step is sought, and the least part of a person in its direction."""


@dataclass(frozen=True)
class LinearReconstruction(CheckedPlugin):
    """Secrets of all people asked about together that agree best with the released shares of their groups.

    Everybody is in many groups: those who agree in one known column, in two, in ``way``. For each group the release
    gives the share of each level, and that is an equation in the secrets of the group: their mean is that share. It
    weighs as the root of the group's released rows, one part in the noise of a share. The secrets, each between 0 and
    1, are found by bounded least squares: accelerated projected gradient from the shares of the whole release.

    The published attack [1]_ sets counts against counts in a linear programme. Shares hold of people who were not in as
    well as of members, whatever the number of either, so the two can be compared.

    References
    ----------
    .. [1] Annamalai, Gadotti and Rocher, A linear reconstruction approach for attribute inference attacks against
       synthetic data (USENIX Security 2024), arXiv 2301.10053.
    """

    name: ClassVar[str] = "linear-reconstruction"
    title: ClassVar[str] = "Linear reconstruction"
    card: ClassVar[str] = (
        "Finds the secrets of all people at once that agree best with the shares of small groups in the release. The "
        "attacker must know the columns of everybody, not of one person alone. Reads what a release keeps of pairs "
        "of columns, even where no released row is like the person; weaker than the forest where rows are copied."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category",)

    way: int = parameter(
        2, label="Columns at a time", help="People who agree in up to so many known columns are a group.", low=1, high=4
    )
    bins: int = parameter(
        8, label="Parts of a number", help="Into how many parts of equal size a number is cut.", low=2, high=100
    )

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedReconstruction:
        """Cut the numbers, and settle which sets of columns are counted.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        check_rows(secret)
        ends = tuple(np.empty(0) if coded else _ends(column, self.bins) for column, coded in _columns(known))
        sizes = range(1, min(self.way, len(ends)) + 1)
        sets = [columns for size in sizes for columns in combinations(range(len(ends)), size)]
        if len(sets) > MOST_SETS:
            sets = [sets[place] for place in np.sort(rng.choice(len(sets), MOST_SETS, replace=False))]
        return FittedReconstruction(_cells(known, ends), secret, ends, sets)


@dataclass(frozen=True, slots=True, eq=False)
class FittedReconstruction:
    """The released rows as cells (n, d) with their secret, and the sets of columns that make the groups."""

    together: ClassVar[bool] = True

    cells: Ints
    secret: Secret
    ends: Sequence[Floats]
    sets: Sequence[tuple[int, ...]]

    def guess(self, known: Features) -> Guess:
        """The secrets that agree best with all groups, of these people together."""
        level = np.eye(self.secret.n_levels)[self.secret.codes]
        overall = level.mean(axis=0)
        groups, shares, rows = self._groups(_cells(known, self.ends), level)
        share = solve(groups, shares, rows, np.tile(overall, (len(known), 1)))
        total = share.sum(axis=1, keepdims=True)
        return guess_level(np.where(total > 0, share / np.where(total > 0, total, 1.0), overall))

    def _groups(self, asked: Ints, level: Floats) -> tuple[Any, Floats, Floats]:
        """The people of each group that the release has rows of, (groups, n); their shares; its released rows."""
        from scipy.sparse import csr_array, vstack

        both, n = np.vstack([self.cells, asked]), len(self.cells)
        people, shares, sizes = [], [], []
        for columns in self.sets:
            group = np.unique(both[:, columns], axis=0, return_inverse=True)[1].reshape(-1)
            most = int(group.max()) + 1
            released, of_people = (np.bincount(side, minlength=most) for side in (group[:n], group[n:]))
            there = (released > 0) & (of_people > 0)
            counts = np.stack([np.bincount(group[:n], weights, most) for weights in level.T], axis=1)
            members = csr_array((np.ones(len(asked)), (group[n:], np.arange(len(asked)))), shape=(most, len(asked)))
            people.append(members[there])
            shares.append(counts[there] / released[there, None])
            sizes.append(released[there])
        return vstack(people, format="csr"), np.concatenate(shares), np.concatenate(sizes).astype(np.float64)


def solve(groups: Any, shares: Floats, rows: Floats, start: Floats) -> Floats:
    """(n, n_levels) numbers from 0 to 1 whose mean over each group is nearest to its share.

    ``groups`` (g, n) says who is in each group, ``shares`` (g, n_levels) what their mean should be, ``rows`` (g,) how
    much that weighs: a squared gap counts so many times. Where equations leave it open, who is asked stays near
    ``start`` (n, n_levels).
    """
    from scipy.sparse import diags_array

    root, people = np.sqrt(rows), np.asarray(groups.sum(axis=1), dtype=np.float64)
    weighed = (diags_array(root / people) @ groups).tocsr()
    back, wanted = weighed.T.tocsr(), root[:, None] * shares
    now = ahead = start
    length, momentum = _largest(weighed, back), 1.0
    for _ in range(STEPS if length > 0 else 0):
        before, now = now, np.clip(ahead - back @ (weighed @ ahead - wanted) / length, 0.0, 1.0)
        last, momentum = momentum, (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = now + (last - 1) / momentum * (now - before)
    return now


def _largest(matrix: Any, back: Any) -> float:
    """No less than the largest eigenvalue of ``back @ matrix``, whose entries are not negative; 0 for no equations.

    By Collatz and Wielandt it is nowhere above the largest ratio by which a positive vector grows.
    """
    length, direction = 0.0, np.ones(matrix.shape[1])
    for _ in range(ROUNDS if matrix.shape[0] else 0):
        grown = back @ (matrix @ direction)
        length = float((grown / direction).max())
        direction = np.maximum(grown / grown.max(), LEAST)
    return length


def _columns(known: Features) -> list[tuple[Any, bool]]:
    """The known columns, each with whether it holds codes."""
    return list(zip(known.ordinal().T, known.categorical, strict=True))


def _ends(column: Any, bins: int) -> Floats:
    """The last value of each part of a number but the last: parts of as many released rows, or of single values."""
    values = column[~np.isnan(column)]
    different: Floats = np.unique(values)
    return different[:-1] if len(different) <= bins else np.unique(np.quantile(values, np.arange(1, bins) / bins))


def _cells(known: Features, ends: Sequence[Floats]) -> Ints:
    """(n, d) the code of each category, and the part in which each number lies; missing numbers are a part."""
    cells = [
        column if coded else np.where(np.isnan(column), -1, np.searchsorted(cuts, column))
        for (column, coded), cuts in zip(_columns(known), ends, strict=True)
    ]
    return np.stack(cells, axis=1).astype(np.int64) if cells else np.empty((len(known), 0), dtype=np.int64)


PLUGIN = LinearReconstruction
