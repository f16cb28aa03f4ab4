"""The Attributes page of an audit with a second table: what it offers, asks and shows across both tables."""

from functools import partial
from pathlib import Path

import pytest

from riskkit.core import Role
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.attributes.plan import AttributePlan
from sample_data import two_tables
from tests.pages.runs import finished, started
from tests.pages.screens import field, healthy, loaded, opened, shown

pytestmark = pytest.mark.second

PAGE = "pages/4_attributes.py"
SLOTS = {"real": "real", "synthetic": "release", "holdout": "holdout"}
DIAGNOSIS = "most_frequent(diagnosis)"
key = partial(field, "attributes")


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """The made cohort with a leak across both tables."""
    two_tables.write(tmp_path, "across", 120, 3)
    files = {
        f"{before}{slot}": (tmp_path / f"{table}_{name}.csv").read_bytes()
        for before, table in (("", "patients"), ("children_", "visits"))
        for slot, name in SLOTS.items()
    }
    made = loaded(**{slot: content for slot, content in files.items() if slot in SLOTS})
    for slot, content in files.items():
        if slot not in SLOTS:
            made.load(slot, content, name=f"{slot}.csv")
    made.choose({"patient": ColumnChoice(role=Role.PERSON)})
    return made


def test_summaries_are_offered_where_both_tables_are_asked_about(audit: Audit) -> None:
    screen = healthy(opened(audit, PAGE))
    secrets = key(audit, "secrets")
    assert DIAGNOSIS not in screen.multiselect(key=secrets).options
    screen.toggle(key=key(audit, "second_table")).set_value(True).run()
    offered = screen.multiselect(key=secrets).options
    assert {DIAGNOSIS, "rows()", "any(ward=day care)"} <= {str(option).replace("\\", "") for option in offered}
    screen.multiselect(key=secrets).set_value(["district", DIAGNOSIS])
    screen.button_group(key=key(audit, "known")).set_value(["first-table", "second-table"])
    healthy(screen.run())
    assert "15 columns × 2 known sets" in shown(screen)
    screen.toggle(key=key(audit, "second_table")).set_value(False).run()
    healthy(screen)
    assert screen.multiselect(key=secrets).value == ["district"]
    assert not screen.button_group(key=key(audit, "known")).value


def test_run_asks_what_the_form_says(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = healthy(opened(audit, PAGE))
    screen.toggle(key=key(audit, "second_table")).set_value(True).run()
    screen.multiselect(key=key(audit, "secrets")).set_value(["any(ward=day care)"])
    screen.button_group(key=key(audit, "known")).set_value(["first-table"])
    plan = started(healthy(screen.run()), audit, "attributes", monkeypatch)
    assert plan == AttributePlan(secrets=("any(ward=day care)",), known=("first-table",), second_table=True)


def test_a_result_across_tables_is_shown_and_its_command_gives_it_again(audit: Audit) -> None:
    plan = AttributePlan(secrets=("district",), known=("second-table",), model="tree", second_table=True)
    finished(audit, plan)
    screen = healthy(opened(audit, PAGE))
    assert "all summaries of the second table" in shown(screen)
    assert screen.toggle(key=key(audit, "second_table")).value
    command = next(str(code.value) for code in screen.code if "riskkit attributes" in str(code.value))
    assert "--second-table" in command
    assert "--children-synthetic" in command
