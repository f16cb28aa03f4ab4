"""Questions that count people or households: the bytes of today with one row of each, and what cannot be is refused."""

import csv as comma
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riskkit
from riskkit import cli
from riskkit.audit.report_facts import build_given
from riskkit.core import Kind, Role
from riskkit.errors import DesignError, SchemaError
from riskkit.games.crowd import Crowd
from riskkit.jobs.files import dump
from riskkit.jobs.store import Audit, Store
from riskkit.questions import questions
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.report.build import read
from riskkit.show.model import Class, Played
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import tables_of
from riskkit.table.people.persons import naming, units
from riskkit.table.read.csv_text import read_csv
from tests.jobs.test_every_question import PLANS
from tests.pages.screens import csv

COUNTS_PEOPLE = ("attributes", "released")
PLAYS_PEOPLE = ("membership", "records")
COUNTS_ROWS = sorted(set(questions()) - {*COUNTS_PEOPLE, *PLAYS_PEOPLE, "households"})


def audit(folder: Path, each: int) -> Audit:
    """Three tables of one population whose column ``who`` names a person of so many rows, in no order."""
    (folder / "audits").mkdir()
    made = Store(folder).create("People")
    for index, slot in enumerate(("real", "synthetic", "holdout")):
        made.load(slot, named(csv(240, index), index, each), name=f"{slot}.csv")
    return made


def named(content: bytes, table: int, each: int) -> bytes:
    """The CSV with a column that names the person of a row."""
    header, *rows = comma.reader(io.StringIO(content.decode()))
    who = np.random.default_rng(table).permutation(len(rows)) // each
    out = io.StringIO()
    comma.writer(out).writerows(
        [[*header, "who"], *([*row, f"P{table}-{name}"] for row, name in zip(rows, who, strict=True))]
    )
    return out.getvalue().encode()


def answered(made: Audit, name: str, role: Role) -> dict[str, Any]:
    made.choose({"who": ColumnChoice(role=role)})
    return questions()[name].work_out(made, PLANS[name])


@pytest.mark.second
@pytest.mark.parametrize("name", sorted(PLANS))
def test_with_one_row_a_person_a_question_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    made = audit(tmp_path, 1)
    assert dump(answered(made, name, Role.PERSON)) == dump(answered(made, name, Role.IGNORED))


@pytest.mark.parametrize("name", COUNTS_PEOPLE)
def test_people_of_several_rows_are_counted(name: str, tmp_path: Path) -> None:
    made = audit(tmp_path, 3)
    result = answered(made, name, Role.PERSON)
    settings = result["settings"]
    assert (settings["unit"], settings["most_rows"], settings["mean_rows"]) == ("person", 3, 3.0)
    sides = ("n_in", "n_out") if name == "released" else ("n_members", "n_control")
    assert [settings[side] for side in sides] == [80, 80]
    estimate = next(estimate for estimate in result["estimates"] if estimate["name"] in ("auc", "residual"))
    assert estimate["n"] == 160
    played = Played(name, "r", "finished", PLANS[name].as_dict(), result)
    (finding, *_) = read(played, build_given("", made.tables(), (), give_aways=()), kind=Class.RESTRICTED)
    assert finding.measured.unit == "person"
    assert "rows_not_people" not in [reason.code for reason in finding.measured.reasons]
    assert any("with all of their rows" in text for _, text in finding.game)


@pytest.mark.parametrize("name", PLAYS_PEOPLE)
def test_people_of_several_rows_are_played(name: str, tmp_path: Path) -> None:
    """In or out with all of their rows; what is said counts people, and the command names the column."""
    made = audit(tmp_path, 3)
    result = answered(made, name, Role.PERSON)
    settings = result["settings"]
    assert (settings["unit"], settings["most_rows"], settings["mean_rows"]) == ("person", 3, 3.0)
    played = Played(name, "r", "finished", PLANS[name].as_dict(), result)
    (finding, *_) = read(played, build_given("", made.tables(), (), give_aways=()), kind=Class.RESTRICTED)
    assert finding.measured.unit == "training", "N counts trainings, whoever leaves"
    assert "rows_not_people" not in [reason.code for reason in finding.measured.reasons]
    assert any("with all of their rows" in text for _, text in finding.game)
    assert any("about one row more or less" in text for text in finding.limits)
    assert "person" in finding.measured.who
    assert "record" not in finding.measured.who
    line = PLANS[name].command(**{"real": "real.csv", **made.file_names})
    assert "--person who" in line


@pytest.mark.parametrize("name", COUNTS_ROWS)
def test_a_question_that_counts_rows_refuses_people_of_several_rows(name: str, tmp_path: Path) -> None:
    made = audit(tmp_path, 3)
    made.choose({"who": ColumnChoice(role=Role.PERSON)})
    question, tables = questions()[name], made.tables()
    for ask in (question.work_out, question.run, question.forecast):
        if ask is not None:
            with pytest.raises(
                DesignError, match=r"counts rows, and people have several rows here \(by the column 'who'\)"
            ):
                ask(made if ask == question.work_out else tables, PLANS[name])


def test_a_result_that_counted_rows_shows_no_absence_where_people_have_several(tmp_path: Path) -> None:
    """A run kept from before the column was named."""
    made = audit(tmp_path, 3)
    result = answered(made, "released", Role.IGNORED)
    made.choose({"who": ColumnChoice(role=Role.PERSON)})
    played = Played("released", "r", "finished", PLANS["released"].as_dict(), result)
    (finding, *_) = read(played, build_given("", made.tables(), (), give_aways=()), kind=Class.RESTRICTED)
    assert "rows_not_people" in [reason.code for reason in finding.measured.reasons]


def test_secrets_are_not_drawn_anew_where_people_have_several_rows(tmp_path: Path) -> None:
    result = answered(audit(tmp_path, 3), "attributes", Role.PERSON)
    assert any("Each row would get a secret of its own" in note for note in result["notes"])


COUNTED = ("attributes", "membership", "records", "released")
FEW: dict[str, Any] = {
    "records": RecordsPlan("histogram", "ids:3,1,30", inside=10, outside=10, shadows=4, again=0, n_syn=40,
                           certificate=True),
    "membership": MembershipPlan(generators=("histogram",), attacks=("neighbour",), trainings=12, generations=1,
                                 n_syn=40),
}  # fmt: skip


def numbers(kept: Any) -> Any:
    """A kept result without its words: numbers, names and settings, with neither the unit nor its sentences."""
    if isinstance(kept, dict):
        return {name: numbers(value) for name, value in kept.items() if name != "unit"}
    if isinstance(kept, list | tuple):
        return [numbers(value) for value in kept]
    return "" if isinstance(kept, str) and " " in kept else kept


def answered_by_role(folder: Path, name: str, role: Role, each: int) -> dict[str, Any]:
    folder.mkdir()
    made = audit(folder, each)
    made.choose({"who": ColumnChoice(role=role)})
    result: dict[str, Any] = questions()[name].work_out(made, FEW.get(name, PLANS[name]))
    return result


@pytest.mark.second
@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("each", [1, 3])
def test_households_have_the_numbers_of_people(name: str, each: int, tmp_path: Path) -> None:
    """One certificate, one interval, one list, whatever the column is said to name."""
    home, person = (answered_by_role(tmp_path / role, name, role, each) for role in (Role.HOUSEHOLD, Role.PERSON))
    assert numbers(home) == numbers(person)
    assert home["estimates"]
    assert (home["settings"].get("unit", "record"), person["settings"].get("unit", "record")) == (
        ("household", "person") if each > 1 else ("record", "record")
    )


def test_the_rows_of_a_household_are_left_out_as_one() -> None:
    """Rows 0 and 3 of one address: without the household the table is the other rows, in their order."""
    content = b"home,age,sex\n" + b"".join(
        b"%d,%d,%s\n" % (index % 3, 20 + 7 * index % 23, b"mf"[index % 2 :][:1]) for index in range(60)
    )
    tables = tables_of({"real": read_csv(content, name="real")}, {"home": ColumnChoice(role=Role.HOUSEHOLD)})
    assert tables.persons is not None
    assert (tables.unit, tables.schema.column("home").kind) == ("household", Kind.ID)
    assert tables.schema.column("home").role is Role.HOUSEHOLD
    assert "home" not in {column.name for column in tables.schema.modelled}
    rows = Crowd.group(tables.persons.real).rows(np.array([0]))
    assert rows.tolist() == list(range(0, 60, 3))
    left = tables.real.without(rows)
    assert left.numbers[:4, 0].tolist() == [27, 34, 25, 32]


def test_problems_speak_of_households() -> None:
    content = b"home,age\n" + b"".join(
        b"%s,%d\n" % (b"" if index == 7 else b"H%d" % (index // 2), 20 + 7 * index % 23) for index in range(60)
    )
    texts = {"real": read_csv(content, name="real"), "holdout": read_csv(content, name="holdout")}
    problems = {
        problem.code: problem for problem in tables_of(texts, {"home": ColumnChoice(role=Role.HOUSEHOLD)}).problems
    }
    assert problems["person_in_both"].what == (
        "30 households have rows in the real file and in the holdout, so they are in both; they are left out of "
        "every comparison."
    )
    assert problems["person_unnamed"].what == ("2 rows name no household; each was taken for a household of its own.")


def test_a_table_has_one_unit() -> None:
    text = {"real": read_csv(named(csv(60, 0), 0, 2), name="real")}
    both = {"who": ColumnChoice(role=Role.PERSON), "ward": ColumnChoice(role=Role.HOUSEHOLD)}
    with pytest.raises(SchemaError, match="2 columns have the role person or household"):
        tables_of(text, both)
    only = naming(both, "ward", Role.HOUSEHOLD)
    assert (units(only), only) == ({"household": "ward"}, {"ward": ColumnChoice(role=Role.HOUSEHOLD)})
    assert naming(only, "", Role.PERSON) == {}
    with pytest.raises(DesignError, match="Name one of the two"):
        riskkit.load("real.csv", person="a", household="b")


def written(folder: Path) -> list[str]:
    files = []
    for index, slot in enumerate(("real", "synthetic", "holdout")):
        (folder / f"{slot}.csv").write_bytes(named(csv(120, index), index, 3))
        files += [f"--{slot}", str(folder / f"{slot}.csv")]
    return files


def test_the_command_line_counts_households_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = [*written(tmp_path), "--no-keep", "--quiet"]
    printed = {}
    for unit in ("household", "person"):
        assert cli.main(["released", *how, f"--{unit}", "who", "--attacks", "dcr", "--json"]) in (0, 3, 4)
        printed[unit] = json.loads(capsys.readouterr().out)
        assert printed[unit]["settings"]["unit"] == unit
        text = json.dumps([printed[unit]["verdicts"], printed[unit]["notes"]])
        assert ("person" in text or "people" in text, "household" in text) == (unit == "person", unit == "household")
    assert printed["household"]["estimates"] == printed["person"]["estimates"]
    assert cli.main(["singling-out", *how, "--household", "who"]) == 2
    assert "households have several rows here (by the column 'who')" in capsys.readouterr().err
    assert cli.main(["released", *how, "--household", "who", "--person", "who"]) == 2
    assert "--person and --household both say whose row a row is." in capsys.readouterr().err
    assert cli.main(["released", *how, "--household", "nobody"]) == 2
    assert "not in the file" in capsys.readouterr().err


def test_python_counts_households_and_says_so(tmp_path: Path) -> None:
    paths = written(tmp_path)[1::2]
    text = repr(riskkit.ask("released", riskkit.load(*paths, household="who"), attacks="dcr"))
    assert "household" in text
    assert "people" not in text


def test_a_command_that_is_shown_names_the_household(tmp_path: Path) -> None:
    (tmp_path / "audits").mkdir()
    made = Store(tmp_path).create("Homes")
    made.load("real", named(csv(60, 0), 0, 2), name="real.csv")
    assert (made.unit, made.file_names) == ("", {"real": "real.csv"})
    made.choose_unit("who", Role.HOUSEHOLD)
    assert (made.unit, made.file_names) == ("household", {"real": "real.csv", "household": "who"})
    assert " --household who" in MembershipPlan().command(**made.file_names)
    made.choose_unit("who", Role.PERSON)
    assert " --person who" in MembershipPlan().command(**made.file_names)
    made.choose_unit("", Role.PERSON)
    assert made.choices == {}
