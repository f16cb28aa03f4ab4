"""Attribute inference across two tables: which columns are known beside a secret, who is counted, what is refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import riskkit as rk
from riskkit.errors import DesignError
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import forecast_attributes, run_attributes
from riskkit.questions.attributes.result import AttributesResult
from riskkit.table.load import Tables
from sample_data import two_tables

PARENT = {"age", "sex", "district", "bmi"}
SLOTS = {"real": "real", "synthetic": "release", "holdout": "holdout"}
DIAGNOSIS = "most_frequent(diagnosis)"


def of_folder(folder: Path, children: Mapping[str, Path] | None = None) -> Tables:
    second = {slot: folder / f"visits_{name}.csv" for slot, name in SLOTS.items()} if children is None else children
    parents = [folder / f"patients_{name}.csv" for name in SLOTS.values()]
    return rk.load(*parents, person="patient", children=dict(second))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cohort")
    two_tables.write(made, "both", 200, 5)
    return made


@pytest.fixture(scope="module")
def tables(folder: Path) -> Tables:
    return of_folder(folder)


def known(plan: AttributePlan, tables: Tables) -> dict[str, set[str]]:
    """The columns known for each secret."""
    units = plan.units(plan.summarise(tables).schema)
    return {unit.secret: set(unit.known) for unit in units}


def test_what_is_known_is_all_of_one_table_or_of_both(tables: Tables) -> None:
    def of(known_set: str, secret: str) -> set[str]:
        plan = AttributePlan(secrets=(secret,), known=(known_set,), second_table=True)
        return known(plan, tables)[secret]

    summaries = {column.name for column in AttributePlan(second_table=True).summarise(tables).schema.modelled} - PARENT
    of_diagnosis = {DIAGNOSIS, "different(diagnosis)"}
    assert of("first-table", "district") == PARENT - {"district"}
    assert of("first-table", DIAGNOSIS) == PARENT
    assert of("second-table", "district") == summaries
    assert of("second-table", DIAGNOSIS) == summaries - of_diagnosis
    assert of("others", DIAGNOSIS) == PARENT | summaries - of_diagnosis
    assert of("others", "rows_band()") == PARENT | summaries - {"rows()", "rows_band()"}


def test_a_value_that_is_asked_about_is_a_column_and_tells_nothing_of_its_own(tables: Tables) -> None:
    secret = "any(ward=day care)"
    plan = AttributePlan(secrets=(secret,), known=("second-table", ("any(ward=surgical)", "age")), second_table=True)
    others, named = (set(unit.known) for unit in plan.units(plan.summarise(tables).schema))
    assert not any("ward" in column for column in others)
    assert named == {"any(ward=surgical)", "age"}  # by name, whatever it is


def test_no_secret_named_is_one_of_the_first_table(tables: Tables) -> None:
    plan = AttributePlan(second_table=True)
    assert plan.secrets_of(plan.summarise(tables).schema) == ("bmi",)


def test_a_few_columns_that_tell_most_are_none_of_the_same_column(tables: Tables) -> None:
    plan = AttributePlan(secrets=("different(diagnosis)",), known=("greedy:2",), model="tree", second_table=True)
    (compared,) = run_attributes(tables, plan).compared
    assert len(compared.columns) == 2
    assert not any("diagnosis" in column for column in compared.columns)


def test_people_are_counted_and_the_first_table_alone_is_as_before(tables: Tables) -> None:
    plan = AttributePlan(secrets=("district",), model="tree")
    alone = run_attributes(replace(tables, children=None), plan)
    assert run_attributes(tables, plan).plain() == alone.plain()
    across = run_attributes(tables, replace(plan, known=("second-table",), second_table=True))
    assert (across.counts.n_members, across.counts.n_control) == (200, 200)
    assert across.compared[0].about.known == "all summaries of the second table"
    assert AttributesResult.from_plain(json.loads(json.dumps(across.plain()))).plan.second_table


def test_the_order_of_lines_changes_no_number(folder: Path, tables: Tables, tmp_path: Path) -> None:
    import numpy as np

    rng = np.random.default_rng(4)
    for path in folder.glob("visits_*.csv"):
        header, *lines = path.read_text().splitlines()
        (tmp_path / path.name).write_text("\n".join([header, *rng.permutation(lines)]) + "\n")
    plan = AttributePlan(secrets=("district",), known=("second-table",), model="tree", second_table=True)
    second = {slot: tmp_path / f"visits_{name}.csv" for slot, name in SLOTS.items()}
    assert run_attributes(of_folder(folder, second), plan).estimates == run_attributes(tables, plan).estimates


def test_a_sweep_asks_of_every_column_of_both_tables(tables: Tables) -> None:
    plan = AttributePlan(
        secrets=("district",), known=("first-table",), model="tree", sweep=True, sweep_model="tree", second_table=True
    )
    schema = plan.summarise(tables).schema
    assert {unit.secret for unit in plan.units(schema)} == {column.name for column in schema.modelled}


def test_what_cannot_be_asked_is_a_sentence(tables: Tables, folder: Path) -> None:
    plan = AttributePlan(secrets=("district",), known=("second-table",), second_table=True)
    for ask in (run_attributes, forecast_attributes):
        with pytest.raises(DesignError, match="There is no second table"):
            ask(replace(tables, children=None), plan)
        part = {slot: folder / f"visits_{SLOTS[slot]}.csv" for slot in ("real", "synthetic")}
        with pytest.raises(DesignError, match="for some of the files alone"):
            ask(of_folder(folder, part), plan)
    with pytest.raises(DesignError, match="no column named"):
        run_attributes(tables, replace(plan, secrets=("any(ward=nowhere)",)))
    with pytest.raises(DesignError, match="no column named"):
        run_attributes(tables, AttributePlan(secrets=(DIAGNOSIS,)))  # of the first table alone


def test_a_command_names_the_second_table_only_where_it_is_read() -> None:
    files = {"children_real": "visits.csv"}
    assert "--children-real" not in AttributePlan(("a",)).command("r.csv", "s.csv", **files)
    command = AttributePlan(("a",), ("second-table",), second_table=True).command("r.csv", "s.csv", **files)
    assert "--children-real visits.csv" in command
    assert "--second-table" in command
    assert "--known second-table" in command
