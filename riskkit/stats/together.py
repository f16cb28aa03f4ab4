"""The law of releases of several tables: a person who is in all of them, and one attacker who sees every release.

Releases of different tables are independent given the tables, so log ratios add up and characteristic functions are
multiplied. What comes out is again the law of one row, of which so many make the whole: the geometric mean of the laws,
each as often as it has rows. :func:`riskkit.stats.optimal.optimal` takes it as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.stats.optimal import Complexes, Optimal, RowLaw, optimal


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
