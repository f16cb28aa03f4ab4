"""Sums of trees as flat arrays, and their exact Shapley values (interventional TreeSHAP).

The shap library has such an explainer too. It takes no boosted trees of more than two classes, and where a feature lies
within single precision of a threshold its values are off (by up to .005 on Adult; those here are equal to enumeration).
This one also answers on mixed rows without making them, and is pickled with its model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import factorial
from typing import Any, Literal

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.table.features import Singles

Link = Literal["none", "logistic", "softmax"]


@dataclass(frozen=True, eq=False)
class TreeEnsemble:
    """Trees whose leaves add up, a constant, and a link behind the sum.

    Nodes of all trees stand one after the other. ``root`` (trees,) is the first node of each; ``feature`` (nodes,) is
    -1 at a leaf; ``left`` is where a row goes whose feature is at most ``threshold``. ``value`` (nodes, outputs) is
    what a leaf adds, ``base`` (outputs,) the constant. ``deepest`` is the number of questions on the longest path.
    """

    root: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    base: Floats
    link: Link
    deepest: int

    @classmethod
    def flatten(cls, trees: Sequence[Any], values: Sequence[Floats], base: Floats, link: Link = "none") -> TreeEnsemble:
        """The ensemble of fitted trees of scikit-learn (their ``tree_``), each with (its nodes, outputs) values."""
        start = np.cumsum([0, *(tree.node_count for tree in trees)])
        moved = [
            [
                np.where(child < 0, -1, child + offset)
                for tree, offset in zip(trees, start, strict=False)
                for child in (getattr(tree, side),)
            ]
            for side in ("children_left", "children_right")
        ]
        return cls(
            start[:-1].astype(np.int64),
            np.concatenate([np.where(tree.children_left < 0, -1, tree.feature) for tree in trees]).astype(np.int64),
            np.concatenate([tree.threshold for tree in trees]).astype(np.float64),
            np.concatenate(moved[0]).astype(np.int64),
            np.concatenate(moved[1]).astype(np.int64),
            np.ascontiguousarray(np.concatenate(values), dtype=np.float64),
            np.asarray(base, dtype=np.float64),
            link,
            max(tree.max_depth for tree in trees),
        )

    @cached_property
    def _widest(self) -> int:
        return int(np.diff(self.root, append=len(self.feature)).max()) + 2

    def score(self, x: Floats) -> Floats:
        """(n, outputs) the sum of the leaves and the constant, before the link."""
        from riskkit.explain._branches import answers

        out = np.tile(self.base, (len(x), 1))
        answers(_single(x), self.root, self.feature, self.threshold, self.left, self.right, self.value, out)
        return out

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) the answer: the score behind the link."""
        return apply_link(self.score(x), self.link)

    def mix(self, x: Floats, reference: Floats, owner: Ints, member: Bools) -> Floats:
        """(m, outputs) the answers on mixed rows, without making the rows.

        See :class:`riskkit.explain.shapley.CoalitionGame`.
        """
        from riskkit.explain._branches import mixed_answers

        out = np.tile(self.base, (len(owner), 1))
        trees = self.root, self.feature, self.threshold, self.left, self.right, self.value
        rows = _single(x), _single(reference)
        mixed_answers(*rows, owner, member, *trees, self._widest, out)
        return apply_link(out, self.link)

    def shapley(self, x: Floats, references: Floats, outputs: Sequence[int] | None = None) -> Floats:
        """(n, d, outputs) exact Shapley values of the *score* against the mean over (r, d) references.

        ``outputs`` picks some; all without it. The time grows with rows times references times leaves.

        References
        ----------
        .. [1] Lundberg et al., From local explanations to global understanding with explainable AI for trees (2020).
        """
        from riskkit.explain._branches import exact_values

        value = self.value if outputs is None else np.ascontiguousarray(self.value[:, list(outputs)])
        out = np.zeros((*x.shape, value.shape[1]))
        trees = self.root, self.feature, self.threshold, self.left, self.right, value
        rows, others, weights = _single(x), _single(references), _weights(self.deepest + 1)
        exact_values(rows, others, *trees, weights, out)
        return out / len(references)


def apply_link(score: Floats, link: Link) -> Floats:
    """The answers of scores: a logistic function of each, or the softmax of a row."""
    if link == "none":
        return score
    if link == "logistic":
        low = np.exp(-np.abs(score))
        return np.where(score >= 0, 1.0, low) / (1.0 + low)
    raised = np.exp(score - score.max(axis=1, keepdims=True))
    out: Floats = raised / raised.sum(axis=1, keepdims=True)
    return out


def _single(x: Floats) -> Singles:
    """Features in the precision in which scikit-learn compares them with a threshold."""
    return np.ascontiguousarray(x, dtype=np.float32)


def _weights(size: int) -> Floats:
    """(size, size) a! b! / (a + b + 1)!: the chance that, of so many, the a come before one and the b after it."""
    return np.array([[factorial(a) * factorial(b) / factorial(a + b + 1) for b in range(size)] for a in range(size)])
