"""What an inference model says of rows, and the shape every such model has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from riskkit.core import Bools, Column, Floats, Ints
from riskkit.table.features import Features, Secret, SecretKind

NO_GUESS = -1
"""The value of a category where a model does not guess at all; never right."""


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """One guess a row.

    ``value`` (n,) is a code or a number. ``probability`` (n, n_levels), for a category, covers every level of the
    frozen domain: a level that the training never had has 0. ``matched`` (n,) says, of models that look rows up,
    whether there was anything to look at.
    """

    value: Ints | Floats
    probability: Floats | None = None
    matched: Bools | None = None


class FittedInference(Protocol):
    """A model that has learnt to guess one secret from some known columns."""

    def guess(self, known: Features) -> Guess:
        """One guess for each row, from its known columns alone."""


class Inference(Protocol):
    """A method that guesses a secret: a frozen dataclass whose fields are its parameters.

    ``guesses`` says whether it can guess a ``category``, a ``number`` or both.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    guesses: ClassVar[tuple[SecretKind, ...]]

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Learn from rows whose secret is there. All randomness of the training comes from ``rng``."""


def joined(parts: Sequence[Guess], back: Ints) -> Guess:
    """The guesses of all folds, in the order of the rows: (n,) ``back`` is where each row's guess stands among them."""

    def of(arrays: Sequence[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays)[back]

    return Guess(*(of([getattr(part, name) for part in parts]) for name in ("value", "probability", "matched")))


def of_levels(probability: Floats, matched: Bools | None = None) -> Guess:
    """The guess of a category from (n, n_levels): its most likely level (of equal ones the first), none where all 0."""
    value = probability.argmax(axis=1)
    value[~probability.any(axis=1)] = NO_GUESS
    return Guess(value, probability, matched)


def of_numbers(values: Floats, column: Column, matched: Bools | None = None) -> Guess:
    """The guess of a number (n,), kept within the frozen domain of its column."""
    return Guess(np.clip(np.asarray(values, dtype=np.float64), column.low, column.high), None, matched)
