"""Copy: say what the nearest rows say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Column, Floats
from riskkit.inference._groups import KnownGroups
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, Guess, Secret, SecretKind, guess_level, guess_number
from riskkit.table.points import points_of


@dataclass(frozen=True)
class Copy(CheckedPlugin):
    """The shares (or the mean) of the ``k`` nearest different known rows, each with as many votes as it has rows.

    Distance is the straight line with numbers in standard deviations of the schema and 1 for each category that
    differs. Of rows at the same distance the first in the order of their keys counts, so the order of the rows in the
    file does not matter.

    References
    ----------
    .. [1] Giomi et al., A unified framework for quantifying privacy risk in synthetic data (2023): inference.
    """

    name: ClassVar[str] = "copy"
    title: ClassVar[str] = "Copy of the nearest rows"
    card: ClassVar[str] = (
        "Finds the released row most like the person and copies its secret. The simplest attack. Strong where rows are "
        "repeated; a poor guess of the population, since one row decides."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    k: int = parameter(1, label="Neighbours", help="How many of the nearest different rows vote.", low=1, high=1000)

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedCopy:  # noqa: ARG002  no chance
        """Build the search. Draws nothing at random.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.neighbors import NearestNeighbors

        groups = KnownGroups.group(known, secret)
        search = NearestNeighbors(n_neighbors=min(self.k, len(groups.keys)), n_jobs=1).fit(
            _places(known.rows(groups.first))
        )
        return FittedCopy(groups, secret.column, search)


@dataclass(frozen=True, slots=True, eq=False)
class FittedCopy:
    """The different rows of the training in a search structure."""

    groups: KnownGroups
    column: Column
    search: Any

    def guess(self, known: Features) -> Guess:
        """What the nearest rows say."""
        places = self.search.kneighbors(_places(known), return_distance=False)
        votes = self.groups.summary[places].sum(axis=1) / self.groups.size[places].sum(axis=1)[:, None]
        if self.column.is_numeric:
            return guess_number(votes[:, 0], self.column)
        return guess_level(votes)


def _places(known: Features) -> Floats:
    """Rows as points of a space with straight-line distances."""
    return points_of([known.table])[0].matrix()


PLUGIN = Copy
