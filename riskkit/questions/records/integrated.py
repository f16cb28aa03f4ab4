"""Certificates of methods that add noise while they learn, where the law of whole releases is worked out.

The rows of such a release are not independent: they share their noise. So its chance is worked out as a whole, from a
fit to the table and from one to the table without the record, and their ratio is the best attack (Neyman and Pearson).
Where releases are few, all are listed and the numbers are exact. Else releases of the table with the record are drawn,
shared by all records; the weight ``w`` of each, its chance without the record over that with it, makes it one of the
other world too. Then AUC = 1/2 + E|w - w'| / 4 of two draws, whose estimate has no bias and a known error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from riskkit.core import Floats, Generator, Table


@runtime_checkable
class ReleasesKnown(Protocol):
    """Optional: a generator that works out the chance of a whole release, the noise of its fit included."""

    def has_law(self, table: Table, n: int) -> bool:
        """Whether it does so for releases of ``n`` rows of that table: where domain and releases are small."""

    def releases(self, table: Table, n: int, drawn: int, rng: np.random.Generator) -> Any:
        """Releases with ``is_listed``, whether they are all there are, and ``log_prob(table)``, (r,) their log chance.

        Where they are too many to list, ``drawn`` releases of fits to the table.
        """


def is_integrated(generator: Generator, table: Table, n: int) -> bool:
    """Whether certificates of this method on this table integrate over its noise."""
    return isinstance(generator, ReleasesKnown) and generator.has_law(table, n)


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """Releases in the order of the best attack: chances with the record (r,), and without it over with it, rising.

    ``is_listed``: they are all releases; else they were drawn with the record, and numbers have an error.
    """

    chance: Floats
    weight: Floats
    is_listed: bool

    @classmethod
    def of(cls, log_with: Floats, log_without: Floats, *, is_listed: bool) -> Weighed:
        """From log chances of releases."""
        weight = np.exp(log_without - log_with)
        order = np.argsort(weight, kind="stable")
        chance = np.exp(log_with) if is_listed else np.full(len(weight), 1 / len(weight))
        return cls(chance[order], weight[order], is_listed)

    @property
    def auc(self) -> tuple[float, float]:
        """The AUC, and its standard error."""
        p, w = self.chance, self.weight
        below, mass = np.cumsum(p) - p, np.cumsum(p * w) - p * w
        apart = 2 * (w * below - mass) + (p @ w) - w * p.sum()  # to any other release, by its chance
        if self.is_listed:
            return 0.5 + float(p @ apart) / 4, 0.0
        apart *= len(w) / (len(w) - 1)
        return 0.5 + float(apart.mean()) / 4, float(apart.std(ddof=1)) / 2 / len(w) ** 0.5

    @property
    def advantage(self) -> tuple[float, float]:
        """The largest true less false positive rate, and its standard error."""
        apart = np.abs(self.weight - 1) / 2
        return float(self.chance @ apart), 0.0 if self.is_listed else float(apart.std(ddof=1)) / len(apart) ** 0.5

    def tpr(self, fpr: Floats) -> tuple[Floats, Floats]:
        """The true positive rates at these false positive rates (k,), and their standard errors."""
        p, w = self.chance, self.weight
        false, true = np.cumsum(np.append(0.0, p * w)), np.cumsum(np.append(0.0, p))
        false, true = false / max(false[-1], 1e-300), true / max(true[-1], 1e-300)
        named = np.interp(fpr, false, true)
        if self.is_listed:
            return named, np.zeros(len(named))
        last = np.clip(np.searchsorted(false, fpr), 1, len(w)) - 1
        error = []
        for at, alarm in zip(last, fpr, strict=True):  # of what is named less what the cut moves with the false alarms
            inside = np.arange(len(w)) <= at
            error.append(np.where(inside, 1 - w / w[at], 0.0) + alarm * w / w[at])
        return named, np.std(error, axis=1, ddof=1) / len(w) ** 0.5
