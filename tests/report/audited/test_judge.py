"""Verdicts from measurements and limits: known answers, and every reason not to decide."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Estimate
from riskkit.report import findings, words
from riskkit.report.audited import judge, limits, texts
from riskkit.report.audited.build import rejudged
from riskkit.report.audited.model import Class, Control, Given, Judgement, Limit, Measured, RunFinding
from riskkit.stats import summary
from riskkit.stats.verdict import Verdict
from tests.report.audited import made

FOUND, NONE = Control(True, math.inf, "found"), Control(False, -math.inf, "none")


def auc(low: float, value: float, high: float, n: int = 40) -> Estimate:
    return Estimate("auc", value, low, high, 0.95, "test", n)


def measured(low: float, value: float, high: float, **changed) -> Measured:
    estimate = auc(low, value, high)
    return replace(Measured("auc", 0.5, estimate, estimate, "an attack", 1, FOUND), **changed)


@pytest.mark.parametrize(
    ("ends", "limit", "word"),
    [
        ((0.61, 0.7, 0.8), 0.6, Verdict.LEAK),
        ((0.60, 0.7, 0.8), 0.6, Verdict.UNDECIDED),  # the limit itself is in the interval
        ((0.45, 0.5, 0.59), 0.6, Verdict.NO_LEAK),
        ((0.45, 0.5, 0.60), 0.6, Verdict.UNDECIDED),
        ((0.51, 0.55, 0.59), 0.6, Verdict.NO_LEAK),  # a leak is shown, but none above the limit
        ((0.51, 0.7, 0.8), None, Verdict.LEAK),  # without a limit guessing is the bar
        ((0.45, 0.5, 0.55), None, Verdict.UNDECIDED),  # and no absence can be shown
    ],
)
def test_an_interval_is_judged_by_the_side_of_the_limit_it_lies_on(ends, limit, word) -> None:
    given = None if limit is None else Limit(limit, "test")
    found = judge.judge(measured(*ends), given)
    assert found.verdict is word
    assert found.limit == given
    assert bool(found.settle) == (word is Verdict.UNDECIDED)


@pytest.mark.parametrize(
    "trouble",
    [
        {"control": NONE},
        {"control": Control(True, -math.inf, "missed")},
        {"control": Control(True, 0.58, "found below .58 only")},
        {"is_complete": False},
        {"no_absence": "the sides differ"},
        {"lowest": 0.39},
        {"blocked": "the sides differ without the release"},
        {"strongest": None, "widest": None},
    ],
)
def test_whatever_spoils_the_absence_of_a_leak_leaves_it_undecided(trouble) -> None:
    clean = measured(0.45, 0.5, 0.55)
    assert judge.judge(clean, Limit(0.6, "test")).verdict is Verdict.NO_LEAK
    found = judge.judge(replace(clean, **trouble), Limit(0.6, "test"))
    assert found.verdict is Verdict.UNDECIDED
    assert found.why


def test_sides_that_differ_without_the_release_take_the_leak_back_too() -> None:
    assert judge.judge(measured(0.7, 0.8, 0.9, blocked="differ"), Limit(0.6, "t")).verdict is Verdict.UNDECIDED


def test_a_leak_needs_no_planted_leak_to_be_found() -> None:
    assert judge.judge(measured(0.7, 0.8, 0.9, control=NONE), Limit(0.6, "t")).verdict is Verdict.LEAK


def test_four_times_the_trainings_halve_the_interval() -> None:
    """0.50 + 0.20 reaches over 0.60; half of it ends there, which takes four times as many: 120 more than 40."""
    found = measured(0.3, 0.5, 0.7, seconds_each=2.0)
    told = judge.more(found, 0.6)
    assert "120 more trainings" in told
    assert "about 4 minutes" in told


def test_a_value_on_the_limit_is_settled_by_no_number_of_trainings() -> None:
    assert "no number" in judge.more(measured(0.5, 0.6, 0.7), 0.6)


def test_so_many_more_trainings_do_settle_it_in_simulation() -> None:
    """The promised number of trainings brings a null game below the limit about as often as it should."""
    rng = np.random.default_rng(5)
    promised, settled = [], 0
    for _ in range(60):
        first = summary.auc(made.scored(rng, 0.0, 40, 1))
        if first.value >= 0.57 or first.high < 0.6:
            continue
        n = math.ceil(judge._needed(0.5, first.low - first.value + 0.5, first.high - first.value + 0.5, 40, 0.6))
        promised.append(n)
        again = summary.auc(made.scored(rng, 0.0, 2 * math.ceil(n / 2), 1))
        settled += again.high < 0.6
    assert len(promised) > 20
    assert 80 < np.median(promised) < 200
    assert 0.3 < settled / len(promised) < 0.75  # at the value itself half of them end below, half above


def first(audit: Given) -> tuple[Judgement, RunFinding]:
    """What the first question of an audit comes to."""
    answer = made.found(audit).answers[0]
    assert answer.judgement is not None
    assert answer.finding is not None
    return answer.judgement, answer.finding


def test_a_run_that_shows_a_leak_is_not_outvoted_by_larger_ones() -> None:
    rng = np.random.default_rng(1)
    small = made.membership(rng, shifts=(3.0,), trainings=12, run="1" * 32)
    large = made.membership(rng, shifts=(0.0,), trainings=60, run="2" * 32)
    judged, finding = first(made.given(large, small))
    assert judged.verdict is Verdict.LEAK
    assert finding.id == "1" * 32
    assert [one.id for one in made.found(made.given(large, small)).answers[0].others] == ["2" * 32]
    assert "1 other run" in judged.why


def test_the_overall_verdict_is_the_gravest_and_names_what_was_not_asked() -> None:
    rng = np.random.default_rng(2)
    clean = made.released(rng, n=400)
    limit = {"released": Limit(0.6, "t"), "attributes": Limit(0.2, "t"), "membership": Limit(0.6, "t")}
    alone = made.found(made.given(clean), limit)
    assert alone.overall.verdict is Verdict.NO_LEAK
    assert "Not asked: Membership, Records" in alone.overall.why
    open_too = made.found(made.given(clean, made.attributes(half=0.5)), limit)
    assert open_too.overall.verdict is Verdict.UNDECIDED
    leaking = made.found(made.given(clean, made.attributes(half=0.5), made.membership(rng, shifts=(3.0,))), limit)
    assert leaking.overall.verdict is Verdict.LEAK


@pytest.mark.parametrize("state", ["failed", "cancelled", "interrupted", "paused", "running", "queued"])
def test_a_run_that_has_not_finished_says_what_is_left_and_how_long_it_takes(state: str) -> None:
    own = made.membership(np.random.default_rng(3))
    half = replace(own, state=state, result=None, unit="training", done=20, total=60, seconds_left=240.0)
    judged = made.found(made.given(half)).answers[0].judgement
    assert judged is not None
    assert judged.verdict is Verdict.UNDECIDED
    assert judged.why
    assert "40 of 60 trainings are left (about 4 minutes)." in judged.settle


def test_why_a_run_failed_stands_in_the_restricted_report_alone() -> None:
    failed = replace(
        made.membership(np.random.default_rng(3)), state="failed", result=None, error="Column Zq has no level left."
    )
    shared, own = (made.found(made.given(failed), kind=kind).answers[0].judgement for kind in Class)
    assert shared is not None
    assert own is not None
    assert "Column Zq" in own.why
    assert "Zq" not in shared.why
    assert texts.REASON_WITHHELD in shared.why


def test_runs_that_did_not_finish_are_counted_beside_one_that_did() -> None:
    rng = np.random.default_rng(4)
    failed = replace(made.membership(rng), state="failed", result=None)
    audit = made.given(made.membership(rng, run="9" * 32), failed, failed)
    found = made.found(audit)
    judged = found.answers[0].judgement
    assert judged is not None
    assert "2 runs of this question did not finish and are not counted." in judged.why
    assert rejudged(found, {}) == found


def test_a_result_without_its_scores_decides_nothing_and_breaks_nothing() -> None:
    rng = np.random.default_rng(5)
    for run in (made.membership(rng), made.released(rng), made.attributes()):
        assert run.result is not None
        left = {name: value for name, value in run.result.items() if name not in ("scores", "records")}
        found = made.found(made.given(replace(run, result={**left, "purged": True})))
        answer = next(one for one in found.answers if one.question == run.question)
        assert answer.judgement is not None
        assert (answer.judgement.verdict, answer.finding) == (Verdict.UNDECIDED, None)
        assert "numbers will be the same" in answer.judgement.settle


@pytest.mark.parametrize("state", ["failed", "cancelled", "interrupted", "running", "queued"])
def test_a_question_whose_run_has_not_finished_decides_nothing(state: str) -> None:
    rng = np.random.default_rng(3)
    clean = made.released(rng, n=400)
    half = replace(made.membership(rng), state=state, result=None)
    assert made.found(made.given(clean), {"released": Limit(0.6, "t")}).overall.verdict is Verdict.NO_LEAK
    assert made.found(made.given(clean, half), {"released": Limit(0.6, "t")}).overall.verdict is Verdict.UNDECIDED


def test_a_run_on_an_earlier_version_of_the_files_does_not_count() -> None:
    old = replace(made.membership(np.random.default_rng(4), shifts=(3.0,)), is_current=False)
    answer = made.found(made.given(old)).answers[0]
    assert (answer.state, answer.judgement) == ("earlier", None)


def test_judging_again_gives_what_judging_with_that_limit_gives() -> None:
    audit = made.random(7)
    limit = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.3, "t")}
    assert rejudged(made.found(audit), limit) == made.found(audit, limit)


def test_too_few_trainings_are_undecided_and_say_how_many_it_takes() -> None:
    judged, finding = first(made.given(made.membership(np.random.default_rng(6), trainings=6)))
    assert judged.verdict is Verdict.UNDECIDED
    assert "too few trainings" in judged.why
    assert finding.measured.strongest is None
    # 6 were played in 40 seconds: 4 more make 10, 58 more make the 64 of an AUC of 0.70
    assert "4 more trainings (about 27 seconds)" in judged.settle
    assert "58 more trainings (about 6 minutes)" in judged.settle


def test_a_planted_leak_that_was_missed_says_how_many_trainings_would_show_it() -> None:
    """0.60 reaches down to 0.40; half of that ends at one half, which takes four times as many: 120 more than 40."""
    missed = Control(True, -math.inf, "missed", auc(0.4, 0.6, 0.8))
    found = measured(0.45, 0.5, 0.55, control=missed, seconds_each=2.0)
    judged = judge.judge(found, Limit(0.6, "test"))
    assert judged.verdict is Verdict.UNDECIDED
    assert "120 more trainings (about 4 minutes)" in judged.settle
    unseen = replace(missed, weakest=auc(0.3, 0.45, 0.6))
    assert "other attacks" in judge.judge(replace(found, control=unseen), Limit(0.6, "test")).settle


def test_distances_alone_show_no_absence_of_a_leak() -> None:
    rng = np.random.default_rng(2)
    limit = {"released": Limit(0.6, "t")}
    clean = made.released(rng, n=400)
    assert made.found(made.given(clean), limit).overall.verdict is Verdict.NO_LEAK
    assert made.found(made.given(clean, distances=frozenset({"dcr"})), limit).overall.verdict is Verdict.NO_LEAK
    both = made.given(clean, distances=frozenset({"dcr", "classifier"}))
    judged = made.found(both, limit).answers[1].judgement
    assert judged is not None
    assert judged.verdict is Verdict.UNDECIDED
    assert "describes a release without judging it" in judged.why
    assert "attacks of another kind" in judged.settle
    bad = made.given(made.released(rng, shift=2.0), distances=frozenset({"dcr", "classifier"}))
    assert made.found(bad, limit).overall.verdict is Verdict.LEAK


@pytest.mark.parametrize("lost", ["estimate", "both"])
def test_an_attack_on_the_released_file_without_a_number_leaves_it_undecided(lost: str) -> None:
    """One that gave every record the same score keeps its scores; one that was refused keeps nothing but a note."""
    run = made.released(np.random.default_rng(2), n=400)
    limit = {"released": Limit(0.6, "t")}
    assert run.result is not None
    assert made.found(made.given(run), limit).overall.verdict is Verdict.NO_LEAK
    left = {**run.result, "estimates": [one for one in run.result["estimates"] if one["attack"] != "dcr"]}
    if lost == "both":
        left |= {name: [one for one in run.result[name] if one["attack"] != "dcr"] for name in ("scores", "control")}
    judged = made.found(made.given(replace(run, result=left)), limit).answers[1].judgement
    assert judged is not None
    assert judged.verdict is Verdict.UNDECIDED
    assert judged.why.startswith("Closest row gave no number")
    assert "run again without" in judged.settle
    asked_without = {**left, "settings": {**left["settings"], "attacks": ["classifier"]}}
    again = made.found(made.given(replace(run, result=asked_without)), limit)
    assert again.overall.verdict is Verdict.NO_LEAK, "the rest alone"
    leaking = made.released(np.random.default_rng(2), shift=2.0)
    assert leaking.result is not None
    silent = {**leaking.result, "estimates": leaking.result["estimates"][1:]}
    assert made.found(made.given(replace(leaking, result=silent)), limit).overall.verdict is Verdict.LEAK


def test_attacks_that_all_fail_beside_a_holdout_are_not_told_to_load_one() -> None:
    run = made.released(np.random.default_rng(2), n=400)
    assert run.result is not None
    left = {**run.result, "estimates": [], "scores": [], "control": []}
    judged = made.found(made.given(replace(run, result=left))).answers[1].judgement
    assert judged is not None
    assert "Without a holdout" not in judged.why
    assert "the notes of the run say why" in judged.why


def test_a_secret_that_could_not_be_asked_about_leaves_the_question_undecided() -> None:
    run = made.attributes(half=0.02)
    limit = {"attributes": Limit(0.2, "t")}
    assert run.result is not None
    assert made.found(made.given(run), limit).overall.verdict is Verdict.NO_LEAK
    refused = {"secret": "ward", "known": "all other columns", "model": "forest", "columns": ["age"], "why": "No row."}
    left = replace(run, result={**run.result, "refused": [refused]})
    judged = made.found(made.given(left), limit, tells_columns=True).overall
    assert judged.verdict is Verdict.UNDECIDED
    assert "ward from all other columns gave no number" in next(
        answer.judgement.why
        for answer in made.found(made.given(left), limit, tells_columns=True).answers
        if answer.question == "attributes" and answer.judgement is not None
    )
    assert "ward" not in str(made.found(made.given(left), limit).answers)


def test_many_records_are_looked_at_with_wider_intervals() -> None:
    """At 95 % a record, the strongest of 20 null records would pass for a leak most of the time; here seldom."""
    shown = 0
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        audit = made.given(made.membership(rng, shifts=(0.0,) * 20, trainings=14))
        shown += first(audit)[0].verdict is Verdict.LEAK
    assert shown <= 2


@pytest.mark.parametrize("value", [0.5, 1.0, 0.2, 7.0])
def test_a_limit_outside_its_scale_is_refused(value: float) -> None:
    (sentence,) = judge.check({"membership": Limit(value, "t")})
    assert "between 0.5" in sentence


def test_no_limit_on_the_list_is_without_source_and_date() -> None:
    assert limits.SOURCES
    for source in limits.SOURCES:
        assert source.limit.source
        assert source.limit.date
        assert source.note
        assert judge.check({question: source.limit for question, on in limits.ON.items() if on == source.scale}) == []


def test_the_note_on_the_limit_of_games_says_what_it_takes() -> None:
    source = limits.source("published-control")
    assert source is not None
    assert source.limit.value == findings.LIMIT
    assert f"{words.trainings_needed(source.limit.value)} trainings" in source.note
    assert "60 trainings" in source.note
    assert words.trainings_needed(source.limit.value) > 2 * 60, "fewer than half of such leaks are seen by 60"
