"""What is around every page: title and strip, empty state, problems, errors, ticks, menus of columns, switches."""

import logging
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit import sample
from riskkit.dashboard.frame import shell, state
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from tests.pages.runs import changed, faked
from tests.pages.screens import (
    AUDIT,
    DATA,
    LIMIT,
    PAGES,
    app,
    csv,
    from_code,
    healthy,
    hints,
    keys,
    loaded,
    opened,
    press,
    refuses_nothing,
    shown,
    unmarked,
)

# --------------------------------------------------------------------------------------------------------------
# Every page in every state


def on(page: Path, audit: Audit | None) -> AppTest:
    where = f"pages/{page.name}"
    if audit is not None:
        return opened(audit, where)
    return app().run().switch_page(where).run()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_without_an_audit_offers_the_two_ways_on(page: Path) -> None:
    screen = on(page, None)
    assert refuses_nothing(screen)
    assert "Nothing is loaded yet" in shown(screen)
    assert "empty_sample" in keys(screen)
    if f"pages/{page.name}" not in (AUDIT, DATA):
        assert "Load your files" in {button.label for button in screen.button}
        assert "Drop three files" in shown(press(screen, "empty_load"))


def test_files_that_do_not_fit_are_not_called_ready() -> None:
    apart = loaded(real=csv(), synthetic=csv(names=("a", "b", "c", "d")))
    text = shown(opened(apart, "pages/7_report.py"))
    assert "its files do not fit together yet" in text
    assert "ready" not in text
    assert "ready, nothing run yet" in shown(opened(loaded(real=csv(), synthetic=csv(seed=1)), "pages/7_report.py"))


@pytest.mark.parametrize("slots", [("real",), ("synthetic",), ("holdout",)], ids="+".join)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_with_half_an_audit_stands(page: Path, slots: tuple[str, ...]) -> None:
    screen = on(page, loaded(**{slot: csv(seed=index) for index, slot in enumerate(slots)}))
    assert refuses_nothing(screen)
    assert not screen.error
    assert "Ward study" in shown(screen)


PLAYED = "6_contest"
"""The page whose plan is timed by contests of its many releases: seconds, so for the second stage."""


@pytest.mark.usefixtures("timed")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=[pytest.mark.second] * (page.stem == PLAYED)) for page in PAGES],
)
def test_page_with_a_loaded_audit_stands(page: Path) -> None:
    screen = on(page, loaded(real=csv(), synthetic=csv(seed=1), holdout=csv(seed=2)))
    assert refuses_nothing(screen)
    assert not screen.error


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_alone_stands(page: Path) -> None:
    screen = AppTest.from_file(str(page), default_timeout=LIMIT).run()
    assert refuses_nothing(screen)
    assert screen.title


def test_sample_opens_with_one_button() -> None:
    screen = press(app().run(), "empty_sample")
    audit = Store.default().audits()[0]
    assert screen.query_params["audit"] == audit.id
    assert set(audit.files) == {"real", "synthetic", "holdout"}
    strip = shown(screen).splitlines()[1]
    assert audit.files["real"]["sha256"][:8] not in strip, "no hash in the flow"
    assert audit.files["real"]["sha256"] in str(screen.markdown[0].proto.help)
    for words in (sample.NAME, "nothing run yet"):
        assert words in strip
    for words in ("2,000 rows", "saved"):
        assert words in hints(screen)


def test_strip_says_what_was_asked_and_how_far_it_is() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    plan = MembershipPlan(generators=("bayesnet", "stat"))
    run = faked(audit, "running", plan, stage="", done=3, total=40)
    assert "Membership · running, 3 of 40 steps" in shown(opened(audit))
    changed(run, state="finished")
    assert "Membership · finished" in hints(opened(audit))
    changed(run, asked={**run.request, "plan": {**plan.as_dict(), "generators": ["gone_since"]}})
    screen = opened(audit)
    assert "Membership · finished" in hints(screen)
    assert "share 4 columns" in shown(screen), "an old run must not close the page"


def test_audit_of_the_address_is_open_and_stays_open_on_the_next_page() -> None:
    screen = opened(loaded(real=csv(), synthetic=csv(seed=1)))
    for page in PAGES:
        screen.switch_page(f"pages/{page.name}").run()
        assert "Ward study" in shown(screen)


def test_address_of_a_deleted_audit_is_an_empty_page() -> None:
    audit = loaded(real=csv())
    screen = opened(audit)
    audit.delete()
    assert "Nothing is loaded yet" in shown(screen.run())


# --------------------------------------------------------------------------------------------------------------
# Ticks in the menu


def test_files_alone_are_no_result() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    assert state.mark("data", None) == state.mark("membership", audit) == ""
    assert state.mark("data", audit) == ""


def test_hourglass_says_that_a_result_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    run_now = {"state": "running", "revision": audit.revision}
    monkeypatch.setattr(Audit, "runs", lambda self, _question: [Run(self.path / "runs" / "one")])
    monkeypatch.setattr(Run, "revision", property(lambda self: run_now["revision"]))
    monkeypatch.setattr(Run, "state", property(lambda self: run_now["state"]))
    assert state.mark("membership", audit) == state.BUSY
    run_now["state"] = "finished"
    assert state.mark("membership", audit) == state.DONE
    run_now["revision"] = "of other files"
    assert state.mark("membership", audit) == ""


def titles(folder: str) -> None:
    from pathlib import Path

    import streamlit as st

    from riskkit.dashboard.frame import state

    for page in state.pages(Path(folder)):
        st.markdown(f"{page.title} {page.icon}")


def test_titles_and_icons_come_from_the_pages_themselves(tmp_path: Path) -> None:
    (tmp_path / "10_last.py").write_text('"""Last · 🎈\n\nMore."""', encoding="utf-8")
    (tmp_path / "9_first.py").write_text('"""First · 🎈"""', encoding="utf-8")
    (tmp_path / "helper.py").write_text("", encoding="utf-8")
    assert shown(from_code(titles, folder=str(tmp_path))).splitlines() == ["First 🎈", "Last 🎈"]


# --------------------------------------------------------------------------------------------------------------
# Text that came with a file


HOSTILE = [
    "![x](http://127.0.0.1:9/x.png)", "[x](javascript:alert(1))", "<img src=x onerror=alert(1)>", ":red[x]",
    ":material/home:", ":smile:", "$\\frac{1}{0}$", "`code`", "**bold**", "_em_", "~~gone~~", "| a | b |", "# title",
    "- item", "1. item", "> quote", "http://evil.test", "www.evil.test", "a@evil.test", "&lt;b&gt;", "a\n\n# b",
    "x -> y", "\\*", "^1", "=cmd", "@pd.io.common.os.system('x')", "普通の名前", "a_b_c", "{x}", "[^1]: note",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_keeps_its_letters(text: str) -> None:
    assert unmarked(shell.plain(text)) == " ".join(text.split()).replace("\\", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_holds_no_markup(text: str) -> None:
    """No sign of Markdown without its backslash, and nothing that is linked, iconified or directed without signs."""
    out = shell.plain(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>#|~$&!^]", out)
    assert not re.search(r":[/\w\[]|@\w|www\.", out)
    assert not re.match(r"[-+=]|\d+[.)]", out)


def test_plain_text_is_one_line_without_signs_that_turn_it_round() -> None:
    assert shell.plain("a\r\nb\u202ec\x00d\u2028e") == "a b c d e"


# --------------------------------------------------------------------------------------------------------------
# Problems and errors


def problems(many: int) -> None:
    from riskkit.dashboard.frame import shell
    from riskkit.errors import Gravity, Problem

    shell.problem_list(
        [
            *[Problem(Gravity.REPAIR, "r", f"Mended {index}.", "") for index in range(many)],
            Problem(Gravity.QUESTION, "q", "Asked.", "Answer.", "a_b.csv", "[x](y)", 12),
            Problem(Gravity.ERROR, "e", "Broken.", "Mend it."),
        ]
    )


def test_problems_stand_by_gravity_with_word_icon_and_repair() -> None:
    lines = [mark.value for mark in from_code(problems, many=1).markdown]
    assert [re.search(r"\*\*(.+?)\*\*", line).group(1) for line in lines] == [  # type: ignore[union-attr]
        "Must be corrected",
        "Please check",
        "Changed while reading",
    ]
    assert all(":material/" in line for line in lines)
    assert unmarked(lines[1]).endswith("· a_b.csv, column [x](y), line 12: Asked.  \nAnswer.")
    assert "\\[x\\]" in lines[1]


def test_many_problems_of_one_gravity_are_folded() -> None:
    screen = from_code(problems, many=shell.SHOWN + 4)
    assert [box.label for box in screen.expander] == ["4 more: changed while reading"]
    assert len(screen.expander[0].markdown) == 4


def breaks() -> None:
    import streamlit as st

    from riskkit.dashboard.frame import shell

    with shell.guard():
        st.markdown("before")
        raise ValueError("Jane Doe HIV-positive")


def test_last_resort_shows_a_reference_and_never_the_text(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        screen = from_code(breaks)
    assert not screen.exception
    reference = re.search(r"reference ([0-9A-F]{8})", screen.error[0].value).group(1)  # type: ignore[union-attr]
    assert "before" in shown(screen)
    assert "Jane" not in shown(screen) + caplog.text
    assert f"{reference}: ValueError at " in caplog.text


def refuses() -> None:
    from riskkit.dashboard.frame import shell
    from riskkit.errors import SchemaError

    with shell.guard():
        raise SchemaError.of("x", "Bad.", "Mend it.", file="a.csv", column="<b>")


def test_error_of_ours_is_its_sentence() -> None:
    screen = from_code(refuses)
    assert unmarked(screen.error[0].value) == "a.csv, column '<b>': Bad. Mend it."
    assert "\\<b\\>" in screen.error[0].value


def stops() -> None:
    import streamlit as st

    from riskkit.dashboard.frame import shell

    with shell.guard():
        if "again" not in st.session_state:
            st.session_state["again"] = True
            st.rerun()
        st.markdown("after the rerun")
        if st.session_state["again"]:
            st.stop()
    st.markdown("never")


def test_reruns_and_stops_are_no_errors() -> None:
    screen = from_code(stops)
    assert shown(screen) == "after the rerun"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s ago"),
        (12, "12 s ago"),
        (61, "1 min ago"),
        (7300, "2 h ago"),
        (90_000, "1 day ago"),
        (2e5, "2 days ago"),
    ],
)
def test_time_is_told_in_the_largest_unit_that_says_enough(seconds: float, text: str) -> None:
    assert shell.ago(seconds) == text


def test_a_visitor_who_names_no_audit_is_shown_the_one_the_dashboard_was_started_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started, another = loaded(real=csv(), synthetic=csv(seed=1)), loaded(real=csv(rows=77))
    monkeypatch.setenv("RISKKIT_OPEN", started.id)
    assert "real 120 rows · synthetic 120 rows" in hints(app().run())
    assert "77 real rows" in shown(opened(another))


def test_an_audit_that_was_left_does_not_come_back_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_OPEN", loaded(real=csv(), synthetic=csv(seed=1)).id)
    screen = press(app().run(), "side.new")
    assert "Nothing is loaded yet" in shown(screen.run())


def test_an_audit_to_open_that_is_gone_leaves_the_empty_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_OPEN", "0" * 32)
    assert "Nothing is loaded yet" in shown(app().run())


NAMES = ("most_frequent", "*ward*", "job", "[score](x)")


@pytest.mark.parametrize("question", ["attributes", "explanations"])
def test_a_menu_shows_the_letters_of_a_name_and_no_backslash(question: str) -> None:
    """Markdown is taken out of what Streamlit reads as Markdown; a menu shows plain text."""
    page = next(f"pages/{place.name}" for place in PAGES if question in place.name.lower())
    real, holdout = csv(200, 0, names=NAMES), csv(200, 1, names=NAMES)
    audit = loaded(real=real, synthetic=csv(200, 2, names=NAMES), holdout=holdout)
    screen = healthy(opened(audit, page))
    options = [choice for menu in (*screen.selectbox, *screen.multiselect) for choice in menu.options]
    assert "most_frequent" in options
    assert not [choice for choice in options if "\\" in choice]


def _both() -> None:
    import streamlit as st

    from riskkit.dashboard.frame import switches

    on = switches.toggle("Loud", True, key="loud", help="Whether it shouts.")
    agreed = switches.checkbox("Agreed", key="agreed", help="What it means.")
    plain = switches.toggle("Plain", key="plain")
    st.text(f"{on} {agreed} {plain}")


def test_a_switch_is_the_widget_with_its_help_beside_it() -> None:
    screen = from_code(_both)
    assert screen.text[0].value == "True False False"
    assert [each.help for each in (*screen.toggle, *screen.checkbox)] == ["", "", ""]
    assert [each.proto.help for each in screen.markdown] == ["Whether it shouts.", "What it means."]
    screen.checkbox(key="agreed").check().run()
    assert screen.text[0].value == "True True False"


def test_no_page_has_a_switch_with_help_in_its_label() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1), holdout=csv(seed=2))
    screens = [healthy(opened(audit, f"pages/{page.name}")) for page in PAGES]
    switches = [each for screen in screens for each in (*screen.toggle, *screen.checkbox)]
    assert len(switches) > 10
    assert [each.label for each in switches if each.help] == []


@pytest.mark.parametrize("question", ["one-run", "households", "reconstruction"])
def test_no_page_that_follows_from_a_plan_has_one(question: str) -> None:
    def drawn(name: str) -> None:
        from riskkit.dashboard.pages import question_page

        question_page.page(name)

    audit = loaded(real=csv(), synthetic=csv(seed=1), holdout=csv(seed=2))
    screen = AppTest.from_function(drawn, kwargs={"name": question}, default_timeout=60)
    screen.query_params["audit"] = audit.id
    screen.run()
    assert [each.label for each in (*screen.toggle, *screen.checkbox) if each.help] == []
