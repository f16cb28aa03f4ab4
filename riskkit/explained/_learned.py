"""What the explained models share: classes or numbers, classes that the training lacks, seeds of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.explain.models import Classes, Model


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """The same answer for everybody: all there is to learn where every row has the same. Its values are all 0."""

    answer: Floats

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) that answer."""
        return np.tile(self.answer, (len(x), 1))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What is to be learnt: ``y`` (n,) codes of ``levels`` classes, or numbers where ``levels`` is 0."""

    y: Ints | Floats
    levels: int

    @classmethod
    def of(cls, x: Floats, y: Classes | Floats, levels: int) -> Answers:
        """The answers that go with these features.

        Raises
        ------
        DesignError
            No rows, another number of answers than rows, or an answer that is missing or no class.
        """
        given = np.asarray(y)
        if x.ndim != 2 or not len(x) or given.shape != (len(x),):
            raise DesignError(
                f"A model learns from features and one answer for each row; got arrays of shape {x.shape} and "
                f"{given.shape}."
            )
        if np.issubdtype(given.dtype, np.integer):
            classes = max(levels, int(given.max()) + 1)
            if given.min() < 0 or 0 < levels < classes:
                raise DesignError(f"A class lies outside the {levels} classes there are.")
            return cls(given.astype(np.int64), classes)
        if not np.isfinite(given).all():
            raise DesignError("An answer is missing or infinite. Leave such rows out of the training.")
        return cls(given.astype(np.float64), 0)

    @property
    def met(self) -> int:
        """How many different answers there are."""
        return len(np.unique(self.y))

    def spread(self, probability: Floats, classes: Any) -> Floats:
        """(n, levels) the columns of classes that were met at their place, 0 for the others."""
        out = np.zeros((len(probability), self.levels))
        out[:, np.asarray(classes, dtype=np.int64)] = probability
        return out

    def shares(self) -> Floats:
        """(1, outputs) the share of each class, or the mean."""
        if not self.levels:
            return np.array([[self.y.mean()]])
        return np.bincount(self.y.astype(np.int64), minlength=self.levels)[None] / len(self.y)


def learn(
    x: Floats,
    y: Classes | Floats,
    levels: int,
    category: Callable[[Answers], Model],
    number: Callable[[Answers], Model],
) -> Model:
    """Learn classes or numbers, whichever the answers are; where all are the same, say so always."""
    answers = Answers.of(x, y, levels)
    if answers.met == 1:
        return Same(answers.shares())
    with unfinished():
        return category(answers) if answers.levels else number(answers)


@dataclass(frozen=True, slots=True, eq=False)
class Probabilities:
    """A fitted classifier of scikit-learn."""

    model: Any
    answers: Answers

    def predict(self, x: Floats) -> Floats:
        """(n, levels) its probabilities."""
        return self.answers.spread(self.model.predict_proba(x), self.model.classes_)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A fitted regression of scikit-learn."""

    model: Any

    def predict(self, x: Floats) -> Floats:
        """(n, 1) its numbers."""
        return np.asarray(self.model.predict(x), dtype=np.float64).reshape(len(x), 1)


@contextmanager
def unfinished() -> Iterator[None]:
    """An optimiser that stops at its limit of steps has done what it was asked; no warning."""
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        yield


def root(rng: np.random.Generator) -> int:
    """The seed that scikit-learn wants, drawn from the stream."""
    return int(rng.integers(2**31))
