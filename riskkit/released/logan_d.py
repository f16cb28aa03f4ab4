"""LOGAN-D: does a network that tells released rows from reference rows take the record for a released one?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.released._discriminate import network


@dataclass(frozen=True)
class LoganD(FileAttack):
    """Log-odds of "released" from a discriminating network of two layers of 256.

    References
    ----------
    .. [1] Hayes, Melis, Danezis and De Cristofaro, LOGAN (PoPETs 2019), the attack with auxiliary rows, its
       discriminator trained on release against reference.
    """

    name: ClassVar[str] = "logan-d"
    title: ClassVar[str] = "Discriminating network (LOGAN-D)"
    card: ClassVar[str] = (
        "Trains a network to tell released rows from reference rows, as a GAN's own discriminator would, and "
        "scores a record higher the more the network takes it for released. Needs reference rows of the same "
        "population, and long training. Finds smooth overfitting of deep methods; usually weaker than distances on "
        "small tables."
    )
    needs_reference: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    """From ``rows`` of each table at most; an audit says so where a table has more."""
    in_all: ClassVar[bool] = False
    """It takes as long as all others together and is never the strongest of them; whoever wants it names it."""

    epochs: int = parameter(
        40, label="Epochs", help="How often the network sees every row.", low=1, high=10_000, unit="passes"
    )
    rows: int = parameter(
        10_000,
        label="Rows to learn from",
        help="The network learns from at most this many rows of each side, drawn at random where there are more.",
        low=2,
        high=1_000_000,
        unit="rows",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) log-odds of having been released."""
        released = some(sight.release, self.rows, sight.rng)
        people = some(sight.others, self.rows, sight.rng)
        return network(released, sight.targets, people, self.epochs, sight.rng)


PLUGIN = LoganD
