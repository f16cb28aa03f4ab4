"""The sample files: made again they are the same bytes, and what was planted in them is there to be found."""

import csv
import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from riskkit import registry
from riskkit.audit.give_aways import give_aways_of
from riskkit.core import Kind, Table
from riskkit.errors import Gravity
from riskkit.judging.give_aways import State
from riskkit.seeds import stream
from riskkit.table.load import read_table, read_tables

FOLDER = Path(__file__).resolve().parents[1] / "sample_data"
FILES = ("real.csv", "holdout.csv", "release_stat.csv", "release_bayesnet.csv", "release_leaky.csv")
HOMES = "homes.csv"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sample_data", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def again(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made again")
    script.make(folder)
    return folder


@pytest.fixture(scope="module")
def real() -> Table:
    return read_table(FOLDER / "real.csv")


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", [*FILES, HOMES])
def test_the_same_bytes_come_out_again(again: Path, name: str) -> None:
    assert (again / name).read_bytes() == (FOLDER / name).read_bytes()


def test_another_seed_gives_other_bytes(script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(script, "SEED", script.SEED + 1)
    script.make(tmp_path)
    for name in (*FILES, HOMES):
        assert (tmp_path / name).read_bytes() != (FOLDER / name).read_bytes()


def test_the_files_have_the_rows_and_columns_they_say() -> None:
    assert [len(rows(name)) for name in FILES] == [2000, 1000, 2000, 2000, 2000]
    assert len({tuple(rows(name)[0]) for name in FILES}) == 1


def test_households_of_the_town_live_in_one_place_and_enough_of_them_are_large() -> None:
    """The question about households asks about a hundred of five people or more."""
    people, readme = rows(HOMES), (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"| `homes.csv` | {len(people):,} |" in readme
    homes: dict[str, list[dict[str, str]]] = {}
    for person in people:
        homes.setdefault(person["household"], []).append(person)
    assert len(homes) == 300
    assert sum(len(home) >= 5 for home in homes.values()) >= 100
    assert {len({person["district"] for person in home}) for home in homes.values()} == {1}


def test_nobody_is_in_both_cohorts_or_twice() -> None:
    real, holdout = rows("real.csv"), rows("holdout.csv")
    assert len({tuple(row.values()) for row in real + holdout}) == 3000


def test_the_outliers_are_where_the_readme_says(script: ModuleType) -> None:
    real, readme = rows("real.csv"), (FOLDER / "README.md").read_text(encoding="utf-8")
    for row, planted in script.PLANTED.items():
        assert planted.items() <= real[row].items()
        assert f"| {row} | {row + 2} |" in readme
    for rare in ("porphyria", "tularaemia"):
        assert sum(row["diagnosis"] == rare for row in real) == 1
        assert not any(row["diagnosis"] == rare for row in rows("holdout.csv"))
    numbers = {name: [float(row[name]) for row in real if row[name]] for name in ("systolic", "bmi", "length_of_stay")}
    assert (max(numbers["systolic"]), max(numbers["bmi"]), max(numbers["length_of_stay"])) == (228, 54.6, 71)
    assert (min(numbers["systolic"]), min(numbers["bmi"])) == (68, 13.1)


def test_the_columns_are_read_as_what_they_are(real: Table) -> None:
    kinds = {column.name: column.kind for column in real.schema.columns}
    assert kinds.pop("admission_date") is Kind.DATE
    assert {name for name, kind in kinds.items() if kind is Kind.NUMERIC} == {
        "age",
        "systolic",
        "bmi",
        "length_of_stay",
    }
    assert set(kinds.values()) == {Kind.NUMERIC, Kind.CATEGORICAL}
    assert {column.name for column in real.schema.columns if column.has_missing} == {"smoker", "systolic", "bmi"}


def test_the_selective_rule_finds_the_planted_outliers(script: ModuleType, real: Table) -> None:
    chosen = registry.make("targets", "selective").choose(real, 2, stream(1, "test"))
    assert set(chosen.index) == {411, 907}
    by_number = registry.make("targets", "selective", encoding="label").choose(real, 3, stream(1, "test"))
    assert set(by_number.index) <= set(script.PLANTED)


def test_without_the_planting_the_rule_finds_others(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(script, "PLANTED", {})
    monkeypatch.setattr(script, "RELEASES", {})
    script.make(tmp_path)
    plain = read_table(tmp_path / "real.csv")
    chosen = registry.make("targets", "selective").choose(plain, 2, stream(1, "test"))
    assert not set(chosen.index) & {411, 907, 1288, 1733}


@pytest.mark.parametrize("release", FILES[2:])
def test_the_files_load_together_and_leave_something_to_see(release: str) -> None:
    tables = read_tables(FOLDER / "real.csv", FOLDER / release, FOLDER / "holdout.csv")
    assert {problem.gravity for problem in tables.problems} <= {Gravity.WARNING, Gravity.QUESTION, Gravity.REPAIR}
    assert tables.problems


def test_the_leaky_release_is_in_the_order_of_the_real_table_and_copies_who_stayed_longest(script: ModuleType) -> None:
    """Shuffled it says nothing by its order, and still copies."""
    real, leaky = rows("real.csv"), rows("release_leaky.csv")
    stays = sorted(range(2000), key=lambda row: -int(real[row]["length_of_stay"]))[: script.LEAKED]
    assert [row for row in range(2000) if leaky[row] == real[row]] == sorted(stays)
    assert 411 in stays
    tables = read_tables(FOLDER / "real.csv", FOLDER / "release_leaky.csv", FOLDER / "holdout.csv")
    assert tables.synthetic is not None
    mixed = tables.synthetic.rows(np.random.default_rng(1).permutation(2000))
    for release, shown in ((tables.synthetic, {"row_order", "copies"}), (mixed, {"copies"})):
        seen = give_aways_of(replace(tables, synthetic=release))
        assert {each.code for each in seen if each.state is State.SHOWN} == shown
