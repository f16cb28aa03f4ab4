"""The explanation service: a person sends a row, and is told the answer and how much each feature added to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from riskkit.core import Floats, Table
from riskkit.errors import DesignError, nearest
from riskkit.explain import library, local
from riskkit.explain.features import Encoder
from riskkit.explain.models import LinearModel, Model
from riskkit.explain.shapley import CoalitionGame, Predict, Shapley, exact, linear, permutation
from riskkit.explain.trees import TreeEnsemble

Own = Literal["auto", "exact", "linear", "trees", "permutation"]
Explainer = Own | Literal["shap"] | library.Library | local.Local
EXPLAINERS: tuple[Explainer, ...] = (
    "auto",
    "exact",
    "linear",
    "trees",
    "permutation",
    "shap",
    "shap-tree",
    "shap-linear",
    "shap-permutation",
    "shap-kernel",
    "gradients",
    "integrated-gradients",
    "lime",
    "counterfactuals",
)
"""Our own, the fast way, those of the shap library, as they are, and explanations that are no Shapley values."""
Scale = Literal["answer", "score"]


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """What the service publishes of some rows.

    ``phi`` (n, d, outputs) is how much each feature added, ``base`` (outputs,) the mean answer on the references.
    ``names`` (d,) are the features, or the columns where their values were summed. ``scale`` says what is explained:
    the ``answer`` itself (a probability or a number), or the ``score`` that boosted trees turn into it.
    """

    phi: Floats
    base: Floats
    names: tuple[str, ...]
    scale: Scale

    def __len__(self) -> int:
        return len(self.phi)


@dataclass(frozen=True, slots=True, eq=False)
class Service:
    """A trained model that explains its answers.

    Parameters
    ----------
    encoder, model
        How rows become features, and the model that was fitted to such features.
    references
        (r, width) encoded rows that answers are compared with: one as in the papers, or many.
    explainer
        How values are found. ``auto`` takes the closed form of linear models, the exact values of trees (of boosted
        trees on the scale of their score, see :attr:`scale`), and permutations for all others. ``shap`` takes the shap
        library's own explainer of linear models, of trees, and its permutations for all others; ``shap-kernel`` and the
        rest name one (:mod:`riskkit.explain.library`). Those of :mod:`riskkit.explain.local` are no Shapley values.
    permutations, antithetic
        Orders for each row where they are sampled here, and whether each is walked backwards too. The library's
        explainers have settings of their own.
    outputs
        Which outputs are explained. The first class, as in Luo et al., unless said otherwise.
    by_column
        Publish one value a column: the sum of the values of its features.

    Raises
    ------
    DesignError
        References of another width or none, no such output or explainer, or one the model does not allow.

    References
    ----------
    .. [1] Luo et al., Feature inference attack on Shapley values (2022), https://doi.org/10.1145/3548606.3560573
    """

    encoder: Encoder
    model: Model
    references: Floats
    explainer: Explainer = "auto"
    permutations: int = 50
    antithetic: bool = False
    outputs: tuple[int, ...] = (0,)
    by_column: bool = False

    def __post_init__(self) -> None:
        shape = self.references.shape
        if len(shape) != 2 or not shape[0] or shape[1] != self.encoder.width:
            raise DesignError(
                f"A service needs at least one reference row of {self.encoder.width} features; got an array of shape "
                f"{shape}."
            )
        if self.explainer not in EXPLAINERS:
            near = nearest(self.explainer, EXPLAINERS)
            raise DesignError(f"There is no explainer {self.explainer!r}{near}; choose one of {', '.join(EXPLAINERS)}.")
        if self.explainer in ("linear", "shap-linear") and not isinstance(self.model, LinearModel):
            raise DesignError.phrase("Only a linear model has values in closed form. Choose another explainer.")
        if self.explainer in ("trees", "shap-tree") and not isinstance(self.model, TreeEnsemble):
            raise DesignError.phrase(
                "Only trees, forests and boosted trees have tree values. Choose another explainer."
            )
        if self.explainer in local.SLOPES and isinstance(self.model, TreeEnsemble):
            raise DesignError(local.NO_SLOPE)
        if self.permutations < 1:
            raise DesignError(f"Sampled values need at least 1 permutation; got {self.permutations}.")
        there = self.model.predict(self.references[:1]).shape[1]
        if not self.outputs or not all(0 <= output < there for output in self.outputs):
            raise DesignError(f"The model has outputs 0 to {there - 1}; {self.outputs} cannot be explained.")

    @property
    def method(self) -> Explainer:
        """The explainer that ``auto`` or ``shap`` comes to; the chosen one otherwise."""
        if self.explainer == "shap":
            if isinstance(self.model, LinearModel):
                return "shap-linear"
            return "shap-tree" if isinstance(self.model, TreeEnsemble) else "shap-permutation"
        if self.explainer != "auto":
            return self.explainer
        if isinstance(self.model, LinearModel):
            return "linear"
        return "trees" if isinstance(self.model, TreeEnsemble) else "permutation"

    @property
    def scale(self) -> Scale:
        """Whether values add up to the answer, or to the score behind it: the latter for the trees of boosting."""
        behind = (
            self.method in ("trees", "shap-tree") and isinstance(self.model, TreeEnsemble) and self.model.link != "none"
        )
        return "score" if behind else "answer"

    @property
    def names(self) -> tuple[str, ...]:
        """(d,) what each value belongs to: a feature, or a column where values are summed."""
        if self.by_column:
            return tuple(span.column.name for span in self.encoder.spans)
        return self.encoder.names

    def explain(self, table: Table, rng: np.random.Generator) -> Explained:
        """The explanations of these rows. All randomness of permutations comes from ``rng``; others draw nothing.

        Raises
        ------
        DesignError
            The rows have another schema, or exact values were asked for rows with too many features.
        """
        return self.explain_features(self.encoder.encode(table), rng)

    def explain_features(self, x: Floats, rng: np.random.Generator) -> Explained:
        """The explanations of (n, width) features, which need be no valid rows: attackers send what they like.

        Raises
        ------
        DesignError
            Features of another width, or exact values were asked for rows with too many features.
        """
        if x.ndim != 2 or x.shape[1] != self.encoder.width:
            raise DesignError(f"The service explains rows of {self.encoder.width} features; got an array of {x.shape}.")
        shapley = self._shapley(np.asarray(x, dtype=np.float64), rng)
        phi = self.encoder.by_column(shapley.phi) if self.by_column else shapley.phi
        return Explained(phi, shapley.base, self.names, self.scale)

    def _shapley(self, x: Floats, rng: np.random.Generator) -> Shapley:
        model, wanted = self.model, list(self.outputs)
        if self.method in library.CLASSES:
            return library.explain(self.method, model, x, self.references, wanted, rng)
        if self.method == "linear":
            assert isinstance(model, LinearModel)
            return linear(model.slope[:, wanted], model.offset[wanted], x, self.references)
        if self.method == "trees":
            assert isinstance(model, TreeEnsemble)
            base = model.score(self.references).mean(axis=0)[wanted]
            return Shapley(model.shapley(x, self.references, wanted), base)
        if self.method in local.EXPLAINERS:
            other = local.EXPLAINERS[self.method](model.predict, x, self.references, rng)
            return Shapley(other.phi[:, :, wanted], other.base[wanted])
        game: Predict | CoalitionGame = model if isinstance(model, TreeEnsemble) else model.predict
        if self.method == "exact":
            shapley = exact(game, x, self.references)
        else:
            shapley = permutation(game, x, self.references, self.permutations, rng, antithetic=self.antithetic)
        return Shapley(shapley.phi[:, :, wanted], shapley.base[wanted])
