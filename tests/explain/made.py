"""Models with known Shapley values, and the values by their definition."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np

from riskkit.core import Floats

Predict = Callable[[Floats], Floats]


def by_definition(predict: Predict, x: Floats, references: Floats) -> Floats:
    """(n, d, outputs) the mean over every order and reference of what each feature adds when it joins."""
    orders = list(permutations(range(x.shape[1])))
    out = np.zeros((*x.shape, predict(references).shape[1]))
    for row, phi in zip(x, out, strict=True):
        for reference in references:
            for order in orders:
                point = reference.copy()
                before = predict(point[None])[0]
                for feature in order:
                    point[feature] = row[feature]
                    after = predict(point[None])[0]
                    phi[feature] += after - before
                    before = after
    return out / (len(orders) * len(references))


def products(d: int, outputs: int, rng: np.random.Generator, most: int | None = None) -> Predict:
    """A sum over the sets of up to ``most`` features of a random constant times their product: all interactions."""
    sets = [list(some) for size in range((most or d) + 1) for some in combinations(range(d), size)]
    constant = rng.standard_normal((len(sets), outputs))

    def predict(x: Floats) -> Floats:
        return np.column_stack([x[:, some].prod(axis=1) for some in sets]) @ constant

    return predict


def game(seed: int, d: int, n: int = 3, references: int = 2, outputs: int = 2) -> tuple[Predict, Floats, Floats]:
    """A random model with all interactions, rows and references, of which some features are equal."""
    rng = np.random.default_rng(seed)
    x, others = rng.standard_normal((n, d)), rng.standard_normal((references, d))
    shared = rng.random((n, d)) < 0.2
    x[shared] = np.broadcast_to(others[0], x.shape)[shared]
    return products(d, outputs, rng), x, others
