"""A number that a result has anew is one place: page, PDF, HTML, JSON and CSV show it with no line of their own."""

from __future__ import annotations

import csv as csv_files
import io
import json
import re
from datetime import UTC, datetime
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit import report_facts
from riskkit.core import Estimate
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Provenance
from riskkit.questions import questions
from riskkit.report.build import read
from riskkit.report.document import blocks
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.show.blocks import Numbers, estimates, flat
from riskkit.show.model import Class
from tests.jobs.test_every_question import PLANS
from tests.pages.runs import changed, finished
from tests.pages.screens import LIMIT, csv, healthy, loaded, opened
from tests.questions.pages import PAGES


def page(name: str, audit: str) -> None:
    """The page of a question without a file of its own, as the dashboard calls it, in the test browser."""
    import streamlit as st

    from riskkit.dashboard.pages import question_page

    st.query_params["audit"] = audit
    question_page.page(name)


def drawn(name: str, audit: str) -> AppTest:
    """That page."""
    return healthy(AppTest.from_function(page, args=(name, audit), default_timeout=LIMIT).run())


PLANTED = Estimate("planted_share", 0.4242, 0.3131, 0.5757, 0.95, "planted", 77)
SHOWN = "0.42 [0.31, 0.58]"
METHODS = {"one-run": "histogram", "households": "identity"}
"""Methods that made the release, where a page would lead to another one to ask for it."""


@pytest.mark.parametrize("name", sorted(questions()))
def test_a_planted_estimate_is_on_page_paper_json_and_csv(name: str) -> None:
    audit = loaded(real=csv(240, 0), synthetic=csv(240, 1), holdout=csv(240, 2))
    if name in METHODS:
        audit.set_provenance(Provenance(METHODS[name]))
    run = finished(audit, PLANS[name])
    changed(run, result={**run.result, "estimates": [*run.result["estimates"], PLANTED.as_dict()]})

    screen = healthy(opened(audit, PAGES[name], run=run.id)) if name in PAGES else drawn(name, audit.id)
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
