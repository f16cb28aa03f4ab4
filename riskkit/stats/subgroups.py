"""For whom risk is highest: every group of several columns beside the other groups of its column, all at once.

Several measures, one test. A group's number is the mean of its people's (:func:`subgroups`), where trainings that
people share moved these numbers together with that error (:func:`of_trainings`); the AUC of its members above its own
people who were not in (:func:`subgroups` with sides); or the mean of its members less that of its people who were not
in (:func:`gaps`). With sides a group that is high on both is at no higher risk.

Each group is set beside the others of its column, weighted by their people, by a studentised difference. Its law is
that of the largest such difference over all groups when people (on their own side) are dealt their groups anew, all
columns together: the family-wise error is exact where scores have nothing to do with groups, and holds in the limit
where only the means or AUCs are equal (Janssen 1997; Chung and Romano 2013; Westfall and Young 1993, maxT). Groups of
fewer than :data:`FEWEST` people, on a side where there are sides, take no part and count on nobody's side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Estimate, Floats, Ints
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats._subgroup_looks import FEWEST as FEWEST  # for those who say how many people a group has at least
from riskkit.stats._subgroup_looks import SubgroupLooks, SubgroupNumbers
from riskkit.stats._subgroup_measures import Aucs, Gaps, Means, SharedMeans, SubgroupMeasure

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
    codes = _checked(group, value, *(() if side is None else (side,)))
    looks, small = SubgroupLooks.of(codes, side)
    if not looks.columns:
        return Subgroups((), (), small, 0)
    return _compared(Means(value) if side is None else Aucs(value, side, looks), looks, small, rng, level, deals)


def of_trainings(
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
    codes = _checked(group, value, *(side[:, 0] for side in sides))
    looks, small = SubgroupLooks.of(codes, None)
    if not looks.columns:
        return Subgroups((), (), small, 0)
    return _compared(SharedMeans(value, [SharedMeans.parts(side) for side in sides]), looks, small, rng, level, deals)


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
    codes = _checked(group, value, people, side)
    looks, small = SubgroupLooks.of(codes, side)
    if not looks.columns:
        return Subgroups((), (), small, 0)
    return _compared(Gaps(value, people, side), looks, small, rng, level, deals)


def _checked(group: Mapping[str, npt.ArrayLike], value: Floats, *beside: npt.NDArray[np.generic]) -> dict[str, Ints]:
    """The numbers of people's groups by each column, one for each score."""
    codes = {by: np.asarray(own, dtype=np.int64) for by, own in group.items()}
    if any(own.shape != value.shape for own in (*codes.values(), *beside)):
        raise ScoreError(
            phrase("Each person needs one score and one group by each column; the lists differ in length.")
        )
    if not np.isfinite(value).all():
        raise ScoreError(phrase("Some scores are not finite numbers."))
    return codes


def _compared(
    measure: SubgroupMeasure,
    looks: SubgroupLooks,
    small: Mapping[str, int],
    rng: np.random.Generator,
    level: float,
    deals: int,
) -> Subgroups:
    """Every group beside the others of its column, by the largest difference of every deal."""
    seen = measure.of(looks, np.arange(looks.codes.shape[1]))
    largest = np.empty(deals)
    for deal, order in enumerate(measure.orders(rng, deals)):
        stages.part(deal, deals)
        largest[deal] = _furthest(measure.of(looks, order).z)
    reach = float(np.sort(largest)[min(int(np.ceil(level * (deals + 1))), deals) - 1])
    together = _Together(looks, seen, largest, reach, level)
    each = measure.estimates(seen, looks, reach, level)
    return Subgroups(
        tuple(together.subgroup(each[position], position) for position in np.argsort(-seen.z, kind="stable").tolist()),
        looks.columns,
        small,
        deals,
    )


def _furthest(z: Floats) -> float:
    """How far the furthest of all groups lies from the others of its column."""
    return float(np.abs(z).max())


@dataclass(frozen=True, slots=True, eq=False)
class _Together:
    """What all groups share: their numbers, the largest difference of every deal, how far intervals reach."""

    looks: SubgroupLooks
    seen: SubgroupNumbers
    largest: Floats
    reach: float
    level: float

    def subgroup(self, estimate: Estimate, position: int) -> Subgroup:
        """One of them, whose number that is, with its intervals and its p-value."""
        people, deals, groups = int(self.seen.people[position]), len(self.largest), len(self.looks.code)
        excess, error = float(self.seen.excess[position]), self.reach * float(np.sqrt(self.seen.of_excess[position]))
        above = int(np.count_nonzero(self.largest >= abs(self.seen.z[position]) * (1 - 1e-12)))
        method = f"less the other groups of the column, maxT over {groups} groups, {deals} deals"
        return Subgroup(
            self.looks.columns[self.looks.column[position]],
            int(self.looks.code[position]),
            estimate,
            Estimate("excess", excess, excess - error, excess + error, self.level, method, people),
            (1 + above) / (1 + deals),
        )
