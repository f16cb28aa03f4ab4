"""Agreement of columns: is there a released row that agrees with the record on some columns as few others do?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight

TARGETS = 64
"""Targets that are scored in one call: in between, a signal to stop is heard."""


@dataclass(frozen=True)
class AgreementOfColumns(FileAttack):
    """The largest weight of agreement of a record with any released row, columns added up.

    The weight of a column is ``ln(share n / k)`` where ``k`` of the ``n`` released rows are as near to the record in
    this column as that row is, itself among them: categories are equal or are not, numbers are as near as they are.
    An agreement that more than ``share`` of the rows have counts nothing, and a column that disagrees takes nothing
    away. So a row whose values come from the record in one group of columns and from somewhere else in the others is
    found, whichever the group is; distances are ruled by the others.

    References
    ----------
    .. [1] Fellegi and Sunter, A theory for record linkage, JASA 64 (1969): weights of agreement. That they stand on
       ranks of nearness, and disagreements on nothing, is riskkit's.
    """

    name: ClassVar[str] = "agreement"
    title: ClassVar[str] = "Agreement of columns"
    card: ClassVar[str] = (
        "Scores a record higher the more surprising the agreement of any one released row with it is, added up over "
        "columns; what disagrees counts nothing. Needs nothing but the release. Finds rows that take a group of "
        "columns from one person and the rest from others; weak where the columns that were taken have few values."
    )
    share: float = parameter(
        0.2,
        label="Share of rows",
        help="A column counts where at most this share of the released rows is as near to the record.",
        low=0.001,
        high=1.0,
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) in nats, 0 where no column agrees."""
        from riskkit.released import _kernels

        release, targets = sight.release, sight.targets
        most = max(int(self.share * len(release)), 1)
        weights = np.maximum(np.log(self.share * len(release) / np.arange(1, most + 1)), 0.0)
        order = np.argsort(release.numbers, axis=0, kind="stable").T
        numbers = np.take_along_axis(release.numbers.T, order, axis=1)
        code_order = np.argsort(release.codes, axis=0, kind="stable").T
        codes = np.take_along_axis(release.codes.T, code_order, axis=1)
        out = np.empty(len(targets))
        for start in range(0, len(targets), TARGETS):
            some = slice(start, start + TARGETS)
            _kernels.strongest_agreement(
                numbers, order, codes, code_order, targets.numbers[some], targets.codes[some], weights, out[some]
            )
        return out


PLUGIN = AgreementOfColumns
