"""Limits on the pages: set once, kept with the audit, and the same in every session and on every page."""

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit
from riskkit.judging.measurement import SOURCES, Limit, own
from riskkit.questions import questions
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import finished
from tests.pages.screens import csv, healthy, loaded, opened, shown, verdicts

RELEASED, REPORT = "pages/2_membership.py", "pages/7_report.py"
PLAN = ReleasedPlan(attacks=("mc",))


@pytest.fixture
def audit() -> Audit:
    """A release of other people than the real ones, attacked."""
    made = loaded(real=csv(400, 1), synthetic=csv(400, 3), holdout=csv(400, 2))
    finished(made, PLAN)
    return made


def page(audit: Audit, path: str = RELEASED) -> AppTest:
    """That page in a session of its own."""
    return healthy(opened(audit, path, question="released"))


def key(audit: Audit, part: str) -> str:
    """The key of a control of the limit on the released file."""
    return f"limit.{audit.id}.released.{part}"


def set_to(screen: AppTest, audit: Audit, value: float, who: str = "", when: str = "") -> AppTest:
    """A limit of one's own, as a user sets it."""
    screen.selectbox(key=key(audit, "kind")).set_value("own").run()
    screen.slider(key=key(audit, "value")).set_value(value).run()
    if who:
        screen.text_input(key=key(audit, "who")).set_value(who).run()
    if when:
        screen.text_input(key=key(audit, "when")).set_value(when).run()
    return healthy(screen)


def controls(screen: AppTest, audit: Audit) -> tuple[str, float, str, str]:
    """What the controls of the limit say: kind, value, who, when."""
    return (
        str(screen.selectbox(key=key(audit, "kind")).value),
        float(screen.slider(key=key(audit, "value")).value),
        str(screen.text_input(key=key(audit, "who")).value),
        str(screen.text_input(key=key(audit, "when")).value),
    )


def popovers(screen: AppTest) -> list[str]:
    """What stands on the popovers of a page."""
    return [str(block.proto.popover.label) for block in screen.get("popover")]


def test_a_limit_is_kept_with_the_audit_and_moves_the_verdict_beside_it(audit: Audit) -> None:
    screen = page(audit)
    assert popovers(screen) == ["No limit is set"]
    assert verdicts(screen) == [("gray", "◌ Undecided")]
    assert "Set a limit" in shown(screen)
    set_to(screen, audit, 0.7, "the board", "2026-03-03")
    assert audit.limits == {"released": Limit(0.7, "the board", "2026-03-03")}
    assert popovers(screen) == ["Limit 0.70"]
    assert verdicts(screen) == [("gray", "● Within the limit")]
    assert "Set a limit" not in shown(screen)


@pytest.mark.parametrize("path", [RELEASED, REPORT])
def test_it_is_there_after_a_reload_and_on_another_page(audit: Audit, path: str) -> None:
    set_to(page(audit), audit, 0.7, "the board", "2026-03-03")
    again = page(audit, path)
    assert controls(again, audit) == ("own", 0.7, "the board", "2026-03-03")
    assert ("gray", "● Within the limit") in verdicts(again)


def test_pages_of_one_session_show_one_limit(audit: Audit) -> None:
    screen = set_to(page(audit), audit, 0.7, "the board")
    screen.switch_page(REPORT).run()
    assert controls(healthy(screen), audit)[:3] == ("own", 0.7, "the board")
    screen.slider(key=key(audit, "value")).set_value(0.8).run()
    screen.switch_page(RELEASED).run()
    assert controls(healthy(screen), audit)[:3] == ("own", 0.8, "the board")
    assert popovers(screen) == ["Limit 0.80"]


def test_a_second_session_that_was_open_before_shows_what_another_set(audit: Audit) -> None:
    """Both had a control of their own, which must not go on saying what is no longer kept."""
    screen, other = page(audit), page(audit, REPORT)
    assert other.selectbox(key=key(audit, "kind")).value == "none"
    set_to(screen, audit, 0.7, "the board")
    other.run()
    assert controls(healthy(other), audit)[:3] == ("own", 0.7, "the board")
    assert ("gray", "● Within the limit") in verdicts(other)
    other.slider(key=key(audit, "value")).set_value(0.52).run()
    screen.run()
    assert controls(screen, audit)[:3] == ("own", 0.52, "the board")
    assert popovers(screen) == ["Limit 0.52"]
    screen.selectbox(key=key(audit, "kind")).set_value("none").run()
    assert audit.limits == {}
    other.run()
    assert healthy(other).selectbox(key=key(audit, "kind")).value == "none"
    assert ("gray", "● Within the limit") not in verdicts(other)


def test_a_published_limit_keeps_its_source(audit: Audit) -> None:
    (published,) = [source for source in SOURCES if source.scale == "auc"]
    screen = page(audit, REPORT)
    screen.selectbox(key=key(audit, "kind")).set_value(published.key).run()
    assert audit.limits == {"released": published.limit}
    assert published.note in shown(healthy(screen))
    assert page(audit).selectbox(key=key(audit, "kind")).value == published.key


def test_who_set_it_stays_empty_where_nobody_said(audit: Audit) -> None:
    set_to(page(audit), audit, 0.7)
    assert audit.limits["released"] == own(0.7)
    assert controls(page(audit), audit) == ("own", 0.7, "", "")


def test_the_limits_of_other_questions_stay(audit: Audit) -> None:
    audit.limit_to({"attributes": own(0.2, "somebody")})
    set_to(page(audit), audit, 0.7)
    assert audit.limits == {"attributes": own(0.2, "somebody"), "released": own(0.7)}


@pytest.mark.parametrize("value", [0.503, 0.998])
def test_a_limit_that_no_slider_has_is_shown_as_it_is(audit: Audit, value: float) -> None:
    """The command line takes any number above guessing."""
    audit.limit_to({"released": own(value)})
    for path in (RELEASED, REPORT):
        assert controls(page(audit, path), audit)[:2] == ("own", value)
    assert audit.limits["released"].value == value


def test_there_is_no_limit_to_set_for_what_nobody_asked(audit: Audit) -> None:
    screen = page(audit, REPORT)
    named = [box.label for box in screen.selectbox if ": limit on the " in box.label]
    assert named == [f"{questions()['released'].title}: limit on the AUC"]
