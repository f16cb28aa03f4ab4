"""Whose row a row is: people in several rows are noticed, and a column that names the person says which are one's."""

from collections.abc import Callable

import numpy as np
import pytest

from riskkit.core import Kind, Role
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, load
from riskkit.table.people import persons
from tests.table.files import loaded, shared

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


N, PEOPLE = 600, 200


def visits(seed: int = 1) -> dict[str, list[str]]:
    """600 visits of 200 people: sex and country stay, the ward does not; a code of a letter and digits names each."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(PEOPLE), N // PEOPLE)[rng.permutation(N)]
    sex, country = rng.choice(["f", "m"], PEOPLE)[who], rng.choice(["JP", "CN", "KR", "VN"], PEOPLE)[who]
    return {
        "passport": [f"K{person * 37 % 1000:03d}" for person in who],
        "sex": sex.tolist(),
        "country": country.tolist(),
        "ward": rng.choice(["east", "west", "south"], N).tolist(),
        "age": [str(age) for age in rng.integers(20, 90, N)],
    }


def asked(columns: dict[str, list[str]]) -> list[Problem]:
    return [problem for problem in loaded(columns).problems if problem.code == "repeated_people"]


@pytest.mark.parametrize("form", ["{}", "1{}", " {}\u200e"])
def test_a_code_that_repeats_with_its_person_is_asked_about(form: str) -> None:
    columns = visits()
    columns["passport"] = [form.format(code[1:] if form == "1{}" else code) for code in columns["passport"]]
    (problem,) = asked(columns)
    assert (problem.gravity, problem.column, problem.count) == (Gravity.QUESTION, "passport", PEOPLE)
    assert problem.what.startswith("Is this a person? 200 values stand in 600 rows")


def test_codes_dealt_to_other_people_are_not() -> None:
    columns = visits()
    columns["passport"] = [columns["passport"][row] for row in np.random.default_rng(2).permutation(N)]
    assert asked(columns) == []


def test_a_place_is_no_person() -> None:
    """A town says its country: rows of one town agree in both, but the one follows from the other."""
    rng = np.random.default_rng(3)
    town = rng.integers(0, 12, N)
    columns = visits()
    columns |= {
        "postcode": [f"{town_number}{rng.integers(0, 20):02d}" for town_number in town],
        "town": [f"town {town_number}" for town_number in town],
    }
    columns["country"] = [["JP", "CN", "KR", "VN"][town_number // 3] for town_number in town]
    del columns["passport"]
    assert asked(columns) == []


def test_a_trait_that_follows_from_another_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: every place is a person."""
    monkeypatch.setattr(persons, "_follows", lambda first, second: False)
    with pytest.raises(AssertionError):
        test_a_place_is_no_person()


def test_a_column_named_as_a_number_of_people_is_asked_about_once() -> None:
    columns = visits()
    columns = {"patient_id" if name == "passport" else name: values for name, values in columns.items()}
    problem_codes = [problem.code for problem in loaded(columns).problems if problem.column == "patient_id"]
    assert problem_codes == ["group_id"]


@pytest.mark.slow
def test_the_patients_of_a_real_table_are_noticed() -> None:
    """71,518 patients of 101,766 stays in hospital."""
    tables = load(shared("diabetes130/diabetic_data.csv.gz"))
    repeated = [(problem.column, problem.count) for problem in tables.problems if problem.code == "repeated_people"]
    assert repeated == [("patient_nbr", 71_518)]
