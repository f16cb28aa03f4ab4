"""The PDF: the same bytes again, tagged, every script or a visible stand-in for it, nothing over the edge."""

import io
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import pypdf
import pytest

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Cover
from riskkit.report import plots
from riskkit.report.blocks import BESIDE, covered_characters, printable, visible
from riskkit.report.lines import further
from riskkit.report.to_json import as_dict
from riskkit.report.to_pdf import to_pdf
from riskkit.show.model import Bar, Chart, Class, File
from tests.report.audited import made

SCRIPTS = "年齢 性别 나이 Größe Возраст ηλικία Երևան ＡＢＣ ①"


def audit(name: str):
    run = made.membership(np.random.default_rng(1), shifts=(1.0, 0.2))
    return made.audit(
        run,
        made.attributes(secret=name, columns=(name,)),
        audit=name,
        columns=((name, "numeric", "known"),),
        files=(File("real", f"{name}.csv", "1" * 64, 300, 1),),
        provenance=made.STAT,
    )


def text_of(source: bytes) -> str:
    pages = pypdf.PdfReader(io.BytesIO(source)).pages
    return " ".join(page.extract_text() for page in pages[:2]).replace("\u200b", "")


def test_the_same_findings_and_time_give_the_same_bytes() -> None:
    findings = made.findings(made.random(1))
    assert to_pdf(findings) == to_pdf(findings)
    from dataclasses import replace

    assert to_pdf(findings) != to_pdf(replace(findings, made="2026-11-22T00:00:00+00:00"))


def test_it_is_tagged_and_says_that_it_keeps_to_pdf_ua() -> None:
    source = to_pdf(made.findings(made.random(1)))
    root: Any = pypdf.PdfReader(io.BytesIO(source)).trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert b"pdfuaid" in root["/Metadata"].get_data()


def test_names_in_every_usual_script_are_printed() -> None:
    text = text_of(to_pdf(made.findings(audit(SCRIPTS), kind=Class.RESTRICTED)))
    for word in SCRIPTS.split():
        assert word in text
    assert "[U+" not in text


def test_a_sign_the_font_lacks_is_replaced_visibly() -> None:
    assert printable("a\u0e01b") == "a[U+0E01]b"
    assert visible("\u202etxt\0\u2028") == "[U+202E]txt[U+0000][U+2028]"
    text = text_of(to_pdf(made.findings(audit("ก😀"), kind=Class.RESTRICTED)))
    assert "[U+0E01]" in text
    assert "[U+1F600]" in text


def test_the_bundled_font_covers_what_it_says() -> None:
    assert len(covered_characters()) == 14_832
    assert {ord(sign) for sign in "▲●◌■◆○–…“”×≥ε"} <= covered_characters()


def test_every_sign_that_is_said_to_print_is_in_a_font() -> None:
    """The compiler refuses a document with a sign that no font has; here it gets all that are let through."""
    every = {*covered_characters(), *(code for first, last in BESIDE for code in range(first, last + 1))}
    shown = "".join(chr(code) for code in sorted(every) if "[" not in visible(chr(code)))
    assert len(shown) > 15_000
    names = [shown[index : index + 2_000] for index in range(0, len(shown), 2_000)]
    findings = made.findings(audit("x"), kind=Class.RESTRICTED)
    schema = tuple((name, "numeric", "known") for name in names)
    assert to_pdf(replace(findings, schema=schema))


def test_a_letter_with_an_accent_is_drawn_as_one_sign() -> None:
    """The typesetter put ``č`` together from ``c`` and a caron, and the caron stood on the next letter."""
    drawn: list[tuple[str, str]] = []

    def seen(text: str, _: object, __: object, font: dict[str, Any] | None, ___: object) -> None:
        drawn.append((text, str((font or {}).get("/BaseFont"))))

    source = to_pdf(made.findings(audit("x"), kind=Class.RESTRICTED, title="Škoda Łódź Őr ēä Ηλικία"))
    pypdf.PdfReader(io.BytesIO(source)).pages[0].extract_text(visitor_text=seen)
    second = "".join(text for text, font in drawn if "DejaVu" in font)
    assert set("ŠŁźŐΗλικία") <= set(second)
    assert not set("kodaēä") & set(second)


def test_a_restricted_report_carries_its_mark_and_a_shareable_one_does_not() -> None:
    assert "RESTRICTED" in text_of(to_pdf(made.findings(audit("x"), kind=Class.RESTRICTED)))
    assert "RESTRICTED" not in text_of(to_pdf(made.findings(audit("x"))))


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler's pdftotext is not installed")
@pytest.mark.parametrize("name", ["w" * 400, "長" * 400, "a_b_" * 100, "x.y/z:" * 60])
def test_no_word_runs_over_the_edge_of_the_paper(name: str, tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(to_pdf(made.findings(audit(name), kind=Class.RESTRICTED, title=name, by=name)))
    done = subprocess.run(["pdftotext", "-bbox", str(path), "-"], capture_output=True, check=True, text=True)
    page = 0.0
    for element in Tree.fromstring(done.stdout.replace("\x00", "")).iter():  # noqa: S314  written by poppler just now
        if element.tag.endswith("page"):
            page = float(element.attrib["width"])
        elif element.tag.endswith("word") and "RESTRICTED" not in (element.text or ""):
            assert float(element.attrib["xMax"]) <= page - 40, element.text


def texts_of(source: bytes) -> list[str]:
    """The text of each page, without the places where long words may break."""
    pages = pypdf.PdfReader(io.BytesIO(source)).pages
    return [" ".join(page.extract_text().replace("\u200b", "").split()) for page in pages]


def test_page_one_decides_and_every_question_takes_a_page_at_most() -> None:
    """Verdict, every question with value and limit, what to do, a place to sign, and the hash of the evidence."""
    rng = np.random.default_rng(3)
    every = (
        made.membership(rng, shifts=(1.0, 0.2, 0.6)), made.released(rng), made.attributes(), made.explanations(),
        made.contest(),
    )  # fmt: skip
    limits = {"membership": Limit(0.6, "Data board", "2026-03-01")}
    findings = made.findings(made.audit(*every, provenance=made.STAT), limits, kind=Class.RESTRICTED)
    assert further(findings, ()).startswith("Also a leak: Contest. 3 tests found no leak and cannot rule one out.")
    first, second, *others = texts_of(to_pdf(findings))
    assert "Also a leak" not in first
    assert len(others) <= len(findings.answered())
    for answer in findings.answered():
        assert answer.title in second
    for words in (
        "Leak shown Do not release this file as it is. ",
        "Why 1. Of 100 people whom an attacker names, 38 are members; guessing finds ",
        "3 tests found no leak and cannot rule one out.",
        "What to do first 1. Contest: ",
        "not tested Not asked: Records, One run, Singling out, Linkability, Reconstruction, Key combinations, Whole ",
        "Not about this release: Explanations.",
        "do not release",
        "Signature",
    ):
        assert words in first, words
    for words in (
        "limit 0.60: Data board, 2026-03-01",
        "Not asked: Records, One run, Singling out, Linkability, Reconstruction, Key combinations, Whole households.",
    ):
        assert words in second, words
    assert "AUC" not in first
    assert str(as_dict(findings)["sha256"]) in first.replace(" ", "")
    assert not any("Glossary" in page or "Records at risk" in page for page in others)


def test_page_one_says_what_is_released_by_whom_and_for_whom_and_names_no_column_by_its_number() -> None:
    """Where nobody said it that is said; `column 7` is a number to whoever signs."""
    audit = made.audit(made.attributes(residual=0.3))
    words = Cover(organisation="City Hospital", recipients="two universities", setting="partners", use="teaching")
    named = texts_of(to_pdf(made.findings(audit, cover=words)))
    for text in ("By City Hospital", "For two universities, partners under a contract", "Purpose teaching"):
        assert text in named[0], text
    silent = texts_of(to_pdf(made.findings(audit)))
    assert "By not stated For not stated Purpose not stated" in silent[0]
    assert re.search(r"column \d", silent[1]), "behind it columns have their places"
    for page in (named[0], silent[0]):
        assert not re.search(r"column \d", page)


def test_the_appendix_has_everything_else() -> None:
    rng = np.random.default_rng(3)
    every = made.membership(rng, shifts=(1.0, 0.2, 0.6)), made.released(rng), made.contest()
    findings = made.findings(made.audit(*every, provenance=made.STAT), kind=Class.RESTRICTED)
    short, whole = texts_of(to_pdf(findings)), texts_of(to_pdf(findings, with_appendix=True))
    assert whole[0].split("1 / ")[0] == short[0].split("1 / ")[0]
    rest = " ".join(whole[len(short) :])
    for words in ("Appendix", "What was audited", "Membership: numbers", "Records at risk", "Glossary", "Provenance"):
        assert words in rest, words
    assert "Privacy against usefulness" in rest


def test_what_ifs_follow_on_the_page_of_their_question_and_give_aways_stand_on_the_cover() -> None:
    rng = np.random.default_rng(3)
    each = made.membership(rng), made.membership(rng, generator="bayesnet")
    audit = made.audit(made.together(*each), made.explanations(), provenance=made.STAT, give_aways=(made.copies(),))
    findings = made.findings(audit, kind=Class.RESTRICTED)
    pages = texts_of(to_pdf(findings))
    cover = pages[0]
    assert cover.count("The release copies 90 real rows") == 1
    assert "What to do first 1. Membership: Make the release again" in cover, "no repair of the file cures its method"
    assert "Take copied rows out, or" in cover
    assert cover.count("made by Mean and covariance") == 1
    own = " ".join(pages[1:])
    assert own.index("against Mean and covariance") < own.index("If it had been made by Bayesian network: ")
    assert "Not about this release" in pages[1]


def test_no_upright_line_runs_through_a_name() -> None:
    run = made.membership(np.random.default_rng(3), shifts=(1.0, 0.2))
    finding = made.findings(made.audit(run, provenance=made.STAT)).answers[0].finding
    assert finding is not None
    assert finding.chart is not None
    root = Tree.fromstring(plots.svg(finding.chart, 0.7))  # noqa: S314  our own
    lines = [node.attrib for node in root.iter() if node.tag.endswith("line")]
    leftmost = min(float(line["x1"]) for line in lines)
    names = [node for node in root.iter() if node.tag.endswith("text") and float(node.attrib["x"]) < leftmost]
    assert sum("[" in (name.text or "") for name in names) == len(finding.chart.bars)
    assert all(float(name.attrib["x"]) + 5 * len(name.text or "") < leftmost for name in names)


def test_a_long_name_keeps_what_tells_it_from_others() -> None:
    lines = plots.wrap("MVL against Mean and covariance, record R-2EA51285", plots.NAMES - plots.VALUES)
    assert " ".join(lines) == "MVL against Mean and covariance, record R-2EA51285"
    assert plots.wrap("w" * 400, 200)[0].endswith("…")


def chart_of(*highs: float, guess: float | None = None) -> str:
    bars = tuple(Bar("who", Estimate("share", high / 2, 0.0, high, 0.95, "m", 100)) for high in highs)
    return plots.svg(Chart("Shares", "share of people", bars, guess, as_shares=True))


def test_an_epsilon_that_is_not_shown_stands_over_its_row_and_ticks_stand_apart() -> None:
    epsilon = Estimate("epsilon_one_run", 0.0, 0.0, 5.34, 0.95, "m", 1_000)
    words = wording.number(epsilon)
    who = "Bayesian network: from what is shown to the ceiling"
    root = Tree.fromstring(plots.svg(Chart("Shown", "ε", (Bar(who, epsilon),), 0.0)))  # noqa: S314  ours
    texts = [(float(node.attrib["x"]), node.text or "") for node in root.iter() if node.tag.endswith("text")]
    assert [(x, text) for x, text in texts if text.startswith("not shown")] == [(0.0, words)]
    assert "".join(text for x, text in texts if x == 0.0).replace(" ", "").endswith(who.replace(" ", ""))
    ticks = [(x, text) for x, text in texts if re.fullmatch(r"\d\.\d", text)]
    assert all(right - left > plots.wide(text) for (left, text), (right, _) in pairwise(ticks))


@pytest.mark.parametrize(
    ("high", "ticks"),
    [
        (0.02, ["0 %", "1 %", "2 %"]),
        (0.18, ["0 %", "4 %", "8 %", "12 %", "16 %", "20 %"]),
        (0.7, ["0 %", "20 %", "40 %", "60 %", "80 %"]),
    ],
)
def test_small_shares_are_drawn_on_an_axis_on_which_they_can_be_told_apart(high: float, ticks: list[str]) -> None:
    """On an axis to 1 four shares below 0.02 lay in one spot."""
    root = Tree.fromstring(chart_of(high, high / 3))  # noqa: S314  our own
    texts = [node.text for node in root.iter() if node.tag.endswith("text") and node.get("text-anchor") == "middle"]
    assert texts[:-1] == ticks
    assert ">guessing<" in chart_of(high, guess=0.5)
