"""Fifty random audits: page line, command line, PDF, CSV and JSON say the same of each, to the last shown digit."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pypdf
import pytest

from riskkit.commands._reporting import lines
from riskkit.core import Estimate
from riskkit.report.audited import texts
from riskkit.report.audited.build import rejudged
from riskkit.report.audited.document import line
from riskkit.report.audited.model import Class, Findings, Limit
from riskkit.report.audited.names import COUNTS, FEWEST
from riskkit.report.audited.to_csv import to_csv
from riskkit.report.audited.to_json import digest, to_json
from riskkit.report.audited.to_pdf import to_pdf
from riskkit.stats.epsilon import BOUNDS
from tests.report.audited import made

LIMITS = {"membership": Limit(0.7, "board"), "released": Limit(0.6, "board"), "attributes": Limit(0.1, "board")}


def read_csv(source: bytes) -> list[dict[str, str]]:
    first, _, body = source.decode("utf-8-sig").partition("\r\n")
    assert first.startswith("# riskkit report ")
    return list(csv.DictReader(io.StringIO(body, newline="")))


def every(found: Findings) -> list[Estimate]:
    """All numbers of the runs that verdicts stand on."""
    return [e for answer in found.answered() if answer.finding is not None for e in answer.finding.estimates]


def printed(found: Findings) -> str:
    """The text of the cover, where all verdicts stand, without the places where long words may break."""
    cover = pypdf.PdfReader(io.BytesIO(to_pdf(found))).pages[0]
    return re.sub(r"\s+", " ", cover.extract_text().replace("\u200b", ""))


@pytest.mark.parametrize("seed", range(50))
def test_every_output_of_a_random_audit_holds_the_same_numbers(seed: int) -> None:
    found = rejudged(made.found(made.random(seed), kind=Class.RESTRICTED), LIMITS if seed % 2 else {})
    said = json.loads(to_json(found))
    tables = {name: read_csv(source) for name, source in to_csv(found).items()}
    terminal = "\n".join(lines(found))
    verdicts = {row["question"]: row for row in tables["verdicts.csv"]}
    assert said["sha256"] == digest(said)
    assert said["overall"]["verdict"] == verdicts["overall"]["verdict"] == str(found.overall.verdict)
    assert texts.VERDICTS[found.overall.verdict][1].upper() in terminal
    for answer, told in zip(found.answers, said["questions"], strict=True):
        title, word, _, value, limit = line(answer)
        row = verdicts[answer.question]
        judged = told["judgement"]
        assert (row["verdict"] if judged else None) == (judged["verdict"] if judged else None)
        terminal_line = next(text for text in terminal.splitlines() if text.startswith(f"{title} "))
        assert word in terminal_line
        assert value in terminal_line
        assert limit in terminal_line
        if answer.finding is None:
            continue
        strongest, number = answer.finding.measured.strongest, told["finding"]["measured"]["strongest"]
        assert (strongest is None) == (number is None) == (not row["value"])
        if strongest is not None:
            for end in ("value", "low", "high", "level"):
                assert number[end] == float(row[end]) == getattr(strongest, end)
            assert value == texts.shown(strongest)
    in_json = [e for one in said["questions"] if one["finding"] for e in one["finding"]["estimates"]]
    in_csv = tables.get("estimates.csv", [])
    assert len(in_json) == len(in_csv) == len(every(found))
    for one, row in zip(in_json, in_csv, strict=True):
        assert (one["name"], one["value"], one["low"], one["high"]) == (
            row["measure"], float(row["value"]), float(row["low"]), float(row["high"]),
        )  # fmt: skip
        if one["name"] in BOUNDS:
            assert one["reads"] == row["reads"]
            assert row["reads"].startswith("cannot be shown" if one["value"] < 0.005 else f"{one['value']:.2f} (ceil")
        else:
            assert not row.get("reads")
            assert "reads" not in one


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 50))])
def test_the_paper_says_what_the_page_says(seed: int) -> None:
    found = rejudged(made.found(made.random(seed), kind=Class.RESTRICTED), LIMITS if seed % 2 else {})
    paper = printed(found)
    assert texts.VERDICTS[found.overall.verdict][1] in paper
    for answer in found.answers:
        for cell in line(answer):
            assert " ".join(cell.split()) in paper


def test_a_number_changed_in_one_output_is_noticed() -> None:
    """The comparison above can fail: a digit more in one estimate, and JSON and paper part."""
    found = made.found(made.given(made.membership(np.random.default_rng(1))), kind=Class.RESTRICTED)
    said = json.loads(to_json(found))
    said["questions"][0]["finding"]["measured"]["strongest"]["value"] += 0.001
    assert said["sha256"] != digest(said)


def test_both_classes_hold_the_same_numbers() -> None:
    audit = made.random(11)
    open_, closed = (made.found(audit, LIMITS, kind) for kind in Class)

    told = [_ends(e) for e in every(open_)]
    withheld = [e for e in every(closed) if e.name in COUNTS and 0 < e.value < FEWEST]
    assert told == [_ends(e) for e in every(closed) if e not in withheld]
    assert withheld, "a small count of people, which only the restricted class tells"
    assert [a.judgement and a.judgement.verdict for a in open_.answers] == [
        a.judgement and a.judgement.verdict for a in closed.answers
    ]


def _ends(estimate: Estimate) -> tuple[float, ...]:
    return estimate.value, estimate.low, estimate.high, estimate.level, estimate.n
