"""Random audits on the page Report: it shows the verdicts and the numbers that JSON, CSV, terminal and paper hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.commands._reporting import lines
from riskkit.dashboard import report, state
from riskkit.report.audited import texts
from riskkit.report.audited.build import rejudged
from riskkit.report.audited.model import Class, Given
from riskkit.report.audited.to_csv import to_csv
from riskkit.report.audited.to_json import to_json
from riskkit.stats.verdict import Verdict
from tests.pages.screens import LIMIT, healthy, unmarked
from tests.report.audited import made
from tests.report.audited.test_same_numbers import LIMITS, printed, read_csv

FAST, ALL = 4, 50


def on_page(given: Given, *, limited: bool, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page of that audit, drawn as it always is; only the store it would be read from is left out."""

    def draw(of: str) -> None:
        from types import SimpleNamespace

        from riskkit.dashboard import report

        report.show(SimpleNamespace(path="nowhere", revision=of, runs=list))  # type: ignore[arg-type]

    monkeypatch.setattr(report, "given_of", lambda *_: given)
    monkeypatch.setattr(state, "tables", lambda _: None)
    monkeypatch.setattr(state, "exists", lambda _: False)  # the app's other pages are not there to link to
    screen = AppTest.from_function(draw, kwargs={"of": str(hash(repr(given)))}, default_timeout=LIMIT)
    for question, limit in LIMITS.items() if limited else ():
        screen.session_state[f"report.limit.{question}.kind"] = "own"
        screen.session_state[f"report.limit.{question}.value"] = limit.value
        screen.session_state[f"report.limit.{question}.who"] = limit.source
    return healthy(screen.run())


def shown_lines(screen: AppTest) -> dict[str, list[str]]:
    """By title of a question the texts after it in its line: verdict, worst attack, value, limit."""
    told = [unmarked(str(element.value)) for element in screen.markdown]
    titles = [title for title, _ in texts.QUESTIONS.values()]
    return {title: told[told.index(f"**{title}**") + 1 :][:4] for title in titles}


def number(given: dict[str, Any]) -> str:
    """A number of the JSON as a reader sees it."""
    return f"{given['value']:.2f} [{given['low']:.2f}, {given['high']:.2f}]"


@pytest.mark.parametrize(
    "seed", [*range(FAST), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FAST, ALL))]
)
def test_the_page_shows_what_every_file_holds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given, limited = made.random(seed), bool(seed % 2)
    screen = on_page(given, limited=limited, monkeypatch=monkeypatch)
    found = rejudged(made.found(given, kind=Class.RESTRICTED), LIMITS if limited else {})
    said: dict[str, Any] = json.loads(to_json(found))
    table = {row["question"]: row for row in read_csv(to_csv(found)["verdicts.csv"])}
    paper, terminal = printed(found), "\n".join(lines(found))
    word = texts.verdict(Verdict(said["overall"]["verdict"]))
    assert screen.header[0].value == word
    assert said["overall"]["why"] in [unmarked(str(element.value)) for element in screen.markdown]
    by_title = shown_lines(screen)
    for one in said["questions"]:
        cells, row, judged = by_title[one["title"]], table[one["question"]], one["judgement"]
        if one["finding"] is None:
            assert (texts.verdict(Verdict(judged["verdict"])) if judged else texts.NOT_RUN) in cells[0]
            if judged:
                assert f"{judged['why']} {judged['settle']}" in unmarked(str([it.value for it in screen.caption]))
                assert " ".join(judged["settle"].split()) in paper
            continue
        assert (texts.verdict(Verdict(judged["verdict"])) if judged else texts.NO_VERDICT) in cells[0]
        strongest = one["finding"]["measured"]["strongest"]
        value = "–" if strongest is None else number(strongest)
        number_cell, _, beside = cells[2].partition("  \n")
        assert number_cell == value
        assert (f"guessing {one['finding']['measured']['guess']:.2f}" in beside) == (strongest is not None)
        assert cells[1] == (one["finding"]["measured"]["who"] or "–") == (row["strongest"] or "–")
        for other in (paper, terminal):
            assert value in other
        if strongest is not None:
            assert value == number({end: float(row[end]) for end in ("value", "low", "high")})
        if judged and judged["limit"]:
            assert cells[3].partition("  \n")[0] == f"{judged['limit']['value']:.2f}" == f"{float(row['limit']):.2f}"
        if judged:
            assert judged["why"] in "\n".join(unmarked(str(element.value)) for element in screen.markdown)


def test_a_page_of_another_audit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above can fail: the page of one audit beside the files of another."""
    screen = on_page(made.random(1), limited=True, monkeypatch=monkeypatch)
    own, other = (
        [number(one["finding"]["measured"]["strongest"]) for one in json.loads(to_json(found))["questions"]
         if one["finding"] and one["finding"]["measured"]["strongest"]]
        for found in (made.found(made.random(seed), kind=Class.RESTRICTED) for seed in (1, 3))
    )  # fmt: skip
    cells = [cells[2].partition("  \n")[0] for cells in shown_lines(screen).values()]
    assert set(own) <= set(cells)
    assert not set(other) <= set(cells)
