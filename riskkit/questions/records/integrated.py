"""Certificates of methods that add noise while they learn, where the law of whole releases is worked out.

The rows of such a release are not independent: they share their noise. So its chance is worked out as a whole, from a
fit to the table and from one to the table without the record, and their ratio is the best attack (Neyman and Pearson).
Where releases are few, all are listed and the numbers are exact. Else as many are drawn of fits with the record, shared
by all records, as of fits without it. Of each only the share ``a`` counts that the world without has of its chance,
which lies between 0 and 1: AUC = 1/2 + E|a - a'| over two draws. Its estimate errs upwards, by less than 1 over twice
the draws, and has a known error, however far the worlds are apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import expit

from riskkit.core import Floats, Generator, Table


@runtime_checkable
class ReleasesKnown(Protocol):
    """Optional: a generator that works out the chance of a whole release, the noise of its fit included."""

    def has_law(self, table: Table, n: int) -> bool:
        """Whether it does so for releases of ``n`` rows of that table: where domain and releases are small."""

    def releases(self, table: Table, n: int, drawn: int, rng: np.random.Generator) -> Any:
        """Releases with ``is_listed``, whether they are all there are, and ``log_prob(table)``, (r,) their log chance.

        Where they are too many to list, ``drawn`` releases of fits to the table; ``again(table, rng)`` are as many of
        another.
        """


def is_integrated(generator: Generator, table: Table, n: int) -> bool:
    """Whether certificates of this method on this table integrate over its noise."""
    return isinstance(generator, ReleasesKnown) and generator.has_law(table, n)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Releases in the order of the best attack, who looks most like one with the record first.

    ``inside`` and ``outside`` (r,) are their chances with the record and without it. ``is_listed``: they are all
    releases; else half were drawn in either world, and numbers have an error.
    """

    inside: Floats
    outside: Floats
    is_listed: bool

    @classmethod
    def of(cls, log_with: Floats, log_without: Floats, *, is_listed: bool) -> Weighed:
        """From log chances of releases."""
        without = expit(log_without - log_with)
        order = np.argsort(without, kind="stable")
        if is_listed:
            return cls(np.exp(log_with)[order], np.exp(log_without)[order], is_listed)
        scale = 2 / len(order)
        return cls(scale * expit(log_with - log_without)[order], scale * without[order], is_listed)

    @property
    def auc(self) -> tuple[float, float]:
        """The AUC, and its standard error."""
        p, q = self.inside, self.outside
        below, above = np.cumsum(p) - p, np.cumsum(q[::-1])[::-1] - q
        mass_below, mass_above = np.cumsum(q) - q, np.cumsum(p[::-1])[::-1] - p
        apart = q * below - p * mass_below + p * above - q * mass_above  # of each with every other release
        if self.is_listed:
            return 0.5 + float(apart.sum()) / 4, 0.0
        n = len(p)
        apart *= n * n / (n - 1) / 4
        return min(0.5 + float(apart.mean()), 1.0), 2 * float(apart.std(ddof=1)) / n**0.5

    @property
    def advantage(self) -> tuple[float, float]:
        """The largest true less false positive rate, and its standard error."""
        apart = np.abs(self.inside - self.outside) / 2
        n = len(apart)
        return float(apart.sum()), 0.0 if self.is_listed else float(apart.std(ddof=1)) * n**0.5

    def tpr(self, fpr: Floats) -> tuple[Floats, Floats]:
        """The true positive rates at these false positive rates (k,), and their standard errors."""
        p, q = self.inside, self.outside
        false, true = np.cumsum(np.append(0.0, q)), np.cumsum(np.append(0.0, p))
        false, true = false / max(false[-1], 1e-300), true / max(true[-1], 1e-300)
        named = np.interp(fpr, false, true)
        if self.is_listed:
            return named, np.zeros(len(named))
        last = np.clip(np.searchsorted(false, fpr), 1, len(p)) - 1
        error = []
        for cut, alarm, share in zip(last, fpr, named, strict=True):  # what is named, and how it moves with the cut
            inside, slope = np.arange(len(p)) <= cut, p[cut] / max(q[cut], 1e-300)
            error.append(p * (inside - share) - slope * q * (inside - alarm))
        return named, np.std(error, axis=1, ddof=1) * len(p) ** 0.5
