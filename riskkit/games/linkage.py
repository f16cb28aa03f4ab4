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
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.games.mixture import MixedCrowd
from riskkit.table.encode import layout

WIDTH, NARROW = 0.3, 2
"""The width of the kernel, in columns that differ (numbers in standard deviations), and how often narrower a second one
is; the log-likelihoods of both are averaged."""
LISTED = 12
"""The most columns of which every split is listed before some are drawn."""
_FARTHEST = 30.0
_LEAST = 1e-30

Halves = npt.NDArray[np.float32]
Split = tuple[tuple[int, ...], tuple[int, ...]]
"""The columns of the one half and those of the other, by their places."""


def splits(columns: int, most: int, rng: np.random.Generator) -> list[Split]:
    """At most so many ways to split columns in two, the most even ones first; which of equals, is drawn."""
    everything = tuple(range(columns))
    if columns <= LISTED:
        ones = [
            combination
            for size in range(1, columns // 2 + 1)
            for combination in itertools.combinations(everything, size)
            if 2 * size < columns or combination[0] == 0  # of two even halves the one with the first column
        ]
        drawn = [ones[position] for position in rng.permutation(len(ones))]
        chosen = sorted(drawn, key=lambda half: -len(half))[:most]
    else:
        halves: dict[tuple[int, ...], None] = {}
        while len(halves) < most:
            drawn_half = tuple(sorted(rng.permutation(columns)[: columns // 2].tolist()))
            rest = tuple(position for position in everything if position not in drawn_half)
            halves[min(drawn_half, rest) if 2 * len(drawn_half) == columns else drawn_half] = None
        chosen = list(halves)
    return [(half, tuple(position for position in everything if position not in half)) for half in chosen]


@dataclass(frozen=True, slots=True, eq=False)
class Linking:
    """People and released rows, column by column: ``names`` in use, and where each stands among codes or numbers.

    ``place`` (d,) is the column of :attr:`riskkit.core.Table.codes`, or of the numbers where ``is_numeric``.
    """

    crowd: MixedCrowd
    names: tuple[str, ...]
    place: tuple[int, ...]
    is_numeric: tuple[bool, ...]
    group: int

    @classmethod
    def split(cls, crowd: MixedCrowd, columns: Sequence[str], group: int) -> Linking:
        """Those columns; people are linked in groups of about ``group``."""
        blocks = [block for block in layout(crowd.people.schema) if block.column.name in columns]
        return cls(
            crowd,
            tuple(block.column.name for block in blocks),
            tuple(block.source for block in blocks),
            tuple(block.column.is_numeric for block in blocks),
            group,
        )

    def link(self, split: Split) -> Bools:
        """(n_asked,) whether each person's halves were assigned to one another."""
        from scipy.optimize import linear_sum_assignment  # not at the top: it takes long to load

        asked, rng = self.crowd.asked, self.crowd.rng("linked", *split[0], "|", *split[1])
        people, released = self.crowd.people.rows(asked), self.crowd.release
        ours = [self._half(people, half) for half in split]
        theirs = [tuple(map(_by_column, self._half(released, half))) for half in split]
        out = np.zeros(len(asked), dtype=np.bool_)
        groups = np.array_split(rng.permutation(len(asked)), max(1, round(len(asked) / self.group)))
        for group in groups:
            away = [_apart(own, other, group) for own, other in zip(ours, theirs, strict=True)]
            order = rng.permutation(len(group))  # where pairs are equally likely, no place is the right one
            likely = together(away[0], away[1][order])
            rows, other = linear_sum_assignment(likely, maximize=True)
            out[group[rows]] = order[other] == rows
        return out

    def _half(self, table: Table, half: Sequence[int]) -> tuple[npt.NDArray[np.int32], Halves]:
        """Codes and numbers (in standard deviations) of these columns."""
        codes = [self.place[position] for position in half if not self.is_numeric[position]]
        numbers = [self.place[position] for position in half if self.is_numeric[position]]
        unit = np.array([table.schema.numeric[number].sd or 1.0 for number in numbers])
        scaled = np.ascontiguousarray(table.numbers[:, numbers] / unit, dtype=np.float32)
        return np.ascontiguousarray(table.codes[:, codes]), scaled


def _by_column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(values.T)


def _apart(people: tuple[npt.NDArray[np.int32], Halves], released: tuple[npt.NDArray[Any], ...], group: Ints) -> Halves:
    """(people of the group, rows) in how many columns they differ; released values are (columns, rows)."""
    from riskkit.games import _kernels as kernels

    codes, numbers = people[0][group], people[1][group]
    out = np.empty((len(codes), released[0].shape[1]), dtype=np.float32)
    kernels.apart(codes, numbers, *released, out)
    return out


def together(halves: Halves, other: Halves) -> Floats:
    """(n, m) how much likelier two halves are together than apart, as a logarithm, by the rows they are near to.

    Parameters
    ----------
    one, other : (n, rows), (m, rows)
        In how many columns each half differs from each released row.
    """
    near = []
    for away in (halves, other):
        steps = np.minimum((away - away.min(axis=1, keepdims=True)) / np.float32(WIDTH), np.float32(_FARTHEST))
        near.append(np.exp(np.negative(steps, out=steps), out=steps))
    likely = _likely(near[0], near[1])
    for part in near:
        np.power(part, NARROW, out=part)
    return (likely + _likely(near[0], near[1])) / 2


def _likely(halves: Halves, other: Halves) -> Floats:
    """(n, m) the logarithm of both together over either alone, from how near halves are to each released row."""
    both = (halves @ other.T).astype(np.float64)
    alone = [np.log(part.sum(axis=1, dtype=np.float64)) for part in (halves, other)]
    likely: Floats = np.log(both + _LEAST) - alone[0][:, None] - alone[1][None]
    return likely
