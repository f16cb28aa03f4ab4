"""Listed: the rows the user points at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table, Targets
from riskkit.errors import DesignError, ParameterError
from riskkit.parameters import check_parameters, parameter


@dataclass(frozen=True)
class Listed:
    """Exactly the rows whose numbers are given, in that order.

    The list says how many targets there are: ``choose`` takes ``k = 0`` ("as many as listed") or the length of the
    list, and refuses any other, so that no row on the list is ever left out in silence.
    """

    name: ClassVar[str] = "listed"
    title: ClassVar[str] = "Rows I choose"
    card: ClassVar[str] = (
        "Attacks the rows of the real table you name or click on. For questions about one particular person; "
        "says nothing about anyone else."
    )

    rows: tuple[int, ...] = parameter(
        (), label="Row numbers", help="Rows of the real table, counted from 0 as the Data page shows them."
    )

    def __post_init__(self) -> None:
        check_parameters(self)
        if any(isinstance(row, bool) or not isinstance(row, int | np.integer) or row < 0 for row in self.rows):
            raise ParameterError.phrase("listed: rows must be whole numbers from 0 upwards.")
        if len(set(self.rows)) < len(self.rows):
            raise ParameterError.phrase("listed: a row number is given twice; name each row once.")

    @property
    def fixed_count(self) -> int:
        """How many targets the list holds, whatever the plan says for other rules."""
        return len(self.rows)

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:  # noqa: ARG002  nothing is drawn
        """The listed rows; ``k`` is 0 or their number.

        Raises
        ------
        DesignError
            No row is listed, a row is not in the table, or ``k`` is another number than the list has rows.
        """
        if not self.rows:
            raise DesignError.phrase("No row is listed as a target: name at least one row number of the real table.")
        if k not in (0, len(self.rows)):
            raise DesignError.phrase(
                "{k:,} targets were asked for and {listed:,} rows are listed: ask for as many as are listed.",
                k=k,
                listed=len(self.rows),
            )
        if max(self.rows) >= len(table):
            raise DesignError.phrase(
                "Row {row:,} is listed as a target, the real table has rows 0 to {last:,}: name a row that is there.",
                row=max(self.rows),
                last=len(table) - 1,
            )
        index = np.array(self.rows)
        return Targets(index, table.rows(index))


PLUGIN = Listed
