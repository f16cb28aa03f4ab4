"""A program of two tables: what it is given, what may come back, and what no sentence about it may hold."""

import json
import pickle
from collections import Counter
from pathlib import Path

import pytest

from riskkit.core import Table
from riskkit.errors import ParameterError, RiskkitError
from riskkit.generators import external
from riskkit.generators.external import External, split_files
from riskkit.seeds import stream
from riskkit.table.fold import TwoTables, with_second
from riskkit.table.write import to_csv
from tests import two_files
from tests.generators.own_two_tables import CANARY
from tests.tables import mixed

pytestmark = pytest.mark.usefixtures("temp")
FIRST, SECOND = "The first table that the program wrote", "The second table that the program wrote"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> TwoTables:
    real = with_second(two_files.tables(tmp_path_factory.mktemp("two"))).real
    assert isinstance(real, TwoTables)
    return real


def released(how: str, people: Table, n: int = 40, **more: str) -> Table:
    rng = stream(1, "two files")
    return External(command=two_files.command(how), **more).fit(people, rng).sample(n, rng)  # type: ignore[arg-type]


def text_of(content: bytes) -> list[list[str]]:
    return [line.split(",") for line in content.decode().splitlines()]


def test_the_program_is_given_the_rows_of_exactly_the_people_in_the_world(people: TwoTables) -> None:
    """By hand: three people, their visits counted in the table that they were taken from."""
    world = people.rows([5, 2, 11])
    files = split_files(world)
    header, *patients = text_of(files["train"])
    second, *visits = text_of(files["train_children"])
    assert (header, second) == (["patient", "age", "district"], ["patient", "ward", "cost"])
    assert [key for key, *_ in patients] == ["1", "2", "3"]
    ages = people.first.numbers[:, 0].astype(int)
    assert [int(age) for _, age, _ in patients] == ages[[5, 2, 11]].tolist()
    costs, owner = people.second.numbers[:, 0].astype(int), people.owner
    for key, person in (("1", 5), ("2", 2), ("3", 11)):
        assert [int(cost) for own, _, cost in visits if own == key] == costs[owner == person].tolist()
    assert len(visits) == people.sizes[[5, 2, 11]].sum()
    assert [int(key) for key, *_ in visits] == sorted(int(key) for key, *_ in visits)  # person by person


def test_no_real_key_goes_out(people: TwoTables) -> None:
    """The real keys are real-700, real-701 and so on; the keys of a world are its places, whoever is there."""
    for world in (people, people.without(3), people.rows([40, 3])):
        for name in ("train", "train_children"):
            content = split_files(world)[name]
            assert b"real-" not in content
            keys = {int(key) for key, *_ in text_of(content)[1:]}
            assert keys <= set(range(1, len(world) + 1))


def test_the_schema_has_both_tables_and_the_key(people: TwoTables) -> None:
    document = json.loads(split_files(people)["schema"])
    assert [column["name"] for column in document["columns"]] == ["age", "district"]
    assert document["key"] == "patient"
    assert [column["name"] for column in document["children"]["columns"]] == ["ward", "cost"]


@pytest.mark.parametrize("how", ["copies", "turned"])
def test_people_come_back_as_they_were_in_any_order_of_the_columns(how: str, people: TwoTables) -> None:
    release = released(how, people, len(people))
    assert release.schema == people.schema
    assert not isinstance(release, TwoTables)
    plain = Table(people.schema, people.codes, people.numbers)
    assert Counter(release.keys().tolist()) == Counter(plain.keys().tolist())


def test_one_seed_gives_the_same_bytes(people: TwoTables) -> None:
    assert to_csv(released("ignores", people)) == to_csv(released("ignores", people))


@pytest.mark.parametrize(
    ("how", "texts"),
    [
        ("repeated", [f"{FIRST}, column 'patient', line 6: 1 row has the key of another row."]),
        ("unnamed", [f"{FIRST}, column 'patient', line 6: 1 row has no key."]),
        ("orphan", [f"{SECOND}, column 'patient', line 5: 1 row has a key that no row of the first table has."]),
        ("homeless", [f"{SECOND}, column 'patient', line 5: 1 row has a key that no row of the first table has."]),
        ("fewer", [f"{FIRST}: The file has 39 rows where 40 were asked for."]),
        ("no_key", [f"{FIRST}, column 'patient': The file has no such column."]),
        ("other_name", [f"{SECOND}, column 'patient': The file has no such column."]),
        ("level", [f"{SECOND}, column 'ward', line 5: The value is none of the levels of the schema."]),
        ("beyond", [f"{SECOND}, column 'cost', line 5: The number lies outside the range of the loaded tables."]),
        ("empty", [f"{SECOND}: The file has names but no data rows."]),
        ("nothing", [f"{SECOND}: the program ended without writing it.", "{out_children}"]),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(how: str, texts: list[str], people: TwoTables) -> None:
    with pytest.raises(RiskkitError) as refusal:
        released(how, people)
    sentence = str(refusal.value)
    assert all(part in sentence for part in texts), sentence
    assert CANARY not in sentence
    assert "new-" not in sentence
    assert str(pickle.loads(pickle.dumps(refusal.value))) == sentence


@pytest.mark.parametrize("how", ["unnamed", "orphan", "no_key", "level", "beyond", "empty"])
def test_a_trial_names_what_a_release_is_refused_for(how: str, people: TwoTables) -> None:
    with pytest.raises(RiskkitError) as refusal:
        released(how, people)
    plugin = External(command=two_files.command(how))
    faults = external.trial(plugin, people, 40, stream(1, "trial"), lambda _: None)
    assert str(refusal.value) in [fault.problem.sentence() for fault in faults]
    assert [fault.is_mended for fault in faults if fault.problem.column == "cost"] == [True] * (how == "beyond")


def test_the_nearest_number_is_taken_of_the_second_table_too(people: TwoTables) -> None:
    release = released("beyond", people, outside="nearest")
    assert release.numbers[:, people.schema.numeric.index(people.schema.column("greatest(cost)"))].max() == 900


def test_one_table_is_refused(people: TwoTables) -> None:
    with pytest.raises(RiskkitError, match="is trained on two tables, and is handed one"):
        released("copies", mixed(50))
    plain = Table(people.schema, people.codes, people.numbers)
    with pytest.raises(RiskkitError, match="is trained on two tables, and is handed one"):
        released("copies", people.plus(plain))


@pytest.mark.parametrize("gone", ["train_children", "out_children"])
def test_half_of_a_second_table_is_refused(gone: str) -> None:
    with pytest.raises(ParameterError, match=rf"command lacks {{{gone}}}"):
        External(command=two_files.command("copies").replace(f"{{{gone}}}", "."))


def test_what_takes_two_tables_says_so() -> None:
    assert External(command=two_files.command("copies")).takes_two_tables
    assert not External(command=two_files.command("copies", is_alone=True)).takes_two_tables
    assert not External().takes_two_tables


def test_what_is_kept_of_a_game_is_one_row_a_person(
    people: TwoTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that a run of the program finds are those of the world it was fitted to."""
    monkeypatch.setenv("OWN_KEPT", str(tmp_path / "kept"))
    world = people.without([0, 1, 2])
    released("ignores", world)
    (kept,) = (tmp_path / "kept").iterdir()
    assert len(two_files.lines(kept / "train.csv")) == len(people) - 3 + 1
    assert len(two_files.lines(kept / "train_children.csv")) == int(people.sizes[3:].sum()) + 1
    patients, visits = (
        {key for key, *_ in two_files.lines(kept / f"{name}.csv")[1:]} for name in ("train", "train_children")
    )
    assert visits <= patients
