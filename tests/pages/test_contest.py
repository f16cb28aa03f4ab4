"""The Contest page in every state it can be in, with contests that were really played."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.contest_plan import SUITE, ContestPlan
from riskkit.audit.store import Audit
from riskkit.dashboard import contest, state
from tests.pages.runs import ended, faked, finished, started, worker_outlives_test
from tests.pages.screens import csv, field, healthy, labels, loaded, opened, press, shown, unmarked

PAGE = "pages/6_contest.py"
ROWS = 300
key = partial(field, "contest")
PLAN = ContestPlan(
    anonymisers=("identity", "stat"), attackers=("distance", "two-sided"), source="people", guesses=30, rules="none"
)


@pytest.fixture(autouse=True)
def _untimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "CHEAP_CELLS", 0)  # nothing is timed on its own, but where a test says so


@pytest.fixture
def audit() -> Audit:
    """A copy of the members as the release, with a holdout; nothing played yet."""
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0), holdout=csv(ROWS, 1))


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


def test_without_a_real_table_the_page_says_what_it_needs() -> None:
    at = page(loaded(synthetic=csv(ROWS, 0)))
    assert "This page needs the real table" in shown(at)


def test_the_form_starts_with_the_people_and_the_release_among_them(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = page(audit)
    assert "No contest has been played yet" in shown(at)
    assert "guessing finds 50.0" in shown(at), "100 of 600 people, half of whom were in"
    assert "How long it takes is not known yet" in shown(at)
    plan = started(at, audit, "contest", monkeypatch)
    assert (plan.source, plan.attackers, plan.rounds) == ("people", SUITE, 1)
    assert plan.anonymisers[:2] == ("stat", "kanonymity")
    assert plan.anonymisers[2:] == ("pram:p=0.5", "pram:p=0.7", "pram")


def test_a_made_population_has_sizes_rounds_and_rules(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    at = page(audit)
    at.selectbox(key=key(audit, "source")).set_value("stat").run()
    assert at.number_input(key=key(audit, "stat", "population")).value == 10 * ROWS
    at.number_input(key=key(audit, "stat", "sample")).set_value(200)
    at.number_input(key=key(audit, "guesses")).set_value(40)
    at.selectbox(key=key(audit, "rounds")).set_value(5)
    at.selectbox(key=key(audit, "rules")).set_value("final")
    at.multiselect(key=key(audit, "released")).set_value(["contest", "dpi"])
    at.text_area(key=key(audit, "written")).set_value("rounding:base=20|noise\nstat").run()
    plan = started(healthy(at), audit, "contest", monkeypatch)
    assert (plan.source, plan.population, plan.sample, plan.guesses) == ("stat", 3000, 200, 40)
    assert (plan.rounds, plan.rules, plan.attackers) == (5, "final", ("distance", "dpi"))
    assert plan.anonymisers == ("stat", "kanonymity", "rounding:base=20.0|noise")


def test_a_chain_is_made_in_the_form(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    at = page(audit)
    at.selectbox(key=f"{key(audit, 'generators', 'kanonymity')}.then").set_value("rounding").run()
    plan = started(healthy(at), audit, "contest", monkeypatch)
    assert plan.anonymisers[1] == "kanonymity|rounding"


def test_it_is_timed_before_it_runs(audit: Audit) -> None:
    at = page(audit)
    at.multiselect(key=key(audit, "generators")).set_value(["stat"])
    at.multiselect(key=key(audit, "released")).set_value(["contest"])
    at.text_area(key=key(audit, "written")).set_value("").run()
    press(at, key(audit, "estimate"))
    assert "This takes **" in shown(healthy(at))
    assert "2 releases, each shown to 1 attacker" in shown(at), "the loaded release takes part"


@pytest.mark.parametrize(
    ("written", "says"),
    [("magic:p=1", "no 'magic' in generators"), ("pram:p=7", "p"), ("pram:p={0.5/7}", "p")],
)
def test_what_makes_no_plan_is_a_sentence_and_nothing_can_be_run(audit: Audit, written: str, says: str) -> None:
    at = page(audit)
    at.text_area(key=key(audit, "written")).set_value(written).run()
    assert any(says in unmarked(box.value) for box in healthy(at).error)
    assert at.button(key=key(audit, "run")).disabled


def test_nobody_who_attacks_is_a_sentence(audit: Audit) -> None:
    at = page(audit)
    at.multiselect(key=key(audit, "released")).set_value([]).run()
    assert "Choose at least one attacker" in shown(healthy(at))
    assert at.button(key=key(audit, "run")).disabled


def test_without_a_holdout_the_release_cannot_take_part_and_the_page_says_so() -> None:
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0))
    at = page(audit)
    assert "only beside people who were not in" in shown(at)
    assert at.selectbox(key=key(audit, "source")).value == "stat"


def test_a_running_contest_shows_stage_and_a_way_to_stop(audit: Audit) -> None:
    faked(audit, "running", PLAN, stage="Releases and attacks", done=2, total=8, seconds_left=12.0)
    at = page(audit)
    (bar,) = at.get("progress")
    assert bar.proto.text == "2 of 8 releases done · about 12 seconds left"
    assert "Cancel" in labels(at)
    assert state.mark("contest", audit) == state.BUSY


def test_a_failed_contest_says_why_and_the_way_on(audit: Audit) -> None:
    faked(audit, "failed", PLAN, error="Nothing takes part in the contest.")
    at = page(audit)
    assert "Nothing takes part in the contest" in shown(at)
    assert "Try again" in labels(at)


def test_a_copy_is_a_leak_and_stands_on_the_frontier_as_your_release(audit: Audit) -> None:
    run = finished(audit, PLAN)
    at = page(audit)
    text = unmarked(shown(at))
    assert "▲ Leak shown" in text
    assert "Your release sits at a usefulness of 1.000; the best attacker finds 30 [" in text
    assert "Guessing finds 15.0 of 30 named rows (300 of 600 people were in)" in text
    matrix, frontier = (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    (cells,) = matrix["data"]
    assert [row[-1].startswith("▲ 30<br>[") for row in cells["text"]] == [True, True, False]
    assert any("your release" in str(trace.get("text")) for trace in frontier["data"])
    assert state.mark("contest", audit) == state.DONE
    assert "python -m riskkit contest --base real.csv --synthetic synthetic.csv --holdout" in at.code[0].value
    assert run.result["anonymisers"][0]["uploaded"]


def test_every_number_of_hits_and_points_has_its_interval(audit: Audit) -> None:
    finished(audit, PLAN)
    standings, hits, useful = (frame.value for frame in page(audit).dataframe)
    assert list(standings["anonymiser"]) == ["your release", "identity", "stat"]
    assert standings["points"][0].startswith("0 [0, ")
    for column in ("hits", "points"):
        assert all("[" in cell for cell in standings[column])
    assert all("[" in cell for name in ("distance", "two-sided") for cell in hits[name])
    assert useful["your release"][0] == "1.000"


def test_rounds_give_usefulness_its_interval(audit: Audit) -> None:
    plan = replace(
        PLAN, source="base", population=300, sample=60, rounds=5, attackers=("distance",), anonymisers=("stat",)
    )
    finished(audit, plan)
    *_, useful = (frame.value for frame in page(audit).dataframe)
    assert all("[" in cell for cell in useful["stat"])


def test_what_misses_a_threshold_is_named(audit: Audit) -> None:
    finished(audit, replace(PLAN, rules="final"))
    standings = page(audit).dataframe[0].value
    assert list(standings["part"])[:2] == ["yes", "yes"]
    assert standings["part"][2].startswith("no: ")


def test_another_usefulness_can_be_looked_at(audit: Audit) -> None:
    finished(audit, PLAN)
    at = page(audit)
    before = at.get("plotly_chart")[1].proto.spec
    at.selectbox(key="contest.measure").set_value("correlation").run()
    assert healthy(at).get("plotly_chart")[1].proto.spec != before


def test_what_refused_is_in_the_notes(audit: Audit) -> None:
    refused = "kanonymity:columns=all,numbers=True,k=50"
    finished(audit, replace(PLAN, anonymisers=("stat", refused), attackers=("distance",)))
    assert "was not played" in unmarked(shown(page(audit)))


def test_results_of_earlier_data_are_called_so(audit: Audit) -> None:
    finished(audit, PLAN)
    audit.load("synthetic", csv(ROWS, 9), name="synthetic.csv")
    assert "earlier version of the data" in shown(page(audit))


@worker_outlives_test
def test_one_contest_from_the_form_to_the_sentence(audit: Audit) -> None:
    at = page(audit)
    at.multiselect(key=key(audit, "generators")).set_value(["stat"])
    at.multiselect(key=key(audit, "released")).set_value(["contest"])
    at.text_area(key=key(audit, "written")).set_value("").run()
    press(at, key(audit, "run"))
    (run,) = audit.runs("contest")
    assert ended(run) == "finished"
    at.run()
    assert healthy(at).subheader[0].value.startswith("Your release sits at a usefulness of")


def test_a_release_that_misleads_the_nearest_record_is_called_evasion() -> None:
    """Planted: the release is made of people who were not in, so whoever looks for near rows names them."""
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 1), holdout=csv(ROWS, 1))
    finished(audit, replace(PLAN, anonymisers=("identity",), attackers=("distance",)))
    at = page(audit)
    assert "distance finds fewer than guessing would: the release keeps away" in unmarked(shown(at))
    (cells,) = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert [row[0].split("<br>")[0] for row in cells["text"]] == ["▽ 0", "▲ 30"]
