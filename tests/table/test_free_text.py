"""Columns of free text: guessed, chosen, kept as they stand, and no feature of anything."""

from collections.abc import Mapping, Sequence

import pytest

from riskkit.core import Kind, Role
from riskkit.questions.released.plan import SUITE, ReleasedPlan
from riskkit.questions.released.play import attacks_for
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table import files
from tests.table.files import AGE, N, cycle

NOTES = [f"the patient said on day {row} that nothing at all had changed" for row in range(N)]
JOBS = cycle("baker", "clerk", "nurse")


def loaded(released: Sequence[object] = NOTES, **choices: ColumnChoice) -> Tables:
    def file(note: Sequence[object]) -> Mapping[str, Sequence[object]]:
        return {"age": AGE, "job": JOBS, "note": note}

    return files.loaded(file(NOTES), file(released), **choices)


def test_long_texts_are_kept_by_column_and_slot_as_they_stand() -> None:
    odd = ["  Two  Spaces, and more than twenty letters ", *NOTES[1:]]
    tables = loaded(odd)
    assert list(tables.free_texts) == ["note"]
    assert tables.free_texts["note"]["real"] == NOTES
    assert tables.free_texts["note"]["synthetic"][1:] == NOTES[1:]
    assert tables.free_texts["note"]["synthetic"][0].strip() == odd[0].strip()


def test_free_text_is_no_feature_of_anything() -> None:
    schema = loaded().schema
    assert (schema.column("note").kind, schema.column("note").role) == (Kind.TEXT, Role.TEXT)
    assert [column.name for column in schema.modelled] == ["age", "job"]
    assert schema.column("note").levels == ()


def test_a_guess_is_asked_about_until_it_is_confirmed() -> None:
    (problem,) = [problem for problem in loaded().problems if problem.code == "free_text"]
    assert problem.column == "note"
    assert "only attacks on the released file that read texts" in problem.what.lower()
    confirmed = loaded(note=ColumnChoice(role=Role.TEXT))
    assert not [problem for problem in confirmed.problems if problem.code == "free_text"]
    assert list(confirmed.free_texts) == ["note"]


@pytest.mark.parametrize("column", ["age", "job"])
def test_any_column_may_be_given_the_role(column: str) -> None:
    tables = loaded(**{column: ColumnChoice(role=Role.TEXT)})
    assert set(tables.free_texts) == {column, "note"}
    assert column not in [modelled.name for modelled in tables.schema.modelled]
    assert tables.free_texts[column]["real"] == list(map(str, {"age": AGE, "job": JOBS}[column]))


@pytest.mark.parametrize(
    "choice", [ColumnChoice(kind=Kind.TEXT), ColumnChoice(role=Role.TEXT), ColumnChoice(Kind.TEXT, Role.TEXT)]
)
def test_kind_and_role_say_the_same(choice: ColumnChoice) -> None:
    assert loaded(note=choice).schema.column("note").role is Role.TEXT


@pytest.mark.parametrize(
    "choice", [ColumnChoice(role=Role.IGNORED), ColumnChoice(Kind.TEXT, Role.IGNORED), ColumnChoice(Kind.ID)]
)
def test_it_may_be_left_out(choice: ColumnChoice) -> None:
    assert loaded(note=choice).free_texts == {}


def test_what_means_missing_is_an_empty_text() -> None:
    tables = loaded(["none written", *NOTES[1:]], note=ColumnChoice(role=Role.TEXT, missing_tokens=("none written",)))
    assert tables.free_texts["note"]["synthetic"][:2] == ["", NOTES[1]]


def test_attacks_on_texts_are_asked_where_there_are_texts() -> None:
    assert attacks_for(loaded()) == (*SUITE, "nearest-text", "rare-phrases")
    assert attacks_for(loaded(note=ColumnChoice(role=Role.IGNORED))) == ReleasedPlan().attacks
