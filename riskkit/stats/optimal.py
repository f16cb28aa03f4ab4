"""The best attack there can be, from the law of what one released row says: no release is drawn here.

Two fits are known, with the record and without it. A release is ``n`` independent rows of one of them. By Neyman and
Pearson the best attack adds up ``L = log p_in - log p_out`` over its rows, so all there is to know is the distribution
of a sum of ``n`` independent values under either fit. It comes from the characteristic function of one ``L``, raised to
the power ``n`` and turned back on a grid that is as wide as the sum can get and no wider.

A row that only one of the fits can put out decides alone: ``only_in`` and ``only_out`` are its chances per row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats
from riskkit.errors import DesignError

Complexes = npt.NDArray[np.complex128]

FEWEST, MOST, FINE = 1024, 16_384, 0.01
"""Fewest and most points of the grid of sums, and the step that is fine enough: releases whose likelihoods are within
1 % of each other need not be told apart. Between them the AUC changes by less than 1e-3 (tested)."""

BLUR, MARGIN = 1.6, 16
"""The sum is blurred by a normal error of so many grid steps, so that its law is smooth on the grid and ties count one
half; the grid has so many steps to spare on either side for it."""

TAIL = 1e-7
"""Chance, by Chernoff's bound, of a sum beyond either end of the grid."""

TILTS = np.geomspace(0.05, 5e4, 40)
"""Where Chernoff's bound is tried: from sums of some tens to sums of some ten-thousandths."""

FLAT = 1e-9
"""A sum that spreads over less than this says nothing."""


class RowLaw(Protocol):
    """The law of ``L = log p_in(row) - log p_out(row)`` for one released row, under either fit.

    ``only_in`` is the chance under the first fit of a row that the second cannot put out, ``only_out`` the other way
    round. Both methods leave such rows out: what they give are means over the rows that both fits can put out.
    """

    @property
    def only_in(self) -> float:
        """Chance per row."""

    @property
    def only_out(self) -> float:
        """Chance per row."""

    def moments(self, tilt: Floats) -> Floats:
        """(2, k) mean of ``exp(tilt * L)`` under the fit with the record, and under the one without."""

    def characteristic(self, step: float, count: int) -> Complexes:
        """(2, count) mean of ``exp(i t L)`` under either fit, for t = 0, step, 2 step, ..."""


@dataclass(frozen=True, eq=False)
class Optimal:
    """What the best attack achieves on a release.

    ``sums`` (2, points) are the chances of the sum of log ratios under either fit, over releases that prove nothing;
    the first grid point is ``start``, each of the others ``step`` higher. ``quiet_in`` and ``quiet_out`` are the
    chances of a release without a proof: with the record, that it was in; without, that it was not.
    """

    start: float
    step: float
    sums: Floats
    quiet_in: float
    quiet_out: float

    @property
    def proof_in(self) -> float:
        """Chance that a release with the record holds a row that cannot be there without it."""
        return 1 - self.quiet_in

    @cached_property
    def auc(self) -> float:
        """Chance that a release with the record looks more like one than a release without it does."""
        below = np.cumsum(self.sums[1]) - self.sums[1] / 2
        return 1 - self.quiet_in * self.quiet_out * (1 - float(self.sums[0] @ below))

    @cached_property
    def rates(self) -> Floats:
        """(2, points + 2) true and false positive rates, ascending, from (chance of a proof, 0) to (1, 1)."""
        above = np.cumsum(self.sums[:, ::-1], axis=1)
        fpr = np.concatenate([[0.0], self.quiet_out * above[1], [1.0]])
        tpr = np.concatenate([[self.proof_in], self.proof_in + self.quiet_in * above[0], [1.0]])
        both: Floats = np.minimum(np.stack([tpr, fpr]), 1.0)
        return both

    @property
    def advantage(self) -> float:
        """The largest true positive rate minus false positive rate."""
        return float(np.max(self.rates[0] - self.rates[1]))

    def tpr_at(self, fpr: npt.ArrayLike) -> Floats:
        """The largest true positive rate at these false positive rates."""
        tpr, false = self.rates
        found: Floats = np.asarray(np.interp(np.asarray(fpr, dtype=float), false[1:], tpr[1:], left=self.proof_in))
        return found

    @cached_property
    def _gap(self) -> tuple[Floats, Floats]:
        """The sum with the record minus the sum without: (2 * points,) values, and the chance to be below each."""
        size = 2 * self.sums.shape[1]
        inside, outside = np.fft.rfft(self.sums, n=size)
        chances = np.maximum(np.roll(np.fft.irfft(inside * outside.conj(), n=size), size // 2), 0.0)
        return self.step * (np.arange(size) - size // 2), np.cumsum(chances) - chances / 2

    def gap_below(self, value: Floats) -> Floats:
        """Chance that the sum with the record minus the sum without is below each value, ties one half."""
        found: Floats = np.interp(value, *self._gap, left=0.0, right=1.0)
        return found

    def above(self, cut: Floats) -> Floats:
        """(2, k) chance that the sum is at each cut or above, under either fit, over releases that prove nothing."""
        grid = self.start + self.step * np.arange(self.sums.shape[1])
        tails = 1 - (np.cumsum(self.sums, axis=1) - self.sums / 2)
        return np.stack([np.interp(cut, grid, side, left=1.0, right=0.0) for side in tails])


def optimal(law: RowLaw, n: int, *, points: int | None = None) -> Optimal:
    """The best attack on a release of ``n`` rows, on a grid as fine as it needs or of so many points.

    Raises
    ------
    DesignError
        ``n`` is below 1.

    References
    ----------
    .. [1] Neyman and Pearson 1933, On the problem of the most efficient tests of statistical hypotheses,
       https://doi.org/10.1098/rsta.1933.0009
    .. [2] Koskela, Jälkö, Honkela 2020, Computing tight differential privacy guarantees using FFT, AISTATS: the same
       way from the law of one step to that of many.
    """
    if n < 1:
        raise DesignError(f"A release has at least one row; {n} were asked for.")
    total = law.moments(np.zeros(1))[:, 0]
    if min(total) <= 0:  # every row of one of the fits is a proof
        return Optimal(0.0, 1.0, np.ones((2, 1)), 0.0, 0.0)
    quiet_in, quiet_out = (total**n).tolist()
    low, high = _ends(law, total, n)
    if high - low <= FLAT:
        return Optimal((low + high) / 2, 1.0, np.ones((2, 1)), quiet_in, quiet_out)
    if points is None:
        points = min(max(2 ** math.ceil(math.log2((high - low) / FINE)), FEWEST), MOST)
    step = (high - low) / (points - 2 * MARGIN)
    start = low - MARGIN * step
    return Optimal(start, step, _sums(law, total, n, start, step, points), quiet_in, quiet_out)


def _ends(law: RowLaw, total: Floats, n: int) -> tuple[float, float]:
    """Between which values the sum lies under either fit, but for a chance of :data:`TAIL` at either end."""
    ends = []
    for sign in (-1.0, 1.0):
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            grown = n * np.log(law.moments(sign * TILTS) / total[:, None])
            bound = (grown - np.log(TAIL)) / TILTS
        ends.append(sign * float(np.where(np.isfinite(bound), bound, np.inf).min(axis=1).max()))
    return ends[0], ends[1]


def _sums(law: RowLaw, total: Floats, n: int, start: float, step: float, points: int) -> Floats:
    """(2, points) chances of the sums on the grid, of releases that prove nothing."""
    frequency = 2 * np.pi / (step * points)
    count = points // 2 + 1
    phi = law.characteristic(frequency, count) / total[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        powered = np.where(np.abs(phi) > 0, np.exp(n * np.log(phi)), 0.0)
    t = frequency * np.arange(count)
    turned = powered * np.exp(-0.5 * (BLUR * step * t) ** 2 - 1j * t * start)
    chances: Floats = np.maximum(np.fft.irfft(turned.conj(), n=points), 0.0)
    chances /= chances.sum(axis=1, keepdims=True)
    return chances
