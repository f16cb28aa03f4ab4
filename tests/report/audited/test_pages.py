"""Pages of the PDF: how many there are, how full each is, and what stays together."""

import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as Tree

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Estimate
from riskkit.judging.measurement import Limit
from riskkit.plain import plain
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_pdf import to_pdf
from riskkit.show.for_whom import ForWhom, RiskGroup
from riskkit.show.model import Class, Findings, Reports
from riskkit.show.profile import ROOM
from tests.report.audited import made
from tests.report.audited.test_to_pdf import texts_of

pytestmark = [
    pytest.mark.second,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed"),
]
TOP, BOTTOM = 62.0, 785.0
"""Where the text of a page begins and ends, in points: behind the line on top and before the line at its foot."""
PROFILES = sorted(registry.plugins(ROOM))


@cache
def audit(kind: Class = Class.SHAREABLE) -> Findings:
    """The five questions of a standard audit, give-aways and limits, the third report about the table."""
    rng = np.random.default_rng(3)
    five = (
        made.membership(rng, shifts=(1.0, 0.2, 0.6)),
        made.released(rng),
        made.attributes(),
        made.contest(),
        made.records([made.record(row, 0.45 + row / 30) for row in range(12)], generator="stat"),
    )
    limits = {"membership": Limit(0.6, "Data board", "2026-03-01"), "attributes": Limit(0.09, "Data board")}
    facts = made.audit(*five, provenance=made.STAT, give_aways=(made.copies(), made.row_order()))
    return replace(made.findings(facts, limits, kind=kind, by="A. Steward"), reports=Reports(3, 2))


def pages(source: bytes, folder: Path) -> list[list[tuple[float, str]]]:
    """The words of each page with their lower ends, without the lines on top and at the foot of it."""
    path = folder / "report.pdf"
    path.write_bytes(source)
    done = subprocess.run(["pdftotext", "-bbox", str(path), "-"], capture_output=True, check=True, text=True)
    out: list[list[tuple[float, str]]] = []
    for element in Tree.fromstring(done.stdout.replace("\x00", "")).iter():  # noqa: S314  written by poppler just now
        if element.tag.endswith("page"):
            out.append([])
        elif element.tag.endswith("word") and element.text != "RESTRICTED":
            end = float(element.attrib["yMax"])
            if TOP < end < BOTTOM:
                out[-1].append((end, element.text or ""))
    return out


def rows_of(page: list[tuple[float, str]]) -> list[set[str]]:
    """The words of each line of a page: a watermark may lead poppler down the columns of a table that it crosses."""
    return [
        {text for end, text in page if abs(end - line) < 1} for line in {end for end, text in page if text == "age:"}
    ]


def fill(page: list[tuple[float, str]]) -> float:
    """How far down the text of a page reaches, as a share of the room."""
    return (max((end for end, _ in page), default=TOP) - TOP) / (BOTTOM - TOP)


@pytest.mark.parametrize("kind", list(Class))
def test_a_standard_report_has_seven_pages_at_most_none_of_them_near_empty(kind: Class, tmp_path: Path) -> None:
    every = pages(to_pdf(audit(kind)), tmp_path)
    assert len(every) <= 7
    assert min(map(fill, every[:-1])) > 1 / 3
    assert fill(every[0]) < 1


def compared(groups: int) -> ForWhom:
    """That many groups of one column, the first at higher risk."""
    each = [
        RiskGroup(
            "age",
            str(index),
            index,
            groups,
            False,
            estimate(0.7 if not index else 0.5),
            estimate(0.2 if not index else 0.0),
            p,
        )
        for index, p in enumerate([0.001] + [1.0] * (groups - 1))
    ]
    return ForWhom("attack", "dcr", 0.95, 10, 199, ("age",), {}, tuple(each))


def estimate(value: float) -> Estimate:
    return Estimate("auc", value, value - 0.1, value + 0.1, 0.95, "by hand", 40)


def test_groups_of_people_take_a_sentence_of_their_question_and_the_rest_of_the_appendix(tmp_path: Path) -> None:
    run = made.released(np.random.default_rng(2))
    run = replace(run, result={**(run.result or {}), "for_whom": plain(compared(50))})
    findings = made.findings(made.audit(run), {}, kind=Class.RESTRICTED)
    words, appendix = (pages(to_pdf(findings, with_appendix=is_there), tmp_path) for is_there in (False, True))
    body, appended = ([" ".join(text for _, text in page) for page in of] for of in (words, appendix))
    assert len(body) == 3, "the first page, the verdicts, and the question"
    assert "Risk is highest for age: 0" in body[2]
    assert not any("age: 49" in page for page in body)
    lines = [texts for page in appendix for texts in rows_of(page)]
    drawn = [any({"age:", str(place), "40"} <= texts for texts in lines) for place in range(50) if place != 40]
    assert drawn == [True] * 40 + [False] * 9, "of the forty-first the place reads as its number of people"
    assert any("The first 40 of 50 lines; the rest is in the CSV." in page for page in appended)
    groups = to_csv(findings)["groups.csv"].decode("utf-8-sig").splitlines()
    assert sum("age: 49" in line for line in groups) == 2, "the group's own number, and how far it is above the others"
    assert len(groups) == 2 + 2 * 50


@pytest.mark.parametrize("name", PROFILES)
def test_no_page_of_a_profile_is_near_empty(name: str, tmp_path: Path) -> None:
    every = pages(to_pdf(replace(audit(), profile=registry.make(ROOM, name))), tmp_path)
    assert min(map(fill, every[:-1])) > 1 / 3


def test_verdict_sentence_and_picture_of_a_question_stand_on_one_page(tmp_path: Path) -> None:
    """They were parted by the end of a page."""
    every = [" ".join(text for _, text in page) for page in pages(to_pdf(audit()), tmp_path)]
    for answer in audit().answered():
        assert answer.finding is not None
        assert answer.finding.chart is not None
        sentence, picture = (
            " ".join(text.split()[:6]) for text in (answer.finding.sentence, answer.finding.chart.sentence)
        )
        (page,) = (page for page in every[2:] if sentence in page)  # behind page one and the verdicts
        assert picture in page


def test_page_one_stays_one_page_with_every_question_and_give_away(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    eight = (
        made.membership(rng, shifts=(1.0, 0.2)),
        made.released(rng),
        made.attributes(),
        made.contest(),
        made.explanations(),
        made.records([made.record(row, 0.5) for row in range(4)], generator="stat"),
        made.unfinished("singling-out", "failed"),
        made.unfinished("linkability", "running"),
    )
    limits = {
        question: Limit(0.6, "Data protection board of the hospital", "2026-03-01")
        for question in ("membership", "released", "attributes", "records", "explanations", "contest")
    }
    aways = (made.copies(), made.identifiers(), made.row_order())
    findings = made.findings(made.audit(*eight, provenance=made.STAT, give_aways=aways), limits, by="A. Steward")
    every = pages(to_pdf(replace(findings, reports=Reports(3, 2))), tmp_path)
    assert "Signature" in {text for _, text in every[0]}
    assert "Evidence" in {text for _, text in every[0]}


CHROMIUM = shutil.which("chromium")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_html_is_printed_with_page_one_on_a_page_of_its_own(tmp_path: Path) -> None:
    """It took three pages: the signature stood apart from the verdict, and a caption apart from its drawing."""
    assert CHROMIUM is not None
    (tmp_path / "report.html").write_bytes(to_html(audit()))
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={tmp_path}/own"]
    out = tmp_path / "printed.pdf"
    subprocess.run(
        [CHROMIUM, *words, f"--print-to-pdf={out}", (tmp_path / "report.html").as_uri()],
        check=True,
        capture_output=True,
    )
    first, second, *_ = texts_of(out.read_bytes())
    for text in ("Leak shown", "Signature", "Evidence"):
        assert text in first
    assert second.startswith("Verdicts")
    assert "1 of 3 intervals wholly above guessing" in second


def test_a_question_a_little_longer_than_a_page_is_set_smaller(tmp_path: Path) -> None:
    """Three of 1.1 pages each took four pages: the last lines of one stood on a page of the next."""
    notes = ("One more line that says what was counted, and of whom it speaks in this audit. " * 2,) * 11
    long = ("released", "attributes", "membership")
    answers = tuple(
        replace(answer, finding=replace(answer.finding, extra=notes))
        if answer.finding is not None and answer.question in long
        else replace(answer, finding=None, others=(), what_ifs=(), judgement=None, state="")
        for answer in audit().answers
    )
    every = pages(to_pdf(replace(audit(), answers=answers)), tmp_path)
    assert len(every) == 2 + len(long), "page one, the verdicts, and each question"
    assert min(map(fill, every[2:])) > 0.9
