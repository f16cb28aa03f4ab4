"""Rows that cannot be told apart by their known columns, taken together: what the models that look rows up share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.table.features import Features, Secret


@dataclass(frozen=True, slots=True, eq=False)
class KnownGroups:
    """The different known rows of a training, sorted by key, and what is secret of each.

    ``summary`` is (n_groups, n_levels) how many rows of each level a group has, or for a number (n_groups, 1) the sum
    of its values; ``size`` (n_groups,) its rows; ``first`` (n_groups,) the position of one of its rows.
    """

    keys: npt.NDArray[np.void]
    first: Ints
    size: Ints
    summary: Floats

    @classmethod
    def group(cls, known: Features, secret: Secret) -> KnownGroups:
        """The groups of these rows.

        Raises
        ------
        DesignError
            There is no row.
        """
        check_rows(secret)
        keys, first, group, size = np.unique(known.keys(), return_index=True, return_inverse=True, return_counts=True)
        if secret.kind == "category":
            cell = group.astype(np.int64) * secret.n_levels + secret.codes
            counted = np.bincount(cell, minlength=len(keys) * secret.n_levels)
            return cls(keys, first, size, counted.reshape(len(keys), secret.n_levels).astype(np.float64))
        return cls(keys, first, size, np.bincount(group, weights=secret.values).astype(np.float64)[:, None])

    @property
    def overall(self) -> Floats:
        """(n_levels,) the share of each level, or (1,) the mean value, over all rows."""
        share: Floats = self.summary.sum(axis=0) / self.size.sum()
        return share

    def find(self, known: Features) -> Ints:
        """(n,) the group of each row, -1 where the training had no such row."""
        keys = known.keys()
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, -1)


def check_rows(secret: Secret) -> None:
    """Refuse to learn from nothing."""
    if not len(secret):
        raise DesignError.phrase(
            "No row has a value of {column!r}, so nothing can be learnt of it.", column=secret.column.name
        )
