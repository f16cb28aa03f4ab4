"""Shapley values of a model's answer: how much each feature adds to it, against one or many reference rows.

A coalition is a set of features. Its value is the model's answer on a row that takes these features from the
explained row and the others from a reference, averaged over the references (the interventional game). Features that
are equal in the row and a reference add nothing against it, in any order; only the others are walked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import factorial
from typing import Protocol, runtime_checkable

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.errors import DesignError

Predict = Callable[[Floats], Floats]
"""(n, d) features -> (n, outputs) answers."""
MOST_FEATURES = 16
"""Features that differ from a reference up to which all coalitions are gone through."""
BLOCK = 1 << 25
"""Room for the coalitions of one block of rows, in cells."""
CELLS = 1 << 20
"""How many cells of mixed rows are made at a time; they should stay in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Shapley:
    """What every feature adds. ``phi`` (n, d, outputs) and ``base`` (outputs,), the mean answer on the references.

    The answer on a row is the base and the sum of its values.
    """

    phi: Floats
    base: Floats


@runtime_checkable
class CoalitionGame(Protocol):
    """A model that can be asked about coalitions without being handed the rows."""

    def predict(self, x: Floats) -> Floats:
        """(n, outputs) the answers on rows."""

    def mix(self, x: Floats, reference: Floats, owner: Ints, member: Bools) -> Floats:
        """(m, outputs) answers on rows that take ``member`` (m, d) from ``x[owner]`` and the rest from a reference.

        Equal entries of ``owner`` (m,) stand side by side.
        """


@dataclass(frozen=True, slots=True, eq=False)
class RowsGame:
    """Any model as a :class:`CoalitionGame`: the mixed rows are made and handed to it in large blocks."""

    predict: Predict

    def mix(self, x: Floats, reference: Floats, owner: Ints, member: Bools) -> Floats:
        """(m, outputs) the answers on the mixed rows."""
        from riskkit.explain._walks import mix

        at_once = max(1, CELLS // x.shape[1])
        parts = []
        for start in range(0, len(owner), at_once):
            rows = slice(start, start + at_once)
            made = np.empty((len(owner[rows]), x.shape[1]))
            mix(x, reference, owner[rows], member[rows], made)
            parts.append(self.predict(made))
        return np.concatenate(parts)


def linear(slope: Floats, offset: Floats, x: Floats, references: Floats) -> Shapley:
    """The values of ``x @ slope + offset`` in closed form: slope times distance from the mean reference.

    ``slope`` is (d, outputs), ``offset`` (outputs,), ``x`` (n, d), ``references`` (r, d).
    """
    mean = references.mean(axis=0)
    return Shapley((x - mean)[:, :, None] * slope, mean @ slope + offset)


def exact(predict: Predict | CoalitionGame, x: Floats, references: Floats) -> Shapley:
    """The values by going through every coalition.

    ``x`` is (n, d), ``references`` (r, d).

    Raises
    ------
    DesignError
        A row differs from a reference in more than :data:`MOST_FEATURES` features.
    """
    game = _game(predict)
    x, references = _matrix(x), _matrix(references)
    base = game.predict(references).mean(axis=0)
    phi = np.zeros((*x.shape, len(base)))
    for reference in references:
        active = x != reference
        most = int(active.sum(axis=1).max(initial=0))
        if most > MOST_FEATURES:
            raise DesignError.phrase(
                "Exact values go through every set of the features in which a row differs from a "
                "reference; here these are up to {most}, more than {limit}. Take permutations instead.",
                most=most,
                limit=MOST_FEATURES,
            )
        for row in range(len(x)):
            moved = np.flatnonzero(active[row])
            sets = _all_sets(len(moved))
            member = np.zeros((len(sets), x.shape[1]), dtype=np.bool_)
            member[:, moved] = sets
            value = game.mix(x[row : row + 1], reference, np.zeros(len(sets), dtype=np.int64), member)
            phi[row, moved] += _coefficients(len(moved)) @ value
    return Shapley(phi / len(references), base)


def permutation(
    predict: Predict | CoalitionGame,
    x: Floats,
    references: Floats,
    permutations: int,
    rng: np.random.Generator,
    *,
    antithetic: bool = False,
) -> Shapley:
    """The values by sampling: features join in random orders, and each is credited with how much the answer rose.

    Every row has orders of its own, which all references share. The values add up to the answer whatever the number
    of orders; each is unbiased, and exact where the answer is a sum over features. Coalitions that several orders
    pass are asked about once.

    Parameters
    ----------
    predict
        The model: a function of (n, d) rows, or a :class:`CoalitionGame` such as an ensemble of trees.
    permutations
        Orders for each row.
    antithetic
        Walk each order backwards too: twice the work, for less sampling error where features act in pairs.

    References
    ----------
    .. [1] Štrumbelj and Kononenko, Explaining prediction models and individual predictions (2014).
    """
    from riskkit.explain._walks import draw

    if permutations < 1:
        raise DesignError(f"Sampled values need at least 1 permutation; got {permutations}.")
    game = _game(predict)
    x, references = _matrix(x), _matrix(references)
    base = game.predict(references).mean(axis=0)
    phi = np.zeros((*x.shape, len(base)))
    walks = permutations * (1 + antithetic)
    weight = 1.0 / (walks * len(references))
    size = max(1, BLOCK // (walks * x.shape[1] ** 2))
    for start in range(0, len(x), size):
        block, out = x[start : start + size], phi[start : start + size]
        movable = np.logical_or.reduce([block != reference for reference in references])
        width = int(movable.sum(axis=1).max(initial=0))
        order = np.empty((len(block), permutations, width), dtype=np.int64)
        draw(rng.random(order.shape), movable, order)
        if antithetic:
            order = np.concatenate([order, order[:, :, ::-1]], axis=1)
        for reference in references:
            _walk(game, block, reference, order, weight, out)
    return Shapley(phi, base)


def _walk(game: CoalitionGame, x: Floats, reference: Floats, order: Ints, weight: float, phi: Floats) -> None:
    """Add to ``phi`` (n, d, outputs) what the steps of the orders are worth against one reference."""
    from riskkit.explain._walks import coalitions, credit

    active = x != reference
    many = active.sum(axis=1)
    walks = order.shape[1]
    most = int((walks * np.maximum(many - 1, 0) + 2).sum())
    owner, member = np.empty(most, dtype=np.int64), np.empty((most, x.shape[1]), dtype=np.bool_)
    places = np.empty((len(x), walks, order.shape[2] + 1), dtype=np.int64)
    room = 1 << int(2 * walks * max(int(many.max(initial=0)), 1)).bit_length()
    slots, masks = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    met = coalitions(order, active, places, owner, member, slots, masks)
    value = game.mix(x, reference, owner[:met], member[:met])
    credit(order, active, places, np.ascontiguousarray(value, dtype=np.float64), weight, phi)


@lru_cache(maxsize=MOST_FEATURES + 1)
def _all_sets(many: int) -> Bools:
    """(2^many, many) every set of so many features."""
    sets: Bools = (np.arange(1 << many)[:, None] >> np.arange(many) & 1).astype(np.bool_)
    return sets


@lru_cache(maxsize=MOST_FEATURES + 1)
def _coefficients(many: int) -> Floats:
    """(many, 2^many) what the value of each set counts for each feature: the chance that the feature ends it, less the
    chance that it comes right after it.
    """
    sets = _all_sets(many)
    size = sets.sum(axis=1)
    share = [factorial(k) * factorial(many - k - 1) / factorial(many) for k in range(many)]
    ends = np.array([0.0, *share])[size]
    begins = np.array([*share, 0.0])[size]
    out: Floats = np.where(sets.T, ends, -begins)
    return out


def _matrix(x: Floats) -> Floats:
    return np.ascontiguousarray(x, dtype=np.float64)


def _game(predict: Predict | CoalitionGame) -> CoalitionGame:
    return predict if isinstance(predict, CoalitionGame) else RowsGame(predict)
