"""How the release was made: asked on the page Report, kept with the audit, and what it turns into verdicts."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit import sample
from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.standard import provenance
from riskkit.report import texts
from tests.pages.runs import finished, started
from tests.pages.screens import (
    DATA,
    csv,
    drop,
    healthy,
    hints,
    loaded,
    of_question,
    opened,
    press,
    shown,
    unmarked,
    verdicts,
)

REPORT, MEMBERSHIP = "pages/7_report.py", "pages/2_membership.py"
PLAN = MembershipPlan(("stat:post=none", "histogram"), trainings=12, generations=1, n_syn=120)
STAT, HISTOGRAM = "Mean and covariance (OMTH17)", "Independent columns (histogram)"


@pytest.fixture
def audit() -> Audit:
    """A release that nobody said how it was made; nothing run yet."""
    return loaded(real=csv(120, 1), synthetic=csv(120, 3), holdout=csv(60, 2))


def report(audit: Audit) -> AppTest:
    """The page Report in a session of its own."""
    return healthy(opened(audit, REPORT))


def key(audit: Audit, *parts: str) -> str:
    """The key of a control of the question."""
    return ".".join(("provenance", audit.id, *parts))


def fold(screen: AppTest) -> str:
    """The question with its answer, as the fold says them."""
    (label,) = [
        expander.label for expander in screen.expander if expander.label.startswith("How was the release made?")
    ]
    return unmarked(label).removeprefix("How was the release made? ")


def keep(screen: AppTest, audit: Audit) -> AppTest:
    """Press *Keep this answer*, below the settings of a method."""
    assert not screen.button(key=key(audit, "settings")).disabled
    return healthy(press(screen, key(audit, "settings")))


def choose(screen: AppTest, audit: Audit, method: str) -> AppTest:
    """Choose that method on the menu: the answer with its usual settings."""
    return healthy(screen.selectbox(key=key(audit, "menu")).set_value(method).run())


def test_what_ifs_turn_into_a_verdict_when_somebody_says_how_it_was_made(audit: Audit) -> None:
    finished(audit, replace(PLAN, generators=("stat", "histogram")))
    screen = report(audit)
    assert fold(screen) == "Not answered."
    assert "Every question that was asked is about a method" in shown(screen)
    assert texts.WHAT_IF in shown(screen)
    page = healthy(opened(audit, MEMBERSHIP))
    assert f"If it had been made by {STAT}" in shown(page)
    assert "red" not in dict(verdicts(page)), "no what-if is red"
    choose(screen, audit, "stat")
    assert audit.provenance == Provenance("stat")
    assert fold(screen) == STAT
    assert texts.WHAT_IF not in shown(screen)
    page = healthy(opened(audit, MEMBERSHIP))
    assert f"If it had been made by {STAT}" not in shown(page)
    assert any(
        unmarked(expander.label).startswith(f"If it had been made by {HISTOGRAM}: ") for expander in page.expander
    )


RERUN = {"membership": MEMBERSHIP, "records": "pages/3_records.py", "one-run": ""}
"""The pages that train a method again."""


def rerun(audit: Audit, question: str) -> AppTest:
    return healthy(opened(audit, RERUN[question]) if RERUN[question] else of_question(audit, question))


@pytest.mark.parametrize("question", RERUN)
def test_the_method_of_the_release_is_the_one_to_be_trained_again(
    audit: Audit, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its settings, and in a page that was open before the answer was another one."""
    audit.set_provenance(Provenance("bayesnet:degree=1"))
    screen = rerun(audit, question)
    audit.set_provenance(Provenance("bayesnet:degree=2"))
    plan = started(healthy(screen.run()), audit, question, monkeypatch).as_dict()
    assert "bayesnet:degree=2" in (plan.get("generator"), *plan.get("generators", ()))


@pytest.mark.parametrize("question", RERUN)
def test_where_nobody_knows_the_method_none_is_trained_until_one_is_named(audit: Audit, question: str) -> None:
    screen = rerun(audit, question)
    assert "First name the method" in shown(screen)
    assert screen.button(key=f"{question}.{audit.id}.run").disabled
    assert not screen.button(key=f"{question}.{audit.id}.run.name").disabled
    if question == "membership":
        screen.multiselect(key=f"membership.{audit.id}.generators").set_value(["stat"])
    else:
        part = "setting.generator" if question == "one-run" else "generator"
        menu = screen.selectbox(key=f"{question}.{audit.id}.{part}")
        menu.set_value("bayesnet" if question == "records" else menu.options[0])
    assert "First name the method" not in shown(healthy(screen.run()))


def test_a_page_that_was_open_before_takes_the_answer_up(audit: Audit) -> None:
    """The same session, in which the findings were read while nobody had said anything."""
    finished(audit, replace(PLAN, generators=("stat",)))
    screen = healthy(opened(audit, MEMBERSHIP))
    other = report(audit)
    assert f"If it had been made by {STAT}" in shown(screen)
    audit.set_provenance(Provenance("stat"))
    assert f"If it had been made by {STAT}" not in shown(healthy(screen.run()))
    assert fold(healthy(other.run())) == STAT
    assert other.selectbox(key=key(audit, "menu")).value == "stat"
    audit.set_provenance(UNKNOWN)
    assert f"If it had been made by {STAT}" in shown(healthy(screen.run()))
    assert other.run().selectbox(key=key(audit, "menu")).value == "unknown"


def test_the_settings_are_kept_and_stand_in_the_form_of_another_session(audit: Audit) -> None:
    choice = choose(report(audit), audit, "bayesnet")
    choice.number_input(key=key(audit, "generators", "bayesnet", "degree")).set_value(2).run()
    keep(choice, audit)
    assert audit.provenance == Provenance("bayesnet:degree=2")
    again = report(audit)
    assert fold(again).startswith("Bayesian network · ")
    assert again.number_input(key=key(audit, "generators", "bayesnet", "degree")).value == 2
    assert again.button(key=key(audit, "settings")).disabled, "that is what is kept"
    again.number_input(key=key(audit, "generators", "bayesnet", "degree")).set_value(1).run()
    keep(again, audit)
    assert audit.provenance == Provenance("bayesnet")
    assert choice.run().number_input(key=key(audit, "generators", "bayesnet", "degree")).value == 1


def test_other_settings_are_another_method(audit: Audit) -> None:
    finished(audit, PLAN)
    audit.set_provenance(Provenance("stat"))
    page = healthy(opened(audit, MEMBERSHIP))
    assert "If it had been made by Mean and covariance (OMTH17) · Before publishing: No change" in shown(page)
    audit.set_provenance(Provenance("stat:post=none"))
    assert "If it had been made by Mean and covariance" not in shown(healthy(page.run()))


def test_a_chain_of_steps_is_kept(audit: Audit) -> None:
    choice = choose(report(audit), audit, "rounding")
    choice.selectbox(key=key(audit, "generators", "rounding", "then")).set_value("noise").run()
    keep(choice, audit)
    assert audit.provenance == Provenance("rounding|noise")
    again = report(audit)
    assert again.button(key=key(audit, "settings")).disabled
    assert "↓ then, as step 2:" in shown(again)
    audit.set_provenance(provenance("rounding:base=100|noise:scale=0.3|pram:p=0.7"))
    assert again.run().button(key=key(audit, "settings")).disabled, "the form holds all three with their settings"


def test_the_answer_can_be_taken_back(audit: Audit) -> None:
    audit.set_provenance(Provenance("stat"))
    screen = report(audit)
    assert screen.selectbox(key=key(audit, "menu")).value == "stat"
    choose(screen, audit, "unknown")
    assert audit.provenance == UNKNOWN
    assert fold(screen) == "Not answered."


def test_another_release_is_of_unknown_make_again(audit: Audit) -> None:
    """Nobody has said how that file was made; the answer was about the one before."""
    audit.set_provenance(Provenance("stat"))
    screen = healthy(opened(audit, DATA))
    press(screen, "drop_synthetic")
    drop(screen, "synthetic", csv(120, 9))
    assert "synthetic" in audit.files
    assert audit.provenance == UNKNOWN
    assert fold(report(audit)) == "Not answered."


def test_the_same_file_read_another_way_keeps_the_answer(audit: Audit) -> None:
    audit.set_provenance(Provenance("stat"))
    press(healthy(opened(audit, DATA)), "again_synthetic")
    assert audit.provenance == Provenance("stat")


@pytest.mark.parametrize("method", ["gone", "gone:x=1", "stat:nothing=3"])
def test_a_method_that_is_no_longer_here_is_named_and_breaks_nothing(audit: Audit, method: str) -> None:
    audit.set_provenance(Provenance(method))
    screen = report(audit)
    assert fold(screen) == method
    choose(screen, audit, "unknown")
    assert audit.provenance == UNKNOWN


def test_without_a_release_nobody_is_asked() -> None:
    screen = report(loaded(real=csv(80, 1)))
    assert not [expander for expander in screen.expander if expander.label.startswith("How was")]


def test_of_the_sample_the_games_on_its_own_method_count_and_the_other_is_no_verdict() -> None:
    """The sample says of itself that a Bayesian network made it; its games are played on two methods."""
    assert sample.PLAN.generators == ("stat", "bayesnet")
    audit = sample.load_sample(Store.default())
    assert audit.provenance == Provenance("bayesnet")
    finished(audit, replace(sample.PLAN, trainings=12, generations=1))
    screen = report(audit)
    assert fold(screen) == "Bayesian network"
    line = [unmarked(str(element.value)) for element in screen.markdown]
    first = next(text for text in line if "-badge[" in text)
    assert re.fullmatch(r":(red|gray)-badge\[[▲◌●] .+\]", first), "a verdict on Membership, and no what-if"
    assert "against Bayesian network" in hints(screen), "the worst attack of all that count"
    folds = [unmarked(expander.label) for expander in screen.expander]
    assert [fold for fold in folds if "If it had been made by" in fold and STAT in fold] == [
        fold for fold in folds if fold.startswith("Membership · ")
    ]
    page = healthy(opened(audit, MEMBERSHIP))
    (what_if,) = [expander for expander in page.expander if expander.label.startswith("If it had been made by")]
    assert STAT in unmarked(what_if.label)
    assert len(verdicts(page)) == 1, "one verdict, on this release"
    assert not [text for text in what_if.markdown if "badge" in text.value]


def test_how_often_the_table_was_released_is_asked_and_kept(audit: Audit) -> None:
    """It stays when the method is another one, goes into the plans, and the form of Records begins with it."""
    screen = healthy(opened(audit, "pages/0_audit.py"))
    assert not [toggle for toggle in screen.toggle if "one fit" in toggle.label]
    field = next(field for field in screen.number_input if field.label == "How often was this table released?")
    healthy(field.set_value(4).run())
    assert audit.provenance == Provenance("", 4)
    menu = next(menu for menu in screen.selectbox if menu.key == key(audit, "menu"))
    healthy(menu.set_value("histogram").run())
    assert audit.provenance == Provenance("histogram", 4)
    toggle = next(toggle for toggle in screen.toggle if "one fit" in toggle.label)
    healthy(toggle.set_value(True).run())
    assert audit.provenance == Provenance("histogram", 4, one_fit=True)
    records = healthy(opened(audit, "pages/3_records.py"))
    values = {field.label: field.value for field in (*records.number_input, *records.toggle)}
    assert values["Releases that the attacker sees"] == 4
    assert values["All releases from one fit"] is True
