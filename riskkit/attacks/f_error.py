"""F_error: by how much are the noisy counts of a model above those of the table without the target?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Brief, Floats, Generator, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.noisy_counts import MODEL, CountsKept

LIKELIHOOD, ERRORS = "likelihood", "errors"


@dataclass(frozen=True)
class ModelErrors(CheckedPlugin):
    """Compares the noisy counts that a model was made from with exact counts of the table without the target.

    A white box attack: it is shown the fitted model. ``errors`` is the published feature [1]_, the sum over all cells
    of noisy less exact count; with the target each table of counts sums to one more, without it to nothing more.
    ``likelihood`` weighs by the law of the noise: only cells that the target moves tell anything of it, each by
    its own noise; and it adds how much likelier the model's picks (pairs, parents) are with the target. That is the
    log ratio of everything a training draws, so by Neyman and Pearson no attack on the model, or on any number of its
    releases, is better, where the other world has the same rows less the target.

    References
    ----------
    .. [1] Annamalai, Ganev and De Cristofaro 2024, "What do you want from theory alone?" Experimenting with tight
       auditing of differentially private synthetic data generation, USENIX Security, arXiv 2405.10994.
    """

    name: ClassVar[str] = "f_error"
    title: ClassVar[str] = "Errors of the model's counts (white box)"
    card: ClassVar[str] = (
        "Reads the noisy counts inside the trained model and compares them with exact counts of the table without the "
        "target. Needs every other real row, and a private method that keeps its noisy counts: mst, aim_tree, "
        "private_gsd or privbayes. Nobody who sees the model does better, so it shows how near the promise is; an "
        "attacker who sees releases alone does worse. After Annamalai, Ganev and De Cristofaro 2024."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "identity"
    sees: ClassVar[str] = MODEL
    shadows: ClassVar[int] = 0

    weigh: str = parameter(
        LIKELIHOOD,
        label="How errors are weighed",
        help="By their likelihood: by the law of the noise, with the picks. As a sum: over all cells, as published.",
        choices={LIKELIHOOD: "By their likelihood", ERRORS: "As a sum"},
    )

    def check(self, generator: Generator, few: Table, rng: np.random.Generator) -> None:
        """Refuse a generator whose model holds no noisy counts, before anything is trained for the game.

        Raises
        ------
        DesignError
            It holds none, as a fit to these few rows shows.
        """
        fitted = None
        with suppress(DesignError):  # where it refuses so few, nothing is known yet
            fitted = generator.fit(few, rng)
        if fitted is not None:
            _counts_of(fitted, generator.name)

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedModelErrors:  # noqa: ARG002  nothing is drawn here
        """Read the brief.

        Raises
        ------
        DesignError
            The brief lacks the real table.
        """
        if brief.data is None:
            raise DesignError.phrase("The attack on the model's counts needs the real table; give it exact knowledge.")
        return FittedModelErrors(brief.data.plus(brief.targets), brief.data, len(brief.targets), self.weigh)


def _counts_of(fitted: Any, name: str) -> CountsKept:
    if not isinstance(fitted, CountsKept):
        raise DesignError.phrase(
            "Generator {generator!r} keeps no noisy counts, so its model cannot be attacked by them. Choose "
            "another attack, or a private method: mst, aim_tree, private_gsd or privbayes.",
            generator=name,
        )
    return fitted


@dataclass(frozen=True, slots=True, eq=False)
class FittedModelErrors:
    """The tables with and without the targets."""

    sees: ClassVar[str] = MODEL

    inside: Table
    outside: Table
    n_targets: int
    weigh: str

    def score(self, model: Any) -> Floats:
        """(n_targets,) one score for the whole group of targets, repeated: they are in or out as one.

        Raises
        ------
        DesignError
            The model keeps no noisy counts.
        """
        kept = _counts_of(model, type(model).__name__)
        pairs = [
            *zip(kept.noisy_counts(), kept.exact_counts(self.inside), kept.exact_counts(self.outside), strict=True)
        ]
        if self.weigh == ERRORS:  # 0 lies half way between what it is on average with and without
            value = sum(noisy.errors(without) - (with_ - without).sum() / 2 for noisy, with_, without in pairs)
        else:
            value = sum(noisy.log_ratio(with_, without) for noisy, with_, without in pairs)
            value += kept.log_picks(self.inside) - kept.log_picks(self.outside)
        return np.full(self.n_targets, float(value))


PLUGIN = ModelErrors
