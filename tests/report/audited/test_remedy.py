"""A search for the least change in a report: who may see which count and name, and when it makes another report."""

import json
from dataclasses import replace
from typing import Any

import pytest

from riskkit.questions.records import words
from riskkit.questions.records.remedy import Remedy
from riskkit.report.to_json import to_json
from riskkit.show.model import Class, Findings, Given
from riskkit.show.names import FEW, Names
from riskkit.show.remedy import Lowered
from tests.report.audited import made

RECORDS = made.records([made.record(row, 0.6) for row in range(40)])


def shown(audit: Given, kind: Class = Class.SHAREABLE) -> list[Lowered]:
    findings = made.findings(audit, kind=kind)
    return [search for answer in findings.answered() for finding in answer.findings for search in finding.lowered]


def searches_of(findings: Findings) -> list[dict[str, Any]]:
    (answer,) = (
        question for question in json.loads(to_json(findings))["questions"] if question["question"] == "records"
    )
    every: list[dict[str, Any]] = answer["what_ifs"][0]["finding"]["lowered"]
    return every


def test_few_people_and_all_but_few_are_not_counted_out() -> None:
    """Of 300: 294, 290, 20, 9, 0 above the limit; restricted reports count them all."""
    search = made.search([0.95, 0.94, 0.9, 0.8, 0.6], [294, 290, 20, 9, 0])
    audit = made.audit(RECORDS, remedies=(search,))
    (open_,), (closed,) = (shown(audit, kind) for kind in Class)
    assert [step.above for step in open_.tried] == ["more than 290", 290, 20, FEW, 0]
    assert [step.above for step in closed.tried] == [294, 290, 20, 9, 0]
    assert [step["people_above"] for step in searches_of(made.findings(audit))[0]["tried"]] == [
        "more than 290",
        290,
        20,
        FEW,
        0,
    ]
    assert open_.chosen is open_.tried[-1]
    assert open_.now is open_.tried[0]


def test_where_nothing_is_enough_the_best_is_said_with_its_count() -> None:
    (open_,) = shown(made.audit(RECORDS, remedies=(made.search([0.95, 0.8], [40, 4]),)))
    assert open_.chosen is None
    assert open_.sentence.endswith(f"is 0.8100, with Pseudo-count at 1. People above the limit then: {FEW} of 300.")


def test_it_stands_with_the_method_it_is_about() -> None:
    search = made.search([0.9, 0.6], [20, 0])
    assert len(shown(made.audit(RECORDS, remedies=(search, made.search([0.9, 0.6], [20, 0], setting="bins"))))) == 2
    other = made.records([made.record(row, 0.6) for row in range(40)], generator="histogram")
    assert shown(made.audit(other, remedies=(search,))) == []


def test_a_search_of_another_version_is_left_out() -> None:
    assert shown(made.audit(RECORDS, remedies=({"search": {"generator": "bayesnet"}},))) == []


@pytest.mark.parametrize("kind", list(Class))
def test_a_method_and_a_measure_of_ones_own_stay_ones_own(kind: Class) -> None:
    """Neither their names nor what their settings are called stand in a shareable report."""
    result = Remedy.from_plain(made.search([0.9, 0.6], [20, 0]))
    own = replace(
        result, search=replace(result.search, generator="secretmethod:ward=3", setting="wardsize", measure="wards")
    )
    names = Names.of(made.audit(), kind)
    seen = words.remedy_in_words(own, names)
    text = " ".join((seen.title, seen.sentence, seen.cost, *map(str, seen.head)))
    assert ("secretmethod" in text, "wardsize" in text, "wards" in text) == (kind is Class.RESTRICTED,) * 3


def test_another_search_makes_another_report() -> None:
    """Its answer is no part of the hash: a small count could be guessed from it."""
    none, first, another_value, another_limit = (
        made.findings(made.audit(RECORDS, remedies=remedies)).basis
        for remedies in (
            (),
            (made.search([0.9, 0.6], [20, 0]),),
            (made.search([0.9, 0.8], [20, 3]),),
            (made.search([0.9, 0.6], [20, 0], limit=0.6),),
        )
    )
    assert first == another_value
    assert len({none, first, another_limit}) == 3


def test_a_chart_has_what_is_named_and_twelve_lines_at_most() -> None:
    """Of 40 values the first, the last, the one that is, and the least change."""
    highest = [0.99 - index / 100 for index in range(40)]
    (search,) = shown(made.audit(RECORDS, remedies=(made.search(highest, [10] * 40),)))
    bars = search.chart().bars
    assert len(bars) == 12
    assert search.chosen is not None
    lines = [bar.who for bar in bars]
    assert lines[0] == "Pseudo-count 0: as it is"
    assert lines[-1] == "Pseudo-count 39"
    assert f"Pseudo-count {search.chosen.value:g}: least change" in lines
    assert [bar.kind for bar in bars] == [
        "control" if "least" in bar.who else "held" if bar.estimate.high < search.limit else "above" for bar in bars
    ]
    assert {"control", "held", "above"} == {bar.kind for bar in bars}
