"""The law of whole releases of PrivBayes, its picks enumerated and its noise integrated out, on a small domain.

A fit picks a network by chances that are known, and gives the counts of its families Laplace noise. Rows are drawn from
the shares that result, so a release is no sequence of independent rows: its chance is the mean, over networks and
noise, of the product over its rows. Given a network that mean falls apart: the first columns share one table of shares,
and each value of the parents has shares of its own in every further family, all with noise of their own
(:mod:`riskkit.generators._noisy_share`). Numbers within their bins are uniform and say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from riskkit.core import Floats, Ints, Table
from riskkit.generators._network import Compact, CountLogSums, compact, joint_counts, subsets
from riskkit.generators._noisy import pick_exponents
from riskkit.generators._noisy_share import NoisyShares
from riskkit.table.encode import binned

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
    def of(cls, table: Table, spent: Spending, n: int, drawn: int, rng: np.random.Generator) -> NoisyReleases:
        """All releases of ``n`` rows where they are few, else ``drawn`` of fits to that table."""
        codes, sizes = binned(table, spent.bins)
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
            flat = _drawn(compact(codes, sizes), sizes, spent, n, drawn, rng)
            orders = np.zeros(drawn)
        return cls(spent, sizes, flat.reshape(-1, *sizes), is_listed, orders, shares)

    def again(self, table: Table, rng: np.random.Generator) -> NoisyReleases:
        """As many releases, drawn of fits to another table of the same domain."""
        drawn, n = len(self.seen), int(self.seen[0].sum())
        columns = compact(*binned(table, self.spent.bins))
        seen = _drawn(columns, self.sizes, self.spent, n, drawn, rng).reshape(-1, *self.sizes)
        return NoisyReleases(self.spent, self.sizes, seen, False, np.zeros(drawn), self.shares)

    def log_prob(self, table: Table) -> Floats:
        """(r,) log chance of each release of a fit to that table; where they were drawn, in the order of their rows."""
        columns = compact(*binned(table, self.spent.bins))
        total: list[Floats] = []
        for (first, rest), log_chance in networks(columns, self.sizes, self.spent).items():
            parts = [
                self._given(columns, (), first),
                *(self._given(columns, family[:-1], family[-1:]) for family in rest),
            ]
            total.append(log_chance + np.sum(parts, axis=0))
        log_prob: Floats = logsumexp(total, axis=0) + self.orders
        return log_prob

    def _given(self, columns: Compact, parents: tuple[int, ...], own: tuple[int, ...]) -> Floats:
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
    sums = CountLogSums.of(columns, sizes, degree + 1)
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


def _drawn(
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
