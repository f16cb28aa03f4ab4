"""Network: a multilayer perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.inference._learned import learn, root
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.features import Features, FittedInference, Secret, SecretKind

BATCH = 200
"""Rows behind one change of the weights."""


@dataclass(frozen=True)
class Network(CheckedPlugin):
    """A network with one hidden layer on one-hot columns, trained for a fixed number of updates (Adam).

    Each update learns from 200 rows, or from all where there are fewer; short tables are gone through more often.
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    card: ClassVar[str] = (
        "A small network that learns smooth dependences of any shape. Many updates on few rows let it remember them. "
        "Slower than the forest on long tables."
    )
    guesses: ClassVar[tuple[SecretKind, ...]] = ("category", "number")

    hidden: int = parameter(64, label="Hidden units", help="How wide the hidden layer is.", low=1, high=1024)
    updates: int = parameter(
        3000,
        label="Updates",
        help="How often the weights are changed. With more updates the network remembers more.",
        low=1,
        high=1_000_000,
    )
    penalty: float = parameter(1e-4, label="Penalty", help="How strongly large weights are shrunk.", low=0.0, high=10.0)

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Train the network.

        Raises
        ------
        DesignError
            There is no row to learn from.
        """
        from sklearn.neural_network import MLPClassifier, MLPRegressor

        batches = -(-len(secret) // BATCH)
        passes = -(-self.updates // max(batches, 1))
        shared = {
            "batch_size": min(BATCH, len(secret)),
            "hidden_layer_sizes": (self.hidden,),
            "alpha": self.penalty,
            "max_iter": passes,
            "n_iter_no_change": passes,  # it never stops before
            "random_state": root(rng),
        }
        return learn(known, secret, Features.onehot, lambda: MLPClassifier(**shared), lambda: MLPRegressor(**shared))


PLUGIN = Network
