"""Two files joined by a key: whose rows are whose, what is refused, and people who carry their rows with them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riskkit as rk
from riskkit.audit.report_facts import build_given
from riskkit.core import Floats, Kind, Role, Table
from riskkit.errors import DesignError, SchemaError
from riskkit.jobs.store import Store
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.report.build import doubts
from riskkit.show.model import Class
from riskkit.show.names import Names
from riskkit.table.fold import TwoTables, fold_children, with_second
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import PREFIX, Tables, split_choices, tables_of
from riskkit.table.people.second_table import Join
from riskkit.table.read.csv_text import read_csv
from sample_data import two_tables
from tests import two_files

PEOPLE = 60
CANARY = "Zweibrücken"
"""Stands in a cell; no sentence may repeat it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The made cohort without a leak."""
    two_tables.write(tmp_path, "none", PEOPLE, 3)
    return tmp_path


def loaded(folder: Path, children: dict[str, Any] | None = None, **more: Any) -> Tables:
    slots = {"real": "real", "synthetic": "release", "holdout": "holdout"}
    files = {slot: folder / f"visits_{name}.csv" for slot, name in slots.items()} if children is None else children
    parents = [folder / f"patients_{name}.csv" for name in slots.values()]
    return rk.load(*parents, **{"person": "patient", "children": files} | more)


def join(parents: list[str], children: list[str]) -> Join:
    """The join of two files of one column, by these keys."""
    above, below = (
        read_csv("\n".join(["key,x", *(f"{key},1" for key in keys)]).encode(), name="f.csv", header=True)
        for keys in (parents, children)
    )
    return Join.match("key", above, below)


def coded(codes: list[str], folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("\n".join(codes) + "\n", encoding="utf-8")
    return path


def problems(tables: Tables) -> dict[str, Any]:
    return {problem.code: problem for problem in tables.problems}


def test_rows_belong_to_people_by_hand() -> None:
    joined = join(["a", "007", "b", "", "a"], ["b", "a", "7.0", "x", "", "a"])
    assert joined.sizes.tolist() == [2, 1, 1, 0, 2]
    assert joined.kept.tolist() == [True, True, True, False, False, True]
    assert (joined.orphans, joined.repeated) == (2, 1)


def test_a_join_agrees_with_one_that_looks_at_every_pair() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        above, below = (rng.choice([*"abcdef", ""], rng.integers(1, 9)).tolist() for _ in range(2))
        joined = join(above, below)
        assert joined.sizes.tolist() == [sum(key == other and key != "" for other in below) for key in above]
        assert joined.orphans == sum(key == "" or key not in above for key in below)


def test_both_tables_are_typed_under_a_schema_of_their_own(folder: Path) -> None:
    tables = loaded(folder)
    assert tables.children is not None
    assert [column.name for column in tables.schema.modelled] == ["age", "sex", "district", "bmi"]
    assert [column.name for column in tables.children.schema.modelled] == ["day", "diagnosis", "ward", "cost"]
    assert tables.children.order == "day"
    assert [file.slot for file in tables.files][3:] == ["children_real", "children_synthetic", "children_holdout"]
    cohort = two_tables.cohorts("none", PEOPLE, 3)["real"]
    assert tables.children.joins["real"].sizes.tolist() == [len(cohort.visits_of(person)) for person in range(PEOPLE)]


def test_what_is_wrong_with_the_join_is_noticed(folder: Path) -> None:
    lines = (folder / "visits_real.csv").read_text().splitlines()
    coded([*lines, f"nobody,2023-01-01,{CANARY},medical,5"], folder, "visits_real.csv")
    people = (folder / "patients_release.csv").read_text().splitlines()
    coded([*people, people[1]], folder, "patients_release.csv")
    tables = loaded(folder)
    orphans, repeated = problems(tables)["orphans"], problems(tables)["repeated_keys"]
    assert (orphans.file, orphans.column, orphans.line, orphans.count) == (
        "visits_real.csv",
        "patient",
        len(lines) + 1,
        1,
    )
    assert (repeated.file, repeated.count) == ("patients_release.csv", 1)
    assert tables.children is not None
    assert len(tables.children.tables["real"]) == len(lines) - 1
    sizes = tables.children.joins["synthetic"].sizes
    assert sizes[0] == sizes[-1]
    assert not any(CANARY in problem.sentence() for problem in tables.problems)


def test_keys_of_real_people_in_the_release_are_noticed(folder: Path) -> None:
    for name in ("patients", "visits"):
        text = (folder / f"{name}_release.csv").read_text()
        (folder / f"{name}_release.csv").write_text(text.replace("release-", "real-"))
    shared = [problem for problem in loaded(folder).problems if problem.code == "shared_ids"]
    assert [(problem.column, problem.count) for problem in shared] == [("patient", PEOPLE)]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("no_key", {"person": None}),
        ("no_real_children", {"children": {"synthetic": "visits_release.csv"}}),
        ("no_key_column", {"children": {"real": "other.csv"}}),
        ("nobody_joined", {"children": {"real": "visits_holdout.csv"}}),
    ],
)
def test_files_that_cannot_be_joined_are_refused(folder: Path, code: str, change: dict[str, Any]) -> None:
    coded(["who,x", *(f"{row},{row % 3}" for row in range(60))], folder, "other.csv")
    files = {slot: folder / name for slot, name in change.pop("children", {}).items()} or None
    with pytest.raises(SchemaError) as refused:
        loaded(folder, files, **change)
    assert refused.value.problem.code == code
    assert str(refused.value).endswith(".")


def of_files(folder: Path, choices: dict[str, ColumnChoice], *, is_strict: bool = True, holdout: bool = True) -> Tables:
    """The made cohort with these decisions, beside that about the key."""
    slots = {"real": "real", "synthetic": "release", **({"holdout": "holdout"} if holdout else {})}
    texts = {
        f"{before}{slot}": read_csv((folder / f"{table}_{name}.csv").read_bytes(), name=f"{table}_{name}.csv")
        for before, table in (("", "patients"), (PREFIX, "visits"))
        for slot, name in slots.items()
    }
    return tables_of(texts, {"patient": ColumnChoice(role=Role.PERSON), **choices}, is_strict=is_strict)


def test_decisions_about_columns_of_the_second_table_hold_there_alone(folder: Path) -> None:
    choices = {
        "children:ward": ColumnChoice(role=Role.IGNORED),
        "children:cost": ColumnChoice(kind=Kind.CATEGORICAL),
        "children:diagnosis": ColumnChoice(missing_tokens=("digestive",)),
    }
    tables, before = of_files(folder, choices), of_files(folder, {})
    assert tables.children is not None
    assert before.children is not None
    assert [column.name for column in tables.children.schema.modelled] == ["day", "diagnosis", "cost"]
    assert tables.children.schema.column("cost").kind is Kind.CATEGORICAL
    assert "digestive" not in tables.children.schema.column("diagnosis").levels
    assert "digestive" in before.children.schema.column("diagnosis").levels
    assert tables.schema == before.schema, "the first table has no part in it"


def scores(tables: Tables) -> Floats:
    """The scores of the look at the second table alone."""
    scored = run_released(tables, ReleasedPlan(attacks=("children-alone",))).attacks[0].scores
    assert scored is not None
    return scored.value


def test_no_attack_reads_a_column_of_the_second_table_that_is_left_out(tmp_path: Path) -> None:
    """Other values in that column change no score; where it is read they do."""
    two_tables.write(tmp_path, "children", 120, 3)
    choices: tuple[dict[str, ColumnChoice], ...] = ({}, {"children:ward": ColumnChoice(role=Role.IGNORED)})
    before = [scores(of_files(tmp_path, chosen)) for chosen in choices]
    for file in tmp_path.glob("visits_*.csv"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(",medical,", ",surgical,"), encoding="utf-8")
    read, left_out = (scores(of_files(tmp_path, chosen)) for chosen in choices)
    assert not np.array_equal(read, before[0])
    np.testing.assert_array_equal(left_out, before[1])


def test_a_column_of_the_first_table_may_have_such_a_name() -> None:
    first, second = split_choices({"children:x": ColumnChoice(), "children:y": ColumnChoice()}, ["children:x", "y"])
    assert (list(first), list(second)) == (["children:x"], ["y"])


@pytest.mark.parametrize(
    ("name", "choice", "code"),
    [
        ("children:nothing", ColumnChoice(role=Role.IGNORED), "no_such_column"),
        ("children:ward", ColumnChoice(role=Role.PERSON), "unit_of_children"),
        ("children:ward", ColumnChoice(role=Role.HOUSEHOLD), "unit_of_children"),
        ("children:ward", ColumnChoice(kind=Kind.NUMERIC), "kind_does_not_hold"),
    ],
)
def test_decisions_that_cannot_hold_are_refused_with_the_file(
    folder: Path, name: str, choice: ColumnChoice, code: str
) -> None:
    with pytest.raises(SchemaError) as refused:
        of_files(folder, {name: choice})
    assert refused.value.problem.code == code
    assert refused.value.problem.file == "visits_real.csv"
    assert refused.value.problem.column == name.removeprefix("children:")


def test_without_a_second_table_a_decision_about_its_columns_is_refused(folder: Path) -> None:
    text = read_csv((folder / "patients_real.csv").read_bytes(), name="patients_real.csv")
    with pytest.raises(SchemaError) as refused:
        tables_of({"real": text}, {"children:ward": ColumnChoice(role=Role.IGNORED)})
    assert refused.value.problem.code == "no_such_column"
    assert (
        tables_of({"real": text}, {"children:ward": ColumnChoice(role=Role.IGNORED)}, is_strict=False).children is None
    )


def test_a_second_table_needs_the_first(folder: Path) -> None:
    with pytest.raises(SchemaError, match="the first table of the same people is missing"):
        rk.load(
            folder / "patients_real.csv",
            person="patient",
            children={"real": folder / "visits_real.csv", "holdout": folder / "visits_holdout.csv"},
        )


def test_an_audit_keeps_both_tables_and_gives_the_same_ones(folder: Path) -> None:
    (folder / "home" / "audits").mkdir(parents=True)
    made = Store(folder / "home").create("Two tables")
    for slot, name in (("real", "real"), ("synthetic", "release"), ("holdout", "holdout")):
        for before, kind in (("", "patients"), ("children_", "visits")):
            made.load(f"{before}{slot}", (folder / f"{kind}_{name}.csv").read_bytes(), name=f"{kind}_{name}.csv")
    made.choose({"patient": ColumnChoice(role=Role.PERSON)})
    kept, here = made.tables(), loaded(folder)
    assert kept.children is not None
    assert here.children is not None
    for slot, table in here.children.tables.items():
        assert kept.children.tables[slot].keys().tobytes() == table.keys().tobytes()
        assert kept.children.joins[slot].sizes.tolist() == here.children.joins[slot].sizes.tolist()
    before = made.revision
    made.drop("children_holdout")
    assert made.revision != before
    assert made.tables().children is not None


def test_values_of_the_second_table_that_hardly_meet_bar_that_a_release_is_within_its_limit(folder: Path) -> None:
    """A ward is written in another way in the release; a copied visit would not be known again."""
    release = folder / "visits_release.csv"
    text = release.read_text()
    for ward in two_tables.WARDS:
        text = text.replace(f",{ward},", f",{ward[0].upper()}-unit,")
    release.write_text(text)
    tables = of_files(folder, {})
    assert tables.children is not None
    assert tables.apart == ()
    assert [column.column for column in tables.children.apart] == ["ward"]
    facts = build_given("A", tables, ())
    names = Names.of(facts, Class.RESTRICTED)
    barred = [reason for reason in doubts(facts, names, ()) if reason.code == "values_apart"]
    assert [reason.figures["columns"] for reason in barred] == ["ward"]
    same = tuple((f"{ward[0].upper()}-unit", ward) for ward in two_tables.WARDS)
    answers = {"read": ColumnChoice(read_as=same), "differ": ColumnChoice(differs=True)}
    for answer in answers.values():
        answered = build_given("A", of_files(folder, {"children:ward": answer}), ())
        assert "values_apart" not in [reason.code for reason in doubts(answered, names, ())]
    read = of_files(folder, {"children:ward": answers["read"]}).children
    assert read is not None
    assert set(read.schema.column("ward").levels) - {""} == set(two_tables.WARDS)


def test_check_names_the_columns_of_the_second_table_as_decisions_do(folder: Path, call: Callable[..., str]) -> None:
    decided = folder / "columns.json"
    decided.write_text('{"children:ward": {"role": "ignored"}}')
    files = [str(folder / f"patients_{name}.csv") for name in ("real", "release")]
    more = ["--person", "patient", "--children-real", str(folder / "visits_real.csv"), "--columns", str(decided)]
    out = call(["check", *files, *more])
    assert re.search(r"^  children:ward +categorical +ignored ", out, re.MULTILINE)
    assert re.search(r"^  children:cost +numeric +known ", out, re.MULTILINE)
    assert re.search(r"^  age +numeric +known ", out, re.MULTILINE)


FILES = 20
"""Made tables that are taken apart at random."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return with_second(two_files.tables(tmp_path_factory.mktemp("two"), 60, 60))


def bags(people: TwoTables) -> list[set[tuple[float, float]]]:
    """Of each person the ward and the cost of every row."""
    rows = np.column_stack([people.second.codes[:, 0], people.second.numbers[:, 0]])
    return [set(map(tuple, rows[people.owner == place].tolist())) for place in range(len(people))]


def people_of(tables: Tables, slot: str = "real") -> TwoTables:
    people = getattr(tables, slot)
    assert isinstance(people, TwoTables)
    return people


def test_every_person_has_the_rows_of_the_file(tables: Tables, tmp_path: Path) -> None:
    two_files.tables(tmp_path, 60, 60)
    people = people_of(tables)
    _, *patients = two_files.lines(tmp_path / "patients_real.csv")
    _, *visits = two_files.lines(tmp_path / "visits_real.csv")
    wards = people.second.schema.column("ward").levels
    for place, (patient, *_) in enumerate(patients):
        own = {(float(wards.index(ward)), float(cost)) for key, ward, cost in visits if key == patient}
        assert bags(people)[place] == own
    assert people.sizes.tolist() == [sum(visit[0] == patient[0] for visit in visits) for patient in patients]


@pytest.mark.parametrize("seed", range(FILES))
def test_whoever_is_taken_has_their_own_rows(tables: Tables, seed: int) -> None:
    rng, people = np.random.default_rng(seed), people_of(tables)
    every = bags(people)
    index = rng.permutation(len(people))[: rng.integers(1, len(people))]
    mask = np.isin(np.arange(len(people)), index)
    for taken, places in (
        (people.rows(index), index),
        (people.rows(mask), np.flatnonzero(mask)),
        (people.rows(slice(3, 9)), np.arange(3, 9)),
        (people.without(index), np.flatnonzero(~mask)),
    ):
        assert isinstance(taken, TwoTables)
        assert bags(taken) == [every[place] for place in places]
        assert len(taken.second) == taken.sizes.sum() == people.sizes[places].sum()


def test_two_sides_together_keep_the_rows_of_each(tables: Tables) -> None:
    real, others = people_of(tables), people_of(tables, "holdout")
    both = real.rows([4, 2]).plus(others.rows([7]))
    assert isinstance(both, TwoTables)
    assert bags(both) == [bags(real)[4], bags(real)[2], bags(others)[7]]
    nobody = real.rows([])
    assert (len(nobody), len(nobody.second)) == (0, 0)


def test_people_without_a_second_table_leave_the_summaries_alone(tables: Tables) -> None:
    real = people_of(tables)
    plain = Table(real.schema, real.codes, real.numbers)
    assert not isinstance(real.plus(plain), TwoTables)
    assert not isinstance(plain.plus(real), TwoTables)


def test_the_first_table_is_as_it_was_loaded(tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path)
    first = people_of(with_second(loaded)).first
    assert first.schema == loaded.real.schema
    assert (first.keys() == loaded.real.keys()).all()


def test_the_summaries_are_those_of_attribute_inference(tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path, 60, 60)
    wide, plain = people_of(with_second(loaded)), fold_children(loaded).real
    assert [column.name for column in wide.schema.columns] == [column.name for column in plain.schema.columns]
    assert (wide.codes == plain.codes).all()
    assert np.array_equal(wide.numbers, plain.numbers, equal_nan=True)


def test_a_release_of_the_same_people_is_seen_as_they_are(tables: Tables, tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path, 60, 60)
    people, children = people_of(tables), loaded.children
    assert children is not None
    seen = people.view(loaded.real, children.tables["real"], children.joins["real"])
    assert (seen.keys() == Table(people.schema, people.codes, people.numbers).keys()).all()


def test_a_person_without_rows_fits_in_though_nobody_loaded_is_one(tables: Tables) -> None:
    people = people_of(tables)
    assert (people.sizes > 0).all()
    child = people.second.rows([0])
    loaded = people.first.rows([0, 1])
    from riskkit.table.people.second_table import Join

    seen = people.view(loaded, child, Join(np.array([0]), np.array([0, 1]), np.array([True]), 0))
    numbers = dict(zip([column.name for column in people.schema.numeric], seen.numbers[1].tolist(), strict=True))
    assert numbers["rows()"] == people.schema.column("rows()").low == 1  # nobody has fewer: the end of the range
    assert all(np.isnan(numbers[name]) for name in ("least(cost)", "greatest(cost)", "mean(cost)"))
    most = people.schema.column("most_frequent(ward)")
    assert most.levels[seen.codes[1, people.schema.categorical.index(most)]] == ""


def test_a_key_of_two_rows_is_refused(tmp_path: Path) -> None:
    two_files.tables(tmp_path)
    path = tmp_path / "patients_real.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("real-705", "real-704"), encoding="utf-8")
    loaded = rk.load(path, person="patient", children={"real": tmp_path / "visits_real.csv"})
    with pytest.raises(DesignError, match="A key stands in several rows of the first table"):
        with_second(loaded)
