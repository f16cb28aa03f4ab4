"""CTGAN: a conditional generative adversarial network for tables, through the ctgan package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from riskkit.generators.engines.deep import LICENCE, SHORT, TrainedTogether, Trainer, precision_setting
from riskkit.parameters import parameter


@dataclass(frozen=True)
class Ctgan(TrainedTogether):
    """Trains a generator against a discriminator that tells packs of ten real rows from ten made ones.

    Numbers are encoded by a mixture of at most ten normal distributions a column, categories one-hot; the generator
    is asked for a chosen level of a chosen column, rare levels more often than their share. All else is as the
    package has it. The steps of training are riskkit's own, in less time: from a seed they come to the package's
    networks but for rounding. The mixtures start from the package's own fixed seed, everything else is drawn
    from the given generator. With a CUDA device the numbers differ from those of the processor.

    A batch larger than the table draws its rows with replacement. The package makes ``rows // batch`` steps an epoch,
    which would be half the training for a world of 999 rows as for one of 1,000: an attacker would see the row count
    and not the row. So the epochs are chosen such that the steps in all are the parameters' to the nearest epoch.

    References
    ----------
    .. [1] Xu, Skoularidou, Cuesta-Infante and Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
       2019; ctgan 0.12.1.
    """

    name: ClassVar[str] = "ctgan"
    short_name: ClassVar[str] = "CTGAN"
    title: ClassVar[str] = "Neural network, adversarial (CTGAN)"
    card: ClassVar[str] = (
        "Trains a network that makes rows against a network that tells them from real rows, after Xu et al. (2019), "
        "through the ctgan package. Training and each release are random; a training on a thousand rows takes seconds "
        "to minutes, so an audit takes long. " + LICENCE
    )

    epochs: int = parameter(
        100, label="Epochs", help="Passes over the table. The package's default is 300.", low=1, high=10_000
    )
    batch_size: int = parameter(
        500,
        label="Batch size",
        help="Rows in a training step. The package takes multiples of 10 only.",
        choices=(10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000),
        unit="rows",
    )
    precision: str = precision_setting()

    def trainer(self) -> Trainer:
        """Models whose epochs follow from the rows of their table."""
        from riskkit.generators.engines.ctgan_training import CtganModel, learn

        learning = partial(learn, is_short=self.precision == SHORT)
        return lambda rows: CtganModel(self.rounds(rows), self.batch_size), learning

    def rounds(self, rows: int) -> int:
        """The package's epochs such that the steps in all are ``epochs * rows / batch_size``, or one an epoch."""
        steps = self.epochs * max(rows / self.batch_size, 1.0)
        return max(1, round(steps / max(rows // self.batch_size, 1)))


PLUGIN = Ctgan
