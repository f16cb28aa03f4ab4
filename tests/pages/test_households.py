"""The page about households: its form from the plan, how long it takes, and what was told of whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskkit.core import Role
from riskkit.dashboard.forms import launch
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.households.plan import HouseholdsPlan
from tests.pages.runs import finished, started
from tests.pages.screens import csv, healthy, loaded, of_question, press, shown

ROWS = 300


@pytest.fixture
def audit() -> Audit:
    """The made table with a column that says who lives together."""
    head, *lines = csv(ROWS, 0).decode().splitlines()
    return loaded(real="\n".join([f"{head},home", *(f"{line},h{row // 5}" for row, line in enumerate(lines))]).encode())


def key(audit: Audit, *parts: str) -> str:
    return launch.key("households", audit, *parts)


def test_the_form_says_what_it_takes_and_a_leak_is_shown(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = healthy(of_question(audit, "households"))
    menu = screen.selectbox(key=key(audit, "setting", "household"))
    assert (menu.value, "home" in menu.options) == (None, True)
    menu.set_value("home")
    screen.number_input(key=key(audit, "setting", "asked")).set_value(20)
    screen.multiselect(key=key(audit, "setting", "anonymisers")).set_value(["stat"])
    screen.multiselect(key=key(audit, "setting", "attackers")).set_value(["distance"])
    press(healthy(screen.run()), key(audit, "estimate"))
    text = shown(healthy(screen))
    assert "60 households of 5 people or more; 20 are asked about" in text
    assert "This takes" in text
    plan = started(screen, audit, "households", monkeypatch)
    assert (plan.household, plan.asked, plan.anonymisers) == ("home", 20, ("stat",))
    finished(audit, replace(plan, anonymisers=("identity", "stat")), run="d" * 32)
    screen = healthy(of_question(audit, "households"))
    text = shown(screen)
    assert "on 20 households (guessing 0.50), more than guessing explains" in text
    assert "Planted control, the sample itself as a release: " in text
    assert len(screen.get("plotly_chart")) == 1
    assert "riskkit households --real real.csv --household home" in screen.code[0].value


def test_the_role_names_the_households_and_the_command_says_it(audit: Audit) -> None:
    audit.choose({"home": ColumnChoice(role=Role.HOUSEHOLD)})
    plan = HouseholdsPlan(anonymisers=("identity",), attackers=("distance",), asked=20)
    finished(audit, plan, run="d" * 32)
    screen = healthy(of_question(audit, "households"))
    assert "on 20 households (guessing 0.50), more than guessing explains" in shown(screen)
    assert "--household home" in screen.code[0].value


def test_without_a_column_it_is_said_before_the_run(audit: Audit) -> None:
    screen = healthy(of_question(audit, "households"))
    assert [str(box.value) for box in screen.info] == [
        "It needs a column that says who lives together: choose it in the settings."
    ]
    assert screen.button(key=key(audit, "run")).disabled
    screen.selectbox(key=key(audit, "setting", "household")).set_value("home")
    assert not healthy(screen.run()).button(key=key(audit, "run")).disabled
    audit.choose({"home": ColumnChoice(role=Role.HOUSEHOLD)})
    assert not healthy(of_question(audit, "households")).button(key=key(audit, "run")).disabled, "a role says it too"
