"""The released file alone on the Membership page: every state it can be in, with results that were really played."""

import json
import re
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.dashboard.frame import state
from riskkit.jobs.store import Audit
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.result import ReleasedResult
from tests.pages.runs import changed, finished, started
from tests.pages.screens import csv, field, healthy, labels, loaded, opened, shown

PAGE = "pages/2_membership.py"
PLAN = ReleasedPlan(attacks=("dcr", "dcr-diff"))
ROWS = 240
key = partial(field, "released")
"""A job that stands in every table."""


@pytest.fixture
def audit() -> Audit:
    """A release that gives nobody away, with a holdout; nothing run yet."""
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 2), holdout=csv(ROWS, 1))


def page(audit: Audit) -> AppTest:
    """The page with that question asked."""
    return healthy(opened(audit, PAGE, question="released"))


# --------------------------------------------------------------------------------------------------------------
# Before


def test_the_switch_turns_from_one_question_to_the_other(audit: Audit) -> None:
    screen = healthy(opened(audit, PAGE))
    assert "Set up a game" in shown(screen)
    screen.button_group(key="membership.question").set_value("released").run()
    assert "Set up the attacks" in shown(healthy(screen))
    assert "Set up a game" not in shown(screen)
    assert screen.query_params["question"] in ("released", ["released"])


def test_the_question_in_the_address_is_the_one_that_is_shown(audit: Audit) -> None:
    assert "Set up the attacks" in shown(page(audit))


def test_a_link_turns_the_page_that_was_seen_before_to_its_question(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = healthy(opened(audit, PAGE))
    assert "Set up a game" in shown(screen)
    screen.query_params["question"] = "released"
    assert "Set up the attacks" in shown(healthy(screen.run()))
    screen.button_group(key="membership.question").set_value("membership").run()
    assert "Set up a game" in shown(healthy(screen))
    del screen.query_params["question"]
    screen.query_params["run"] = run.id
    assert "All numbers" in [fold.label for fold in healthy(screen.run()).expander]
    del screen.query_params["question"], screen.query_params["run"]
    assert "Set up the attacks" in shown(healthy(screen.run())), "the menu leads to what was seen last"


def test_the_run_in_the_address_says_which_question_it_is(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = healthy(opened(audit, PAGE, run=run.id))
    assert "All numbers" in [fold.label for fold in screen.expander]
    assert "Set up the attacks" in shown(screen)


def test_the_form_starts_at_the_defaults_of_a_plan(audit: Audit) -> None:
    screen = page(audit)
    menu = screen.multiselect(key=key(audit, "released"))
    assert menu.value == list(ReleasedPlan().attacks)
    assert menu.options == [plugin.title for plugin in registry.plugins("released").values()]
    assert screen.selectbox(key=key(audit, "compared")).value == ReleasedPlan().reference == "cross"
    assert not [slider for slider in screen.slider if slider.key == key(audit, "reference")]
    assert "Example: in 75 % of pairs" in shown(screen)


@pytest.mark.usefixtures("timed")
def test_before_it_runs_it_says_what_it_could_show_and_how_long_it_takes(audit: Audit) -> None:
    screen = page(audit)
    match = re.search(r"239 members' records and 239 of others: with \d+ attacks, a true AUC of", shown(screen))
    assert match
    assert "This takes **about" in shown(screen)


def test_more_people_set_aside_leave_fewer_to_count(audit: Audit) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "compared")).set_value("aside").run()
    assert "239 members' records and 119 of others" in shown(healthy(screen))
    screen.slider(key=key(audit, "reference")).set_value(0.75).run()
    assert "239 members' records and 59 of others" in shown(healthy(screen))


def test_a_setting_of_an_attack_goes_into_the_plan(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.multiselect(key=key(audit, "released")).set_value(["dpi"]).run()
    screen.number_input(key=key(audit, "released", "dpi", "k")).set_value(7)
    assert started(screen, audit, "released", monkeypatch).attacks == ("dpi:k=7",)


def test_too_small_a_holdout_is_a_sentence_before_it_runs() -> None:
    screen = page(loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 2), holdout=csv(4, 1)))
    assert any("records" in error.value for error in screen.error)


# --------------------------------------------------------------------------------------------------------------
# After


def test_members_as_the_release_are_a_leak_shown() -> None:
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0), holdout=csv(ROWS, 1))
    finished(audit, PLAN)
    screen = page(audit)
    assert "▲ Leak shown" in shown(screen)
    assert re.search(
        r"From the released file alone, an attacker who sees one member and one person outside the data picks the "
        r"right one in (over )?\d+ % \[\d+ %, (over )?\d+ %\] of cases \(chance 50 %; 478 records\)\.",
        shown(screen),
    )
    away = "This release exposes people: "
    (banner,) = [text.value for text in screen.markdown if away in text.value]
    assert (
        "its rows stand in the order of the real table, it copies real rows and values that real people alone have "
        "stand in it." in banner
    )
    assert "The order of the rows reveals who is who" not in shown(screen), "the box has it in fewer words"
    assert "Distances and attacks disagree" not in [box.proto.title for box in screen.info]
    assert state.mark("membership", audit) == state.DONE


def test_a_result_has_its_pictures_tables_and_the_panel_that_does_not_judge(audit: Audit) -> None:
    finished(audit, PLAN)
    screen = page(audit)
    assert len(screen.get("plotly_chart")) == 6
    values = [frame.value for frame in screen.dataframe]
    (numbers,) = [value for value in values if "attack" in value]
    (base,) = [value for value in values if "before" in value]
    assert list(numbers["attack"]) == [registry.plugins("released")[name].title for name in PLAN.attacks]
    assert all("[" in cell for column in ("auc", "control") for cell in numbers[column])
    assert list(base["before"]) == ["50 %", "10 %", "1 %"]
    assert "This describes, it does not judge." in shown(screen)
    assert "Without the release, a classifier tells" in shown(screen)
    assert any(fold.label.startswith("Planted leak: ") for fold in screen.expander)


def test_another_attack_and_other_axes_can_be_looked_at(audit: Audit) -> None:
    finished(audit, PLAN)
    screen = page(audit)
    other = 1 - int(screen.selectbox(key="released.attack").value)
    before = screen.get("plotly_chart")[1].proto.spec
    assert '"type":"log"' in before
    screen.toggle(key="released.log").set_value(False)
    screen.selectbox(key="released.attack").set_value(other).run()
    after = healthy(screen).get("plotly_chart")[1].proto.spec
    assert '"type":"log"' not in after
    assert after != before


def test_a_holdout_of_other_people_blocks_the_verdict() -> None:
    """Planted: the holdout has jobs that nobody in the real table has, so anything tells the sides apart."""
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 2), holdout=csv(ROWS, 1).replace(b"baker", b"miner"))
    finished(audit, PLAN)
    screen = page(audit)
    assert shown(screen).count("can be distinguished without the release") == 1, "why it is undecided"
    assert "Load a holdout drawn from the same people" in shown(screen)
    assert "◌ Undecided" in shown(screen)
    assert "▲ Leak shown" not in shown(screen)


def test_without_a_holdout_it_says_what_can_be_said_and_what_cannot() -> None:
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0))
    finished(audit, PLAN)
    screen = page(audit)
    assert "◌ Undecided" in shown(screen)
    assert shown(screen).count("Without a holdout nothing can be said about membership") == 1
    assert "rows of the real table stand in the release as they are" in shown(screen)
    assert "cannot be said without a holdout" in shown(screen)
    assert "No holdout is loaded" in shown(screen)
    assert "AUC" not in shown(screen).replace("rule out", "")
    assert "Run" in labels(screen)


def test_what_is_downloaded_has_no_score_of_a_single_record(audit: Audit) -> None:
    """Planted: the kept result does have them, so leaving the filter out is seen."""
    result = finished(audit, PLAN).result
    assert result["scores"]
    passed_on = ReleasedResult.from_plain(result).as_dict()
    assert "scores" not in passed_on
    assert '"row":' not in json.dumps(passed_on)
    assert '"is_in"' not in json.dumps(passed_on)
    assert {"estimates", "panel", "settings", "control", "blind"} <= set(passed_on)
    assert page(audit).get("download_button")


def test_distances_that_look_fine_beside_a_leak_are_called_out() -> None:
    """The distances are put in by hand: a release that only an attack sees through."""
    audit = loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 0), holdout=csv(ROWS, 1))
    run = finished(audit, PLAN)
    result = run.result
    result["panel"]["nearer_to_real"] |= {"value": 0.5, "low": 0.44, "high": 0.56}
    changed(run, result=result)
    screen = page(audit)
    assert "Distances and attacks disagree" in [box.proto.title for box in screen.info]
    assert re.search(
        r"Distances look fine, yet an attacker reaches an AUC of (1\.00|0\.9\d) \[0\.\d\d, ", shown(screen)
    )
