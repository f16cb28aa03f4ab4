"""Certificates of people with several rows: against every release of small tables, and against fits themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from riskkit.core import Floats, Table
from riskkit.generators.synthpop import Synthpop
from riskkit.questions.records.certificate import Terms, certify
from tests.questions.records.enumeration import FPR, of_record
from tests.questions.records.fuzzed import method, small
from tests.questions.records.test_certificate_enumerated import CLOSE, numbers
from tests.questions.records.test_certificate_trees import best_of


@dataclass
class Tally:
    """What came of many small tables; ``outside`` says of each drawn number whether it is not in its interval."""

    exact: dict[str, int] = field(default_factory=dict)
    worst: Floats = field(default_factory=lambda: np.zeros(4))
    far: list[tuple[int, list[int]]] = field(default_factory=list)
    outside: list[bool] = field(default_factory=list)

    def add(self, generator: object, table: Table, rows: list[int], released: int, seed: int) -> None:
        """Hold one person's certificate beside what all releases say."""
        best, n = (best_of if isinstance(generator, Synthpop) else _of_record)(table, generator, rows, released)
        (certificate,) = certify(table, generator, [np.array(rows)], Terms(n, fpr=FPR), seed)  # type: ignore[arg-type]
        if not certificate.auc.method.endswith("exact"):
            pairs = zip(certificate.estimates, best.values, strict=True)
            self.outside += [not one.low - 1e-6 <= value <= one.high + 1e-6 for one, value in pairs]
            return
        name = type(generator).__name__
        self.exact[name] = self.exact.get(name, 0) + 1
        off = np.abs(numbers(certificate) - best.values)
        self.worst = np.maximum(self.worst, off)
        if off.max() > CLOSE:
            self.far.append((seed, rows))

    def __str__(self) -> str:
        return (
            f"Exact certificates of people: {self.exact}; AUC, advantage, true positive rate and chance of a proof are "
            f"off by {', '.join(f'{value:.1e}' for value in self.worst)} at most; too far are {len(self.far)}. Of "
            f"{len(self.outside):,} drawn numbers {np.mean(self.outside):.1%} lie outside their interval."
        )


def _of_record(table: Table, generator: object, rows: list[int], n: int) -> object:
    return of_record(generator, table, rows, n)


def people_of(table: Table, seed: int) -> list[list[int]]:
    """Two people of a table: the first rows together, which are rare where anybody is, and some by chance."""
    rng = np.random.default_rng([seed, 7])
    most = max(min(6, len(table) - 1), 1)
    first = list(range(int(rng.integers(1, most + 1))))
    return [first, sorted(rng.permutation(len(table))[: int(rng.integers(1, most + 1))].tolist())]


def compared(seeds: range) -> Tally:
    """Two people of every table, by networks and columns on their own, and of every fifth table by trees."""
    tally = Tally()
    for seed in seeds:
        table, (generator, n) = small(seed), method(seed)
        for rows in people_of(table, seed):
            tally.add(generator, table, rows, n, seed)
            if seed % 5 == 0:
                tally.add(Synthpop(minimum_leaf=1 + seed % 3), table, rows, n, seed)
    return tally


def test_small_tables_against_every_release() -> None:
    tally = compared(range(60))
    assert not tally.far, str(tally)
    assert tally.exact["BayesNet"] > 40
    assert tally.exact["Histogram"] > 15
    assert tally.exact["Synthpop"] > 10
    assert np.mean(tally.outside) <= 0.1


@pytest.mark.slow
def test_many_small_tables_against_every_release() -> None:
    """2,000 tables. Drawn numbers are of networks that are others without the person."""
    tally = compared(range(1_000, 3_000))
    assert not tally.far, str(tally)
    assert len(tally.outside) > 400
    assert np.mean(tally.outside) <= 0.1
