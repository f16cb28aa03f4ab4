"""The shap library's own explainers, as they are: what most services publish, to the last digit.

Every setting is the library's default, with these exceptions: the references are those of the service, its chance comes
from our streams, and its permutations are asked about as often as it takes to walk one order there and back, where its
500 questions would be too few for that. It compares with 100 of the references at most, where there are more; its
Kernel explainer alone compares with all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np

from riskkit.base.estimators import integer_seed
from riskkit.base.extras import require
from riskkit.core import Floats
from riskkit.explain.models import LinearModel, Model
from riskkit.explain.shapley import Shapley
from riskkit.explain.trees import TreeEnsemble
from riskkit.seeds import lend_global_stream

Library = Literal["shap-tree", "shap-linear", "shap-permutation", "shap-kernel"]
CLASSES: dict[str, str] = {
    "shap-tree": "TreeExplainer",
    "shap-linear": "LinearExplainer",
    "shap-permutation": "PermutationExplainer",
    "shap-kernel": "KernelExplainer",
}
"""What the library calls each."""
QUESTIONS = 500
"""What its permutation explainer asks about each row, unless it is told otherwise."""


def check_ready() -> None:
    """Raise :class:`MissingLibrary` where the library is not installed."""
    require("explain", "This explainer")


def version() -> str:
    """The version of the library."""
    from importlib.metadata import version as installed

    return installed("shap")


def explain(
    method: str, model: Model, x: Floats, references: Floats, outputs: Sequence[int], rng: np.random.Generator
) -> Shapley:
    """The values of (n, d) rows as the library's explainer gives them, of these outputs.

    Trees are handed over as the library reads those of scikit-learn, so that its values are the ones it gives for the
    fitted estimator. All randomness comes from ``rng``.

    Raises
    ------
    MissingLibrary
        The library is not installed.
    """
    check_ready()
    seed = integer_seed(rng)
    with lend_global_stream(seed), catch_warnings():
        simplefilter("ignore")  # what other people's packages say of one another
        return _EXPLAINERS[method](model, x, references, list(outputs), seed)


def _linear(model: LinearModel, x: Floats, references: Floats, outputs: list[int], seed: int) -> Shapley:  # noqa: ARG001  called alike
    import shap

    made = [shap.LinearExplainer((model.slope[:, output], model.offset[output]), references) for output in outputs]
    values = [explainer.shap_values(x) for explainer in made]
    return Shapley(np.stack(values, axis=2), np.array([float(explainer.expected_value) for explainer in made]))


def _tree(model: TreeEnsemble, x: Floats, references: Floats, outputs: list[int], seed: int) -> Shapley:  # noqa: ARG001  called alike
    import shap

    explainer = shap.TreeExplainer(_library_trees(model), references)
    # The values are the same without the check; with it, rounding at a threshold would end the audit.
    values = np.asarray(explainer.shap_values(x, check_additivity=False), dtype=np.float64)
    values = values[:, :, None] if values.ndim == 2 else values
    return Shapley(values[:, :, outputs], np.ravel(explainer.expected_value)[outputs])


def _library_trees(model: TreeEnsemble) -> dict[str, Any]:
    """Trees as the library takes them from anybody."""
    starts = [*model.root, len(model.feature)]
    trees = []
    for start, end in pairwise(starts):
        nodes = slice(start, end)
        left, right = (np.where(child[nodes] < 0, -1, child[nodes] - start) for child in (model.left, model.right))
        trees.append(
            {
                "children_left": left,
                "children_right": right,
                "children_default": left,
                "features": model.feature[nodes],
                "thresholds": model.threshold[nodes],
                "values": model.value[nodes],
                "node_sample_weight": np.ones(end - start),
            }
        )
    return {"trees": trees, "internal_dtype": np.float64, "input_dtype": np.float32, "base_offset": model.base}


def _permutation(model: Model, x: Floats, references: Floats, outputs: list[int], seed: int) -> Shapley:
    import shap

    explainer = shap.PermutationExplainer(_answers(model, outputs), references, seed=seed)
    explanation = explainer(x, max_evals=max(QUESTIONS, 2 * x.shape[1] + 1), silent=True)
    values = np.asarray(explanation.values, dtype=np.float64).reshape(*x.shape, len(outputs))
    return Shapley(values, np.asarray(explanation.base_values, dtype=np.float64).reshape(len(x), -1)[0])


def _kernel(model: Model, x: Floats, references: Floats, outputs: list[int], seed: int) -> Shapley:  # noqa: ARG001  called alike
    import shap

    explainer = shap.KernelExplainer(_answers(model, outputs), references)
    values = np.asarray(explainer.shap_values(x, silent=True), dtype=np.float64).reshape(*x.shape, len(outputs))
    return Shapley(values, np.ravel(explainer.expected_value).astype(np.float64))


def _answers(model: Model, outputs: list[int]) -> Callable[[Floats], Floats]:
    """The model's answers of these outputs."""

    def predict(rows: Floats) -> Floats:
        answers: Floats = model.predict(np.ascontiguousarray(rows, dtype=np.float64))[:, outputs]
        return answers

    return predict


_EXPLAINERS: dict[str, Callable[..., Shapley]] = {
    "shap-tree": _tree,
    "shap-linear": _linear,
    "shap-permutation": _permutation,
    "shap-kernel": _kernel,
}
