"""Games across both tables: what is seen of people, what the program is given, and what is refused."""

import json
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import riskkit as rk
from riskkit import registry
from riskkit.cli import main
from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.generators import external
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.question import forecast, run
from riskkit.questions.membership.result import MembershipResult
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.records.result import RecordsResult
from riskkit.questions.standard import Effort, Situation, plans_for
from riskkit.table.load import Tables
from tests import two_files

RECORDS: dict[str, Any] = {
    "records": "ids:3,17",
    "inside": 8,
    "outside": 8,
    "shadows": 8,
    "again": 0,
    "n_syn": 60,
    "second_table": True,
}
"""A few trainings: what leaks here does so in each of them."""
MEMBERSHIP: dict[str, Any] = {
    "targets": ("listed:rows=17",),
    "attacks": ("neighbour",),
    "trainings": 10,
    "generations": 1,
    "n_syn": 60,
    "control": False,
    "second_table": True,
}
"""An attack that learns nothing: the nearest released row."""
SURE = 0.999
"""The level of what must hold for any seed. With 8 trainings a side one half is outside only where all with the person
lie on one side of all without: twice in 12,870 orders, and whenever people are copied."""


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(external.ALLOWED, "1")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return two_files.tables(tmp_path_factory.mktemp("two"))


def by(how: str, **more: Any) -> str:
    return registry.spelling("generators", external.External(command=two_files.command(how, **more)))


def records(tables: Tables, how: str, **more: Any) -> RecordsResult:
    return run_records(tables, RecordsPlan(generator=by(how), **RECORDS | more))


def membership(tables: Tables, how: str, **more: Any) -> MembershipResult:
    return run(tables, MembershipPlan(generators=(by(how),), **MEMBERSHIP | more))


def of_auc(result: MembershipResult) -> Estimate:
    (auc,) = [estimate for estimate in result.estimates if estimate.name == "auc"]
    return auc


def aucs(result: RecordsResult) -> list[float]:
    return [person.auc.value for person in result.records if person.auc is not None]


@pytest.mark.second
def test_people_who_are_copied_with_their_rows_are_recognised(tables: Tables) -> None:
    people = records(tables, "copies", level=SURE).records
    assert min(person.auc.low for person in people if person.auc is not None) > 0.5


@pytest.mark.second
def test_a_leak_that_lives_in_the_second_table_is_seen_across_both_and_not_in_the_first(tables: Tables) -> None:
    assert min(aucs(records(tables, "children"))) > 0.9
    few = {"second_table": False, "level": SURE}
    alone = RecordsPlan(generator=by("children", is_alone=True), **RECORDS | few)
    for person in run_records(tables, alone).records:
        assert person.auc is None or person.auc.low < 0.5 < person.auc.high


def test_of_a_program_that_ignores_the_tables_nothing_is_seen_though_every_world_holds_the_rows_of_its_people(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in the files that the program was given: everybody, or everybody but the person of row 3."""
    monkeypatch.setenv("OWN_KEPT", str(tmp_path))
    result = records(tables, "ignores", records="ids:3", level=SURE)
    (person,) = result.records
    assert person.auc is not None
    assert person.auc.low < 0.5 < person.auc.high
    assert any("summaries of their rows in the second table" in note for note in result.notes)
    assert tables.children is not None
    sizes = tables.children.joins["real"].sizes
    worlds: Counter[tuple[int, int]] = Counter()
    for kept in tmp_path.iterdir():
        patients, visits = (two_files.lines(kept / f"{name}.csv")[1:] for name in ("train", "train_children"))
        assert [key for key, *_ in patients] == [str(place) for place in range(1, len(patients) + 1)]
        assert {key for key, *_ in visits} <= {key for key, *_ in patients}
        worlds[len(patients), len(visits)] += 1
    everybody, others = (60, int(sizes.sum())), (59, int(sizes.sum() - sizes[3]))
    assert worlds == {everybody: 16, others: 16}  # of each side those that are counted and the attacker's own


def test_membership_recognises_who_is_copied_with_their_rows(tables: Tables) -> None:
    result = membership(tables, "copies", trainings=16, level=SURE)
    assert of_auc(result).low > 0.5
    assert any("summaries of their rows in the second table" in note for note in result.notes)


@pytest.mark.second
def test_membership_sees_a_leak_that_lives_in_the_second_table_across_both_alone(tables: Tables) -> None:
    """The queries learn which of the summaries give the person away."""
    few = {"targets": ("listed:rows=30",), "attacks": ("queries:own=16",), "trainings": 16, "level": SURE}
    assert of_auc(membership(tables, "children", **few)).value > 0.9
    plan = MembershipPlan(generators=(by("children", is_alone=True),), **MEMBERSHIP | few | {"second_table": False})
    alone = of_auc(run(tables, plan))
    assert alone.low < 0.5 < alone.high


@pytest.mark.parametrize(
    ("worlds", "relation", "knowledge", "trainings"),
    [("fixed", "replace-one", "own", 16), ("resampled", "add-one", "auxiliary", 6)],
)
def test_every_world_of_membership_holds_the_rows_of_its_people(
    worlds: str,
    relation: str,
    knowledge: str,
    trainings: int,
    tables: Tables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By hand: every patient of a world has the visits of a real patient of that age and district, and no others.

    The program ignores both tables, so nothing is seen.
    """
    monkeypatch.setenv("OWN_KEPT", str(tmp_path / "kept"))
    how = {"worlds": worlds, "relation": relation, "knowledge": knowledge, "trainings": trainings, "level": SURE}
    result = membership(tables, "ignores", **how)
    aucs = [estimate for estimate in result.estimates if estimate.name == "auc"]
    assert [auc.low < 0.5 < auc.high for auc in aucs] == [True] * (trainings >= 10)  # fewer give no number
    two_files.tables(tmp_path)
    real = patients_of(tmp_path / "patients_real.csv", tmp_path / "visits_real.csv")
    target = list(real.elements())[17]
    assert real[target] == 1
    holding = 0
    for kept in (tmp_path / "kept").iterdir():
        world = patients_of(kept / "train.csv", kept / "train_children.csv")
        assert world <= real
        holding += world[target]
    (attack,) = result.plan.made_attacks()
    assert holding == trainings // 2 + attack.shadows


def patients_of(first: Path, second: Path) -> Counter[tuple[str, ...]]:
    """Age, district and visits of every patient in these files."""
    visits = two_files.lines(second)[1:]
    return Counter(
        (age, district, *sorted(f"{ward} {cost}" for own, ward, cost in visits if own == key))
        for key, age, district in two_files.lines(first)[1:]
    )


@pytest.mark.second
@pytest.mark.parametrize(
    "more",
    [
        {"relation": "replace-one", "stand_in": 4},
        {"traditional": 5, "knowledge": "auxiliary"},
        {"people": 30},
        {"yearly": "40,50,60", "n_syn": 30},
        {"together": True, "records": "ids:3,17"},
        {"releases": 2, "n_syn": 30},
    ],
    ids=str,
)
def test_every_other_world_of_records_is_of_real_people_with_their_rows(
    more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = two_files.tables(tmp_path, 60, 150)
    monkeypatch.setenv("OWN_KEPT", str(tmp_path / "kept"))
    few = {"records": "ids:3", "inside": 5, "outside": 5, "shadows": 5}
    result = records(loaded, "ignores", **few | more)
    assert any("summaries of their rows in the second table" in note for note in result.notes)
    everybody = patients_of(tmp_path / "patients_real.csv", tmp_path / "visits_real.csv")
    everybody += patients_of(tmp_path / "patients_holdout.csv", tmp_path / "visits_holdout.csv")
    worlds = [patients_of(kept / "train.csv", kept / "train_children.csv") for kept in (tmp_path / "kept").iterdir()]
    assert len(worlds) >= 20
    assert all(world <= everybody for world in worlds)


@pytest.mark.second
def test_workers_change_no_byte(tables: Tables) -> None:
    plan = RecordsPlan(generator=by("ignores"), **RECORDS | {"records": "ids:3", "inside": 5, "outside": 5})
    assert run_records(tables, plan).plain() == run_records(tables, plan, workers=2).plain()


def test_a_made_up_record_is_refused(tables: Tables) -> None:
    plan = MembershipPlan(generators=(by("ignores"),), **MEMBERSHIP | {"targets": ("adaptive",)})
    for asked in (run, forecast):
        with pytest.raises(DesignError, match="A made-up record has no rows in the second table"):
            asked(tables, plan)


def test_an_audit_plays_such_a_method_across_both(tmp_path: Path) -> None:
    loaded = two_files.tables(tmp_path, 60, 60)
    for how, is_meant in ((by("copies"), True), ("bayesnet", False)):
        situation = Situation(replace(loaded, synthetic=loaded.real), Effort.QUICK, how)
        plans = [plan for plan in plans_for(situation) if plan.question in ("membership", "records")]
        assert [(plan.question, plan.second_table) for plan in plans] == [  # type: ignore[attr-defined]
            ("membership", is_meant),
            ("records", is_meant),
        ]


def test_the_command_line_plays_both_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two_files.tables(tmp_path)
    words = ["--real", str(tmp_path / "patients_real.csv"), "--children-real", str(tmp_path / "visits_real.csv")]
    plan = RecordsPlan(
        generator=by("copies"), **RECORDS | {"records": "ids:3", "inside": 5, "outside": 5, "shadows": 5}
    )
    (asked,) = (text for text in plan.command("R", children_real="C", person="patient").split(" --generator ")[1:])
    options = ["--generator", *shlex.split(asked)]
    assert main(["records", *words, "--person", "patient", *options, "--quiet", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["records"][0]["row"] == 3
    assert any("summaries of their rows in the second table" in note["text"] for note in document["notes"])


def refused(tables: Tables, plan: Any) -> str:
    with pytest.raises(DesignError) as refusal:
        plan.summarise(tables)
    return str(refusal.value)


def test_a_program_of_two_tables_without_a_second_one_is_refused(tables: Tables) -> None:
    plan = RecordsPlan(generator=by("copies"))
    assert "no second one is loaded" in refused(replace(tables, children=None), plan)
    assert "the game is of the first alone" in refused(tables, plan)


def test_a_second_table_needs_a_program_that_takes_both(tables: Tables) -> None:
    for generator in ("bayesnet", by("copies", is_alone=True)):
        refusal = refused(tables, RecordsPlan(generator=generator, second_table=True))
        assert "a command with {train_children} and {out_children}" in refusal


def test_a_second_table_that_is_missing_is_refused(tables: Tables, tmp_path: Path) -> None:
    plan = RecordsPlan(generator=by("copies"), second_table=True)
    assert "There is no second table" in refused(replace(tables, children=None), plan)
    two_files.tables(tmp_path, 60, 60)
    half = rk.load(
        tmp_path / "patients_real.csv",
        holdout=tmp_path / "patients_holdout.csv",
        person="patient",
        children={"real": tmp_path / "visits_real.csv"},
    )
    assert "The second table is loaded for some of the files alone" in refused(half, plan)


def test_people_with_several_rows_in_the_first_table_are_refused(tables: Tables, tmp_path: Path) -> None:
    two_files.tables(tmp_path)
    path = tmp_path / "patients_real.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("real-705", "real-704"), encoding="utf-8")
    loaded = rk.load(path, person="patient", children={"real": tmp_path / "visits_real.csv"})
    assert "a person stands in one row" in refused(loaded, RecordsPlan(generator=by("copies"), second_table=True))
