"""The verdict on a release: several runs, and what each question hands to the judge."""

import json
from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Scores
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Limit, Verdict
from riskkit.report.build import read, rejudge
from riskkit.report.to_json import to_json
from riskkit.show.model import Class, Played
from riskkit.stats.epsilon import BOUNDS
from riskkit.stats.multiplicity import p_value
from tests.report.audited import made
from tests.report.audited.answers import answer, clean, first, judged, leaking
from tests.report.audited.made import STAT

_, WARD, ILLNESS = (name for name, _, _ in made.COLUMNS)
LIMITS = {"membership": Limit(0.7, "t"), "released": Limit(0.6, "t"), "attributes": Limit(0.2, "t")}


# --------------------------------------------------------------------------------------------------------------
# Several runs


def test_a_run_that_shows_a_leak_is_not_outvoted_by_larger_ones() -> None:
    rng = np.random.default_rng(1)
    small = made.membership(rng, shifts=(3.0,), trainings=12, run="1" * 32)
    large = made.membership(rng, shifts=(0.0,), trainings=60, run="2" * 32)
    audit = made.audit(large, small, provenance=STAT)
    judgement, finding = first(audit)
    assert judgement.verdict is Verdict.LEAK
    assert finding.id == "1" * 32
    assert [finding_beside.id for finding_beside in made.findings(audit).answers[0].others] == ["2" * 32]
    assert "1 other run" in judgement.why


def test_the_overall_verdict_is_the_gravest_and_names_of_what_nothing_is_known() -> None:
    alone = made.findings(made.audit(clean()), {"released": LIMITS["released"]})
    assert alone.overall.verdict is Verdict.WITHIN
    assert alone.overall.why == (
        "Every question asked of this release is within its limit: The released file. Not tested: Membership, Records, "
        "Attributes, One run, Singling out, Linkability, Reconstruction, Explanations, Contest, Whole households."
    )
    open_too = made.findings(made.audit(clean(), made.attributes(half=0.5)), LIMITS)
    assert open_too.overall.verdict is Verdict.UNDECIDED
    assert open_too.overall.settle.startswith("Attributes: ")
    leaks = made.findings(made.audit(clean(), made.attributes(half=0.5), leaking(), provenance=STAT), LIMITS)
    assert leaks.overall.verdict is Verdict.ABOVE
    assert leaks.overall.why.startswith("Above the limit: Membership.")
    without = made.findings(made.audit(clean(), leaking(), provenance=STAT))
    assert without.overall.verdict is Verdict.LEAK
    both = made.findings(
        made.audit(made.attributes(residual=0.4), leaking(), provenance=STAT), {"membership": Limit(0.7, "t")}
    )
    assert both.overall.verdict is Verdict.ABOVE, "above a limit is graver than a leak that nobody set a limit for"


def test_a_changed_file_is_not_cleared_where_its_method_was_shown_to_leak_before() -> None:
    """Planted before: within the limit, since nobody asks the changed file what its method leaks."""
    limits = {"released": LIMITS["released"]}
    uncured = replace(made.audit(clean()), uncured=("membership", "records"))
    changed_file = made.findings(uncured, limits)
    assert (changed_file.overall.verdict, changed_file.overall.code) == (Verdict.UNDECIDED, "method_leaks")
    assert "was shown to leak by: Membership, Records." in changed_file.overall.why
    assert changed_file.overall.settle.startswith("Make the release again")
    assert rejudge(changed_file, limits).overall == changed_file.overall
    graver = made.findings(replace(made.audit(clean(), made.attributes(residual=0.4)), uncured=("membership",)), limits)
    assert graver.overall.verdict is Verdict.LEAK, "what is worse is said"


def test_a_limit_for_a_test_that_nobody_ran_leaves_the_release_undecided() -> None:
    """Planted before: within the limit, with a limit for Membership and no run of it."""
    clear = made.findings(made.audit(clean()), {"released": LIMITS["released"]})
    assert clear.overall.verdict is Verdict.WITHIN
    missing = rejudge(clear, LIMITS)
    assert (missing.overall.verdict, missing.overall.code) == (Verdict.UNDECIDED, "limit_not_tested")
    assert missing.overall.why == "A limit is set for tests that nobody ran on this release: Membership, Attributes."
    assert missing.overall.settle == "Run these tests, or take their limits away."
    beside = made.findings(made.audit(clean(), beside=frozenset({"attributes", "membership"})), LIMITS)
    assert beside.overall.verdict is Verdict.WITHIN, "a test that does not apply to these files needs no run"
    graver = made.findings(made.audit(clean(), made.attributes(half=0.5)), LIMITS)
    assert graver.overall.code == "questions"


def almost(secret: str = ILLNESS, run: str = "c" * 32) -> Played:
    """A run about a secret of which a leak is shown taken alone, as luck shows one in 1 of 45 audits."""
    return made.attributes(residual=0.2, half=0.19, secret=secret, run=run)


def test_what_a_question_shows_alone_is_undecided_with_others_and_never_within() -> None:
    alone = made.findings(made.audit(almost()))
    assert alone.overall.verdict is Verdict.LEAK
    assert alone.overall.why.endswith(
        " This verdict is corrected for 1 question and for the check of the file itself: without such a leak, it "
        "shows one in at most 5 % of audits."
    )
    both = made.findings(made.audit(clean(), almost()), {"released": Limit(0.6, "t")})
    assert judged(both, "attributes").verdict is Verdict.LEAK, "its own word stays"
    assert judged(both, "released").verdict is Verdict.WITHIN
    assert (both.overall.verdict, both.overall.code) == (Verdict.UNDECIDED, "luck")
    assert both.overall.why == (
        "Taken alone, a leak is shown by: Attributes. With 2 questions, luck would show as much in up to 4.0 % of "
        "audits of a release without such a leak; for a verdict on the release that must be at most 2.5 %."
    )
    assert "Attributes" in both.overall.settle
    surer = made.findings(made.audit(clean(), made.attributes(residual=0.2, half=0.15)))
    assert (surer.overall.verdict, surer.overall.code) == (Verdict.LEAK, "questions")
    assert "is corrected for 2 questions" in surer.overall.why


def test_several_runs_of_a_question_count_each() -> None:
    """Whoever asks often finds something by luck, one question or several."""
    audit = made.audit(almost(), *(made.attributes(secret=WARD, run=f"{number}" * 32) for number in (1, 2)))
    findings = made.findings(audit)
    assert (findings.overall.verdict, findings.overall.code) == (Verdict.UNDECIDED, "luck")
    assert "With 1 question in 3 runs, luck" in findings.overall.why
    document = json.loads(to_json(findings))["overall"]["allows_for"]
    assert document == {
        "questions": 1,
        "runs": 3,
        "error": 0.05,
        "chances": {"attributes": 0.06},
    }


def test_one_question_that_is_sure_is_named_alone() -> None:
    leaks = made.findings(made.audit(leaking(), almost(), clean(), provenance=STAT))
    assert leaks.overall.verdict is Verdict.LEAK
    assert leaks.overall.why.startswith("A leak is shown by: Membership. ")
    both = made.findings(made.audit(leaking(), almost(), clean(), provenance=STAT), {"attributes": Limit(0.005, "t")})
    assert judged(both, "attributes").verdict is Verdict.ABOVE
    assert both.overall.verdict is Verdict.LEAK, "above the limit is not sure enough, a leak is"


def test_a_chance_is_that_of_the_test_whose_interval_is_shown() -> None:
    """Of every question: its verdict at its own level, and its chance, never say two things."""
    for seed in range(12):
        for asked in (entry for entry in made.findings(made.random(seed)).answers if entry.finding is not None):
            assert asked.finding is not None
            assert asked.judgement is not None
            measured = asked.finding.measured
            if asked.judgement.shows_leak and measured.strongest is not None:
                assert measured.p(measured.guess) <= 0.05, asked.question


def test_records_have_the_chance_of_their_list() -> None:
    each = [made.record(row, value) for row, value in enumerate((0.66, 0.5, 0.48, 0.55))]
    finding = answer(
        made.findings(made.audit(made.records(each, generator="stat"), provenance=STAT)), "records"
    ).finding
    assert finding is not None
    measured = finding.measured
    for bar in (0.5, 0.55, 0.6, 0.64):
        listed = measured.strongest is not None and measured.strongest.low > bar
        assert (measured.p(bar) <= 0.05) is listed


def test_membership_has_the_chance_of_the_rank_sums_of_its_trainings() -> None:
    run = made.membership(np.random.default_rng(1), shifts=(0.9, 0.0), trainings=40)
    measured = first(made.audit(run, provenance=STAT))[1].measured
    assert run.result is not None
    scores = [
        Scores(
            np.array(s["value"]),
            np.array(s["is_in"]),
            np.array(s["training"]),
            np.zeros(len(s["value"]), dtype=np.int64),
            "",
        )
        for s in run.result["scores"]
    ]
    assert measured.p(0.5) == pytest.approx(2 * min(map(p_value, scores)))


def test_a_released_file_has_the_chance_of_its_labels_dealt_anew() -> None:
    run = made.released(np.random.default_rng(2), shift=0.2)
    finding = answer(made.findings(made.audit(run)), "released").finding
    assert finding is not None
    assert run.result is not None
    assert finding.measured.p(0.5) == min(each["p"] for each in run.result["together"]["each"])


def test_judging_again_gives_what_judging_with_that_limit_gives() -> None:
    for seed in range(7, 12):
        audit = made.random(seed)
        assert rejudge(made.findings(audit), LIMITS) == made.findings(audit, LIMITS)


# --------------------------------------------------------------------------------------------------------------
# What each question hands to the judge


def test_too_few_trainings_are_undecided_and_say_how_many_it_takes() -> None:
    judgement, finding = first(made.audit(made.membership(np.random.default_rng(6), trainings=6), provenance=STAT))
    assert judgement.verdict is Verdict.UNDECIDED
    assert "too few trainings" in judgement.why
    assert finding.measured.strongest is None
    # 6 were played in 40 seconds: 4 more make 10, 58 more make the 64 of an AUC of 0.70
    assert "4 more trainings (about 27 seconds)" in judgement.settle
    assert "58 more trainings (about 6 minutes)" in judgement.settle


@pytest.mark.parametrize(("planted", "is_found"), [(0.0, False), (1.5, True)])
def test_a_planted_leak_that_was_not_found_is_not_said_to_be(planted: float, is_found: bool) -> None:
    """An AUC of 0.46 or more is above nothing at all, and not above guessing."""
    run = made.released(np.random.default_rng(2), planted=planted)
    document = json.loads(to_json(made.findings(made.audit(run))))
    (control,) = (
        question["finding"]["measured"]["control"] for question in document["questions"] if question["finding"]
    )
    assert (control["planted"], control["found"]) == (True, is_found)
    assert (control["found_below"] > 0.5) is is_found


def test_attacks_that_all_fail_beside_a_holdout_are_not_told_to_load_one() -> None:
    run = clean()
    assert run.result is not None
    nothing = {"permutations": 0, "each": []}
    left = {**run.result, "estimates": [], "scores": [], "control": [], "together": nothing}
    judgement = judged(made.findings(made.audit(replace(run, result=left))), "released")
    assert "Without a holdout" not in judgement.why
    assert "the notes of the run say why" in judgement.why
    settings = {name: value for name, value in run.result["settings"].items() if name not in ("n_in", "n_out")}
    without = judged(
        made.findings(made.audit(replace(run, result={**left, "settings": settings, "blind": None}))), "released"
    )
    assert without.code == "no_holdout"


def test_sides_that_one_question_tells_apart_bar_within_for_every_question_about_the_files() -> None:
    """Real table and release are swapped, say: nobody is attacked who could be, so every good word is for others."""
    rng = np.random.default_rng(2)
    secrets, game = made.attributes(), made.membership(rng, shifts=(0.0,), trainings=200)
    limits = {**LIMITS, "membership": Limit(0.95, "t"), "attributes": Limit(0.3, "t")}
    alone = made.findings(made.audit(secrets, game, clean(), provenance=STAT), limits)
    assert judged(alone, "attributes").verdict is Verdict.WITHIN
    differ = made.released(rng, shift=2.0, differ=True)
    facts = made.audit(secrets, game, differ, provenance=STAT)
    beside = made.findings(facts, limits)
    assert (judged(beside, "attributes").verdict, judged(beside, "attributes").code) == (
        Verdict.UNDECIDED,
        "sides_differ_too",
    )
    (on_its_page,) = read(secrets, facts, kind=Class.RESTRICTED)
    assert judge(on_its_page.measured, limits["attributes"]).code == "sides_differ_too", "page and report say the same"
    assert judged(beside, "membership").verdict is Verdict.WITHIN, "no file is compared in the game"
    answer = next(own for own in beside.answers if own.question == "released")
    assert answer.finding is not None
    assert [reason.code for reason in answer.finding.measured.reasons].count("sides_differ_too") == 0, "said once"
    other = made.findings(made.audit(secrets, game, replace(differ, is_current=False), provenance=STAT), limits)
    assert judged(other, "attributes").verdict is Verdict.WITHIN, "it was of other files"


@pytest.mark.parametrize("question", ["released", "membership"])
def test_an_attack_that_is_always_wrong_tells_of_people_too(question: str) -> None:
    """Planted: its answers turned round reach an AUC above 0.9; no such release is within its limit."""
    rng = np.random.default_rng(2)
    wrong = {
        "released": made.released(rng, shift=-2.0),
        "membership": made.membership(rng, shifts=(-3.0, 0.0), trainings=60),
    }
    judgement = judged(made.findings(made.audit(wrong[question], provenance=STAT), LIMITS), question)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "wrong_way_round")
    assert "attacks of another kind" in judgement.settle


def test_a_secret_that_could_not_be_asked_about_leaves_the_question_undecided() -> None:
    run = made.attributes(half=0.02)
    assert run.result is not None
    assert made.findings(made.audit(run), {"attributes": LIMITS["attributes"]}).overall.verdict is Verdict.WITHIN
    refused = {"secret": "ward", "known": "all other columns", "model": "forest", "columns": ["age"], "why": "No row."}
    left = replace(run, result={**run.result, "refused": [refused]})
    named = made.findings(made.audit(left), LIMITS, tells_columns=True)
    assert named.overall.verdict is Verdict.UNDECIDED
    assert "ward from all other columns gave no number" in judged(named, "attributes").why
    assert "ward" not in str(made.findings(made.audit(left), LIMITS).answers)


def test_each_secret_is_a_part_that_is_judged_by_itself() -> None:
    run = made.asked(made.attributes(residual=0.5), made.attributes(half=0.02, secret=WARD))
    finding = answer(made.findings(made.audit(run), LIMITS, Class.RESTRICTED), "attributes").finding
    assert finding is not None
    assert [part.title for part in finding.parts] == ["illness from all other columns", "ward from all other columns"]
    assert [part.measured.strongest and part.measured.strongest.value for part in finding.parts] == [0.5, 0.0]


def test_an_attacker_on_explanations_is_judged_by_its_least_gain_and_bounded_by_its_most() -> None:
    """Gains of 0.2 and 0.21 over two constant guesses, each 0.05 to either side."""
    findings = made.findings(made.audit(made.explanations(gain=0.2)), {"explanations": Limit(0.25, "t")})
    (what_if,) = answer(findings, "explanations").what_ifs
    assert what_if.finding.measured.strongest is not None
    assert what_if.finding.measured.widest is not None
    assert what_if.finding.measured.strongest.low == pytest.approx(0.15)
    assert what_if.finding.measured.widest.high == pytest.approx(0.26)
    assert what_if.judgement.verdict is Verdict.UNDECIDED
    blind = made.findings(made.audit(made.explanations(planted=False)), {"explanations": Limit(0.25, "t")})
    assert answer(blind, "explanations").what_ifs[0].judgement.code == "control_missed"
    quiet = made.findings(made.audit(made.explanations()), {"explanations": Limit(0.25, "t")})
    assert answer(quiet, "explanations").what_ifs[0].judgement.verdict is Verdict.WITHIN


def test_many_records_are_looked_at_with_wider_intervals() -> None:
    """At 95 % a record, the strongest of 20 null records would pass for a leak most of the time; here seldom."""
    shown = 0
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        audit = made.audit(made.membership(rng, shifts=(0.0,) * 20, trainings=14), provenance=STAT)
        shown += first(audit)[0].verdict is Verdict.LEAK
    assert shown <= 2


@pytest.mark.parametrize("seed", range(20))
def test_no_question_hands_a_bound_to_the_judge(seed: int) -> None:
    """The high end of a bound on epsilon bounds nothing, so no verdict may stand on one."""
    for reply in made.findings(made.random(seed)).answers:
        for finding in reply.findings:
            for estimate in (finding.measured.strongest, finding.measured.widest):
                assert estimate is None or estimate.name not in BOUNDS
