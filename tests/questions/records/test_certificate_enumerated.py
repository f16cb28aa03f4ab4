"""Certificates of small tables against all releases there can be, each with its chance, counted in plain Python."""

import numpy as np
import pytest

from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Terms, certify
from riskkit.stats import optimal
from tests.questions.records.enumeration import FPR, of_record
from tests.questions.records.fuzzed import method, small
from tests.questions.records.tally import CLOSE, Tally, numbers


def compared(seeds: range) -> Tally:
    """Two records of every table: the first, which is rare where there are rare people, and one by chance."""
    tally = Tally()
    for seed in seeds:
        table, (generator, n) = small(seed), method(seed)
        for row in {0, int(np.random.default_rng([seed, 3]).integers(len(table)))}:
            best, released = of_record(generator, table, row, n)
            (certificate,) = certify(table, generator, [row], Terms(released, fpr=FPR), seed)
            tally.add(certificate, best, generator.name, seed, row)
    return tally


def test_small_tables_against_every_release() -> None:
    tally = compared(range(120))
    assert not tally.far, str(tally)
    assert min(tally.exact["bayesnet"], tally.exact["histogram"]) > 50
    assert len(tally.outside) >= 20
    assert np.mean(tally.outside) <= 0.1


@pytest.mark.slow
def test_thousands_of_small_tables_against_every_release() -> None:
    """4,000 tables: 7,000 exact certificates, the furthest 0.0004 off."""
    tally = compared(range(1_000, 5_000))
    assert not tally.far, str(tally)
    assert tally.exact["bayesnet"] > 4_500
    assert tally.exact["histogram"] > 1_500
    assert np.mean(tally.outside) <= 0.05


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
