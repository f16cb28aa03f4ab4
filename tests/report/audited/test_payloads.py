"""Hostile names in every place a name can come from: no formula in any cell, no markup run, no output that fails."""

import csv
import io
import json
import re
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as Tree

import numpy as np
import pypdf
import pytest

from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Provenance
from riskkit.report import plots
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.show.blocks import Picture, flat
from riskkit.show.model import Class, File, Findings, Given
from riskkit.wording import FORMULA, guard
from tests.report.audited import made
from tests.report.audited.payloads import FORMULAS, MARKUP

NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")


@cache
def hostile(text: str) -> Given:
    """An audit in which every name is that text: one run about the release, and what-ifs beside it."""
    rng = np.random.default_rng(0)
    runs = (
        made.membership(rng, generator=text, attack="mvl", rows=(3,)),
        made.membership(rng, generator=f"{text} ", attack="mvl", rows=(3,), run="2" * 32),
        made.records([made.record(3, 0.9)], generator=text),
        made.explanations(),
        made.released(rng, n=20, attacks=(text, "dcr")),
        made.attributes(secret=text, known=text, columns=(text, text)),
        made.contest(name=text, handed=f" {text}", evaded=(text,)),
    )
    problem = {"gravity": "warning", "code": "x", "what": text, "do": text, "file": text, "column": text, "count": 3}
    columns = ((text, "numeric", "known"), ("ward", "categorical", "known"))
    return made.audit(
        *runs,
        audit=text,
        columns=columns,
        preparation=(problem,),
        files=(File("real", text, "1" * 64, 300, 2), File("synthetic", text, "2" * 64, 300, 2)),
        provenance=Provenance(text),
        apart=(text,),
        give_aways=(made.identifiers(column=text), made.copies()),
    )


def findings(text: str, kind: Class) -> Findings:
    limits = {"membership": Limit(0.6, text, text)}
    return made.findings(hostile(text), limits, kind, title=text, by=text)


def cells(source: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(source.decode("utf-8-sig"), newline="")))


def test_there_are_as_many_payloads_as_promised() -> None:
    assert len(set(FORMULAS)) == 40
    assert len(set(MARKUP)) == 30


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    cell = guard(text)
    assert not cell.startswith(FORMULA) or NUMBER.fullmatch(cell), repr(cell)
    assert not cell.strip(" \"',;\u00a0\u3000\ufeff\u200b").startswith(("=", "＝")) or cell[0] == "'"


@pytest.mark.parametrize("text", FORMULAS[::6])
def test_no_cell_of_any_table_is_a_formula(text: str) -> None:
    """Whatever the payload, every place that a name can come to goes through the same guard."""
    for kind in Class:
        for source in to_csv(findings(text, kind)).values():
            lines = cells(source)
            for line in lines:
                for cell in line:
                    assert not cell.startswith(FORMULA) or NUMBER.fullmatch(cell), repr(cell)
                    assert not cell.strip(" \"',;\u00a0\u3000\ufeff\u200b").startswith(("=", "＝")) or cell[0] == "'"
            assert len({len(line) for line in lines[1:]}) == 1  # no name opens a new line or cell


def test_numbers_stay_numbers_and_texts_that_look_like_formulas_do_not() -> None:
    findings = made.findings(made.audit(made.attributes(residual=-0.05)), kind=Class.RESTRICTED)
    rows = cells(to_csv(findings)["estimates.csv"])
    index = rows[1].index("value")
    assert "-0.05" in [row[index] for row in rows[2:]]
    assert guard("-0.05") == "'-0.05"
    assert guard("plain") == "plain"
    assert guard("a=b") == "a=b"


@pytest.mark.parametrize("text", [*MARKUP[::2], *FORMULAS[::10]])
def test_hostile_names_are_printed_as_text_and_break_no_output(text: str) -> None:
    hostile = findings(text, Class.RESTRICTED)
    source = to_pdf(hostile)
    reader = pypdf.PdfReader(io.BytesIO(source))
    assert b"/JavaScript" not in source
    assert b"/URI" not in source
    assert "/AA" not in reader.trailer["/Root"]
    document = json.loads(to_json(hostile))
    assert document["schema"] == "riskkit.report/1"
    assert len(hostile.answered()) == 6
    for finding in (finding for answer in hostile.answered() for finding in answer.findings):
        drawn = [plots.svg(finding.chart)] if finding.chart else []
        drawn += [plots.svg(block) for block in flat(finding.view) if isinstance(block, Picture)]
        for svg in drawn:
            tags = {element.tag.rpartition("}")[2] for element in Tree.fromstring(svg).iter()}  # noqa: S314  our own
            assert tags <= {"svg", "title", "rect", "text", "line", "polygon", "polyline", "circle"}


def test_a_name_that_looks_like_code_is_read_letter_by_letter() -> None:
    hostile = replace(findings("#panic(1) *b* $x$", Class.RESTRICTED))
    text = pypdf.PdfReader(io.BytesIO(to_pdf(hostile))).pages[0].extract_text()
    assert "#panic(1) *b* $x$" in text
