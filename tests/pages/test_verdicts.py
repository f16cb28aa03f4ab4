"""One run, one verdict: its page, the page Report, the JSON and the terminal say the same word of the same number."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.audit.report_facts import build_findings, read_given
from riskkit.dashboard.frame.verdicts import SENTENCE
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import Limit, Verdict, own, title
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.plans import Plan
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.report.lines import first_sentence
from riskkit.report.to_json import to_json
from riskkit.session.verdicts import lines
from riskkit.show.model import Class, Findings
from tests.pages.runs import changed, faked, finished
from tests.pages.screens import csv, healthy, loaded, opened, shown, unmarked, verdicts

ROWS = 150
PLANS: tuple[Plan, ...] = (
    MembershipPlan(("stat", "bayesnet"), trainings=14, generations=1, n_syn=ROWS),
    ReleasedPlan(attacks=("mc", "dcr")),
    RecordsPlan(records="top:12", inside=20, outside=20, shadows=8, again=2, n_syn=ROWS, certificate=True),
    AttributePlan(secrets=("job", "ward"), model="cap", sweep_model="cap"),
    ExplanationPlan(target="job", attackers=("linear",), victims=20, auxiliary=(40,), model_seeds=1),
    ContestPlan(("stat", "identity"), ("distance",), source="people", guesses=30, rules="none"),
)
PAGES = {
    "membership": "pages/2_membership.py",
    "released": "pages/2_membership.py",
    "records": "pages/3_records.py",
    "attributes": "pages/4_attributes.py",
    "explanations": "pages/5_explanations.py",
    "contest": "pages/6_contest.py",
}
LIMITS = {
    "membership": own(0.8), "released": own(0.9), "records": own(0.55), "attributes": own(0.3),
    "explanations": own(0.9), "contest": own(0.95),
}  # fmt: skip
STATES: dict[str, tuple[Mapping[str, Limit], Provenance]] = {
    "nobody said anything": ({}, UNKNOWN),
    "made by stat": ({}, Provenance("stat")),
    "made by bayesnet, under limits": (LIMITS, Provenance("bayesnet")),
}
"""Limits, and how the release was made."""


@pytest.fixture(scope="module")
def results() -> Callable[[Audit], None]:
    """Puts a finished run of every plan into an audit; each is played once for all tests of this file."""
    known: dict[Plan, dict[str, Any]] = {}

    def put(audit: Audit) -> None:
        for number, plan in enumerate(PLANS):
            name = f"{number}" * 32
            if plan not in known:
                known[plan] = finished(audit, plan, run=name).result
            else:
                changed(faked(audit, "finished", plan, run=name, seconds=1.0), result=known[plan])

    return put


@pytest.fixture
def audit(results: Callable[[Audit], None]) -> Audit:
    """Every question of it answered; the release is of others."""
    made = loaded(real=csv(ROWS, 1), synthetic=csv(ROWS, 3), holdout=csv(ROWS, 2))
    results(made)
    return made


def report(audit: Audit) -> Findings:
    """What the report of that audit says to who may read everything."""
    made = datetime(2026, 1, 1, tzinfo=UTC)
    return build_findings(read_given(audit), audit.limits, kind=Class.RESTRICTED, made=made)


def page(audit: Audit, question: str) -> AppTest:
    """The page of that question."""
    return healthy(opened(audit, PAGES[question], question=question))


@pytest.mark.parametrize("state", STATES)
def test_every_page_says_the_word_of_the_report(audit: Audit, state: str) -> None:
    limits, made_by = STATES[state]
    audit.limit_to(limits)
    audit.set_provenance(made_by)
    screen = report(audit)
    document = json.loads(to_json(screen))
    terminal = "\n".join(lines(screen))
    on_report = shown(healthy(opened(audit, "pages/7_report.py")))
    words = {}
    for answer, kept in zip(screen.answers, document["questions"], strict=True):
        if answer.question not in PAGES:  # drawn by the one page for all: tests/questions/test_new_question.py
            continue
        answered = kept if kept["finding"] else kept["what_ifs"][0]
        word = Verdict(answered["judgement"]["word"])
        screen_of = page(audit, answer.question)
        is_what_if = not kept["finding"]
        assert verdicts(screen_of)[0] == ("red" if word.shows_leak and not is_what_if else "gray", title(word))
        if is_what_if:
            assert answered["finding"]["what_if"] in shown(screen_of)
        sentence, everything = answered["finding"]["sentence"], shown(screen_of)
        finding = answer.finding or answer.what_ifs[0].finding
        judged = answer.judgement if answer.finding else answer.what_ifs[0].judgement
        first, large = first_sentence(finding, judged), unmarked(screen_of.header[0].value)
        assert first.startswith(large)
        assert first.removeprefix(large).strip() in everything
        assert sentence in everything or answer.question == "attributes", "in full, in two parts of attributes"
        why, settle = answered["judgement"]["why"], answered["judgement"]["settle"]
        assert judged is not None
        assert all(part in everything for part in SENTENCE.split(judged.reason))
        assert why.removeprefix(first_sentence(finding, judged)).strip() in everything, "behind the sentence, in a fold"
        assert settle in everything
        assert why in on_report
        assert title(word) in terminal or f": {word}" in terminal
        words[answer.question] = word, is_what_if
    assert {is_what_if for _, is_what_if in words.values()} == {True, False}, "both kinds are compared"
    assert words["explanations"][1], "a service that explains makes no release"
    assert words["membership"][1] == (made_by == UNKNOWN)
    assert words["records"][1] == (made_by != Provenance("bayesnet"))


def test_what_one_question_sees_of_the_files_bars_a_green_word_on_the_page_of_another(audit: Audit) -> None:
    audit.limit_to({"attributes": LIMITS["attributes"]})
    run = next(run for run in audit.runs() if run.question == "released")
    changed(run, result={**run.result, "blind": {**run.result["blind"], "apart": True}})
    answer = next(answer for answer in report(audit).answers if answer.question == "attributes")
    assert answer.judgement is not None
    assert answer.judgement.code == "sides_differ_too"
    assert answer.judgement.reason in shown(page(audit, "attributes"))


def test_no_page_says_a_verdict_twice(audit: Audit) -> None:
    """Why the verdict is what it is stands there once; a method that never made it may have the same reason."""
    audit.set_provenance(Provenance("bayesnet"))
    for answer in report(audit).answers:
        if answer.judgement is None:
            continue
        screen = page(audit, answer.question)
        texts = [unmarked(text.value) for text in (*screen.header, *screen.markdown)]
        assert sum(answer.judgement.why in text or answer.judgement.reason == text for text in texts) == 1, (
            answer.question
        )
        assert verdicts(screen)[0][1] == title(answer.judgement.verdict)
