"""What the released file gives away by itself stands first on every page that is about the release."""

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.core import Role
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import finished
from tests.pages.screens import DATA, csv, drop, healthy, loaded, opened, press, refusals, shown, verdicts

ROWS = 200
MEMBERSHIP, RECORDS, ATTRIBUTES, CONTEST, REPORT = (
    f"pages/{name}.py" for name in ("2_membership", "3_records", "4_attributes", "6_contest", "7_report")
)
PLANS: dict[str, Plan] = {
    MEMBERSHIP: MembershipPlan(trainings=10, generations=1, n_syn=ROWS),
    RECORDS: RecordsPlan(records="top:5", inside=10, outside=10, shadows=6, again=0, n_syn=ROWS),
    ATTRIBUTES: AttributePlan(secrets=("job",), model="cap", sweep_model="cap"),
    CONTEST: ContestPlan(("stat",), ("distance",), source="people", guesses=30, rules="none"),
    REPORT: ReleasedPlan(attacks=("mc",)),
}
TITLE = "This release exposes people: its rows stand in the order of the real table."


def in_order() -> bytes:
    """The real rows in their order, each with another job and score: no copy, and yet row i is person i."""
    head, *real = csv(ROWS, 1).decode().splitlines()
    others = csv(ROWS, 7).decode().splitlines()[1:]
    mixed = [",".join([*a.split(",")[:2], *b.split(",")[2:]]) for a, b in zip(real, others, strict=True)]
    return ("\n".join([head, *mixed]) + "\n").encode()


def page(audit: Audit, path: str) -> AppTest:
    """That page in a session of its own."""
    return healthy(opened(audit, path))


def warned(screen: AppTest) -> list[str]:
    """What is said of the file itself above everything that was asked."""
    return [text.value for text in screen.markdown if TITLE in text.value]


def from_above(screen: AppTest) -> list[str]:
    """The kinds of what stands on a page, from top to bottom, without places that keys skip to and mere frames."""
    return [str(element.type) for element in screen.main if element.type not in ("main", "html", "flex_container")]


@pytest.mark.parametrize("path", list(PLANS))
def test_a_release_in_the_order_of_the_real_table_says_so_before_anything_else(path: str) -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=in_order(), holdout=csv(ROWS, 2))
    finished(audit, PLANS[path])
    screen = page(audit, path)
    (banner,) = warned(screen)
    assert banner.startswith(":red[")
    verdict = ["header"] if path == REPORT else []
    assert from_above(screen)[: 4 + len(verdict)] == ["title", "markdown", *verdict, "markdown", "page_link"]
    assert "Repair it first" in [link.proto.label for link in screen.get("page_link")]
    if path != REPORT:  # its fold has the numbers, and so has that of the page Audit
        assert "The order of the rows reveals who is who" not in shown(screen)
    else:
        assert "The order of the rows reveals who is who" in shown(screen)


@pytest.mark.parametrize("path", list(PLANS))
def test_it_is_said_before_anything_was_run(path: str) -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=in_order(), holdout=csv(ROWS, 2))
    assert len(warned(page(audit, path))) == 1


def test_a_release_of_others_gives_nothing_away() -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=csv(ROWS, 3), holdout=csv(ROWS, 2))
    for path, plan in PLANS.items():
        finished(audit, plan, run=f"{list(PLANS).index(path)}" * 32)
        assert not warned(page(audit, path))
    assert "The order of the rows shows nothing" in shown(page(audit, REPORT))


def test_copies_without_a_holdout_are_an_open_question() -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=csv(ROWS, 3) + b"\n".join(csv(ROWS, 1).splitlines()[1:9]) + b"\n")
    for path in (MEMBERSHIP, REPORT):
        screen = page(audit, path)
        assert not warned(screen)
        assert [box.proto.title for box in screen.warning] == ["This release may expose people by itself"]
        assert "Whether that is more than chance cannot be said without a holdout" in shown(screen)


def test_another_file_is_looked_at_anew_in_a_session_that_saw_the_one_before() -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=in_order(), holdout=csv(ROWS, 2))
    screen = page(audit, MEMBERSHIP)
    assert len(warned(screen)) == 1
    press(screen.switch_page(DATA).run(), "drop_synthetic")
    drop(screen, "synthetic", csv(ROWS, 3))
    assert not warned(healthy(screen.switch_page(MEMBERSHIP).run()))
    audit.load("synthetic", in_order(), name="again.csv")
    assert len(warned(screen.run())) == 1


def test_a_column_taken_for_something_else_takes_verdicts_back() -> None:
    """What was played on other columns is no verdict on these: the number stays, the word goes."""
    audit = loaded(real=csv(ROWS, 1), synthetic=csv(ROWS, 1), holdout=csv(ROWS, 2))
    finished(audit, PLANS[ATTRIBUTES])
    screen = page(audit, ATTRIBUTES)
    assert verdicts(screen) == [("red", "▲ Leak shown")]
    header = screen.header[0].value
    audit.choose({"ward": ColumnChoice(role=Role.IGNORED)})
    screen.run()
    assert "earlier version of the data" in shown(healthy(screen))
    assert verdicts(screen) == []
    assert screen.header[0].value == header
    audit.choose({})
    assert verdicts(healthy(screen.run())) == [("red", "▲ Leak shown")]


@pytest.mark.usefixtures("timed")
def test_files_that_do_not_fit_are_said_once() -> None:
    audit = loaded(real=csv(ROWS, 1), synthetic=b"other\n" + b"1\n" * ROWS)
    screen = page(audit, MEMBERSHIP)
    assert len(refusals(screen)) == 1
