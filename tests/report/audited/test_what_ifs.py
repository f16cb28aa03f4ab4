"""Which runs count: those about this release that have finished and can be read; what-ifs and others decide nothing."""

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
from riskkit.show.blocks import Sentence
from riskkit.show.model import Class
from tests.report.audited import made
from tests.report.audited.answers import answer, clean, judged, leaking
from tests.report.audited.made import STAT, UNFINISHED, audit, findings, released
from tests.report.test_records import HIGH, LOW, record

_, WARD, ILLNESS = (name for name, _, _ in made.COLUMNS)
LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}
OF_FILE = {"released": LIMITS["released"]}
"""The limit of :func:`clean` alone: another one, for a test that nobody ran, would leave the release undecided."""


@pytest.mark.parametrize("provenance", [Provenance(), Provenance("bayesnet"), Provenance("stat:ridge=1.0")])
def test_a_method_that_is_not_known_to_have_made_the_release_is_a_what_if(provenance: Provenance) -> None:
    findings = made.findings(made.audit(clean(), leaking(), provenance=provenance), LIMITS)
    assert (findings.overall.verdict, findings.overall.code) == (Verdict.UNDECIDED, "limit_not_tested")
    findings = made.findings(made.audit(clean(), leaking(), provenance=provenance), OF_FILE)
    own = answer(findings, "membership")
    assert (own.finding, own.judgement, own.state) == (None, None, "what if")
    assert [what_if.judgement.verdict for what_if in own.what_ifs] == [Verdict.LEAK]
    assert own.what_ifs[0].finding.what_if == "If it had been made by Mean and covariance"
    assert findings.overall.verdict is Verdict.WITHIN
    assert "Not tested: Membership" in findings.overall.why
    assert line(own)[1] == ("◇ Not about this release. If it had been made by Mean and covariance: leak shown")


def test_the_method_that_made_the_release_counts() -> None:
    findings = made.findings(made.audit(clean(), leaking(), provenance=STAT), LIMITS)
    assert answer(findings, "membership").what_ifs == ()
    assert findings.overall.verdict is Verdict.ABOVE
    assert findings.made_by == "Mean and covariance"


def test_games_on_other_tables_are_what_ifs_whatever_the_method() -> None:
    findings = made.findings(made.audit(leaking(worlds="resampled"), provenance=STAT))
    assert answer(findings, "membership").finding is None
    (own,) = answer(findings, "membership").what_ifs
    assert own.finding.what_if == "If other people had been in the table"
    (unknown,) = answer(made.findings(made.audit(leaking(worlds="resampled"))), "membership").what_ifs
    assert unknown.finding.what_if == "If it had been made by Mean and covariance"


def test_a_run_on_several_methods_is_split_into_this_release_and_each_other() -> None:
    rng = np.random.default_rng(1)
    each = [
        made.membership(rng, shifts=(shift,), generator=name, trainings=120)
        for name, shift in (("bayesnet", 3.0), ("stat", 0.0))
    ]
    findings = made.findings(made.audit(made.together(*each), provenance=STAT), {"membership": LIMITS["membership"]})
    own = answer(findings, "membership")
    assert own.finding is not None
    assert {e.labels["generator"] for e in own.finding.estimates} == {"stat"}
    assert [what_if.finding.what_if for what_if in own.what_ifs] == ["If it had been made by Bayesian network"]
    assert {e.labels["generator"] for e in own.what_ifs[0].finding.estimates} == {"bayesnet"}
    assert judged(findings, "membership").verdict is Verdict.WITHIN
    assert own.what_ifs[0].judgement.verdict is Verdict.ABOVE
    assert findings.overall.verdict is Verdict.WITHIN
    assert own.finding.measured.looks == own.what_ifs[0].finding.measured.looks == 1


@pytest.mark.parametrize(
    ("n_syn", "shift", "verdict", "code"),
    [
        (200, 3.0, Verdict.ABOVE, "above_limit"),
        (200, 0.0, Verdict.UNDECIDED, "fewer_rows"),
        (400, 3.0, Verdict.UNDECIDED, "more_rows"),
        (400, 0.0, Verdict.WITHIN, "within_limit"),
        (300, 3.0, Verdict.ABOVE, "above_limit"),
        (300, 0.0, Verdict.WITHIN, "within_limit"),
    ],
)
def test_releases_of_another_size_bar_one_direction(n_syn: int, shift: float, verdict: Verdict, code: str) -> None:
    """The release has 300 rows: smaller ones leak less, larger ones more."""
    run = made.membership(np.random.default_rng(6), shifts=(shift,), trainings=120, n_syn=n_syn)
    judgement = judged(made.findings(made.audit(run, provenance=STAT), LIMITS), "membership")
    assert (judgement.verdict, judgement.code) == (verdict, code)
    what_if = answer(made.findings(made.audit(run), LIMITS), "membership").what_ifs[0]
    assert what_if.judgement.verdict is (Verdict.ABOVE if shift else Verdict.WITHIN), "its size is part of what if"


def test_published_explanations_are_always_a_what_if() -> None:
    findings = made.findings(made.audit(clean(), made.explanations(gain=0.5), provenance=STAT), OF_FILE)
    own = answer(findings, "explanations")
    assert (own.finding, own.judgement) == (None, None)
    assert own.what_ifs[0].judgement.verdict is Verdict.LEAK
    assert own.what_ifs[0].finding.what_if.startswith("If a service published explanations of ")
    assert findings.overall.verdict is Verdict.WITHIN


def test_a_contest_counts_where_this_release_took_part_and_judges_it_alone() -> None:
    """The other method lets 82 to 98 of 100 be found; this release 30 to 46, where guessing finds 25."""
    limit = {"contest": Limit(0.5, "t")}
    findings = made.findings(made.audit(made.contest()), limit)
    assert judged(findings, "contest").verdict is Verdict.WITHIN
    assert "A small leak is shown" in judged(findings, "contest").why
    own = answer(findings, "contest").finding
    assert own is not None
    assert own.measured.strongest is not None
    assert own.measured.strongest.value == pytest.approx(0.38)
    assert [part.title for part in own.parts] == ["Your release", "PRAM · p=0.7"]
    other = made.findings(made.audit(made.contest(uploaded=False)), limit)
    assert answer(other, "contest").finding is None
    assert other.overall.code == "only_what_ifs"
    assert answer(other, "contest").what_ifs[0].judgement.verdict is Verdict.ABOVE, "the worst of what took part"


def test_a_release_that_was_handed_in_is_not_this_one() -> None:
    """Made of the contest's own sample, or of the real table by somebody else: marked as uploaded, and another file."""
    beside = made.findings(made.audit(made.contest(handed="team 1", low=30.0)), {"contest": Limit(0.5, "t")})
    finding = answer(beside, "contest").finding
    assert finding is not None
    assert finding.measured.strongest is not None
    assert finding.measured.strongest.value == pytest.approx(0.38)
    alone = made.findings(made.audit(made.contest(handed="team 1", uploaded=False)))
    assert answer(alone, "contest").finding is None
    first_of_all = made.contest(handed="team 1")
    assert first_of_all.result is not None
    turned = {**first_of_all.result, "anonymisers": first_of_all.result["anonymisers"][::-1]}
    again = answer(made.findings(made.audit(replace(first_of_all, result=turned))), "contest").finding
    assert again is not None
    assert again.measured.strongest == finding.measured.strongest


def test_values_apart_say_nothing_of_a_population_that_was_made() -> None:
    findings = made.findings(made.audit(made.contest(uploaded=False), apart=("ward",)), {"contest": Limit(0.99, "t")})
    assert answer(findings, "contest").what_ifs[0].judgement.code == "within_limit"
    own = made.findings(made.audit(made.contest(), apart=("ward",)), {"contest": Limit(0.6, "t")})
    assert judged(own, "contest").code == "values_apart"


def test_attackers_that_are_misled_bar_an_absence_under_the_names_the_reader_may_see() -> None:
    run = made.contest(evaded=("my very own attack", "classifier"))
    shared, own = (made.findings(made.audit(run), {"contest": Limit(0.6, "t")}, kind) for kind in Class)
    assert judged(own, "contest").code == judged(shared, "contest").code == "evaded"
    assert "my very own attack, Classifier found fewer" in judged(own, "contest").why
    assert "my very own" not in repr(shared)
    assert "own method" in judged(shared, "contest").why


def test_households_have_a_limit_of_their_own_and_are_about_a_method() -> None:
    """A limit on the hits of a contest is none on the scores of households."""
    facts = made.audit(made.households(score=0.8))
    (what_if,) = answer(made.findings(facts, {"contest": Limit(0.6, "t")}), "households").what_ifs
    assert (what_if.judgement.verdict, what_if.judgement.limit) == (Verdict.LEAK, None)
    findings = made.findings(facts, {"households": Limit(0.6, "t")})
    assert answer(findings, "households").finding is None
    assert answer(findings, "households").what_ifs[0].judgement.verdict is Verdict.ABOVE
    assert findings.overall.code == "only_what_ifs"
    mild = made.findings(made.audit(made.households(score=0.5)), {"households": Limit(0.6, "t")})
    assert answer(mild, "households").what_ifs[0].judgement.verdict is Verdict.WITHIN
    unseen = made.findings(made.audit(made.households(score=0.5, seen=False)), {"households": Limit(0.6, "t")})
    assert answer(unseen, "households").what_ifs[0].judgement.verdict is Verdict.UNDECIDED


def test_a_contest_in_which_nothing_could_be_played_says_nothing_of_this_release() -> None:
    run = made.contest(uploaded=False)
    assert run.result is not None
    empty = {**run.result, "anonymisers": [], "sentences": [], "frontiers": {"pairs": []}, "estimates": []}
    findings = made.findings(made.audit(replace(run, result=empty)))
    assert answer(findings, "contest").finding is None
    assert findings.overall.code == "only_what_ifs"


@pytest.mark.parametrize("seed", range(12))
def test_what_ifs_never_enter_the_overall_verdict(seed: int) -> None:
    """The overall verdict of any audit is the one without them."""
    audit = made.random(seed)
    for limits in ({}, LIMITS):
        findings = made.findings(audit, limits)
        about = {answer.question for answer in findings.answers if answer.finding is not None}
        kept = tuple(run for run in audit.runs if run.question in about or run.result is None)
        without = made.findings(replace(audit, runs=kept), limits)
        assert (findings.overall.verdict, findings.overall.shows_leak) == (
            without.overall.verdict,
            without.overall.shows_leak,
        )
        if findings.overall.code == "questions":
            assert findings.overall == without.overall


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
    limits = {done.question: LIMITS[done.question]}
    assert made.findings(made.audit(done, provenance=STAT), limits).overall.verdict is Verdict.WITHIN
    findings = made.findings(made.audit(done, half, provenance=STAT), limits)
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
            findings = made.findings(made.audit(clean(), half, provenance=provenance), OF_FILE)
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


@pytest.mark.parametrize(
    ("worlds", "expected"),
    [
        ("fixed", ": same table, other attack. For this release, cite the higher number."),
        ("halves", ". Records keeps all other rows as they are, Membership trains on random parts of the people. "),
    ],
)
def test_of_two_numbers_for_one_record_the_lower_one_says_which_is_to_be_cited_and_why(
    worlds: str, expected: str
) -> None:
    game = made.membership(np.random.default_rng(1), shifts=(0.9,), rows=(7,), trainings=60, worlds=worlds)
    every = made.records([record(7, HIGH), record(8, LOW)], generator="stat")
    assert every.result is not None
    every = replace(every, result={**every.result, "settings": {**every.result["settings"], "worlds": "fixed"}})
    findings = made.findings(made.audit(game, every, provenance=STAT), kind=Class.RESTRICTED)
    for question, title, other in (("membership", "Records", "records"), ("records", "Membership", "membership")):
        own, theirs = answer(findings, question).finding, answer(findings, other).finding
        assert own is not None
        assert theirs is not None
        if worlds == "fixed" and question == "records":
            assert not [line for line in own.extra if line.startswith(f"{title} finds ")], "this is the higher one"
            continue
        (sentence,) = (line for line in own.extra if line.startswith(f"{title} finds "))
        assert f"{theirs.measured.strongest} for record 7{expected}" in sentence
        assert "same 7" in [block.key for block in own.view if isinstance(block, Sentence)]
    elsewhere = made.audit(game, made.records([record(8, HIGH)], generator="stat"), provenance=STAT)
    alone = answer(made.findings(elsewhere, kind=Class.RESTRICTED), "membership").finding
    assert alone is not None
    assert not [line for line in alone.extra if line.startswith("Records finds ")]
