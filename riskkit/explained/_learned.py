"""What the explained models share: classes or numbers, classes that the training lacks, seeds of scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.base.estimators import fill_classes, without_limit_warning
from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.explain.models import Classes, LinearModel, Model, TargetKind
from riskkit.explain.trees import Link, apply_link
from riskkit.parameters import CheckedPlugin


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is to be learnt: ``y`` (n,) codes of ``levels`` classes, or numbers where ``levels`` is 0."""

    y: Ints | Floats
    levels: int

    @classmethod
    def code(cls, x: Floats, y: Classes | Floats, levels: int) -> Labels:
        """The answers that go with these features.

        Raises
        ------
        DesignError
            No rows, another number of answers than rows, or an answer that is missing or no class.
        """
        answers = np.asarray(y)
        if x.ndim != 2 or not len(x) or answers.shape != (len(x),):
            raise DesignError(
                f"A model learns from features and one answer for each row; got arrays of shape {x.shape} and "
                f"{answers.shape}."
            )
        if np.issubdtype(answers.dtype, np.integer):
            classes = max(levels, int(answers.max()) + 1)
            if answers.min() < 0 or 0 < levels < classes:
                raise DesignError(f"A class lies outside the {levels} classes there are.")
            return cls(answers.astype(np.int64), classes)
        if not np.isfinite(answers).all():
            raise DesignError("An answer is missing or infinite. Leave such rows out of the training.")
        return cls(answers.astype(np.float64), 0)

    @property
    def n_answers(self) -> int:
        """How many different answers there are."""
        return len(np.unique(self.y))

    def shares(self) -> Floats:
        """(outputs,) the share of each class, or the mean."""
        if not self.levels:
            return np.array([self.y.mean()])
        return np.bincount(self.y.astype(np.int64), minlength=self.levels) / len(self.y)


class LearnedModel(CheckedPlugin, ABC):
    """A model that learns classes or numbers, whichever the answers are."""

    predicts: ClassVar[tuple[TargetKind, ...]] = ("category", "number")

    def fit(self, x: Floats, y: Classes | Floats, rng: np.random.Generator, levels: int = 0) -> Model:
        """Learn the answers ``y`` of ``levels`` classes, or numbers; where all are the same, that one.

        Raises
        ------
        DesignError
            There are no rows, answers do not fit them, or the model learns no answers of this kind.
        """
        answers = Labels.code(x, y, levels)
        if answers.n_answers == 1:
            return self.constant(x, answers)
        with without_limit_warning():
            return self.learn(x, answers, rng)

    def constant(self, x: Floats, answers: Labels) -> Model:
        """The model of answers that are all the same: a level line, every value of which is 0."""
        return LinearModel(np.zeros((x.shape[1], answers.shares().size)), answers.shares())

    @abstractmethod
    def learn(self, x: Floats, answers: Labels, rng: np.random.Generator) -> Model:
        """Learn answers of which there are several."""


@dataclass(frozen=True, slots=True, eq=False)
class LogisticLines:
    """Lines behind a curve: for two classes the logistic function of a line, for more the softmax of several."""

    slope: Floats
    offset: Floats
    answers: Labels
    classes: Ints

    @classmethod
    def read(cls, fitted: Any, answers: Labels) -> LogisticLines:
        """The curve of a fitted logistic regression of scikit-learn."""
        slope, offset = fitted.coef_.T, fitted.intercept_
        if len(offset) == 1:
            slope, offset = np.hstack([-slope, slope]), np.hstack([-offset, offset])
        return cls(slope, offset, answers, fitted.classes_)

    def predict(self, x: Floats) -> Floats:
        """(n, levels) the probabilities."""
        link: Link = "logistic" if len(self.classes) == 2 else "softmax"
        return fill_classes(apply_link(x @ self.slope + self.offset, link), self.classes, self.answers.levels)
