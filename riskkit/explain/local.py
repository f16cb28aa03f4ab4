"""Explanations other than Shapley values: slopes at the row, a line through rows nearby, the nearest unlike row.

All ask the model for answers and nothing else, so they explain every model; captum would want models of torch, and
those here are plain arrays. Each gives (n, d, outputs) numbers in the place of Shapley values, so attackers and
defences take them as they are; they need not add up to the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain.shapley import Predict, Shapley
from riskkit.phrases import phrase

Local = Literal["gradients", "integrated-gradients", "lime", "counterfactuals"]
SLOPES = ("gradients", "integrated-gradients")
"""Those that say nothing of a model whose answer has steps."""
NO_SLOPE = phrase("The answer of trees has steps and no slope. Choose another explainer.")
NO_CLASS = phrase("A number has no other class. Choose another explainer, or a category as target.")
STEP = 0.005
"""Half the distance of the two answers whose difference is a slope: wide enough for answers in single precision."""
POINTS = 20
"""Points on the way from a reference to a row at which slopes are taken."""
NEARBY, SPREAD, WIDTH, PENALTY = 200, 0.25, 0.75, 1.0
"""Rows drawn around a row, their standard deviation as a share of a feature's range, the width of the kernel that
weighs them (times the root of the number of features) and the ridge penalty: the defaults of LIME but for the rows."""


def gradients(predict: Predict, x: Floats, references: Floats, rng: np.random.Generator) -> Shapley:  # noqa: ARG001
    """The slope of the answer in every feature at (n, d) rows, by central differences."""
    return Shapley(_slopes(predict, x), predict(references).mean(axis=0))


def integrated_gradients(predict: Predict, x: Floats, references: Floats, rng: np.random.Generator) -> Shapley:  # noqa: ARG001
    """The mean slope on the way from a reference to the row, times the way; the mean over references.

    The numbers of a feature that is equal to the reference are 0; all together add up to the answer less that on the
    reference, but for the width of the steps.

    References
    ----------
    .. [1] Sundararajan, Taly and Yan, Axiomatic attribution for deep networks (2017).
    """
    total = np.zeros((*x.shape, predict(x[:1]).shape[1]))
    for reference in references:
        for part in (np.arange(POINTS) + 0.5) / POINTS:
            total += (x - reference)[:, :, None] * _slopes(predict, reference + part * (x - reference))
    return Shapley(total / (len(references) * POINTS), predict(references).mean(axis=0))


def lime(predict: Predict, x: Floats, references: Floats, rng: np.random.Generator) -> Shapley:
    """The coefficients of a ridge regression of the answers on rows drawn around each row, the nearer the weightier.

    References
    ----------
    .. [1] Ribeiro, Singh and Guestrin, "Why should I trust you?": explaining the predictions of any classifier (2016).
    """
    n, d = x.shape
    out = []
    for row in x:
        moved = rng.normal(0.0, SPREAD, (NEARBY, d))
        weight = np.exp(-(moved**2).sum(axis=1) / (2 * d * (WIDTH * SPREAD) ** 2))
        answers = predict(row + moved)
        centred, rise = moved - weight @ moved / weight.sum(), answers - weight @ answers / weight.sum()
        scaled = centred * weight[:, None] / SPREAD**2
        out.append(np.linalg.solve(scaled.T @ centred + PENALTY * np.eye(d), scaled.T @ rise))
    return Shapley(np.array(out).reshape(n, d, -1), predict(references).mean(axis=0))


def counterfactuals(predict: Predict, x: Floats, references: Floats, rng: np.random.Generator) -> Shapley:  # noqa: ARG001
    """What would have to change for another answer: the nearest reference of another class, less the row.

    The same for every output; 0 where no reference is of another class. Distances are sums over features.

    Raises
    ------
    DesignError
        The model answers with a number, which has no other class.
    """
    answer, there = predict(x), predict(references)
    if answer.shape[1] < 2:
        raise DesignError(NO_CLASS)
    gaps = np.stack([np.abs(x - reference).sum(axis=1) for reference in references], axis=1)
    gaps[answer.argmax(axis=1)[:, None] == there.argmax(axis=1)] = np.inf
    nearest = gaps.argmin(axis=1)
    change = np.where(np.isfinite(gaps.min(axis=1))[:, None], references[nearest] - x, 0.0)
    return Shapley(np.repeat(change[:, :, None], answer.shape[1], axis=2), there.mean(axis=0))


EXPLAINERS: dict[str, Callable[[Predict, Floats, Floats, np.random.Generator], Shapley]] = {
    "gradients": gradients,
    "integrated-gradients": integrated_gradients,
    "lime": lime,
    "counterfactuals": counterfactuals,
}
"""Each by its name."""


def _slopes(predict: Predict, x: Floats) -> Floats:
    """(n, d, outputs) the differences of the answers a little above and below each feature, over their distance."""
    steps = np.eye(x.shape[1]) * STEP
    return np.stack([(predict(x + step) - predict(x - step)) / (2 * STEP) for step in steps], axis=1)
