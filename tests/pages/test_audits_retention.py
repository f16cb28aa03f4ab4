"""The Audits page: two runs beside each other, and what is kept for how long."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit, Store
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from tests.pages.runs import changed, faked, finished
from tests.pages.screens import AUDIT, csv, healthy, loaded, opened, press, shown

PAGE = "pages/8_audits.py"
PLAN = MembershipPlan(trainings=12)


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(), synthetic=csv(seed=1))


def page(audit: Audit, **query: str) -> AppTest:
    return healthy(opened(audit, PAGE, **query))


# --------------------------------------------------------------------------------------------------------------
# Two runs


def test_two_runs_stand_side_by_side_with_what_differs(audit: Audit) -> None:
    left, right = (
        finished(audit, PLAN, run="a" * 32),
        finished(audit, replace(PLAN, seed=2, trainings=14), run="b" * 32),
    )
    screen = page(audit)
    text = shown(screen)
    assert "differs by more than the two intervals allow" in text or "the two intervals lie apart" in text
    assert {screen.query_params["left"], screen.query_params["right"]} == {
        f"{audit.id}-{run.id}" for run in (left, right)
    }
    tables = [frame.value for frame in screen.dataframe]
    numbers, settings = tables[-2], tables[-1]
    assert {"A", "B", "N of A", "N of B"} <= set(numbers.columns)
    assert sorted(settings["setting"]) == ["Seed", "Trainings"]
    screen.selectbox(key="audits.compare.measure.membership").set_value("auc").run()
    assert "AUC" in shown(healthy(screen))


def test_the_address_says_which_two(audit: Audit) -> None:
    runs = [finished(audit, replace(PLAN, seed=seed), run=str(seed) * 32) for seed in (1, 2, 3)]
    left, right = f"{audit.id}-{runs[0].id}", f"{audit.id}-{runs[2].id}"
    screen = page(audit, left=left, right=right)
    assert (screen.selectbox(key="audits.compare.left").value, screen.selectbox(key="audits.compare.right").value) == (
        left,
        right,
    )


def test_runs_of_two_questions_are_not_compared(audit: Audit) -> None:
    faked(audit, "finished", PLAN, run="a" * 32)
    faked(audit, "finished", AttributePlan(), run="b" * 32)
    assert "There are no two such runs yet" in shown(page(audit))


# --------------------------------------------------------------------------------------------------------------
# What is kept


def test_the_age_is_chosen_and_kept(audit: Audit) -> None:
    screen = page(audit)
    assert screen.selectbox(key="audits.age").value == 0
    screen.selectbox(key="audits.age").set_value(30).run()
    assert Store.default().retention == 30
    assert page(audit).selectbox(key="audits.age").value == 30
    screen.selectbox(key="audits.age").set_value(0).run()
    assert Store.default().retention is None


def test_what_is_older_than_the_age_goes_when_somebody_comes(audit: Audit) -> None:
    store = Store.default()
    long_ago = (datetime.now(UTC) - timedelta(days=40)).isoformat(timespec="seconds")
    audit.change(files={slot: {**facts, "loaded": long_ago} for slot, facts in audit.files.items()})
    assert "real" in audit.files
    store.keep_for(30)
    screen = opened(audit, AUDIT)
    assert audit.files == {}
    screen = healthy(screen.switch_page(PAGE).run())
    assert "files removed, " in shown(screen)


def test_purging_now_removes_files_and_leaves_estimates(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = page(audit)
    screen.number_input(key="audits.purge_days").set_value(0).run()
    press(screen, "audits.purge")
    text = shown(healthy(screen))
    assert "Purged what is older than 0 days" in text
    assert audit.files == {}
    assert run.result["purged"]
    assert "It waits for the files" not in text
    (line,) = Store.default().receipts()
    assert "real.upload" in line
    result = healthy(opened(audit, "pages/2_membership.py"))
    assert not result.exception


def test_a_result_without_scores_shows_its_estimates(audit: Audit) -> None:
    run = finished(audit, PLAN)
    left = {name: value for name, value in run.result.items() if name != "scores"}
    changed(run, result={**left, "purged": True})
    screen = healthy(opened(audit, "pages/2_membership.py"))
    assert "scores of single records were deleted because of their age" in "\n".join(box.value for box in screen.info)
    assert "Right answers" in json.dumps(screen.dataframe[0].value.to_dict("list"), default=str)
