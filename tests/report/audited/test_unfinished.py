"""Runs that have not finished or cannot be read: they decide nothing and say what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.judging.measurement import Limit, Verdict
from riskkit.judging.provenance import Provenance
from riskkit.questions import questions
from riskkit.report import build, texts
from riskkit.report.build import rejudge
from riskkit.report.lines import line
from riskkit.show.model import Class
from tests.report.audited import made
from tests.report.audited.answers import answer, clean, judged, leaking
from tests.report.audited.made import STAT, UNFINISHED, audit, findings, released

_, WARD, ILLNESS = (name for name, _, _ in made.COLUMNS)
LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}


@pytest.mark.parametrize("state", UNFINISHED)
def test_a_run_that_has_not_finished_says_what_is_left_and_how_long_it_takes(state: str) -> None:
    half = made.unfinished("membership", state)
    judgement = judged(made.findings(made.audit(half, provenance=STAT)), "membership")
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, f"run_{state}")
    assert judgement.why
    assert "40 of 60 trainings are left (about 4 minutes)." in judgement.settle


@pytest.mark.parametrize("state", UNFINISHED)
@pytest.mark.parametrize("question", ["membership", "records", "released", "attributes", "contest", "explanations"])
def test_a_question_whose_run_has_not_finished_decides_nothing(question: str, state: str) -> None:
    half = replace(made.unfinished(question, state), plan={**made.unfinished(question, state).plan, "source": "people"})
    done = made.attributes(half=0.02) if question == "released" else clean()
    assert made.findings(made.audit(done, provenance=STAT), LIMITS).overall.verdict is Verdict.WITHIN
    findings = made.findings(made.audit(done, half, provenance=STAT), LIMITS)
    if question == "explanations":
        assert (answer(findings, question).judgement, findings.overall.verdict) == (None, Verdict.WITHIN)
        return
    assert findings.overall.verdict is Verdict.UNDECIDED
    assert judged(findings, question).code == f"run_{state}"


@pytest.mark.parametrize("state", UNFINISHED)
def test_an_unfinished_what_if_stands_in_nobodys_way(state: str) -> None:
    """Planted before: a run about a method that nobody made the release by, and it alone left everything undecided."""
    for question in ("membership", "records", "contest"):
        half = made.unfinished(question, state)
        for provenance in (Provenance(), Provenance("bayesnet")):
            findings = made.findings(made.audit(clean(), half, provenance=provenance), LIMITS)
            own = answer(findings, question)
            assert (own.judgement, own.state) == (None, "what if")
            assert line(own)[1] == "◇ Not about this release"
            assert findings.overall.verdict is Verdict.WITHIN


def test_a_finished_what_if_does_not_hide_a_run_about_this_release_that_is_at_work() -> None:
    other = made.membership(np.random.default_rng(1), generator="bayesnet")
    findings = made.findings(
        made.audit(clean(), other, made.unfinished("membership", "running"), provenance=STAT), LIMITS
    )
    own = answer(findings, "membership")
    assert own.judgement is not None
    assert (own.judgement.code, len(own.what_ifs)) == ("run_running", 1)
    assert findings.overall.verdict is Verdict.UNDECIDED
    assert line(own)[1].startswith("◌ Undecided. If it had been made by Bayesian network: ")


def test_why_a_run_failed_stands_in_the_restricted_report_alone() -> None:
    failed = replace(made.unfinished("released", "failed"), error="Column Zq has no level left.")
    shared, own = (judged(made.findings(made.audit(failed), kind=kind), "released") for kind in Class)
    assert "Column Zq" in own.why
    assert "Zq" not in shared.why
    assert texts.REASON_WITHHELD in shared.why


def test_runs_that_did_not_finish_are_counted_beside_one_that_did() -> None:
    failed = made.unfinished("membership", "failed")
    audit = made.audit(leaking(run="9" * 32), failed, failed, provenance=STAT)
    findings = made.findings(audit)
    assert "2 runs of this question did not finish and are not counted." in judged(findings, "membership").why
    assert rejudge(findings, {}) == findings


def test_a_result_without_its_scores_decides_nothing_and_breaks_nothing() -> None:
    rng = np.random.default_rng(5)
    for run in (made.membership(rng), made.released(rng), made.attributes()):
        assert run.result is not None
        left = {name: value for name, value in run.result.items() if name not in ("scores", "records")}
        findings = made.findings(made.audit(replace(run, result={**left, "purged": True}), provenance=STAT))
        assert answer(findings, run.question).finding is None
        assert judged(findings, run.question).code == "run_purged"
        assert "numbers will be the same" in judged(findings, run.question).settle


def test_a_run_on_an_earlier_version_of_the_files_does_not_count() -> None:
    old = replace(leaking(), is_current=False)
    answer = made.findings(made.audit(old, provenance=STAT)).answers[0]
    assert (answer.state, answer.judgement) == ("earlier", None)
    assert line(answer)[1] == "– Not run"


def test_of_two_runs_the_one_that_cannot_be_read_bars_an_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    runs = released(rng), released(rng, run="c" * 32)
    read = questions()["released"].read

    def broken(run: Any, *rest: Any) -> Any:
        if run.id.startswith("c"):
            raise StopIteration
        return read(run, *rest)

    every = {**questions(), "released": replace(questions()["released"], read=broken)}
    monkeypatch.setattr(build, "questions", lambda: every)
    (answer,) = (each for each in findings(audit(*runs)).answers if each.question == "released")
    assert answer.finding is not None
    assert not answer.others
    assert [reason.code for reason in answer.finding.measured.reasons][-1] == "result_unread"
    assert answer.stopped == 1
