"""For whom risk is highest, in every question that has people: a leak of one group is found, and nobody is made up."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.games.bags import Whose
from riskkit.questions import questions
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.for_whom import SideRows, by_hits
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.singling_out.play import SinglingOutPlan
from riskkit.seeds import stream
from riskkit.show.for_whom import GAIN, GAP, PLAYED
from riskkit.show.model import RunFinding
from riskkit.table.load import Tables, load
from tests.judged import judged
from tests.questions.records.fuzzed import of_categories
from tests.questions.test_for_whom import leaky, people, texted

PLANS: dict[str, Any] = {
    "singling-out": SinglingOutPlan(size=2, by=("sex", "town")),
    "linkability": LinkabilityPlan(splits=2, group=20, by=("sex", "town")),
    "reconstruction": ReconstructionPlan(secrets=("town", "job"), by=("sex", "town")),
    "attributes": AttributePlan(secrets=("job",), model="copy", groups=("sex", "town")),
}


def finding(plan: Any, tables: Tables) -> tuple[dict[str, Any], RunFinding]:
    """What is kept of a run, and what the reader of its question makes of it."""
    kept = json.loads(json.dumps(questions()[plan.question].play(tables, plan)))
    return kept, judged(kept, plan, tables=tables)[0][0]


@pytest.mark.parametrize("question", PLANS)
def test_the_group_whose_rows_were_copied_is_at_highest_risk(question: str) -> None:
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
    public = questions()[question]
    assert "for_whom" in public.private or question == "attributes"


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
        known.play(leaky(), known.plan(**{name: ("nothing",)}))
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
