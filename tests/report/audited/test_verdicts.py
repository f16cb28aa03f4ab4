"""The verdict on a question and on a release: which runs count, which are what-ifs, and what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measured import Judgement, Limit
from riskkit.judging.provenance import Provenance
from riskkit.judging.verdict import Verdict
from riskkit.report.audited import texts
from riskkit.report.audited.build import rejudged
from riskkit.report.audited.document import line
from riskkit.report.audited.model import Answer, Class, Findings, Given, Played, RunFinding
from riskkit.report.audited.to_json import to_json
from riskkit.stats.epsilon import BOUNDS
from tests.report.audited import made
from tests.report.audited.made import STAT, UNFINISHED

_, WARD, ILLNESS = (name for name, _, _ in made.COLUMNS)
LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}


def answer(found: Findings, question: str) -> Answer:
    return next(one for one in found.answers if one.question == question)


def judged(found: Findings, question: str) -> Judgement:
    judgement = answer(found, question).judgement
    assert judgement is not None
    return judgement


def first(audit: Given) -> tuple[Judgement, RunFinding]:
    """What the first question of an audit comes to."""
    found = made.found(audit)
    finding = found.answers[0].finding
    assert finding is not None
    return judged(found, found.answers[0].question), finding


def clean() -> Played:
    """Attacks on a released file that show nothing, and found what was planted."""
    return made.released(np.random.default_rng(2), n=400)


def leaking(**more) -> Played:
    """A membership run that shows a leak."""
    return made.membership(np.random.default_rng(1), shifts=(3.0,), **more)


# --------------------------------------------------------------------------------------------------------------
# Several runs


def test_a_run_that_shows_a_leak_is_not_outvoted_by_larger_ones() -> None:
    rng = np.random.default_rng(1)
    small = made.membership(rng, shifts=(3.0,), trainings=12, run="1" * 32)
    large = made.membership(rng, shifts=(0.0,), trainings=60, run="2" * 32)
    audit = made.given(large, small, provenance=STAT)
    judgement, finding = first(audit)
    assert judgement.verdict is Verdict.LEAK
    assert finding.id == "1" * 32
    assert [one.id for one in made.found(audit).answers[0].others] == ["2" * 32]
    assert "1 other run" in judgement.why


def test_the_overall_verdict_is_the_gravest_and_names_of_what_nothing_is_known() -> None:
    alone = made.found(made.given(clean()), LIMITS)
    assert alone.overall.verdict is Verdict.WITHIN
    assert alone.overall.why == (
        "Every question asked of this release is within its limit: The released file. Nothing is known of this release "
        "from: Membership, Records, Attributes, Explanations, Contest."
    )
    open_too = made.found(made.given(clean(), made.attributes(half=0.5)), LIMITS)
    assert open_too.overall.verdict is Verdict.UNDECIDED
    assert open_too.overall.settle.startswith("Attributes: ")
    leaks = made.found(made.given(clean(), made.attributes(half=0.5), leaking(), provenance=STAT), LIMITS)
    assert leaks.overall.verdict is Verdict.ABOVE
    assert leaks.overall.why.startswith("Above the limit: Membership.")
    without = made.found(made.given(clean(), leaking(), provenance=STAT))
    assert without.overall.verdict is Verdict.LEAK
    both = made.found(
        made.given(made.attributes(residual=0.4), leaking(), provenance=STAT), {"membership": Limit(0.7, "t")}
    )
    assert both.overall.verdict is Verdict.ABOVE, "above a limit is graver than a leak that nobody set a limit for"


def test_judging_again_gives_what_judging_with_that_limit_gives() -> None:
    for seed in range(7, 12):
        audit = made.random(seed)
        assert rejudged(made.found(audit), LIMITS) == made.found(audit, LIMITS)


# --------------------------------------------------------------------------------------------------------------
# What-ifs


@pytest.mark.parametrize("provenance", [Provenance(), Provenance("bayesnet"), Provenance("stat:ridge=1.0")])
def test_a_method_that_is_not_known_to_have_made_the_release_is_a_what_if(provenance: Provenance) -> None:
    found = made.found(made.given(clean(), leaking(), provenance=provenance), LIMITS)
    own = answer(found, "membership")
    assert (own.finding, own.judgement, own.state) == (None, None, "what if")
    assert [one.judgement.verdict for one in own.what_ifs] == [Verdict.ABOVE]
    assert own.what_ifs[0].finding.what_if == "If it had been made by Mean and covariance"
    assert found.overall.verdict is Verdict.WITHIN
    assert "Nothing is known of this release from: Membership" in found.overall.why
    assert line(own)[1] == ("◇ Not about this release. If it had been made by Mean and covariance: above the limit")


def test_the_method_that_made_the_release_counts() -> None:
    found = made.found(made.given(clean(), leaking(), provenance=STAT), LIMITS)
    assert answer(found, "membership").what_ifs == ()
    assert found.overall.verdict is Verdict.ABOVE
    assert found.made_by == "Mean and covariance"


def test_games_on_other_tables_are_what_ifs_whatever_the_method() -> None:
    found = made.found(made.given(leaking(worlds="resampled"), provenance=STAT))
    assert answer(found, "membership").finding is None
    (own,) = answer(found, "membership").what_ifs
    assert own.finding.what_if == "If other people had been in the table"
    (unknown,) = answer(made.found(made.given(leaking(worlds="resampled"))), "membership").what_ifs
    assert unknown.finding.what_if == "If it had been made by Mean and covariance"


def test_a_run_on_several_methods_is_split_into_this_release_and_each_other() -> None:
    rng = np.random.default_rng(1)
    each = [
        made.membership(rng, shifts=(shift,), generator=name, trainings=120)
        for name, shift in (("bayesnet", 3.0), ("stat", 0.0))
    ]
    found = made.found(made.given(made.together(*each), provenance=STAT), LIMITS)
    own = answer(found, "membership")
    assert own.finding is not None
    assert {e.labels["generator"] for e in own.finding.estimates} == {"stat"}
    assert [one.finding.what_if for one in own.what_ifs] == ["If it had been made by Bayesian network"]
    assert {e.labels["generator"] for e in own.what_ifs[0].finding.estimates} == {"bayesnet"}
    assert judged(found, "membership").verdict is Verdict.WITHIN
    assert own.what_ifs[0].judgement.verdict is Verdict.ABOVE
    assert found.overall.verdict is Verdict.WITHIN
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
    found = judged(made.found(made.given(run, provenance=STAT), LIMITS), "membership")
    assert (found.verdict, found.code) == (verdict, code)
    what_if = answer(made.found(made.given(run), LIMITS), "membership").what_ifs[0]
    assert what_if.judgement.verdict is (Verdict.ABOVE if shift else Verdict.WITHIN), "its size is part of what if"


def test_published_explanations_are_always_a_what_if() -> None:
    found = made.found(made.given(clean(), made.explanations(gain=0.5), provenance=STAT), LIMITS)
    own = answer(found, "explanations")
    assert (own.finding, own.judgement) == (None, None)
    assert own.what_ifs[0].judgement.verdict is Verdict.LEAK
    assert own.what_ifs[0].finding.what_if.startswith("If a service published explanations of ")
    assert found.overall.verdict is Verdict.WITHIN


def test_a_contest_counts_where_this_release_took_part_and_judges_it_alone() -> None:
    """The other method lets 82 to 98 of 100 be found; this release 30 to 46, where guessing finds 25."""
    limit = {"contest": Limit(0.5, "t")}
    found = made.found(made.given(made.contest()), limit)
    assert judged(found, "contest").verdict is Verdict.WITHIN
    assert judged(found, "contest").is_small_leak_shown
    own = answer(found, "contest").finding
    assert own is not None
    assert own.measured.strongest is not None
    assert own.measured.strongest.value == pytest.approx(0.38)
    assert [part.title for part in own.parts] == ["Your release", "PRAM (p=0.7)"]
    other = made.found(made.given(made.contest(uploaded=False)), limit)
    assert answer(other, "contest").finding is None
    assert other.overall.code == "only_what_ifs"
    assert answer(other, "contest").what_ifs[0].judgement.verdict is Verdict.ABOVE, "the worst of what took part"


def test_a_release_that_was_handed_in_is_not_this_one() -> None:
    """Made of the contest's own sample, or of the real table by somebody else: marked as uploaded, and another file."""
    beside = made.found(made.given(made.contest(handed="team 1", low=30.0)), {"contest": Limit(0.5, "t")})
    finding = answer(beside, "contest").finding
    assert finding is not None
    assert finding.measured.strongest is not None
    assert finding.measured.strongest.value == pytest.approx(0.38)
    alone = made.found(made.given(made.contest(handed="team 1", uploaded=False)))
    assert answer(alone, "contest").finding is None
    first_of_all = made.contest(handed="team 1")
    assert first_of_all.result is not None
    turned = {**first_of_all.result, "anonymisers": first_of_all.result["anonymisers"][::-1]}
    again = answer(made.found(made.given(replace(first_of_all, result=turned))), "contest").finding
    assert again is not None
    assert again.measured.strongest == finding.measured.strongest


def test_values_apart_say_nothing_of_a_population_that_was_made() -> None:
    found = made.found(made.given(made.contest(uploaded=False), apart=("ward",)), {"contest": Limit(0.99, "t")})
    assert answer(found, "contest").what_ifs[0].judgement.code == "within_limit"
    own = made.found(made.given(made.contest(), apart=("ward",)), {"contest": Limit(0.6, "t")})
    assert judged(own, "contest").code == "values_apart"


def test_attackers_that_are_misled_bar_an_absence_under_the_names_the_reader_may_see() -> None:
    run = made.contest(evaded=("my very own attack", "classifier"))
    shared, own = (made.found(made.given(run), {"contest": Limit(0.6, "t")}, kind) for kind in Class)
    assert judged(own, "contest").code == judged(shared, "contest").code == "evaded"
    assert "my very own attack, Classifier found fewer" in judged(own, "contest").why
    assert "my very own" not in repr(shared)
    assert "own method" in judged(shared, "contest").why


def test_households_are_scored_and_no_limit_on_hits_is_theirs() -> None:
    found = made.found(made.given(made.households(score=0.8)), {"contest": Limit(0.6, "t")})
    (what_if,) = answer(found, "contest").what_ifs
    assert (what_if.judgement.verdict, what_if.judgement.limit) == (Verdict.LEAK, None)
    mild = made.found(made.given(made.households(score=0.5)), {"contest": Limit(0.6, "t")})
    assert answer(mild, "contest").what_ifs[0].judgement.code == "no_limit"


def test_a_contest_in_which_nothing_could_be_played_says_nothing_of_this_release() -> None:
    run = made.contest(uploaded=False)
    assert run.result is not None
    empty = {**run.result, "anonymisers": [], "sentences": [], "frontiers": {"pairs": []}, "estimates": []}
    found = made.found(made.given(replace(run, result=empty)))
    assert answer(found, "contest").finding is None
    assert found.overall.code == "only_what_ifs"


@pytest.mark.parametrize("seed", range(30))
def test_what_ifs_never_enter_the_overall_verdict(seed: int) -> None:
    """The overall verdict of any audit is the one without them."""
    audit = made.random(seed)
    for limits in ({}, LIMITS):
        found = made.found(audit, limits)
        about = {answer.question for answer in found.answers if answer.finding is not None}
        kept = tuple(run for run in audit.runs if run.question in about or run.result is None)
        without = made.found(replace(audit, runs=kept), limits)
        assert (found.overall.verdict, found.overall.shows_leak) == (
            without.overall.verdict,
            without.overall.shows_leak,
        )
        if found.overall.code == "questions":
            assert found.overall == without.overall


# --------------------------------------------------------------------------------------------------------------
# Give-aways and values that hardly meet


@pytest.mark.parametrize("make", [made.row_order, made.copies, made.identifiers])
def test_a_give_away_that_is_shown_decides_alone(make) -> None:
    shown = make(State.SHOWN)
    for runs in ((), (clean(),), (clean(), leaking())):
        found = made.found(made.given(*runs, give_aways=(shown,), provenance=STAT), LIMITS)
        assert (found.overall.verdict, found.overall.code) == (Verdict.LEAK, "give_away")
        assert found.give_aways[0].sentence in found.overall.why
        assert found.overall.settle == found.give_aways[0].repair


def test_several_give_aways_are_all_told() -> None:
    both = (made.row_order(), made.copies(), made.identifiers(State.NOT_SHOWN))
    found = made.found(made.given(clean(), give_aways=both), LIMITS)
    assert all(one.sentence in found.overall.why for one in found.give_aways[:2])
    assert found.give_aways[2].sentence not in found.overall.why
    assert all(one.repair in found.overall.settle for one in found.give_aways[:2])


def test_an_open_give_away_bars_within_and_nothing_else() -> None:
    audit = made.given(clean(), give_aways=(made.row_order(State.OPEN),))
    found = made.found(audit, LIMITS)
    assert (found.overall.verdict, found.overall.code) == (Verdict.UNDECIDED, "give_away_open")
    assert found.give_aways[0].sentence in found.overall.why
    assert judged(found, "released").verdict is Verdict.WITHIN, "the question itself is within"
    leaks = made.found(
        made.given(clean(), leaking(), give_aways=(made.row_order(State.OPEN),), provenance=STAT), LIMITS
    )
    assert leaks.overall.verdict is Verdict.ABOVE


@pytest.mark.parametrize("state", [State.NOT_SHOWN, State.TOO_SMALL])
def test_what_is_not_shown_stands_in_nobodys_way(state: State) -> None:
    give_aways = (GiveAway("row_order", state, {"share": 0.5, "z": 0.1, "kind": "none"}),)
    found = made.found(made.given(clean(), give_aways=give_aways), LIMITS)
    assert found.overall.verdict is Verdict.WITHIN
    assert found.give_aways[0].repair == "", "there is nothing to take away"


def test_columns_whose_values_hardly_meet_bar_within() -> None:
    audit = made.given(clean(), made.attributes(half=0.02), apart=("ward", "age"))
    found = made.found(audit, LIMITS, Class.RESTRICTED)
    assert found.overall.verdict is Verdict.UNDECIDED
    assert judged(found, "released").code == judged(found, "attributes").code == "values_apart"
    assert "ward, age" in judged(found, "released").why
    assert "ward" not in repr(made.found(audit, LIMITS).overall)
    # a question that does not speak of values is within its limit, and the overall verdict is not
    quiet = made.membership(np.random.default_rng(6), shifts=(0.0,), trainings=120)
    alone = made.found(made.given(quiet, apart=("ward",), provenance=STAT), LIMITS)
    assert judged(alone, "membership").verdict is Verdict.WITHIN
    assert (alone.overall.verdict, alone.overall.code) == (Verdict.UNDECIDED, "values_apart")
    leak = made.released(np.random.default_rng(2), shift=2.0)
    assert made.found(made.given(leak, apart=("ward",)), LIMITS).overall.verdict is Verdict.ABOVE


# --------------------------------------------------------------------------------------------------------------
# Runs that have not finished


@pytest.mark.parametrize("state", UNFINISHED)
def test_a_run_that_has_not_finished_says_what_is_left_and_how_long_it_takes(state: str) -> None:
    half = made.unfinished("membership", state)
    found = judged(made.found(made.given(half, provenance=STAT)), "membership")
    assert (found.verdict, found.code) == (Verdict.UNDECIDED, f"run_{state}")
    assert found.why
    assert "40 of 60 trainings are left (about 4 minutes)." in found.settle


@pytest.mark.parametrize("state", UNFINISHED)
@pytest.mark.parametrize("question", ["membership", "records", "released", "attributes", "contest", "explanations"])
def test_a_question_whose_run_has_not_finished_decides_nothing(question: str, state: str) -> None:
    half = replace(made.unfinished(question, state), plan={**made.unfinished(question, state).plan, "source": "people"})
    done = made.attributes(half=0.02) if question == "released" else clean()
    assert made.found(made.given(done, provenance=STAT), LIMITS).overall.verdict is Verdict.WITHIN
    found = made.found(made.given(done, half, provenance=STAT), LIMITS)
    if question == "explanations":
        assert (answer(found, question).judgement, found.overall.verdict) == (None, Verdict.WITHIN)
        return
    assert found.overall.verdict is Verdict.UNDECIDED
    assert judged(found, question).code == f"run_{state}"


@pytest.mark.parametrize("state", UNFINISHED)
def test_an_unfinished_what_if_stands_in_nobodys_way(state: str) -> None:
    """Planted before: a run about a method that nobody made the release by, and it alone left everything undecided."""
    for question in ("membership", "records", "contest"):
        half = made.unfinished(question, state)
        for provenance in (Provenance(), Provenance("bayesnet")):
            found = made.found(made.given(clean(), half, provenance=provenance), LIMITS)
            own = answer(found, question)
            assert (own.judgement, own.state) == (None, "what if")
            assert line(own)[1] == "◇ Not about this release"
            assert found.overall.verdict is Verdict.WITHIN


def test_a_finished_what_if_does_not_hide_a_run_about_this_release_that_is_at_work() -> None:
    other = made.membership(np.random.default_rng(1), generator="bayesnet")
    found = made.found(made.given(clean(), other, made.unfinished("membership", "running"), provenance=STAT), LIMITS)
    own = answer(found, "membership")
    assert own.judgement is not None
    assert (own.judgement.code, len(own.what_ifs)) == ("run_running", 1)
    assert found.overall.verdict is Verdict.UNDECIDED
    assert line(own)[1].startswith("◌ Undecided. If it had been made by Bayesian network: ")


def test_why_a_run_failed_stands_in_the_restricted_report_alone() -> None:
    failed = replace(made.unfinished("released", "failed"), error="Column Zq has no level left.")
    shared, own = (judged(made.found(made.given(failed), kind=kind), "released") for kind in Class)
    assert "Column Zq" in own.why
    assert "Zq" not in shared.why
    assert texts.REASON_WITHHELD in shared.why


def test_runs_that_did_not_finish_are_counted_beside_one_that_did() -> None:
    failed = made.unfinished("membership", "failed")
    audit = made.given(leaking(run="9" * 32), failed, failed, provenance=STAT)
    found = made.found(audit)
    assert "2 runs of this question did not finish and are not counted." in judged(found, "membership").why
    assert rejudged(found, {}) == found


def test_a_result_without_its_scores_decides_nothing_and_breaks_nothing() -> None:
    rng = np.random.default_rng(5)
    for run in (made.membership(rng), made.released(rng), made.attributes()):
        assert run.result is not None
        left = {name: value for name, value in run.result.items() if name not in ("scores", "records")}
        found = made.found(made.given(replace(run, result={**left, "purged": True}), provenance=STAT))
        assert answer(found, run.question).finding is None
        assert judged(found, run.question).code == "run_purged"
        assert "numbers will be the same" in judged(found, run.question).settle


def test_a_run_on_an_earlier_version_of_the_files_does_not_count() -> None:
    old = replace(leaking(), is_current=False)
    found = made.found(made.given(old, provenance=STAT)).answers[0]
    assert (found.state, found.judgement) == ("earlier", None)
    assert line(found)[1] == "– Not run"


# --------------------------------------------------------------------------------------------------------------
# What each question hands to the judge


def test_too_few_trainings_are_undecided_and_say_how_many_it_takes() -> None:
    judgement, finding = first(made.given(made.membership(np.random.default_rng(6), trainings=6), provenance=STAT))
    assert judgement.verdict is Verdict.UNDECIDED
    assert "too few trainings" in judgement.why
    assert finding.measured.strongest is None
    # 6 were played in 40 seconds: 4 more make 10, 58 more make the 64 of an AUC of 0.70
    assert "4 more trainings (about 27 seconds)" in judgement.settle
    assert "58 more trainings (about 6 minutes)" in judgement.settle


def test_a_membership_game_without_a_planted_leak_shows_no_absence() -> None:
    rng = np.random.default_rng(6)
    for changed, code in ({"control": False}, "no_control"), ({"found": False}, "control_missed"):
        run = made.membership(rng, shifts=(0.0,), trainings=120, **changed)
        found = judged(made.found(made.given(run, provenance=STAT), LIMITS), "membership")
        assert (found.verdict, found.code) == (Verdict.UNDECIDED, code)


@pytest.mark.parametrize(("planted", "found"), [(0.0, False), (1.5, True)])
def test_a_planted_leak_that_was_not_found_is_not_said_to_be(planted: float, found: bool) -> None:
    """An AUC of 0.46 or more is above nothing at all, and not above guessing."""
    run = made.released(np.random.default_rng(2), planted=planted)
    said = json.loads(to_json(made.found(made.given(run))))
    (control,) = (one["finding"]["measured"]["control"] for one in said["questions"] if one["finding"])
    assert (control["planted"], control["found"]) == (True, found)
    assert (control["found_below"] > 0.5) is found


def test_distances_alone_show_no_absence_of_a_leak() -> None:
    audit = made.given(clean())
    assert made.found(audit, LIMITS).overall.verdict is Verdict.WITHIN
    assert made.found(replace(audit, distances=frozenset({"dcr"})), LIMITS).overall.verdict is Verdict.WITHIN
    both = frozenset({"dcr", "classifier"})
    found = judged(made.found(replace(audit, distances=both), LIMITS), "released")
    assert found.verdict is Verdict.UNDECIDED
    assert "describes a release without judging it" in found.why
    assert "attacks of another kind" in found.settle
    bad = made.given(made.released(np.random.default_rng(2), shift=2.0), distances=both)
    assert made.found(bad, LIMITS).overall.verdict is Verdict.ABOVE


def without(found: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The same, but without the closest row in these lists."""
    return {**found, **{name: [one for one in found[name] if one["attack"] != "dcr"] for name in names}}


@pytest.mark.parametrize("lost", ["estimate", "both"])
def test_an_attack_on_the_released_file_without_a_number_leaves_it_undecided(lost: str) -> None:
    """One that gave every record the same score keeps its scores; one that was refused keeps nothing but a note."""
    run = clean()
    assert run.result is not None
    assert made.found(made.given(run), LIMITS).overall.verdict is Verdict.WITHIN
    left = {**without(run.result, "estimates"), "together": without(run.result["together"], "each")}
    if lost == "both":
        left |= without(left, "scores", "control")
    found = judged(made.found(made.given(replace(run, result=left)), LIMITS), "released")
    assert (found.verdict, found.code) == (Verdict.UNDECIDED, "silent")
    assert found.why.startswith("Closest row gave no number")
    assert "run again without" in found.settle
    asked_without = {**left, "settings": {**left["settings"], "attacks": ["classifier"]}}
    again = made.found(made.given(replace(run, result=asked_without)), LIMITS)
    assert again.overall.verdict is Verdict.WITHIN, "the rest alone"
    bad = made.released(np.random.default_rng(2), shift=2.0)
    assert bad.result is not None
    silent = {**without(bad.result, "estimates"), "together": without(bad.result["together"], "each")}
    assert made.found(made.given(replace(bad, result=silent)), LIMITS).overall.verdict is Verdict.ABOVE


def test_attacks_that_all_fail_beside_a_holdout_are_not_told_to_load_one() -> None:
    run = clean()
    assert run.result is not None
    nothing = {"permutations": 0, "each": []}
    left = {**run.result, "estimates": [], "scores": [], "control": [], "together": nothing}
    found = judged(made.found(made.given(replace(run, result=left))), "released")
    assert "Without a holdout" not in found.why
    assert "the notes of the run say why" in found.why
    settings = {name: value for name, value in run.result["settings"].items() if name not in ("n_in", "n_out")}
    without = judged(
        made.found(made.given(replace(run, result={**left, "settings": settings, "blind": None}))), "released"
    )
    assert without.code == "no_holdout"


def test_sides_that_differ_without_the_release_decide_nothing() -> None:
    run = made.released(np.random.default_rng(2), shift=2.0, differ=True)
    assert judged(made.found(made.given(run), LIMITS), "released").code == "sides_differ"


@pytest.mark.parametrize("question", ["released", "membership"])
def test_an_attack_that_is_always_wrong_tells_of_people_too(question: str) -> None:
    """Planted: its answers turned round reach an AUC above 0.9; no such release is within its limit."""
    rng = np.random.default_rng(2)
    wrong = {
        "released": made.released(rng, shift=-2.0),
        "membership": made.membership(rng, shifts=(-3.0, 0.0), trainings=60),
    }
    found = judged(made.found(made.given(wrong[question], provenance=STAT), LIMITS), question)
    assert (found.verdict, found.code) == (Verdict.UNDECIDED, "wrong_way_round")
    assert "attacks of another kind" in found.settle


def test_a_secret_that_could_not_be_asked_about_leaves_the_question_undecided() -> None:
    run = made.attributes(half=0.02)
    assert run.result is not None
    assert made.found(made.given(run), LIMITS).overall.verdict is Verdict.WITHIN
    refused = {"secret": "ward", "known": "all other columns", "model": "forest", "columns": ["age"], "why": "No row."}
    left = replace(run, result={**run.result, "refused": [refused]})
    named = made.found(made.given(left), LIMITS, tells_columns=True)
    assert named.overall.verdict is Verdict.UNDECIDED
    assert "ward from all other columns gave no number" in judged(named, "attributes").why
    assert "ward" not in str(made.found(made.given(left), LIMITS).answers)


def test_a_secret_easier_without_the_release_too_is_set_aside_and_the_rest_is_judged() -> None:
    """Planted: the larger residual is one that a model without the release has as well."""
    anyway = made.attributes(residual=0.6, without=0.58, secret=ILLNESS)
    own = made.attributes(residual=0.35, secret=WARD)
    found = made.found(made.given(made.asked(anyway, own)), LIMITS, Class.RESTRICTED)
    assert judged(found, "attributes").verdict is Verdict.ABOVE
    finding = answer(found, "attributes").finding
    assert finding is not None
    assert finding.measured.strongest is not None
    assert (finding.measured.strongest.value, finding.measured.who) == (0.35, "ward from all other columns")
    assert "“ward”" in finding.sentence, "the sentence is about what the verdict stands on"
    assert finding.chart is not None
    assert finding.chart.sentence.startswith("ward:")
    alone = made.found(made.given(anyway), LIMITS)
    assert judged(alone, "attributes").code == "members_easier_anyway"
    quiet = made.asked(anyway, made.attributes(half=0.02, secret=WARD))
    assert judged(made.found(made.given(quiet), LIMITS), "attributes").verdict is Verdict.UNDECIDED


def test_people_who_are_harder_to_guess_show_no_absence() -> None:
    run = made.attributes(residual=-0.3, half=0.1)
    assert judged(made.found(made.given(run), LIMITS), "attributes").code == "members_harder"


def test_each_secret_is_a_part_that_is_judged_by_itself() -> None:
    run = made.asked(made.attributes(residual=0.5), made.attributes(half=0.02, secret=WARD))
    finding = answer(made.found(made.given(run), LIMITS, Class.RESTRICTED), "attributes").finding
    assert finding is not None
    assert [part.title for part in finding.parts] == ["illness from all other columns", "ward from all other columns"]
    assert [part.measured.strongest and part.measured.strongest.value for part in finding.parts] == [0.5, 0.0]


def test_an_attacker_on_explanations_is_judged_by_its_least_gain_and_bounded_by_its_most() -> None:
    """Gains of 0.2 and 0.21 over two constant guesses, each 0.05 to either side."""
    found = made.found(made.given(made.explanations(gain=0.2)), {"explanations": Limit(0.25, "t")})
    (what_if,) = answer(found, "explanations").what_ifs
    assert what_if.finding.measured.strongest is not None
    assert what_if.finding.measured.widest is not None
    assert what_if.finding.measured.strongest.low == pytest.approx(0.15)
    assert what_if.finding.measured.widest.high == pytest.approx(0.26)
    assert what_if.judgement.verdict is Verdict.UNDECIDED
    blind = made.found(made.given(made.explanations(planted=False)), {"explanations": Limit(0.25, "t")})
    assert answer(blind, "explanations").what_ifs[0].judgement.code == "control_missed"
    quiet = made.found(made.given(made.explanations()), {"explanations": Limit(0.25, "t")})
    assert answer(quiet, "explanations").what_ifs[0].judgement.verdict is Verdict.WITHIN


def test_many_records_are_looked_at_with_wider_intervals() -> None:
    """At 95 % a record, the strongest of 20 null records would pass for a leak most of the time; here seldom."""
    shown = 0
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        audit = made.given(made.membership(rng, shifts=(0.0,) * 20, trainings=14), provenance=STAT)
        shown += first(audit)[0].verdict is Verdict.LEAK
    assert shown <= 2


@pytest.mark.parametrize("seed", range(20))
def test_no_question_hands_a_bound_to_the_judge(seed: int) -> None:
    """The high end of a bound on epsilon bounds nothing, so no verdict may stand on one."""
    for one in made.found(made.random(seed)).answers:
        for finding in one.findings:
            for estimate in (finding.measured.strongest, finding.measured.widest):
                assert estimate is None or estimate.name not in BOUNDS
