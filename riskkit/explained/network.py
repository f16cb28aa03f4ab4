"""Neural network: two hidden layers, trained with torch and kept as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from riskkit.base.extras import require
from riskkit.core import Floats
from riskkit.explain.models import Classes, Model
from riskkit.explain.trees import apply_link
from riskkit.explained._learned import Labels, LearnedModel
from riskkit.parameters import parameter
from riskkit.table.features import Singles

Layers = tuple[tuple[Singles, Singles], ...]
"""For each layer its weights (in, out) and its offsets (out,)."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedNetwork:
    """A trained network. Answers are ``middle`` + ``spread`` times its output, or for classes its softmax."""

    layers: Layers
    classes: bool
    middle: float = 0.0
    spread: float = 1.0

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) probabilities, or the number; computed in single precision."""
        layer = x.astype(np.float32)
        for number, (weights, offsets) in enumerate(self.layers):
            layer = layer @ weights
            layer += offsets
            if number + 1 < len(self.layers):
                np.maximum(layer, 0.0, out=layer)
        out = layer.astype(np.float64)
        return apply_link(out, "softmax") if self.classes else self.middle + self.spread * out


@dataclass(frozen=True)
class Network(LearnedModel):
    """Two hidden layers, each twice as wide as there are features, with rectified units (Adam; softmax for classes).

    Each update learns from a batch of rows drawn without repeats until all were used; short tables are gone through
    more often.
    """

    name: ClassVar[str] = "network"
    title: ClassVar[str] = "Neural network"
    card: ClassVar[str] = (
        "A small network of two hidden layers. Its answer changes smoothly with every feature, and so do its "
        "explanations. An attacker can learn to compute the features from them."
    )

    updates: int = parameter(3000, label="Updates", help="How often the weights are changed.", low=1, high=1_000_000)
    batch: int = parameter(
        64, label="Batch", help="How many rows an update learns from.", low=1, high=100_000, unit="rows"
    )
    rate: float = parameter(
        0.001, label="Learning rate", help="How far an update moves the weights.", low=1e-6, high=1.0
    )

    @staticmethod
    def check_ready() -> None:
        """Raise :class:`MissingLibrary` where PyTorch is not installed."""
        require("deep", "A neural network")

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Learn as every model does; raises :class:`MissingLibrary` where PyTorch is not installed."""
        self.check_ready()
        return super().fit(x, y, rng, levels)

    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> Model:
        """Train the network on one thread."""
        import torch

        d, outputs = x.shape[1], answers.levels or 1
        middle, spread = (0.0, 1.0) if answers.levels else (float(answers.y.mean()), float(answers.y.std()))
        with single_thread():
            weights = [torch.from_numpy(part).requires_grad_() for part in _start((d, 2 * d, 2 * d, outputs), rng)]
            if answers.levels:
                wanted = torch.from_numpy(answers.y)
            else:
                scaled = ((answers.y - middle) / spread).astype(np.float32)[:, None]
                wanted = torch.from_numpy(scaled)
            loss: Any = torch.nn.CrossEntropyLoss() if answers.levels else torch.nn.MSELoss()
            shown = torch.from_numpy(x.astype(np.float32))
            adam = torch.optim.Adam(weights, lr=self.rate)
            for rows in _batches(len(x), self.batch, self.updates, rng):
                batch = torch.from_numpy(rows)
                adam.zero_grad(set_to_none=True)
                loss(_answer(weights, shown[batch]), wanted[batch]).backward()
                adam.step()
            made = [part.detach().numpy().copy() for part in weights]
        return FittedNetwork(tuple(zip(made[::2], made[1::2], strict=True)), bool(answers.levels), middle, spread)


def _answer(weights: list[Any], layer: Any) -> Any:
    """The output layer of some rows."""
    import torch

    for number in range(0, len(weights), 2):
        layer = torch.addmm(weights[number + 1], layer, weights[number])
        if number + 2 < len(weights):
            layer = layer.relu()
    return layer


def _start(widths: tuple[int, ...], rng: np.random.Generator) -> Iterator[Singles]:
    """Weights and offsets of every layer as torch would draw them: uniform within one over the root of the inputs."""
    for inputs, outputs in pairwise(widths):
        reach = 1 / np.sqrt(inputs)
        yield rng.uniform(-reach, reach, (inputs, outputs)).astype(np.float32)
        yield rng.uniform(-reach, reach, outputs).astype(np.float32)


def _batches(n: int, size: int, updates: int, rng: np.random.Generator) -> Iterator[Any]:
    """So many batches of row numbers; each row comes once before any comes again."""
    done = 0
    while done < updates:
        order = rng.permutation(n)
        for start in range(0, n, size):
            yield order[start : start + size]
            done += 1
            if done == updates:
                return


@contextmanager
def single_thread() -> Iterator[None]:
    """Let torch use one thread: more would change the last bits of sums. The number is put back afterwards."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


PLUGIN = Network
