"""Questions that count people: the bytes of today with one row a person, people elsewhere, or a refusal."""

from __future__ import annotations

import csv as comma
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.audit.report_facts import build_given
from riskkit.core import Role
from riskkit.errors import DesignError
from riskkit.jobs.files import dump
from riskkit.jobs.store import Audit, Store
from riskkit.questions import questions
from riskkit.report.build import read
from riskkit.show.model import Class, Played
from riskkit.table.kinds.choice import ColumnChoice
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
    for ask in (question.work_out, question.asked, question.forecast):
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
