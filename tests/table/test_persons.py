"""A column that names the person of a row: whose rows are one person's, and that nothing is learnt from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from riskkit.core import Kind, Role
from riskkit.errors import SchemaError
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table.files import loaded

WHO = ["7", "007", "a", "", "7.0", "A", "b", ""]
ELSE = ["b", "c", "c", ""]


def tables(*, in_release: bool = True, **choices: ColumnChoice) -> Tables:
    """Eight real rows and four of the holdout; the release names nobody unless asked to."""
    real = {"who": WHO, "age": list(range(8)), "ward": ["east", "west"] * 4}
    holdout = {"who": ELSE, "age": [3, 4, 5, 6], "ward": ["east", "west"] * 2}
    release = {"who": ["1", "2", "2"], "age": [1, 2, 3], "ward": ["east", "west", "west"]}
    if not in_release:
        del release["who"]
    return loaded(real, release, holdout, **(choices or {"who": ColumnChoice(role=Role.PERSON)}))


@pytest.mark.parametrize("in_release", [True, False])
def test_rows_of_one_name_are_one_persons_in_both_tables(*, in_release: bool) -> None:
    persons = tables(in_release=in_release).persons
    assert persons is not None
    assert persons.holdout is not None
    every = np.concatenate([persons.real, persons.holdout])
    named = ["7", "7", "a", "first", "7", "A", "b", "second", "b", "c", "c", "third"]
    for row, name in enumerate(named):
        same = [other == name for other in named]
        if name not in ("a", "A"):
            assert (every == every[row]).tolist() == same, row
    assert persons.has_several_rows
    assert (persons.in_both, persons.unnamed) == (1, 3)


def test_a_person_is_never_modelled_and_stays_an_identifier() -> None:
    typed = tables()
    column = typed.schema.column("who")
    assert (column.kind, column.role, column.is_modelled) == (Kind.ID, Role.PERSON, False)
    assert [column.name for column in typed.schema.modelled] == ["age", "ward"]
    assert set(typed.identifiers["who"]) == {"real", "synthetic", "holdout"}


def test_who_is_in_both_and_who_has_no_name_is_said() -> None:
    problems = {problem.code: problem for problem in tables().problems}
    assert problems["person_in_both"].count == 1
    assert problems["person_unnamed"].count == 3
    assert problems["person_in_both"].column == "who"


def test_two_columns_cannot_name_the_person() -> None:
    with pytest.raises(SchemaError, match="2 columns have the role person"):
        tables(who=ColumnChoice(role=Role.PERSON), ward=ColumnChoice(role=Role.PERSON))


def test_without_the_role_there_are_no_people() -> None:
    assert tables(ward=ColumnChoice(role=Role.KNOWN)).persons is None


def test_one_row_a_person_is_no_person_of_several() -> None:
    columns = {"who": list("abcdef"), "age": list(range(6))}
    other = {"who": list("ghi"), "age": [1, 2, 3]}
    persons = loaded(columns, None, other, who=ColumnChoice(role=Role.PERSON)).persons
    assert persons is not None
    assert not persons.has_several_rows
    assert (persons.in_both, persons.unnamed) == (0, 0)


@pytest.mark.parametrize(
    ("spelled", "both"),
    [(lambda name: name.upper().replace("-", " "), 30), (lambda name: name.replace("p", "q"), 0)],
    ids=["spelled otherwise", "other people"],
)
def test_people_who_are_spelled_otherwise_in_the_holdout_are_the_same(spelled: Callable[[str], str], both: int) -> None:
    """Two rows of each of 30 people; all of them are in the holdout."""
    who = [f"p-{row // 2:03d}" for row in range(60)]
    age = [20 + 7 * row % 47 for row in range(60)]
    own = loaded(
        {"age": age, "who": who}, None, {"age": age, "who": list(map(spelled, who))}, who=ColumnChoice(role=Role.PERSON)
    )
    assert own.persons is not None
    assert own.persons.holdout is not None
    assert len(np.intersect1d(own.persons.real, own.persons.holdout)) == both


def test_people_whom_a_dash_tells_apart_stay_two() -> None:
    """Person 23 of house 1, and person 3 of house 12, are in both tables."""
    who, age = ["1-23", "12-3"] * 30, [20 + 7 * row % 47 for row in range(60)]
    own = loaded({"age": age, "who": who}, None, {"age": age, "who": who}, who=ColumnChoice(role=Role.PERSON))
    assert own.persons is not None
    assert len(np.unique(own.persons.real)) == 2
