"""Forms of plans: a number that stands for what is chosen for you is an empty field that says so, for every plan."""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.dashboard.forms import plan_forms
from riskkit.questions import question, questions
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.registry import Setting
from riskkit.report import labels

TAKES = re.compile(r"(^|[ ;.])0(:| takes)")
"""How a help says that 0 stands for something else."""


def form(name: str) -> None:
    """Every setting of the plan of that question, and its values as a text."""
    import streamlit as st

    from riskkit.dashboard.forms import plan_forms
    from riskkit.questions import question

    values = plan_forms.rest(question(name).plan, (), lambda *parts: ".".join(parts))
    st.text("\n".join(f"{setting} {value!r}" for setting, value in values.items()))


def numbers(name: str) -> Iterator[Setting]:
    """The numbers of a plan that have a name at their default."""
    return (
        setting
        for setting in settings(name)
        if not setting.is_list and setting.choices is None and setting.default in setting.words
    )


def settings(name: str) -> list[Setting]:
    return plan_forms.settings(question(name).plan)


def test_a_help_that_says_what_0_takes_gives_it_a_name() -> None:
    """So that a form shows it: planted in the pattern are both ways to say it."""
    assert TAKES.search("A number; 0 takes what suits.")
    assert TAKES.search("0: all of them.")
    assert not TAKES.search("At least 10: fewer tell nothing.")
    silent = [
        f"{name}: {setting.name}"
        for name in questions()
        for setting in registry.settings(question(name).plan)
        if TAKES.search(setting.help) and 0 not in setting.words
    ]
    assert silent == []


def test_several_plans_have_such_numbers() -> None:
    assert {name for name in questions() if list(numbers(name))} >= {"one-run", "households", "contest", "records"}


@pytest.mark.parametrize("name", sorted(name for name in questions() if list(numbers(name))))
def test_it_is_an_empty_field_that_says_what_is_taken_and_a_number_can_be_entered(name: str) -> None:
    screen = AppTest.from_function(form, args=(name,), default_timeout=60).run()
    assert not screen.exception
    for setting in numbers(name):
        box = screen.number_input(key=f"setting.{setting.name}")
        assert box.value is None
        assert box.placeholder == setting.words[setting.default]
        assert f"{setting.name} {setting.default!r}\n" in f"{screen.text[0].value}\n"
        entered = 0.25 if isinstance(setting.default, float) else 7
        screen = box.set_value(entered).run()
        assert f"{setting.name} {entered!r}\n" in f"{screen.text[0].value}\n"
        screen = screen.number_input(key=box.key).set_value(None).run()
        assert f"{setting.name} {setting.default!r}\n" in f"{screen.text[0].value}\n"


def test_a_plan_that_is_entered_again_leaves_such_a_field_empty() -> None:
    held = plan_forms.as_entered(OneRunPlan(rows=60, n_syn=0, delta=0.25), ())
    assert held["setting.n_syn"] is None
    assert held["setting.delta"] == 0.25
    assert held["setting.rows"] == 60


def test_a_report_says_what_was_taken() -> None:
    taken = dict(
        labels.plan_settings("one-run", {"n_syn": 0, "made": False, "guesses_in": 3}, lambda _, spelled: spelled)
    )
    assert taken["Rows of the release"] == "as many as in the training"
    assert taken["Rows guessed in"] == "3"
    assert taken["Made-up canaries"] == "no"
