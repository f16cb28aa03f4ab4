"""k-anonymity by deletion: rows whose combination of values is too rare are dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Ints, Role, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, counts_of
from riskkit.parameters import parameter
from riskkit.phrases import phrase


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
            raise DesignError(
                phrase("kanonymity: there is no column to count by; let numbers count too, or all columns.")
            )
        _, group = np.unique(np.column_stack(counted), axis=0, return_inverse=True)
        return group.ravel().astype(np.int64)

    def _counts(self, role: Role) -> bool:
        return self.columns == "all" or role is Role.KNOWN


PLUGIN = KAnonymity
