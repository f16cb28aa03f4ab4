"""The steward's own generator on the Membership page: usable where the server was started for it, else explained."""

import shlex
import sys
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.generators.external import ALLOWED, OFFERED, External
from riskkit.jobs import people
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from tests.pages.screens import csv, loaded, opened, refuses_nothing, shown

PAGE = "pages/2_membership.py"
PROGRAM = Path(__file__).resolve().parents[1] / "generators" / "own_program.py"
COMMAND = f"{shlex.join([sys.executable, str(PROGRAM), 'bootstrap'])} {{train}} {{n}} {{seed}} {{out}}"
MODEL = "tests.generators.own_models:Bootstrap"


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> Audit:
    monkeypatch.delenv(ALLOWED, raising=False)
    monkeypatch.delenv(OFFERED, raising=False)
    return loaded(real=csv())


def menu(screen: AppTest, audit: Audit) -> list[str]:
    options: list[str] = screen.multiselect(key=f"membership.{audit.id}.generators").options
    return options


def chosen(audit: Audit) -> tuple[AppTest, str]:
    """The page with it as the only method, and where its fields are kept."""
    screen = opened(audit, PAGE)
    screen.multiselect(key=f"membership.{audit.id}.generators").set_value(["external"]).run()
    assert refuses_nothing(screen)
    return screen, f"membership.{audit.id}.generators.external"


def errors(screen: AppTest) -> str:
    return "\n".join(error.value.replace("\\", "").replace("\u2060", "") for error in screen.error)


def can_run(screen: AppTest, audit: Audit) -> bool:
    return not screen.button(key=f"membership.{audit.id}.run").disabled


def test_where_the_server_was_not_started_for_it_the_page_says_how_to_start_it(audit: Audit) -> None:
    assert External.title in menu(opened(audit, PAGE), audit)
    screen = opened(audit, PAGE)
    screen.multiselect(key=f"membership.{audit.id}.generators").set_value(["external"]).run()
    commands = [code.value for code in screen.code]
    assert "riskkit app --allow-external" in commands
    assert "riskkit app --external-python package.module:Name" in commands
    assert "riskkit generators try 'COMMAND'" in commands
    assert not [field for field in screen.text_input if str(field.key).endswith(".external.command")]
    assert not can_run(screen, audit)


def test_where_people_log_in_nobody_is_told_to_allow_programs(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = opened(audit, PAGE)
    monkeypatch.setattr(people, "acting", lambda: people.SERVER)
    screen.multiselect(key=f"membership.{audit.id}.generators").set_value(["external"]).run()
    assert any("serves several people" in info.value for info in screen.info)
    assert not [code for code in screen.code if "--allow-external" in code.value]


@pytest.mark.parametrize(("name", "value"), [(ALLOWED, "1"), (OFFERED, MODEL)])
def test_it_is_on_the_menu_where_it_was(audit: Audit, name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert External.title in menu(opened(audit, PAGE), audit)


def test_its_form_says_what_is_missing_until_the_command_can_be_run(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALLOWED, "1")
    screen, key = chosen(audit)
    field = screen.text_input(key=f"{key}.command")
    for placeholder in ("{train}", "{n}", "{seed}", "{out}"):
        assert placeholder in field.help.replace("\\", "")
    assert "write its command" in errors(screen)
    assert not can_run(screen, audit)

    screen.text_input(key=f"{key}.command").set_value("mine {train} {out}").run()
    assert "command lacks {n}" in errors(screen)
    assert not can_run(screen, audit)

    screen.text_input(key=f"{key}.command").set_value(COMMAND)
    screen.number_input(key=f"{key}.timeout").set_value(60).run()
    assert refuses_nothing(screen)
    assert errors(screen) == ""
    assert can_run(screen, audit)


def test_without_the_right_to_run_programs_only_the_object_of_the_start_can_be_used(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFFERED, MODEL)
    screen, key = chosen(audit)
    assert screen.selectbox(key=f"{key}.python").options == ["none", MODEL]
    screen.text_input(key=f"{key}.command").set_value(COMMAND).run()
    assert "riskkit was not started for that. Start it with --allow-external." in errors(screen)
    assert not can_run(screen, audit)
    screen.text_input(key=f"{key}.command").set_value("")
    screen.selectbox(key=f"{key}.python").set_value(MODEL).run()
    assert errors(screen) == ""
    assert can_run(screen, audit)


@pytest.mark.slow
@pytest.mark.usefixtures("timed")
def test_a_game_with_it_is_timed_and_run_from_the_page(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOWED, "1")
    screen, key = chosen(audit)
    screen.text_input(key=f"{key}.command").set_value(COMMAND).run()
    screen.number_input(key=f"membership.{audit.id}.trainings").set_value(10)
    screen.number_input(key=f"membership.{audit.id}.n_syn").set_value(60).run(timeout=200)
    assert "This takes **" in shown(screen)
    screen.button(key=f"membership.{audit.id}.run").click().run()
    (run,) = audit.runs()
    _wait(run)
    assert run.state == "finished", run.progress
    assert {estimate["n"] for estimate in run.result["estimates"]} == {10}


def _wait(run: Run) -> None:
    end = time.monotonic() + 300
    while run.state in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.5)
