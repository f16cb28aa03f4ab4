"""TabDDPM: a diffusion model for tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.generators.engines.deep import TrainedTogether, Trainer
from riskkit.parameters import parameter


@dataclass(frozen=True)
class TabDdpm(TrainedTogether):
    """Trains a network to guess the noise in noisy rows; a release begins with noise, and takes it off step by step.

    Numbers become normal scores by their rank, and get normal noise; levels are drawn anew more and more often, each
    column by itself. Loss, network and optimiser are those of the paper and of its authors' program. Numbers that may
    be missing have a column beside them that says where. Everything is drawn from the given generator. With a CUDA
    device the numbers differ from those of the processor.

    Two things are not as in that program, and each can be had as there. Its noise grows by the cosine, so that the
    first step back divides by the root of .001, and an error of the network counts 31 times. And its network sees the
    logarithms of the levels' shares, 0 and -69, beside which it hardly sees a number; the same functions of a row can
    be had from 0 and 1. With either, after a training of seconds many numbers lie at an end of their range: an attack
    that finds nothing in such a release says little about a network that was trained for hours.

    References
    ----------
    .. [1] Kotelnikov, Baranchuk, Rubachev and Babenko, TabDDPM: modelling tabular data with diffusion models, ICML
       2023.
    """

    name: ClassVar[str] = "tabddpm"
    short_name: ClassVar[str] = "TabDDPM"
    title: ClassVar[str] = "Neural network, diffusion (TabDDPM)"
    card: ClassVar[str] = (
        "Trains a network to guess the noise in noisy rows, after Kotelnikov et al. (2023); a release begins with "
        "noise alone and takes it off step by step. Training and each release are random; a training takes seconds."
    )

    training_steps: int = parameter(
        2_000,
        label="Training steps",
        help="How often the network is moved, each time by one batch of rows. The paper has 5,000 and more.",
        low=1,
        high=100_000,
    )
    batch_size: int = parameter(
        100, label="Batch size", help="Rows in a training step.", low=10, high=5_000, unit="rows"
    )
    noise_steps: int = parameter(
        200,
        label="Steps of noise",
        help="Into how many steps noise is divided. The paper has 100 or 1,000; a release takes as many.",
        low=25,
        high=2_000,
    )
    schedule: str = parameter(
        "linear",
        label="Growth of noise",
        help="How noise grows from step to step. The paper's is the cosine, which needs a long training: after a short "
        "one many numbers lie at the ends of their ranges.",
        choices={"linear": "Evenly", "cosine": "By the cosine, as the paper"},
    )
    levels: str = parameter(
        "ones",
        label="Levels in the network",
        help="As what the network sees the levels of a row. Both say the same; but logarithms lie between -69 and 0, "
        "and beside them it learns numbers so slowly that many lie at the ends of their ranges.",
        choices={"ones": "0 and 1", "logarithms": "Logarithms, as the authors' program"},
    )

    def trainer(self) -> Trainer:
        """Models of one plan, whatever the rows of their table."""
        from riskkit.generators.engines.diffusion import Diffusion, DiffusionPlan, learn

        chosen = DiffusionPlan(
            self.training_steps, self.batch_size, self.noise_steps, self.schedule, self.levels == "logarithms"
        )
        return lambda _: Diffusion(chosen), learn


PLUGIN = TabDdpm
