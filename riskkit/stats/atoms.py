"""The law of what one released row says, as rows that were drawn found it: its values, how often, and how sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats
from riskkit.stats.optimal import Complexes, Optimal

FINE = 32
"""Frequencies are a coarse one plus one of so many fine ones, and an exponential is the product of two."""


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Weighted values of ``L = log p_in(row) - log p_out(row)`` from ``drawn`` rows.

    Rows that say the same are one atom. ``value`` (k,) is its L: ``inf`` where the fit without the record cannot put
    the row out, ``-inf`` where the one with it cannot. ``rows`` (k,) is how many were drawn; ``inside`` and ``outside``
    (k,) are what each of them stands for under either fit. ``aside`` (k,) is what each of them says beside that of rows
    that only the fit without the record can put out. The weights of a fit sum to 1.
    """

    value: Floats
    rows: Floats
    inside: Floats
    outside: Floats
    aside: Floats

    @classmethod
    def of(cls, value: Floats, rows: Floats, inside: Floats, outside: Floats, aside: Floats) -> Atoms:
        """Atoms with their weights brought to a sum of 1 for each fit."""
        whole_in, whole_out = float(rows @ inside), float(rows @ (outside + aside))
        return cls(value, rows, inside / whole_in, outside / whole_out, aside / whole_out)

    @property
    def only_in(self) -> float:
        """Chance per row, under the fit with the record, of a row that the other cannot put out."""
        return float((self.rows * self.inside)[self.value == np.inf].sum())

    @property
    def only_out(self) -> float:
        """Chance per row, under the fit without the record, of a row that the other cannot put out."""
        return float((self.rows * self.outside)[self.value == -np.inf].sum() + self.rows @ self.aside)

    def _finite(self) -> tuple[Floats, Floats]:
        """(k,) finite values and (2, k) their chances under either fit."""
        finite = np.isfinite(self.value)
        chances: Floats = self.rows[finite] * np.stack([self.inside, self.outside])[:, finite]
        return self.value[finite], chances

    def moments(self, tilt: Floats) -> Floats:
        """(2, k) mean of ``exp(tilt * L)`` under either fit, over the rows that both can put out."""
        value, chances = self._finite()
        with np.errstate(over="ignore"):
            return chances @ np.exp(np.outer(value, tilt))

    def characteristic(self, step: float, count: int) -> Complexes:
        """(2, count) mean of ``exp(i t L)`` under either fit, for t = 0, step, 2 step, ..."""
        value, chances = self._finite()
        coarse = np.exp(1j * np.outer(FINE * step * np.arange(-(-count // FINE)), value))
        fine = np.exp(1j * np.outer(value, step * np.arange(FINE)))
        return np.stack([((coarse * side) @ fine).ravel()[:count] for side in chances])

    def error_of_auc(self, best: Optimal, n: int) -> float:
        """Standard error of the AUC that :func:`riskkit.stats.optimal.optimal` made of these atoms.

        It is of first order: by how much one row more of each kind moves the number, over the rows drawn. A row of a
        release is one of ``n`` alike, so it counts ``n`` times.
        """
        quiet = best.quiet_in * best.quiet_out
        wins = np.stack([1 - quiet * best.gap_below(-self.value), 1 - quiet * best.gap_below(self.value)])
        return self._error(
            np.where(self.value == np.inf, 1.0, wins[0]),
            np.where(self.value == -np.inf, 1.0, wins[1]),
            (best.auc, best.auc),
            1.0,
            n,
        )

    def error_of_advantage(self, best: Optimal, n: int) -> float:
        """Standard error of the advantage, where the curve is as steep as the diagonal."""
        tpr, false = best.rates
        return self._error_at(best, int(np.argmax(tpr - false)), 1.0, n)

    def error_of_tpr(self, best: Optimal, fpr: float, n: int) -> float:
        """Standard error of the true positive rate at that false positive rate; the cut moves with the law."""
        tpr, false = best.rates
        at = int(np.clip(np.searchsorted(false, fpr), 1, len(false) - 2))
        run = false[at + 1] - false[at - 1]
        return self._error_at(best, at, float((tpr[at + 1] - tpr[at - 1]) / run) if run > 0 else 0.0, n)

    def error_of_proof(self, best: Optimal, n: int) -> float:
        """Standard error of the chance that a release holds a proof."""
        share = self.only_in
        if share >= 1:
            return 0.0
        moved = self.inside * ((self.value == np.inf) - share)
        return float(n * best.quiet_in / (1 - share) * np.sqrt(self.rows @ moved**2))

    def _error_at(self, best: Optimal, at: int, slope: float, n: int) -> float:
        """Standard error of ``tpr - slope * fpr`` at that point of the curve."""
        tpr, false = best.rates
        cut = best.start + best.step * (best.sums.shape[1] - 0.5 - at)
        above = best.above(cut - self.value)
        named = np.where(self.value == np.inf, 1.0, best.proof_in + best.quiet_in * above[0])
        accused = np.where(self.value == -np.inf, 0.0, best.quiet_out * above[1])
        return self._error(named, accused, (float(tpr[at]), float(false[at])), -slope, n)

    def _error(self, inside: Floats, outside: Floats, mean: tuple[float, float], weight: float, n: int) -> float:
        """Standard error of a number that moves by these (k,) values a row of either fit, and in all has this mean."""
        with np.errstate(invalid="ignore"):
            moved = self.inside * np.where(self.inside > 0, inside - mean[0], 0.0)
            moved += weight * self.outside * np.where(self.outside > 0, outside - mean[1], 0.0)
        beside = (1.0 if weight > 0 else 0.0) - mean[1]
        moved += weight * self.aside * beside
        centred = moved - self.rows @ moved / self.rows.sum()
        return float(n * np.sqrt(self.rows @ centred**2))
