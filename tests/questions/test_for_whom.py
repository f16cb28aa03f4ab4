"""For whom risk is highest, in every question that has people: from a run to every surface, found and never made up."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.errors import DesignError
from riskkit.games.bags import Whose
from riskkit.plain import plain
from riskkit.questions import questions
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.for_whom import SideRows, by_certificates, by_hits
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from riskkit.questions.released.result import ReleasedResult
from riskkit.questions.singling_out.play import SinglingOutPlan
from riskkit.report import to_json
from riskkit.report.appendix import groups, question
from riskkit.seeds import stream
from riskkit.show.for_whom import GAIN, GAP, PLAYED, ForWhom, ShownForWhom, read
from riskkit.show.model import Answer, Class, RunFinding
from riskkit.show.names import Names
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable
from tests.judged import judged
from tests.questions.records.fuzzed import of_categories

ALL = Names(Class.RESTRICTED, b"key", ("sex", "age", "job"), {}, tells_columns=True)
SHAREABLE = Names(Class.SHAREABLE, b"key", ("sex", "age", "job"), {})


def texted(frame: pd.DataFrame) -> TextTable:
    return read_csv(frame.to_csv(index=False).encode(), name="people.csv")


def people(seed: int, n: int = 240) -> pd.DataFrame:
    rng = stream(seed, "people")
    return pd.DataFrame(
        {
            "sex": rng.choice(["Zelda", "Quentin"], n),
            "age": rng.integers(18, 90, n),
            "job": rng.choice([f"job{index}" for index in range(60)], n),
            "town": rng.choice(["Ulm", "Aix", "Bath"], n, p=[0.6, 0.38, 0.02]),
        }
    )


def leaky() -> Tables:
    """A release that holds the rows of everybody whose sex is Zelda, and otherwise those of strangers."""
    real, holdout, others = people(1), people(2), people(3)
    release = pd.concat([real[real.sex == "Zelda"], others[others.sex == "Quentin"]]).sample(frac=1, random_state=1)
    return load(texted(real), texted(release), texted(holdout))


PLAN = ReleasedPlan(attacks=("dcr",), seed=5)


@pytest.fixture(scope="module")
def result() -> ReleasedResult:
    return run_released(leaky(), PLAN)


def test_the_group_whose_rows_were_copied_is_at_highest_risk(result: ReleasedResult) -> None:
    for_whom = result.for_whom
    assert for_whom is not None
    assert (for_whom.each[0].by, for_whom.each[0].name) == ("sex", "Zelda")
    assert for_whom.each[0].p < 0.05
    assert for_whom.each[0].inside.value > 0.9
    assert set(for_whom.columns) == {"sex", "age", "town"}, "jobs are too many to be groups"
    assert for_whom.small == {"town": 1}
    shown = ShownForWhom(for_whom, ALL)
    assert shown.sentence.startswith("Risk is highest for sex: Zelda: the AUC is ")
    assert any(row[0] == "sex: Zelda" for row in shown.rows)
    assert shown.chart() is not None


def test_what_is_kept_reads_back_as_it_was(result: ReleasedResult) -> None:
    kept = json.loads(json.dumps(result.plain()))
    assert ReleasedResult.from_plain(kept).for_whom == result.for_whom
    block = read(kept, ALL)
    assert block is not None
    assert block.compared == result.for_whom
    assert read({}, ALL) is None


def test_whoever_may_not_see_values_sees_none_and_no_count_that_gives_a_small_group_away(
    result: ReleasedResult,
) -> None:
    assert result.for_whom is not None
    block = ShownForWhom(result.for_whom, SHAREABLE)
    text = json.dumps([block.as_dict(), block.rows, block.sentence, str(block.chart()), result.as_dict()])
    for value in ("Zelda", "Quentin", "Ulm", "Aix", "Bath", "up to", "above 3"):
        assert value not in text
    for name in ("sex", "town"):
        assert name not in json.dumps([block.as_dict(), block.rows])
    counts = {entry.by: block.count(entry) for entry in result.for_whom.each}
    assert counts["town"] == ""
    assert counts["sex"] != ""
    assert all(
        group["inside"]["n"] is None for group in block.as_dict()["groups"] if group["group"].startswith("a col")
    )
    passed_on = result.as_dict()["for_whom"]["each"]
    assert all(group["name"] == "" for group in passed_on)
    assert {group["inside"]["n"] for group in passed_on if group["by"] == "town"} == {0}


def test_only_columns_that_were_declared_are_looked_at() -> None:
    for_whom = run_released(leaky(), ReleasedPlan(attacks=("dcr",), groups=("job",))).for_whom
    assert for_whom is not None
    assert for_whom.columns == ()
    assert set(for_whom.small) == {"job"}
    nobody = "No groups are compared: no column has two groups of at least 10 people asked about."
    assert ShownForWhom(for_whom, ALL).sentence == nobody
    with pytest.raises(DesignError):
        run_released(leaky(), ReleasedPlan(attacks=("dcr",), groups=("nothing",)))
    assert ReleasedPlan(groups=("job", "sex")).without(("job",)) == ReleasedPlan(groups=("sex",))


def test_nothing_is_said_without_a_holdout() -> None:
    without = load(texted(people(1)), texted(people(3)))
    assert run_released(without, PLAN).for_whom is None


def test_certificates_are_compared_where_those_asked_about_stand_for_everybody() -> None:
    tables = load(texted(people(1)))
    how = {"generator": "histogram", "inside": 5, "outside": 5, "shadows": 2, "again": 0, "n_syn": 100}
    result = run_records(tables, RecordsPlan(records="random:60", certificate=True, groups=("sex",), **how))
    assert result.for_whom is not None
    assert {entry.by for entry in result.for_whom.each} == {"sex"}
    best = {person.row: person.best.auc.value for person in result.records if person.best is not None}
    sexes = people(1).sex
    for group in result.for_whom.each:
        own = [value for row, value in best.items() if sexes[row] == group.name]
        assert group.inside.value == pytest.approx(np.mean(own))
        assert group.inside.n == len(own)
    assert result.plain()["for_whom"] == plain(result.for_whom)
    assert all(entry["name"] == "" for entry in result.as_dict()["for_whom"]["each"])
    for other in (
        {"records": "top:60", "certificate": True},
        {"records": "top:30+random:30", "certificate": True},
    ):
        assert run_records(tables, RecordsPlan(**how, **other)).for_whom is None


def test_people_are_grouped_by_the_first_of_their_rows() -> None:
    real = load(texted(people(1))).real
    best = np.linspace(0.5, 0.9, 60)
    rows = np.arange(0, 240, 4)
    compared: ForWhom = by_certificates(real, rows, best, ("sex",), stream(1, "rows"), 0.95)
    sexes = people(1).sex.to_numpy()[rows]
    for entry in compared.each:
        assert entry.inside.value == pytest.approx(best[sexes == entry.name].mean())


def test_the_report_and_its_json_have_the_block(result: ReleasedResult) -> None:
    ((finding, judgement),) = judged(result.plain(), PLAN, tables=leaky())
    assert finding.for_whom is not None
    answer = Answer("released", "Released file", "", "", finding=finding, judgement=judgement)
    blocks = list(question(answer))
    place = next(n for n, block in enumerate(blocks) if block.get("text") == "For whom risk is highest")
    assert blocks[place + 1]["text"].startswith("Risk is highest for sex: Zelda")
    title, picture, table, terms = groups([answer])
    assert title["text"] == "Released file: For whom risk is highest"
    assert [block["kind"] for block in (picture, table, terms)] == ["image", "table", "terms"]
    assert table["rows"][0][0] == "sex: Zelda"
    assert "fewer than 10 people" in str(terms)
    for_whom = to_json._answer(answer)["finding"]["for_whom"]
    assert for_whom["groups"][0]["group"] == "sex: Zelda"
    assert for_whom["small"] == 1


PLANS: dict[str, Any] = {
    "singling-out": SinglingOutPlan(size=2, by=("sex", "town")),
    "linkability": LinkabilityPlan(splits=2, group=20, by=("sex", "town")),
    "reconstruction": ReconstructionPlan(secrets=("town", "job"), by=("sex", "town")),
    "attributes": AttributePlan(secrets=("job",), model="copy", groups=("sex", "town")),
}


def finding(plan: Any, tables: Tables) -> tuple[dict[str, Any], RunFinding]:
    """What is kept of a run, and what the reader of its question makes of it."""
    kept = json.loads(json.dumps(questions()[plan.question].run(tables, plan).plain()))
    return kept, judged(kept, plan, tables=tables)[0][0]


@pytest.mark.parametrize("question", PLANS)
def test_in_every_question_the_copied_group_is_at_highest_risk(question: str) -> None:
    kept, shown = finding(PLANS[question], leaky())
    compared = kept["for_whom"]
    assert compared["measure"] == GAP
    assert (compared["each"][0]["by"], compared["each"][0]["name"]) == ("sex", "Zelda")
    assert compared["each"][0]["p"] < 0.05
    assert compared["each"][0]["inside"]["value"] > 0.2
    assert compared["small"] == {"town": 1}
    block = shown.for_whom
    assert block is not None
    assert block.sentence.startswith("Risk is highest for sex: Zelda: the share of members who are found")
    assert "the test is: " in block.terms[0][1]
    assert any(row[0] == "sex: Zelda" for row in block.rows)
    public = questions()[question].result.from_plain(kept).as_dict()
    assert "Zelda" not in json.dumps(public["for_whom"]), "no value of a column is passed on"


@pytest.mark.parametrize("question", ["singling-out", "attributes"])
def test_a_release_of_strangers_puts_no_group_first(question: str) -> None:
    strangers = load(texted(people(1)), texted(people(3)), texted(people(2)))
    kept, shown = finding(PLANS[question], strangers)
    assert all(entry["p"] > 0.05 for entry in kept["for_whom"]["each"])
    assert shown.for_whom is not None
    assert shown.for_whom.sentence.startswith("No group is shown")


def copied(seed: int = 1, n: int = 300) -> Tables:
    """People of whom some stand alone by a column of many values, and the others are all alike there."""
    frame = people(seed, n)
    frame["job"] = np.where(frame.sex == "Zelda", frame.job, "none")
    frame["age"] = np.where(frame.sex == "Zelda", frame.age, 40)
    return load(texted(frame), texted(frame), texted(people(seed + 1, n)))


def test_records_are_compared_by_the_attack_that_was_played_where_there_is_no_certificate() -> None:
    plan = RecordsPlan("bayesnet", "random:80", inside=40, outside=40, shadows=20, again=0, n_syn=300, groups=("sex",))
    kept, shown = finding(plan, copied())
    compared = kept["for_whom"]
    assert (compared["measure"], compared["attack"]) == (PLAYED, "queries")
    assert compared["each"][0]["name"] == "Zelda"
    assert compared["each"][0]["p"] < 0.05
    own = {record["row"]: record["auc"] for record in kept["records"]}
    sexes = copied().real
    names = people(1, 300).sex
    for group in compared["each"]:
        aucs = [auc["value"] if isinstance(auc, dict) else auc[0] for row, auc in own.items()
                if auc is not None and names[row] == group["name"]]  # fmt: skip
        assert group["inside"]["value"] == pytest.approx(np.mean(aucs))
        assert group["inside"]["n"] == len(aucs)
    assert len(sexes) == 300
    assert shown.for_whom is not None
    assert "as it was run" in shown.for_whom.terms[0][1]


def test_targets_of_membership_are_compared_where_they_were_drawn_by_lot() -> None:
    how = {"generators": ("bayesnet",), "attacks": ("queries",), "trainings": 20, "generations": 1, "n_syn": 60}
    drawn = MembershipPlan(targets=("random",), k=24, control=False, groups=("sex",), **how)
    kept, shown = finding(drawn, copied(n=60))
    compared = kept["for_whom"]
    assert compared["measure"] == PLAYED
    assert sum(entry["inside"]["n"] for entry in compared["each"]) == 24 or compared["small"]
    assert shown.for_whom is not None
    few = MembershipPlan(targets=("random",), k=3, control=False, **how)
    block = finding(few, copied(n=60))[1].for_whom
    assert block is not None
    assert block.sentence == "No groups are compared: no column has two groups of at least 10 people asked about."
    assert block.chart() is None
    for other in ({"k": 1}, {"k": 3, "together": True}, {"k": 3, "targets": ("vulnerable",)}):
        plan = MembershipPlan(**{"targets": ("random",), "control": False, **how, **other})
        assert "for_whom" not in finding(plan, copied(n=60))[0]


def test_audit_rows_of_one_run_are_compared_within_their_groups() -> None:
    kept, shown = finding(OneRunPlan("bootstrap", rows=200, groups=("sex", "town")), copied(n=500))
    compared = kept["for_whom"]
    assert compared["measure"] == "attack"
    rows = kept["scores"]
    sexes = people(1, 500).sex
    for group in compared["each"]:
        if group["by"] == "sex":
            own = [row for row in rows if sexes[row["row"]] == group["name"]]
            inside, outside = ([score["value"] for score in own if score["is_in"] is side] for side in (True, False))
            above = np.mean([(a > b) + (a == b) / 2 for a in inside for b in outside])
            assert group["inside"]["value"] == pytest.approx(above)
    assert shown.for_whom is not None
    made = finding(OneRunPlan("histogram", rows=100, made=True), copied(n=300))[0]
    assert "for_whom" not in made, "made-up rows are nobody's"


def test_victims_of_explanations_are_compared_beyond_one_guess_for_everybody() -> None:
    table = people(1, 400)
    plan = ExplanationPlan(model_seeds=1, model="linear", auxiliary=(60,), victims=80, groups=("sex",))
    kept, shown = finding(plan, load(texted(table)))
    compared = kept["for_whom"]
    assert compared["measure"] == GAIN
    assert {entry["by"] for entry in compared["each"]} == {"sex"}
    assert sum(entry["inside"]["n"] for entry in compared["each"]) == 80
    assert shown.for_whom is not None
    assert "less that of one guess for everybody" in shown.for_whom.terms[0][1]


@pytest.mark.parametrize("question", [*PLANS, "membership", "one-run", "records", "explanations"])
def test_columns_to_compare_by_are_checked_before_anything_is_spent(question: str) -> None:
    known = questions()[question]
    name = "by" if question in PLANS and question != "attributes" else "groups"
    with pytest.raises(DesignError):
        known.run(leaky(), known.plan(**{name: ("nothing",)}))
    assert getattr(known.plan(**{name: ("sex", "age")}).without(("sex",)), name) == ("age",)


def test_people_count_once_and_people_of_equal_rows_together() -> None:
    """Counted by hand: 24 people of two rows, of which one is hit; then five people of one row, two of another."""
    row = np.arange(48)
    real = of_categories([row % 2, row])
    person = row // 4 * 2 + row % 2  # two people take turns: rows 0 and 2 are of person 0
    first, mean, people_each = SideRows.take(real, row, (row % 4 < 2).astype(float), person).records()
    assert len(first) == 24
    assert mean.tolist() == [0.5] * 24
    assert people_each.tolist() == [1] * 24
    alike = of_categories([np.array([0, 0, 0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 1, 1, 2, 2, 3])])
    side = SideRows.take(alike, np.arange(8), np.array([1.0, 1, 1, 1, 1, 0, 0, 1]), None)
    _, mean, people_each = side.records()
    assert sorted(zip(people_each.tolist(), mean.tolist(), strict=True)) == [(1, 1.0), (2, 0.0), (5, 1.0)]


def test_a_difference_of_shares_counted_by_hand() -> None:
    row = np.arange(60)
    real, holdout = (of_categories([(row >= 30).astype(int), town]) for town in (row, row[::-1]))
    inside = ((row < 12) | (row >= 57)).astype(float)
    outside = ((row < 3) | (row >= 57)).astype(float)
    sides = [
        SideRows(table, row, hit, Whose.group(table.keys())) for table, hit in ((real, inside), (holdout, outside))
    ]
    by = real.schema.modelled[0].name
    compared = by_hits(sides[0], sides[1], "look", (by,), stream(1, "hand"), 0.95)
    value = {entry.place: (entry.inside.value, entry.excess.value, entry.inside.n) for entry in compared.each}
    assert value[1] == pytest.approx((0.3, 0.3, 60))
    assert value[2] == pytest.approx((0.0, -0.3, 60))


def strangers() -> Tables:
    """A release of other people than anybody who is asked about."""
    return load(texted(people(1)), texted(people(3)), texted(people(2)))


@pytest.mark.parametrize("question", ["singling-out", "linkability", "reconstruction"])
@pytest.mark.parametrize("is_leaky", [True, False])
def test_members_beside_others_have_the_chance_of_their_labels_dealt_anew(question: str, is_leaky: bool) -> None:
    plan, tables = PLANS[question], leaky() if is_leaky else strangers()
    kept = json.loads(json.dumps(questions()[question].run(tables, plan).plain()))
    measured = judged(kept, plan, tables=tables)[0][0].measured
    assert measured.strongest is not None
    if measured.strongest.value > 0:
        assert measured.p(0.0) == min(look["p"] for look in kept["shown"])
    assert (measured.p(0.0) <= 0.025) is is_leaky is (measured.strongest.low > 0)
    if is_leaky:
        assert measured.p(measured.strongest.low) == pytest.approx(0.025), "at a limit its interval tells"
        assert measured.p(measured.strongest.low / 2) < 0.02
