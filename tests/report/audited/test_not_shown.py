"""NEG8 and NEG9 on random audits: an attack that is no better than its baseline is a state, in words, on every surface.

The baseline is guessing; on a released file also what tells the two sides apart without the release, of explanations
the best constant guess for everybody, of a secret the same model that never saw whom it guesses. A page shows the very
judgement of the report (tests/pages/test_verdicts.py holds it to that); here it is drawn from the same random audits.
"""

import io
import json
import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pypdf
import pytest
from streamlit.testing.v1 import AppTest

from riskkit.judging.measurement import Judgement, Limit, Measured, Verdict, title
from riskkit.judging.reasons import Bars
from riskkit.report.lines import first_sentence, line, reason
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.session.verdicts import lines
from riskkit.show.model import Findings, Played, RunFinding
from tests.pages.screens import unmarked
from tests.report.audited import made
from tests.report.audited.test_same_numbers import printed, random, read_csv

LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}


def judged(findings: Findings) -> Iterator[tuple[RunFinding, Judgement, dict[str, Any]]]:
    """Every finding that is judged, with its judgement and with what JSON says of both."""
    questions = json.loads(to_json(findings))["questions"]
    for answer, kept in zip(findings.answers, questions, strict=True):
        if answer.finding is not None and answer.judgement is not None:
            yield answer.finding, answer.judgement, kept
        for what_if, own in zip(answer.what_ifs, kept["what_ifs"], strict=True):
            yield what_if.finding, what_if.judgement, own


@cache
def judged_of(seed: int) -> tuple[tuple[RunFinding, Judgement, dict[str, Any]], ...]:
    """All of a random audit, without limits and with them; drawn once for all tests."""
    audit = made.random(seed)
    return tuple(entry for limits in ({}, LIMITS) for entry in judged(made.findings(audit, limits)))


def is_no_better(finding: RunFinding) -> bool:
    """Whether nothing that was looked at is shown to be better than its baseline."""
    measured = finding.measured
    barred = any(reason.bars in (Bars.EVERYTHING, Bars.LEAK) for reason in measured.reasons)
    return measured.strongest is None or measured.strongest.low <= measured.guess or barred


def words_of(pdf: bytes) -> str:
    """All text of a PDF, without its spaces and line ends."""
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)
    return re.sub(r"[\s\u200b\u00ad-]", "", text)


def page(judgement: Judgement, finding: RunFinding) -> str:
    """What a page shows of a judgement."""

    def draw(judgement: object, measured: object) -> None:
        from riskkit.dashboard.frame import verdicts

        verdicts.badge(judgement)  # type: ignore[arg-type]  # names of types are not known where this runs
        verdicts.reason(judgement, measured)  # type: ignore[arg-type]

    known = {"judgement": judgement, "measured": finding.measured}
    screen = AppTest.from_function(draw, kwargs=known, default_timeout=60).run()
    assert not screen.exception
    return " ".join(unmarked(text.value) for text in screen.markdown)


def no_better() -> list[Played]:
    """A run of every question in which no attack is better than its baseline."""
    rng = np.random.default_rng(3)
    return [
        made.membership(rng, shifts=(0.0,), trainings=60),
        made.released(rng, shift=1.0, differ=True),
        made.released(rng, shift=0.0),
        made.attributes(residual=0.3, without=0.3),
        made.attributes(residual=0.0),
        made.records([made.record(row, 0.5) for row in range(4)], generator="stat"),
        made.explanations(gain=-0.02),
        made.contest(low=18.0),
    ]


@pytest.mark.parametrize("index", range(8))
def test_neg8_an_attack_no_better_than_its_baseline_is_a_state_on_every_surface(index: int) -> None:
    run = no_better()[index]
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        findings = made.findings(made.audit(run, provenance=made.STAT))
        pdf, terminal = words_of(to_pdf(findings)), "\n".join(lines(findings))
        ((finding, judgement, kept),) = judged(findings)
    assert is_no_better(finding)
    assert not judgement.shows_leak
    assert judgement.verdict is Verdict.UNDECIDED, "and without a limit no absence either"
    assert (kept["judgement"]["word"], kept["judgement"]["code"]) == (str(judgement.verdict), judgement.code)
    assert kept["judgement"]["why"] == judgement.why != ""
    assert re.sub(r"[\s-]", "", judgement.why) in pdf
    shown = page(judgement, finding)
    assert title(judgement.verdict) in shown
    assert judgement.why in shown
    assert title(judgement.verdict) in terminal or f": {judgement.verdict}" in terminal
    assert not findings.overall.shows_leak
    assert [str(warning.message) for warning in raised if "riskkit" in warning.filename] == [], (
        "no warning that nobody sees"
    )


def test_neg8_the_same_runs_with_a_better_attack_do_show_a_leak() -> None:
    """Were "no better" said of everything, the test above could not fail."""
    rng = np.random.default_rng(3)
    better = [
        made.membership(rng, shifts=(3.0,), trainings=60), made.released(rng, shift=1.0),
        made.attributes(residual=0.3, without=0.0), made.explanations(gain=0.3), made.contest(low=60.0),
    ]  # fmt: skip
    for run in better:
        ((finding, judgement, _),) = judged(made.findings(made.audit(run, provenance=made.STAT)))
        assert not is_no_better(finding), run.question
        assert judgement.verdict is Verdict.LEAK, run.question


@pytest.mark.parametrize("seed", range(20))
def test_neg8_no_verdict_of_a_leak_stands_on_an_attack_no_better_than_its_baseline(seed: int) -> None:
    for finding, judgement, kept in judged_of(seed):
        assert kept["judgement"]["word"] == str(judgement.verdict)
        assert bool(kept["judgement"]["code"])
        if is_no_better(finding):
            assert not judgement.shows_leak


@pytest.mark.parametrize("seed", range(60))
def test_neg9_what_could_have_shown_stands_wherever_no_leak_is_shown(seed: int) -> None:
    """In the reason, and so in JSON and on every page; where nothing at all can be said, the reason says that alone."""
    for finding, judgement, kept in judged_of(seed):
        measured = finding.measured
        barred = any(reason.bars is Bars.EVERYTHING for reason in measured.reasons)
        why = kept["judgement"]["why"]
        if judgement.shows_leak or barred or measured.widest is None:
            assert "8 of 10 audits" not in why
            continue
        assert "8 of 10 audits" in why
        assert f" ends at {in_its_unit(measured, measured.widest.high)}." in why


def in_its_unit(measured: Measured, value: float) -> str:
    """A number of that scale: differences of shares in points, shares in per cent, others as they are."""
    if measured.scale == "excess":
        return f"{100 * value:.1f} points"
    return f"{100 * value:.1f} %" if measured.scale in ("residual", "hits") else f"{value:.2f}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_neg9_it_is_printed_as_well(seed: int) -> None:
    """A PDF takes a second or two; budget a minute."""
    findings = made.findings(made.random(seed))
    pdf = words_of(to_pdf(findings))
    for finding, judgement, _ in judged(findings):
        if not judgement.shows_leak and finding.measured.widest is not None:
            assert re.sub(r"[\s-]", "", judgement.why) in pdf


SILENT = re.compile(
    r"No leak (of “\w+” )?(is )?shown|[Cc]hance can explain the difference|not shown to|neither shown nor ruled out"
)
"""What only a verdict that shows no leak may say, in its first sentence or right after it."""
AUDITS = 50


def test_the_first_sentence_under_a_verdict_gives_its_reason() -> None:
    seen = dict.fromkeys(set(Verdict) - {Verdict.DESCRIBED}, 0)  # of a description nothing is judged
    for seed in range(AUDITS):
        for answer in random(seed).answered():
            pairs = [(answer.finding, answer.judgement), *((each.finding, each.judgement) for each in answer.what_ifs)]
            for finding, judged in pairs:
                if finding is None or judged is None:
                    continue
                first = first_sentence(finding, judged)
                about = seed, answer.question, judged.code, first
                assert first, about
                assert "high risk" not in first.lower(), about
                if judged.shows_leak:
                    assert not SILENT.search(first), about
                elif judged.code == "no_limit" and finding.plain:
                    assert SILENT.search(reason(finding, judged)), about
                elif judged.code == "gives_away":  # the file itself stands above it, and was not cleared by this test
                    assert first == (finding.plain or finding.sentence), about
                elif judged.code != "no_limit":
                    assert first == (judged.reason or judged.why), about
                    assert judged.why.startswith(first), about
                seen[judged.verdict] += 1
    assert min(seen.values()) > 0, seen


@pytest.mark.parametrize("seed", range(4))
def test_one_thing_has_one_number(seed: int) -> None:
    """The line of the page, page one of the paper, JSON and CSV."""
    findings = random(seed)
    document = {question["question"]: question for question in json.loads(to_json(findings))["questions"]}
    table = {row["question"]: row for row in read_csv(to_csv(findings)["verdicts.csv"]) if not row["what_if"]}
    paper = printed(findings)
    for answer in findings.answered():
        if answer.finding is None or answer.finding.measured.strongest is None:
            continue
        strongest, value = answer.finding.measured.strongest, line(answer)[3]
        assert value in paper
        assert " ".join(first_sentence(answer.finding, answer.judgement).split()) in paper
        kept = document[answer.question]["finding"]["measured"]["strongest"]
        assert (kept["value"], kept["low"], kept["high"]) == (strongest.value, strongest.low, strongest.high)
        row = table[answer.question]
        assert [float(row[end]) for end in ("value", "low", "high")] == [strongest.value, strongest.low, strongest.high]
