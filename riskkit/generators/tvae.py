"""TVAE: a variational autoencoder for tables, through the ctgan package."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from riskkit.generators.engines.deep import LICENCE, SHORT, TrainedTogether, Trainer, precision_setting
from riskkit.parameters import parameter


@dataclass(frozen=True)
class Tvae(TrainedTogether):
    """Trains an encoder to a normal distribution and a decoder back; a release decodes fresh normal draws.

    Numbers are encoded by a mixture of at most ten normal distributions a column, categories one-hot. All else is as
    the package has it. The steps of training are riskkit's own, in less time: from a seed they come to the package's
    networks but for rounding. The mixtures start from the package's own fixed seed, everything else is
    drawn from the given generator. With a CUDA device the numbers differ from those of the processor.

    The package's last batch holds what is left, so that in a world of 1,001 rows one row would be a batch of its own
    and weigh like 500. So the batches are made equal, as near to the wanted size as the rows allow.

    References
    ----------
    .. [1] Xu, Skoularidou, Cuesta-Infante and Veeramachaneni, Modeling tabular data using conditional GAN, NeurIPS
       2019, section 4.4; ctgan 0.12.1.
    """

    name: ClassVar[str] = "tvae"
    short_name: ClassVar[str] = "TVAE"
    title: ClassVar[str] = "Neural network, autoencoder (TVAE)"
    card: ClassVar[str] = (
        "Trains a network that compresses rows into normally distributed numbers and turns these back into rows, after "
        "Xu et al. (2019), through the ctgan package; a release does so with new draws. Training and each release are "
        "random; a training on a thousand rows takes seconds. " + LICENCE
    )

    epochs: int = parameter(
        100, label="Epochs", help="Passes over the table. The package's default is 300.", low=1, high=10_000
    )
    batch_size: int = parameter(
        500, label="Batch size", help="Rows in a training step.", low=10, high=5_000, unit="rows"
    )
    precision: str = precision_setting()

    def trainer(self) -> Trainer:
        """Models whose batches follow from the rows of their table."""
        from riskkit.generators.engines.tvae_training import TvaeModel, learn

        learning = partial(learn, is_short=self.precision == SHORT)
        return lambda rows: TvaeModel(self.epochs, self.batch(rows)), learning

    def batch(self, rows: int) -> int:
        """The rows of a batch such that all batches of a pass are equal but for one row."""
        return math.ceil(rows / max(1, round(rows / self.batch_size)))


PLUGIN = Tvae
