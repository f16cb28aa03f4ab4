"""Trainings on random halves of the people: made once for Records, Membership and One run, and what each may say."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.core import Knowledge, Table
from riskkit.errors import DesignError
from riskkit.games.membership import Game, PartsGame
from riskkit.games.subsets import Subsets
from riskkit.jobs.files import dump
from riskkit.jobs.pool import NamedUnits, keeping
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Limit, Verdict
from riskkit.judging.provenance import Provenance
from riskkit.phrases import with_phrases
from riskkit.plans import Plan
from riskkit.questions import parts, question
from riskkit.questions.forecasts import Forecast, SharedTrainings, seconds_together
from riskkit.questions.membership import partial
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.question import read, standard
from riskkit.questions.one_run import play as one_run
from riskkit.questions.one_run.plan import OneRunPlan
from riskkit.questions.one_run.play import run_one_run
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.runs import work
from riskkit.questions.standard import Effort, Situation, plans_for
from riskkit.show.model import Class, Played
from riskkit.show.names import Names
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from tests.faults.workers import again, asked, made
from tests.games.records import Copies, Deaf, crowd, noted_trainings, tables
from tests.oracles import stand_beside
from tests.report.audited import made as audited

RECORDS = RecordsPlan("histogram", by="subsets", trainings=14, n_syn=60)
MEMBERSHIP = MembershipPlan(
    generators=("histogram",),
    targets=("selective", "random"),
    attacks=("neighbour:own=2", "lira:own=2"),
    worlds="halves",
    trainings=14,
    n_syn=60,
)
ONE_RUN = OneRunPlan("histogram", halves=14, rows=40)
PLANS: tuple[Plan, ...] = (RECORDS, MEMBERSHIP, ONE_RUN)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return made(tmp_path, 60)


@pytest.fixture(autouse=True)
def log(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The trainings of the method that were made, in order; planted leaks are made by another."""
    stand_beside(monkeypatch, {"generators": {"copies": Copies, "deaf": Deaf}})
    return noted_trainings(monkeypatch)


def run(audit: Audit, plan: Plan) -> Run:
    asked_run = asked(audit, plan)
    work(asked_run.path)
    assert asked_run.state == "finished", asked_run.progress
    return asked_run


def engine(audit: Audit, plan: Plan, workers: int = 1) -> bytes:
    """What it comes to with no store around it."""
    return dump(with_phrases(question(plan.question).run(audit.tables(), plan, workers=workers).plain()))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_what_one_question_trained_no_other_trains(audit: Audit, log: list[int], order: tuple[int, ...]) -> None:
    """And each says what it says alone, to the last bit."""
    results = [run(audit, PLANS[place]).result for place in order]
    assert sorted(log) == list(range(14))
    for place, result in zip(order, results, strict=True):
        kept = {key: value for key, value in result.items() if key != "seconds"}
        assert dump(with_phrases(kept)) == engine(audit, PLANS[place])


def test_so_it_does_where_nothing_is_kept(audit: Audit, log: list[int]) -> None:
    """In memory, as ``--no-keep`` and a session in Python do."""
    with keeping(NamedUnits()):
        for plan in PLANS:
            question(plan.question).run(audit.tables(), plan)
    assert log == list(range(14))


@pytest.mark.parametrize("plan", [MEMBERSHIP, ONE_RUN], ids=["membership", "one-run"])
def test_two_workers_give_the_same_bytes(audit: Audit, plan: Plan) -> None:
    assert engine(audit, plan) == engine(audit, plan, workers=2)


def test_a_run_that_was_stopped_trains_nothing_again_and_shows_its_part(
    audit: Audit, log: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = PartsGame.trials

    def stopping(game: PartsGame, each: Any, attacks: Any) -> Any:
        if each[0][0] == 6:
            raise KeyboardInterrupt
        return trials(game, each, attacks)

    monkeypatch.setattr(PartsGame, "trials", stopping)
    stopped = asked(audit, MEMBERSHIP)
    with suppress(KeyboardInterrupt):
        work(stopped.path)
    assert stopped.state == "interrupted"
    monkeypatch.setattr(PartsGame, "trials", trials)
    shown = [(game["trainings"], game["of"]) for game in partial.partial(audit, stopped)["partial"]]
    assert shown[0] == shown[1]
    assert 0 < shown[0][0] <= 6
    assert shown[0][1] == 10
    again(stopped)
    work(stopped.path)
    assert stopped.state == "finished"
    assert log == list(range(14))
    assert stopped.result["scores"] == run_membership(audit.tables().real, MEMBERSHIP).plain()["scores"]


def game_of(plan: MembershipPlan, table: Table, row: int) -> tuple[PartsGame, Subsets]:
    """The game of that row, on releases that nobody looks at."""
    people, chosen = plan.people(table), plan.choose(table, f"listed:rows={row}")
    play = plan.deal(people, plan.generators[0])
    (cell,) = replace(plan, targets=(f"listed:rows={row}",)).cells()
    game: Game = plan.game(people, cell, chosen, (play, [table.rows([number]) for number in range(plan.trainings)]))
    assert isinstance(game, PartsGame)
    return game, play


@pytest.mark.parametrize("row", [0, 7, 59])
def test_each_training_is_an_attackers_own_or_counted_and_the_coin_is_the_targets(row: int) -> None:
    """Attackers get others to compare with, and neither the target nor a counted release."""
    table = crowd(60)
    plan = replace(MEMBERSHIP, trainings=40, attacks=("neighbour:own=6",))
    game, play = game_of(plan, table, row)
    own = game.own_releases()
    assert own is not None
    firsts = {
        side: [int(np.flatnonzero(table.keys() == release.keys()[0])[0]) for release in own[side]] for side in own
    }
    for side, numbers in firsts.items():
        np.testing.assert_array_equal(numbers, np.flatnonzero(play.is_in[row] == side)[:6])
    counted = np.setdiff1d(np.arange(40), [*firsts[True], *firsts[False]])
    np.testing.assert_array_equal(game.coin(), play.is_in[row, counted])
    assert (plan.counted, plan.sides, int(game.coin().sum())) == (28, (14, 14), 14)
    brief = game.brief(Knowledge.AUXILIARY, own, 6)
    assert brief.data is None
    assert brief.reference is not None
    assert not np.isin(table.keys()[row], brief.reference.keys())
    assert game.brief(Knowledge.NONE, own, 6).shadows_in == ()


def test_a_person_who_is_copied_is_found_and_nobody_else() -> None:
    table = crowd(60)
    plan = replace(
        MEMBERSHIP,
        generators=("copies",),
        targets=("listed:rows=0+1",),
        attacks=("neighbour:m=1,own=5", "lira:own=5"),
        trainings=64,
    )
    result = run_membership(table, plan)
    aucs = {
        (estimate.labels["record"], estimate.labels["attack"]): estimate
        for estimate in result.estimates
        if estimate.name == "auc"
    }
    assert all(auc.low > 0.7 for (record, _), auc in aucs.items() if record == "0")
    assert all(auc.low < 0.5 for (record, _), auc in aucs.items() if record == "1")
    assert result.plan.total_trainings() == 64 + 64
    assert all(control.is_found for control in result.control)


def test_of_a_method_that_learns_nothing_intervals_hold_one_half() -> None:
    """60 audits of two targets and two attacks: 240 intervals of 95 %, of which releases are shared by four."""
    plan = replace(MEMBERSHIP, generators=("deaf",), trainings=32, attacks=("neighbour:own=5", "lira:own=5"))
    missed = 0
    for seed in range(60):
        estimates = run_membership(crowd(60), replace(plan, seed=seed, control=False)).estimates
        missed += sum(not auc.low <= 0.5 <= auc.high for auc in estimates if auc.name == "auc")
    assert missed <= 22


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"together": True, "k": 2}, "a coin of their own"),
        ({"rows": 40}, "a coin of their own"),
        ({"knowledge": "exact"}, "a coin of their own"),
        ({"relation": "replace-one"}, "a coin of their own"),
        ({"attacks": ("neighbour:own=3",)}, "fewer than 5 are left"),
        ({"attacks": ("f_error",)}, "reads the model"),
    ],
)
def test_what_halves_are_not_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        replace(MEMBERSHIP, **settings)


def test_an_attack_that_wants_every_other_row_and_a_made_up_target_are_refused_before_any_training(
    log: list[int],
) -> None:
    for settings, message in (
        ({"attacks": ("mvl",)}, "nobody knows who else is in them. Leave it out"),
        ({"targets": ("adaptive",)}, "in no half"),
    ):
        with pytest.raises(DesignError, match=message):
            run_membership(crowd(60), replace(MEMBERSHIP, **settings))
    assert log == []


def test_of_a_table_with_everybody_twice_it_is_said_that_one_other_person_is_alike() -> None:
    people = crowd(30)
    twice = people.rows(np.repeat(np.arange(len(people)), 2))
    result = run_membership(twice, replace(MEMBERSHIP, targets=("random",), control=False))
    assert any(str(note).startswith("1 other person has the same rows as record ") for note in result.notes)


@pytest.mark.parametrize("settings", [{"made": True}, {"sees": "model"}, {"relation": "replace-one"}, {"halves": 4}])
def test_a_shared_training_has_real_people_and_a_release_alone(settings: dict[str, Any]) -> None:
    with pytest.raises(DesignError, match=r"shared|at least 10"):
        replace(ONE_RUN, **settings)


def test_one_run_guesses_the_coins_of_the_first_training() -> None:
    """All people of one row may be canaries, not half of them, and the training has just those who are in."""
    table = crowd(200)
    persons = Persons.of_rows(200, 0)
    persons = replace(persons, real=np.maximum(np.arange(200), 3))  # the first four rows are one person's
    plan = replace(ONE_RUN, generator="copies", rows=1000)
    both = replace(tables(table), persons=persons)
    play = one_run.halves_of(both, plan)
    game = one_run.deal_game(both, plan, play)
    assert play is not None
    assert len(game.audited) > 150
    assert not np.isin([0, 1, 2, 3], game.audited).any()
    np.testing.assert_array_equal(game.is_in, play.is_in[play.crowd.person[game.audited], 0])
    np.testing.assert_array_equal(np.sort(game.world.keys()), np.sort(play.world(0).keys()))
    result = run_one_run(both, plan)
    assert result.counts.trained == len(play.world(0))
    assert result.counts.released == 100


def test_the_coins_of_one_training_are_those_of_independent_people() -> None:
    """Of 3,000 deals of 40 people the number who are in the first training has the law of 40 coins."""
    inside = np.array(
        [replace_seed(seed).is_in[:, 0].sum() for seed in range(3000)],
    )
    assert inside.mean() == pytest.approx(20, abs=4 * np.sqrt(10 / 3000))
    assert inside.var() == pytest.approx(10, rel=0.11)


def replace_seed(seed: int) -> Subsets:
    """A deal of 40 people with that seed."""
    people = MEMBERSHIP.people(crowd(40))
    return replace(MEMBERSHIP, seed=seed).deal(people, "histogram")


def test_a_standard_audit_of_a_method_that_trains_long_shares_its_trainings() -> None:
    table = crowd(60)
    both = replace(tables(table), synthetic=table)
    plan = standard(Situation(both, Effort.STANDARD, made_by="ctgan"))
    assert plan is not None
    assert (plan.worlds, plan.trainings, plan.counted) == ("halves", parts.TRAININGS[Effort.STANDARD], 44)
    quick = standard(Situation(both, Effort.STANDARD, made_by="histogram"))
    assert quick is not None
    assert quick.worlds == "fixed"
    several = standard(Situation(both, Effort.STANDARD, made_by="ctgan", released={"releases": 3}))
    assert several is not None
    assert several.worlds == "fixed"


def test_a_forecast_counts_trainings_that_questions_share_once_by_hand() -> None:
    """64 of 2 s and 10 s of attacks; the same 64, timed at 3 s, and 7 s; one of them, 4 s; 32 dealt otherwise, 5 s."""
    names = [frozenset(f"{design} {number}" for number in range(n)) for design, n in (("a", 64), ("a", 64), ("a", 1))]
    names.append(frozenset(f"b {number}" for number in range(32)))
    trained = [SharedTrainings(own, each) for own, each in zip(names, (2.0, 3.0, 4.0, 5.0), strict=True)]
    takes = [(64 * 2 + 10.0, trained[0]), (64 * 3 + 7.0, trained[1]), (4.0, trained[2]), (32 * 5.0, trained[3])]
    forecasts = [Forecast(seconds, shared=(shared,)) for seconds, shared in takes]
    assert seconds_together([*forecasts, Forecast(1.0)]) == 64 * 2 + 10 + 7 + 32 * 5 + 1
    assert seconds_together(forecasts[:1]) == 64 * 2 + 10, "one question alone takes them all"


def test_the_forecast_of_an_audit_counts_what_is_trained(audit: Audit, log: list[int]) -> None:
    """Played after it, the three questions train as many as their forecasts name together: 14, not 29."""
    tables_of = audit.tables()
    shared = [own for plan in PLANS for own in asked_forecast(plan, tables_of).shared]
    assert [len(own.names) for own in shared] == [14, 14, 1]
    log.clear()  # the pilot
    for plan in PLANS:
        run(audit, plan)
    assert len(frozenset().union(*(own.names for own in shared))) == len(log) == 14


def asked_forecast(plan: Plan, of: Tables) -> Any:
    """What that question foretells."""
    foretell = question(plan.question).forecast
    assert foretell is not None
    return foretell(of, plan)


def test_an_audit_of_ctgan_is_foretold_with_each_training_once() -> None:
    """Quick effort: 32 for Records, the same for Membership, and of One run, asked beside it, the first: 32, not 65.

    So are the six on the whole table that the release is set beside, of which Records and Membership ask.
    """
    table = crowd(60)
    situation = Situation(replace(tables(table), synthetic=table), Effort.QUICK, made_by="ctgan:epochs=1")
    plans: list[Plan] = [plan for plan in plans_for(situation) if plan.question in ("records", "membership")]
    plans.append(OneRunPlan("ctgan:epochs=1", halves=32, rows=40))
    forecasts = [asked_forecast(plan, situation.tables) for plan in plans]
    shared = {plan.question: made.shared for plan, made in zip(plans, forecasts, strict=True)}
    counts = {name: [len(own.names) for own in every] for name, every in shared.items()}
    assert counts == {"records": [32, 6], "membership": [32, 6], "one-run": [1]}
    assert [own.names for own in shared["records"]] == [own.names for own in shared["membership"]]
    assert shared["records"][0].names > shared["one-run"][0].names
    twice = [len(own.names) * own.seconds for plan in plans[1:] for own in shared[plan.question]]
    together = seconds_together(forecasts)
    assert together == pytest.approx(sum(made.seconds for made in forecasts) - sum(twice))
    assert together > 32 * min(every[0].seconds for every in shared.values())


def test_a_game_on_halves_is_about_the_release_and_clears_nobody() -> None:
    """However generous the limit: the whole table was not looked at."""
    plan = replace(MEMBERSHIP, targets=("random",), trainings=64, attacks=("neighbour:own=5",))
    result = run_membership(crowd(60), plan)
    run = Played("membership", "1" * 32, "finished", plan.as_dict(), result.plain(), plan.command("r"))
    facts = audited.audit(run, provenance=Provenance("histogram"))
    (finding,) = read(run, Names.of(facts, Class.RESTRICTED), facts)
    assert not finding.what_if
    judgement = judge(finding.measured, Limit(0.99999, "nobody"))
    assert judgement.verdict is Verdict.UNDECIDED
    assert "parts_of_people" in {reason.code for reason in finding.measured.reasons}
