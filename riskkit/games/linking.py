"""Two files hold halves of the columns of the same people; whose halves does the release link rightly?

For every pair of halves the release gives the likelihood that they belong to one person: the density of both together
over that of each alone, by a kernel on the released rows. Of a group of people the assignment of halves to one another
is taken that is likeliest as a whole. Who is in a group, and in what order the halves lie there, follows from no side.

References
----------
.. [1] Aitchison and Aitken 1976, Multivariate binary discrimination by the kernel method, Biometrika 63:413-420.
.. [2] Crouse 2016, On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace and Electronic
   Systems 52:1679-1696.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from riskkit.core import Bools, Ints, Table
from riskkit.games.mixed import Crowd
from riskkit.table.encode import layout

WIDTHS = (0.1, 0.3)
"""Widths of the kernel, in columns that differ (numbers in standard deviations); log-likelihoods are averaged."""
LISTED = 12
"""The most columns of which every split is listed before some are drawn."""
_FARTHEST = 60.0
_LEAST = 1e-30

Halves = npt.NDArray[np.float32]
Split = tuple[tuple[int, ...], tuple[int, ...]]
"""The columns of the one half and those of the other, by their places."""


def splits(columns: int, most: int, rng: np.random.Generator) -> list[Split]:
    """At most so many ways to split columns in two, the most even ones first; which of equals, is drawn."""
    everything = tuple(range(columns))
    if columns <= LISTED:
        ones = [
            one
            for size in range(1, columns // 2 + 1)
            for one in itertools.combinations(everything, size)
            if 2 * size < columns or one[0] == 0  # of two even halves the one with the first column
        ]
        drawn = [ones[at] for at in rng.permutation(len(ones))]
        chosen = sorted(drawn, key=lambda one: -len(one))[:most]
    else:
        found: dict[tuple[int, ...], None] = {}
        while len(found) < most:
            one = tuple(sorted(rng.permutation(columns)[: columns // 2].tolist()))
            rest = tuple(at for at in everything if at not in one)
            found[min(one, rest) if 2 * len(one) == columns else one] = None
        chosen = list(found)
    return [(one, tuple(at for at in everything if at not in one)) for one in chosen]


@dataclass(frozen=True, slots=True, eq=False)
class Linking:
    """People and released rows, column by column: ``names`` in use, and where each stands among codes or numbers.

    ``place`` (d,) is the column of :attr:`riskkit.core.Table.codes`, or of the numbers where ``is_numeric``.
    """

    crowd: Crowd
    names: tuple[str, ...]
    place: tuple[int, ...]
    is_numeric: tuple[bool, ...]
    group: int

    @classmethod
    def of(cls, crowd: Crowd, columns: Sequence[str], group: int) -> Linking:
        """Those columns; people are linked in groups of about ``group``."""
        blocks = [block for block in layout(crowd.people.schema) if block.column.name in columns]
        return cls(
            crowd,
            tuple(block.column.name for block in blocks),
            tuple(block.source for block in blocks),
            tuple(block.column.is_numeric for block in blocks),
            group,
        )

    def linked(self, split: Split) -> Bools:
        """(n_asked,) whether each person's halves were assigned to one another."""
        asked, rng = self.crowd.asked, self.crowd.rng("linked", *split[0], "|", *split[1])
        people, released = self.crowd.people.rows(asked), self.crowd.release
        ours, theirs = ([self._half(table, half) for half in split] for table in (people, released))
        out = np.zeros(len(asked), dtype=np.bool_)
        for group in np.array_split(rng.permutation(len(asked)), max(1, round(len(asked) / self.group))):
            away = [_apart(own, other, group) for own, other in zip(ours, theirs, strict=True)]
            order = rng.permutation(len(group))  # where pairs are equally likely, no place is the right one
            likely = together(away[0], away[1][order])
            one, other = linear_sum_assignment(likely, maximize=True)
            out[group[one]] = order[other] == one
        return out

    def _half(self, table: Table, half: Sequence[int]) -> tuple[npt.NDArray[np.int32], Halves]:
        """Codes and numbers (in standard deviations) of these columns."""
        codes = [self.place[at] for at in half if not self.is_numeric[at]]
        numbers = [self.place[at] for at in half if self.is_numeric[at]]
        unit = np.array([table.schema.numeric[at].sd or 1.0 for at in numbers])
        scaled = np.ascontiguousarray(table.numbers[:, numbers] / unit, dtype=np.float32)
        return np.ascontiguousarray(table.codes[:, codes]), scaled


def _apart(
    people: tuple[npt.NDArray[np.int32], Halves], released: tuple[npt.NDArray[np.int32], Halves], group: Ints
) -> Halves:
    """(people of the group, rows) in how many columns they differ."""
    from riskkit.games import _linking_kernels as kernels

    codes, numbers = people[0][group], people[1][group]
    out = np.empty((len(codes), len(released[0])), dtype=np.float32)
    kernels.apart(codes, numbers, *released, out)
    return out


def together(one: Halves, other: Halves) -> npt.NDArray[np.float64]:
    """(n, m) how much likelier two halves are together than apart, as a logarithm, by the rows they are near to.

    Parameters
    ----------
    one, other : (n, rows), (m, rows)
        In how many columns each half differs from each released row.
    """
    total = np.zeros((len(one), len(other)))
    for width in WIDTHS:
        near = [
            np.exp(-np.minimum((away - away.min(axis=1, keepdims=True)) / width, _FARTHEST)) for away in (one, other)
        ]
        both = (near[0] @ near[1].T).astype(np.float64)
        alone = [part.sum(axis=1, dtype=np.float64) for part in near]
        total += np.log(both + _LEAST) - np.log(alone[0])[:, None] - np.log(alone[1])[None]
    mean: npt.NDArray[np.float64] = total / len(WIDTHS)
    return mean
