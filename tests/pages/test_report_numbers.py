"""Random audits on the page Report: it shows the verdicts and the numbers that JSON, CSV, terminal and paper hold."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.frame import state, verdicts
from riskkit.dashboard.pages import question_page, report, report_files
from riskkit.judging.give_aways import GiveAway, State, short
from riskkit.judging.measurement import Verdict, title
from riskkit.questions import questions
from riskkit.report import texts
from riskkit.report.build import rejudge
from riskkit.report.lines import first_sentence
from riskkit.report.to_csv import to_csv
from riskkit.report.to_json import to_json
from riskkit.session.verdicts import lines
from riskkit.show.model import Class, Given
from tests.pages.screens import LIMIT, healthy, hints, unmarked
from tests.report.audited import made
from tests.report.audited.test_same_numbers import LIMITS, printed, read_csv

FAST, ALL = (0, 1, 2, 3, 20), 50
"""Random audits that are always played, the last with a run that was interrupted beside a what-if; and all of them."""


def on_page(facts: Given, *, limited: bool, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page of that audit, drawn as it always is; only the store it would be read from is left out."""

    def draw(of: str, is_limited: bool) -> None:
        from types import SimpleNamespace

        from riskkit.dashboard.pages import report
        from riskkit.judging.provenance import UNKNOWN, Cover
        from riskkit.questions.standard import StewardAnswers
        from tests.report.audited.test_same_numbers import LIMITS

        limits = LIMITS if is_limited else {}
        audit = SimpleNamespace(
            path="nowhere",
            id="of",
            name="made",
            revision=of,
            files={},
            runs=list,
            provenance=UNKNOWN,
            limits=limits,
            answers=StewardAnswers(),
            mending={},
            cover=Cover(),
        )
        report.show(audit)  # type: ignore[arg-type]

    monkeypatch.setattr(report, "read_given", lambda *_: facts)
    monkeypatch.setattr(report_files, "with_number", lambda _, findings: findings)  # there is no journal to count in
    monkeypatch.setattr(verdicts, "found_give_aways", lambda _: ())
    monkeypatch.setattr(state, "tables", lambda _: None)
    monkeypatch.setattr(question_page, "page_of", lambda *_, **__: None)  # other pages are not there to link to
    monkeypatch.setattr(state, "exists", lambda _: False)
    known = {"of": str(hash(repr(facts))), "is_limited": limited}
    return healthy(AppTest.from_function(draw, kwargs=known, default_timeout=LIMIT).run())


def shown_lines(screen: AppTest) -> dict[str, list[str]]:
    """By title of a question the texts after it in its line: verdict, value with limit, and the reason."""
    words = [unmarked(str(element.value)) for element in screen.markdown]
    titles = [each.title for each in questions().values()]
    places = sorted(words.index(f"**{title}**") for title in titles)
    ends = dict(zip(places, [*places[1:], len(words)], strict=True))
    starts = {title: words.index(f"**{title}**") for title in titles}
    return {title: words[start + 1 : ends[start]] for title, start in starts.items()}


def number_of(cells: list[str]) -> str:
    """The number of a line, as it stands beside its bar; empty where there is none."""
    numbers = (re.match(r"\*\*(?:[^*]*: )?([^*]+ \[[^*]+\])\*\*", cell) for cell in cells[1:2])
    return next((number[1] for number in numbers if number), "")


def is_number(text: str, estimate: Mapping[str, Any]) -> bool:
    """Whether a reader sees that number of the JSON, rounded, with its interval.

    Shares of people stand in per cent and their differences in points, to one decimal or more; others to two.
    """
    bare = re.sub(r" (%|points)", "", text)
    read = re.fullmatch(r"(\S+) \[(\S+), (\S+)\]", bare)
    assert read is not None, text
    times, fewest = (100, 1) if bare != text else (1, 2)
    decimals = [len(part.partition(".")[2]) for part in read.groups()]
    return min(decimals) >= fewest and all(
        float(part) == round(times * float(estimate[end]), places)
        for part, places, end in zip(read.groups(), decimals, ("value", "low", "high"), strict=True)
    )


def all_text(screen: AppTest, kind: str) -> str:
    """Everything of that kind on the page, a line each."""
    return unmarked("\n".join(str(element.value) for element in getattr(screen, kind)))


@pytest.mark.parametrize(
    "seed",
    [
        *FAST,
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(ALL) if seed not in FAST),
    ],
)
def test_the_page_shows_what_every_file_holds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, limited = made.random(seed), bool(seed % 2)
    screen = on_page(facts, limited=limited, monkeypatch=monkeypatch)
    findings = rejudge(made.findings(facts, kind=Class.SHAREABLE), LIMITS if limited else {})
    document: dict[str, Any] = json.loads(to_json(findings))
    table = {row["question"]: row for row in read_csv(to_csv(findings)["verdicts.csv"]) if not row["what_if"]}
    paper, terminal = printed(findings), "\n".join(lines(findings))
    overall(screen, document)
    by_title = shown_lines(screen)
    captions = all_text(screen, "caption")
    for question in document["questions"]:
        cells, row, judged = by_title[question["title"]], table[question["question"]], question["judgement"]
        shown = question["finding"] or next((what_if["finding"] for what_if in question["what_ifs"]), None)
        if judged or shown:
            assert badge(judged, is_what_if=question["state"] == "what if") == cells[0]
        for what_if in question["what_ifs"]:
            word = what_if["judgement"]["word"]
            text = f"{what_if['finding']['what_if']}: {word}"
            assert text in (captions if question["finding"] is None else all_text_of_folds(screen))
        if judged and question["finding"] is None:
            assert judged["why"] in cells
            assert judged["settle"] in captions or question["state"] in ("cancelled", "interrupted")
            assert " ".join(judged["settle"].split()) in paper
        if shown is None:
            continue
        strongest, value = shown["measured"]["strongest"], number_of(cells)
        assert not value if strongest is None else is_number(value, strongest)
        answer = next(each for each in findings.answers if each.question == question["question"])
        assert answer.shown is not None
        decisive = answer.judgement if question["finding"] else answer.what_ifs[0].judgement
        assert first_sentence(answer.shown, decisive, in_list=True) in cells
        for other in (paper, terminal):
            assert value in other
        if question["finding"] and strongest is not None:
            assert is_number(value, row)
            if judged["limit"]:
                limit = judged["limit"]["value"]
                in_its_unit = (f"{limit:.2f}", f"{100 * limit:.1f} %", f"{100 * limit:.1f} points")
                assert any(f"limit {each}]" in cells[1] for each in in_its_unit), cells[1]
                assert float(row["limit"]) == judged["limit"]["value"]
        if judged:
            assert judged["why"] in all_text(screen, "markdown") + captions


def badge(judged: dict[str, Any] | None, *, is_what_if: bool) -> str:
    """The badge of a line: a leak is red, a what-if never."""
    if judged is None:
        return f":gray-badge[{texts.WHAT_IF if is_what_if else texts.NOT_RUN}]"
    verdict = Verdict(judged["word"])
    return f":{'red' if verdict.shows_leak else 'gray'}-badge[{title(verdict)}]"


def overall(screen: AppTest, document: dict[str, Any]) -> None:
    """The verdict on top; why, once: in the boxes of give-aways where these decide it."""
    top = document["overall"]
    verdict = Verdict(top["word"])
    advice = ": do not release it" if verdict.shows_leak else ""
    assert screen.header[0].value == f"{title(verdict)}{advice}"
    shown, unsettled = (
        [give_away for give_away in document["give_aways"] if give_away["state"] == state]
        for state in (State.SHOWN, State.OPEN)
    )
    banners = [text.value for text in screen.markdown if text.value.startswith(":red[:material/visibility:")]
    assert len(banners) == bool(shown)
    for give_away in shown:
        assert short(GiveAway(give_away["code"], State.SHOWN)) in banners[0]
    boxes = [unmarked(box.value) for box in screen.warning]
    assert sorted(boxes) == sorted(f"{give_away['sentence']} {give_away['repair']}" for give_away in unsettled)
    is_by_itself = top["code"] in ("give_away", "give_away_open")
    assert (top["why"] in all_text(screen, "markdown") + hints(screen)) == (not is_by_itself)
    for give_away in document["give_aways"]:
        if give_away not in (*shown, *unsettled):
            assert give_away["sentence"] in all_text(screen, "markdown")


def all_text_of_folds(screen: AppTest) -> str:
    """What stands on everything that can be unfolded."""
    return unmarked("\n".join(fold.label for fold in screen.expander))


def test_a_page_of_another_audit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above can fail: the page of one audit beside the files of another."""
    screen = on_page(made.random(1), limited=True, monkeypatch=monkeypatch)
    own, other = (
        [
            question["finding"]["measured"]["strongest"]
            for question in json.loads(to_json(findings))["questions"]
            if question["finding"] and question["finding"]["measured"]["strongest"]
        ]
        for findings in (made.findings(made.random(seed), kind=Class.RESTRICTED) for seed in (1, 3))
    )
    seen = list(filter(None, map(number_of, shown_lines(screen).values())))
    assert all(any(is_number(cell, estimate) for cell in seen) for estimate in own)
    assert not all(any(is_number(cell, estimate) for cell in seen) for estimate in other)
