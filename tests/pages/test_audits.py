"""The Audits page in every state: what it says of each run, and what its buttons do to the store."""

import time
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit import report_facts
from riskkit.dashboard.frame import run_state, verdicts
from riskkit.dashboard.pages import audits, question_page
from riskkit.errors import DesignError
from riskkit.jobs.database import audits as audits_table
from riskkit.jobs.leases import STALE_AFTER, place
from riskkit.jobs.runs import STATES, Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions import question, questions
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import changed, faked, finished
from tests.pages.screens import AUDIT, ROOT, app, csv, healthy, keys, labels, loaded, opened, press, refusals, shown

PAGE = "pages/8_audits.py"
PLAN = MembershipPlan(trainings=12)
FULL = "The disk where audits are kept is full. Make room on it, then go on."


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(), synthetic=csv(seed=1))


def page(audit: Audit | None, **query: str) -> AppTest:
    return healthy(opened(audit, PAGE, **query))


def bars(screen: AppTest) -> list[str]:
    """What the progress bars say."""
    return [str(bar.proto.text) for bar in screen.get("progress")]


def key(audit: Audit, run: Run, *parts: str) -> str:
    return ".".join(("audits", audit.id, run.id, *parts))


# --------------------------------------------------------------------------------------------------------------
# Empty, and every state


def test_without_any_audit_it_shows_the_two_ways_on_and_what_would_be_kept() -> None:
    screen = healthy(app().run().switch_page(PAGE).run())
    assert "Nothing is loaded yet" in shown(screen)
    assert "Nothing is sent anywhere else" in shown(screen)
    assert "empty_sample" in keys(screen)


def test_an_audit_without_runs_says_so(audit: Audit) -> None:
    text = shown(page(audit))
    assert "1 audit kept here; nothing is running." in text
    assert "Nothing has been run in this audit yet" in text
    assert "There are no two such runs yet" in text


def test_the_list_has_the_verdict_that_the_page_audit_showed_until_something_changes(audit: Audit) -> None:
    assert "Not run" in shown(page(audit))
    finished(audit, AttributePlan(secrets=("job",), model="cap", sweep_model="cap"))
    text = shown(page(audit))
    assert "Finished · the page Audit shows the verdict" in text
    assert ":green[" not in text.partition("Finished · ")[0]
    word = opened(audit, AUDIT).header[0].value
    text = shown(page(audit))
    assert f"**{word}**" in text
    assert "· 1 test" in text
    faked(audit, "failed", PLAN, run="f" * 32)
    assert "· 1 test" not in shown(page(audit)), "a run more: the verdict may be another"


def test_a_leak_that_tests_show_stands_in_the_list_before_anybody_has_looked_at_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leaky = loaded(real=csv(), synthetic=csv(), holdout=csv(seed=2))
    finished(leaky, ReleasedPlan(attacks=("dcr",)))
    looks: list[object] = []
    with monkeypatch.context() as closed:
        closed.setattr(verdicts, "give_aways_of", looks.append)
        closed.setattr(report_facts, "give_aways_of", looks.append)
        text = shown(page(leaky))
    assert ":red[**▲ Leak shown**]" in text
    assert "1 of 1 test" in text
    assert not looks
    opened(leaky, AUDIT)
    assert "copied rows" in shown(page(leaky))


@pytest.mark.parametrize(
    ("state", "more", "sentence", "hands"),
    [
        ("queued", {}, "It waits for a worker", {"Cancel", "Show on its page"}),
        ("running", {"stage": "Counted trainings"}, "Counted trainings", {"Cancel", "Show on its page"}),
        ("paused", {"error": FULL}, f"{FULL} Then press Resume", {"Resume", "Show on its page"}),
        ("interrupted", {}, "Its worker stopped without a message", {"Resume", "Show on its page"}),
        ("failed", {"error": "The holdout is too short."}, "The holdout is too short.", {"Resume"}),
        ("cancelled", {}, "You stopped it. What is done is kept", {"Resume"}),
        ("finished", {}, "", {"Show the result"}),
    ],
)
def test_every_state_says_what_is_done_what_it_needs_and_the_way_on(
    audit: Audit, state: str, more: dict[str, Any], sentence: str, hands: set[str]
) -> None:
    assert state in STATES
    faked(audit, state, PLAN, done=30, total=120, seconds_left=40.0, **more)
    screen = page(audit)
    text = shown(screen)
    assert run_state.badge(state) in "\n".join(str(mark.value) for mark in screen.markdown)
    assert sentence in text
    assert hands <= set(labels(screen))
    assert {"Resume", "Cancel"} - hands == {"Resume", "Cancel"} - set(labels(screen)), "no hand that does not fit"
    if state != "finished":
        left = " · about 40 seconds left" if state in ("queued", "running") else ""
        assert f"30 of 120 steps done{left}" in bars(screen)


def test_a_run_that_is_silent_is_interrupted(audit: Audit) -> None:
    run = faked(audit, "running", PLAN, done=3, total=12)
    changed(run, ticks=time.monotonic() - STALE_AFTER - 60)
    assert run_state.badge("interrupted") in "\n".join(str(mark.value) for mark in page(audit).markdown)


def test_a_run_of_other_data_says_what_it_needs_and_cannot_be_resumed(audit: Audit) -> None:
    run = faked(audit, "interrupted", PLAN, done=3, total=12)
    audit.load("real", csv(seed=9), name="real.csv")
    screen = page(audit)
    assert "It needs the files and columns it was started on" in shown(screen)
    assert screen.button(key=key(audit, run, "resume")).disabled


def test_a_run_of_a_plug_in_that_is_gone_does_not_close_the_page(audit: Audit) -> None:
    run = faked(audit, "finished", PLAN)
    changed(run, asked={**run.request, "plan": {**PLAN.as_dict(), "generators": ["gone_since"]}})
    assert "settings that this version does not know" in shown(page(audit))


def test_names_of_audits_are_read_letter_by_letter(audit: Audit) -> None:
    audit.rename("![x](http://127.0.0.1:9/x.png) <b>b</b> :red[r]")
    marks = "\n".join(str(mark.value) for mark in page(audit).markdown)
    assert "![x](http" not in marks
    assert "<b>b" not in marks
    assert ":red[r]" not in marks


def test_a_run_whose_settings_were_altered_is_said_and_the_others_stand(audit: Audit) -> None:
    base, _, _ = place(faked(audit, "finished", PLAN, run="a" * 32).path)
    with base.write() as connection:
        connection.exec_driver_sql("UPDATE runs SET asked = x'7b7d'")
    faked(audit, "cancelled", PLAN, run="b" * 32, done=3, total=12)
    text = shown(page(audit))
    assert "A run that cannot be read" in text
    assert "were altered on the disk" in text
    assert "You stopped it" in text


@pytest.mark.parametrize("name", [PAGE, "pages/2_membership.py", "pages/1_data.py"])
def test_an_altered_audit_that_is_open_is_a_sentence_on_every_page(audit: Audit, name: str) -> None:
    with audit.base.write() as connection:
        connection.execute(audits_table.update().values(facts=b"{}"))
    assert "was altered on the disk" in shown(healthy(opened(audit, name)))


def test_a_store_that_is_no_database_is_a_sentence(audit: Audit) -> None:
    home = audit.path.parents[1]
    for path in home.glob("store.db*"):
        path.unlink()
    (home / "store.db").write_bytes(b"no database" * 1000)
    assert "is damaged" in shown(healthy(opened(audit, PAGE)))


def test_an_audit_that_was_altered_is_said_and_can_be_deleted_and_the_others_stand(audit: Audit) -> None:
    other = loaded(real=csv(rows=77))
    with audit.base.write() as connection:
        connection.execute(audits_table.update().where(audits_table.c.id == other.id).values(facts=b"{}"))
    screen = page(audit)
    assert "was altered on the disk" in shown(screen)
    assert "1 audit kept here" in shown(screen)
    press(screen, f"audits.{other.id}.delete")
    assert "Deleted, " in shown(healthy(screen))
    assert [audit.id for audit in Store.default().audits()] == [audit.id]
    assert screen.query_params["audit"] == audit.id


# --------------------------------------------------------------------------------------------------------------
# The list


def test_every_audit_is_listed_with_its_foremost_run_and_opens(audit: Audit) -> None:
    other = loaded(real=csv(rows=77))
    other.rename("Registry")
    faked(other, "finished", PLAN, run="a" * 32)
    faked(other, "paused", PLAN, run="b" * 32, done=4, total=12, error=FULL)
    screen = page(audit)
    assert "2 audits kept here, 1 run that needs you." in shown(screen)
    assert ":small[:gray[Membership]]" in shown(screen), "no settings in the list"
    assert "4 of 12 steps done" in bars(screen)
    press(screen, f"audits.open.{other.id}")
    assert screen.query_params["audit"] == other.id
    assert "You stopped it" not in shown(healthy(screen))
    assert "Registry" in [head.value for head in screen.header]


def test_a_long_list_is_shown_in_parts() -> None:
    for number in range(audits.SHOWN + 3):
        Store.default().create(f"Study {number}")
    screen = healthy(app().run().switch_page(PAGE).run())
    opens = [name for name in keys(screen) if name.startswith("audits.open.")]
    assert len(opens) == audits.SHOWN
    press(screen, "audits.more")
    assert len([name for name in keys(screen) if name.startswith("audits.open.")]) == audits.SHOWN + 3
    assert "audits.more" not in keys(screen)


def test_two_audits_with_the_same_runs_stand_beside_each_other(audit: Audit) -> None:
    """Every button, field and chart of the page has a key of its own, also where everything is there twice."""
    other = loaded(real=csv(seed=3), synthetic=csv(seed=4))
    for own in (audit, other):
        faked(own, "running", PLAN, run="a" * 32, done=3, total=12)
        faked(own, "cancelled", PLAN, run="b" * 32, done=3, total=12)
        finished(own, PLAN, run="c" * 32)
    screen = page(audit)
    assert "Two runs of one question" in shown(screen)
    press(healthy(screen.run()), f"audits.open.{other.id}")
    assert f"audits.open.{audit.id}" in keys(healthy(screen))


# --------------------------------------------------------------------------------------------------------------
# What can be done with a run


def test_cancel_asks_the_worker_to_stop(audit: Audit) -> None:
    run = faked(audit, "running", PLAN, done=3, total=12)
    screen = press(page(audit), key(audit, run, "cancel"))
    assert run.is_cancelled
    assert "It stops within 10 seconds" in shown(healthy(screen))
    assert screen.button(key=key(audit, run, "cancel")).disabled


def test_resume_goes_on_with_that_run(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = faked(audit, "cancelled", PLAN, done=3, total=12)
    asked: list[str] = []
    monkeypatch.setattr(Run, "resume", lambda self, workers: asked.append(self.id))
    press(page(audit), key(audit, run, "resume"))
    assert asked == [run.id]


def test_a_run_that_may_not_go_on_says_why(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = faked(audit, "cancelled", PLAN, done=3, total=12)

    def refuse(*_: object) -> None:
        raise DesignError("Another version of riskkit began this run.")

    monkeypatch.setattr(Run, "resume", refuse)
    assert "Another version of riskkit began this run." in shown(press(page(audit), key(audit, run, "resume")))


def test_the_result_is_shown_on_its_page(audit: Audit) -> None:
    run = finished(audit, PLAN)
    screen = press(page(audit), key(audit, run, "show"))
    assert screen.title[0].value == "Can someone tell that a person is in the data?"
    assert screen.query_params["run"] == run.id
    assert screen.query_params["audit"] == audit.id
    assert "12 trainings" in shown(healthy(screen))


def test_the_log_is_there(audit: Audit) -> None:
    faked(audit, "running", PLAN)
    assert "Started by a test." in shown(page(audit))


def test_what_a_stopped_game_has_is_shown_with_its_own_number_of_trainings(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = question("membership").run(audit.tables(), PLAN).plain()
    labels = {name: whole["estimates"][0][name] for name in ("generator", "target", "position", "record", "attack")}
    part = {**whole, "partial": [{**labels, "trainings": 12, "of": 120}]}
    monkeypatch.setattr("riskkit.dashboard.frame.run_view.partial", lambda *_: part)
    run = faked(audit, "cancelled", replace(PLAN, trainings=120), done=40, total=360)
    screen = page(audit)
    assert not screen.dataframe
    screen.toggle(key=f"{key(audit, run)}.partial").set_value(True).run()
    text = shown(healthy(screen))
    assert "**12** of 120 trainings" in text
    assert "A verdict needs the whole run" in text
    (table,) = [frame.value for frame in screen.dataframe]
    assert set(table["n"]) == {12}
    assert "Leak shown" not in text


def test_a_question_without_parts_says_so(audit: Audit) -> None:
    faked(audit, "cancelled", AttributePlan(), done=3, total=9)
    assert "no part of its answer can be shown by itself" in shown(page(audit))


def test_every_question_has_its_page() -> None:
    there = {question: question_page.page_of(question) for question in questions()}
    assert all((ROOT / page).is_file() for page in there.values() if isinstance(page, str))
    assert {name for name, page in there.items() if not isinstance(page, str)} == {
        "one-run",
        "singling-out",
        "linkability",
        "reconstruction",
        "households",
        "keys",
    }
    assert None not in there.values()
    assert question_page.page_of("of tomorrow") is None
    bare = {question: question_page.page_of(question, has_icon=False) for question in questions()}
    assert {getattr(place, "icon", "") for place in bare.values()} == {""}, "names below each other begin alike"


# --------------------------------------------------------------------------------------------------------------
# What can be done with an audit


def test_it_gets_another_name(audit: Audit) -> None:
    screen = page(audit)
    screen.text_input(key=f"name_{audit.id}").set_value("Second try").run()
    assert audit.name == "Second try"


def test_a_copy_has_the_files_and_no_run_and_is_open(audit: Audit) -> None:
    faked(audit, "finished", PLAN)
    screen = page(audit)
    screen.text_input(key=f"audits.{audit.id}.copy_name").set_value("Twin").run()
    press(screen, f"audits.{audit.id}.copy")
    twin = next(other for other in Store.default().audits() if other.id != audit.id)
    assert (twin.name, twin.revision, twin.runs()) == ("Twin", audit.revision, [])
    assert screen.query_params["audit"] == twin.id
    assert audit.runs()


def test_deleting_leaves_nothing_but_a_receipt_of_hashes(audit: Audit) -> None:
    finished(audit, PLAN)
    sha = audit.files["real"]["sha256"]
    screen = press(page(audit), f"audits.{audit.id}.delete")
    assert Store.default().audits() == []
    assert not audit.path.exists()
    text = shown(healthy(screen))
    assert "Deleted, " in text
    assert "It cannot be undone." in text
    receipt = "\n".join(str(code.value) for code in screen.code)
    assert sha in receipt
    assert "Ward study" not in receipt + text.split("What is kept")[0].replace("Audits", "")
    press(screen, "audits.receipt.close")
    assert "Deleted, " not in shown(screen)
    assert any("Receipts of what was removed so far (1)" in box.label for box in screen.expander), "kept all the same"


def test_a_run_that_goes_on_is_said_before_it_is_deleted_with_its_audit(audit: Audit) -> None:
    faked(audit, "running", PLAN)
    assert "1 run is still going on; it is stopped first" in shown(page(audit))


def test_settings_of_a_run_are_changed_and_run(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = faked(audit, "finished", PLAN)
    asked: list[MembershipPlan] = []

    def start(_: Audit, plan: MembershipPlan, *, workers: int) -> Run:
        asked.append(plan)
        return run

    monkeypatch.setattr(Audit, "start", start)
    screen, field = page(audit), f"audits.{audit.id}.again.{run.id}"
    assert screen.button(key=f"{field}.run").disabled, "nothing is changed yet"
    screen.number_input(key=f"{field}.setting.trainings").set_value(20)
    screen.number_input(key=f"{field}.setting.seed").set_value(5)
    screen.multiselect(key=f"{field}.setting.attacks").set_value(["mvl"]).run()
    press(healthy(screen), f"{field}.run")
    assert asked == [replace(PLAN, trainings=20, seed=5, attacks=("mvl",))]


def test_settings_that_make_no_plan_are_a_sentence(audit: Audit) -> None:
    run = faked(audit, "finished", PLAN)
    screen, field = page(audit), f"audits.{audit.id}.again.{run.id}"
    screen.multiselect(key=f"{field}.setting.generators").set_value([]).run()
    assert "(generators): choose at least one" in " ".join(refusals(healthy(screen)))
    assert screen.button(key=f"{field}.run").disabled


def test_a_damaged_run_or_audit_hides_no_other_page(audit: Audit) -> None:
    """The line on top of every page asks which run is newest."""
    other = loaded(real=csv(rows=77))
    base, _, _ = place(faked(audit, "finished", PLAN, run="a" * 32).path)
    faked(audit, "cancelled", PLAN, run="b" * 32, done=3, total=12)
    with base.write() as connection:
        connection.exec_driver_sql("UPDATE runs SET asked = x'7b7d' WHERE id = ?", ("a" * 32,))
        connection.execute(audits_table.update().where(audits_table.c.id == other.id).values(facts=b"{}"))
    screen = healthy(opened(audit, "pages/1_data.py"))
    assert "altered" not in shown(screen)
