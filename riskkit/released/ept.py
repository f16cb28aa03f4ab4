"""EPT: how well do the released rows foretell each value of the record from its others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.released._discriminate import misfit


@dataclass(frozen=True)
class Ept(FileAttack):
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

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) less the summed error, or by how much it is below the reference's."""
        ours = -misfit(some(sight.release, self.rows, sight.rng), sight.targets, sight.rng)
        if self.compare and sight.reference is not None and len(sight.reference):
            ours += misfit(some(sight.reference, self.rows, sight.rng), sight.targets, sight.rng)
        return ours


PLUGIN = Ept
