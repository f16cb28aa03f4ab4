"""What stands first under a verdict: the reason of that very verdict, and one number on every surface."""

from __future__ import annotations

import json
import re

import pytest

from riskkit.judging.measurement import Verdict
from riskkit.report.lines import first_sentence, line
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import to_json
from tests.report.audited.test_same_numbers import printed, random, read_csv

SILENT = re.compile(r"No leak found|not shown to|neither shown nor ruled out")
"""What only a verdict that shows no leak may say first."""
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
                    assert SILENT.search(first), about
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
