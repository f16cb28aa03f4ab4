"""Fifty random audits: page, command line, PDF, HTML, CSV and JSON say the same of each, to the last shown digit."""

import csv
import io
import json
import re
from functools import cache
from html import unescape
from typing import Any

import numpy as np
import pypdf
import pytest

from riskkit.core import Estimate
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import Judgement, Limit, Measured, Verdict, title
from riskkit.questions import questions
from riskkit.report import texts
from riskkit.report.build import rejudge
from riskkit.report.lines import line, reasons
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import digest, to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.session.verdicts import lines, warnings
from riskkit.show import remedy as lowered_words
from riskkit.show.model import Class, Findings, RunFinding
from riskkit.show.names import COUNTS, DIFFERENCES, FEWEST
from riskkit.show.remedy import Lowered
from riskkit.stats.epsilon import BOUNDS
from tests.report.audited import made

LIMITS = {
    "membership": Limit(0.7, "board"), "released": Limit(0.6, "board"), "attributes": Limit(0.1, "board"),
    "records": Limit(0.65, "board"), "explanations": Limit(0.2, "board"), "contest": Limit(0.4, "board"),
}  # fmt: skip
ENDS = ("value", "low", "high", "level")
SEARCHED = (0, 2, 5, 8, 14, 20, 22, 31, 34, 39, 41, 44, 45)
"""The random audits of which a search is shown, written down: to draw all fifty takes seconds of every collection."""
OF_EVERY_KIND = (0, 2, 5, 41, 44)
"""Of these, searches that end in nothing and in a value, that rise on the way, and that tried many values."""


def read_csv(source: bytes) -> list[dict[str, str]]:
    first, _, body = source.decode("utf-8-sig").partition("\r\n")
    assert first.startswith("# riskkit report ")
    return list(csv.DictReader(io.StringIO(body, newline="")))


def every(findings: Findings) -> list[Estimate]:
    """All numbers of the runs that are shown, those that verdicts stand on first."""
    return [e for answer in findings.answered() for finding in answer.findings for e in finding.estimates]


def lowered(findings: Findings) -> list[Lowered]:
    """Every search for the least change that is shown."""
    return [search for answer in findings.answered() for finding in answer.findings for search in finding.lowered]


def printed(findings: Findings) -> str:
    """The text of page one and of all verdicts behind it, without the places where long words may break."""
    pages = pypdf.PdfReader(io.BytesIO(to_pdf(findings))).pages[:3]
    return re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages).replace("\u200b", ""))


@cache
def random(seed: int) -> Findings:
    """A random audit, every other one under limits, some of them for tests that nobody ran; drawn once for all."""
    drawn = made.findings(made.random(seed), kind=Class.RESTRICTED)
    asked = {answer.question: LIMITS[answer.question] for answer in drawn.answers if answer.judgement is not None}
    return rejudge(drawn, {0: {}, 1: asked, 2: {}, 3: LIMITS}[seed % 4])


def test_random_audits_hold_every_verdict_what_ifs_and_give_aways() -> None:
    """What is compared below is there to be compared."""
    all_of_them = [random(seed) for seed in range(50)]
    assert {findings.overall.verdict for findings in all_of_them} == set(Verdict) - {Verdict.DESCRIBED}
    assert {findings.overall.code for findings in all_of_them} >= {
        "give_away",
        "questions",
        "only_what_ifs",
        "limit_not_tested",
    }
    what_ifs = [what_if for findings in all_of_them for answer in findings.answers for what_if in answer.what_ifs]
    assert {what_if.judgement.verdict for what_if in what_ifs} == set(Verdict) - {Verdict.DESCRIBED}
    assert {give_away.state for findings in all_of_them for give_away in findings.give_aways} == set(State)
    judgements = [answer.judgement for findings in all_of_them for answer in findings.answers if answer.judgement]
    assert {judgement.code for judgement in judgements} >= {"fewer_rows", "more_rows", "values_apart", "sides_differ"}
    assert any(judgement.code.startswith("run_") for judgement in judgements)
    assert tuple(seed for seed, findings in enumerate(all_of_them) if lowered(findings)) == SEARCHED
    searches = [search for findings in all_of_them for search in lowered(findings)]
    assert {search.chosen is None for search in searches} == {True, False}
    assert any(search.rises for search in searches)
    assert any(search.best.useful is None for search in searches)
    assert any(len(search.tried) > 12 for search in searches)
    few = [search for seed in OF_EVERY_KIND for search in lowered(random(seed))]
    assert {(search.chosen is None, bool(search.rises)) for search in few} == {
        (search.chosen is None, bool(search.rises)) for search in searches
    }
    assert {search.best.useful is None for search in few} == {True, False}
    assert any(len(search.tried) > 12 for search in few)


@pytest.mark.parametrize("seed", range(50))
def test_every_output_of_a_random_audit_holds_the_same_words(seed: int) -> None:
    """The page model, JSON, CSV and terminal: overall, of every question, of every what-if and give-away."""
    findings = random(seed)
    document = json.loads(to_json(findings))
    rows = read_csv(to_csv(findings)["verdicts.csv"])
    overall, *rest = rows
    terminal = "\n".join((*warnings(findings.give_aways), *lines(findings)))
    assert document["sha256"] == digest(document)
    assert document["overall"]["word"] == overall["verdict"] == str(findings.overall.verdict)
    assert document["overall"]["why"] == overall["why"] == findings.overall.why
    assert f"\n{title(findings.overall.verdict).upper()}. {findings.overall.why}" in terminal
    give_aways, rest = rest[: len(findings.give_aways)], rest[len(findings.give_aways) :]
    for shown, give_away, row in zip(findings.give_aways, document["give_aways"], give_aways, strict=True):
        assert (row["question"], row["verdict"], row["why"], row["settle"]) == (
            f"give-away: {shown.code}",
            str(shown.state),
            shown.sentence,
            shown.repair,
        )
        assert give_away == {
            "code": shown.code,
            "state": str(shown.state),
            "sentence": shown.sentence,
            "repair": shown.repair,
        }
        assert (shown.sentence in terminal) == (shown.state in (State.SHOWN, State.OPEN))
    for answer, give_away in zip(findings.answers, document["questions"], strict=True):
        own, *beside = (row for row in rest if row["question"] == answer.question)
        heading, word, *cells = line(answer)
        terminal_line = next(text for text in terminal.splitlines() if text.startswith(f"{heading} "))
        assert all(cell in terminal_line for cell in (word, *cells))
        same_word(answer.judgement, give_away["judgement"], own)
        if answer.judgement is not None:
            assert word.startswith(title(answer.judgement.verdict))
        for what_if, kept, row in zip(answer.what_ifs, give_away["what_ifs"], beside, strict=True):
            same_word(what_if.judgement, kept["judgement"], row)
            assert row["what_if"] == kept["finding"]["what_if"] == what_if.finding.what_if != ""
        if answer.what_ifs and answer.finding is None:
            assert word.endswith(f": {answer.what_ifs[0].judgement.verdict}")


def same_word(judgement: Judgement | None, in_json: dict[str, Any] | None, row: dict[str, str]) -> None:
    """One verdict in JSON and CSV is that of the judge, with its reason and its limit."""
    if judgement is None:
        assert in_json is None
        assert row["verdict"] in ("not run", "not about this release")
        return
    assert in_json == judgement.as_dict()
    assert (row["verdict"], row["why"], row["settle"]) == (str(judgement.verdict), judgement.why, judgement.settle)
    assert row["limit"] == ("" if judgement.limit is None else str(judgement.limit.value))


@pytest.mark.parametrize("seed", range(50))
def test_every_output_of_a_random_audit_holds_the_same_numbers(seed: int) -> None:
    findings = random(seed)
    document = json.loads(to_json(findings))
    tables = {name: read_csv(source) for name, source in to_csv(findings).items()}
    rows = [row for row in tables["verdicts.csv"] if row["question"] in questions()]
    for answer, question in zip(findings.answers, document["questions"], strict=True):
        own, *beside = (row for row in rows if row["question"] == answer.question)
        same_number(answer.finding, question["finding"], own)
        for what_if, kept, row in zip(answer.what_ifs, question["what_ifs"], beside, strict=True):
            same_number(what_if.finding, kept["finding"], row)
        shown = answer.shown
        if shown is not None:
            assert_in_its_unit(line(answer)[3], shown.measured)
    in_json = [e for finding in findings_of(document) for e in finding["estimates"]]
    in_csv = tables.get("estimates.csv", [])
    assert len(in_json) == len(in_csv) == len(every(findings))
    for estimate, row in zip(in_json, in_csv, strict=True):
        assert (estimate["name"], estimate["value"], estimate["low"], estimate["high"]) == (
            row["measure"],
            float(row["value"]),
            float(row["low"]),
            float(row["high"]),
        )
        if estimate["name"] in BOUNDS:
            assert estimate["reads"] == row["reads"]
            assert row["reads"].startswith(
                "cannot be shown" if estimate["value"] < 0.005 else f"{estimate['value']:.2f} (ceil"
            )
        else:
            assert not row.get("reads")
            assert "reads" not in estimate
    at_risk = [(finding["run"], finding["what_if"]) for finding in findings_of(document) for _ in finding["at_risk"]]
    assert at_risk == [(row["run"], row["what_if"]) for row in tables.get("records.csv", [])]
    same_searches(findings, document, tables.get("lowered.csv", []))


def assert_in_its_unit(text: str, measured: Measured) -> None:
    """The line shows the number that is judged: differences of shares in points, shares in per cent, others as is."""
    if measured.strongest is None:
        assert text == "–"
    elif measured.scale == "excess":
        assert text.startswith(f"{100 * measured.strongest.value:.1f} points [")
    elif measured.scale in ("residual", "hits"):
        assert text.startswith(f"{100 * measured.strongest.value:.1f} % [")
    else:
        assert text == texts.number_in_words(measured.strongest)


def same_searches(findings: Findings, document: dict[str, Any], rows: list[dict[str, str]]) -> None:
    """Every value that was tried, with what it is named for, is the same in the page model, JSON and CSV."""
    kept = [search for each in findings_of(document) for search in each["lowered"]]
    remaining = iter(rows)
    for search, kept_search in zip(lowered(findings), kept, strict=True):
        assert (kept_search["sentence"], kept_search["setting"], kept_search["limit"]) == (
            search.sentence,
            search.setting,
            search.limit,
        )
        assert kept_search["chosen"] == (None if search.chosen is None else search.chosen.value)
        for tried, in_json in zip(search.tried, kept_search["tried"], strict=True):
            row = next(remaining)
            assert (row["generator"], row["setting"]) == (search.method, search.setting)
            assert float(row["tried"]) == tried.value
            assert in_json["value"] == tried.value
            assert str(in_json["people_above"]) == row["people_above"] == str(tried.above)
            for end in ENDS:
                assert float(row[end]) == in_json["highest"][end] == getattr(tried.highest, end)
                useful = row[f"useful_{end}"]
                assert (useful == "") == (tried.useful is None) == (in_json["useful"] is None)
                assert tried.useful is None or float(useful) == in_json["useful"][end] == getattr(tried.useful, end)
            named = (row["is_chosen"] == "true", row["is_now"] == "true")
            assert named == (tried is search.chosen, tried is search.now)
    assert next(remaining, None) is None


def findings_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of a report as JSON, in the order of the tables."""
    out = []
    for question in document["questions"]:
        own = [] if question["finding"] is None else [question["finding"], *question["others"]]
        out += [*own, *(what_if["finding"] for what_if in question["what_ifs"])]
    return out


def same_number(finding: RunFinding | None, in_json: dict[str, Any] | None, row: dict[str, str]) -> None:
    """What the verdict stands on is the same in JSON and CSV."""
    assert (finding is None) == (in_json is None)
    strongest = None if finding is None else finding.measured.strongest
    number = None if in_json is None else in_json["measured"]["strongest"]
    assert (strongest is None) == (number is None) == (not row["value"])
    if strongest is not None and number is not None:
        for end in ENDS:
            assert number[end] == float(row[end]) == getattr(strongest, end)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 50))])
def test_the_paper_says_what_the_page_says(seed: int) -> None:
    findings = random(seed)
    paper = printed(findings)
    assert title(findings.overall.verdict) in paper
    assert " ".join(findings.overall.why.split()) in paper
    for give_away in findings.give_aways:
        assert " ".join(give_away.sentence.split()) in paper
    for answer in findings.answers:
        for cell in line(answer) if answer.shown is not None else [answer.title]:
            assert " ".join(cell.split()) in paper
        if answer.shown is None and answer.judgement is not None:
            assert " ".join(answer.judgement.why.split()) in paper


def test_what_shows_a_leak_says_for_how_many_questions_it_allows() -> None:
    """On paper, in the JSON and on the command line alike; pages and HTML have the same reason, see above."""
    seen = {}
    for seed in range(50):
        findings = random(seed)
        asked = findings.overall.figures.get("questions", 0)
        if findings.overall.verdict.shows_leak and findings.overall.code == "questions" and asked not in seen:
            seen[asked] = findings
    assert len(seen) >= 3, "audits of several sizes"
    for asked, findings in seen.items():
        runs = findings.overall.figures["runs"]
        counted = f"{asked} question{'s' * (asked > 1)}{f' in {runs} runs' * (runs > asked)}"
        sentence = f"This verdict is corrected for {counted} and for the check of the file itself"
        assert sentence in json.loads(to_json(findings))["overall"]["why"]
        assert sentence in "\n".join((*warnings(findings.give_aways), *lines(findings)))
    assert sentence in printed(findings)


def in_html(findings: Findings) -> str:
    """The text of the HTML page, drawings included."""
    text = re.sub(r"<style>.*?</style>", " ", to_html(findings).decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


@pytest.mark.parametrize(
    "seed",
    [
        *range(8),
        *(pytest.param(seed, marks=pytest.mark.second) for seed in range(8, 18)),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(18, 50)),
    ],
)
def test_the_html_says_what_the_page_says(seed: int) -> None:
    """Verdicts, give-aways, lines and reasons, every line of every drawing, and the hash of the JSON."""
    findings = random(seed)
    page = in_html(findings)
    first, *_ = reasons(findings) or [findings.overall.why]
    assert f"{title(findings.overall.verdict)} {' '.join(first.split())}" in page
    assert " ".join(findings.overall.why.split()) in page
    assert json.loads(to_json(findings))["sha256"] in page
    for give_away in findings.give_aways:
        assert " ".join(give_away.sentence.split()) in page
    for answer in findings.answers:
        for cell in line(answer) if answer.shown is not None else [answer.title]:
            assert " ".join(cell.split()) in page
        for finding in (finding for finding in answer.findings if finding is answer.finding):
            for bar in () if finding.chart is None else finding.chart.bars:
                assert texts.number_in_words(bar.estimate) in page
            assert " ".join(finding.sentence.split()) in page
        if answer.shown is None and answer.judgement is not None:
            assert " ".join(answer.judgement.why.split()) in page
    for search in (
        search for answer in findings.answered() for search in (answer.shown.lowered if answer.shown else ())
    ):
        for text in (search.title, search.sentence, search.cost, search.order, *lowered_words.NOT_SHOWN):
            assert " ".join(text.split()) in page
        for row in search.rows:
            assert " ".join(row) in page
        for bar in search.chart().bars:
            assert f"{texts.number_in_words(bar.estimate)} {bar.who}" in page


@pytest.mark.second
@pytest.mark.parametrize(
    "seed",
    [*OF_EVERY_KIND, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEARCHED if seed not in OF_EVERY_KIND)],
)
def test_the_paper_has_every_value_of_a_search(seed: int) -> None:
    """The sentence with its question, and in the appendix the picture and every value that was tried."""
    findings = random(seed)
    pages = pypdf.PdfReader(io.BytesIO(to_pdf(findings, with_appendix=True))).pages
    paper = re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages).replace("\u200b", ""))
    paper = paper.replace("- ", "-")  # a word with a hyphen may go on in the next line
    for search in lowered(findings):
        assert paper.count(search.sentence.replace("- ", "-")) >= 2
        assert all(" ".join(row) in paper for row in search.rows)


def test_a_number_changed_in_one_output_is_noticed() -> None:
    """The comparison above can fail: a digit more in one estimate, and JSON and paper part."""
    audit = made.audit(made.membership(np.random.default_rng(1)), provenance=made.STAT)
    findings = made.findings(audit, kind=Class.RESTRICTED)
    document = json.loads(to_json(findings))
    document["questions"][0]["finding"]["measured"]["strongest"]["value"] += 0.001
    assert document["sha256"] != digest(document)


@pytest.mark.parametrize("seed", range(20))
def test_both_classes_hold_the_same_verdicts(seed: int) -> None:
    open_, closed = (made.findings(made.random(seed), LIMITS, kind) for kind in Class)
    assert (open_.overall.verdict, open_.overall.code) == (closed.overall.verdict, closed.overall.code)
    assert [give_away.state for give_away in open_.give_aways] == [give_away.state for give_away in closed.give_aways]
    for answer, other in zip(open_.answers, closed.answers, strict=True):
        assert (answer.judgement and answer.judgement.code) == (other.judgement and other.judgement.code)
        assert [what_if.judgement.code for what_if in answer.what_ifs] == [
            what_if.judgement.code for what_if in other.what_ifs
        ]


def test_both_classes_hold_the_same_numbers() -> None:
    audit = made.random(11)
    open_, closed = (made.findings(audit, LIMITS, kind) for kind in Class)
    ends = [_ends(e) for e in every(open_)]
    few = [e for e in every(closed) if e.name in COUNTS and 0 < e.value < FEWEST]
    apart = [e for e in every(closed) if any(_tells(e, count) for count in few)]
    withheld = [*few, *apart]
    assert ends == [_ends(e) for e in every(closed) if e not in withheld]
    assert withheld, "a small count of people, which only the restricted class tells"


def _tells(estimate: Estimate, count: Estimate) -> bool:
    """Whether that count could be had again from a difference of counts."""
    return count.name in DIFFERENCES.get(estimate.name, ()) and estimate.labels == count.labels


def _ends(estimate: Estimate) -> tuple[float, ...]:
    return estimate.value, estimate.low, estimate.high, estimate.level, estimate.n
