"""What is compared between groups of people, and how groups are dealt anew: means, AUCs, and members less others.

A measure works out its number for every group at once, with the variance of that number and of its excess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.stats._subgroup_looks import SubgroupLooks, SubgroupNumbers
from riskkit.stats.intervals import auc_limits

BORROWED = 2
"""People's worth of the spread of a whole side that every group borrows: ten people who are all alike vary too."""
MOST_PARTS = 50
"""Parts into which trainings are put together, at most."""


class SubgroupMeasure(Protocol):
    """A number for every group."""

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal."""

    def of(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Of the groups where person ``i`` has those of person ``dealt[i]``."""

    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The number of each group; their intervals hold together."""


class Means:
    """The mean over each group's people."""

    def __init__(self, value: Floats) -> None:
        self.middle = float(value.mean())
        self.value = value - self.middle

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal."""
        for _ in range(deals):
            yield rng.permutation(len(self.value))

    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The mean of each group."""
        method = f"mean over people, as wide as holds for {len(looks.code)} groups"
        return [
            Estimate("mean", value, value - error, value + error, level, method, people)
            for value, error, people in _values(seen, reach)
        ]

    def of(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Of the groups where person ``i`` has those of person ``dealt[i]``."""
        codes = looks.codes[:, dealt]
        column, person = np.nonzero(codes >= 0)
        own, value, groups = codes[column, person], self.value[person], len(looks.code)
        people = np.bincount(own, minlength=groups)
        mean = np.bincount(own, value, groups) / people
        variance = np.bincount(own, (value - mean[own]) ** 2, groups) / (people - 1) / people
        return SubgroupNumbers.of(mean + self.middle, variance, people.astype(np.float64), people, people, looks)


class Aucs:
    """The AUC within each group, with DeLong's variance; people keep their side when groups are dealt anew."""

    def __init__(self, value: Floats, side: Bools, looks: SubgroupLooks) -> None:
        self.order = np.argsort(value, kind="stable")
        self.side = side[self.order]
        self.last = np.searchsorted(value[self.order], value[self.order], side="right")
        self.n_in, self.n_out = (looks.people(arm) for arm in (side, ~side))
        self.arms = np.flatnonzero(side), np.flatnonzero(~side)

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each person gets, deal after deal: those of somebody on their side."""
        for _ in range(deals):
            order = np.arange(len(self.side))
            for arm in self.arms:
                order[arm] = rng.permutation(arm)
            yield order

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

    def of(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """Within the groups where person ``i`` has those of person ``dealt[i]``, who was on the same side."""
        from riskkit.stats._subgroup_kernels import aucs

        auc, variance = aucs(looks.codes, dealt, self.order, self.side, self.last, self.n_in, self.n_out)
        people = self.n_in + self.n_out
        return SubgroupNumbers.of(auc, variance, self.n_in * self.n_out / people, people, self.n_in, looks)


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
        self.alone: Floats = np.sum([_of_mean(side) for side in self.sides], axis=0)

    @staticmethod
    def parts(by_training: Floats) -> Floats:
        """(n, k) the means of parts of the trainings (n, trainings), of equal size; those left over are in none."""
        trainings = by_training.shape[1]
        k = min(trainings, MOST_PARTS)
        used = by_training[:, : trainings // k * k]
        out: Floats = used.reshape(len(by_training), k, -1).mean(axis=2)
        return out

    def of(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
        """With the error of trainings beside that of people."""
        numbers = super().of(looks, dealt)
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
            shared += _of_mean(sums / people[:, None])
            of_excess += _of_mean(sums / people[:, None] - rest)
        return replace(
            numbers,
            variance=numbers.variance + np.maximum(shared, 0.0),
            of_excess=numbers.of_excess + np.maximum(of_excess, 0.0),
        )


def _of_mean(parts: Floats) -> Floats:
    """(n,) the variance of the mean over parts (n, k) that are independent."""
    out: Floats = parts.var(axis=1, ddof=1) / parts.shape[1]
    return out


class Gaps:
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

    def orders(self, rng: np.random.Generator, deals: int) -> Iterator[Ints]:
        """Whose groups each unit gets, deal after deal: those of a unit of its side."""
        for _ in range(deals):
            order = np.arange(len(self.value))
            for arm in self.arms:
                order[arm] = rng.permutation(arm)
            yield order

    def of(self, looks: SubgroupLooks, dealt: Ints) -> SubgroupNumbers:
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
        return SubgroupNumbers.of(
            means[0] - means[1], variances[0] + variances[1], weight, everybody, inside.round().astype(np.int64), looks
        )

    def estimates(self, seen: SubgroupNumbers, looks: SubgroupLooks, reach: float, level: float) -> list[Estimate]:
        """The difference of the two sides of each group."""
        method = f"members less others within the group, as wide as holds for {len(looks.code)} groups"
        out = []
        for value, error, people in _values(seen, reach):
            ends = max(value - error, -self.most), min(value + error, self.most)
            out.append(Estimate("gap", value, min(*ends, value), max(*ends, value), level, method, people))
        return out


def _values(seen: SubgroupNumbers, reach: float) -> Iterator[tuple[float, float, int]]:
    """The number of each group, how far its interval reaches, and its people."""
    return zip(seen.value.tolist(), (reach * np.sqrt(seen.variance)).tolist(), seen.people.tolist(), strict=True)
