"""Tree: one regression tree for all inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.explain.inversion import FittedInverter, Holding, KnownRows
from riskkit.inverters._learned import Regress, learn, root
from riskkit.parameters import CheckedPlugin, parameter


@dataclass(frozen=True)
class Tree(CheckedPlugin):
    """A regression tree from explanations to all inputs at once, grown until its leaves are small or pure."""

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Regression tree"
    card: ClassVar[str] = (
        "Needs other people's rows and their explanations. Cuts the explanations into boxes and answers with the rows "
        "it knows in a box; a simple reference, which the forest mostly beats."
    )
    holds: ClassVar[Holding] = "auxiliary"

    leaf: int = parameter(1, label="Smallest leaf", help="Auxiliary rows a leaf must hold.", low=1, high=1000)

    def fit(self, held: KnownRows, rng: np.random.Generator) -> FittedInverter:
        """Grow the tree."""
        from sklearn.tree import DecisionTreeRegressor

        def grow(scaled: Floats, inputs: Floats) -> Regress:
            model = DecisionTreeRegressor(min_samples_leaf=min(self.leaf, len(inputs)), random_state=root(rng))
            predict: Regress = model.fit(scaled, inputs).predict
            return predict

        return learn(held, grow)


PLUGIN = Tree
