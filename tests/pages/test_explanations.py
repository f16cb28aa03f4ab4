"""The Explanations page in every state it can be in, with results that were really played."""

import json
from dataclasses import replace
from functools import partial

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.dashboard.frame import state
from riskkit.explain import local
from riskkit.jobs.store import Audit
from riskkit.questions.explanations import words
from riskkit.questions.explanations.plan import ExplanationPlan
from tests.pages.runs import finished, started
from tests.pages.screens import csv, field, healthy, loaded, opened, shown

PAGE = "pages/5_explanations.py"
PLAN = ExplanationPlan(target="job", attackers=("linear", "nearest"), victims=30, auxiliary=(80,), model_seeds=1)
RICH = replace(
    PLAN,
    auxiliary=(20, 80),
    defences=("quantising:bins=2", "references=5"),
    optimisers=("papers",),
    model="tree",
    members=True,
)
ROWS = 240
key = partial(field, "explanations")


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(ROWS, 0), synthetic=csv(ROWS, 2))


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


def test_the_form_starts_at_the_defaults_of_a_plan(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    assert "Example: from its explanation" in shown(screen)
    assert "8 of 10 audits detect a gain of" in shown(screen)
    menu = screen.selectbox(key=key(audit, "model"))
    assert menu.options == [plugin.title for plugin in registry.plugins("explained").values()]
    assert started(screen, audit, "explanations", monkeypatch) == ExplanationPlan(target="score")


def test_other_explanations_are_offered_and_refused_where_they_say_nothing(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "model")).set_value("tree")
    menu = screen.selectbox(key=key(audit, "explainer"))
    assert [words.EXPLAINERS[name] for name in local.EXPLAINERS] == menu.options[-4:]
    menu.set_value("gradients").run()
    assert "The answer of trees has steps and no slope. Choose another explainer." in shown(screen)
    screen.selectbox(key=key(audit, "explainer")).set_value("counterfactuals").run()
    assert "A number has no other class." in shown(screen), "the target is a number"
    screen.selectbox(key=key(audit, "target")).set_value("job").run()
    assert started(healthy(screen), audit, "explanations", monkeypatch).explainer == "counterfactuals"


def test_a_result_of_the_shap_library_says_so_and_how_far_ours_are(audit: Audit) -> None:
    finished(audit, replace(PLAN, explainer="shap"))
    text = shown(page(audit))
    assert "The values are those of the shap library (LinearExplainer" in text
    assert "differ from ours, found in closed form" in text


def test_a_sweep_plays_every_size_there_is(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, "setting", "victims")).set_value(20)
    screen.toggle(key=key(audit, "sweep")).set_value(True)
    audit.load("real", csv(900, 0), name="real.csv")
    screen.number_input(key=key(audit, "rows")).set_value(250).run()
    assert started(healthy(screen), audit, "explanations", monkeypatch).auxiliary == (100, 200, 250)


@pytest.mark.parametrize(
    ("widget", "value", "sentence"),
    [
        ("rows", 5_000, "The attacker is to hold 5,000 rows"),
        ("setting.model_seeds", 3, "takes at least 5"),
        ("references", 900, "ask for fewer reference rows"),
    ],
)
def test_what_cannot_be_played_is_a_sentence_and_nothing_can_be_run(
    audit: Audit, widget: str, value: int, sentence: str
) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, widget)).set_value(value).run()
    assert sentence in shown(healthy(screen))
    assert screen.button(key=key(audit, "run")).disabled


def test_no_attacker_is_a_sentence(audit: Audit) -> None:
    screen = page(audit)
    screen.multiselect(key=key(audit, "inverters")).set_value([]).run()
    assert "Choose at least one attacker" in shown(healthy(screen))


@pytest.mark.usefixtures("timed")
def test_time_is_told(audit: Audit) -> None:
    screen = page(audit)
    screen.multiselect(key=key(audit, "inverters")).set_value(["linear"])
    screen.number_input(key=key(audit, "setting", "victims")).set_value(20).run()
    assert "This takes **about" in shown(healthy(screen))


def test_without_a_release_only_the_real_table_is_offered() -> None:
    audit = loaded(real=csv(ROWS, 0))
    screen = page(audit)
    assert screen.selectbox(key=key(audit, "source")).options == ["The real table"]


def test_a_linear_model_is_a_leak_shown_and_values_are_masked_until_asked_for(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = page(audit)
    assert "▲ Leak shown" in shown(screen)
    assert "recovers 3 of 3 inputs better than any constant guess" in shown(screen)
    assert "the person equals the reference row in" in shown(screen)
    assert len(screen.get("plotly_chart")) == 2
    table = screen.dataframe[0].value
    assert set(table["true"]) == set(table["recovered"]) == {"•••"}
    assert list(table["right"]) == ["✓ recovered"] * 3
    assert "takes at least five models" in shown(screen)
    screen.toggle(key="explanations.reveal").set_value(True).run()
    table = healthy(screen).dataframe[0].value
    assert list(table["true"]) == run.result["records"]["truth"][0]
    assert list(table["recovered"]) == list(table["true"])
    assert state.mark("explanations", audit) == state.DONE


def test_no_value_of_a_row_is_in_the_text_of_the_page(audit: Audit) -> None:
    finished(audit, replace(PLAN, target="ward"))
    screen = page(audit)
    screen.toggle(key="explanations.reveal").set_value(True).run()
    assert "Quokka" in csv(ROWS, 0).decode()
    assert "Quokka" not in shown(screen)


def test_a_rich_result_has_all_its_pictures(audit: Audit) -> None:
    finished(audit, RICH)
    screen = page(audit)
    assert len(screen.get("plotly_chart")) == 5, "inputs, sizes, optimisers, correlation, frontier"
    assert "Order of mean errors at the papers' rates" in shown(screen)
    assert "The explanation of a person tells whether the person was in the training (AUC" in shown(screen)
    assert "Who was in the training (AUC, guessing .50)" in shown(screen)
    before = screen.get("plotly_chart")[0].proto.spec
    screen.selectbox(key="explanations.measure").set_value("mae").run()
    assert healthy(screen).get("plotly_chart")[0].proto.spec != before
    screen.selectbox(key="explanations.attacker").set_value("nearest").run()
    assert "Nearest made-up rows" in shown(healthy(screen))


def test_what_is_downloaded_has_no_value_of_a_person(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the kept result does have them, so leaving the filter out is seen."""
    kept = json.dumps(finished(audit, replace(PLAN, target="ward")).result)
    files: list[str] = []
    monkeypatch.setattr(st, "download_button", lambda _, data, **__: files.append(data()))
    page(audit)
    (passed_on,) = files
    assert "Quokka" in kept
    assert "Quokka" not in passed_on
    assert '"estimates"' in passed_on
