"""The shape of an explained model, and the straight line, which can be explained exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from riskkit.core import Codes, Floats, Ints

TargetKind = Literal["category", "number"]
Classes = Codes | Ints


class Model(Protocol):
    """A model that has learnt to answer.

    A :class:`LinearModel` and a :class:`riskkit.explain.trees.TreeEnsemble` are models whose values are known exactly;
    any other is asked about coalitions.
    """

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) the probability of each class, or (n, 1) the number, from (n, d) features."""


class ExplainedModel(Protocol):
    """A method that learns to answer from features: a frozen dataclass whose fields are its parameters.

    ``predicts`` says whether it can learn a ``category``, a ``number`` or both. One whose answers have steps, as those
    of trees, may say so by ``has_slope = False``: it is then explained by no gradients.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    predicts: ClassVar[tuple[TargetKind, ...]]

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Learn from (n, d) features and (n,) answers. All randomness of the training comes from ``rng``.

        Whole numbers (an integer array) are classes 0, 1, ...; anything else are numbers. ``levels`` is how many
        classes there are, of which the training may lack some (their probability is 0 or near it); 0 counts up to the
        last one met.
        """


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A model whose answer is ``x @ slope + offset``, which has Shapley values in closed form.

    ``slope`` is (d, outputs), ``offset`` (outputs,).
    """

    slope: Floats
    offset: Floats

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) the answers."""
        out: Floats = x @ self.slope + self.offset
        return out
