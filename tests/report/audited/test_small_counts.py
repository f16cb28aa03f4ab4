"""Small counts of people: whatever they are from 1 to 9, every shareable output is the same to the last byte."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from riskkit.core import Estimate
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measurement import Limit
from riskkit.report.to_csv import to_csv
from riskkit.report.to_gate import for_pipelines
from riskkit.report.to_html import to_html
from riskkit.report.to_json import to_json
from riskkit.report.to_pdf import to_pdf
from riskkit.show import names
from riskkit.show.model import Class, Findings, Given
from riskkit.show.names import COUNTS, FEW, FEWEST, is_few, people_in_words
from tests.report.audited import made

LIMITS = {"records": Limit(0.6, "board"), "attributes": Limit(0.1, "board")}


def audit(few: int, state: State = State.SHOWN) -> Given:
    """An audit in which so many people are copied, exposed, identified and repaired; with all that follows from it."""
    rng = np.random.default_rng(1)
    released = made.released(rng, n=60)
    copied = {"rows": few, "k_in": few, "n_in": 58, "k_out": 0, "n_out": 40, "alone": few, "has_holdout": True}
    share = Estimate("copied", few / 58, few / 100, few / 30, 0.983, "m", 98)
    shared = {"column": "ward", "shared": few, "of": 300, "expected": 0.2, "linked": 0, "here": 0.0, "elsewhere": 0.0}
    problem = {"gravity": "repair", "code": "rare", "what": "", "do": "", "column": "ward", "count": few, "file": ""}
    return made.audit(
        released,
        made.attributes(exposed=few),
        made.records([made.record(row, 0.6) for row in range(40)]),
        preparation=(problem,),
        provenance=made.STAT,
        give_aways=(GiveAway("copies", state, copied, share), GiveAway("identifiers", state, shared)),
        remedies=(
            made.search([0.9, 0.8, 0.6], [300 - few, few, 0]),
            made.search([0.95, 0.9, 0.8], [200, 20, few], setting="bins"),
        ),
    )


def outputs(few: int, kind: Class = Class.SHAREABLE, state: State = State.SHOWN) -> dict[str, bytes]:
    findings = made.findings(audit(few, state), LIMITS, kind=kind)
    return {
        "report.json": to_json(findings),
        "report.html": to_html(findings),
        "report.pdf": to_pdf(findings, with_appendix=True),
        **to_csv(findings),
        **for_pipelines(findings),
    }


def differing(first: Mapping[str, bytes], second: Mapping[str, bytes]) -> set[str]:
    assert set(first) == set(second)
    return {name for name in first if first[name] != second[name]}


@pytest.mark.parametrize("state", [State.SHOWN, State.OPEN])
def test_no_shareable_output_depends_on_how_few_they_are(state: State) -> None:
    """Neither the count nor a share, a total less the rest, a list or a row of a table that it could be had from."""
    assert differing(outputs(3, state=state), outputs(7, state=state)) == set()


@pytest.mark.second
def test_the_comparison_sees_counts_that_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten and more are counted out, a restricted report counts everybody, and a rule that is off is noticed."""
    assert differing(outputs(10), outputs(11)) >= {"report.json", "report.html", "report.pdf", "verdicts.csv"}
    assert differing(outputs(9), outputs(10)) >= {"report.json", "preparation.csv"}
    restricted = differing(outputs(3, Class.RESTRICTED), outputs(7, Class.RESTRICTED))
    assert restricted >= {"report.json", "report.html", "report.pdf"}
    monkeypatch.setattr(names, "FEWEST", 0)
    assert "report.json" in differing(outputs(3), outputs(7))


def walked(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a report as JSON."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walked(each)


def listed(findings: Findings) -> set[str]:
    """The single people that a question about everybody names in any output."""
    document = json.loads(to_json(findings))
    question = next(question for question in document["questions"] if question["question"] == "records")
    texts = [
        json.dumps(question),
        to_html(findings).decode(),
        *(source.decode() for source in to_csv(findings).values()),
    ]
    return {name for text in texts for name in re.findall(r"R-[0-9A-F]{8}", text)}


@pytest.mark.parametrize("exposed", [2, 9, 30])
def test_people_are_not_listed_where_a_list_would_count_them(exposed: int) -> None:
    """Of a question about everybody the most exposed alone stands for itself; the rest are a count, or few."""
    aucs = [0.95] * exposed + [0.5] * (60 - exposed)
    run = made.records([made.record(row, auc) for row, auc in enumerate(aucs)], generator="stat", total=60)
    findings = made.findings(made.audit(run, provenance=made.STAT), LIMITS)
    answer = next(answer for answer in findings.answers if answer.question == "records")
    assert answer.finding is not None
    assert (FEW in answer.finding.sentence) == (exposed < FEWEST)
    assert f"{exposed} are listed" in answer.finding.sentence or exposed < FEWEST
    assert len(listed(findings)) == 1
    assert len([estimate for estimate in answer.finding.estimates if estimate.name == "auc"]) == 1
    closed = made.findings(made.audit(run, provenance=made.STAT), LIMITS, kind=Class.RESTRICTED)
    assert next(answer for answer in closed.answers if answer.question == "records").finding is not None
    every = [estimate for answer in closed.answered() if answer.finding for estimate in answer.finding.estimates]
    assert len([estimate for estimate in every if estimate.name == "auc"]) == 60


@pytest.mark.parametrize("seed", range(20))
def test_no_count_of_a_random_audit_is_small(seed: int) -> None:
    document = json.loads(to_json(made.findings(made.random(seed))))
    for entry in walked(document):
        if entry.get("name") in COUNTS:
            assert not is_few(entry["value"]), entry


def test_the_rule() -> None:
    assert [people_in_words(value) for value in (0, 0.4, 1, 9, 10, 1234)] == ["0", FEW, FEW, FEW, "10", "1,234"]
