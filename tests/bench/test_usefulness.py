"""What a file is good for stands beside its leaks: copies keep all, shuffled columns lose pairs, one row is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.table.load import Tables
from riskkit_bench.chart import Dot, chart, dots, undominated
from riskkit_bench.desk import desks
from riskkit_bench.results import FILE, GAME, USE, BenchCell, Results
from riskkit_bench.usefulness import DETECTION, PAIRS, TREE, measure
from tests.bench.made import plan, played
from tests.tables import mixed


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    of = plan(tmp_path_factory.mktemp("use"), "identity")
    return desks(of.plan, of.folder())["made"].tables


def released(tables: Tables, table: Table) -> Tables:
    return replace(tables, synthetic=table)


def test_a_copy_keeps_all_and_shuffled_columns_no_pair(tables: Tables) -> None:
    rng = np.random.default_rng(1)
    real = tables.real
    apart = Table(real.schema, rng.permuted(real.codes, axis=0), rng.permuted(real.numbers, axis=0))
    copy, torn = (measure(released(tables, table), seed=1) for table in (real, apart))
    assert copy[PAIRS][0] == 1.0
    assert torn[PAIRS][0] is not None
    assert torn[PAIRS][0] < 1.0
    assert copy[PAIRS][1] == torn[PAIRS][1], "other people are the same beside both"


def test_people_of_the_same_population_are_not_told_and_one_row_over_and_over_is(tables: Tables) -> None:
    many = mixed(600, seed=8, missing=False)
    half = replace(tables, real=many.rows(np.arange(300, 600)), holdout=many.rows(np.arange(300)))
    alike = measure(released(half, many.rows(np.arange(300, 600))), seed=1)[DETECTION][0]
    same = measure(released(half, many.rows(np.zeros(300, dtype=np.int64))), seed=1)[DETECTION][0]
    assert alike == pytest.approx(0.5, abs=0.08)
    assert same is not None
    assert same > 0.99
    assert measure(replace(half, holdout=None, synthetic=many), seed=1)[DETECTION] == (None, None)


def test_cells_of_use_are_of_the_release_that_is_attacked_and_move_no_other(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    cells = {cell.attack: cell for cell in played(of).cells if cell.kind == USE}
    assert set(cells) == {PAIRS, TREE, DETECTION}
    kept = cells[PAIRS].use
    assert kept is not None
    assert kept[0] == 1.0
    assert cells[PAIRS].auc is None
    assert BenchCell.read(cells[PAIRS].as_dict()) == cells[PAIRS]


def test_only_methods_that_were_measured_on_every_table_are_dots_and_the_best_are_named(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity", "independent", "bootstrap")
    name = of.plan.table[0].name

    def cells(method: str, use: float, leak: float) -> tuple[BenchCell, ...]:
        ends = (leak, leak, leak)
        return (
            BenchCell(f"{method}u", name, method, USE, PAIRS, use=(use, None)),
            *(BenchCell(f"{method}{kind}", name, method, kind, "dcr", auc=ends, sure=ends) for kind in (GAME, FILE)),
        )

    results = Results(of.plan, of.sha256, {}, (*cells("identity", 1.0, 1.0), *cells("independent", 0.25, 0.5)))
    assert [(dot.spelling, dot.use, dot.leak) for dot in dots(results, FILE)] == [
        ("identity", 1.0, 1.0),
        ("independent", 0.25, 0.5),
    ]
    page = "".join(chart(results))
    assert page.count("<circle") == 4, "two methods, two attackers"
    assert not list(chart(replace(results, cells=results.cells[1:3])))


def test_a_method_is_beaten_by_less_leak_at_no_less_use() -> None:
    """By hand: C leaks more than B at the same use, D is less of use than A at the same leak; E is a twin of B."""
    a, b, c, d, e = (
        Dot("a", "A", 0.9, 0.7),
        Dot("b", "B", 0.5, 0.5),
        Dot("c", "C", 0.5, 0.6),
        Dot("d", "D", 0.8, 0.7),
        Dot("e", "E", 0.5, 0.5),
    )
    assert undominated([a, b, c, d, e]) == [a, b, e]
