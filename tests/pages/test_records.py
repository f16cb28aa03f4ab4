"""The Records page in every state it can be in, with results that were really played."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.studies import names
from riskkit.core import Role
from riskkit.dashboard.pages.records_people import rows_of
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.judging.measurement import own
from riskkit.judging.provenance import Provenance
from riskkit.language import MARKS
from riskkit.questions.records import words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.remedy import Remedy, Search, remedy
from riskkit.questions.runs import plan_of
from riskkit.report import texts
from tests.pages.runs import changed, faked, finished, started
from tests.pages.screens import csv, field, healthy, loaded, opened, press, shown
from tests.speaking import speak

PAGE = "pages/3_records.py"
PLAN = RecordsPlan(records="top:30", inside=20, outside=20, shadows=10, again=3, n_syn=80, certificate=True)
BOTH = RecordsPlan(records="ids:3,1,2", inside=10, outside=10, shadows=6, again=0, n_syn=60, traditional=10)
ROWS = 80
key = partial(field, "records")


@pytest.fixture(scope="module")
def played() -> Callable[[Audit, RecordsPlan], Run]:
    """A finished run of that plan; the same tables and plan are played once for all tests of this file."""
    known: dict[RecordsPlan, dict[str, Any]] = {}

    def give(audit: Audit, plan: RecordsPlan) -> Run:
        if plan not in known:
            known[plan] = finished(audit, plan).result
            return next(iter(audit.runs("records")))
        made = faked(audit, "finished", plan, seconds=1.0)
        changed(made, result=known[plan])
        return made

    return give


@pytest.fixture
def audit() -> Audit:
    """A real table, a release of a known method and a holdout; nothing run yet."""
    made = loaded(real=csv(ROWS, 0), synthetic=csv(60, 2), holdout=csv(200, 1))
    made.set_provenance(Provenance("bayesnet"))
    return made


def page(audit: Audit) -> AppTest:
    return healthy(opened(audit, PAGE))


# --------------------------------------------------------------------------------------------------------------
# Before


def test_without_a_table_it_says_what_is_missing() -> None:
    assert "Nothing is loaded yet" in shown(healthy(opened(None, PAGE)))


def test_the_form_starts_with_everybody_and_the_best_attack(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    assert "Example: person 17" in shown(screen)
    plan = started(screen, audit, "records", monkeypatch)
    assert plan == RecordsPlan(inside=200, outside=200, again=10, n_syn=ROWS, certificate=True)


def test_a_study_of_one_record_in_many_tables_is_read_and_started(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[RecordsPlan] = []
    monkeypatch.setattr("riskkit.dashboard.frame.run_view.start", lambda _, plan: plans.append(plan))
    screen = page(audit)
    assert screen.selectbox(key=key(audit, "study")).options == list(names(question="records"))
    screen.selectbox(key=key(audit, "study", "one-record")).select("Table 3").run()
    assert "The risk of one person runs from 0.5 to 0.8" in shown(healthy(screen))
    press(screen, key(audit, "study", "play"))
    assert (plans[0].people, plans[0].draw, plans[0].traditional) == (1000, 2, 250)


def test_what_is_chosen_goes_into_the_plan(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "who")).set_value("sieve")
    screen.selectbox(key=key(audit, "generator")).set_value("privbayes").run()
    screen.number_input(key=key(audit, "top")).set_value(5)
    screen.number_input(key=key(audit, "random")).set_value(7)
    screen.number_input(key=key(audit, "trainings")).set_value(30)
    screen.number_input(key=key(audit, "screen")).set_value(20).run()
    screen.slider(key=key(audit, "screen_limit")).set_value(0.7)
    screen.toggle(key=key(audit, "traditional")).set_value(True)
    screen.selectbox(key=key(audit, "knowledge")).set_value("auxiliary").run()
    assert "For this method it is a bound" in shown(healthy(screen))
    plan = started(screen, audit, "records", monkeypatch)
    assert (plan.generator, plan.records, plan.certificate) == ("privbayes", "top:5+random:7", True)
    assert (plan.inside, plan.outside, plan.traditional) == (30, 30, 30)
    assert (plan.screen, plan.screen_limit) == (20, 0.7)
    assert plan.knowledge == "auxiliary"


def test_those_who_stand_out_are_the_ones_the_best_attack_reaches(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "who")).set_value("top").run()
    plan = started(healthy(screen), audit, "records", monkeypatch)
    assert (plan.records, plan.rank) == ("top:26", "certificate")


def test_named_rows_are_needed_where_rows_are_named(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    screen.selectbox(key=key(audit, "who")).set_value("ids").run()
    assert "Name at least one row" in shown(healthy(screen))
    screen.text_input(key=key(audit, "ids")).set_value("4, 9").run()
    assert started(screen, audit, "records", monkeypatch).records == "ids:4,9"


def test_without_a_holdout_there_is_no_other_game() -> None:
    alone = loaded(real=csv(ROWS, 0), synthetic=csv(60, 2))
    alone.set_provenance(Provenance("bayesnet"))
    screen = page(alone)
    assert "more other people of the same population than the table has rows" in shown(screen)
    assert screen.toggle(key=key(alone, "traditional")).disabled


@pytest.mark.usefixtures("timed")
def test_the_cost_and_the_power_are_told(audit: Audit) -> None:
    text = shown(page(audit))
    assert "This takes **" in text
    assert "80 records, " in text
    assert re.search(r"a risk of \*\*0\.\d\d\*\* or more in 4 of 5 audits", text)


# --------------------------------------------------------------------------------------------------------------
# After


def test_a_result_says_how_many_are_exposed_and_by_what(audit: Audit, played: Callable[..., Run]) -> None:
    audit.limit_to({"records": own(0.6)})
    played(audit, PLAN)
    screen = page(audit)
    text = shown(screen)
    assert re.search(
        r"Of 30 records tested, \d+ are listed above 0\.6; \d+ \[\d+, \d+\] of 30 people lie above it", text
    )
    assert "The best possible attack lies above 0.6" in text
    assert "What tells most about this person" in text
    assert re.search(r"the best possible attack does so in (over )?\d+ %", text)
    assert len(screen.get("plotly_chart")) == 5, "everybody, outlierness, bracket, trade-off, coarser"
    assert len(screen.dataframe[0].value) == 30


def test_what_a_private_method_promises_stands_beside_what_is_seen(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, RecordsPlan(generator="mst", records="ids:3,1", inside=10, outside=10, shadows=6, again=0, n_syn=60))
    text = shown(page(audit))
    assert "one person more or less changes the chance of any outcome by a factor of 2.72 at most" in text
    assert "however many releases are drawn from one fit (optimal-attack bound)" in text


def test_a_line_of_the_table_opens_that_person(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, PLAN)
    screen = page(audit)
    row = int(screen.dataframe[0].value["row"].iloc[7])
    screen.session_state[key(audit, "one")] = row
    screen.run()
    assert f"Record {row}" in [header.value for header in healthy(screen).header]


def test_filters_leave_whom_they_name(audit: Audit, played: Callable[..., Run]) -> None:
    audit.limit_to({"records": own(0.6)})
    played(audit, PLAN)
    screen = page(audit)
    screen.button_group(key=key(audit, "shown")).set_value("above").run()
    left = healthy(screen).dataframe[0].value
    assert 0 < len(left) < 30
    assert all(float(risk.split()[0]) > 0.595 for risk in left["auc"])
    screen.slider(key=key(audit, "unlike")).set_value((0.0, 0.0)).run()
    assert "No record passes these filters" in shown(healthy(screen))


def test_one_limit_moves_line_list_and_count_and_replays_nothing(
    audit: Audit, played: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit.limit_to({"records": own(0.6)})
    played(audit, PLAN)
    screen = page(audit)
    assert "people estimated above" not in shown(screen), "at the limit that was set, the sentence of the page says it"
    monkeypatch.setattr("riskkit.dashboard.frame.run_view.start", lambda *_: pytest.fail("something was run"))
    screen.slider(key=key(audit, "bar", "0.6")).set_value(0.7).run()
    screen.button_group(key=key(audit, "shown")).set_value("above").run()
    spec = json.loads(healthy(screen).get("plotly_chart")[0].proto.spec)
    left = len(screen.dataframe[0].value)
    assert 0.7 in [shape.get("y0") for shape in spec["layout"]["shapes"]]
    assert all(float(risk.split()[0]) > 0.695 for risk in screen.dataframe[0].value["auc"])
    match = re.search(
        r"At 0\.70: \*\*(\d+) \[\d+, \d+\]\*\* of 30 people estimated above, \*\*(\d+)\*\*", shown(screen)
    )
    assert match is not None
    assert int(match[2]) <= left < 30
    assert audit.limits["records"].value == 0.6, "looking sets no limit"


def test_several_people_are_listed_with_a_card_each(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, PLAN)
    screen = page(audit)
    rows = screen.dataframe[0].value["row"].tolist()[2:11]
    screen.multiselect(key=key(audit, "several")).set_value(rows).run()
    assert sorted(healthy(screen).dataframe[0].value["row"]) == sorted(rows)
    text = shown(screen)
    assert re.search(r"Of 9 people chosen \d are named with confidence", text)
    assert "Cards of the 6 exposed most; the table has all 9." in text
    cards = [row for row in rows if f"**Record {row}**: risk" in text]
    assert len(cards) == 6
    screen.button(key=key(audit, "card", str(cards[-1]))).click().run()
    assert f"Record {cards[-1]}" in [header.value for header in healthy(screen).header]
    screen.button(key=key(audit, "clear")).click().run()
    assert len(healthy(screen).dataframe[0].value) == 30


def offered(screen: AppTest) -> list[str]:
    """The downloads of numbers."""
    labels = [str(button.proto.label) for button in healthy(screen).get("download_button")]
    return [label for label in labels if label.startswith("Numbers")]


def test_what_is_chosen_leaves_the_control_of_the_picture_open(audit: Audit, played: Callable[..., Run]) -> None:
    """A picture has another key after each choice, or the same click would tell nothing; its control has not."""
    played(audit, PLAN)
    screen = page(audit)
    screen.button(key=key(audit, "everybody", "chart") + ".tools").click().run()
    numbers = offered(screen)
    assert len(numbers) == 1
    assert "Restricted: holds row numbers of the real table." in shown(screen)
    rows = screen.dataframe[0].value["row"].tolist()
    screen.multiselect(key=key(audit, "several")).set_value(rows[3:6]).run()
    assert numbers == offered(screen)


def test_a_box_chooses_each_person_once_and_guides_choose_nobody() -> None:
    points = [{"customdata": [7, "0.8"]}, {"customdata": [3, "0.7"]}, {"customdata": [7, "0.9"]}, {}]
    assert rows_of({"selection": {"points": points}}) == [7, 3]
    assert rows_of({}) == []


def test_values_are_masked_until_asked_for(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, PLAN)
    screen = page(audit)
    assert not any("This person" in frame.value.columns for frame in healthy(screen).dataframe)
    screen.toggle(key=key(audit, "reveal")).set_value(True).run()
    revealed = [frame.value for frame in healthy(screen).dataframe if "This person" in frame.value.columns]
    assert len(revealed) == 1
    assert revealed[0]["Column"].tolist() == ["age", "ward", "job", "score"]
    assert revealed[0].columns.tolist()[:3] == ["Column", "This person", "Released 1"]


def test_values_are_shown_in_every_language(
    audit: Audit, played: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    played(audit, PLAN)
    speak(monkeypatch, MARKS)
    screen = page(audit)
    screen.toggle(key=key(audit, "reveal")).set_value(True).run()
    names = [list(frame.value.columns) for frame in healthy(screen).dataframe]
    assert [name[:2] for name in names if len(name) > 3][-1] == ["⟦Column⟧", "⟦This person⟧"]


def test_a_coarser_column_and_a_missing_person_are_worked_out(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, PLAN)
    screen = page(audit)
    screen.slider(key=key(audit, "people")).set_value(40).run()
    assert re.search(r"(Coarsening “?\w+”? lowers|leaves the best attack at)", shown(healthy(screen)))
    screen.toggle(key=key(audit, "drop")).set_value(True).run()
    assert "A release made without this person holds nothing of them" in shown(healthy(screen))


@pytest.mark.second
def test_what_would_lower_it_is_searched_on_the_page(audit: Audit, played: Callable[..., Run]) -> None:
    """The least change that the form asks for, as the engine finds it: its picture, its sentences and a table."""
    plan = RecordsPlan(generator="mst", records="ids:3,1", inside=10, outside=10, shadows=6, again=0, n_syn=60)
    run = played(audit, plan)
    screen = page(audit)
    screen.number_input(key=key(audit, "remedy", "limit")).set_value(0.6)
    screen.selectbox(key=key(audit, "remedy", "measure")).set_value("histogram")
    screen.button(key=key(audit, "remedy", "go")).click().run()
    asked = Search("mst", "epsilon", 0.6, "histogram", 60, 5, "add-one", plan_of(run).seed)
    lowered = remedy(audit.tables().real, asked)
    assert lowered.chosen is not None
    text = shown(healthy(screen))
    shown_remedy = words.remedy_in_words(lowered)
    assert shown_remedy.sentence.rstrip(".") in text
    assert shown_remedy.cost in text
    assert shown_remedy.order in text
    assert [list(row) for row in shown_remedy.rows] in [
        frame.value.values.tolist() for frame in screen.dataframe if "value" in frame.value
    ]
    assert [Remedy.from_plain(remedy).points for remedy in audit.remedies] == [lowered.points]
    again = shown(healthy(page(audit)))
    assert shown_remedy.cost in again  # it stays when the page is opened anew


def test_a_method_without_a_certificate_offers_no_search(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, RecordsPlan(generator="copula", records="ids:3", inside=5, outside=5, shadows=4, again=0, n_syn=60))
    assert "What would lower it" not in shown(page(audit))


def test_two_games_are_compared(audit: Audit, played: Callable[..., Run]) -> None:
    audit.limit_to({"records": own(0.55)})
    played(audit, BOTH)
    screen = page(audit)
    text = shown(screen)
    assert re.search(r"Averaging over tables misses \d of \d people|Nobody shown is above 0\.55", text)
    assert "Noise" in str([frame.value for frame in screen.dataframe]) or "noise" in str(
        [f.value for f in screen.dataframe]
    )
    assert "what the best attack would reach is not known" in text


def test_earlier_data_is_said_and_nothing_is_worked_out_from_it(audit: Audit, played: Callable[..., Run]) -> None:
    played(audit, PLAN)
    audit.choose({"job": ColumnChoice(role=Role.SECRET)})
    text = shown(page(audit))
    assert "earlier version of the data" in text
    assert "for the data of this run only" in text


def test_what_is_taken_away_holds_no_value(audit: Audit, played: Callable[..., Run]) -> None:
    kept = json.dumps(played(audit, PLAN).result)
    assert "Quokka" not in kept
    assert "baker" not in kept


def test_a_result_whose_records_were_removed_shows_its_estimates(audit: Audit, played: Any) -> None:
    """Once the scores of single records are gone for their age, no page shows one, and none breaks."""
    audit.set_provenance(Provenance(PLAN.generator))
    run = played(audit, PLAN)
    left = {name: value for name, value in run.result.items() if name not in ("records", "scores")}
    changed(run, result={**left, "purged": True})
    screen = page(audit)
    assert "scores of single records were deleted because of their age" in "\n".join(box.value for box in screen.info)
    assert "records above" in json.dumps(screen.dataframe[0].value.to_dict("list"), default=str).lower()
    report = healthy(opened(audit, "pages/7_report.py"))
    assert texts.STATES["purged"] in shown(report)
