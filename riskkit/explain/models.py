"""The shape of an explained model, and what some models show of themselves so that they can be explained exactly."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from riskkit.core import Codes, Floats, Ints
from riskkit.explain.trees import Ensemble

TargetKind = Literal["category", "number"]
Classes = Codes | Ints


class Model(Protocol):
    """A model that has learnt to answer."""

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) the probability of each class, or (n, 1) the number, from (n, d) features."""


class ExplainedModel(Protocol):
    """A method that learns to answer from features: a frozen dataclass whose fields are its parameters.

    ``predicts`` says whether it can learn a ``category``, a ``number`` or both.
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


@runtime_checkable
class Line(Protocol):
    """A model whose answer is ``x @ slope + offset``, which has Shapley values in closed form."""

    @property
    def slope(self) -> Floats:
        """(d, outputs)."""

    @property
    def offset(self) -> Floats:
        """(outputs,)."""


@runtime_checkable
class Trees(Protocol):
    """A model that is a sum of trees, with a link behind it or none."""

    @property
    def ensemble(self) -> Ensemble:
        """The trees."""
