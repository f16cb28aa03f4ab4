"""Groups of several columns that are looked at together, and the numbers of each beside the others of its column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Floats, Ints

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
    def of(cls, codes: Mapping[str, Ints], side: Bools | None) -> tuple[SubgroupLooks, dict[str, int]]:
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
    def of(
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
