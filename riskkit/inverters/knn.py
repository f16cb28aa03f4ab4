"""k-NN: the auxiliary rows whose explanations are most alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.inversion import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import Regress, learn
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Knn(CheckedPlugin):
    """The mean of the inputs of the auxiliary rows whose whole explanations lie nearest, nearer ones counting more."""

    name: ClassVar[str] = "knn"
    title: ClassVar[str] = "Nearest auxiliary rows"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Copies the people with the most similar explanations; "
        "nothing is trained, so it shows what the explanations alone say."
    )
    holds: ClassVar[Holding] = "auxiliary"

    k: int = parameter(5, label="Neighbours", help="How many auxiliary rows are averaged.", low=1, high=1000)

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:  # noqa: ARG002  nothing is drawn
        """Build the search. Draws nothing at random."""
        from sklearn.neighbors import KNeighborsRegressor

        def search(scaled: Floats, inputs: Floats) -> Regress:
            near = KNeighborsRegressor(min(self.k, len(inputs)), weights="distance", n_jobs=1)
            predict: Regress = near.fit(scaled, inputs).predict
            return predict

        return learn(held, search)


PLUGIN = Knn
