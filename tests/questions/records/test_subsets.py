"""Everybody's risk from trainings on random parts of the people: who is listed, who is not, and what is refused."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import Fitted, Table
from riskkit.errors import DesignError
from riskkit.figures import blocks
from riskkit.games.released import ReleasedAttack
from riskkit.questions.records import subsets, words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import forecast, run_records
from riskkit.questions.records.present import TOGETHER, ExposedCounts, view
from riskkit.questions.records.question import standard
from riskkit.questions.records.result import COMBINED, LIRA, RMIA, RecordsResult, read, risks
from riskkit.questions.standard import Effort, Situation
from riskkit.released.distances import Dcr, Nndr
from riskkit.report import plots
from riskkit.show import in_words
from riskkit.show.blocks import Numbers, RocCurve, flat
from riskkit.show.names import Names
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from tests.games.records import Copies, Deaf, Noise, crowd, tables
from tests.oracles import stand_beside

QUICK: dict[str, Any] = {"by": "subsets", "trainings": 32, "n_syn": 60}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_beside(monkeypatch, {"generators": {"copies": Copies, "deaf": Deaf}})
    monkeypatch.setattr(subsets, "attacks", lambda: (("dcr", Dcr()), ("nndr", Nndr())))


def copied(table: Table) -> list[int]:
    return np.flatnonzero(table.numbers[:, 0] >= 90).tolist()


def test_whom_a_method_copies_is_listed_and_nobody_else() -> None:
    """Ten of sixty rows are put out as they are wherever they were in; of a list one in twenty is there by luck."""
    table = crowd(60)
    result = run_records(tables(table), RecordsPlan(generator="copies", **{**QUICK, "trainings": 64}))
    finding, high = read(result), {person.row for person in read(result, 0.7).listed}
    assert set(copied(table)) <= {person.row for person in finding.listed}
    assert len(finding.listed) <= 12
    assert high == set(copied(table))
    sentence = ExposedCounts(result, Names.all_told({})).sentence(None)
    assert sentence.startswith(f"For {len(finding.listed)} of 60 people, an attacker can tell")
    assert {person.n for person in result.records} == {64}
    assert {person.row for person in result.records if person.auc is not None and person.auc.low > 0.7} == high


def test_of_a_method_that_learns_nothing_nobody_is_listed() -> None:
    """Twenty audits of sixty people: one may name somebody by luck, and p-values are even."""
    named, p_values = 0, []
    for seed in range(20):
        result = run_records(tables(crowd(60)), RecordsPlan(generator="deaf", seed=seed, **QUICK))
        named += bool(risks(result).listed(0.5).any())
        p_values += [person.by_luck for person in result.records]
    assert named <= 4
    assert 0.03 <= np.mean(np.array(p_values) <= 0.05) <= 0.07


def test_planted_fault_a_coin_that_is_seen_lists_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were weights learnt of the person's own coins, nearly everybody would be taken for exposed."""

    def leaks(scores: Any, is_in: Any, rng: Any) -> Any:
        return scores[0] + 10 * scores[0].std() * is_in

    monkeypatch.setattr(subsets, "combine", leaks)
    result = run_records(tables(crowd(60)), RecordsPlan(generator="deaf", **QUICK))
    assert risks(result).listed(0.5).all()


def of_people(table: Table, rows: int) -> Tables:
    return replace(tables(table), persons=Persons("who", np.arange(len(table)) // rows, None))


def test_a_person_of_several_rows_is_in_or_out_with_all_of_them() -> None:
    table = crowd(120, copied=20)
    result = run_records(of_people(table, 2), RecordsPlan(generator="copies", **{**QUICK, "trainings": 64}))
    assert result.counts_people
    assert result.total == len(result.records) == 60
    listed = {person.row for person in read(result).listed}
    assert listed >= {row // 2 * 2 for row in copied(table)}
    assert len(listed) <= 22
    assert {person.rows for person in result.records} == {2}


def test_only_those_asked_about_are_looked_at_and_all_help_to_learn() -> None:
    """Who is asked about alone has the number of everybody's audit, to the last bit."""
    table = crowd(60)
    everybody = {p.row: p for p in run_records(tables(table), RecordsPlan(generator="copies", **QUICK)).records}
    some = run_records(tables(table), RecordsPlan(generator="copies", records="ids:3,0,17", **QUICK))
    assert [person.row for person in some.records] == [3, 0, 17]
    assert [person.auc for person in some.records] == [everybody[row].auc for row in (3, 0, 17)]


def test_kept_and_read_again_it_lists_the_same() -> None:
    result = run_records(tables(crowd(60)), RecordsPlan(generator="copies", **QUICK))
    again = RecordsResult.from_plain(result.plain())
    assert [person.is_listed for person in read(again, 0.6).people] == [p.is_listed for p in read(result, 0.6).people]
    assert again.plain() == result.plain()
    assert result.plain()["settings"]["worlds"].startswith("random parts")


@pytest.mark.parametrize(
    "more",
    [
        {"certificate": True},
        {"screen": 10},
        {"traditional": 10},
        {"relation": "replace-one"},
        {"knowledge": "auxiliary"},
        {"releases": 2},
        {"records": "ids:1,2", "together": True},
        {"records": "ids:1,2", "people": 30},
        {"yearly": "20,30"},
    ],
)
def test_what_is_about_worlds_of_one_person_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(DesignError, match="random parts"):
        RecordsPlan(**{**QUICK, **more})


def test_too_few_people_are_refused_in_a_sentence() -> None:
    with pytest.raises(DesignError, match="too few to be parted"):
        run_records(tables(crowd(12)), RecordsPlan(generator="deaf", **QUICK))


class Refusing(Dcr):
    """Cannot work on such tables."""

    def score(self, *_: Any) -> Any:
        raise DesignError("Not here.")


def test_an_attack_that_cannot_work_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    both: tuple[tuple[str, ReleasedAttack], ...] = (("dcr", Dcr()), ("refusing", Refusing()))
    monkeypatch.setattr(subsets, "attacks", lambda: both)
    result = run_records(tables(crowd(60)), RecordsPlan(generator="copies", **QUICK))
    assert any("refusing" in note for note in result.notes)
    assert 10 <= len(read(result).listed) <= 12
    monkeypatch.setattr(subsets, "attacks", lambda: both[1:])
    with pytest.raises(DesignError, match="No attack on a released file"):
        run_records(tables(crowd(60)), RecordsPlan(generator="copies", **QUICK))


def test_people_who_are_alike_are_said() -> None:
    table = crowd(60)
    twins = Table(
        table.schema, np.vstack([table.codes, table.codes[:5]]), np.vstack([table.numbers, table.numbers[:5]])
    )
    result = run_records(tables(twins), RecordsPlan(generator="deaf", **QUICK))
    assert any("10 of 65" in note and "included by chance too" in note for note in result.notes)


def test_the_forecast_counts_each_training_once() -> None:
    costs = forecast(tables(crowd(60)), RecordsPlan(generator="deaf", records="random:30", **QUICK)).numbers
    assert (costs["records"], costs["trainings"]) == (30, 32)
    assert 0.6 < costs["detectable_auc"] < costs["detectable_among"] < 1


def test_of_few_trainings_the_forecast_says_that_they_show_hardly_anybody_and_bars_no_run() -> None:
    costs = forecast(tables(crowd(60)), RecordsPlan(generator="deaf", **{**QUICK, "trainings": 12})).numbers
    assert costs["detectable_among"] == 1
    assert costs["detectable_auc"] <= 1


@pytest.mark.parametrize(
    ("settings", "by"),
    [
        ({}, "seeds"),
        ({"generator": "ctgan"}, "subsets"),
        ({"generator": "copies"}, "subsets"),
        ({"generator": "ctgan", "certificate": True}, "seeds"),
        ({"generator": "ctgan", "inside": 50}, "seeds"),
        ({"trainings": 32}, "subsets"),
        ({"generator": "ctgan", "by": "seeds"}, "seeds"),
        ({"by": "subsets"}, "subsets"),
    ],
)
def test_how_it_is_run_follows_from_the_method_and_from_other_settings(settings: dict[str, Any], by: str) -> None:
    """A package's method trains long unless it says that it does not; what somebody says holds."""
    plan = RecordsPlan(**settings)
    assert plan.by == by
    assert RecordsPlan.from_dict(plan.as_dict()) == plan
    options = plan.command("real.csv").split()
    assert ("--by" in options) == ("by" in settings)
    assert ("--in" in options) == (by == "seeds")


def test_a_plan_that_was_kept_before_there_were_two_ways_is_one_by_seeds() -> None:
    assert not RecordsPlan.as_kept({"generator": "ctgan"}).is_by_subsets


def test_a_result_says_how_it_was_run_and_why() -> None:
    def way(**settings: Any) -> str:
        return words.way(RecordsPlan(**settings))

    assert way(generator="ctgan") == "on random parts of the people, as a training of this method takes long"
    assert way() == "with and without each person, as a training of this method is quick"
    assert way(trainings=32) == "on random parts of the people, as was chosen or as other settings need it"
    assert words.way(RecordsPlan.as_kept({"generator": "gone"})) == "with and without each person"


@pytest.mark.parametrize(("people", "asked"), [(60, "all"), (2_001, "random:2000")])
def test_an_audit_asks_everybody_of_a_method_that_trains_long(people: int, asked: str) -> None:
    """Where a fit cannot give a row up and takes seconds, few trainings serve everybody; else nothing changes."""
    table = crowd(people)
    both = replace(tables(table), synthetic=table)
    plan = standard(Situation(both, Effort.STANDARD, made_by="ctgan"))
    assert plan == RecordsPlan(generator="ctgan", by="subsets", trainings=64, n_syn=people, records=asked)
    quick = standard(Situation(both, Effort.QUICK, made_by="histogram"))
    assert quick is not None
    assert not quick.is_by_subsets


def test_of_several_releases_of_a_method_that_trains_long_an_audit_asks_about_one() -> None:
    """By seeds it would train 30,000 times; Membership of the same effort trains a few hundred times."""
    table = crowd(60)
    both = replace(tables(table), synthetic=table)
    plan = standard(Situation(both, Effort.STANDARD, made_by="tvae", released={"releases": 5}))
    assert plan is not None
    assert (plan.by, plan.trainings, plan.releases) == ("subsets", 64, 1)
    quick = standard(Situation(both, Effort.STANDARD, made_by="histogram", released={"releases": 5}))
    assert quick is not None
    assert (quick.by, quick.releases) == ("seeds", 5)


def test_what_each_attack_reaches_is_shown_beside_all_of_them_together() -> None:
    """The attacks as they are, all together, LiRA and RMIA; dcr sees the ten who are copied, of sixty."""
    result = run_records(tables(crowd(60)), RecordsPlan(generator="copies", **QUICK))
    (table,) = (block for block in flat(view(result, Names.all_told({}))) if getattr(block, "key", "") == "attacks")
    assert isinstance(table, Numbers)
    assert [row[0] for row in table.rows] == [*(TOGETHER[name] for name in (COMBINED, LIRA, RMIA)), "dcr", "nndr"]
    assert len(table.rows) == 5
    (people,) = (block for block in flat(view(result, Names.all_told({}))) if getattr(block, "key", "") == "people")
    assert isinstance(people, Numbers)
    assert [column.key for column in people.columns] == ["record", "auc", "outlierness", "n"]
    aucs = {each.labels["attack"]: each for each in result.overall if each.name == "mean_auc"}
    assert set(aucs) == {"dcr", "nndr", COMBINED, RMIA}
    assert aucs["dcr"].low <= 0.5 + 0.5 * 10 / 60 <= aucs["dcr"].high
    assert {each.n for each in aucs.values()} == {32}


def test_the_roc_curve_of_everybody_is_drawn_printed_and_said() -> None:
    """60 people out of 16 trainings each: from 10 in 960 on; whom it copies it names at hardly any false alarm."""
    result = run_records(tables(crowd(60)), RecordsPlan(generator="copies", **QUICK))
    (curve,) = (block for block in flat(view(result, Names.all_told({}))) if isinstance(block, RocCurve))
    assert [line.who for line in curve.lines] == [TOGETHER[attack] for attack in (LIRA, COMBINED, RMIA)]
    (table,) = (block for block in flat(view(result, Names.all_told({}))) if getattr(block, "key", "") == "named")
    assert isinstance(table, Numbers)
    assert [row[0] for row in table.texts()] == ["2 %", "5 %", "10 %", "20 %", "50 %"]
    assert curve.start == 0.02
    marks = {each.labels["fpr"]: each for each in curve.marks}
    assert [*marks] == ["0.02", "0.05", "0.1", "0.2", "0.5"]
    assert all(mark in result.overall for mark in marks.values())
    assert marks["0.02"].low > 0.1, "ten of sixty are copied"
    assert len(blocks.figure(curve).data) == 5, "chance, three lines, their intervals"
    assert plots.svg(curve).count("<polyline") == 3
    assert "At 5 % false alarms: " in in_words.picture_in_words(curve)
    few = replace(result, overall=tuple(e for e in result.overall if e.labels.get("fpr") in (None, "0.01")))
    assert not [block for block in flat(view(few, Names.all_told({}))) if isinstance(block, RocCurve)]


def test_whoever_is_listed_is_a_leak_in_the_verdict_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are found by an attack that errs, and none of them above .55 for any law of scores."""

    def blurred(scores: Any, is_in: Any, rng: np.random.Generator) -> Any:
        return scores[0] + 1.5 * scores[0].std(axis=1, keepdims=True) * rng.standard_normal(scores[0].shape)

    monkeypatch.setattr(subsets, "combine", blurred)
    result = run_records(tables(crowd(60)), RecordsPlan(generator="copies", seed=2, **QUICK))
    own = risks(result)
    assert own.listed(0.5).any()
    assert not own.listed(0.55).any()
    assert own.lows.max() > 0.5


class Telling(Noise):
    """Puts out noise, and tells from its inside whom it was given."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.keys = table.keys()

    def familiarity(self, table: Table, rng: np.random.Generator) -> np.ndarray:
        return np.isin(table.keys(), self.keys) + 0.1 * rng.standard_normal(len(table))


@dataclass(frozen=True)
class Tells(Deaf):
    """Trains a model that tells."""

    name: ClassVar[str] = "tells"

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        return Telling(table)


def test_who_has_the_trained_method_too_sees_what_no_release_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Releases of noise and a model that tells: nobody is listed by the one, everybody by the other."""
    stand_beside(monkeypatch, {"generators": {"copies": Copies, "deaf": Deaf, "tells": Tells}})
    table, plan = crowd(60), RecordsPlan(generator="tells", **QUICK)
    alone, inside = (run_records(tables(table), replace(plan, sees=sees)) for sees in ("release", "model"))
    assert len(read(alone).listed) <= 6
    assert len(read(inside).listed) == 60
    aucs = {e.labels["attack"]: e.value for e in inside.overall if e.name == "mean_auc"}
    assert aucs["inside"] > 0.95
    assert {e.labels["attack"] for e in inside.overall if e.name == "planted_auc"} == {"dcr", "nndr", "combination"}
    for name in ("dcr", "nndr"):
        own = [e for e in alone.overall if e.labels.get("attack") == name]
        assert own == [e for e in inside.overall if e.labels.get("attack") == name], "releases are the same"
    attacks = next(
        block
        for block in flat(view(inside, Names.all_told({})))
        if isinstance(block, Numbers) and block.key == "attacks"
    )
    assert "The trained method itself" in {row[0] for row in attacks.rows}
    assert any("has the trained method too" in note for note in inside.notes)
    assert forecast(tables(table), replace(plan, sees="model")).numbers["trainings"] == 32


def test_a_method_that_tells_nothing_of_its_inside_is_refused() -> None:
    plan = RecordsPlan(generator="deaf", sees="model", **QUICK)
    with pytest.raises(DesignError, match="cannot say how probable a row is"):
        run_records(tables(crowd(60)), plan)
    with pytest.raises(DesignError, match="on random parts of the people"):
        RecordsPlan(generator="deaf", by="seeds", sees="model")


def test_of_a_model_that_learns_nothing_nobody_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 people on noise, by what the model says alone: p-values are even."""
    monkeypatch.setattr(Telling, "familiarity", lambda _, table, rng: rng.standard_normal(len(table)))
    stand_beside(monkeypatch, {"generators": {"copies": Copies, "deaf": Deaf, "tells": Tells}})
    p_values = []
    for seed in range(4):
        result = run_records(tables(crowd(60)), RecordsPlan(generator="tells", sees="model", seed=seed, **QUICK))
        p_values += [person.by_luck for person in result.records]
    assert len(p_values) >= 200
    assert np.mean(np.array(p_values) <= 0.05) <= 0.08
