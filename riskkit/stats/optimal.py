"""The best attack there can be, from the law of what one released row says: no release is drawn here.

Two fits are known, with the record and without it. A release is ``n`` independent rows of one of them. By Neyman and
Pearson the best attack adds up ``L = log p_in - log p_out`` over its rows, so all there is to know is the distribution
of a sum of ``n`` independent values under either fit.

Both distributions are leanings of one: the law half way between the fits, times ``exp(s / 2)`` with the record and
``exp(-s / 2)`` without. That middle law alone is worked out: the characteristic function of one ``L``, raised to the
power ``n`` and turned back on a grid. What is beyond the grid comes back at its other end with a weight below
``exp(DECIDED - WIDEST)``, so that no sum is too wide for it; where sums are known to stay closer together, the grid is
narrower. Each time it is looked at whether the grid holds all there is: leant to either side, the middle law must have
a mass of 1. Where it has not, the grid is made wider.

A row that only one of the fits can put out decides alone: ``only_in`` and ``only_out`` are its chances per row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats
from riskkit.errors import DesignError

Complexes = npt.NDArray[np.complex128]

FEWEST, MOST, FINE = 1024, 1 << 16, 0.008
"""Fewest and most points of the grid of sums, and the step to begin with. It is halved until no number can be off by
more than :data:`CLOSE`."""

CLOSE = 1e-3
"""So much may a number be too low for the grid."""

BLUR, MARGIN = 2.5, 24
"""The sum is blurred by a normal error of so many grid steps, so that its law is smooth on the grid; the grid has so
many steps to spare on either side for it. With less blur the law rings, and leaning makes that large."""

DECIDED, WIDEST = 16.0, 32.0
"""A sum further from 0 than the first is as good as a proof, but for 1 in 10 million. A grid that is not known to hold
all sums up to there reaches to the second, and is read up to the first."""

TAIL = 1e-7
"""Chance, by Chernoff's bound, of a sum beyond either end of a grid that is narrower than that."""

ASTRAY, WHOLE = 1e-6, 1e-9
"""No more than the first may be missing from the grid, be below zero on it, or lie at its very ends; the chances of
rows under one fit may sum to 1 but for the second."""

UTMOST, SLOPES, GENTLE = 300.0, 24, 0.4
"""Moments are asked for where no part of them is beyond ``exp(UTMOST)`` or ``exp(-UTMOST)``. Chernoff's bound is
tried at so many tilts from the third on; smaller ones speak of sums beyond :data:`WIDEST`."""

LOST = 0.12
"""Blur can turn round a decision at distance x of the cut, in units of the blur. What is lost by that is at most
``x / 2 * ndtr(-x)`` blurs, which is below ``.102 * exp(-x**2 / 4)``; the rest is for the steps of the grid."""

NARROW = 1e-6
"""No grid is narrower: sums that lie closer together say nothing."""


def _out_of_reach(n: int) -> DesignError:
    return DesignError.phrase(
        "The best attack on releases of {n:,} rows cannot be worked out: the probabilities of single rows are "
        "not exact enough to add up so many. Choose shorter releases, or run attacks instead.",
        n=n,
    )


class RowLaw(Protocol):
    """The law of ``L = log p_in(row) - log p_out(row)`` for one released row.

    ``only_in`` is the chance, under the fit with the record, of a row that the other cannot put out; ``only_out`` is
    the other way round. Both methods leave such rows out: they are sums over the rows that both can put out, weighed by
    their chance under the fit with the record. Those under the other fit are the same at a tilt lower by 1.
    """

    @property
    def only_in(self) -> float:
        """Chance per row."""

    @property
    def only_out(self) -> float:
        """Chance per row."""

    @property
    def reach(self) -> float:
        """No sum of parts of L is further from 0."""

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)``, for tilts in [-1, 0] and where ``tilt * reach`` is at most :data:`UTMOST`."""

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""


@dataclass(frozen=True, eq=False)
class Optimal:
    """What the best attack achieves on a release of ``n`` rows.

    ``sums`` (2, points) are the chances of the sum of log ratios under either fit, over releases that prove nothing;
    the first grid point is ``start``, each of the others ``step`` higher, and the first and the last hold what is
    beyond them too. At ``middle`` both are equally likely. ``quiet_in`` and ``quiet_out`` are the chances of a release
    without a proof: with the record, that it was in; without, that it was not.

    The sums are blurred by a normal error of standard deviation ``blur``, and an attack on blurred sums is no better
    than the best: every number is too low, by its slack at most. ``fewer`` (2, points) are the sums of ``n - 1`` rows,
    where they were asked for.
    """

    start: float
    step: float
    sums: Floats
    quiet_in: float
    quiet_out: float
    middle: float = 0.0
    blur: float = 0.0
    n: int = 1
    fewer: Floats | None = None

    @property
    def proof_in(self) -> float:
        """Chance that a release with the record holds a row that cannot be there without it."""
        return 1 - self.quiet_in

    @cached_property
    def auc(self) -> float:
        """Chance that a release with the record looks more like one than a release without it does."""
        return 1 - self.quiet_in * self.quiet_out * (1 - float(self.sums[0] @ _below_points(self.sums[1])))

    @cached_property
    def auc_slack(self) -> float:
        """The AUC may be higher by so much."""
        reach = math.ceil(8 * self.blur / self.step)
        pairs = np.correlate(np.pad(self.sums[0], reach), self.sums[1], "valid")
        turned = np.exp(-((np.arange(-reach, reach + 1) * self.step / max(2 * self.blur, NARROW)) ** 2))
        return 2 * LOST * self.blur * self.quiet_in * self.quiet_out * float(np.dot(pairs, turned))

    @cached_property
    def rates(self) -> Floats:
        """(2, points + 2) true and false positive rates, ascending, from (chance of a proof, 0) to (1, 1)."""
        above = np.cumsum(self.sums[:, ::-1], axis=1)
        above[:, 2:-3] += np.diff(self.sums[:, ::-1], axis=1)[:, 2:-2] / 24
        above = np.maximum.accumulate(above, axis=1)
        fpr = np.concatenate([[0.0], self.quiet_out * above[1], [1.0]])
        tpr = np.concatenate([[self.proof_in], self.proof_in + self.quiet_in * above[0], [1.0]])
        both: Floats = np.minimum(np.stack([tpr, fpr]), 1.0)
        return both

    @cached_property
    def rates_slack(self) -> Floats:
        """(points + 2,) by so much may the true positive rate be higher, or the false one lower."""
        points, reach = self.sums.shape[1], math.ceil(6 * self.blur / self.step)
        turned = np.exp(-0.5 * ((np.arange(-reach, reach) + 0.5) * self.step / max(self.blur, NARROW)) ** 2)
        near = np.stack([np.convolve(side, turned)[reach : reach + points] for side in self.sums])
        odds = np.exp(self.start - self.middle + self.step * (np.arange(points) - 0.5))  # at the cut below each point
        slack: Floats = np.zeros(points + 2)
        slack[1:-1] = math.sqrt(2) * LOST * self.blur * self.quiet_in * (near[0] + odds * near[1])[::-1]
        return slack

    @property
    def slack(self) -> float:
        """No number may be higher by more."""
        return max(self.auc_slack, float(self.rates_slack.max()))

    @cached_property
    def cut(self) -> int:
        """Where on the curve the true positive rate minus the false positive rate is largest."""
        return int(np.argmax(self.rates[0] - self.rates[1]))

    @property
    def advantage(self) -> float:
        """The largest true positive rate minus false positive rate."""
        return float(self.rates[0, self.cut] - self.rates[1, self.cut])

    @property
    def advantage_slack(self) -> float:
        """The advantage may be higher by so much: by what blur turns round where both fits are equally likely."""
        points = self.sums.shape[1]
        return float(self.rates_slack[points - int(np.clip(round(-self.start / self.step), 0, points - 1))])

    def tpr_at(self, fpr: npt.ArrayLike) -> Floats:
        """(...,) the largest true positive rate at these false positive rates (...,)."""
        return self._interpolate(fpr, self.rates[0])

    def tpr_slack_at(self, fpr: npt.ArrayLike) -> Floats:
        """(...,) by so much may the true positive rate at these false positive rates (...,) be higher."""
        return np.minimum(self._interpolate(fpr, self.rates_slack), 1 - self.tpr_at(fpr))

    def _interpolate(self, fpr: npt.ArrayLike, values: Floats) -> Floats:
        """The values at these false positive rates; at 0 proofs alone are named."""
        wanted = np.asarray(fpr, dtype=float)
        out: Floats = np.where(wanted > 0, np.interp(wanted, self.rates[1], values), values[0])
        return out

    def auc_if(self, value: Floats) -> Floats:
        """(2, k) the AUC if one row is known to say so much: of the release with the record, or of the one without."""
        quiet_in, quiet_out, fewer = self._less_one()
        lost_in = quiet_in * self.quiet_out * self._gap_below(fewer[0], self.sums[1], -value)
        lost_out = self.quiet_in * quiet_out * self._gap_below(self.sums[0], fewer[1], value)
        won: Floats = 1 - np.stack([lost_in, lost_out])
        return won

    def rates_if(self, value: Floats, cut: int) -> Floats:
        """(2, k) true and false positive rate at that place of the curve, if one row is known to say so much."""
        quiet_in, quiet_out, fewer = self._less_one()
        wanted = self.start + self.step * (fewer.shape[1] - 0.5 - cut) - value
        missed, passed = (_below(wanted, side, self.start, self.step) for side in fewer)
        return np.stack([1 - quiet_in * missed, quiet_out * (1 - passed)])

    def _less_one(self) -> tuple[float, float, Floats]:
        """Chances of no proof, and the sums, of releases of one row fewer."""
        assert self.fewer is not None, "ask for sums of one row fewer"
        share = (self.n - 1) / self.n
        return float(self.quiet_in**share), float(self.quiet_out**share), self.fewer

    def _gap_below(self, inside: Floats, outside: Floats, value: Floats) -> Floats:
        """Chance that the first sum minus the second is below each value, ties one half."""
        size = 2 * len(inside)
        first, second = np.fft.rfft(np.stack([inside, outside]), n=size)
        chances = np.maximum(np.roll(np.fft.irfft(first * second.conj(), n=size), size // 2), 0.0)
        return _below(value, chances, -self.step * (size // 2), self.step)


def _below_points(chances: Floats) -> Floats:
    """The chance to be below each point of the grid, that point one half, for a smooth law: by Euler and Maclaurin."""
    below = np.cumsum(chances) - chances / 2
    below[2:-2] -= (chances[3:-1] - chances[1:-3]) / 24
    return below


def _below(value: Floats, chances: Floats, start: float, step: float) -> Floats:
    """The chance to be below each value, from the chances of a smooth law on a grid: by Hermite's cubic.

    The error of a line would count: one row of many moves the sum by much less than a step.
    """
    below = _below_points(chances)
    place = np.clip((value - start) / step, 0, len(chances) - 1)
    left = np.minimum(place.astype(np.int64), len(chances) - 2)
    part, rise = place - left, below[left + 1] - below[left]
    first, last = chances[left] - rise, chances[left + 1] - rise
    inner: Floats = below[left] + part * rise + part * (1 - part) * ((1 - part) * first - part * last)
    return np.where(value < start, 0.0, np.where(value > start + step * (len(chances) - 1), 1.0, inner))


def optimal(law: RowLaw, n: int, *, points: int | None = None, fewer: bool = False) -> Optimal:
    """The best attack on a release of ``n`` rows, on a grid as fine as it needs or of so many points.

    ``fewer`` asks for the sums of one row fewer as well.

    Raises
    ------
    DesignError
        ``n`` is below 1, or the chances of rows do not sum to 1, or those of their sums do not on any grid.

    References
    ----------
    .. [1] Neyman and Pearson 1933, On the problem of the most efficient tests of statistical hypotheses,
       https://doi.org/10.1098/rsta.1933.0009
    .. [2] Koskela, Jälkö, Honkela 2020, Computing tight differential privacy guarantees using FFT, AISTATS: the same
       way from the law of one step to that of many.
    """
    if n < 1:
        raise DesignError(f"A release has at least one row; {n} were asked for.")
    masses = law.moments(np.array([-1.0, -0.5, 0.0]))
    if min(masses) <= 0:  # every row of one of the fits is a proof
        nowhere = np.ones((2, 1))
        return Optimal(0.0, 1.0, nowhere, 0.0, 0.0, n=n, fewer=nowhere)
    only = np.array([law.only_out, law.only_in])
    if not np.all(abs(masses[[0, 2]] + only - 1) <= WHOLE):
        raise _out_of_reach(n)
    quiet_out, quiet_in = np.exp(n * np.log1p(-only)).tolist()
    logs = np.log(masses)
    half = _half_width(law, n, logs, law.reach if fewer else 0.0)
    count = points or max(FEWEST, 2 ** math.ceil(math.log2(2 * half / FINE)))
    while True:
        grid = _Grid(half, count, n * float(logs[2] - logs[0]))
        sums = grid.sums(law, (n, n - 1) if fewer else (n,), logs)
        if not grid.astray(sums[0]) <= ASTRAY:
            if grid.is_wide:
                raise _out_of_reach(n)
            half, count = _widen(2 * half), points or 2 * count
            continue
        start, settled = grid.settle(sums)
        less, blur = settled[1] if fewer else None, BLUR * grid.step
        best = Optimal(start, grid.step, settled[0], quiet_in, quiet_out, grid.middle, blur, n, less)
        if points or count >= MOST or best.slack <= CLOSE:
            return best
        count *= 2


def _half_width(law: RowLaw, n: int, logs: Floats, spare: float) -> float:
    """How far sums get from where both fits are equally likely, but for a chance of :data:`TAIL`, and ``spare``.

    By Chernoff's bound under either fit; the logarithms of their masses are the last and the first of ``logs``.
    """
    steepest = UTMOST / max(law.reach, NARROW) - 1
    if steepest <= GENTLE:
        return WIDEST
    tilt = np.geomspace(GENTLE, steepest, SLOPES)
    with_record, without = np.log(law.moments(np.concatenate([tilt, -1 - tilt]))).reshape(2, -1)
    lean = n * float(logs[2] - logs[0])
    high = np.min((n * (with_record - logs[2]) - math.log(TAIL)) / tilt) - lean
    low = np.min((n * (without - logs[0]) - math.log(TAIL)) / tilt) + lean
    return _widen(max(float(high), float(low), NARROW) + spare)


def _widen(half: float) -> float:
    """That half width, or the widest where sums get so far that they decide."""
    return half if half <= DECIDED else WIDEST


@dataclass(frozen=True, slots=True)
class _Grid:
    """Sums up to ``half`` on either side of ``middle``, the one at which both fits are equally likely."""

    half: float
    points: int
    middle: float

    @property
    def is_wide(self) -> bool:
        """Whether sums may lie beyond."""
        return self.half >= WIDEST

    @property
    def step(self) -> float:
        """From one sum to the next."""
        return 2 * self.half / (self.points - 2 * MARGIN)

    @property
    def places(self) -> Floats:
        """(points,) the sums."""
        return np.asarray(self.middle + self.step * (np.arange(self.points) - self.points // 2), dtype=np.float64)

    def sums(self, law: RowLaw, rows: Sequence[int], logs: Floats) -> Floats:
        """(rows, 2, points) chances of the sums of so many rows under either fit.

        ``logs`` are those of the moments at tilts of -1, -1/2 and 0.
        """
        frequency = 2 * np.pi / (self.step * self.points)
        count = self.points // 2 + 1
        t, variance, places = frequency * np.arange(count), (BLUR * self.step) ** 2, self.places
        turns = np.exp(-0.5 * variance * t**2 - 1j * t * places[0])
        aside = np.exp(0.5j * variance * t)  # leaning moves a blurred law by half its variance
        turns = np.stack([turns * aside.conj(), turns * aside])
        phi = law.characteristic(-0.5, frequency, count)
        with np.errstate(divide="ignore"):
            phi = np.log(phi) - logs[1]
        out = np.empty((len(rows), 2, self.points))
        for place, n in enumerate(rows):
            powered = np.where(np.isfinite(phi), np.exp(n * phi), 1.0 if n == 0 else 0.0)
            middle = np.fft.irfft((powered * turns).conj(), n=self.points)
            lean = np.stack([places / 2 + n * (logs[1] - logs[2]), -places / 2 + n * (logs[1] - logs[0])])
            out[place] = middle * np.exp(lean + variance / 8)
        return out

    @property
    def _read(self) -> slice:
        """The part of a wide grid into which nothing comes back from the other end."""
        inner = int(DECIDED / self.step) if self.is_wide else self.points // 2
        return slice(self.points // 2 - inner, self.points // 2 + inner + 1)

    def astray(self, sums: Floats) -> float:
        """How much of (2, points) laws is not where it should be: missing or too much, below zero, or at the ends."""
        inner = sums[:, self._read]
        missing = 1 - inner.sum(axis=1)
        below = -np.minimum(inner, 0).sum(axis=1)
        if self.is_wide:
            return float(max(*-missing, *below))
        ends = MARGIN // 3
        return float(max(*np.abs(missing), *below, sums[0, -ends:].sum(), sums[1, :ends].sum()))

    def settle(self, sums: Floats) -> tuple[float, Floats]:
        """The first sum, and the chances: none below 0, and all there are."""
        inner = np.maximum(sums[..., self._read], 0)
        if self.is_wide:
            beyond = np.maximum(1 - inner.sum(axis=-1), 0)
            inner[:, 0, -1] += beyond[:, 0]
            inner[:, 1, 0] += beyond[:, 1]
        return float(self.places[self._read.start]), inner / inner.sum(axis=-1, keepdims=True)


# The law of releases of several tables: a person who is in all of them, and one attacker who sees every release.
#
# Releases of different tables are independent given the tables, so log ratios add up and characteristic functions are
# multiplied. What comes out is again the law of one row, of which so many make the whole: the geometric mean of the
# laws, each as often as it has rows. :func:`riskkit.stats.optimal.optimal` takes it as any other.


@dataclass(frozen=True, eq=False)
class MeanLaw:
    """The mean law of a row of several releases: ``laws[t]`` is that of each of the ``rows[t]`` rows of release ``t``.

    Raises
    ------
    DesignError
        There is no release, or one without rows, or not as many numbers of rows as laws.
    """

    laws: Sequence[RowLaw]
    rows: Sequence[int]

    def __post_init__(self) -> None:
        if not self.laws or len(self.laws) != len(self.rows) or min(self.rows) < 1:
            raise DesignError("Every release has a law and at least one row.")

    @property
    def n(self) -> int:
        """The rows of all releases."""
        return sum(self.rows)

    @property
    def parts(self) -> Floats:
        """(releases,) the part of all rows that each release has."""
        return np.array(self.rows) / self.n

    @property
    def only_in(self) -> float:
        """Chance per row, as a mean: that no row of any release is a proof is its rest to the power of all rows."""
        return self._mean_of([law.only_in for law in self.laws])

    @property
    def only_out(self) -> float:
        """The same for rows that only the fits without the record can put out."""
        return self._mean_of([law.only_out for law in self.laws])

    def _mean_of(self, only: Sequence[float]) -> float:
        if max(only) >= 1:
            return 1.0
        return float(-np.expm1(self.parts @ np.log1p(-np.array(only))))

    @property
    def reach(self) -> float:
        """No sum of parts of L is further from 0."""
        return max(law.reach for law in self.laws)

    def moments(self, tilt: Floats) -> Floats:
        """(k,) the geometric mean of the moments of the laws at these tilts."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.stack([law.moments(tilt) for law in self.laws]))
        out: Floats = np.exp(self.parts @ logs)
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) the geometric mean of the characteristic functions; to the power of all rows it is their product."""
        with np.errstate(divide="ignore"):
            logs = np.log(np.stack([law.characteristic(tilt, step, count) for law in self.laws]))
        gone = np.isneginf(logs.real).any(axis=0)
        out: Complexes = np.where(gone, 0.0, np.exp(self.parts @ np.where(gone, 0.0, logs)))
        return out


def optimal_together(laws: Sequence[RowLaw], rows: Sequence[int]) -> Optimal:
    """The best attack on releases of several tables, one of ``rows[t]`` rows for each law.

    Raises
    ------
    DesignError
        As :class:`MeanLaw` and :func:`riskkit.stats.optimal.optimal`.
    """
    law = MeanLaw(laws, rows)
    return optimal(law, law.n)
