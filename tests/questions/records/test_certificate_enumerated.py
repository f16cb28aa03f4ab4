"""Certificates of small tables against all releases there can be, each with its chance, counted in plain Python."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Certificate, Terms, certify
from riskkit.stats import optimal
from tests.questions.records.enumeration import FPR, of_record
from tests.questions.records.fuzzed import method, small

CLOSE = 1e-3
"""Nothing exact may be further off."""


@dataclass
class Tally:
    """What came of many small tables."""

    tables: int = 0
    releases: int = 0
    networks: int = 0
    histograms: int = 0
    worst: Floats = field(default_factory=lambda: np.zeros(4))
    drawn: int = 0
    drawn_off: list[Floats] = field(default_factory=list)
    far: list[tuple[int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.tables:,} small tables: {self.networks:,} exact certificates of trees and {self.histograms:,} of "
            "columns by themselves; AUC, advantage, true positive rate and chance of a proof are off by "
            f"{', '.join(f'{value:.1e}' for value in self.worst)} at most. Of {self.drawn:,} whose network is another "
            f"one without the record {np.mean(self.drawn_off):.1%} of the numbers lie outside their interval."
        )


def numbers(certificate: Certificate) -> Floats:
    """AUC, advantage, true positive rate and chance of a proof."""
    return np.array([estimate.value for estimate in certificate.numbers])


def compared(seeds: range) -> Tally:
    """Two records of every table: the first, which is rare where there are rare people, and one by chance."""
    tally = Tally()
    for seed in seeds:
        table, (generator, n) = small(seed), method(seed)
        tally.tables += 1
        for row in {0, int(np.random.default_rng([seed, 3]).integers(len(table)))}:
            best, released = of_record(generator, table, row, n)
            (certificate,) = certify(table, generator, [row], Terms(released, fpr=FPR), seed)
            off = np.abs(numbers(certificate) - best.values)
            if not certificate.method.endswith("exact"):
                tally.drawn += 1
                inside = [
                    estimate.low - 1e-6 <= value <= estimate.high + 1e-6
                    for estimate, value in zip(certificate.numbers, best.values, strict=True)
                ]
                tally.drawn_off.append(1.0 - np.array(inside))
                continue
            tally.histograms += generator.name == "histogram"
            tally.networks += generator.name == "bayesnet"
            tally.worst = np.maximum(tally.worst, off)
            if off.max() > CLOSE:
                tally.far.append((seed, row))
    return tally


def test_small_tables_against_every_release() -> None:
    tally = compared(range(120))
    assert not tally.far, str(tally)
    assert min(tally.networks, tally.histograms) > 50
    assert tally.drawn >= 5
    assert np.mean(tally.drawn_off) <= 0.1


@pytest.mark.slow
def test_thousands_of_small_tables_against_every_release() -> None:
    """4,000 tables: 7,000 exact certificates, the furthest 0.0004 off."""
    tally = compared(range(1_000, 5_000))
    assert not tally.far, str(tally)
    assert tally.networks > 4_500
    assert tally.histograms > 1_500
    assert np.mean(tally.drawn_off) <= 0.05


@pytest.mark.parametrize("fault", ["own count kept", "one row more"])
def test_a_fault_would_be_seen(fault: str) -> None:
    """Counts that keep the dropped record, or releases of one row more: most tables tell."""
    seen = 0
    for seed in range(30):
        table = small(seed)
        best, released = of_record(BayesNet(), table, 0, 3)
        twice = table.plus(table.rows([0])) if fault == "own count kept" else table
        (wrong,) = certify(twice, BayesNet(), [0], Terms(released + (fault == "one row more"), fpr=FPR), seed)
        seen += bool(np.abs(numbers(wrong) - best.values).max() > CLOSE)
    assert seen >= 20


def test_a_grid_too_narrow_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the look at what the grid holds, a width that is a third of what it should be gives wrong numbers."""
    real = optimal._half_width
    monkeypatch.setattr(optimal, "_half_width", lambda *asked: real(*asked) / 3)
    assert not compared(range(20)).far
    monkeypatch.setattr(optimal, "ASTRAY", np.inf)
    assert len(compared(range(20)).far) > 6
