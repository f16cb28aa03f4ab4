"""What a steward can do about a release: what is suggested, what it would change, the new file and its audit."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.give_aways import look
from riskkit.dashboard.frame import shell
from riskkit.dashboard.pages import what_you_can_do
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.give_aways import State
from riskkit.plans import Plan
from riskkit.questions.keys.plan import KeysPlan
from riskkit.questions.keys.play import run_keys
from riskkit.questions.keys.result import KeysResult
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import provenance
from tests.pages.runs import finished
from tests.pages.screens import csv, keys, loaded, press, shown

PLAN = ReleasedPlan(attacks=("dcr",), reference="aside")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Plan]]:
    """The audits and plans that were started, none of which is played."""
    plans: list[tuple[str, Plan]] = []

    def start(audit: Audit, plan: Plan, **_: Any) -> Run:
        plans.append((audit.id, plan))
        return audit.run_of(plan)

    monkeypatch.setattr(Audit, "start", start)
    return plans


def drawn() -> None:
    """The part alone, as a page that calls it would draw it."""
    from riskkit.dashboard.frame import shell, state
    from riskkit.dashboard.pages import what_you_can_do

    with shell.guard():
        opened = state.current()
        assert opened is not None
        what_you_can_do.draw(opened)


def screen(audit: Audit, draws: Callable[[], None] = drawn) -> AppTest:
    """The part, or what draws another, for that audit."""
    made = AppTest.from_function(draws, default_timeout=60)
    made.query_params["audit"] = audit.id
    made.run()
    assert not made.exception
    return made


def combinations() -> None:
    """The page of key combinations."""
    from riskkit.dashboard.pages import question_page

    question_page.page("keys")


def key_of(audit: Audit, *parts: str) -> str:
    """The key of a control."""
    return ".".join((what_you_can_do.KEY, audit.id, *parts))


def copied() -> Audit:
    """A release that is the real table again, row by row."""
    return loaded(real=csv(150, 1), synthetic=csv(150, 1), holdout=csv(150, 2))


def others() -> list[Audit]:
    """Every audit but the first that was made."""
    return Store.default().audits()[:-1]


def test_without_a_release_it_says_what_to_do() -> None:
    assert "Load the real table and the release first" in shown(screen(loaded(real=csv(80, 1))))


def test_a_release_in_the_order_of_the_real_table_is_to_be_shuffled() -> None:
    audit = copied()
    made = screen(audit)
    assert made.checkbox(key=key_of(audit, "shuffle")).value is True
    assert "Shuffling removes the row order." in shown(made)


def some_copied(rows: int = 14) -> Audit:
    """A release with so many real rows behind its own."""
    real = csv(150, 1).splitlines()
    copies = b"\n".join([*csv(150, 2).splitlines(), *real[1 : rows + 1]])
    return loaded(real=csv(150, 1), synthetic=copies, holdout=csv(150, 3))


def answers() -> None:
    """The button under what the file shows, as the page Audit draws it."""
    from riskkit.dashboard.frame import state, verdicts
    from riskkit.dashboard.pages import what_you_can_do
    from riskkit.report.build import give_away_lines
    from riskkit.show.model import Class

    opened = state.current()
    assert opened is not None
    lines = give_away_lines(verdicts.facts_of(opened), kind=Class.RESTRICTED)
    for line in lines:
        what_you_can_do.repair_button(opened, line, lines)


def test_one_press_removes_the_copied_rows_and_compares(
    started: list[tuple[str, Plan]], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = some_copied()
    finished(audit, PLAN)
    seen: list[str] = []
    monkeypatch.setattr("streamlit.switch_page", seen.append)
    made = screen(audit, answers)
    button = made.button(key=key_of(audit, "copies_at_once"))
    assert button.label == "Remove the 14 copies and shuffle"
    assert "The gaps that they leave may show who was in" in button.help
    made = press(made, key_of(audit, "copies_at_once"))
    (new,) = others()
    assert new.files["synthetic"]["rows"] == 150
    assert (made.session_state["compare.left"], made.session_state["compare.right"]) == (audit.id, new.id)
    assert started == [(new.id, PLAN)]
    assert seen == [shell.COMPARE_PAGE]


def test_where_rows_are_copied_and_in_order_shuffling_alone_is_not_offered() -> None:
    real = csv(150, 1).splitlines()
    near = [row[:-1] + (b"1" if row.endswith(b"0") else b"0") for row in real[21:]]
    audit = loaded(real=csv(150, 1), synthetic=b"\n".join([*real[:21], *near]), holdout=csv(150, 3))
    lines = look(audit.tables())
    assert {"row_order", "copies"} <= {line.code for line in lines if line.state is State.SHOWN}
    made = screen(audit, answers)
    assert [button.label for button in made.button] == ["Remove the 20 copies and shuffle"]


def test_copied_rows_are_removed_with_what_else_is_changed(started: list[tuple[str, Plan]]) -> None:
    audit = some_copied()
    made = screen(audit)
    assert made.checkbox(key=key_of(audit, "copies")).value is True
    assert "Take copied rows out" in shown(made)
    press(made, key_of(audit, "make"))
    (new,) = others()
    assert new.files["synthetic"]["rows"] == 150
    assert started == []


def test_where_nothing_else_would_be_left_copied_rows_stay_and_help_says_why() -> None:
    audit = copied()
    box = screen(audit).checkbox(key=key_of(audit, "copies"))
    assert (box.value, box.disabled) == (False, True)
    assert "are no copies" in screen(audit, answers).button(key=key_of(audit, "copies_at_once")).help


def test_a_release_in_an_order_of_its_own_is_left_alone() -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2))
    made = screen(audit)
    assert made.checkbox(key=key_of(audit, "shuffle")).value is False
    assert made.button(key=key_of(audit, "make")).disabled


def test_one_press_makes_the_file_and_audits_it(started: list[tuple[str, Plan]]) -> None:
    audit = copied()
    finished(audit, PLAN)
    made = press(screen(audit), key_of(audit, "make"))
    (new,) = others()
    assert started == [(new.id, PLAN)]
    assert Counter(new.source("synthetic").splitlines()) == Counter(csv(150, 1).replace(b'"', b"").splitlines())
    assert new.source("synthetic") != csv(150, 1).replace(b'"', b"")
    assert f"mend.{new.id}.open" in keys(made)
    assert made.get("download_button")[0].proto.label == "Download"
    assert "synthetic\\_shuffled.csv" in shown(made).replace("⁠", "") or "synthetic_shuffled.csv" in shown(made)


def test_what_coarser_columns_would_do_is_said_before_it_is_done() -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2))
    made = screen(audit)
    made.multiselect(key=key_of(audit, "coarsen")).set_value(["age", "ward"]).run()
    made.number_input(key=key_of(audit, "coarsen", "age", "bins")).set_value(4.0).run()
    text = shown(made)
    assert "age: " in text
    assert "different values become 4" in text
    assert "ward: Nothing changes" in text
    assert not made.button(key=key_of(audit, "make")).disabled
    assert not others(), "nothing is made before the button is pressed"


def test_a_coarser_file_has_no_known_method_and_the_page_says_so(started: list[tuple[str, Plan]]) -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2))
    audit.set_provenance(provenance("independent"))
    made = screen(audit)
    made.multiselect(key=key_of(audit, "drop")).set_value(["ward"]).run()
    assert "No method made the changed file" in shown(made)
    press(made, key_of(audit, "make"))
    (new,) = others()
    assert not new.provenance.is_known
    assert started == []


def test_people_are_left_out_only_where_a_method_can_make_the_release_anew(started: list[tuple[str, Plan]]) -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2))
    assert key_of(audit, "without") not in keys(screen(audit))
    audit.set_provenance(provenance("independent"))
    made = screen(audit)
    made.text_input(key=key_of(audit, "rows")).set_value("3, 17").run()
    press(made, key_of(audit, "without"))
    (new,) = others()
    assert new.files["real"]["rows"] == 148
    assert new.mending["left_out"] == [3, 17]
    assert started == []


@pytest.mark.parametrize(("rows", "why"), [("three", "whole numbers"), ("150", "rows 0 to 149")])
def test_rows_that_are_not_there_are_a_sentence(rows: str, why: str) -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2))
    audit.set_provenance(provenance("independent"))
    made = screen(audit)
    made.text_input(key=key_of(audit, "rows")).set_value(rows).run()
    made = press(made, key_of(audit, "without"))
    assert why in shown(made)
    assert not others()


def test_the_new_audit_is_opened_from_its_line(started: list[tuple[str, Plan]]) -> None:
    audit = copied()
    made = press(screen(audit), key_of(audit, "make"))
    (new,) = others()
    made = press(made, f"mend.{new.id}.open")
    assert new.id in made.query_params["audit"]
    assert started == []


def test_of_several_releases_one_is_mended_at_a_time() -> None:
    audit = loaded(real=csv(), synthetic=csv(100, 1), release_2=csv(100, 2))
    made = screen(audit)
    assert "2 releases are loaded, and one is changed at a time" in shown(made)
    assert not keys(made)


def test_one_press_on_the_page_of_key_combinations_makes_the_release_that_it_says(
    started: list[tuple[str, Plan]],
) -> None:
    audit = loaded(real=csv(150, 1), synthetic=csv(150, 2), holdout=csv(150, 3))
    plan = KeysPlan(keys=("age", "ward"))
    result = KeysResult.from_plain(finished(audit, plan).result)
    before, best = result.tables[1], result.coarser[0]
    press(screen(audit, combinations), key_of(audit, "make_way"))
    (new,) = others()
    assert started == [(new.id, plan)]
    after = run_keys(new.tables(), plan).tables[1]
    assert (after.smallest, after.alone) == (best.smallest, best.alone)
    assert (after.smallest, -after.alone) > (before.smallest, -before.alone)


def test_of_a_table_without_a_release_nothing_is_offered() -> None:
    audit = loaded(real=csv(150, 1))
    finished(audit, KeysPlan(keys=("age", "ward")))
    assert key_of(audit, "make_way") not in keys(screen(audit, combinations))
