"""The page Audit: three files, four questions, one button, and the answers in their place."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.repair import mend_audit
from riskkit.core import Kind
from riskkit.dashboard.forms import launch, pilots
from riskkit.dashboard.pages import release_run
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.judging.measurement import own
from riskkit.judging.provenance import Provenance
from riskkit.mend.release import Mending
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.forecasts import Forecast, SharedTrainings
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.standard import PERSON, SEVERAL, Effort, StewardAnswers
from tests.pages.runs import faked, finished
from tests.pages.screens import (
    AUDIT,
    app,
    csv,
    drop,
    healthy,
    keys,
    loaded,
    opened,
    press,
    shown,
    unmarked,
    verdicts,
)

REPORT = "pages/7_report.py"
FILE = ["released", "attributes", "singling-out", "linkability"]
"""What is asked of the file alone."""
NEAREST = ReleasedPlan(attacks=("dcr",), reference="aside")


def three(**more: bytes) -> Audit:
    """An audit with its three files; the release is of other people."""
    return loaded(**{"real": csv(120, 1), "synthetic": csv(120, 3), "holdout": csv(120, 2), **more})


def key(audit: Audit, what: str) -> str:
    """The key of a control of the page."""
    return f"release.{audit.id}.{what}"


def page(audit: Audit | None) -> AppTest:
    """The page in a session of its own."""
    return healthy(opened(audit, AUDIT))


def played(screen: AppTest, monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """What *Run the audit* would play, in the order in which it was started."""
    started: list[Plan] = []

    def start(audit: Audit, plan: Plan, *, workers: int) -> Run:
        started.append(plan)
        return faked(audit, "queued", plan, run=f"{len(started)}" * 32)

    monkeypatch.setattr(Audit, "start", start)
    press(screen, "release.run")
    return started


# --- before anything is asked ----------------------------------------------------------------------------------------


def test_without_files_the_page_asks_for_three_and_offers_the_sample() -> None:
    screen = page(None)
    assert [uploader.label for uploader in screen.file_uploader] == [
        "Real table",
        "Synthetic table",
        "Holdout (recommended)",
    ]
    assert "empty_sample" in keys(screen)
    assert "release.run" not in keys(screen)
    assert "A holdout is a table of people from the same population" in shown(screen)


def test_a_file_dropped_at_the_root_begins_an_audit() -> None:
    screen = drop(page(None), "real", csv(80))
    (audit,) = Store.default().audits()
    assert "The synthetic table is still missing" in shown(healthy(screen))
    screen = healthy(drop(screen, "synthetic", csv(80, 2)))
    assert set(audit.files) == {"real", "synthetic"}
    assert not screen.button(key="release.run").disabled, "what the file says by itself can be looked at"
    assert "Without a holdout no question about the file can be decided" in shown(screen)
    assert "say how the release was made" in shown(screen)
    screen = healthy(drop(screen, "holdout", csv(80, 4)))
    assert not screen.button(key="release.run").disabled
    assert "Questions it asks: The released file, Attributes, Singling out, Linkability." in shown(screen)


def test_files_that_do_not_fit_are_corrected_where_that_is_said() -> None:
    audit = loaded(real=csv(80), synthetic=csv(80, names=("a", "b", "c", "d")))
    screen = page(audit)
    assert screen.error
    assert {"names_synthetic_save", "drop_synthetic"} <= set(keys(screen))
    assert "release.run" not in keys(screen)
    assert not any("Data" in str(link.proto.label) for link in screen.main.get("page_link")[:-1]), "no way in a circle"


def test_decisions_that_the_files_do_not_bear_are_forgotten_where_that_is_said() -> None:
    audit = loaded(real=csv(80, names=("age", "ward", "job", "score")), synthetic=csv(80, 2))
    audit.choose({"ward": ColumnChoice(kind=Kind.NUMERIC)})
    screen = page(audit)
    assert screen.error
    press(screen, "columns_forget")
    assert not healthy(screen).error
    assert "release.run" in keys(screen)


@pytest.mark.parametrize("slot", ["real", "synthetic", "holdout"])
def test_a_file_that_is_taken_out_and_put_back_wipes_no_answer(slot: str) -> None:
    audit = three()
    audit.set_provenance(Provenance("stat"))
    answers = StewardAnswers(row=PERSON, secrets=("job",), known=("age",))
    audit.answer(answers)
    audit.choose({"age": ColumnChoice(kind=Kind.CATEGORICAL)})
    choices = audit.choices
    screen = press(page(audit), f"drop_{slot}")
    files = {"real": csv(120, 1), "synthetic": csv(120, 3), "holdout": csv(120, 2)}
    healthy(drop(screen, slot, files[slot]))
    assert (audit.answers, audit.choices, audit.provenance.method) == (answers, choices, "stat")


def test_what_the_file_gives_away_is_said_before_anything_is_asked() -> None:
    screen = page(three(synthetic=csv(120, 1).replace(b"\n", b"\r\n")))  # as another program saved it
    order, copies = (unmarked(box.value) for box in screen.error[:2])
    assert order == "**The row order reveals who is who: it follows the real table.**"
    assert copies == "**The release copies 120 real rows.**"


@pytest.mark.parametrize(("synthetic", "two"), [(csv(120, 1), "Real table"), (csv(120, 2), "holdout")])
def test_one_file_in_two_places_is_a_slip_and_no_finding(synthetic: bytes, two: str) -> None:
    """It was called a release in the order of the real table, with *Shuffle the rows* under it."""
    screen = page(three(synthetic=synthetic))
    (slip,) = screen.error
    assert two in slip.value
    assert "the same file" in slip.value
    assert "release.run" not in keys(screen)


# --- four questions --------------------------------------------------------------------------------------------------


def test_every_question_begins_with_i_do_not_know() -> None:
    audit = three()
    screen = page(audit)
    for menu in (f"provenance.{audit.id}.menu", key(audit, "row")):
        box = screen.selectbox(key=menu)
        assert box.options[box.index or 0] == "I don't know"
    for menu in ("secrets", "known"):
        assert screen.multiselect(key=key(audit, menu)).value == []
        assert screen.multiselect(key=key(audit, menu)).proto.placeholder == "I don't know"
    assert audit.answers == StewardAnswers()


def test_one_click_says_the_method_and_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    screen = page(audit)
    screen.selectbox(key=f"provenance.{audit.id}.menu").set_value("stat").run()
    assert audit.provenance == Provenance("stat")
    assert "Questions it asks: The released file, Attributes, Singling out, Linkability, Membership, Records." in shown(
        healthy(screen)
    )
    screen.selectbox(key=f"provenance.{audit.id}.menu").set_value("unknown").run()
    assert not audit.provenance.is_known
    assert [plan.question for plan in played(healthy(screen), monkeypatch)] == FILE


def test_the_settings_of_the_method_are_one_click_further() -> None:
    audit = three()
    audit.set_provenance(Provenance("bayesnet:degree=2"))
    screen = page(audit)
    (degree,) = [field for field in screen.number_input if str(field.key).endswith("bayesnet.degree")]
    assert degree.value == 2
    degree.set_value(3).run()
    press(screen, f"provenance.{audit.id}.settings")
    assert audit.provenance == Provenance("bayesnet:degree=3")


def test_answers_are_kept_with_the_audit_and_asked_with(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    screen = page(audit)
    screen.multiselect(key=key(audit, "secrets")).set_value(["job"]).run()
    screen.multiselect(key=key(audit, "known")).set_value(["age", "ward"]).run()
    screen.selectbox(key=key(audit, "row")).set_value(SEVERAL).run()
    assert audit.answers == StewardAnswers(SEVERAL, ("job",), ("age", "ward"))
    again = page(audit)
    assert again.multiselect(key=key(audit, "secrets")).value == ["job"]
    assert "A person with several rows is exposed more" in shown(again)
    _, attributes, *_ = played(again, monkeypatch)
    assert isinstance(attributes, AttributePlan)
    assert (attributes.secrets, attributes.known) == (("job",), (("age", "ward"),))


# --- one button ------------------------------------------------------------------------------------------------------


def test_run_starts_what_applies_the_soonest_first_and_becomes_progress_and_cancel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    audit = three()
    audit.set_provenance(Provenance("stat"))
    screen = page(audit)
    monkeypatch.setattr(Audit, "run_of", _by_question)
    started = played(screen, monkeypatch)
    assert [plan.question for plan in started] == [*FILE, "membership", "records"]
    screen.run()
    assert screen.header[0].value == "The audit is under way"
    assert "release.cancel" in keys(healthy(screen))
    assert "release.run" not in keys(screen)
    (text,) = [bar.proto.text for bar in screen.main.get("progress")]
    assert re.fullmatch(r"0 of 6 questions answered · running for \d+:\d\d.*", text)
    press(screen, "release.cancel")
    assert all(run.is_cancelled for run in audit.runs())


def _by_question(audit: Audit, plan: Plan) -> Run:
    """The run of that question, wherever a test has put it."""
    return next(iter(audit.runs(plan.question)), Run(audit.path / "runs" / ("f" * 32)))


def test_more_effort_asks_for_more_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    screen = page(audit)
    screen.button_group(key=key(audit, "effort")).set_value(Effort.THOROUGH).run()
    assert audit.effort is Effort.THOROUGH
    again = page(audit)
    released, *_ = played(again, monkeypatch)
    assert released == ReleasedPlan(max_rows=50_000)


def test_a_method_that_is_not_here_any_more_is_said_and_nothing_breaks() -> None:
    audit = three()
    audit.set_provenance(Provenance("gone:x=1"))
    screen = page(audit)
    assert screen.button(key="release.run").disabled
    assert any("gone" in str(error.value) for error in screen.error)


def test_where_nothing_can_be_asked_the_page_says_what_one_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_run, "plans_for", lambda _: ())
    screen = page(loaded(real=csv(120, 1), synthetic=csv(120, 3)))
    assert screen.button(key="release.run").disabled
    (way,) = [box.value for box in screen.info if "One more thing is needed" in box.proto.title]
    assert "Load a holdout" in way
    assert "which method made the release" in way
    assert "No holdout?" in way


def test_before_it_is_timed_the_page_says_how_long_an_audit_usually_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pilots, "beside", lambda *_, **__: None)
    monkeypatch.setattr(pilots, "is_known", lambda _: False)
    audit = three()
    screen = page(audit)
    assert "usually about a minute; timing it on this computer" in shown(screen)
    screen.button_group(key=key(audit, "effort")).set_value(Effort.STANDARD).run()
    assert "usually about ten minutes; timing it on this computer" in shown(healthy(screen))


def test_after_cancel_there_is_one_way_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    monkeypatch.setattr(release_run, "plans_for", lambda _: (NEAREST,))
    faked(audit, "cancelled", NEAREST, run=audit.run_of(NEAREST).id, done=1, total=2)
    screen = page(audit)
    assert screen.button(key="release.run").label == "Go on with the audit"
    assert "on the page Audits" not in shown(screen)


def test_a_release_that_is_taken_out_and_put_back_keeps_what_was_said_of_it() -> None:
    audit = three()
    audit.set_provenance(Provenance("stat"))
    screen = press(page(audit), "drop_synthetic")
    screen = healthy(drop(screen, "synthetic", csv(120, 3)))
    assert audit.provenance.method == "stat"
    screen = press(screen, "drop_synthetic")
    healthy(drop(screen, "synthetic", csv(120, 4)))
    assert audit.provenance.method != "stat", "nobody has said how another file was made"


def test_the_answer_is_short_and_what_explains_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One leak: the verdict counts tests; what was not run, and what the file itself shows, are folded."""
    audit = three(synthetic=csv(120, 1))
    finished(audit, NEAREST)
    screen = page(audit)
    folds = [fold.label for fold in screen.expander]
    assert any("tests not run, 1 test does not apply" in fold for fold in folds)
    assert "Copies and row order" in folds
    assert "Nothing is known of this release from" not in shown(screen)
    assert "lies wholly above guessing" not in shown(screen), "the number stands beside the bar"
    assert not [each.value for each in screen.caption if "no limit is set" in str(each.value).lower()][1:], "said once"


def test_the_fold_of_the_files_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    finished(audit, NEAREST)
    (fold,) = [fold.label for fold in page(audit).expander if "Files and what is known of them" in fold.label]
    assert "real.csv" in fold
    assert "holdout.csv" in fold


def test_the_time_is_said_once_it_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    known: dict[Any, Any] = {}

    def beside(key: Any, make: Any, lost: Any) -> Any:
        known.setdefault(key, make)
        return known.get("forecast")

    monkeypatch.setattr(pilots, "beside", beside)
    monkeypatch.setattr(pilots, "is_known", lambda _: False)
    assert "timing it" in shown(page(audit))
    assert len(known) == len(FILE), "every question is timed"
    known["forecast"] = launch.Expectation(Forecast(50.0))
    monkeypatch.setattr("riskkit.dashboard.forms.launch.start_seconds", lambda _: 0.0)
    assert "about 3 min on this computer" in shown(page(audit)).replace("minutes", "min")
    shared = SharedTrainings(frozenset("abcd"), 12.0)  # all but 2 s are trainings that every question takes
    known["forecast"] = launch.Expectation(Forecast(50.0, shared=(shared,)))
    assert "about 56 seconds on this computer" in shown(page(audit))


def test_pilots_are_made_beside_the_page_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []
    monkeypatch.setattr(pilots._APART, "play", lambda make, _: make())

    def pilot(seconds: float) -> float:
        made.append(seconds)
        return seconds

    assert pilots_beside("a", lambda: pilot(3.0)) == 3.0
    assert pilots_beside("a", lambda: pilot(4.0)) == 3.0
    assert made == [3.0]


def pilots_beside(name: str, make: Any) -> float:
    """The pilot, waited for."""
    key = ("test_release", name)
    REAL_BESIDE(key, make, math.inf)
    while not pilots.is_known(key):
        pass
    seconds: float | None = REAL_BESIDE(key, make, math.inf)
    assert seconds is not None
    return seconds


REAL_BESIDE = pilots.beside


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def answered() -> Audit:
    """A release that copies people, about which one question was asked."""
    audit = three(synthetic=csv(120, 1))
    finished(audit, NEAREST)
    return audit


def test_the_answers_are_those_of_the_report(answered: Audit) -> None:
    for limits in ({}, {"released": own(0.99)}, {"released": own(0.6)}):
        answered.limit_to(limits)
        screen, report = page(answered), healthy(opened(answered, REPORT))
        assert screen.header[0].value == report.header[0].value
        assert [word for _, word in verdicts(screen)] == [word for _, word in verdicts(report)]
        value = next(
            str(text.value) for text in screen.markdown if re.match(r"\*\*\d\.\d\d \[", unmarked(str(text.value)))
        )
        assert unmarked(value.split("**")[1]) in shown(report)


def test_a_leak_of_the_method_that_is_found_after_a_repair_is_said_of_the_repaired_file() -> None:
    """Planted before: what was read first stayed, and the repaired file looked as if its method had never leaked."""
    audit, leak = three(), "Before this repair, leaks of the method were shown by: Membership."
    audit.set_provenance(Provenance("bootstrap"))
    made = mend_audit(audit, Mending(drop=("ward",)))
    finished(made, NEAREST)
    assert leak not in shown(page(made))
    finished(
        audit,
        MembershipPlan(("bootstrap",), attacks=("neighbour",), trainings=20, generations=1, n_syn=120),
        run="a" * 32,
    )
    assert leak in shown(page(made))


def test_where_the_numbers_are_there_the_button_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    monkeypatch.setattr(release_run, "plans_for", lambda _: (NEAREST,))
    run = audit.run_of(NEAREST)
    finished(audit, NEAREST, run=run.id)
    screen = page(audit)
    assert screen.button(key="release.run").disabled
    assert "At this effort everything is answered" in shown(screen)


def test_a_run_that_failed_says_why_and_can_be_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three()
    monkeypatch.setattr(release_run, "plans_for", lambda _: (NEAREST,))
    faked(audit, "failed", NEAREST, run=audit.run_of(NEAREST).id, error="The disk is full.")
    screen = page(audit)
    assert "The disk is full." in shown(screen)
    assert played(screen, monkeypatch) == [NEAREST]


def test_where_people_have_several_rows_nothing_is_within_a_limit() -> None:
    audit = three()
    finished(audit, replace(NEAREST, reference="cross"))
    audit.limit_to({"released": own(0.75)})
    text = "each row was treated as a person"
    assert text not in shown(page(audit))
    audit.answer(StewardAnswers(SEVERAL))
    after = page(audit)
    assert text in shown(after)
    assert verdicts(after) == [("gray", "◌ Undecided")]


# --- what is opened at the root ---------------------------------------------------------------------------------------


def test_the_root_opens_the_audit_that_was_opened_last(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = three(), loaded(real=csv(77))
    monkeypatch.setenv("RISKKIT_OPEN", first.id)
    screen = healthy(app().run())
    assert screen.query_params["audit"] in (first.id, [first.id]), "none was opened yet: the sample"
    screen.sidebar.selectbox[0].select(second.id).run()
    again = healthy(app().run())
    assert again.query_params["audit"] in (second.id, [second.id])
    second.delete()
    assert healthy(app().run()).query_params["audit"] in (first.id, [first.id])
    press(again, "side.new")
    assert Store.default().last == ""
    assert "audit" not in healthy(app().run()).query_params, "a new audit that was begun stays new"


def test_of_a_plan_that_cannot_be_played_no_time_is_known_but_why() -> None:
    tables = loaded(real=csv(80), synthetic=csv(80, 2)).tables()
    expected = launch._expectation(tables, NEAREST, 1)
    assert not expected.forecast.is_timed
    assert "holdout" in expected.refusal


# --- people with several rows ----------------------------------------------------------------------------------------


def visits(seed: int) -> bytes:
    """The table of that seed with a column that names the person of each two rows."""
    header, *rows = csv(120, seed).decode().splitlines()
    return (
        "\n".join([f'{header},"who"', *(f"{row},{seed}-{index // 2}" for index, row in enumerate(rows))]).encode()
        + b"\n"
    )


def test_the_column_of_the_person_is_asked_for_and_people_are_then_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = three(real=visits(1), synthetic=visits(3), holdout=visits(2))
    screen = page(audit)
    assert key(audit, "person") not in keys(screen)
    screen.selectbox(key(audit, "row")).set_value(SEVERAL).run()
    healthy(screen.selectbox(key(audit, "person")).set_value("who").run())
    assert (audit.choices["who"].role, audit.tables().schema.column("who").is_modelled) == ("person", False)
    assert "People are counted" in shown(screen)
    assert [plan.question for plan in played(screen, monkeypatch)] == ["released", "attributes"]
    healthy(screen.selectbox(key(audit, "person")).set_value("").run())
    assert audit.choices == {}
    assert "counts each row as a person" in shown(screen)
