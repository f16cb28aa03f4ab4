"""Which column of a file is which of the real one: by name, by what the steward says, by its values."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit import cli
from riskkit.core import Role
from riskkit.errors import SchemaError
from riskkit.table.evidence.column_names import name_columns
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, load, misnamed_files, read_tables, tables_of
from tests.table.files import AGE, CANARY, WARD, N, codes, cycle, loaded, made, text

DAYS = [(5 * row) % 11 for row in range(N)]
COST = [1000.5 + 13.25 * row for row in range(N)]
REAL: dict[str, list[Any]] = {"age": AGE, "ward": WARD, "length_of_stay": DAYS, "cost": COST}


def called(**names: str) -> ColumnChoice:
    return ColumnChoice(called=tuple(names.items()))


def copies(tables: Tables) -> int:
    return sum(problem.count for problem in tables.problems if problem.code == "verbatim_copies")


def refusal(real, release, **choices: ColumnChoice) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        loaded(real, release, **choices)
    assert CANARY not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "name",
    ["LENGTH_OF_STAY", "Length of stay", "length.of.stay", "length-of-stay", "lengthOfStay", " Length\u00a0of  stay "],
)
@pytest.mark.parametrize("slot", ["release", "holdout"])
def test_names_that_differ_in_form_are_one_column_and_it_is_said(name: str, slot: str) -> None:
    other = {
        ("cost" if own == "cost" else name if own == "length_of_stay" else own): REAL[own] for own in [*REAL][::-1]
    }
    if slot == "holdout":
        other = {own: cells[::-1] if own == "ward" else cells for own, cells in other.items()}
    tables = loaded(REAL, other) if slot == "release" else loaded(REAL, None, other)
    assert [column.name for column in tables.schema.columns] == [*REAL], "the names of the real table are in use"
    (problem,) = [problem for problem in tables.problems if problem.code == "names_matched"]
    assert problem.count == 1
    assert "length_of_stay" in problem.what
    if slot == "release":
        assert copies(tables) == N


@pytest.mark.parametrize(
    ("real", "release"),
    [
        ({"v1.1": AGE}, {"v11": AGE}),
        ({"income_1": AGE, "income1": COST}, {"income_1": AGE, "Income 1": COST}),
        ({"income1": AGE}, {"Income 1": AGE, "income_1": COST}),
        ({"%": AGE}, {"$": AGE}),
    ],
)
def test_names_that_could_be_two_columns_are_never_matched(real, release) -> None:
    files = {"real": text({**real, "ward": WARD}), "synthetic": text({**release, "ward": WARD}, "syn.csv")}
    assert name_columns(files)["synthetic"] is files["synthetic"]


def test_the_exact_name_goes_before_one_that_is_like_it() -> None:
    tables = loaded({"a_b": AGE, "c": DAYS}, {"A.B": DAYS, "a_b": AGE, "C": DAYS})
    assert copies(tables) == N
    assert [(problem.code, problem.column) for problem in tables.problems if problem.code == "extra_column"] == [
        ("extra_column", "A.B")
    ]


def test_a_column_that_is_plainly_the_same_is_proposed_and_not_taken() -> None:
    release = {"age": AGE, "ward": WARD, "nights": DAYS[::-1], "cost": COST}
    error = refusal(REAL, release)
    assert (error.problem.code, error.problem.column) == ("missing_column", "length_of_stay")
    assert "By its values, 'nights' seems to be 'length_of_stay'." in str(error)
    form = str(error)[str(error).index("{") : str(error).rindex("}") + 1]
    choices = {name: ColumnChoice.from_dict(choice) for name, choice in json.loads(form).items()}
    assert choices == {"length_of_stay": called(synthetic="nights")}
    tables = loaded(REAL, release | {"nights": DAYS}, **choices)
    assert copies(tables) == N
    assert "names_said" in codes(tables.problems)


@pytest.mark.parametrize(
    "other",
    [
        {"x": [day + 40 for day in DAYS]},
        {"x": WARD},
        {"x": COST},
        {"x": DAYS, "y": DAYS[::-1]},
        {"x": [day + 0.5 for day in DAYS]},
    ],
)
def test_nothing_is_proposed_where_values_differ_or_two_are_as_like(other) -> None:
    error = refusal(REAL, {"age": AGE, "ward": WARD, "cost": COST, **other})
    assert "seems to be" not in str(error)
    assert "Say which column is which" in str(error)


def test_words_are_like_by_how_often_they_stand() -> None:
    jobs = cycle("baker", "baker", "clerk", "nurse")
    assert "'Beruf' seems to be 'job'" in str(refusal({"age": AGE, "job": jobs}, {"age": AGE, "Beruf": jobs[::-1]}))


def test_names_that_may_be_cells_are_not_told() -> None:
    error = refusal({"age": AGE, "x": cycle(CANARY, "p")}, {"age": AGE, CANARY: cycle(CANARY, "p")})
    assert "seems to be" not in str(error)


def test_columns_that_were_exchanged_can_be_said() -> None:
    release = {"age": DAYS, "length_of_stay": AGE, "ward": WARD, "cost": COST}
    tables = loaded(REAL, release, age=called(synthetic="length_of_stay"), length_of_stay=called(synthetic="age"))
    assert copies(tables) == N


@pytest.mark.parametrize(
    ("choices", "code"),
    [
        ({"length_of_stay": called(synthetic="nobody")}, "no_such_name"),
        ({"length_of_stay": called(synthetic="nights"), "age": called(synthetic="nights")}, "named_twice"),
        ({"age": called(synthetic="nights")}, "named_twice"),
    ],
)
def test_what_cannot_be_is_refused(choices, code: str) -> None:
    assert refusal(REAL, {"age": AGE, "ward": WARD, "nights": DAYS, "cost": COST}, **choices).problem.code == code


def test_a_column_that_a_release_lacks_is_left_out_though_it_has_others() -> None:
    release = {"age": AGE, "ward": WARD, "cost": COST, "x": WARD}
    tables = loaded(REAL, release, length_of_stay=called(synthetic=""))
    assert {"fewer_columns", "extra_column"} <= set(codes(tables.problems))
    assert "length_of_stay" not in [column.name for column in tables.schema.columns]
    with pytest.raises(SchemaError):
        loaded(REAL, None, release, length_of_stay=called(holdout=""))


def test_every_release_has_its_own_names() -> None:
    first, second = ({**REAL, name: DAYS} for name in ("Nights", "stay"))
    for own in (first, second):
        del own["length_of_stay"]
    files = [text(columns, name) for columns, name in ((REAL, "real.csv"), (first, "1.csv"), (second, "2.csv"))]
    choices = {"length_of_stay": called(synthetic="Nights", release_2="stay")}
    tables = load(files[0], files[1], choices=choices, releases=files[2:])
    assert tables.synthetic is not None
    assert (len(tables.synthetic), len(tables.schema.columns)) == (2 * N, len(REAL))
    with pytest.raises(SchemaError):
        load(files[0], files[1], choices={"length_of_stay": called(synthetic="Nights")}, releases=files[2:])


def test_names_of_the_second_table_are_matched_and_said() -> None:
    people = {"pid": list(range(N)), "age": AGE}
    visits = {"pid": list(range(N)), "drug": WARD, "dose": DAYS}
    texts = {
        "real": text(people),
        "synthetic": text({"PID": list(range(N)), "age": AGE}, "syn.csv"),
        "children_real": text(visits, "visits.csv"),
        "children_synthetic": text({"Pid": list(range(N)), "drug": WARD, "x": WARD}, "visits_syn.csv"),
    }
    person = {"pid": ColumnChoice(role=Role.PERSON)}
    (question,) = misnamed_files(texts, person)
    assert (question.slot, question.before, question.left.lacking) == ("synthetic", "children:", ("dose",))
    tables = tables_of(texts, {**person, "children:dose": called(synthetic="")})
    assert tables.children is not None
    assert misnamed_files(texts, {**person, "children:dose": called(synthetic="")}) == []


@pytest.mark.parametrize("key", ["PID", "P_id", "p id"])
def test_the_key_of_both_tables_may_be_written_in_another_form(key: str) -> None:
    texts = {
        "real": text({"pid": list(range(N)), "age": AGE}),
        "children_real": text({key: list(range(N)), "drug": WARD, "dose": DAYS}, "visits.csv"),
    }
    tables = tables_of(texts, {"pid": ColumnChoice(role=Role.PERSON)})
    assert tables.children is not None
    assert tables.children.key == "pid"
    assert [problem.file for problem in tables.problems if problem.code == "names_matched"] == ["visits.csv"]


def test_lines_are_still_those_of_the_file() -> None:
    file = text(b"\n\nAGE,w\n" + made({"age": AGE, "w": WARD}).split(b"\n", 1)[1], "syn.csv")
    renamed = name_columns({"real": text({"age": AGE, "w": WARD}), "synthetic": file})["synthetic"]
    assert (renamed.columns, renamed.line(0)) == (("age", "w"), file.line(0))


def test_a_decision_is_kept_as_it_was_said() -> None:
    choice = ColumnChoice.from_dict({"called": {"release": "nights", "holdout": None}})
    assert choice == called(synthetic="nights", holdout="")
    assert ColumnChoice.from_dict(choice.as_dict()) == choice
    assert "called" not in ColumnChoice().as_dict(), "decisions that were kept before stay the same bytes"
    for wrong in ({"called": "nights"}, {"called": ["nights"]}):
        with pytest.raises((ValueError, TypeError, AttributeError)):
            ColumnChoice.from_dict(wrong)


def test_the_command_takes_the_names_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    real = {"age": [*rng.integers(18, 90, 200)], "Ward": [*rng.choice([*"NESW"], 200)], "days": [*rng.poisson(3, 200)]}
    (tmp_path / "real.csv").write_bytes(made(real))
    (tmp_path / "syn.csv").write_bytes(
        made({"AGE": list(real["age"]), "ward ": list(real["Ward"]), "stay": list(real["days"])})
    )
    (tmp_path / "columns.json").write_text('{"days": {"called": {"release": "stay"}}}')
    files = [str(tmp_path / "real.csv"), str(tmp_path / "syn.csv")]
    assert cli.main(["check", *files]) == 2
    assert '{"days": {"called": {"synthetic": "stay"}}}' in capsys.readouterr().err
    likely = tmp_path / "likely.json"
    assert cli.main(["check", *files, "--likely", str(likely)]) == 2
    assert json.loads(likely.read_text())["days"]["called"] == {"synthetic": "stay"}
    capsys.readouterr()
    assert cli.main(["check", *files, "--columns", str(tmp_path / "columns.json")]) == 0
    printed = capsys.readouterr().out
    assert "200 of 200 rows copy 200 real rows exactly" in printed
    assert "'AGE' = 'age', 'ward' = 'Ward'" in printed
    assert read_tables(*files, choices={"days": called(synthetic="stay")}).schema.columns[2].name == "days"
