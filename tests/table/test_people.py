"""People who stand in several rows are noticed by what rows of one value have in common."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import Gravity, Problem
from riskkit.table.load import load
from riskkit.table.people import persons
from tests.table.files import loaded, shared

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
