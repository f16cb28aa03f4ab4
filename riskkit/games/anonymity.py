"""How anonymous a release is by two classical measures, counted: its k, and who of the population stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError


@dataclass(frozen=True, slots=True)
class Anonymity:
    """Counts of one release, or the worst of several.

    ``k`` is the size of the smallest group of released rows that are equal in all columns, ``k_categories`` in all
    categories (0 where there are none). ``held`` rows of the population stand in the release value by value, and
    ``held_in`` of them were in. ``low`` and ``high`` are the empirical delta-presence: among combinations of categories
    that were released, the smallest and the largest share of their people in the population who were in; both 0 where
    none of them has people there.
    """

    k: int
    k_categories: int
    held: int
    held_in: int
    low: float
    high: float

    def as_dict(self) -> dict[str, float]:
        """Plain values."""
        return asdict(self)


def anonymity(release: Table, population: Table, is_in: Bools) -> Anonymity:
    """Count them. ``is_in`` (n_population,) says who was in.

    Raises
    ------
    DesignError
        The release has no row.
    """
    if not len(release):
        raise DesignError.phrase("The release has no row, so no group can be counted.")
    ours, theirs = _groups(release.keys(), population.keys())
    held = np.isin(theirs, ours)
    exact = _smallest(ours), int(held.sum()), int((held & is_in).sum())
    if not release.codes.shape[1]:
        return Anonymity(exact[0], 0, *exact[1:], 0.0, 0.0)
    group, place = _groups(release.codes, population.codes)
    most = int(max(group.max(), place.max(initial=0))) + 1
    people, inside = np.bincount(place, minlength=most), np.bincount(place[is_in], minlength=most)
    met = np.unique(group)[people[np.unique(group)] > 0]
    shares = inside[met] / people[met] if len(met) else np.zeros(1)
    return Anonymity(exact[0], _smallest(group), *exact[1:], float(shares.min()), float(shares.max()))


def worst(anonymities: Sequence[Anonymity]) -> Anonymity:
    """The smallest groups, the widest presence, and all rows held, of several releases."""
    return Anonymity(
        min(own.k for own in anonymities),
        min(own.k_categories for own in anonymities),
        sum(own.held for own in anonymities),
        sum(own.held_in for own in anonymities),
        min(own.low for own in anonymities),
        max(own.high for own in anonymities),
    )


def _groups(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """The number of the group of equal rows of either part; a matrix is read row by row."""
    axis = 0 if first.ndim > 1 else None
    group: Ints = np.unique(np.concatenate([first, second]), axis=axis, return_inverse=True)[1].reshape(-1)
    return group[: len(first)], group[len(first) :]


def _smallest(group: Ints) -> int:
    return int(np.unique(group, return_counts=True)[1].min())
