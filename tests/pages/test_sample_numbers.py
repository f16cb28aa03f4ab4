"""One thing has one number: every surface of the sample audit shows the same value, interval and unit of a question."""

import io
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import pypdf
import pytest

from riskkit.audit.report_facts import build_findings, build_given, played_run
from riskkit.audit.sample import sample_audit
from riskkit.jobs.store import Audit, Store
from riskkit.questions.runs import plan_of
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.session.verdicts import lines, verdicts
from riskkit.show.model import Answer, Class, Findings
from tests.pages.screens import AUDIT, healthy, opened, shown, unmarked
from tests.pages.test_every_question import page
from tests.report.audited.test_same_numbers import read_csv

ENDS = ("value", "low", "high", "level")
MEASURED = (
    *("attributes", "contest", "linkability", "membership", "one-run", "reconstruction", "records", "released"),
    "singling-out",
)
"""The questions of the sample that have a number with an interval."""
REPORT = "pages/7_report.py"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RISKKIT_HOME", str(folder))
        sample_audit(Store.default())
    return folder


@pytest.fixture
def audit(home: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    (only,) = Store.default().audits()
    return only


@pytest.fixture(scope="module")
def findings(home: Path) -> Findings:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RISKKIT_HOME", str(home))
        (only,) = Store.default().audits()
        runs = tuple(played_run(run, only) for run in only.runs())
        facts = build_given(only.name, only.tables(), runs, only.provenance, (), kept={})
    return build_findings(facts, {}, kind=Class.RESTRICTED, made=datetime(2026, 1, 1, tzinfo=UTC))


def measured(findings: Findings) -> Iterator[tuple[Answer, str, dict[str, float]]]:
    """Each question with a number about the release: how that reads, and its exact value, ends and level."""
    for answer in findings.answered():
        assert answer.shown is not None
        strongest = answer.shown.measured.strongest
        if strongest is not None and answer.finding is not None:
            yield answer, answer.shown.measured.in_words(), {end: float(getattr(strongest, end)) for end in ENDS}


def numbers(held: Any) -> Iterator[Mapping[str, Any]]:
    """Every number with an interval anywhere in a document."""
    if isinstance(held, dict):
        if {"name", *ENDS} <= set(held):
            yield held
        held = list(held.values())
    if isinstance(held, list):
        for part in held:
            yield from numbers(part)


def squeezed(text: str) -> str:
    """Text without spaces and invisible places where a line may break: paper breaks lines within a number."""
    return re.sub(r"[\s\u200b\u2060\u00a0]", "", text)


def test_files_and_command_show_the_number_of_each_question(findings: Findings) -> None:
    document = json.loads(to_json(findings))
    asked = {question["question"]: question["finding"] for question in document["questions"]}
    rows = {row["question"]: row for row in read_csv(to_csv(findings)["verdicts.csv"]) if not row.get("what_if")}
    paper = squeezed("".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(to_pdf(findings))).pages))
    on_screen = squeezed(unescape(re.sub(r"<[^>]*>", "", to_html(findings).decode())))
    terminal = "\n".join(lines(findings)).splitlines()
    every = list(measured(findings))
    assert tuple(sorted(answer.question for answer, _, _ in every)) == MEASURED
    for answer, text, exact in every:
        assert answer.shown is not None
        kept = asked[answer.question]["measured"]
        assert {end: float(kept["strongest"][end]) for end in ENDS} == exact
        assert (kept["unit"], kept["scale"]) == (answer.shown.measured.unit, answer.shown.measured.scale)
        row = rows[answer.question]
        assert {end: float(row[end]) for end in ENDS} == exact
        assert row["scale"] == answer.shown.measured.scale
        (line,) = (line for line in terminal if line.startswith(f"{answer.title} "))
        assert text in line
        assert squeezed(text) in paper
        assert squeezed(text) in on_screen


def test_a_number_that_stands_again_has_the_same_interval(findings: Findings) -> None:
    """JSON, tables and lists of people: the measure and value of a headline never have another interval beside them."""
    document = json.loads(to_json(findings))
    asked = {question["question"]: question["finding"] for question in document["questions"]}
    files = to_csv(findings)
    seen = dict.fromkeys(("report.json", "estimates.csv", "tables.csv", "records.csv"), 0)
    for answer, _, exact in measured(findings):
        assert answer.shown is not None
        assert answer.shown.measured.strongest is not None
        name = answer.shown.measured.strongest.name
        again = [("report.json", each) for each in numbers(asked[answer.question]) if each["name"] == name]
        for file, key in (("estimates.csv", "measure"), ("tables.csv", "column"), ("records.csv", "")):
            own = (row for row in read_csv(files[file]) if row["question"] == answer.question and not row["what_if"])
            again += [(file, row) for row in own if row["value"] and (not key or row[key] == name)]
        for file, each in again:
            if float(each["value"]) == exact["value"]:
                assert {end: float(each[end]) for end in ENDS} == exact, (file, answer.question, each)
                seen[file] += 1
    assert min(seen.values()) > 0, "there was something to compare in each"


@pytest.mark.slow
def test_every_page_shows_the_number_of_its_question(audit: Audit, findings: Findings) -> None:
    first, report = shown(healthy(opened(audit, AUDIT))), shown(healthy(opened(audit, REPORT)))
    for answer, text, _ in measured(findings):
        assert unmarked(text) in shown(page(audit, answer.question)), answer.question
        assert unmarked(text) in first, answer.question
        assert unmarked(text) in report, answer.question


@pytest.mark.slow
def test_the_command_prints_the_number_of_its_verdict(audit: Audit, findings: Findings) -> None:
    (text,) = (text for answer, text, _ in measured(findings) if answer.question == "membership")
    (run,) = audit.runs("membership")
    judged = verdicts(None, audit.provenance, audit.tables(), plan_of(run), run.result, give_aways=())
    printed = "\n".join(judged.details())
    release, other = printed.split("\nIf it had been made by ")
    assert text in next(line for line in release.splitlines() if re.match("Nearest neighbours +0", line))
    assert text not in other
