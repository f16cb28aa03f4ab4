"""EPT: how well do the released rows foretell each value of the record from its others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.released._caps import some
from riskkit.released._discriminate import misfit
from riskkit.released._distances import RELEASED, require_points
from riskkit.table.points import RowPoints


@dataclass(frozen=True)
class Ept(CheckedPlugin):
    """Less the error of trees, grown on the release, that foretell each column from the others.

    The published attack feeds the errors of all columns to a classifier trained on shadow releases. There is no
    generator to make shadows with here, so the errors are summed: the better the release foretells a record, the
    more it speaks for "in". Errors of trees grown on the reference can be taken off; that steadies the score where
    members are easier to foretell than others, and otherwise adds noise, so it is off by default.

    References
    ----------
    .. [1] MIA-EPT: membership inference attack via error prediction for tabular data (2025).
    """

    name: ClassVar[str] = "ept"
    title: ClassVar[str] = "Error of predicted values (EPT)"
    card: ClassVar[str] = (
        "Learns from the release to predict each column from the others, and scores a record higher the smaller "
        "the errors. Needs nothing but the release; reference rows only if their errors are to be taken off. Finds "
        "combinations of values carried over in part, where no whole row is near; weak where columns say nothing "
        "about each other."
    )
    needs_reference: ClassVar[bool] = False
    learns: ClassVar[bool] = True
    """From ``rows`` of each table at most; an audit says so where a table has more."""

    compare: bool = parameter(
        False,
        label="Take off the reference's errors",
        help=(
            "Count how much better the release predicts a record than the reference does, where there is a reference."
        ),
    )
    rows: int = parameter(
        10_000,
        label="Rows to learn from",
        help="The trees learn from at most this many rows, drawn at random where there are more.",
        low=2,
        high=1_000_000,
        unit="rows",
    )

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        """(n_targets,) less the summed error, or by how much it is below the reference's."""
        require_points(1, release, RELEASED, self.title)
        ours = -misfit(some(release, self.rows, rng), targets, rng)
        if self.compare and reference is not None and len(reference):
            ours += misfit(some(reference, self.rows, rng), targets, rng)
        return ours


PLUGIN = Ept
