"""CAP: look up the rows that agree in every known column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column
from riskkit.inference._groups import KnownGroups
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, Guess, Secret, SecretKind, guess_level, guess_number

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


PLUGIN = Cap
