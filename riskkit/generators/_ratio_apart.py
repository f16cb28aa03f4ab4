"""What released rows say of each record, or person, of a table whose columns were counted each by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.generators._network import Parents
from riskkit.generators._ratio import Ratio, RecordCell, TreeLaw, TreeShares, refuse_only_row, tells_of
from riskkit.generators._ratio_people import PersonLaw, PersonRatio, cell_of, places_of, refuse_everybody


@dataclass(frozen=True, slots=True, eq=False)
class ApartRatios:
    """The ratios of every record of columns, or sets of columns, that were counted each by itself.

    ``columns`` has the positions of each set; ``both`` (sets, n) is how many rows agree with each row on it, and
    ``value`` (sets, n) is the same number for rows that agree.
    """

    columns: tuple[tuple[int, ...], ...]
    both: Ints
    value: Ints

    def tells(self) -> Floats:
        """(2, n) how far a released row tells of each record, summed over all sets; see :func:`tells_of`."""
        n = self.both.shape[1]
        refuse_only_row(n)
        total: Floats = tells_of(self.both, np.full(self.both.shape, n), n, 0.0, n, 0).sum(axis=1)
        return total

    def of(self, row: int) -> Ratio:
        """The ratio of one record.

        Raises
        ------
        DesignError
            It is the only row: there is no fit without it.
        """
        refuse_only_row(n := self.both.shape[1])
        cells = tuple(
            RecordCell(own, n, int(both), n, 0.0, 1.0)
            for own, both in zip(self.columns, self.both[:, row], strict=True)
        )
        alone: Parents = ((),) * len(cells)
        nothing = np.zeros(len(cells), dtype=np.int64)
        return Ratio(cells, TreeLaw(TreeShares(alone, (np.ones((1, 1)),) * len(cells)), cells, nothing))

    def of_person(self, rows: Ints) -> PersonRatio:
        """The ratio of the person who has these rows.

        Raises
        ------
        DesignError
            The person has all the rows: there is no fit without them.
        """
        n = self.both.shape[1]
        refuse_everybody(n, len(rows))
        nothing, all_rows = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), n)
        places = tuple(
            places_of(nothing, code, both, all_rows, n, 0.0)
            for code, both in zip(self.value[:, rows], self.both[:, rows], strict=True)
        )
        cells = tuple(cell_of(own, held, n, None) for own, held in zip(self.columns, places, strict=True))
        alone = TreeShares(((),) * len(cells), (np.ones((1, 1)),) * len(cells))
        return PersonRatio(cells, PersonLaw(alone, places))
