"""What one released row says of one record, found on rows that are drawn near it: where no exact law is known.

Most rows of a release have none of the record's values where it matters and say nothing; of those that say much there
may be a few in a million. So only half of the rows are drawn from the two fits themselves. The others are given the
record's values in a column and its parents, wherever few rows have them. What these lean on in turn is taken from
people who have such values, one, two or more steps up, and the rest is drawn as usual. How often such a row comes about
is known, and each row is weighed by how much likelier the fit puts it out than it was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints
from riskkit.generators.engines.network import Compact, Parents, order, parent_codes

FITS, MOVED = 0.25, 0.4
"""Share of the rows that are drawn from either fit, where both are the same network and where not; the others are drawn
near the record."""

MORE = 5
"""So many times the rows are drawn where both fits are not the same network: then rows far from the record tell too."""

RARE = 20
"""Values that one row in so many has, or fewer, are given to rows; what more rows have turns up by itself."""

EACH = 20
"""Of a person with several rows so many rows at least are begun in each way."""

DONORS = 256
"""From so many people at most is taken what one set of values leans on."""

SPREAD = 0x9E3779B97F4A7C15
"""An odd number of 64 bits without a pattern: the golden section."""

Hashes = npt.NDArray[np.uint64]


class Drawable(Protocol):
    """A column given its parents, to draw from and to weigh; see :class:`riskkit.generators.bayesnet.Node`."""

    @property
    def weight(self) -> float:
        """Pseudo-rows added for each value of the parents: with any, all values can be put out."""

    def draw(self, above: Ints, uniform: Floats) -> npt.NDArray[np.integer]:
        """(n,) one code for each parent code."""

    def log_prob(self, above: Ints, code: Ints) -> Floats:
        """(n,) logarithm of the share of each code given its parent code."""


class Network(Protocol):
    """The fit of a counted network; see :class:`riskkit.generators.bayesnet.FittedBayesNet`."""

    @property
    def parents(self) -> Parents:
        """The columns that each column leans on."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each column can have."""

    @property
    def columns(self) -> Compact:
        """(d, n) the codes of the table."""

    @property
    def nodes(self) -> Sequence[Drawable]:
        """The columns."""


@dataclass(frozen=True, slots=True, eq=False)
class NearbyRows:
    """Rows that were drawn near a record.

    ``value`` (m,) is what each says: the logarithm of its probability with the record minus that without; ``inf`` or
    ``-inf`` where one of the fits cannot put it out. ``weight`` (m,) is how much likelier the fit with the record puts
    it out than it was drawn; of rows that this fit cannot put out it is the same for the other. ``unseen`` is the
    weight of rows that only one of the fits can put out, where some may not have been drawn, and else 0. ``reached``
    (d, k) is the chance that a row of the fit has, in the parents of each column, the values of each row left out.
    """

    value: Floats
    weight: Floats
    unseen: float
    reached: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """How a row near ``row`` is begun: with its values in ``own``, and those of one of the ``donors`` in ``taken``.

    All are positions of columns but the row and the donors, which are rows of the table. The other columns are drawn.
    """

    row: int
    own: list[int]
    taken: list[int]
    donors: Ints


def drawn_near(
    inside: Network, outside: Network, rows: int | Sequence[int], count: int, rng: np.random.Generator
) -> NearbyRows:
    """``count`` rows or more drawn near the row of the table that is left out, or near the rows that are."""
    left: list[int] = np.atleast_1d(rows).tolist()
    starts = _starts_of(inside, outside.parents, left, rng)
    moved = inside.parents != outside.parents
    fits = (MOVED if moved else FITS) if starts else 0.5
    count *= MORE if moved else 1
    if len(left) > 1:
        count = max(count, int(EACH * len(starts) / (1 - 2 * fits)) if starts else 0)
    amounts = rng.multinomial(count, [fits, fits, 1 - 2 * fits]).tolist()
    free = np.full((len(inside.nodes), amounts[0] + amounts[1]), -1, dtype=np.int64)
    begun = free[:, : amounts[0]], free[:, amounts[0] :], _begin_rows(inside.columns, starts, amounts[2], rng)
    codes = np.concatenate(
        [_walk_network(*pair, rng) for pair in zip((inside, outside, inside), begun, strict=True)], axis=1
    )
    logs = log_shares(inside, codes)
    value, by_fit = log_ratios(logs.sum(axis=0), log_shares(outside, codes).sum(axis=0))
    near = _nearness(inside.columns, starts, codes, by_fit, logs)
    # a row near the record that the fit cannot put out is none of its rows
    weight = np.where(np.arange(count) < count - amounts[2], 1 / fits, 0.0)
    weight[by_fit] = 1 / (fits + fits * np.exp(-value[by_fit]) + (1 - 2 * fits) * near[by_fit])
    own = weight * by_fit / weight[by_fit].sum()
    reached = []
    for row in left:
        same = codes == inside.columns[:, [row]]
        reached.append([float(own[_every(same, parents)].sum()) for parents in inside.parents])
    can_miss = moved and not all(node.weight for node in (*inside.nodes, *outside.nodes))
    return NearbyRows(value, weight, 1 / fits if can_miss else 0.0, np.array(reached).T)


def log_ratios(inside: Floats, outside: Floats) -> tuple[Floats, Bools]:
    """(m,) log ratios of rows by log chances under both fits, infinite where one is 0; and which the first has."""
    by_fit, by_other = np.isfinite(inside), np.isfinite(outside)
    value = np.where(by_fit, np.inf, -np.inf)
    np.subtract(inside, outside, out=value, where=by_fit & by_other)
    return value, by_fit


def log_shares(fit: Network, codes: Ints) -> Floats:
    """(d, m) logarithm of the share of each code among the rows that have the same values in the parents."""
    columns = zip(fit.nodes, fit.parents, codes, strict=True)
    return np.array([node.log_prob(parent_codes(codes, own, fit.sizes), code) for node, own, code in columns])


def _starts_of(fit: Network, others: Parents, left: Sequence[int], rng: np.random.Generator) -> list[_Start]:
    """Every way to begin a row near one of those that are left out; what two of them share, once."""
    starts: dict[tuple[tuple[tuple[int, int], ...], tuple[int, ...]], _Start] = {}
    for row in left:
        for start in _starts(fit, others, row, rng):
            own = tuple(sorted(zip(start.own, fit.columns[start.own, row].tolist(), strict=True)))
            starts.setdefault((own, tuple(start.taken)), start)
    return list(starts.values())


def _starts(fit: Network, others: Parents, row: int, rng: np.random.Generator) -> list[_Start]:
    """Every way to begin a row: a column's parents in either fit, alone and with the column, and so many steps up."""
    alike = fit.columns == fit.columns[:, [row]]
    starts: dict[tuple[tuple[int, ...], tuple[int, ...]], _Start] = {}
    for j, parents in dict.fromkeys([*enumerate(fit.parents), *enumerate(others)]):
        with_parents = np.flatnonzero(alike[list(parents)].all(axis=0))
        with_column = np.count_nonzero(alike[j, with_parents])
        donors = with_parents if len(with_parents) <= DONORS else rng.choice(with_parents, DONORS, replace=False)
        for own, people in ((parents, len(with_parents)), ((*parents, j), with_column)):
            if people * RARE > alike.shape[1]:
                continue
            taken: tuple[int, ...] = ()
            while (tuple(sorted(own)), taken) not in starts:
                starts[tuple(sorted(own)), taken] = _Start(row, list(own), list(taken), donors)
                up = {above for held in (*own, *taken) for above in fit.parents[held]}
                taken = tuple(sorted({*taken, *up} - set(own)))
    return list(starts.values())


def _begin_rows(columns: Compact, starts: Sequence[_Start], count: int, rng: np.random.Generator) -> Ints:
    """(d, count) what rows near the record are begun with, in ways drawn by chance; -1 where nothing is given."""
    out = np.full((len(columns), count), -1, dtype=np.int64)
    if not starts:
        return out
    amounts: list[int] = rng.multinomial(count, np.full(len(starts), 1 / len(starts))).tolist()
    first = 0
    for start, amount in zip(starts, amounts, strict=True):
        mine = slice(first, first + amount)
        out[start.own, mine] = columns[start.own, [start.row]][:, None]
        out[start.taken, mine] = _part(columns, start.taken, rng.choice(start.donors, amount))
        first += amount
    return out


def _walk_network(fit: Network, begun: Ints, rng: np.random.Generator) -> Ints:
    """(d, m) codes drawn along the network, but for those that are given already."""
    out, uniform = begun.copy(), rng.random(begun.shape)
    for j in order(fit.parents):
        drawn = fit.nodes[j].draw(parent_codes(out, fit.parents[j], fit.sizes), uniform[j])
        out[j] = np.where(out[j] < 0, drawn, out[j])
    return out


def _nearness(columns: Compact, starts: Sequence[_Start], codes: Ints, by_fit: Bools, logs: Floats) -> Floats:
    """(m,) how much likelier each row is drawn near the records than from the fit, where the fit can put it out."""
    total = np.zeros(codes.shape[1])
    of_rows, of_people = _hashes(codes), _hashes(columns)
    row, same = -1, np.empty(0, dtype=bool)
    for start in starts:
        if start.row != row:
            row, same = start.row, (codes == columns[:, [start.row]]) & by_fit
        rows = np.flatnonzero(_every(same, start.own))
        likelier = np.exp(-_part(logs, [*start.own, *start.taken], rows).sum(axis=0))
        if start.taken:
            people, counts = np.unique(_part(of_people, start.taken, start.donors).sum(axis=0), return_counts=True)
            wanted = _part(of_rows, start.taken, rows).sum(axis=0)
            place = np.minimum(np.searchsorted(people, wanted), len(people) - 1)
            likelier *= np.where(people[place] == wanted, counts[place], 0) / len(start.donors)
        total[rows] += likelier / len(starts)
    return total


def _every(same: Bools, columns: Sequence[int]) -> Bools:
    """(m,) whether rows are like the record in all of these columns."""
    out = np.ones(same.shape[1], dtype=bool)
    for column in columns:
        out &= same[column]
    return out


def _part(of: Any, columns: list[int], rows: Ints) -> Any:
    """Those columns of those rows."""
    return of[np.array(columns, dtype=np.int64)[:, None], rows]


def _hashes(codes: Ints | Compact) -> Hashes:
    """(d, m) a number for each code, such that sums over columns differ where rows do, but for a few in 10^19."""
    odd = np.cumprod(np.full((len(codes), 1), SPREAD, dtype=np.uint64), axis=0)
    return np.multiply(codes, odd, dtype=np.uint64, casting="unsafe")
