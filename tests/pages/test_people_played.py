"""The pages of the two games that train again and again, where a column says whose row a row is."""

import pytest

from riskkit.core import Role
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from tests.pages.runs import finished
from tests.pages.screens import csv, healthy, loaded, opened, shown
from tests.questions.test_people_of_rows import named

RECORDS = RecordsPlan("histogram", "ids:3,1,30", inside=10, outside=10, shadows=4, again=0, n_syn=40, certificate=True)
MEMBERSHIP = MembershipPlan(generators=("histogram",), attacks=("neighbour",), trainings=12, generations=1, n_syn=40)
ROWS = 90


@pytest.fixture
def audit() -> Audit:
    """A real table of 30 people with three rows each, and a release."""
    made = loaded(real=named(csv(ROWS, 0), 0, 3), synthetic=named(csv(60, 2), 2, 3))
    made.choose({"who": ColumnChoice(role=Role.PERSON)})
    return made


def test_the_records_page_names_people_and_how_many_rows_they_have(audit: Audit) -> None:
    finished(audit, RECORDS)
    screen = healthy(opened(audit, "pages/3_records.py"))
    text = shown(screen)
    assert "(3 rows)" in text
    assert "Person " in text
    assert any("--person who" in block.value for block in screen.code)
    frame = screen.dataframe[0].value
    assert frame["rows"].tolist() == [3] * len(frame)


def test_the_membership_page_attacks_a_person(audit: Audit) -> None:
    finished(audit, MEMBERSHIP)
    screen = healthy(opened(audit, "pages/2_membership.py"))
    assert "person " in shown(screen)
    assert any("--person who" in block.value for block in screen.code)
