"""For whom risk is highest: every group of several columns beside the other groups of its column, all at once.

Two measures, one test. Without sides a group's number is the mean of its people's; with sides it is the AUC of its
members above its own people who were not in, so a group whose scores are high on both sides is at no higher risk.

Each group is set beside the others of its column, weighted by their people, by a studentised difference. Its law is
that of the largest such difference over all groups when people (on their own side) are dealt their groups anew, all
columns together: the family-wise error is exact where scores have nothing to do with groups, and holds in the limit
where only the means or AUCs are equal (Janssen 1997; Chung and Romano 2013; Westfall and Young 1993, maxT). Groups of
fewer than :data:`FEWEST` people, on a side where there are sides, take no part and count on nobody's side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.intervals import auc_limits

FEWEST = 10
"""Fewer people than that are no group; counts of fewer are withheld in what is passed on."""
DEALS = 199
"""How often groups are dealt anew."""


@dataclass(frozen=True, slots=True)
class Subgroup:
    """A group of people by the column ``by``; ``code`` is its number in that column.

    ``inside`` is the mean or the AUC among its people, ``excess`` that less the same of the other groups of the column;
    intervals of all groups hold together. ``p`` allows for all groups, in both directions.
    """

    by: str
    code: int
    inside: Estimate
    excess: Estimate
    p: float


@dataclass(frozen=True, slots=True)
class Subgroups:
    """Every group that is large enough, the highest excess in standard errors first.

    ``columns`` are those that have at least two of them; ``small`` counts the groups of too few people, by column,
    empty ones not among them. ``deals`` is how often groups were dealt anew.
    """

    each: tuple[Subgroup, ...]
    columns: tuple[str, ...]
    small: Mapping[str, int]
    deals: int


def subgroups(
    score: npt.ArrayLike,
    group: Mapping[str, npt.ArrayLike],
    rng: np.random.Generator,
    *,
    is_in: npt.ArrayLike | None = None,
    level: float = 0.95,
    deals: int = DEALS,
) -> Subgroups:
    """The risk of every group of every column, corrected for having looked at all of them.

    Parameters
    ----------
    score : (n,)
        A number for each person, higher for a higher risk; with ``is_in`` the score of an attack.
    group
        For each column the number (n,) of each person's group, 0 or greater.
    rng
        Deals groups anew.
    is_in : (n,), optional
        Whether each person was in. A group's number is then the AUC within it.
    level
        How often all intervals hold together.

    Raises
    ------
    ScoreError
        The lists differ in length, or a score is not finite.
    """
    value = np.asarray(score, dtype=np.float64)
    codes = {by: np.asarray(own, dtype=np.int64) for by, own in group.items()}
    side = None if is_in is None else np.asarray(is_in, dtype=bool)
    if any(own.shape != value.shape for own in (*codes.values(), *(() if side is None else (side,)))):
        raise ScoreError(
            phrase("Each person needs one score and one group by each column; the lists differ in length.")
        )
    if not np.isfinite(value).all():
        raise ScoreError(phrase("Some scores are not finite numbers."))
    looks, small = _Looks.of(codes, side)
    if not looks.columns:
        return Subgroups((), (), small, 0)
    measure: _Means | _Aucs = _Means(value) if side is None else _Aucs(value, side, looks)
    seen = measure.of(looks, np.arange(len(value)))
    largest = np.empty(deals)
    for deal, order in enumerate(measure.orders(rng, deals)):
        largest[deal] = _furthest(measure.of(looks, order).z)
    reach = float(np.sort(largest)[min(int(np.ceil(level * (deals + 1))), deals) - 1])
    together = _Together(looks, seen, largest, reach, level)
    return Subgroups(
        tuple(together.subgroup(measure, at) for at in np.argsort(-seen.z, kind="stable").tolist()),
        looks.columns,
        small,
        deals,
    )


def _furthest(z: Floats) -> float:
    """How far the furthest of all groups lies from the others of its column."""
    return float(np.abs(z).max())


@dataclass(frozen=True, slots=True, eq=False)
class _Looks:
    """The groups that are large enough, of all columns that have two of them.

    ``codes`` (columns, n) are the numbers of people's groups over all columns, -1 for nobody's. ``column`` and ``code``
    (groups,) say which column a group is of, and its number there.
    """

    columns: tuple[str, ...]
    codes: Ints
    column: Ints
    code: Ints

    @classmethod
    def of(cls, codes: Mapping[str, Ints], side: Bools | None) -> tuple[_Looks, dict[str, int]]:
        """By the numbers of each column; and how many groups of it are too small."""
        names: list[str] = []
        numbers: list[Ints] = []
        column: list[int] = []
        code: list[int] = []
        small: dict[str, int] = {}
        for by, own in codes.items():
            there, place = np.unique(own, return_inverse=True)
            arms = [np.ones(len(own), dtype=bool)] if side is None else [side, ~side]
            large = np.min([np.bincount(place[arm], minlength=len(there)) for arm in arms], axis=0) >= FEWEST
            if not large.all():
                small[by] = int((~large).sum())
            if large.sum() < 2:
                continue
            numbers.append(np.where(large, np.cumsum(large) - 1 + len(code), -1)[place])
            column += [len(names)] * int(large.sum())
            code += there[large].tolist()
            names.append(by)
        stacked = np.array(numbers, dtype=np.int64)
        return cls(tuple(names), stacked, np.array(column, dtype=np.int64), np.array(code, dtype=np.int64)), small

    def others(self, value: Floats) -> Floats:
        """(groups,) the sum over the other groups of each one's column."""
        total: Floats = np.bincount(self.column, value)[self.column] - value
        return total


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Of each group (groups,): its number with its variance, its excess with its variance, people, members."""

    value: Floats
    variance: Floats
    excess: Floats
    of_excess: Floats
    people: Ints
    members: Ints

    @classmethod
    def of(
        cls, value: Floats, variance: Floats, weight: Floats, people: Ints, members: Ints, looks: _Looks
    ) -> _Numbers:
        """Beside the others, weighted by ``weight`` (groups,)."""
        total = looks.others(weight)
        rest = looks.others(weight * value) / total
        spread = np.maximum(looks.others(weight**2 * variance), 0.0) / total**2
        return cls(value, variance, value - rest, variance + spread, people, members)

    @property
    def z(self) -> Floats:
        """(groups,) excesses in standard errors; 0 where a group differs no more than by rounding."""
        tiny = 1e-12 * np.maximum(np.abs(self.value), 1.0)
        out: Floats = np.where(
            np.abs(self.excess) <= tiny, 0.0, self.excess / np.maximum(np.sqrt(self.of_excess), tiny)
        )
        return out


@dataclass(frozen=True, slots=True, eq=False)
class _Together:
    """What all groups share: their numbers, the largest difference of every deal, how far intervals reach."""

    looks: _Looks
    seen: _Numbers
    largest: Floats
    reach: float
    level: float

    def subgroup(self, measure: _Means | _Aucs, at: int) -> Subgroup:
        """One of them with its intervals and its p-value."""
        people, deals, groups = int(self.seen.people[at]), len(self.largest), len(self.looks.code)
        excess, error = float(self.seen.excess[at]), self.reach * float(np.sqrt(self.seen.of_excess[at]))
        above = int(np.count_nonzero(self.largest >= abs(self.seen.z[at]) * (1 - 1e-12)))
        method = f"less the other groups of the column, maxT over {groups} groups, {deals} deals"
        return Subgroup(
            self.looks.columns[self.looks.column[at]],
            int(self.looks.code[at]),
            measure.estimate(at, self),
            Estimate("excess", excess, excess - error, excess + error, self.level, method, people),
            (1 + above) / (1 + deals),
        )


class _Means:
    """The mean over each group's people."""

    def __init__(self, value: Floats) -> None:
        self.middle = float(value.mean())
        self.value = value - self.middle

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal."""
        for _ in range(deals):
            yield rng.permutation(len(self.value))

    def estimate(self, at: int, together: _Together) -> Estimate:
        """The mean of one group."""
        seen, groups = together.seen, len(together.looks.code)
        value, error = float(seen.value[at]), together.reach * float(np.sqrt(seen.variance[at]))
        method = f"mean over people, as wide as holds for {groups} groups"
        return Estimate("mean", value, value - error, value + error, together.level, method, int(seen.people[at]))

    def of(self, looks: _Looks, dealt: Ints) -> _Numbers:
        """Of the groups where person ``i`` has those of person ``dealt[i]``."""
        codes = looks.codes[:, dealt]
        column, person = np.nonzero(codes >= 0)
        own, value, groups = codes[column, person], self.value[person], len(looks.code)
        people = np.bincount(own, minlength=groups)
        mean = np.bincount(own, value, groups) / people
        variance = np.bincount(own, (value - mean[own]) ** 2, groups) / (people - 1) / people
        return _Numbers.of(mean + self.middle, variance, people.astype(np.float64), people, people, looks)


class _Aucs:
    """The AUC within each group, with DeLong's variance; people keep their side when groups are dealt anew."""

    def __init__(self, value: Floats, side: Bools, looks: _Looks) -> None:
        self.order = np.argsort(value, kind="stable")
        self.side = side[self.order]
        self.last = np.searchsorted(value[self.order], value[self.order], side="right")
        self.n_in, self.n_out = (_counted(looks, arm) for arm in (side, ~side))
        self.arms = np.flatnonzero(side), np.flatnonzero(~side)

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal: those of somebody on their side."""
        for _ in range(deals):
            order = np.arange(len(self.side))
            for arm in self.arms:
                order[arm] = rng.permutation(arm)
            yield order

    def estimate(self, at: int, together: _Together) -> Estimate:
        """The AUC of one group."""
        seen, groups = together.seen, len(together.looks.code)
        value, people, n_in = float(seen.value[at]), int(seen.people[at]), int(seen.members[at])
        low, high = auc_limits(value, n_in, people - n_in, 1 - (1 - together.level) / groups)
        method = f"AUC within the group, Newcombe 5 or beta, Bonferroni over {groups} groups"
        return Estimate("auc", value, float(low), float(high), together.level, method, people)

    def of(self, looks: _Looks, dealt: Ints) -> _Numbers:
        """Within the groups where person ``i`` has those of person ``dealt[i]``, who was on the same side."""
        from riskkit.stats._subgroup_kernels import aucs

        auc, variance = aucs(looks.codes, dealt, self.order, self.side, self.last, self.n_in, self.n_out)
        people = self.n_in + self.n_out
        return _Numbers.of(auc, variance, self.n_in * self.n_out / people, people, self.n_in, looks)


def _counted(looks: _Looks, arm: Bools) -> Ints:
    """(groups,) how many people of that side each group has."""
    own = looks.codes[:, arm]
    return np.bincount(own[own >= 0], minlength=len(looks.code))
