"""The best attack on a tree of categories, played: releases are drawn and judged by counts of its own.

It shares nothing with the product but which column leans on which.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Ints

Shape = Sequence[Sequence[int]]

ROWS = 1_500_000
"""Rows that are drawn at a time."""

PROOF = 1e6
"""What a row counts that only the fit with the record can put out."""


@dataclass(frozen=True)
class Tree:
    """Counts of (n, d) codes along a tree; columns stand in the order in which they are drawn."""

    codes: Ints
    shape: Shape
    pseudo: float

    @property
    def order(self) -> list[int]:
        """Each column after the one that it leans on."""
        done: list[int] = []
        while len(done) < len(self.shape):
            done += [j for j, own in enumerate(self.shape) if j not in done and set(own) <= set(done)]
        return done

    def above(self, codes: Ints, j: int) -> Ints:
        """(m,) the codes of the column that this one leans on."""
        return codes[:, self.shape[j][0]] if self.shape[j] else np.zeros(len(codes), dtype=np.int64)

    def drawn(self, count: int, sizes: Sequence[int], rng: np.random.Generator) -> Ints:
        """(count, d) codes: of each column that of a random person who is like the row above it, or any one."""
        out = np.zeros((count, len(sizes)), dtype=np.int64)
        for j in self.order:
            own = self.above(self.codes, j)
            people = np.argsort(own, kind="stable")
            held = np.bincount(own, minlength=int(own.max()) + 2)
            first = np.cumsum(held) - held
            wanted = np.minimum(self.above(out, j), len(held) - 1)  # a code above all of the table has no people
            place = first[wanted] + (rng.random(count) * held[wanted]).astype(np.int64)
            value = self.codes[people[np.minimum(place, len(people) - 1)], j]
            extra = self.pseudo * sizes[j]
            any_one = rng.random(count) * (held[wanted] + extra) >= held[wanted]
            out[:, j] = np.where(any_one, rng.integers(sizes[j], size=count), value)
        return out

    def logs(self, codes: Ints, sizes: Sequence[int]) -> Floats:
        """(m,) logarithm of the probability of each row."""
        total = np.zeros(len(codes))
        for j, size in enumerate(sizes):
            width = max(int(self.above(self.codes, j).max()), int(self.above(codes, j).max())) + 1
            counts = np.full((width, size), self.pseudo)
            np.add.at(counts, (self.above(self.codes, j), self.codes[:, j]), 1.0)
            whole = counts.sum(axis=1, keepdims=True)
            shares = np.where(whole > 0, counts / np.where(whole > 0, whole, 1.0), 1 / size)
            with np.errstate(divide="ignore"):
                total += np.log(shares)[self.above(codes, j), codes[:, j]]
        return total


def sums(fits: tuple[Tree, Tree], sizes: Sequence[int], n: int, releases: int, rng: np.random.Generator) -> Floats:
    """(2, releases) the summed log ratio of releases of ``n`` rows, drawn from either fit."""
    out = np.empty((2, releases))
    batch = max(ROWS // n, 1)
    for side, fit in enumerate(fits):
        for start in range(0, releases, batch):
            count = min(batch, releases - start)
            codes = fit.drawn(count * n, sizes, rng)
            inside, outside = (world.logs(codes, sizes) for world in fits)
            ratios = np.where(np.isneginf(outside), PROOF, inside - np.where(np.isneginf(outside), 0.0, outside))
            out[side, start : start + count] = ratios.reshape(count, n).sum(axis=1)
    return out


def achieved(ratios: Floats) -> tuple[Floats, Floats]:
    """AUC, advantage and chance of a proof, each with its standard error, from (2, releases) summed log ratios.

    The advantage is that of naming whoever is likelier in, so it is no maximum over what was drawn.
    """
    inside, outside = np.round(ratios, 9)
    releases = len(inside)
    ordered = np.sort(outside)
    beats = (np.searchsorted(ordered, inside, "left") + np.searchsorted(ordered, inside, "right")) / (2 * releases)
    ordered = np.sort(inside)
    beaten = 1 - (np.searchsorted(ordered, outside, "left") + np.searchsorted(ordered, outside, "right")) / (
        2 * releases
    )
    named = [(side > 0) + (side == 0) / 2 for side in (inside, outside)]
    proof = inside > PROOF / 2
    value = np.array([beats.mean(), named[0].mean() - named[1].mean(), proof.mean()])
    spread = np.array([beats.var() + beaten.var(), named[0].var() + named[1].var(), proof.var()])
    return value, np.sqrt(spread / releases) + 1 / releases**2
