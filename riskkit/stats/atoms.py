"""The law of what one released row says, as weighted rows that were drawn found it: its values, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from riskkit.core import Floats
from riskkit.stats.optimal import Complexes, Optimal

FINE = 32
"""Frequencies are a coarse one plus one of so many fine ones, and an exponential is the product of two."""

FEW = 10
"""So many drawn rows are enough to tell how often there are any."""

ROUNDS, ENOUGH = 20, 1e-12
"""Chances of a fit are brought to a sum of 1 but for the second, in so many rounds at most."""

DECIMALS = 12
"""Rows whose values are the same to so many decimals are one atom."""


@dataclass(frozen=True, eq=False)
class Atoms:
    """The values of ``L = log p_in(row) - log p_out(row)`` on ``drawn`` rows, those that say the same together.

    ``value`` (k,) is the L of each atom: ``inf`` where the fit without the record cannot put the row out, ``-inf``
    where the one with it cannot. ``chance`` (k,) is how likely a row of the fit with the record is of that atom, and
    for ``-inf`` a row of the other. ``square`` (k,) is the sum of the squares of what each drawn row adds to it.
    """

    value: Floats
    chance: Floats
    square: Floats
    drawn: int

    @classmethod
    def weigh(cls, value: Floats, weight: Floats, unseen: float = 0.0) -> Atoms:
        """The atoms of (m,) rows that say so much, each so much likelier under a fit than it was drawn.

        The fit is the one with the record, and for ``-inf`` the other. The chances of either fit are known to sum to 1,
        so the rows are counted a little more or less to that end: by a factor that is the exponential of a constant,
        the row's weight under one fit and its weight under the other. ``unseen`` is the weight of rows that only one of
        the fits can put out, if there may be some that were not drawn. Where fewer than :data:`FEW` were, the error
        allows for one more.

        References
        ----------
        .. [1] Deville, Särndal 1992, Calibration estimators in survey sampling,
           https://doi.org/10.1080/01621459.1992.10475217
        .. [2] Owen, Zhou 2000, Safe and effective importance sampling, https://doi.org/10.1080/01621459.2000.10473909
        """
        value = np.round(value, DECIMALS)
        count = _rake(np.stack([np.ones(len(value)), *_sides(value) * weight]))
        atoms, own = np.unique(value, return_inverse=True)
        each = weight / len(value)
        chance, square = np.bincount(own, count * each), np.bincount(own, each**2)
        seen = value[weight > 0]
        ends = [end for end in (-np.inf, np.inf) if unseen and np.count_nonzero(seen == end) < FEW]
        nobody, one_row = np.zeros(len(ends)), np.full(len(ends), (unseen / len(value)) ** 2)
        return cls(np.append(atoms, ends), np.append(chance, nobody), np.append(square, one_row), len(value))

    @cached_property
    def sides(self) -> Floats:
        """(2, k) what each chance is under either fit, as a multiple of it."""
        return _sides(self.value)

    def _only(self, fit: int, value: float) -> float:
        return float((self.sides[fit] * self.chance)[self.value == value].sum())

    @property
    def only_in(self) -> float:
        """Chance per row, under the fit with the record, of a row that the other cannot put out."""
        return self._only(0, np.inf)

    @property
    def only_out(self) -> float:
        """Chance per row, under the fit without the record, of a row that the other cannot put out."""
        return self._only(1, -np.inf)

    @cached_property
    def _finite(self) -> tuple[Floats, Floats]:
        """(k,) finite values, and their chances under the fit with the record."""
        finite = np.isfinite(self.value)
        return self.value[finite], self.chance[finite]

    @property
    def reach(self) -> float:
        """No value that is finite is further from 0."""
        return float(np.abs(self._finite[0]).max(initial=0.0))

    def moments(self, tilt: Floats) -> Floats:
        """(k,) sum of ``exp(tilt * L)`` over the rows that both fits can put out, by their chance with the record."""
        value, chances = self._finite
        out: Floats = chances @ np.exp(np.outer(value, tilt))
        return out

    def characteristic(self, tilt: float, step: float, count: int) -> Complexes:
        """(count,) sum of ``exp((tilt + i t) * L)`` for t = 0, step, 2 step, ..."""
        value, chances = self._finite
        coarse: Complexes = np.exp(1j * np.outer(FINE * step * np.arange(-(-count // FINE)), value))
        fine: Complexes = np.exp(1j * np.outer(value, step * np.arange(FINE)))
        turned: Complexes = (coarse * (chances * np.exp(tilt * value))) @ fine
        return turned.ravel()[:count]

    def errors(self, best: Optimal, fpr: float) -> tuple[float, float, float, float]:
        """Standard errors of AUC, advantage, true positive rate at that false positive rate, and chance of a proof."""
        return (
            self.error_of_auc(best),
            self.error_of_advantage(best),
            self.error_of_tpr(best, fpr),
            self.error_of_proof(best),
        )

    def error_of_auc(self, best: Optimal) -> float:
        """Standard error of the AUC that :func:`riskkit.stats.optimal.optimal` made of these atoms.

        It is of first order: by how much the number moves if one row of a release is known to say what an atom says,
        over the rows drawn. A row of a release is one of ``n`` alike, so it counts ``n`` times.
        """
        return self._error(best.auc_if(self.value), (1.0, 1.0), best.n)

    def error_of_advantage(self, best: Optimal) -> float:
        """Standard error of the advantage, where the curve is as steep as the diagonal."""
        return self._error(best.rates_if(self.value, best.cut), (1.0, -1.0), best.n)

    def error_of_tpr(self, best: Optimal, fpr: float) -> float:
        """Standard error of the true positive rate at that false positive rate; the cut moves with the law.

        The curve may have a corner there, and is less steep on one side than on the other: so it is the root of the
        mean square of the errors there and where the false positive rate is by its own error lower or higher.
        """
        tpr, false = best.rates
        spread = self._error(best.rates_if(self.value, int(np.searchsorted(false, fpr))), (0.0, 1.0), best.n)
        errors = []
        for near in (fpr - spread, fpr, fpr + spread):
            cut = int(np.clip(np.searchsorted(false, near), 1, len(false) - 2))
            run = false[cut + 1] - false[cut - 1]
            slope = (tpr[cut + 1] - tpr[cut - 1]) / run if run > 0 else 0.0
            errors.append(self._error(best.rates_if(self.value, cut), (1.0, -slope), best.n))
        return float(np.sqrt(np.mean(np.square(errors))))

    def error_of_proof(self, best: Optimal) -> float:
        """Standard error of the chance that a release holds a proof."""
        share = self.only_in
        if share >= 1:
            return 0.0
        proofs = np.stack([self.value == np.inf, np.zeros(len(self.value))])
        return best.quiet_in / (1 - share) * self._error(proofs, (1.0, 0.0), best.n)

    def _error(self, if_so: Floats, parts: tuple[float, float], n: int) -> float:
        """Standard error of a number that is so much of two: (2, k) are these if a row of either fit is of an atom.

        What is known of the rows (see :meth:`weigh`) explains a part of what they say, and that has no error.
        """
        mean = (self.sides * self.chance * if_so).sum(axis=1, keepdims=True)
        says = np.array(parts) @ (self.sides * (if_so - mean))
        is_seen, means = self.chance != 0, self.sides @ self.chance
        weighed = self.sides * self.square * is_seen
        known = weighed @ self.sides.T - np.outer(means, means) / self.drawn
        both = weighed @ says - means * (self.chance @ says) / self.drawn
        left = says - np.linalg.pinv(known, rcond=1e-9, hermitian=True) @ both @ self.sides * is_seen
        return float(n * np.sqrt(max(self.square @ left**2 - (self.chance @ left) ** 2 / self.drawn, 0.0)))


def _rake(known: Floats) -> Floats:
    """(m,) factors near 1 that bring the mean of each of (3, m) known columns to 1: by Newton's steps."""
    factors: Floats = np.ones(known.shape[1])
    for _ in range(ROUNDS):
        missing = known.shape[1] - known @ factors
        if np.abs(missing).max() <= ENOUGH * known.shape[1]:
            break
        root = np.sqrt(factors)
        columns, mixture = np.linalg.qr((known * root).T)
        factors *= np.exp(columns @ np.linalg.lstsq(mixture.T, missing, rcond=ENOUGH)[0] / root)
    return factors


def _sides(value: Floats) -> Floats:
    """(2, k) the chance under either fit of rows that say so much, as a multiple of the one they are weighed by."""
    with np.errstate(over="ignore"):
        return np.stack([np.where(value > -np.inf, 1.0, 0.0), np.where(value > -np.inf, np.exp(-value), 1.0)])
