"""The page Compare: what it says without two releases, which two it opens, what it shows of them, what it refuses."""

from streamlit.testing.v1 import AppTest

from riskkit.audit.repair import mend_audit
from riskkit.dashboard.pages import compare
from riskkit.jobs.store import Audit
from riskkit.mend.release import Mending
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import faked, finished
from tests.pages.screens import csv, healthy, loaded, opened, press, shown

COMPARE = "pages/7_compare.py"
PLAN = AttributePlan(secrets=("job",), known=(("age",),), model="tree")


def audits() -> tuple[Audit, Audit]:
    """A release that copies people and one that does not."""
    first = loaded(real=csv(150, 1), synthetic=csv(150, 1), holdout=csv(150, 2))
    second = loaded(real=csv(150, 1), synthetic=csv(150, 3), holdout=csv(150, 2))
    second.rename("Second study")
    return first, second


def chosen(screen: AppTest) -> tuple[str, str]:
    """The audits in the two menus."""
    first, second = (str(screen.selectbox(key=f"compare.{name}").value) for name, _ in compare.SIDES)
    return first, second


def test_without_two_releases_the_page_says_what_to_do() -> None:
    text = shown(healthy(opened(loaded(real=csv(80, 1), synthetic=csv(80, 2)), COMPARE)))
    assert "There are no two releases yet" in text
    assert "Load a second release of the same real table as a new audit" in text
    assert "Nothing is loaded yet" in shown(healthy(opened(None, COMPARE)))


def test_two_releases_stand_side_by_side() -> None:
    first, second = audits()
    for audit in (first, second):
        finished(audit, PLAN)
    screen = healthy(opened(second, COMPARE, left=first.id, right=second.id))
    assert chosen(screen) == (first.id, second.id)
    text = shown(screen)
    assert "Of the 1 question that both were asked, release B shows" in text
    assert "B is better" in text
    assert "Its file no longer exposes people by: order of the rows, copied rows" in text
    assert "Attributes" in text
    assert "fewer are guessed right" in text
    assert not screen.get("plotly_chart")


def test_a_mended_release_opens_beside_the_one_it_was_made_from() -> None:
    first, _ = audits()
    made = mend_audit(first, Mending(shuffle=True))
    loaded(real=csv(150, 1), synthetic=csv(150, 4), holdout=csv(150, 2))  # newer, of the same real table
    assert chosen(opened(made, COMPARE)) == (first.id, made.id)
    assert chosen(opened(first, COMPARE)) == (first.id, made.id)


def test_nothing_that_was_asked_is_said_so() -> None:
    first, second = audits()
    screen = healthy(opened(first, COMPARE, left=first.id, right=second.id))
    assert "No question was asked of both releases yet." in shown(screen)
    assert "by chance alone" not in shown(screen)
    assert "Copied rows" in str([table.value for table in screen.dataframe])
    finished(first, PLAN)
    screen = press(healthy(screen.run()), "compare.ask")
    assert screen.session_state["audit"] == second.id, "the page Audit of the release that was asked less"


def test_a_question_under_way_is_said_so() -> None:
    first, second = audits()
    faked(second, "running", ReleasedPlan(attacks=("dcr",)), total=2)
    assert "1 question is under way" in shown(healthy(opened(first, COMPARE, left=first.id, right=second.id)))


def test_releases_of_different_people_are_a_sentence() -> None:
    first, _ = audits()
    other = loaded(real=csv(150, 9), synthetic=csv(150, 3))
    text = shown(opened(first, COMPARE, left=first.id, right=other.id))
    assert "different real tables" in text


def test_beside_a_release_of_other_people_the_page_opens_on_a_way_out_and_no_error() -> None:
    first = loaded(real=csv(150, 1), synthetic=csv(150, 1))
    loaded(real=csv(150, 9), synthetic=csv(150, 3))
    screen = healthy(opened(first, COMPARE))
    assert not screen.error
    assert chosen(screen) == (first.id, "None")
    assert "There are no two releases yet" in shown(screen)


def test_a_changed_release_whose_real_table_is_another_by_now_opens_on_no_error() -> None:
    first, _ = audits()
    made = mend_audit(first, Mending(shuffle=True))
    made.load("real", csv(150, 9), name="other.csv")
    screen = healthy(opened(made, COMPARE))
    assert not screen.error
    assert made.id not in chosen(screen)
