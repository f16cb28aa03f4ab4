"""Learners: does the record look released rather than real, and how well do released rows foretell it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.released._discriminate import forest, misfit, network


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


PLUGIN = LoganD, Ept, Classifier
