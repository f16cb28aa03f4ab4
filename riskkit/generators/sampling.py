"""Sampling: a simple random share of the rows, unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.generators.engines.anonymise import ROWS, Anonymised, Anonymiser, exactly
from riskkit.parameters import parameter
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Sampling(Anonymiser):
    """Keeps a share of the rows, every set of that size with the same chance, and releases them as they are.

    A record is in the release with exactly the probability ``share``, and whoever is in it is there unchanged.
    """

    name: ClassVar[str] = "sampling"
    title: ClassVar[str] = "Sampling (a random share of the rows)"
    card: ClassVar[str] = (
        "Keeps a random share of the rows and publishes them unchanged. Fitting has no randomness, each release keeps "
        "another share; both take milliseconds. People who are not drawn are not exposed, people who are drawn are "
        "exposed in full: the oldest method of the statistical offices (Hundepool et al. 2012, Statistical Disclosure "
        "Control)." + ROWS
    )

    share: float = parameter(
        0.5, label="Share kept", help="How much of the table each release is drawn from.", low=0.01, high=1.0
    )

    def settle(self, table: Table, rng: np.random.Generator) -> Anonymised:  # noqa: ARG002  nothing is drawn here
        """See that a row is left."""
        self.refuse_none_left(round(self.share * len(table)), table, phrase("Choose a larger share."))
        return Anonymised(table, self.draw)

    def draw(self, table: Table, rng: np.random.Generator) -> Table:
        """The rows of one draw."""
        return table.rows(exactly(self.share, len(table), rng))


PLUGIN = Sampling
