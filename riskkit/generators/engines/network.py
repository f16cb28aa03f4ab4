"""Joint counts of sets of columns and the networks grown from them: shared by the Bayesian generators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from riskkit.core import Codes, Floats, Ints, Schema
from riskkit.errors import DesignError
from riskkit.table.encode import bin_edges

Parents = tuple[tuple[int, ...], ...]
"""One entry a column: the columns it leans on, ascending; empty for the root."""

Compact = npt.NDArray[np.integer]
"""(d, n) codes, one row a column, in the smallest type that holds them."""

Choose = Callable[[Floats], int]
"""Picks one position of a flat array of weights; a weight of -inf must not be picked."""

DECIMALS = 12
"""Mutual information is compared to this many decimals (nats); the rest is rounding of the logarithms."""

BLOCK = 1 << 16
"""So many rows of joint codes are counted together: what fits into the cache."""

DENSE = 1 << 16
"""A joint table of up to this many cells (or eight a row) is counted cell by cell, a larger one by sorting."""


def compact(codes: Codes, sizes: tuple[int, ...]) -> Compact:
    """(d, n) the codes, turned and packed."""
    return np.ascontiguousarray(codes.T, dtype=np.min_scalar_type(max(sizes) - 1))


def check_network(name: str, degree: int, rows: int, sizes: tuple[int, ...], cells: int) -> None:
    """Refuse a network that cannot be: nothing to count, too many parents, or joint tables of ``cells`` or more.

    Raises
    ------
    DesignError
        Says which, and what to do.
    """
    d = len(sizes)
    if not rows or not d:
        raise DesignError.phrase(
            "The {name} generator needs at least one row and one column with the role known or secret.", name=name
        )
    if degree >= max(d, 2):
        raise DesignError.phrase(
            "The {name} generator cannot give a column {degree} parents in a table of {d} columns. Choose "
            "a degree below {below}, or give more columns the role known or secret.",
            name=name,
            degree=degree,
            d=d,
            below=max(d, 2),
        )
    if np.sort(np.asarray(sizes, dtype=np.float64))[-1 - degree :].prod() >= cells:
        raise DesignError.phrase(
            "The {name} generator would need a joint table of {cells:,} cells or more for {degree} "
            "parents. Choose a smaller degree or fewer bins, or ignore the columns with the most values.",
            name=name,
            cells=cells,
            degree=degree,
        )


def is_dense(cells: float, rows: int) -> bool:
    """Whether a joint table of so many cells is worth an array of its own."""
    return cells <= max(DENSE, 8 * rows)


def parent_codes(columns: Compact, parents: tuple[int, ...], sizes: tuple[int, ...]) -> Ints:
    """(n,) one code for the values of these columns in each row; 0 where there are no parents."""
    if not parents:
        return np.zeros(columns.shape[1], dtype=np.int64)
    if len(parents) == 1:
        codes: Ints = columns[parents[0]].astype(np.int64, copy=False)
        return codes
    sets = np.array([parents], dtype=np.int64)
    return joint(columns, sets, np.asarray(sizes, dtype=np.int64)).reshape(-1)


def joint_counts(columns: Compact, family: tuple[int, ...], sizes: tuple[int, ...]) -> Floats:
    """How many rows hold each combination of codes of these columns, one axis a column."""
    shape = tuple(sizes[column] for column in family)
    counts = np.bincount(parent_codes(columns, family, sizes), minlength=math.prod(shape))
    return counts.reshape(shape).astype(np.float64)


def log_share_of_bin(codes: Ints, schema: Schema, bins: int) -> Floats:
    """(n,) logarithm of the chance of a row's numbers given their bins: 1/k for each bin of k values."""
    total = np.zeros(codes.shape[1])
    for code, column in zip(codes, schema.modelled, strict=True):
        if column.is_numeric:
            values = np.round(np.diff(bin_edges(column, bins)) * 10.0**column.decimals)
            total -= np.log(np.append(values, 1.0))[code]  # the last code, missing, is one value
    return total


def joint(columns: Compact, sets: Ints, sizes: Ints) -> Ints:
    """(m, n) one code for the values of each set of columns, for (m, size) sets; the last column runs fastest."""
    out: Ints = columns[sets[:, 0]].astype(np.int64)
    for place in range(1, sets.shape[1]):
        out *= sizes[sets[:, place], None]
        out += columns[sets[:, place]]
    return out


KEPT = 50_000_000
"""So many counts of agreeing rows are kept (200 MB); where there are more, each row's are counted when asked for."""


@lru_cache(maxsize=16)
def subsets(columns: int, size: int) -> Ints:
    """(m, size) every set of so many columns, each ascending, in the order of :func:`rank`."""
    sets = np.array(list(combinations(range(columns), size)), dtype=np.int64).reshape(-1, size)
    out: Ints = np.ascontiguousarray(sets[np.lexsort(sets.T)])
    out.flags.writeable = False
    return out


def rank(sets: Ints) -> Ints:
    """Where ascending sets (in the last dimension) stand in :func:`subsets`: the sum of ``C(member, place + 1)``."""
    out = np.zeros(sets.shape[:-1], dtype=np.int64)
    for place in range(sets.shape[-1]):
        term = np.ones(sets.shape[:-1], dtype=np.int64)
        for step in range(place + 1):
            term = term * (sets[..., place] - step) // (step + 1)
        out += term
    return out


@lru_cache(maxsize=4)
def families(columns: int, degree: int) -> Ints:
    """(d, m) the rank of each column together with each parent set; -1 where the set holds the column."""
    parents = subsets(columns, degree)
    own = np.arange(columns)[:, None, None]
    everyone = np.broadcast_to(parents, (columns, *parents.shape))
    both = np.sort(np.concatenate([everyone, np.broadcast_to(own, (columns, len(parents), 1))], axis=2), axis=2)
    out: Ints = np.where((everyone == own).any(axis=2), -1, rank(both))
    out.flags.writeable = False
    return out


@lru_cache(maxsize=4)
def log_terms(bits: int) -> tuple[Ints, float]:
    """``c log c`` for counts of fewer than ``bits`` bits as whole numbers, and what 1 is among them.

    Whole numbers add up to the same sum in whatever order and along whatever path, so that a table without a row
    gives the same structure whether it is counted anew or by subtraction. The unit is as fine as 64 bits allow.
    """
    count = np.arange(1 << bits, dtype=np.float64)
    terms = count * np.log(np.maximum(count, 1.0))
    unit = 2.0 ** (62 - math.ceil(math.log2(terms[-1] + 1.0)))
    out = np.rint(terms * unit).astype(np.int64)
    out.flags.writeable = False
    return out, unit


@dataclass(frozen=True, slots=True, eq=False)
class CountLogSums:
    """The sum of ``c log c`` over the joint counts ``c`` of every set of up to so many columns.

    ``by_size[s - 1]`` are the sets of ``s`` columns, in the order of :func:`subsets` and the unit of
    :func:`log_terms`. Entropies and mutual informations are differences of these.
    """

    columns: int
    rows: int
    by_size: tuple[Ints, ...]

    @classmethod
    def count(cls, columns: Compact, sizes: tuple[int, ...], largest: int) -> CountLogSums:
        """Count every set of up to ``largest`` columns, each once."""
        d, n = columns.shape
        return cls(d, n, tuple(_sums(columns, sizes, size) for size in range(1, min(largest, d) + 1)))

    def can_subtract(self) -> bool:
        """Whether one row less still has the same unit."""
        return (self.rows - 1).bit_length() == self.rows.bit_length()

    def without(self, columns: Compact, row: int) -> CountLogSums:
        """The sums of the table less one row: it lowers one cell of each set by one."""
        return self.less(agreeing(columns, row, len(self.by_size)))

    def less(self, agreeing: Sequence[npt.NDArray[np.integer]]) -> CountLogSums:
        """The sums without a row with which, itself included, so many rows agree on each set of each size."""
        terms, _ = log_terms(self.rows.bit_length())
        smaller = [sums - terms[count] + terms[count - 1] for sums, count in zip(self.by_size, agreeing, strict=True)]
        return CountLogSums(self.columns, self.rows - 1, tuple(smaller))

    def information(self, family: Ints, parents: Ints, child: Ints) -> Floats:
        """Mutual information, in nats, from the sums of a family, its parents and its child."""
        _, unit = log_terms(self.rows.bit_length())
        nats: Floats = math.log(self.rows) + (family - parents - child) / (unit * self.rows)
        return nats

    def pairs(self) -> Floats:
        """(d, d) mutual information of every pair of columns; a column with itself has its entropy."""
        own = self.by_size[0]
        total = np.diag(own)
        if len(self.by_size) > 1:
            first, second = subsets(self.columns, 2).T
            total[first, second] = total[second, first] = self.by_size[1]
        return self.information(total, own[:, None], own)

    def weights(self, degree: int) -> Floats:
        """(d, m) mutual information of each column with each set of ``degree`` others; -inf where it is in the set."""
        positions = families(self.columns, degree)
        nats = self.information(self.by_size[degree][positions], self.by_size[degree - 1], self.by_size[0][:, None])
        return np.where(positions >= 0, nats, -np.inf)


def leave_out(columns: Compact, sizes: tuple[int, ...], sums: CountLogSums, row: int) -> tuple[Compact, CountLogSums]:
    """The codes and the sums of the same table less that row, to the last bit those of a new count."""
    left = np.delete(columns, row, axis=1)
    if sums.can_subtract():
        return left, sums.without(columns, row)
    return left, CountLogSums.count(left, sizes, len(sums.by_size))


def sums_without(columns: Compact, sizes: tuple[int, ...], sums: CountLogSums) -> Callable[[int], CountLogSums]:
    """What gives the sums of the table less any row, to the last bit those of a new count.

    For many rows: how many rows agree with each is counted for all of them at the first.
    """

    @cache
    def agreeing_with_each() -> list[Codes] | None:
        return agreeing_all(columns, sizes, len(sums.by_size)) if sums.can_subtract() else None

    def without(row: int) -> CountLogSums:
        known = agreeing_with_each()
        if known is None:
            return leave_out(columns, sizes, sums, row)[1]
        return sums.less([counts[:, row] for counts in known])

    return without


def _sums(columns: Compact, sizes: tuple[int, ...], size: int) -> Ints:
    """(m,) the sum of ``c log c`` over the joint counts of every set of ``size`` columns."""
    from riskkit.generators.engines.graph_kernels import count_sums

    d, n = columns.shape
    terms, _ = log_terms(n.bit_length())
    widths, sets = np.asarray(sizes, dtype=np.int64), subsets(d, size)
    cells = widths[sets].prod(axis=1, dtype=np.float64)
    dense = cells <= max(DENSE, 8 * n)
    out = np.empty(len(sets), dtype=np.int64)
    if dense.any():
        counted = np.empty(np.count_nonzero(dense), dtype=np.int64)
        count_sums(columns, sets[dense], widths, cells[dense].astype(np.int64), terms, counted)
        out[dense] = counted
    for place in np.flatnonzero(~dense):
        out[place] = terms[np.unique(joint(columns, sets[[place]], widths), return_counts=True)[1]].sum()
    return out


def agreeing(columns: Compact, row: int, largest: int) -> list[Ints]:
    """For each size up to ``largest``, how many rows agree with that row on each set of so many columns."""
    d, n = columns.shape
    same = (columns == columns[:, [row]]).astype(np.float32)
    counts = [same.sum(axis=1, dtype=np.float64).astype(np.int64)]
    for size in range(2, largest + 1):
        sets, most = subsets(d, size), subsets(d, size - 1)
        table = np.zeros((len(most), d), dtype=np.int64)
        for start in range(0, n, BLOCK):  # whole numbers below 2^24 are exact in single precision
            part = same[:, start : start + BLOCK]
            head = part[most[:, 0]]
            for place in range(1, size - 1):
                head = head * part[most[:, place]]
            table += (head @ part.T).astype(np.int64)
        counts.append(table[rank(sets[:, :-1]), sets[:, -1]])
    return counts


def agreeing_all(columns: Compact, sizes: tuple[int, ...], largest: int) -> list[Codes] | None:
    """For each size up to ``largest`` what :func:`agreeing` says of every row, (m, n); None where that is too much."""
    d, n = columns.shape
    by_size = [subsets(d, size) for size in range(1, largest + 1)]
    if sum(map(len, by_size)) * n > KEPT:
        return None
    widths = np.asarray(sizes, dtype=np.int64)
    out = []
    for sets in by_size:
        counts = np.empty((len(sets), n), dtype=np.int32)
        for place in range(len(sets)):
            cell = joint(columns, sets[[place]], widths)[0]
            if widths[sets[place]].prod(dtype=np.float64) > max(DENSE, 8 * n):
                cell = np.unique(cell, return_inverse=True)[1]
            counts[place] = np.bincount(cell)[cell]
        out.append(counts)
    return out


def chow_liu(information: Floats) -> Parents:
    """The parents of the maximum spanning tree, grown from the first column.

    Of equal edges the one whose new column comes first is taken, then the one whose tree column joined first. Equal
    means equal to :data:`DECIMALS` decimals: two copies of a column must not be told apart by the rounding of a sum.
    """
    weight = np.round(information, DECIMALS).tolist()
    parent, best = [0] * len(weight), [-np.inf] * len(weight)
    outside = list(range(1, len(weight)))
    new = 0
    while outside:
        for j in outside:
            if weight[new][j] > best[j]:
                best[j], parent[j] = weight[new][j], new
        new = max(outside, key=best.__getitem__)
        outside.remove(new)
    return ((), *((above,) for above in parent[1:]))


def greedy(weights: Floats) -> int:
    """The position of the largest weight, the first of equal ones."""
    return int(np.round(weights, DECIMALS).argmax())


def grow(sums: CountLogSums, degree: int, first: int, choose: Choose) -> tuple[Parents, tuple[int, ...]]:
    """A network by the greedy steps of PrivBayes: its parents, and the columns in the order they joined.

    From the first column on, ``choose`` picks among all pairs of a column outside and a set of ``degree`` columns
    inside (all of them while they are fewer), by their mutual information. The weights it is shown run over the
    columns in file order and, for each, over the parent sets in the order of :func:`subsets`.
    """
    d = sums.columns
    parents: list[tuple[int, ...]] = [()] * d
    joined, outside = [first], np.ones(d, dtype=bool)
    outside[first] = False
    while outside.any():
        size = min(degree, len(joined))
        sets = subsets(d, size)
        ready = ~outside[sets].any(axis=1)
        weights = sums.weights(size)
        allowed = np.where(outside[:, None] & ready, weights, -np.inf)
        new, set_index = divmod(choose(allowed.ravel()), len(sets))
        parents[new] = tuple(sets[set_index].tolist())
        joined.append(new)
        outside[new] = False
    return tuple(parents), tuple(joined)


@lru_cache(maxsize=256)
def order(parents: Parents) -> tuple[int, ...]:
    """The columns such that each comes after its parents."""
    out: list[int] = []
    while len(out) < len(parents):
        out += [j for j, above in enumerate(parents) if j not in out and set(above) <= set(out)]
    return tuple(out)
