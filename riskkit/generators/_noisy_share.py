"""The chance of released rows under shares of noisy counts, with the noise integrated out.

Counts ``n_i`` of ``k`` cells get Laplace noise, what falls below a floor is raised to it, and the result ``c_i`` is
divided by its sum: rows are drawn by these shares. So the chance of ``m_i`` rows in each cell, in a stated order, is
the mean of ``prod c_i^m_i / (sum c)^m`` over the noise. With ``1 / s^m = int t^(m-1) exp(-t s) dt / Gamma(m)`` the sum
falls apart,

    chance = 1 / Gamma(m) int_0^inf t^(m-1) prod_i g_i(t) dt,    g_i(t) = E[c_i^m_i exp(-t c_i)],

and each ``g_i`` is a mean over the noise of one cell alone: incomplete gamma functions. What is left is one integral,
however many cells there are; on the logarithm of ``t`` the trapezoid rule finds it to ten digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, logsumexp

from riskkit.core import Floats, Ints

TOGETHER = 1_000_000
"""So many values of ``g`` are worked out at a time."""
STEP = 0.4, 0.9
"""The step of ``log t``: the first, or the second over the root of the rows where that is less. The law of ``log t`` is
no narrower than that of the logarithm of a gamma variable with as many degrees, which falls off so fast in frequency
that a step of so many standard deviations leaves out less than 1e-10."""
DECAY = 32.0
"""Parts of an integral below ``exp(-DECAY)`` of its largest are left out."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
FAINT = 1e-200
"""An incomplete gamma function below it has lost its digits; there the integral is taken by Gauss's rule."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyShares:
    """Shares of counts with Laplace noise of that ``scale``, in rows, raised to ``floor``.

    No sum of counts is above ``largest``, and no more than ``cells`` have shares of one sum.
    """

    scale: float
    floor: float
    largest: float
    cells: int
    kept: dict[tuple[int, float, int], Floats] = field(init=False, default_factory=dict)

    def log_chance(self, counts: Floats, seen: Ints) -> Floats:
        """(r,) log chance of rows, in a stated order, of which ``seen`` (r, k) lie in each cell of ``counts`` (k,)."""
        kinds, where = np.unique(seen, axis=0, return_inverse=True)
        total = kinds.sum(axis=1)
        out, size = np.zeros(len(kinds)), np.ceil(np.log2(np.maximum(total, 1))).astype(np.int64)
        for power in np.unique(size[total > 0]).tolist():
            positions = np.flatnonzero((size == power) & (total > 0))
            log_t = self.grid(power)
            for part in np.array_split(positions, 1 + len(positions) * len(log_t) // TOGETHER):
                value = total[part, None] * log_t
                for cell, count in enumerate(counts.tolist()):
                    own, again = np.unique(kinds[part, cell], return_inverse=True)
                    value += self._of_cell(power, log_t, count, own)[again.ravel()]
                step = math.log(log_t[1] - log_t[0])
                out[part] = logsumexp(value, axis=1) + step - gammaln(total[part])
        chance: Floats = out[where.ravel()]
        return chance

    def grid(self, power: int) -> Floats:
        """(v,) values of ``log t`` for ``2 ** power`` rows or fewer, and more than half of that.

        A sum of noisy counts lies between the floor and ``farthest``; ``t`` times it is a gamma variable of as many
        degrees as there are rows.
        """
        most = 2**power
        least = most // 2 + 1 if power else 1
        farthest = self.largest + (self.cells + DECAY) * self.scale
        low = math.log(least) - 10 / math.sqrt(least) - DECAY / least - math.log(farthest)
        high = math.log(most + 10 * math.sqrt(most) + DECAY) - math.log(self.floor)
        return np.arange(low, high, min(STEP[0], STEP[1] / math.sqrt(most)))

    def _of_cell(self, power: int, log_t: Floats, count: float, seen: Ints) -> Floats:
        """(m, v) the logarithm of ``g`` of a cell with that count, for so many rows seen in it (m,)."""
        new = np.array([rows for rows in seen.tolist() if (power, count, rows) not in self.kept], dtype=np.float64)
        for part in np.array_split(new, 1 + len(new) * len(log_t) // TOGETHER):
            made = log_mean(count, part[:, None], np.exp(log_t), self.scale, self.floor)
            self.kept.update({(power, count, int(rows)): each for rows, each in zip(part, made, strict=True)})
        return np.array([self.kept[power, count, rows] for rows in seen.tolist()])


def log_mean(count: float, power: Floats, rate: Floats, scale: float, floor: float) -> Floats:
    """(m, v) log of ``E[c^power exp(-rate c)]``, where c is the count with Laplace noise, at least the floor."""
    base = power * math.log(floor) - rate * floor
    if count <= floor:  # the noise's upper side alone can lift it
        raised = base + math.log1p(-math.exp((count - floor) / scale) / 2)
        beyond = _beyond(floor, power, rate + 1 / scale) + (count / scale - math.log(2 * scale))
        lifted: Floats = np.logaddexp(raised, beyond)
        return lifted
    raised = base + (floor - count) / scale - math.log(2)
    below = _between(floor, count, power, rate - 1 / scale) - (count / scale + math.log(2 * scale))
    beyond = _beyond(count, power, rate + 1 / scale) + (count / scale - math.log(2 * scale))
    mean: Floats = np.logaddexp(np.logaddexp(raised, below), beyond)
    return mean


def _beyond(low: float, power: Floats, rate: Floats) -> Floats:
    """(m, v) log of the integral of ``c^power exp(-rate c)`` from ``low`` on."""
    power, rate = np.broadcast_arrays(power, rate)
    share = gammaincc(power + 1, rate * low)
    with np.errstate(divide="ignore"):
        out: Floats = gammaln(power + 1) - (power + 1) * np.log(rate) + np.log(share)
    far = share < FAINT
    if far.any():  # the largest part is at ``low``, from where it falls at least as fast as this
        m, r = power[far], rate[far]
        reach = DECAY / (r - m / low)
        out[far] = _gauss(np.full(m.shape, low), low + reach, m, r)
    return out


def _between(low: float, high: float, power: Floats, rate: Floats) -> Floats:
    """(m, v) log of the integral of ``c^power exp(-rate c)`` between two ends; the rate may be negative."""
    power, rate = np.broadcast_arrays(power, rate)
    out = np.empty(power.shape)
    rises = rate * high <= power  # up to the end: the largest part is there
    m, r = power[rises], rate[rises]
    slope, bend = m / high - r, 9 * high / np.sqrt(np.maximum(m, 1e-12))
    with np.errstate(divide="ignore"):
        reach = np.minimum(np.minimum(DECAY / slope, bend), high - low)
    out[rises] = _gauss(high - reach, np.full(m.shape, high), m, r)
    m, r = power[~rises], rate[~rises]
    upper = r * low > m + 1
    ends = [each(m + 1, r * low) - each(m + 1, r * high) for each in (gammaincc, gammainc)]
    share = np.where(upper, ends[0], -ends[1])
    value = gammaln(m + 1) - (m + 1) * np.log(r) + np.log(np.maximum(share, 1e-300))
    far = share < FAINT
    if far.any():  # all of it is at the low end
        reach = np.minimum(DECAY / (r[far] - m[far] / low), high - low)
        value[far] = _gauss(np.full(reach.shape, low), low + reach, m[far], r[far])
    out[~rises] = value
    return out


def _gauss(low: Floats, high: Floats, power: Floats, rate: Floats) -> Floats:
    """(m,) the same by Gauss's rule, between ends of each."""
    half = (high - low) / 2
    nodes = (high + low)[:, None] / 2 + half[:, None] * NODES
    value = power[:, None] * np.log(nodes) - rate[:, None] * nodes
    out: Floats = logsumexp(value, axis=1, b=WEIGHTS) + np.log(half)
    return out
