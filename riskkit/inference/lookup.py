"""Look up the rows that agree with what is known (CAP), or those nearest to it (copy), and say what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Column, Floats
from riskkit.inference._groups import KnownGroups
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, Guess, Secret, SecretKind, guess_level, guess_number
from riskkit.table.points import points_of

NO_MATCH = ("prior", "nothing")


@dataclass(frozen=True)
class Cap(CheckedPlugin):
    """Correct attribution probability: among the released rows with the same known values, the share of each level.

    The probability of the truth is the CAP of a record; its mean less that of the baseline is DCAP; the share guessed
    rightly among records whose matching rows all agree (confidence 1, and matched) is TCAP. For a number the guess is
    the mean of the matching rows. Numbers that are known match when they are equal. The order of the rows does not
    matter.

    References
    ----------
    .. [1] Elliot, Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team
       (2014); Taub et al., Differential correct attribution probability for synthetic data (2018).
    """

    name: ClassVar[str] = "cap"
    title: ClassVar[str] = "Exact match (CAP)"
    card: ClassVar[str] = (
        "Looks up the released rows that agree in every known column, and answers with their shares. Needs few known "
        "columns with few values: with many, hardly any row matches. How it answers then is a setting."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    no_match: str = parameter(
        "prior",
        label="Where no row matches",
        help="The answer is then the shares of the whole release, or no guess, which counts as wrong. For a number "
        "both answer with the mean of the release.",
        choices=dict(zip(NO_MATCH, ("Use the shares of the whole release", "Make no guess"), strict=True)),
    )

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedCap:  # noqa: ARG002  no chance
        """Sort the rows for looking up. Draws nothing at random.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        return FittedCap(KnownGroups.group(known, secret), secret.column, self.no_match)


@dataclass(frozen=True, slots=True, eq=False)
class FittedCap:
    """The released rows, ready to be looked up."""

    groups: KnownGroups
    column: Column
    no_match: str

    def guess(self, known: Features) -> Guess:
        """The shares, or the mean, of the matching rows; ``matched`` says where there are any."""
        groups = self.groups.find(known)
        matched = groups >= 0
        shares = self.groups.summary[groups] / self.groups.size[groups, None]
        if self.column.is_numeric:
            return guess_number(np.where(matched, shares[:, 0], self.groups.overall), self.column, matched)
        shares[~matched] = self.groups.overall if self.no_match == "prior" else 0.0
        return guess_level(shares, matched)


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


PLUGIN = Cap, Copy
