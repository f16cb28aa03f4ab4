"""The appendix in words: no spelling of the engine, thresholds in the rows, drawings heard, first what matters."""

import ast
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import pytest

from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Limit, Measured
from riskkit.report import plots
from riskkit.report.appendix import KINDS, NUMBERS, appendix
from riskkit.report.document import blocks
from riskkit.show import in_words
from riskkit.show.blocks import Grid
from riskkit.show.model import Bar, Chart, Class, Findings
from tests.report.audited import made

ROOT = Path(__file__).resolve().parents[3]
MAKERS = ("Problem", "problem", "_problem", "_replace")
"""What makes a problem of a file; its code is the first text it is given."""


def audit(kind: Class = Class.RESTRICTED) -> Findings:
    rng = np.random.default_rng(3)
    every = made.membership(rng, shifts=(1.0, 0.2)), made.released(rng), made.attributes(), made.contest()
    noticed_ = ({"gravity": "warning", "code": "sorted_rows", "what": "The rows are sorted by illness.", "count": 300},)
    facts = made.audit(*every, provenance=made.STAT, preparation=noticed_)
    return made.findings(facts, {"membership": Limit(0.6, "Data board")}, kind=kind)


def of(findings: Findings, kind: str) -> list[dict[str, Any]]:
    return [block for block in appendix(findings) if block["kind"] == kind]


def codes() -> set[str]:
    """Every code that the reading of files gives to what it notices, read from its source."""
    words: set[str] = set()
    for file in (ROOT / "riskkit/table").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            if getattr(node.func, "id", getattr(node.func, "attr", "")) not in MAKERS:
                continue
            texts = [
                argument.value
                for argument in node.args
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            ]
            words |= {text for text in texts[:1] if text}
    return words


def handed_on() -> set[str]:
    """Every text in the source of the reading of files: some codes reach their problem by a variable."""
    nodes = (node for file in (ROOT / "riskkit/table").rglob("*.py") for node in ast.walk(ast.parse(file.read_text())))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_all_that_is_noticed_of_a_file_has_words() -> None:
    """A shareable report in Japanese said ``sorted rows``: the code, for want of a word."""
    assert len(codes()) > 60
    assert codes() <= set(KINDS)
    assert set(KINDS) <= handed_on()


def test_a_shareable_report_says_the_kind_of_thing_and_nothing_of_the_file() -> None:
    (table,) = (block for block in of(audit(Class.SHAREABLE), "table") if "Severity" in block["head"])
    assert table["rows"] == [["warning", "The rows are sorted.", "–", "300"]]
    (table,) = (block for block in of(audit(), "table") if "Severity" in block["head"])
    assert table["rows"][0][1] == "The rows are sorted by illness."


def test_settings_are_said_as_their_form_calls_them() -> None:
    """They were printed as JSON."""
    findings = audit()
    pairs = [pair for block in of(findings, "terms") for pair in block["pairs"]]
    assert ["Trainings", "20"] in pairs
    assert ["Targets of each rule", "2"] in pairs
    assert not [block for block in of(findings, "code") if block["text"].startswith("{")]


def test_plug_ins_and_columns_have_their_titles_in_the_tables() -> None:
    tables = str(of(audit(), "table"))
    assert "Mean and covariance" in tables
    assert "Closest row" in tables
    assert "people outside the data" in tables
    for raw in ("'dcr'", "mvl", "on stat", "uploaded", "baseline_tested", "categorical", "trained on release"):
        assert raw not in tables, raw


def test_guessing_and_the_limit_stand_in_the_row_of_what_they_are_for() -> None:
    tables = [block for block in of(audit(), "table") if block["title"].startswith("Numbers")]
    rows = [row for table in tables for row in table["rows"]]
    places = tables[0]["head"].index("Guessing"), tables[0]["head"].index("Limit")
    beside = {row[0]: tuple(row[place] for place in places) for row in rows}
    assert beside["Advantage"] == ("–", "–")
    assert {tuple(row[place] for place in places) for row in rows if row[0] == "AUC"} == {
        ("0.50", "0.60"),
        ("0.50", "–"),
    }
    assert beside["Rows named rightly"] == ("25.00", "–"), "of 100 rows that are named guessing finds 25"


def test_records_at_risk_are_listed_question_by_question_the_highest_first() -> None:
    """Shares and AUCs stood in one list by size."""
    tables = [block for block in of(audit(), "table") if block["head"][0] == "Record"]
    assert [table["title"] for table in tables] == ["Membership", "Attributes"]
    assert [row[2][:4] for row in tables[0]["rows"]] == sorted((row[2][:4] for row in tables[0]["rows"]), reverse=True)


def test_what_is_drawn_can_be_heard() -> None:
    """Every drawing has its numbers in words, and no text that its caption says already."""
    findings = audit()
    drawn = [block for block in blocks(findings, with_appendix=True) if block["kind"] == "image"]
    assert len(drawn) >= 5
    for drawing in drawn:
        assert drawing["alt"] != drawing["title"]
        assert drawing["alt"] in "".join(Tree.fromstring(drawing["svg"]).itertext())  # noqa: S314  our own
    (answers,) = (block for block in blocks(findings) if block["kind"] == "answers")
    row = answers["rows"][0]
    finding = findings.answers[0].finding
    assert finding is not None
    strongest = finding.measured.strongest
    assert strongest is not None
    assert row["alt"].startswith(
        f"Membership: the value is {strongest.value:.2f}, between {strongest.low:.2f} and {strongest.high:.2f}; AUC; "
    )
    assert finding.chart is not None
    intervals = in_words.picture_in_words(finding.chart, 0.6)
    for bar in finding.chart.bars:
        assert f"{bar.who}: {bar.estimate.value:.2f}, between {bar.estimate.low:.2f}" in intervals
    assert intervals.endswith("Guessing reaches 0.50. The limit is 0.60.")


LONG = "Mean and covariance (MVL) against Mean and covariance (OMTH17), record R-F24EBFEE"


@pytest.mark.parametrize(
    "name",
    [
        "Mean and covarianceに対するMVL、レコードR-2EA51285",
        "含まれない人々から当てられる水準",
        "あなたの国で最も多くの人の平均と共分散（OMTH17 (最も近い公開データの行)",
        LONG,
    ],
)
def test_a_long_name_is_broken_and_not_cut(name: str) -> None:
    """A Japanese name stood on one line and lost the record it was about; an English one lost it on its second."""
    lines = plots.wrap(name, plots.NAMES - plots.VALUES - plots.SIDE)
    assert "".join(lines).replace(" ", "") == name.replace(" ", "")
    assert not any("レ" in line[-3:] or line[0] in "、。ー)" or line[-1] in "（(" for line in lines)


def test_names_of_a_map_stay_in_their_fields() -> None:
    cell = Estimate("delta", 0.2, 0.1, 0.3, 0.95, "m", 100)
    columns = tuple(f"既知の列の組{place}と全員の年齢" for place in range(4))
    marks = (True,) * 4, (False,) * 4
    grid = Grid(
        "map",
        "s",
        "Gain",
        "Known",
        ("入院中に最後に付けられた診断名", "secret"),
        columns,
        ((cell,) * 4, (None,) * 4),
        marks,
        "a leak about members is shown",
        marks,
        (("",) * 4,) * 2,
    )
    root = Tree.fromstring(plots.svg(grid))  # noqa: S314  our own
    for text in (node for node in root.iter() if node.tag.endswith("text") and node.get("font-size") == "10"):
        wide, middle = plots.wide(text.text or ""), float(text.attrib["x"])
        start = middle - {"start": 0.0, "middle": wide / 2, "end": wide}[text.attrib["text-anchor"]]
        assert start >= 0
        assert text.attrib["text-anchor"] != "middle" or wide <= (plots.WIDTH - 170 - plots.SIDE) / 4
    spoken = in_words.picture_in_words(grid)
    assert spoken.count("a leak about members is shown") == 4
    assert spoken.count("–") == 4


def test_rows_of_names_in_three_lines_stay_apart_and_marks_are_drawn_whole() -> None:
    value = Estimate("auc", 1.0, 0.94, 1.0, 0.95, "m", 100)
    chart = Chart("s", "AUC", tuple(Bar(LONG, value) for _ in range(3)), 0.5)
    root = Tree.fromstring(plots.svg(chart))  # noqa: S314  our own
    names = [float(node.attrib["y"]) for node in root.iter() if node.get("font-size") == "10"]
    assert len(names) == 9
    assert min(after - before for before, after in pairwise(names)) >= plots.NEXT
    measured = Measured("auc", 0.5, value, value, "who", 1, Control.none(""))
    root = Tree.fromstring(plots.bar(measured, None))  # noqa: S314  our own
    (mark,) = (node.attrib for node in root.iter() if node.tag.endswith("circle"))
    assert float(mark["cx"]) + float(mark["r"]) + float(mark["stroke-width"]) / 2 <= plots.WIDTH


def tables(findings: Findings) -> list[dict[str, Any]]:
    """The tables of numbers of the appendix, each with the text under it."""
    every = list(appendix(findings))
    return [
        {**block, "under": every[index + 1].get("text", "")}
        for index, block in enumerate(every)
        if block["kind"] == "table" and block["head"][0] == "Measure"
    ]


def test_the_highest_stand_first_and_the_rest_is_counted_by_the_limit() -> None:
    """Twenty records: eight far above the limit, twelve at guessing; by hand, 12 rows hold the eight and four more."""
    shifts = [0.0] * 12 + [3.0] * 8
    run = made.membership(np.random.default_rng(1), shifts=shifts)
    limits = {"membership": Limit(0.53, "board")}
    findings = made.findings(made.audit(run, provenance=made.STAT), limits, kind=Class.RESTRICTED)
    (table,) = tables(findings)
    values = [float(row[2].split()[1].strip("[,")) for row in table["rows"]]
    assert {row[0] for row in table["rows"]} == {"AUC"}
    assert values == sorted(values, reverse=True)
    assert sum(value > 0.53 for value in values) == 8
    assert table["under"].startswith(f"The {NUMBERS} most important of 60 numbers; the rest is in the CSV.")
    assert table["under"].endswith("Of the other 8 of AUC, wholly above the limit (0.53): 0.")


def test_counts_of_people_above_a_threshold_have_it_in_their_row() -> None:
    """Three counts at three thresholds were one text three times."""
    run = made.records([made.record(row, 0.5) for row in range(4)], generator="stat")
    assert run.result is not None
    (count,) = run.result["estimates"]
    counts = [{**count, "value": 30.0, "low": 20.0, "high": 40.0, "limit": word} for word in ("0.6", "0.8")]
    run = replace(run, result={**run.result, "estimates": counts})
    for kind in Class:
        (table,) = tables(made.findings(made.audit(run, provenance=made.STAT), kind=kind))
        rows = [row[1] for row in table["rows"] if row[0] == "records above"]
        assert sorted(text for text in rows if "above 0.6" in text or "above 0.8" in text) == sorted(rows)
        assert len(set(rows)) == 2


def test_people_at_risk_stand_with_the_highest_first() -> None:
    runs = [made.membership(np.random.default_rng(1), shifts=(0.9, 3.0, 2.0))]
    runs.append(made.records([made.record(row, 0.6 + row / 20) for row in range(7)], generator="stat"))
    findings = made.findings(made.audit(*runs, provenance=made.STAT), kind=Class.RESTRICTED)
    tables = [block for block in appendix(findings) if block.get("head", [])[:2] == ["Record", "Strongest attack"]]
    assert sum(len(table["rows"]) for table in tables) > 5
    for table in tables:  # each on the scale of its question
        lows = [float(row[2].split()[1].strip("[,")) for row in table["rows"]]
        assert lows == sorted(lows, reverse=True)
