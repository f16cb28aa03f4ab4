"""Anonymisers of rows: some are kept and some dropped, at random or by how they stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints, Role, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, counts_of, exactly
from riskkit.parameters import parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Deletion(Anonymiser):
    """Drops a share of the rows and releases the others unchanged.

    ``outlying`` drops the rows that are least likely if columns were independent: each level weighs minus the
    logarithm of its share of the table, each number half its squared distance from the table's mean in standard
    deviations. Whether a row is dropped then depends on the others, so a record that stays can still be told by whom
    it pushed out.
    """

    name: ClassVar[str] = "deletion"
    title: ClassVar[str] = "Record deletion"
    card: ClassVar[str] = (
        "Drops a share of the rows, at random or those that stand out most, and publishes the others unchanged. Random "
        "deletion draws anew for each release; outlying rows are chosen in the fit, where only ties are drawn; both "
        "take milliseconds. Who stays is exposed in full (Hundepool et al. 2012, Statistical Disclosure Control)."
        + ROWS
    )

    share: float = parameter(
        0.1, label="Share dropped", help="How much of the table is not released.", low=0.0, high=0.99
    )
    which: str = parameter(
        "outlying",
        label="Which rows",
        help="Outlying rows have rare levels and extreme numbers. Random rows are others in each release.",
        choices={"outlying": "Outlying rows", "random": "Random rows"},
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:
        """Drop the outlying rows, where they are asked for; ties are broken by ``rng``."""
        dropped = round(self.share * len(table))
        self.refuse_none_left(len(table) - dropped, table, phrase("Choose a smaller share."))
        if self.which == "random":
            return Anonymised(table, self.draw)
        order = np.lexsort((rng.random(len(table)), surprise(table)))
        return Anonymised(table.rows(np.sort(order[: len(table) - dropped])))

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows that one random deletion leaves."""
        return table.rows(~exactly(self.share, len(table), rng))


def surprise(table: Table) -> Floats:
    """(n,) how far a row stands out: minus the logarithm of its likelihood if columns were independent.

    Constants are left out; a missing number weighs minus the logarithm of the share of missing ones.
    """
    total = np.zeros(len(table))
    for codes in table.codes.T:
        total -= np.log(counts_of(codes.astype(np.int64)) / len(table))
    for values in table.numbers.T:
        missing = np.isnan(values)
        spread = float(values[~missing].std()) if not missing.all() else 0.0
        if spread > 0:
            total[~missing] += ((values[~missing] - values[~missing].mean()) / spread) ** 2 / 2
        total[missing] -= np.log(missing.mean()) if missing.any() else 0.0
    return total


@dataclass(frozen=True)
class KAnonymity(Anonymiser):
    """Drops every row whose combination of values fewer than ``k`` rows share, and releases the others unchanged.

    The combination is over the categories, and over the numbers too where that is asked for: of the columns with the
    role *known*, or of all columns. Two missing values are the same value. All anonymised rows together are
    k-anonymous; a release of fewer rows than there are is a sample of them.

    References
    ----------
    .. [1] Sweeney 2002, k-anonymity: a model for protecting privacy, https://doi.org/10.1142/S0218488502001648
    """

    name: ClassVar[str] = "kanonymity"
    title: ClassVar[str] = "k-anonymity by dropping rare rows"
    card: ClassVar[str] = (
        "Counts how many rows share each combination of values and drops the rows of combinations that fewer than k "
        "rows have. Nothing is random but the choice and the order of the rows; it takes milliseconds. The model is "
        "that of Sweeney 2002, without generalisation: put rounding or coding before it to keep more rows." + ROWS
    )

    k: int = parameter(
        5,
        label="Rows of a combination",
        help="Rarer combinations are dropped. 1 drops none.",
        low=1,
        high=50,
        unit="rows",
    )
    columns: str = parameter(
        "known",
        label="Columns of the combination",
        help="The page Data says which columns the attacker knows.",
        choices={"known": "Columns that the attacker knows", "all": "Every column"},
    )
    numbers: bool = parameter(
        False, label="Numbers count too", help="Whether numbers and dates are part of the combination."
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """Drop the rare rows."""
        kept = counts_of(self.combinations(table)) >= self.k
        advice = phrase("Lower k, or round the numbers and merge rare levels first.")
        self.refuse_none_left(int(kept.sum()), table, advice)
        return Anonymised(table.rows(kept))

    def combinations(self, table: Table) -> Ints:
        """(n,) a number for each combination of values.

        Raises
        ------
        DesignError
            No column is left to count by.
        """
        counted = [
            codes
            for codes, column in zip(table.codes.T, table.schema.categorical, strict=True)
            if self._counts(column.role)
        ]
        if self.numbers:
            counted += [
                np.unique(values, return_inverse=True)[1]
                for values, column in zip(table.numbers.T, table.schema.numeric, strict=True)
                if self._counts(column.role)
            ]
        if not counted:
            raise DesignError.phrase(
                "kanonymity: there is no column to count by; let numbers count too, or all columns."
            )
        _, group = np.unique(np.column_stack(counted), axis=0, return_inverse=True)
        return group.ravel().astype(np.int64)

    def _counts(self, role: Role) -> bool:
        return self.columns == "all" or role is Role.KNOWN


@dataclass(frozen=True)
class Sampling(Anonymiser):
    """Keeps a share of the rows, every set of that size with the same chance, and releases them as they are.

    A record is in the release with exactly the probability ``share``, and whoever is in it is there unchanged.
    """

    name: ClassVar[str] = "sampling"
    title: ClassVar[str] = "Sampling (a random share of the rows)"
    card: ClassVar[str] = (
        "Keeps a random share of the rows and publishes them unchanged. Fitting has no randomness, each release keeps "
        "another share; both take milliseconds. People who are not drawn are not exposed, people who are drawn are "
        "exposed in full: the oldest method of the statistical offices (Hundepool et al. 2012, Statistical Disclosure "
        "Control)." + ROWS
    )

    share: float = parameter(
        0.5, label="Share kept", help="How much of the table each release is drawn from.", low=0.01, high=1.0
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """See that a row is left."""
        self.refuse_none_left(round(self.share * len(table)), table, phrase("Choose a larger share."))
        return Anonymised(table, self.draw)

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows of one draw."""
        return table.rows(exactly(self.share, len(table), rng))


PLUGIN = Deletion, KAnonymity, Sampling
