"""The law of whole releases of PrivBayes, its picks enumerated and its noise integrated out, on a small domain.

A fit picks a network by chances that are known, and gives the counts of its families Laplace noise. Rows are drawn from
the shares that result, so a release is no sequence of independent rows: its chance is the mean, over networks and
noise, of the product over its rows. Given a network that mean falls apart: the first columns share one table of shares,
and each value of the parents has shares of its own in every further family, all with noise of their own
(:mod:`riskkit.generators.engines.noisy_releases`). Numbers within their bins are uniform and say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, logsumexp

from riskkit.core import Floats, Ints, Table
from riskkit.generators.engines.network import Compact, CountLogSums, compact, joint_counts, subsets
from riskkit.generators.engines.noisy_counts import pick_exponents
from riskkit.table.encode import bin_columns

NETWORKS, DOMAIN, ROWS = 3_000, 1_000, 2_000
"""Most ways to pick a network, combinations of values, and rows of a release, for which the law is worked out."""
LISTED = 5_000
"""Up to so many different releases are listed; of more, some are drawn."""

Families = frozenset[tuple[int, ...]]
Network = tuple[tuple[int, ...], Families]
"""The first columns, in order of the file, and every further family: parents in that order, then the column."""


def ways(columns: int, degree: int) -> int:
    """How many ways there are to pick a network, in order."""
    inside = range(1, columns)
    return columns * math.prod((columns - k) * math.comb(k, min(degree, k)) for k in inside)


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """What a fit spends: ``pick`` is the epsilon of a pick, ``scale`` that of noise in rows, ``floor`` the least count.

    ``moved(rows, is_binary)`` is the sensitivity of information.
    """

    degree: int
    bins: int
    pick: float
    scale: float
    floor: float
    moved: Any


@dataclass(frozen=True, slots=True, eq=False)
class NoisyReleases:
    """Releases of one size, (r, one axis a column) counts of each combination of values, and their chances.

    ``is_listed``: these are all there are, the order of rows left out. Else they were drawn from fits to a table.
    """

    spent: Spending
    sizes: tuple[int, ...]
    seen: Ints
    is_listed: bool
    orders: Floats
    shares: NoisyShares
    kept: dict[Any, Floats] = field(init=False, default_factory=dict)

    @classmethod
    def draw(cls, table: Table, spent: Spending, n: int, drawn: int, rng: np.random.Generator) -> NoisyReleases:
        """All releases of ``n`` rows where they are few, else ``drawn`` of fits to that table."""
        codes, sizes = bin_columns(table, spent.bins)
        domain = math.prod(sizes)
        # The row that leaves may be the only one of a cell: sums are never larger than those of the whole table.
        shares = NoisyShares(spent.scale, spent.floor, float(len(table)), domain)
        is_listed = math.comb(n + domain - 1, n) <= LISTED
        if is_listed:
            flat = np.array(
                [np.bincount(release, minlength=domain) for release in combinations_with_replacement(range(domain), n)]
            )
            orders = gammaln(n + 1) - gammaln(flat + 1).sum(axis=1)
        else:
            flat = _draw_counts(compact(codes, sizes), sizes, spent, n, drawn, rng)
            orders = np.zeros(drawn)
        return cls(spent, sizes, flat.reshape(-1, *sizes), is_listed, orders, shares)

    def again(self, table: Table, rng: np.random.Generator) -> NoisyReleases:
        """As many releases, drawn of fits to another table of the same domain."""
        drawn, n = len(self.seen), int(self.seen[0].sum())
        columns = compact(*bin_columns(table, self.spent.bins))
        seen = _draw_counts(columns, self.sizes, self.spent, n, drawn, rng).reshape(-1, *self.sizes)
        return NoisyReleases(self.spent, self.sizes, seen, False, np.zeros(drawn), self.shares)

    def log_prob(self, table: Table) -> Floats:
        """(r,) log chance of each release of a fit to that table; where they were drawn, in the order of their rows."""
        columns = compact(*bin_columns(table, self.spent.bins))
        total: list[Floats] = []
        for (first, rest), log_chance in networks(columns, self.sizes, self.spent).items():
            parts = [
                self._log_chance(columns, (), first),
                *(self._log_chance(columns, family[:-1], family[-1:]) for family in rest),
            ]
            total.append(log_chance + np.sum(parts, axis=0))
        log_prob: Floats = logsumexp(total, axis=0) + self.orders
        return log_prob

    def _log_chance(self, columns: Compact, parents: tuple[int, ...], own: tuple[int, ...]) -> Floats:
        """(r,) log chance of the values of some columns given those of their parents."""
        family = parents + own
        cells = math.prod(self.sizes[column] for column in own)
        counts = joint_counts(columns, family, self.sizes).reshape(-1, cells)
        if (key := (parents, own, counts.tobytes())) in self.kept:
            return self.kept[key]
        others = tuple(1 + column for column in range(len(self.sizes)) if column not in family)
        seen = self.seen.sum(axis=others)
        left = sorted(family)
        seen = seen.transpose(0, *(1 + left.index(column) for column in family)).reshape(len(seen), -1, cells)
        out = np.zeros(len(seen))
        for index, own_counts in enumerate(counts):
            part = (parents, own, index, own_counts.tobytes())
            if part not in self.kept:
                self.kept[part] = self.shares.log_chance(own_counts, seen[:, index])
            out += self.kept[part]
        self.kept[key] = out
        return out


def networks(columns: Compact, sizes: tuple[int, ...], spent: Spending) -> dict[Network, float]:
    """Every network with the logarithm of its chance; the order in which columns joined makes no other network."""
    d = len(sizes)
    degree = min(spent.degree, d - 1)
    sums = CountLogSums.count(columns, sizes, degree + 1)
    weights = {size: sums.weights(size) for size in range(1, degree + 1)}
    moved = spent.moved(sums.rows, max(sizes) <= 2)

    def grown(
        joined: tuple[int, ...], rest: frozenset[tuple[int, ...]], log_chance: float
    ) -> Iterator[tuple[Network, float]]:
        if len(joined) == d:
            yield (tuple(sorted(joined[: degree + 1])), rest), log_chance
            return
        size = min(degree, len(joined))
        sets = subsets(d, size)
        inside = np.isin(np.arange(d), joined)
        ready = inside[sets].all(axis=1)
        allowed, power = pick_exponents(
            np.where(~inside[:, None] & ready, weights[size], -np.inf).ravel(), spent.pick, moved
        )
        for place, chance in zip(allowed.tolist(), (power - logsumexp(power)).tolist(), strict=True):
            new, set_index = divmod(place, len(sets))
            family = (*sets[set_index].tolist(), new)
            more = rest if len(joined) <= degree else rest | {family}
            yield from grown((*joined, new), more, log_chance + chance)

    out: dict[Network, float] = {}
    for first in range(d):
        for network, log_chance in grown((first,), frozenset(), -math.log(d)):
            out[network] = float(np.logaddexp(out.get(network, -math.inf), log_chance))
    return out


def _draw_counts(
    columns: Compact, sizes: tuple[int, ...], spent: Spending, n: int, drawn: int, rng: np.random.Generator
) -> Ints:
    """(drawn, domain) counts of each combination of values, in releases that each have a fit of its own."""
    every = networks(columns, sizes, spent)
    chance = np.exp(list(every.values()))
    out = []
    for (first, rest), times in zip(every, rng.multinomial(drawn, chance / chance.sum()).tolist(), strict=True):
        if not times:
            continue
        held = rng.multinomial(n, _noisy_shares(columns, first, 0, sizes, spent, times, rng)[:, 0])
        inside = list(first)
        left = sorted(rest)
        while left:
            family = next(candidate for candidate in left if set(candidate[:-1]) <= set(inside))
            left.remove(family)
            places = np.indices([sizes[column] for column in inside]).reshape(len(inside), -1)
            above = [places[inside.index(column)] for column in family[:-1]]
            parent = np.ravel_multi_index(above, [sizes[column] for column in family[:-1]])
            shares = _noisy_shares(columns, family, len(family) - 1, sizes, spent, times, rng)
            held = rng.multinomial(held, shares[:, parent]).reshape(times, -1)
            inside.append(family[-1])
        shape = held.reshape(times, *(sizes[column] for column in inside))
        out.append(shape.transpose(0, *(1 + place for place in np.argsort(inside))).reshape(times, -1))
    return np.concatenate(out)


def _noisy_shares(
    columns: Compact,
    family: tuple[int, ...],
    above: int,
    sizes: tuple[int, ...],
    spent: Spending,
    times: int,
    rng: np.random.Generator,
) -> Floats:
    """(times, values of the first ``above`` columns, values of the others) shares with noise drawn anew each time."""
    counts = joint_counts(columns, family, sizes)
    parents = math.prod(sizes[column] for column in family[:above])
    noisy = np.maximum(counts.ravel() + rng.laplace(0.0, spent.scale, (times, counts.size)), spent.floor)
    noisy = noisy.reshape(times, parents, -1)
    shares: Floats = noisy / noisy.sum(axis=2, keepdims=True)
    return shares


TOGETHER = 1_000_000
"""So many values of ``g`` are worked out at a time."""
STEP = 0.4, 0.9
"""The step of ``log t``: the first, or the second over the root of the rows where that is less. The law of ``log t`` is
no narrower than that of the logarithm of a gamma variable with as many degrees, which falls off so fast in frequency
that a step of so many standard deviations leaves out less than 1e-10."""
DECAY = 32.0
"""Parts of an integral below ``exp(-DECAY)`` of its largest are left out."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
FAINT = 1e-200
"""An incomplete gamma function below it has lost its digits; there the integral is taken by Gauss's rule."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyShares:
    """Shares of counts with Laplace noise of that ``scale``, in rows, raised to ``floor``.

    No sum of counts is above ``largest``, and no more than ``cells`` have shares of one sum.
    """

    scale: float
    floor: float
    largest: float
    cells: int
    kept: dict[tuple[int, float, int], Floats] = field(init=False, default_factory=dict)

    def log_chance(self, counts: Floats, seen: Ints) -> Floats:
        """(r,) log chance of rows, in a stated order, of which ``seen`` (r, k) lie in each cell of ``counts`` (k,)."""
        kinds, where = np.unique(seen, axis=0, return_inverse=True)
        total = kinds.sum(axis=1)
        out, size = np.zeros(len(kinds)), np.ceil(np.log2(np.maximum(total, 1))).astype(np.int64)
        for power in np.unique(size[total > 0]).tolist():
            positions = np.flatnonzero((size == power) & (total > 0))
            log_t = self.grid(power)
            for part in np.array_split(positions, 1 + len(positions) * len(log_t) // TOGETHER):
                value = total[part, None] * log_t
                for cell, count in enumerate(counts.tolist()):
                    own, again = np.unique(kinds[part, cell], return_inverse=True)
                    value += self._cell_logs(power, log_t, count, own)[again.ravel()]
                step = math.log(log_t[1] - log_t[0])
                out[part] = logsumexp(value, axis=1) + step - gammaln(total[part])
        chance: Floats = out[where.ravel()]
        return chance

    def grid(self, power: int) -> Floats:
        """(v,) values of ``log t`` for ``2 ** power`` rows or fewer, and more than half of that.

        A sum of noisy counts lies between the floor and ``farthest``; ``t`` times it is a gamma variable of as many
        degrees as there are rows.
        """
        most = 2**power
        least = most // 2 + 1 if power else 1
        farthest = self.largest + (self.cells + DECAY) * self.scale
        low = math.log(least) - 10 / math.sqrt(least) - DECAY / least - math.log(farthest)
        high = math.log(most + 10 * math.sqrt(most) + DECAY) - math.log(self.floor)
        return np.arange(low, high, min(STEP[0], STEP[1] / math.sqrt(most)))

    def _cell_logs(self, power: int, log_t: Floats, count: float, seen: Ints) -> Floats:
        """(m, v) the logarithm of ``g`` of a cell with that count, for so many rows seen in it (m,)."""
        new = np.array([rows for rows in seen.tolist() if (power, count, rows) not in self.kept], dtype=np.float64)
        for part in np.array_split(new, 1 + len(new) * len(log_t) // TOGETHER):
            made = log_mean(count, part[:, None], np.exp(log_t), self.scale, self.floor)
            self.kept.update({(power, count, int(rows)): each for rows, each in zip(part, made, strict=True)})
        return np.array([self.kept[power, count, rows] for rows in seen.tolist()])


def log_mean(count: float, power: Floats, rate: Floats, scale: float, floor: float) -> Floats:
    """(m, v) log of ``E[c^power exp(-rate c)]``, where c is the count with Laplace noise, at least the floor."""
    base = power * math.log(floor) - rate * floor
    if count <= floor:  # the noise's upper side alone can lift it
        raised = base + math.log1p(-math.exp((count - floor) / scale) / 2)
        beyond = _beyond(floor, power, rate + 1 / scale) + (count / scale - math.log(2 * scale))
        lifted: Floats = np.logaddexp(raised, beyond)
        return lifted
    raised = base + (floor - count) / scale - math.log(2)
    below = _between(floor, count, power, rate - 1 / scale) - (count / scale + math.log(2 * scale))
    beyond = _beyond(count, power, rate + 1 / scale) + (count / scale - math.log(2 * scale))
    mean: Floats = np.logaddexp(np.logaddexp(raised, below), beyond)
    return mean


def _beyond(low: float, power: Floats, rate: Floats) -> Floats:
    """(m, v) log of the integral of ``c^power exp(-rate c)`` from ``low`` on."""
    power, rate = np.broadcast_arrays(power, rate)
    share = gammaincc(power + 1, rate * low)
    with np.errstate(divide="ignore"):
        out: Floats = gammaln(power + 1) - (power + 1) * np.log(rate) + np.log(share)
    far = share < FAINT
    if far.any():  # the largest part is at ``low``, from where it falls at least as fast as this
        m, r = power[far], rate[far]
        reach = DECAY / (r - m / low)
        out[far] = _gauss(np.full(m.shape, low), low + reach, m, r)
    return out


def _between(low: float, high: float, power: Floats, rate: Floats) -> Floats:
    """(m, v) log of the integral of ``c^power exp(-rate c)`` between two ends; the rate may be negative."""
    power, rate = np.broadcast_arrays(power, rate)
    out = np.empty(power.shape)
    rises = rate * high <= power  # up to the end: the largest part is there
    m, r = power[rises], rate[rises]
    slope, bend = m / high - r, 9 * high / np.sqrt(np.maximum(m, 1e-12))
    with np.errstate(divide="ignore"):
        reach = np.minimum(np.minimum(DECAY / slope, bend), high - low)
    out[rises] = _gauss(high - reach, np.full(m.shape, high), m, r)
    m, r = power[~rises], rate[~rises]
    upper = r * low > m + 1
    ends = [each(m + 1, r * low) - each(m + 1, r * high) for each in (gammaincc, gammainc)]
    share = np.where(upper, ends[0], -ends[1])
    value = gammaln(m + 1) - (m + 1) * np.log(r) + np.log(np.maximum(share, 1e-300))
    far = share < FAINT
    if far.any():  # all of it is at the low end
        reach = np.minimum(DECAY / (r[far] - m[far] / low), high - low)
        value[far] = _gauss(np.full(reach.shape, low), low + reach, m[far], r[far])
    out[~rises] = value
    return out


def _gauss(low: Floats, high: Floats, power: Floats, rate: Floats) -> Floats:
    """(m,) the same by Gauss's rule, between ends of each."""
    half = (high - low) / 2
    nodes = (high + low)[:, None] / 2 + half[:, None] * NODES
    value = power[:, None] * np.log(nodes) - rate[:, None] * nodes
    out: Floats = logsumexp(value, axis=1, b=WEIGHTS) + np.log(half)
    return out
