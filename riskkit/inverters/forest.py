"""Forest: regression trees on resampled auxiliary rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.inversion import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import Regress, learn, root
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Forest(CheckedPlugin):
    """Regression trees from explanations to all inputs at once, each on resampled rows; the mean of their answers."""

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "Random forest"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Strong against explained trees, whose explanations jump; "
        "seconds for 1,600 auxiliary rows."
    )
    holds: ClassVar[Holding] = "auxiliary"

    trees: int = parameter(100, label="Trees", help="How many trees are averaged.", low=1, high=1000)
    leaf: int = parameter(1, label="Smallest leaf", help="Auxiliary rows a leaf must hold.", low=1, high=1000)

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestRegressor

        def grow(scaled: Floats, inputs: Floats) -> Regress:
            model = RandomForestRegressor(
                self.trees,
                min_samples_leaf=min(self.leaf, len(inputs)),
                max_features=1 / 3,
                random_state=root(rng),
                n_jobs=1,
            )
            predict: Regress = model.fit(scaled, inputs).predict
            return predict

        return learn(held, grow)


PLUGIN = Forest
