"""What the page of every question says alike: which file it needs, how a run goes and ended, and each number anew.

A number that a result has anew is one place: page, PDF, HTML, JSON and CSV show it with no line of their own.
"""

import csv as csv_files
import io
import json
import re
from datetime import UTC, datetime
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit import report_facts
from riskkit.core import Estimate, Role
from riskkit.dashboard.frame import state
from riskkit.dashboard.pages.question_page import page_of
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Provenance
from riskkit.questions import question, questions
from riskkit.report.build import read
from riskkit.report.document import blocks
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show.blocks import Numbers, estimates, flat
from riskkit.show.model import Class
from tests.jobs.test_every_question import PLANS
from tests.pages.runs import changed, faked, finished, without_clock
from tests.pages.screens import csv, field, healthy, labels, loaded, of_question, opened, press, shown

UNITS = {
    "membership": "steps",
    "released": "steps",
    "records": "trainings",
    "attributes": "inferences",
    "explanations": "models",
    "contest": "releases",
}
"""What a page counts, where it is not units."""
EVERY = pytest.mark.parametrize("name", PLANS)


@pytest.fixture
def audit() -> Audit:
    made = loaded(real=csv(60, 0), synthetic=csv(60, 2), holdout=csv(60, 1))
    made.set_provenance(Provenance("stat"))
    return made


def played(name: str) -> tuple[Audit, Run]:
    """An audit with a question that was really played."""
    audit = loaded(real=csv(240, 0), synthetic=csv(240, 1), holdout=csv(240, 2))
    if name in METHODS:
        audit.set_provenance(Provenance(METHODS[name]))
    return audit, finished(audit, PLANS[name])


def page(audit: Audit, name: str) -> AppTest:
    file = page_of(name)
    if isinstance(file, str):
        return healthy(opened(audit, file, question=name))
    return healthy(of_question(audit, name))


def titles(screen: AppTest) -> list[str]:
    return [box.proto.title for box in (*screen.error, *screen.warning)]


@pytest.mark.usefixtures("timed")
@pytest.mark.parametrize("name", UNITS)
def test_before_a_first_run_the_time_stands_above_run_and_all_else_among_the_settings(audit: Audit, name: str) -> None:
    """The page says one sentence, an example and how long it takes; what a run could show is for who opens the fold."""
    if name == "attributes":
        audit.choose({"job": ColumnChoice(role=Role.SECRET)})
    screen = page(audit, name)
    folds = [fold for fold in screen.expander if fold.icon == ":material/tune:"]
    inside = {line.proto.body for fold in folds for line in fold.markdown}
    above = [line.value for line in screen.markdown if line.proto.body not in inside]
    assert any(line.startswith("This takes **") for line in above)
    assert not any("Before you run" in line for line in above)
    assert not any("8 of 10 audits" in line or "4 of 5 audits" in line for line in above)
    assert any("Before you run" in line for line in inside)


@EVERY
def test_a_run_shows_its_stage_how_far_it_is_and_stops_when_asked(audit: Audit, name: str) -> None:
    run = faked(audit, "running", PLANS[name], stage="A stage of it", done=2, total=8, seconds_left=12.0)
    screen = page(audit, name)
    (bar,) = screen.get("progress")
    assert "A stage of it" in shown(screen)
    assert re.fullmatch(
        rf"2 of 8 {UNITS.get(name, '[a-z ]+')} done · about 12 seconds left", without_clock(bar.proto.text)
    )
    assert state.mark("membership" if name == "released" else name, audit) == state.BUSY
    press(screen, f"{name}.cancel")
    assert run.is_cancelled
    assert "It stops within 10 seconds" in shown(healthy(screen))


@EVERY
def test_a_run_that_failed_says_why_and_the_way_on(audit: Audit, name: str) -> None:
    faked(audit, "failed", PLANS[name], error="A sentence that says why.")
    screen = page(audit, name)
    assert "This run failed" in titles(screen)
    assert "A sentence that says why" in shown(screen)
    assert "Try again" in labels(screen)


@EVERY
def test_a_run_that_was_cancelled_can_go_on(audit: Audit, name: str) -> None:
    faked(audit, "cancelled", PLANS[name])
    screen = page(audit, name)
    assert "This run was cancelled" in titles(screen)
    assert "Resume" in labels(screen)


NEEDS = {"released": "synthetic", "attributes": "synthetic"} | dict.fromkeys(
    ("singling-out", "linkability", "reconstruction"), "synthetic and the holdout"
)
"""The files that a question needs beside the real one."""


@EVERY
def test_without_its_file_it_says_which_it_needs(name: str) -> None:
    alone = "real" if name in NEEDS else "synthetic"
    screen = page(loaded(**{alone: csv(60, 0)}), name)
    assert f"This page needs the {NEEDS.get(name, 'real')} table" in shown(screen)
    assert "Load your files" in labels(screen)


@pytest.mark.parametrize(
    ("name", "menu"), [("membership", "attacks"), ("released", "released"), ("contest", "released")]
)
def test_no_attack_chosen_is_a_sentence_and_nothing_can_be_run(audit: Audit, name: str, menu: str) -> None:
    screen = page(audit, name)
    screen.multiselect(key=field(name, audit, menu)).set_value([]).run()
    assert "choose at least one" in shown(healthy(screen)).lower()
    assert screen.button(key=field(name, audit, "run")).disabled


@EVERY
def test_the_settings_give_the_same_numbers_elsewhere_and_no_value_of_a_row_is_on_the_page(name: str) -> None:
    screen = page(played(name)[0], name)
    command, plan = (code.value for code in screen.code)
    assert re.match(rf"riskkit {name} --(real|base) real\.csv ?", command)
    assert question(name).plan.from_dict(json.loads(plan)) == PLANS[name]
    assert screen.get("download_button")
    assert "Quokka" not in shown(screen)


@EVERY
def test_results_of_earlier_data_are_called_so(name: str) -> None:
    audit, _ = played(name)
    audit.load("real", csv(240, 9), name="real.csv")
    assert "earlier version of the data" in shown(page(audit, name))
    assert state.mark("membership" if name == "released" else name, audit) == ""


PLANTED = Estimate("planted_share", 0.4242, 0.3131, 0.5757, 0.95, "planted", 77)
SHOWN = "0.42 [0.31, 0.58]"
METHODS = {"one-run": "histogram", "households": "identity"}
"""Methods that made the release, where a page would lead to another one to ask for it."""


@EVERY
def test_a_planted_estimate_is_on_page_paper_json_and_csv(name: str) -> None:
    audit, run = played(name)
    changed(run, result={**run.result, "estimates": [*run.result["estimates"], PLANTED.as_dict()]})

    screen = page(audit, name)
    cells = [str(cell) for table in screen.dataframe for cell in table.value.to_numpy().ravel()]
    assert cells.count(SHOWN) == 1
    assert [cell for cell in cells if "planted share" in cell.lower()]

    (finding, *_) = read(report_facts.played_run(run, audit), report_facts.read_given(audit), kind=Class.SHAREABLE)
    labels = {text for e in estimates(finding.view) for text in e.labels.values()}
    assert bool(finding.view) is (questions()[name].view is not None)
    assert not [text for text in labels if set(re.findall(r"\w+", text)) & {"age", "ward", "job", "score"}]

    made = datetime(2026, 11, 25, tzinfo=UTC)
    facts = report_facts.read_given(audit)
    findings = report_facts.build_findings(facts, {name: Limit(0.5, "board")}, kind=Class.SHAREABLE, made=made)
    paper = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", to_html(findings).decode())))
    assert f"planted share – {SHOWN}" in paper
    typeset = json.dumps(blocks(findings, with_appendix=True), ensure_ascii=False)
    assert "planted share" in typeset
    assert SHOWN in typeset

    answered = next(each for each in json.loads(to_json(findings))["questions"] if each["question"] == name)
    kept = answered["finding"] or answered["what_ifs"][0]["finding"]
    assert PLANTED.as_dict() in kept["estimates"]
    tables = {block.key: block for block in flat(finding.view) if isinstance(block, Numbers)}
    assert [table["table"] for table in kept["tables"]] == list(tables)
    for table in kept["tables"]:
        assert table["columns"] == [column.key for column in tables[table["table"]].columns]
        assert len(table["rows"]) == len(tables[table["table"]].rows)

    lines = to_csv(findings)["estimates.csv"].decode("utf-8-sig").partition("\r\n")[2]
    rows = [row for row in csv_files.DictReader(io.StringIO(lines)) if row["measure"] == PLANTED.name]
    assert [(float(row["value"]), float(row["low"]), int(row["n"])) for row in rows] == [(0.4242, 0.3131, 77)]
