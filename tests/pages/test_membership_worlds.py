"""Worlds, knowledge, comparisons, bounds and studies on the Membership page."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.audit.studies import names
from riskkit.jobs.store import Audit
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.read.csv_text import read_csv
from tests.pages.membership import key, page, people, stays, text
from tests.pages.runs import changed, finished
from tests.pages.screens import healthy, press

PLAN = MembershipPlan(generators=("privbayes",), trainings=12, generations=2, n_syn=120, relation="replace-one")


@pytest.fixture
def audit() -> Audit:
    """Real and released people; no run yet."""
    return stays("stat")


def test_the_worlds_are_those_of_a_plain_plan_until_they_are_changed(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[MembershipPlan] = []
    monkeypatch.setattr("riskkit.dashboard.frame.run_view.start", lambda _, plan: started.append(plan))
    screen = page(audit)
    hints = [markdown.help for markdown in screen.markdown]
    assert any("they would show that ε is at least 0.81, and never more" in hint for hint in hints)
    press(screen, key(audit, "run"))
    assert not {"worlds", "relation", "knowledge", "rows", "auxiliary"} & started[0].changes().keys()


@pytest.mark.usefixtures("timed")
def test_worlds_drawn_anew_leave_only_the_knowledge_that_there_can_be(audit: Audit) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "worlds")).select("resampled").run()
    assert screen.selectbox(key=key(audit, "knowledge", "resampled")).options == ["Other people of the population"]
    healthy(screen)
    assert "MVL attack needs the real table" in text(screen)
    screen.multiselect(key=key(audit, "attacks")).set_value(["neighbour"]).run()
    assert "This takes **about" in text(healthy(screen))


@pytest.mark.usefixtures("timed")
def test_of_random_halves_attackers_know_what_each_attack_can(audit: Audit) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "worlds")).select("halves").run()
    assert screen.selectbox(key=key(audit, "knowledge", "halves")).options == ["As each attack says"]
    assert "fewer than 5 are left to count" in text(healthy(screen))
    screen.multiselect(key=key(audit, "attacks")).set_value(["neighbour"]).run()
    screen.number_input(key=key(audit, "trainings")).set_value(40).run()
    assert "This takes **about" in text(healthy(screen))


def test_a_result_of_random_halves_says_so(audit: Audit) -> None:
    plan = MembershipPlan(
        generators=("histogram",), attacks=("neighbour:own=3",), trainings=20, n_syn=120, worlds="halves", control=False
    )
    finished(audit, plan)
    shown = text(healthy(page(audit)))
    assert "each time on a random half of the people, and put out 60 rows" in shown
    assert "14 were counted" in shown


def test_with_a_holdout_no_share_of_the_table_is_asked_for(audit: Audit) -> None:
    audit.put("holdout", read_csv(people(2), name="holdout.csv"))
    screen = page(audit)
    screen.selectbox(key=key(audit, "knowledge", "fixed")).select("auxiliary").run()
    assert not [slider for slider in screen.slider if "Share of the table" in slider.label]


def test_a_result_of_resampled_worlds_says_so(audit: Audit) -> None:
    plan = MembershipPlan(
        attacks=("neighbour:own=3",),
        trainings=12,
        generations=1,
        n_syn=120,
        worlds="resampled",
        knowledge="auxiliary",
        control=False,
    )
    finished(audit, plan)
    shown = text(healthy(page(audit)))
    assert "Knowing other people of the same population" in shown
    assert (
        "The data sets compared (resampled, add-one) hold 30 rows with the target, other people in every training"
        in shown
    )
    assert "--worlds resampled --knowledge auxiliary" in shown


def test_attacks_are_compared_and_the_promise_of_the_method_is_beside_them(audit: Audit) -> None:
    finished(audit, PLAN)
    screen = healthy(page(audit))
    shown = text(screen)
    assert "On the same releases" in [fold.label for fold in screen.expander]
    assert "0.00 is no difference; 12 trainings" in shown
    assert "No attack has an AUC above 0.731" in shown
    readings = next(table.value for table in screen.dataframe if "reading" in table.value)
    each = [reading.partition(": ")[::2] for reading in readings["reading"]]
    assert len(set(each)) == len(each) == 3 * len({attack for _, attack in each})
    assert {cut for cut, _ in each} == {"At the attack's own cut", "At the best of several cuts", "Bayesian interval"}


def test_a_broken_promise_is_an_error_on_the_page(audit: Audit) -> None:
    """Planted: the scores of a run on PrivBayes, set apart as no method of epsilon 1 could."""
    run = finished(audit, replace(PLAN, trainings=60, generations=1))
    result = run.result
    for scores in result["scores"]:
        scores["value"] = [9.0 + index / 99 if is_in else index / 99 for index, is_in in enumerate(scores["is_in"])]
    for e in result["estimates"]:
        if e["name"] == "auc":
            e.update(value=1.0, low=0.93, high=1.0)
    changed(run, result=result)
    screen = healthy(page(audit))
    assert any("does not keep its promise" in error.value for error in screen.error)


def test_several_records_are_named_only_after_looking_at_all(audit: Audit) -> None:
    plan = MembershipPlan(attacks=("neighbour:own=2",), k=3, trainings=12, generations=1, n_syn=120, control=False)
    finished(audit, plan)
    assert "of 3 records" in text(healthy(page(audit)))


def test_runs_of_groups_make_a_curve_over_their_size(audit: Audit) -> None:
    plan = MembershipPlan(
        attacks=("neighbour:own=2",), together=True, trainings=12, generations=1, n_syn=120, control=False
    )
    for size, run in ((1, "a"), (4, "b")):
        finished(audit, replace(plan, k=size), run=run * 32)
    assert "in these runs" in text(healthy(page(audit))) or "however many targets" in text(page(audit))


def test_the_histogram_takes_the_place_of_the_releases(audit: Audit) -> None:
    finished(audit, PLAN)
    screen = page(audit)
    screen.toggle(key="membership.bars").set_value(True).run()
    healthy(screen)


def test_a_study_is_read_and_started_from_the_page(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[MembershipPlan] = []
    monkeypatch.setattr("riskkit.dashboard.frame.run_view.start", lambda _, plan: started.append(plan))
    screen = page(audit)
    assert tuple(screen.selectbox(key=key(audit, "study")).options) == names(question="membership")
    screen.selectbox(key=key(audit, "study")).select("table5").run()
    screen.selectbox(key=key(audit, "study", "table5")).select("50 targets").run()
    shown = text(healthy(screen))
    assert "its 5 trainings could not tell it from guessing" in shown
    press(screen, key(audit, "study", "play"))
    assert (started[0].k, started[0].together) == (50, True)
    assert np.isclose(started[0].trainings, 60)
    assert "hindsight" not in shown
    screen.selectbox(key=key(audit, "study")).select("table3").run()
    shown = text(healthy(screen))
    assert "own=25, a setting chosen in hindsight on the releases that are counted: 0.686" in shown
