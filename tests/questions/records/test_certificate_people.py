"""Certificates of people with several rows: against every release of small tables, and against fits themselves."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet, NetworkRatios
from riskkit.generators.engines import ratios
from riskkit.generators.engines.ratios import Ratio
from riskkit.generators.histogram import Histogram
from riskkit.generators.synthpop import Synthpop
from riskkit.generators.whole_rows import Bootstrap
from riskkit.plain import plain
from riskkit.questions.records.certificate import Terms, certify
from tests.questions.records.enumeration import FPR, of_record
from tests.questions.records.fuzzed import method, of_categories, small
from tests.questions.records.tally import CLOSE, Tally, numbers
from tests.questions.records.test_certificate_trees import best_of


def add(tally: Tally, generator: Any, table: Table, rows: list[int], released: int, seed: int) -> None:
    """Hold one person's certificate beside what all releases say."""
    best, n = (
        best_of(table, generator, rows, released)
        if isinstance(generator, Synthpop)
        else of_record(generator, table, rows, released)
    )
    (certificate,) = certify(table, generator, [np.array(rows)], Terms(n, fpr=FPR), seed)
    tally.add(certificate, best, generator.name, seed, rows)


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
            add(tally, generator, table, rows, n, seed)
            if seed % 5 == 0:
                add(tally, Synthpop(minimum_leaf=1 + seed % 3), table, rows, n, seed)
    return tally


def test_small_tables_against_every_release() -> None:
    tally = compared(range(60))
    assert not tally.far, str(tally)
    assert tally.exact["bayesnet"] > 40
    assert tally.exact["histogram"] > 15
    assert tally.exact["synthpop"] > 10
    assert np.mean(tally.outside) <= 0.1


@pytest.mark.slow
def test_many_small_tables_against_every_release() -> None:
    """2,000 tables. Drawn numbers are of networks that are others without the person."""
    tally = compared(range(1_000, 3_000))
    assert not tally.far, str(tally)
    assert len(tally.outside) > 400
    assert np.mean(tally.outside) <= 0.1


FAULTS = ("one row kept", "a stranger's row", "other values alike", "values counted twice")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_would_be_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another world that keeps a row or lacks somebody else's, and laws that forget what is not the person's."""
    if fault == "other values alike":
        monkeypatch.setattr(ratios.HeldPlace, "miss", property(lambda _: 0.0))
    if fault == "values counted twice":
        monkeypatch.setattr(ratios._Below, "_value", lambda *_: 1.0)
    seen = tried = 0
    for seed in range(40):
        table, n = small(seed), 3
        rows = people_of(table, seed)[1]
        if len(rows) < 3 or len(rows) > len(table) - 2:
            continue
        best, released = of_record(BayesNet(), table, rows, n)
        wrong = rows[:-1] if fault == "one row kept" else rows
        if fault == "a stranger's row":
            wrong = [*rows[:-1], next(index for index in range(len(table)) if index not in rows)]
        tried += 1
        try:
            (certificate,) = certify(table, BayesNet(), [np.array(wrong)], Terms(released, fpr=FPR), seed)
        except DesignError:  # chances that do not sum to 1 are no law
            seen += 1
            continue
        seen += bool(np.abs(numbers(certificate) - best.values).max() > CLOSE)
    assert tried >= 15
    assert seen >= (8 if fault == "values counted twice" else tried // 2), (seen, tried)


def test_a_person_of_one_row_has_the_certificate_of_the_row() -> None:
    for generator in (BayesNet(), BayesNet(degree=2), Histogram(), Bootstrap(), Synthpop(minimum_leaf=2)):
        table = of_categories([np.random.default_rng(index).integers(3, size=30) for index in range(4)])
        alone, as_person = certify(table, generator, [4, np.array([4])], Terms(20), 0)  # type: ignore[arg-type]
        assert alone == as_person


def test_rows_drawn_with_replacement_are_known_by_a_formula() -> None:
    """Three of twenty rows that nobody else has: the chance that none of them is in ten draws is (17 / 20) ** 10."""
    table = of_categories([np.arange(20)])
    (certificate,) = certify(table, Bootstrap(), [np.array([3, 7, 11])], Terms(10), 0)
    missed = (17 / 20) ** 10
    assert certificate.auc.value == pytest.approx(1 - missed / 2, abs=1e-3)
    assert certificate.proof.value == pytest.approx(1 - missed, abs=1e-9)


def test_drawn_rows_agree_where_the_law_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Degree 1 has an exact law; with it taken away, rows drawn near each of the person's rows find it again."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(4, size=80)]
    for _ in range(3):
        codes.append(np.where(rng.random(80) < 0.7, codes[-1], rng.integers(4, size=80)))
    table, people = of_categories(codes), [np.array([1, 5, 9]), np.arange(20, 32), np.array([40, 41])]
    exact = certify(table, BayesNet(), people, Terms(80, fpr=FPR), 0)
    whole = NetworkRatios.ratio
    monkeypatch.setattr(NetworkRatios, "ratio", lambda self, rows: Ratio(whole(self, rows).cells, None))
    off = []
    for seed in range(12):
        drawn = certify(table, BayesNet(), people, Terms(80, fpr=FPR, drawn=3_000), seed)
        for certificate, wanted in zip(drawn, exact, strict=True):
            off += [
                abs(a.value - b.value) > (a.high - a.low) + 1e-6
                for a, b in zip(certificate.numbers, wanted.numbers, strict=True)
            ]
    assert np.mean(off) <= 0.02
    assert all(part.own > 0 for certificate in exact for part in certificate.telling)


def test_all_rows_of_one_person_have_no_fit_without_them() -> None:
    table = of_categories([np.arange(6) % 2])
    for generator in (BayesNet(), Histogram(), Synthpop()):
        with pytest.raises(DesignError, match=r"of one person|needs at least|column"):
            certify(table, generator, [np.arange(6)], Terms(5), 0)  # type: ignore[arg-type]


def test_who_tells_is_counted_in_rows() -> None:
    """A person with three of the four rows that have a value: the sentence of that column says so."""
    codes = np.array([0, 0, 0, 0, 1, 1, 2, 2])
    table = Table(of_categories([codes]).schema, codes[:, None].astype(np.int32), np.empty((8, 0)))
    (certificate,) = certify(table, Histogram(), [np.array([0, 1, 2])], Terms(8), 0)
    (part,) = certificate.telling
    assert (part.above, part.both, part.own, part.is_proof) == (8, 4, 3, False)
    assert plain(part)["own"] == 3
