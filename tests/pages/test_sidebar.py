"""The side bar: the open audit on top with a switcher and a new one, pages in order, marks without emoji."""

import re
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.frame.sidebar import SWITCH
from riskkit.jobs.store import Audit, Store
from riskkit.language import say, speaking
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import faked, finished
from tests.pages.screens import AUDIT, PAGES, app, csv, from_code, healthy, hints, keys, loaded, opened, press, shown

EMOJI = re.compile("[\u231a-\u23ff\u2600-\u27bf\U0001f000-\U0001faff]")
"""Signs that a machine without an emoji font shows as boxes."""
TITLES = [
    "Audit", "Data", "Membership", "Records", "Attributes", "Singling out", "Linkability", "Reconstruction", "Compare",
    "Report", "Key combinations", "One run", "Explanations", "Contest", "Whole households", "Audits",
]  # fmt: skip
"""What the menu lists, in the order of the work."""


def links(screen: AppTest) -> list[tuple[str, str]]:
    """Label and icon of every page in the side bar."""
    return [(str(link.proto.label), str(link.proto.icon)) for link in screen.sidebar.get("page_link")]


def two() -> tuple[Audit, Audit]:
    return loaded(real=csv(60), synthetic=csv(60, 1)), loaded(real=csv(77))


def test_pages_stand_in_the_order_of_the_work_and_what_may_apply_apart() -> None:
    screen = healthy(app().run())
    assert [label for label, _ in links(screen)] == TITLES
    order = [(each.type, str(getattr(each.proto, "label", ""))) for each in screen.sidebar if each.type != "vertical"]
    (divider,) = [index for index, element in enumerate(order) if element[0] == "markdown"]
    assert "More" in str(screen.sidebar.markdown[0].value)
    last = [label for kind, label in order[divider:] if kind == "page_link"]
    assert last == TITLES[TITLES.index("Report") + 1 :]


def test_marks_and_icons_are_of_a_font_that_comes_along() -> None:
    audit, _ = two()
    faked(audit, "running", MembershipPlan(trainings=12), done=3, total=12)
    faked(audit, "finished", MembershipPlan(trainings=12), run="a" * 32)
    screen = healthy(opened(audit, AUDIT))
    assert links(screen)[0] == ("Audit :small[running]", "spinner")
    assert links(screen)[1] == ("Data", ":material/table_chart:")
    assert links(screen)[2] == ("Membership :small[running]", "spinner")
    assert [text for pair in links(screen) for text in pair if EMOJI.search(text)] == []
    for page in PAGES:
        assert not EMOJI.search(page.read_text(encoding="utf-8").splitlines()[0])


def test_of_two_questions_on_a_page_the_mark_names_the_one_that_is_answered() -> None:
    audit, _ = two()
    faked(audit, "finished", ReleasedPlan())
    assert links(opened(audit, AUDIT))[2][0] == "Membership :small[file alone]", "what cannot be read has no mark"
    faked(audit, "finished", MembershipPlan(trainings=12), run="a" * 32)
    assert links(opened(audit, AUDIT))[2][0] == "Membership"


def test_another_audit_opens_without_the_run_of_the_former() -> None:
    first, second = two()
    run = faked(first, "cancelled", MembershipPlan(trainings=12), done=3, total=12)
    screen = healthy(opened(first, AUDIT, run=run.id))
    assert screen.sidebar.selectbox[0].value == first.id
    screen.sidebar.selectbox[0].select(second.id).run()
    assert screen.query_params["audit"] in (second.id, [second.id])
    assert "run" not in screen.query_params
    assert "real 77 rows" in hints(healthy(screen))


def test_a_new_audit_begins_with_no_files_and_the_others_are_kept() -> None:
    first, _ = two()
    screen = press(opened(first, AUDIT), "side.new")
    assert "Nothing is loaded yet" in shown(healthy(screen))
    assert screen.title[0].value == "Can this table be released?"
    assert len(Store.default().audits()) == 2


@pytest.mark.parametrize("way", ["a new one", "another one"])
def test_a_browser_that_is_late_does_not_open_the_former_audit_again(way: str) -> None:
    first, second = two()
    screen = opened(first, AUDIT)
    late = WidgetStates(widgets=[widget for widget in screen._tree.get_widget_states().widgets if SWITCH in widget.id])
    assert len(late.widgets) == 1, "what the browser says of the menu while it still shows the former audit"
    if way == "a new one":
        screen = press(screen, "side.new")
    else:
        screen.sidebar.selectbox[0].select(second.id).run()
    screen = healthy(screen._run(late))
    now = screen.session_state["audit"] if "audit" in screen.session_state else None  # noqa: SIM401  it has no get
    assert now == (None if way == "a new one" else second.id)


def test_without_audits_there_is_nothing_to_switch_to() -> None:
    assert "side.new" not in keys(healthy(app().run()))


def in_japanese(english: str) -> str:
    with speaking("ja"):
        return say(english)


def again(screen: AppTest, language: str) -> AppTest:
    """That page once more; the test browser names what stands in menus in the language of whoever holds it."""
    with speaking(language):
        return healthy(screen.run())


def test_two_browsers_speak_two_languages_at_once() -> None:
    audit, _ = two()
    question, japanese = "Can this table be released?", in_japanese("Can this table be released?")
    here, there = opened(audit, AUDIT), opened(audit, AUDIT)
    menu = there.selectbox(key="side.language")
    assert (menu.label, menu.options, menu.value) == ("Language", ["English", "日本語"], "en")
    menu.set_value("ja").run()
    for _ in range(2):
        titles = [again(screen, name).title[0].value for screen, name in ((here, "en"), (there, "ja"))]
        assert titles == [question, japanese]
    assert "language" not in here.query_params
    reloaded = opened(audit, AUDIT, language=str(there.query_params["language"]))
    assert (reloaded.title[0].value, links(reloaded)[1][0]) == (japanese, in_japanese("Data"))
    assert opened(audit, AUDIT, language="xx").title[0].value == question


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_changes_its_language_in_the_middle(page: Path) -> None:
    audit, _ = two()
    finished(audit, ReleasedPlan(attacks=("dcr",)), run="b" * 32)
    screen = healthy(opened(audit, f"pages/{page.name}"))
    english = [text.value for text in screen.main.markdown]
    screen.query_params["language"] = "ja"
    assert re.search("[ぁ-ん]", shown(again(screen, "en")))
    assert not re.search("[ぁ-ん]", "".join(english))
    screen.query_params["language"] = "en"
    assert [text.value for text in again(screen, "ja").main.markdown] == english


def menus() -> None:
    import streamlit as st

    from riskkit.dashboard.frame import sidebar, state
    from riskkit.language import Readings, phrase, speaking

    with speaking(state.language()):
        names = Readings(data=phrase("Data"), report=phrase("Report"), audit=phrase("Audit"))
        st.selectbox("One", list(names), format_func=names.__getitem__, key="one")
        st.multiselect("Some", list(names), format_func=names.__getitem__, key="some")
        sidebar.choose_language()


def test_what_was_chosen_in_a_menu_stays_chosen_in_another_language() -> None:
    screen = from_code(menus)
    screen.selectbox(key="one").set_value("report")
    screen.multiselect(key="some").set_value(["audit"]).run()
    screen.selectbox(key="side.language").set_value("ja").run()
    menu, several = screen.selectbox(key="one").proto, screen.multiselect(key="some").proto
    assert (menu.raw_value, menu.set_value) == (in_japanese("Report"), True)
    assert (list(several.raw_values), several.set_value) == ([in_japanese("Audit")], True)
    assert [again(screen, "ja").session_state[name] for name in ("one", "some")] == ["report", ["audit"]]


def test_a_page_has_the_mark_of_its_verdict_from_the_first_look_at_the_answers() -> None:
    """Before, every page with a result had a tick, which beside a leak read as passed."""
    audit = loaded(real=csv(240, 0), synthetic=csv(240, 0), holdout=csv(240, 1))
    finished(audit, ReleasedPlan(attacks=("dcr",)))
    assert links(opened(audit, AUDIT))[2][0] == "Membership :small[:red[▲] · file alone]"
    other = loaded(real=csv(240, 0), synthetic=csv(240, 3), holdout=csv(240, 1))
    finished(other, ReleasedPlan(attacks=("dcr",)))
    assert links(opened(other, AUDIT))[2][0] == "Membership :small[:gray[◌] · file alone]"
