"""Classifier: does the record look released rather than merely real?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.released._discriminate import forest


@dataclass(frozen=True)
class Classifier(FileAttack):
    """Probability of "released" from a forest of random trees that tells the release from the reference.

    Targets are in neither, so their scores are out of sample by construction.

    References
    ----------
    .. [1] Houssiau et al., TAPAS (2022), and Ward et al., Synth-MIA (2025), use it as a plain discriminator.
    """

    name: ClassVar[str] = "classifier"
    title: ClassVar[str] = "Classifier, released or reference"
    card: ClassVar[str] = (
        "Learns to tell released rows from reference rows, and scores a record higher the more it looks like a "
        "released row. Needs reference rows of the same population. Finds near copies, most of all in tables of "
        "mixed columns; where the method distorts every row alike it learns the distortion, which members do not "
        "share."
    )
    needs_reference: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    """From ``rows`` of each table at most; an audit says so where a table has more."""

    rows: int = parameter(
        10_000,
        label="Rows to learn from",
        help=("The classifier learns from at most this many rows of each side, drawn at random where there are more."),
        low=2,
        high=1_000_000,
        unit="rows",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) probability of having been released."""
        released = some(sight.release, self.rows, sight.rng)
        people = some(sight.others, self.rows, sight.rng)
        return forest(released, sight.targets, people, sight.rng)


PLUGIN = Classifier
