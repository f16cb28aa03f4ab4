"""The Records page without the method: whom the released file names by itself, or why nobody."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import changed, faked
from tests.pages.screens import csv, healthy, loaded, opened, shown
from tests.report.test_released_findings import result

PAGE = "pages/3_records.py"
PLAN = ReleasedPlan(attacks=("dcr",))


@pytest.fixture
def audit() -> Audit:
    """A real table, a release and a holdout; nothing run yet."""
    return loaded(real=csv(80, 0), synthetic=csv(60, 2), holdout=csv(80, 1))


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


def attacked(audit: Audit, rows: int = 0, **named: Any) -> None:
    """Attacks on the released file that list so many rows."""
    run = faked(audit, "finished", PLAN, seconds=1.0)
    counts = {"asked": 300, "listed": rows, "fewest": 80, "rate": 0.05, "why": ""}
    people = [{"row": 7 * index, "attack": "dcr", "p": 0.001 * (index + 1)} for index in range(rows)]
    changed(run, result=result(named={**counts, **named}, records=people))


def test_nobody_asked_the_file_yet(audit: Audit) -> None:
    text = shown(page(audit))
    assert "Attacks on the released file need only the three files" in text
    assert "Restricted: row numbers" not in text


def test_without_a_release_there_is_nothing_to_say_of_it() -> None:
    assert "Without the method" not in " ".join(
        str(header.value) for header in page(loaded(real=csv(80, 0), holdout=csv(80, 1))).header
    )


def test_each_person_listed_has_a_line(audit: Audit) -> None:
    attacked(audit, 8)
    screen = page(audit)
    text = shown(screen)
    assert "Of 300 members 8 can be listed by the file alone" in text
    (listed,) = (frame.value for frame in screen.dataframe if len(frame.value) == 8)
    assert listed["row"].tolist() == [7 * row for row in range(8)], "the surest first"
    assert listed["p"].tolist()[:2] == ["at most 1 in 1,000", "at most 1 in 500"]
    assert "Restricted: row numbers of the real table" in text


def test_an_empty_list_and_a_list_that_cannot_be_say_why(audit: Audit) -> None:
    attacked(audit)
    text = shown(page(audit))
    assert "The file alone shows of nobody that they are a member: at least 80" in text
    assert "Restricted" not in text


def test_where_the_sides_differ_it_says_so(audit: Audit) -> None:
    attacked(audit, asked=0, why="sides_differ")
    assert "can be distinguished without the release" in shown(page(audit))


def test_attacks_on_files_that_have_changed_are_not_told(audit: Audit) -> None:
    attacked(audit, 3)
    audit.load("synthetic", csv(60, 5), name="synthetic.csv")
    assert "Attacks on the released file need only" in shown(page(audit))
