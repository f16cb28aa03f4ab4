"""For whom risk is highest: every group of several columns beside the other groups of its column, all at once.

Several measures, one test. A group's number is the mean of its people's (:func:`subgroups`), where trainings that
people share moved these numbers together with that error (:func:`subgroups_of_trainings`); the AUC of its members above
its own people who were not in (:func:`subgroups` with sides); or the mean of its members less that of its people who
were not in (:func:`gaps`). With sides a group that is high on both is at no higher risk.

Each group is set beside the others of its column, weighted by their people, by a studentised difference. Its law is
that of the largest such difference over all groups when people (on their own side) are dealt their groups anew, all
columns together: the family-wise error is exact where scores have nothing to do with groups, and holds in the limit
where only the means or AUCs are equal (Janssen 1997; Chung and Romano 2013; Westfall and Young 1993, maxT). Groups of
fewer than :data:`FEWEST` people, on a side where there are sides, take no part and count on nobody's side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.stats.intervals import auc_limits

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
    side = None if is_in is None else np.asarray(is_in, dtype=bool)
    codes = _check(group, value, *(() if side is None else (side,)))
    people = Means(value)
    return _compare_groups(
        lambda looks: people if side is None else Aucs(value, side, looks), codes, side, rng, level, deals
    )


def subgroups_of_trainings(
    score: npt.ArrayLike,
    by_training: Sequence[npt.ArrayLike],
    group: Mapping[str, npt.ArrayLike],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    deals: int = DEALS,
) -> Subgroups:
    """:func:`subgroups` of numbers that were each measured in trainings which people share, in part or wholly.

    Parameters
    ----------
    score : (n,)
        A number for each person, which is the mean of theirs over the trainings of a side.
    by_training
        For each side of the trainings (n, trainings) that number by each training, at least two of them.

    Raises
    ------
    ScoreError
        The lists differ in length, or a score is not finite.
    """
    value = np.asarray(score, dtype=np.float64)
    sides = [np.asarray(side, dtype=np.float64) for side in by_training]
    codes = _check(group, value, *(side[:, 0] for side in sides))
    people = SharedMeans(value, [SharedMeans.parts(side) for side in sides])
    return _compare_groups(lambda _: people, codes, None, rng, level, deals)


def gaps(
    score: npt.ArrayLike,
    weight: npt.ArrayLike,
    group: Mapping[str, npt.ArrayLike],
    rng: np.random.Generator,
    *,
    is_in: npt.ArrayLike,
    level: float = 0.95,
    deals: int = DEALS,
) -> Subgroups:
    """By how much members of each group are hit more than people of it who were not in.

    Parameters
    ----------
    score : (n,)
        How much each record of a side is hit, 0 to 1.
    weight : (n,)
        How many people of that side have that record.
    is_in : (n,)
        The side.

    Raises
    ------
    ScoreError
        The lists differ in length, or a score is not finite.
    """
    value, people = np.asarray(score, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    side = np.asarray(is_in, dtype=bool)
    codes = _check(group, value, people, side)
    units = Gaps(value, people, side)
    return _compare_groups(lambda _: units, codes, side, rng, level, deals)


def _check(group: Mapping[str, npt.ArrayLike], value: Floats, *beside: npt.NDArray[np.generic]) -> dict[str, Ints]:
    """The numbers of people's groups by each column, one for each score."""
    codes = {by: np.asarray(own, dtype=np.int64) for by, own in group.items()}
    if any(own.shape != value.shape for own in (*codes.values(), *beside)):
        raise ScoreError.phrase("Each person needs one score and one group by each column; the lists differ in length.")
    if not np.isfinite(value).all():
        raise ScoreError.phrase("Some scores are not finite numbers.")
    return codes


def _compare_groups(
    measure: Callable[[SubgroupLooks], SubgroupMeasure],
    codes: Mapping[str, Ints],
    side: Bools | None,
    rng: np.random.Generator,
    level: float,
    deals: int,
) -> Subgroups:
    """Every group beside the others of its column, by the largest difference of every deal."""
    looks, small = SubgroupLooks.group(codes, side)
    if not looks.columns:
        return Subgroups((), (), small, 0)
    measured = measure(looks)
    seen, groups = measured.measure(looks, np.arange(looks.codes.shape[1])), len(looks.code)
    largest = np.empty(deals)
    for deal, order in enumerate(measured.orders(rng, deals)):
        stages.part(deal, deals)
        largest[deal] = _furthest(measured.measure(looks, order).z)
    reach = float(np.sort(largest)[min(int(np.ceil(level * (deals + 1))), deals) - 1])
    estimates = measured.estimates(seen, looks, reach, level)
    method = f"less the other groups of the column, maxT over {groups} groups, {deals} deals"
    each = []
    for place in np.argsort(-seen.z, kind="stable").tolist():
        excess, error = float(seen.excess[place]), reach * float(np.sqrt(seen.of_excess[place]))
        above = int(np.count_nonzero(largest >= abs(seen.z[place]) * (1 - 1e-12)))
        each.append(
            Subgroup(
                looks.columns[looks.column[place]],
                int(looks.code[place]),
                estimates[place],
                Estimate("excess", excess, excess - error, excess + error, level, method, int(seen.people[place])),
                (1 + above) / (1 + deals),
            )
        )
    return Subgroups(tuple(each), looks.columns, small, deals)


FEWEST = 10
"""Fewer people than that are no group; counts of fewer are withheld in what is passed on."""


@dataclass(frozen=True, slots=True, eq=False)
class SubgroupLooks:
    """The groups that are large enough, of all columns that have two of them.

    ``codes`` (columns, n) are the numbers of people's groups over all columns, -1 for nobody's. ``column`` and ``code``
    (groups,) say which column a group is of, and its number there.
    """

    columns: tuple[str, ...]
    codes: Ints
    column: Ints
    code: Ints

    @classmethod
    def group(cls, codes: Mapping[str, Ints], side: Bools | None) -> tuple[SubgroupLooks, dict[str, int]]:
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

    def people(self, arm: Bools) -> Ints:
        """(groups,) how many people of that side each group has."""
        own = self.codes[:, arm]
        return np.bincount(own[own >= 0], minlength=len(self.code))

    def others(self, value: Floats) -> Floats:
        """(groups,) the sum over the other groups of each one's column."""
        total: Floats = np.bincount(self.column, value)[self.column] - value
        return total


@dataclass(frozen=True, slots=True, eq=False)
class SubgroupNumbers:
    """Of each group (groups,): its number with its variance, its excess with its variance, people, members."""

    value: Floats
    variance: Floats
    excess: Floats
    of_excess: Floats
    people: Ints
    members: Ints

    @classmethod
    def compare(
        cls, value: Floats, variance: Floats, weight: Floats, people: Ints, members: Ints, looks: SubgroupLooks
    ) -> SubgroupNumbers:
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


BORROWED = 2
"""People's worth of the spread of a whole side that every group borrows: ten people who are all alike vary too."""
MOST_PARTS = 50
"""Parts into which trainings are put together, at most."""


class SubgroupMeasure(ABC):
    """A number for every group; ``arms`` are the people of each side, who keep it when groups are dealt anew."""

    arms: Sequence[Ints]

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal: those of somebody on their side."""
        for _ in range(deals):
            order = np.empty(sum(map(len, self.arms)), dtype=np.int64)
            for arm in self.arms:
                order[arm] = rng.permutation(arm)
            yield order

    @abstractmethod
    def measure(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Of the groups where person ``i`` has those of person ``dealt[i]``, who is on the same side."""

    @abstractmethod
    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The number of each group; their intervals hold together."""


class Means(SubgroupMeasure):
    """The mean over each group's people."""

    def __init__(self, value: Floats) -> None:
        self.arms, self.middle = (np.arange(len(value)),), float(value.mean())
        self.value = value - self.middle

    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The mean of each group."""
        method = f"mean over people, as wide as holds for {len(looks.code)} groups"
        return [
            Estimate("mean", value, value - error, value + error, level, method, people)
            for value, error, people in _values(seen, reach)
        ]

    def measure(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Of the groups where person ``i`` has those of person ``dealt[i]``."""
        codes = looks.codes[:, dealt]
        column, person = np.nonzero(codes >= 0)
        own, value, groups = codes[column, person], self.value[person], len(looks.code)
        people = np.bincount(own, minlength=groups)
        mean = np.bincount(own, value, groups) / people
        variance = np.bincount(own, (value - mean[own]) ** 2, groups) / (people - 1) / people
        return SubgroupNumbers.compare(mean + self.middle, variance, people.astype(np.float64), people, people, looks)


class Aucs(SubgroupMeasure):
    """The AUC within each group, with DeLong's variance."""

    def __init__(self, value: Floats, side: Bools, looks: SubgroupLooks) -> None:
        self.order = np.argsort(value, kind="stable")
        self.side = side[self.order]
        self.last = np.searchsorted(value[self.order], value[self.order], side="right")
        self.n_in, self.n_out = (looks.people(arm) for arm in (side, ~side))
        self.arms = np.flatnonzero(side), np.flatnonzero(~side)

    def estimates(
        self,
        seen: SubgroupNumbers,
        looks: SubgroupLooks,
        reach: float,  # noqa: ARG002  AUCs have an interval of their own
        level: float,
    ) -> list[Estimate]:
        """The AUC of each group."""
        groups = len(looks.code)
        lows, highs = auc_limits(seen.value, seen.members, seen.people - seen.members, 1 - (1 - level) / groups)
        method = f"AUC within the group, Newcombe 5 or beta, Bonferroni over {groups} groups"
        ends = zip(seen.value.tolist(), lows.tolist(), highs.tolist(), seen.people.tolist(), strict=True)
        return [Estimate("auc", value, low, high, level, method, people) for value, low, high, people in ends]

    def measure(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Within the groups where person ``i`` has those of person ``dealt[i]``, who was on the same side."""
        from riskkit.stats._kernels import aucs

        auc, variance = aucs(looks.codes, dealt, self.order, self.side, self.last, self.n_in, self.n_out)
        people = self.n_in + self.n_out
        return SubgroupNumbers.compare(auc, variance, self.n_in * self.n_out / people, people, self.n_in, looks)


class SharedMeans(Means):
    """The mean over each group's people of values that were each measured with an error, in part by the same trainings.

    Releases with everybody are the same for all people: chance in them moves people of a group together, and would pass
    for a difference between groups. ``parts`` has for each side of the trainings (n, k) each person's value by each of
    ``k`` parts of them. The variance of a group's mean over the parts is that of its trainings; what of it would be
    there if people's errors had nothing to do with each other is left to the spread of people, which has it already.
    """

    def __init__(self, value: Floats, parts: Sequence[Floats]) -> None:
        super().__init__(value)
        self.sides = [part - part.mean(axis=1, keepdims=True) for part in parts]
        self.alone: Floats = np.sum([_variance_of_mean(side) for side in self.sides], axis=0)

    @staticmethod
    def parts(by_training: Floats) -> Floats:
        """(n, k) the means of parts of the trainings (n, trainings), of equal size; those left over are in none."""
        trainings = by_training.shape[1]
        k = min(trainings, MOST_PARTS)
        used = by_training[:, : trainings // k * k]
        out: Floats = used.reshape(len(by_training), k, -1).mean(axis=2)
        return out

    def measure(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """With the error of trainings beside that of people."""
        numbers = super().measure(looks, dealt)
        codes = looks.codes[:, dealt]
        column, person = np.nonzero(codes >= 0)
        member = np.zeros((len(looks.code), len(self.value)))
        member[codes[column, person], person] = 1.0
        people, alone = numbers.people.astype(np.float64), member @ self.alone
        total = looks.others(people)
        shared, of_excess = -alone / people**2, -alone / people**2 - looks.others(alone) / total**2
        for side in self.sides:
            sums = member @ side
            rest = np.stack([looks.others(part) for part in sums.T], axis=1) / total[:, None]
            shared += _variance_of_mean(sums / people[:, None])
            of_excess += _variance_of_mean(sums / people[:, None] - rest)
        return replace(
            numbers,
            variance=numbers.variance + np.maximum(shared, 0.0),
            of_excess=numbers.of_excess + np.maximum(of_excess, 0.0),
        )


def _furthest(z: Floats) -> float:
    """How far the furthest of all groups lies from the others of its column."""
    return float(np.abs(z).max())


def _variance_of_mean(parts: Floats) -> Floats:
    """(n,) the variance of the mean over parts (n, k) that are independent."""
    out: Floats = parts.var(axis=1, ddof=1) / parts.shape[1]
    return out


class Gaps(SubgroupMeasure):
    """The mean of each group's members less that of its people who were not in; each side weighed by its people.

    A unit of a side is a record of it, with ``weight`` people who have that record: people of equal records are hit
    together, so they are dealt a group together. Every group borrows the spread of :data:`BORROWED` units of the whole
    side, or a group of few in which nobody is hit would have no error at all.
    """

    def __init__(self, value: Floats, weight: Floats, side: Bools) -> None:
        self.value, self.weight, self.most = value, weight, max(1.0, float(value.max()))
        self.arms = np.flatnonzero(side), np.flatnonzero(~side)
        self.borrowed = [BORROWED * self._spread(arm) for arm in self.arms]

    def _spread(self, arm: Ints) -> float:
        """The variance of what a unit of that side adds to its mean."""
        weight, value = self.weight[arm], self.value[arm]
        pull = weight / weight.mean() * (value - np.average(value, weights=weight))
        return float((pull**2).sum() / max(len(arm) - 1, 1))

    def measure(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Within the groups where unit ``i`` has those of unit ``dealt[i]``, which is of the same side."""
        codes, groups = looks.codes[:, dealt], len(looks.code)
        means, variances, people = [], [], []
        for arm, borrowed in zip(self.arms, self.borrowed, strict=True):
            column, place = np.nonzero(codes[:, arm] >= 0)
            own, unit = codes[:, arm][column, place], arm[place]
            weight, value = self.weight[unit], self.value[unit]
            total, units = np.bincount(own, weight, groups), np.bincount(own, minlength=groups)
            mean = np.bincount(own, weight * value, groups) / total
            pull = weight * units[own] / total[own] * (value - mean[own])
            spread = np.bincount(own, pull**2, groups) + borrowed
            means.append(mean)
            variances.append(spread / (units - 1 + BORROWED) / units)
            people.append(total)
        inside, outside = people
        weight = inside * outside / (inside + outside)
        everybody = (inside + outside).round().astype(np.int64)
        return SubgroupNumbers.compare(
            means[0] - means[1], variances[0] + variances[1], weight, everybody, inside.round().astype(np.int64), looks
        )

    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The difference of the two sides of each group."""
        method = f"members less others within the group, as wide as holds for {len(looks.code)} groups"
        out = []
        for value, error, people in _values(seen, reach):
            ends = max(value - error, -self.most), min(value + error, self.most)
            out.append(Estimate.around("gap", value, ends, level, method, people))
        return out


def _values(seen: SubgroupNumbers, reach: float) -> Iterator[tuple[float, float, int]]:
    """The number of each group, how far its interval reaches, and its people."""
    return zip(seen.value.tolist(), (reach * np.sqrt(seen.variance)).tolist(), seen.people.tolist(), strict=True)
