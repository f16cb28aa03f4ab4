"""Keys as a question: it describes and never judges, weights are nobody's value, wrong input is refused in words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import riskkit as rk
from riskkit.audit.report_facts import build_given
from riskkit.errors import DesignError, SchemaError
from riskkit.judging.judge import judge
from riskkit.judging.measurement import DESCRIPTION, Limit, Verdict
from riskkit.judging.provenance import UNKNOWN
from riskkit.mend.coarsening import Coarsening, coarsen_column
from riskkit.questions import questions
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.keys.replication import compare_attacks
from riskkit.questions.keys.result import KeysResult
from riskkit.questions.limits import check, scales
from riskkit.report import build
from riskkit.show.model import Class, Played
from riskkit.table.load import Tables
from riskkit.table.text import TextTable

FINISHED = Path(__file__).parents[3] / "sample_data" / "finished"


def people(seed: int, rows: int = 300) -> pd.DataFrame:
    """People of 40 ages, 2 sexes and 6 places, with a job and a weight."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows),
            "sex": rng.choice(["f", "m"], rows),
            "place": rng.choice(list("abcdef"), rows),
            "diagnosis": rng.choice(["flu", "cold", "none"], rows, p=[0.2, 0.3, 0.5]),
            "w": rng.integers(5, 16, rows) + rng.integers(0, 10, rows) / 10,
        }
    )


def tables(**how: Any) -> Tables:
    real, release, others = people(0), people(1).drop(columns="w"), people(2).drop(columns="w")
    return rk.load(real, release, others, weight="w", **how)


@pytest.fixture(scope="module")
def loaded() -> Tables:
    return tables()


@pytest.fixture(scope="module")
def result(loaded: Tables) -> KeysResult:
    answer = rk.keys(loaded, ("age", "sex", "place"), secrets="diagnosis").result
    assert isinstance(answer, KeysResult)
    return answer


def test_figures_are_those_of_pandas(result: KeysResult) -> None:
    real = people(0)
    by = ["age", "sex", "place"]
    size = real.groupby(by)["age"].transform("size")
    risk = result.tables[0]
    assert risk.table == "real"
    assert (risk.smallest, risk.alone, risk.classes) == (size.min(), (size == 1).sum(), real.groupby(by).ngroups)
    assert sum(rows for _, rows in risk.bands) == len(real) == risk.rows
    assert sum(risk.sizes) == pytest.approx(1)
    assert risk.prosecutor.mean == pytest.approx((1 / size).mean())
    assert risk.prosecutor.at_09 == pytest.approx((1 / size >= 0.09).mean())
    assert result.counts.people == pytest.approx(real["w"].sum())
    assert risk.journalist is not None
    assert 0 < risk.journalist.mean < risk.prosecutor.mean
    secret = next(own for own in result.secrets if own.table == "real")
    assert secret.values.distinct == real.groupby(by)["diagnosis"].nunique().min()
    assert result.specials.rows == (np.asarray(result.scores) > 0).sum() == (np.asarray(result.smallest) > 0).sum()
    assert {row.row for row in result.people} <= set(np.flatnonzero(result.scores))


def test_a_way_to_raise_k_does_what_it_says_when_it_is_done(loaded: Tables, result: KeysResult) -> None:
    from riskkit.session.tables import text_of

    way = next(way for way in result.coarser if len(way.coarsen) == 2)
    assert way.alone < result.tables[1].alone
    text: TextTable = text_of(people(1).drop(columns="w"), "synthetic")
    assert loaded.synthetic is not None
    for written in way.coarsen:
        text, _ = coarsen_column(text, loaded.synthetic, Coarsening.parse(written))
    done = pd.DataFrame({name: text.column(name).to_pylist() for name in ("age", "sex", "place")})
    size = done.groupby(["age", "sex", "place"])["age"].transform("size")
    assert (size.min(), (size == 1).sum()) == (way.smallest, way.alone)


def test_a_copied_release_is_told_from_others_and_a_fresh_one_is_not() -> None:
    real, others = people(0), people(2).drop(columns="w")
    copied = rk.keys(
        rk.load(real, real.drop(columns="w"), others, weight="w"), ("age", "sex", "place"), secrets="diagnosis"
    )
    fresh = rk.keys(tables(), ("age", "sex", "place"), secrets="diagnosis")
    for answer, is_leak in ((copied, True), (fresh, False)):
        excess = [own for own in answer.result.estimates if own.name.endswith("_excess")]
        assert {own.name for own in excess} == {"replicated_excess", "disco_excess"}
        assert all((own.low > 0) == is_leak for own in excess)


# --------------------------------------------------------------------------------------------------------------
# It judges nothing


def findings(tables: Tables, result: KeysResult, *more: Played) -> Any:
    plan = result.plan
    run = Played("keys", "k1", "finished", plan.as_dict(), result.plain())
    facts = build_given("", tables, (), UNKNOWN, give_aways=())
    facts = replace(facts, runs=(run, *more))
    return build.findings(facts, {}, kind=Class.SHAREABLE, made=pd.Timestamp("2026-01-01", tz="UTC"), version="0")


def test_it_is_described_whatever_the_limit(loaded: Tables, result: KeysResult) -> None:
    answer = next(own for own in findings(loaded, result).answers if own.question == "keys")
    assert answer.judgement is not None
    assert answer.judgement.verdict is Verdict.DESCRIBED
    assert answer.finding is not None
    assert judge(answer.finding.measured, Limit(0.5, "x")).verdict is Verdict.DESCRIBED
    assert "keys" not in scales()
    assert check({"keys": Limit(0.5, "x")})
    assert [name for name, own in questions().items() if own.scale == DESCRIPTION] == ["keys"]


def test_it_is_no_part_of_the_verdict_and_reads_no_column_for_it(loaded: Tables, result: KeysResult) -> None:
    made = findings(loaded, result)
    assert made.overall.code == "nothing_asked"
    run = Played("keys", "k1", "finished", result.plan.as_dict(), result.plain())
    facts = build_given("", loaded, (), UNKNOWN, give_aways=())
    assert set(build.unread(facts, [run])) == {"age", "sex", "place", "diagnosis"}
    going = Played("keys", "k2", "running", result.plan.as_dict(), None)
    unfinished = findings(loaded, result, going)
    assert unfinished.overall.code == "nothing_asked"


def test_a_shareable_report_holds_no_row_and_no_name(loaded: Tables, result: KeysResult) -> None:
    answer = next(own for own in findings(loaded, result).answers if own.question == "keys")
    assert answer.finding is not None
    assert not answer.finding.at_risk
    assert "diagnosis" not in repr(answer.finding.view)
    assert "people" not in result.as_dict()
    assert "scores" not in result.as_dict()


def test_minimal_uniques_stand_beside_what_attacks_found() -> None:
    """Ten rows; those with a score are told better by records, and named more often by singling-out."""
    scores = np.array([6.0, 2, 4, 0, 0, 0, 0, 0, 0, 0])
    records = {"records": [{"row": row, "auc": [0.9 - 0.04 * row, 0.1, 1.0]} for row in range(8)]}
    named = {"records": [{"known": "age", "row": [0, 1]}, {"known": "sex", "row": [1, 9]}]}
    kept = {"records": records, "singling-out": named}
    runs = [Played(name, name, "finished", {}, result) for name, result in kept.items()]
    by_records, by_names = compare_attacks(
        scores, [*runs, replace(runs[0], is_current=False), replace(runs[1], result=None)]
    )
    assert (by_records.uniques, by_records.others) == (3, 5)
    assert (by_records.of_uniques, by_records.of_others) == pytest.approx((0.86, 0.7))
    assert by_records.agreement is not None
    assert by_records.agreement > 0.5
    assert (by_names.uniques, by_names.others) == (3, 7)
    assert (by_names.of_uniques, by_names.of_others) == pytest.approx((2 / 3, 1 / 7))
    assert compare_attacks(np.zeros(10), runs) == ()
    assert compare_attacks(scores[:3], runs) == (), "runs of another table"


def test_runs_are_read_as_they_are_kept() -> None:
    """The people of the sample's own runs, of whom every second has a score here."""
    kept = {name: json.loads((FINISHED / f"{name}.json").read_text())["result"] for name in ("records", "singling-out")}
    scores = np.zeros(kept["records"]["total"])
    people = [own["row"] for own in kept["records"]["records"]]
    scores[people[::2]] = 1.0
    by_records, by_names = compare_attacks(scores, [Played(name, name, "finished", {}, kept[name]) for name in kept])
    aucs = [own["auc"][0] for own in kept["records"]["records"]]
    assert (by_records.uniques, by_records.others) == (len(people[::2]), len(people[1::2]))
    assert (by_records.of_uniques, by_records.of_others) == pytest.approx((np.mean(aucs[::2]), np.mean(aucs[1::2])))
    assert by_names.uniques + by_names.others == kept["records"]["total"]


# --------------------------------------------------------------------------------------------------------------
# Weights


def test_a_weight_is_nobodys_value_to_any_question(loaded: Tables) -> None:
    np.testing.assert_allclose(loaded.weights, people(0)["w"])
    assert "w" not in [column.name for column in loaded.schema.modelled]
    assert not [problem for problem in loaded.problems if problem.column == "w"]
    assert not [problem for problem in loaded.problems if problem.code == "fewer_columns"]


def test_a_weight_that_is_released_is_a_doubt_that_no_question_lifts() -> None:
    both = rk.load(people(0), people(1), people(2), weight="w")
    assert [problem.code for problem in both.problems if problem.column == "w"] == ["unread_column"]
    assert "w" not in [column.name for column in both.schema.modelled]


def test_weights_say_the_population_and_a_fraction_says_it_before_them(loaded: Tables) -> None:
    by_weight = rk.keys(loaded, ("age",)).result.counts
    by_fraction = rk.keys(loaded, ("age",), fraction=0.1).result.counts
    assert (by_weight.source, by_fraction.source) == ("weights", "fraction")
    assert by_fraction.people == pytest.approx(3000)
    assert not [note for note in rk.keys(loaded, ("age",), fraction=0.1).result.notes if "add up" in str(note)]
    assert [note for note in rk.keys(loaded, ("age",), fraction=0.5).result.notes if "add up" in str(note)]
    nobody = rk.keys(rk.load(people(0).drop(columns="w"))).result
    assert nobody.counts.people is None
    assert nobody.tables[0].journalist is None
    assert any("population" in note for note in nobody.notes)


@pytest.mark.parametrize("bad", ["", "-1", "0", "many"])
def test_a_weight_that_is_none_is_refused_without_its_value(bad: str) -> None:
    real = people(0).astype({"w": str})
    real.loc[3, "w"] = bad
    with pytest.raises(SchemaError) as refused:
        rk.load(real, weight="w")
    assert "many" not in str(refused.value)


# --------------------------------------------------------------------------------------------------------------
# Wrong input


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"keys": ("age", "nothing")}, "not in use"),
        ({"keys": ("age", "w")}, "not in use"),
        ({"keys": ("age",), "secrets": ("age",)}, "name it once"),
        ({"keys": ("age",), "fraction": 0.5, "population": 900}, "not both"),
        ({"keys": ("age",), "population": 10}, "smaller than"),
    ],
)
def test_what_does_not_go_together_is_refused(loaded: Tables, settings: dict[str, Any], part: str) -> None:
    with pytest.raises(DesignError, match=part):
        rk.ask("keys", loaded, **settings)


def test_many_keys_are_looked_at_by_smaller_sets_and_that_is_said() -> None:
    rng = np.random.default_rng(3)
    wide = pd.DataFrame({f"c{number}": rng.integers(0, 3, 60) for number in range(40)})
    wide_result = rk.keys(rk.load(wide)).result
    assert wide_result.counts.most == 2
    assert any("at most 2" in str(note) for note in wide_result.notes)


def test_without_leaves_keys_that_are_there() -> None:
    plan = KeysPlan(keys=("age", "sex"), secrets=("job",))
    assert plan.without(("age", "job")) == KeysPlan(keys=("sex",))
    assert plan.without(("age", "sex")) is None
