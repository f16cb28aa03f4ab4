"""Games with a program of two tables on the pages Membership and Records: the switch, what it refuses, the result."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.core import Role
from riskkit.generators.external import ALLOWED, External
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.registry import spelling
from tests import two_files
from tests.pages.runs import finished, started
from tests.pages.screens import csv, healthy, loaded, opened, shown

pytestmark = pytest.mark.second

PAGES = {"membership": "pages/2_membership.py", "records": "pages/3_records.py"}
COMMAND = two_files.command("copies")


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Patients and their visits, real ones alone."""
    monkeypatch.setenv(ALLOWED, "1")
    two_files.tables(tmp_path)
    made = loaded(real=(tmp_path / "patients_real.csv").read_bytes())
    made.load("children_real", (tmp_path / "visits_real.csv").read_bytes(), name="visits.csv")
    made.choose({"patient": ColumnChoice(role=Role.PERSON)})
    return made


def switch(question: str, audit: Audit) -> str:
    return f"{question}.{audit.id}.second_table"


def chosen(question: str, audit: Audit, command: str = COMMAND) -> AppTest:
    """The page with that program as its method."""
    screen = opened(audit, PAGES[question])
    if question == "membership":
        screen.multiselect(key=f"membership.{audit.id}.generators").set_value(["external"]).run()
        field = f"membership.{audit.id}.generators.external.command"
    else:
        screen.selectbox(key=f"records.{audit.id}.generator").set_value("external").run()
        field = f"records.{audit.id}.generators.external.command"
    screen.text_input(key=field).set_value(command).run()
    return screen


def errors(screen: AppTest) -> str:
    return "\n".join(error.value.replace("\\", "").replace("\u2060", "") for error in screen.error)


@pytest.mark.parametrize("question", PAGES)
def test_the_switch_is_there_where_there_is_a_second_table(question: str, audit: Audit) -> None:
    assert switch(question, audit) in [toggle.key for toggle in healthy(opened(audit, PAGES[question])).toggle]
    alone = loaded(real=csv())
    assert switch(question, alone) not in [toggle.key for toggle in healthy(opened(alone, PAGES[question])).toggle]


@pytest.mark.parametrize("question", PAGES)
def test_a_program_of_two_tables_and_the_switch_go_together(
    question: str, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = chosen(question, audit)
    assert "the game is of the first alone" in errors(screen)
    screen.toggle(key=switch(question, audit)).set_value(True).run()
    assert errors(healthy(screen)) == ""
    plan = started(screen, audit, question, monkeypatch)
    assert plan.second_table
    assert plan.as_dict()["generator" if question == "records" else "generators"] in (
        spelling("generators", External(command=COMMAND)),
        [spelling("generators", External(command=COMMAND))],
    )
    other = chosen(question, audit, two_files.command("copies", is_alone=True))
    other.toggle(key=switch(question, audit)).set_value(True).run()
    assert "a command with {train_children} and {out_children}" in errors(other)


@pytest.mark.parametrize("question", PAGES)
def test_a_result_says_that_people_were_seen_with_both_tables_and_how_to_have_it_again(
    question: str, audit: Audit
) -> None:
    own = spelling("generators", External(command=COMMAND))
    plan = {
        "membership": MembershipPlan(
            generators=(own,), attacks=("neighbour",), trainings=10, generations=1, n_syn=60, control=False,
            second_table=True,
        ),
        "records": RecordsPlan(
            generator=own, records="ids:3", inside=5, outside=5, shadows=5, again=0, n_syn=60, second_table=True
        ),
    }[question]  # fmt: skip
    finished(audit, plan)
    screen = healthy(opened(audit, PAGES[question]))
    assert "summaries of their rows in the second table" in shown(screen)
    (command,) = {code.value for code in screen.code if f"riskkit {question} " in code.value}
    assert "--second-table" in command
    assert "--children-real" in command
