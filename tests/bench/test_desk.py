"""Cells of the table of leaks: named by what numbers rest on, with everybody in them and what a file is good for."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from riskkit.core import Schema, Table
from riskkit.errors import DesignError
from riskkit.games.released import ReleasedAttack
from riskkit.questions.records import subsets
from riskkit.questions.records.result import RecordsResult
from riskkit.released.distances import Dcr
from riskkit.stats.subsets import pool
from riskkit.table.load import Tables
from riskkit_bench import page, play
from riskkit_bench.chart import Dot, chart, dots, undominated
from riskkit_bench.desk import Desk, desks
from riskkit_bench.figures import pooled_figures
from riskkit_bench.html import value
from riskkit_bench.origin import is_external
from riskkit_bench.plan import ReleasePart, Saying, read_plan
from riskkit_bench.results import FILE, GAME, INSIDE, PARTS, TOGETHER, USE, BenchCell, Results, read
from riskkit_bench.usefulness import DETECTION, PAIRS, TREE, measure
from tests.bench.made import figures, plan, played
from tests.tables import DATA, mixed, needs_adult

LEAKS = Path(__file__).resolve().parents[2] / "docs" / "leaks"


def other(desk: Desk, **changes: object) -> str:
    """The name of the table where its first column says something else."""
    real = desk.tables.real
    first, *rest = real.schema.columns
    schema = Schema((replace(first, **changes), *rest))
    return Desk(desk.part, replace(desk.tables, real=Table(schema, real.codes, real.numbers)), desk.rows).sha256


def test_a_table_keeps_its_name_until_a_number_can_move(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    desk = desks(of.plan, of.folder())["made"]
    assert other(desk) == desk.sha256
    assert other(desk, reason="for another reason", source="a summary") == desk.sha256
    assert other(desk, name="another name") != desk.sha256
    real = desk.tables.real
    numbers = real.numbers.copy()
    numbers[3, 0] = np.nextafter(numbers[3, 0], np.inf)
    moved = replace(desk.tables, real=Table(real.schema, real.codes, numbers))
    assert Desk(desk.part, moved, desk.rows).sha256 != desk.sha256
    assert Desk(desk.part, replace(desk.tables, holdout=None), desk.rows).sha256 != desk.sha256


def test_columns_of_a_number_name_their_table_too(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    desk = desks(of.plan, of.folder())["made"]
    columns = desk.tables.schema.columns
    place = next(place for place, column in enumerate(columns) if column.is_numeric)
    wider = replace(columns[place], high=columns[place].high + 1)
    schema = Schema((*columns[:place], wider, *columns[place + 1 :]))
    real = desk.tables.real
    changed = replace(desk.tables, real=Table(schema, real.codes, real.numbers))
    assert Desk(desk.part, changed, desk.rows).sha256 != desk.sha256


@needs_adult
@pytest.mark.second
def test_nothing_of_the_first_filling_would_be_played_again() -> None:
    """Every cell of riskkit's own methods is found under the name that the plan gives it today, but dear ones."""
    of = read_plan(LEAKS / "first.toml")
    there = {cell.key for cell in read(LEAKS / "first.json", of).cells}
    left = {
        (job.method, attack)
        for job in play.jobs(of.plan, DATA)
        for attack, key in job.keys.items()
        if key not in there and (isinstance(job.part, ReleasePart) or not is_external(job.part.use))
    }
    assert left <= {
        (method, attack) for method in ("ctgan", "tabddpm", "tvae") for attack in ("lira", "mama_mia", "rmia")
    }


MORE = "[parts]\ntrainings = 32\nmethods = ['bootstrap', 'identity']\n"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks: tuple[tuple[str, ReleasedAttack], ...] = (("dcr", Dcr()),)
    monkeypatch.setattr(subsets, "attacks", lambda: attacks)


@pytest.mark.usefixtures("quick")
def test_a_method_that_copies_rows_exposes_people_and_the_page_says_so(tmp_path: Path) -> None:
    stored = plan(tmp_path, "bootstrap", "identity", "independent", more=MORE)
    results = played(stored)
    cell, refused = (cell for cell in results.cells if (cell.kind, cell.attack) == (PARTS, TOGETHER))
    assert (cell.method, refused.method) == ("bootstrap", "identity")
    assert "cannot be released" in refused.why
    assert cell.exposed is not None
    assert cell.exposed[1] == 60
    assert cell.exposed[0] >= 30
    assert cell.people[0].auc[0] > 0.9
    assert (cell.n, cell.trainings) == (32, 32)
    (alone,) = (c for c in results.cells if (c.kind, c.method, c.attack) == (PARTS, "bootstrap", "dcr"))
    assert alone.exposed is None
    for reached in (cell, alone):
        assert reached.auc is not None
        assert reached.sure is not None
        assert reached.sure[1] < reached.auc[1] < reached.auc[0] == reached.sure[0] < reached.auc[2] < reached.sure[2]
        assert reached.control is not None
    assert cell.auc is not None
    text = page.html(results, [])
    assert "Everybody, in one design: people exposed, of 100" in text
    assert f"{cell.exposed[0]} of 60 people" in text
    assert "1 method was not asked about everybody, for its cost: independent." in text
    assert '<span class="muted" title="not played">–</span>' in text  # of independent
    text = "Copies give {made/bootstrap/combination} people away ({made/bootstrap/combination|auc})."
    saying = Saying(text, ("made/bootstrap/combination",))
    sentence = page.html(replace(results, plan=replace(results.plan, saying=(saying,))), [])
    assert f"Copies give {cell.exposed[0]} of 60 people away ({value(cell.auc[0])})." in sentence
    assert f"made/bootstrap/combination</a> {cell.exposed[0]} of 60" in sentence
    results.save(stored.path.with_suffix(".json"))
    assert figures(read(stored.path.with_suffix(".json"), stored)) == figures(results)


@pytest.mark.usefixtures("quick")
def test_drawn_secrets_are_guessed_from_copies_alone_and_a_model_is_asked_from_its_inside(tmp_path: Path) -> None:
    """A table of 60 people has 6 drawn secrets a training, so 40 trainings; copies of rows hold most of them."""
    more = f"secret = 'smoker'\n{MORE}inside = ['histogram']\n[secret]\ntrainings = 40\n"
    more = more.replace("['bootstrap', 'identity']", "['bootstrap', 'histogram']")
    stored = plan(tmp_path, "bootstrap", "independent", "histogram", more=more)
    results = played(stored)
    copied, ignored = (results.find(f"made/{method}/linear-reconstruction") for method in ("bootstrap", "independent"))
    assert copied is not None
    assert ignored is not None
    assert copied.gain is not None
    assert ignored.gain is not None
    assert copied.gain[1] > 0.05
    assert ignored.gain[1] < 0 < ignored.gain[2]
    assert (copied.n, copied.trainings) == (240, 40)
    (inside,) = (cell for cell in results.cells if cell.kind == INSIDE)
    (beside,) = (c for c in results.cells if (c.method, c.kind, c.attack) == ("histogram", PARTS, "dcr"))
    assert inside.method == "histogram"
    assert inside.auc is not None
    assert beside.auc is not None
    assert inside.auc[0] > beside.auc[0], "how probable the method makes a row tells more than its nearest released row"
    saying = Saying("Gain {made/bootstrap/linear-reconstruction}.", ("made/bootstrap/linear-reconstruction",))
    text = page.html(replace(results, plan=replace(results.plan, saying=(saying,))), [])
    assert f"Gain {value(copied.gain[0])}." in text
    assert f"Of 100 drawn secrets it guesses {100 * copied.gain[0]:.0f} [" in text
    results.save(stored.path.with_suffix(".json"))
    assert figures(read(stored.path.with_suffix(".json"), stored)) == figures(results)


@pytest.mark.parametrize("lift", [0.0, 1.0, 9.0])
def test_the_surer_interval_is_the_one_that_is_worked_out_at_that_level(tmp_path: Path, lift: float) -> None:
    bench = plan(tmp_path, "identity").plan
    rng = np.random.default_rng(7)
    is_in = rng.permuted(np.tile([True, False], (50, 16)), axis=1)
    scores = rng.normal(size=(50, 32)) + lift * is_in
    pooled = [own.label(attack="dcr") for own in pool(scores, is_in, bench.level)]
    made = pooled_figures(bench, cast("RecordsResult", SimpleNamespace(overall=pooled)), "dcr")
    surer = pool(scores, is_in, bench.sure)[0]
    assert made["sure"] == pytest.approx((surer.value, surer.low, surer.high), abs=2e-6)
    assert made["auc"][0] == pytest.approx(surer.value, abs=1e-6)
    assert made["n"] == 32
    assert pooled_figures(bench, cast("RecordsResult", SimpleNamespace(overall=pooled)), "groups")["why"]


def test_a_plan_that_does_not_ask_has_no_such_column(tmp_path: Path) -> None:
    results = played(plan(tmp_path, "independent"))
    assert not any(cell.kind == PARTS for cell in results.cells)
    assert "People exposed" not in page.html(results, [])


def test_too_few_trainings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="at least 10"):
        plan(tmp_path, "identity", more="[parts]\ntrainings = 4\n")


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
