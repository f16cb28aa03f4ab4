"""Playing a plan: the same bytes on any number of workers, progress, cancel, notes."""

import itertools
import json
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.attacks.likelihood import LikelihoodRatio
from riskkit.attacks.neighbour import Neighbour
from riskkit.core import Fitted, Knowledge, Scores, Table
from riskkit.errors import Cancelled, DesignError
from riskkit.generators.anonymisers_of_cells import Swapping
from riskkit.jobs.pool import Progress
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import grade, run_membership
from tests.oracles import ExactMatch, Independent
from tests.tables import mixed

PLAN = MembershipPlan(
    generators=("histogram", "bayesnet"),
    targets=("selective",),
    attacks=("mvl", "neighbour:own=3"),
    trainings=12,
    generations=2,
    n_syn=60,
    seed=3,
)


def text(plan: MembershipPlan) -> str:
    return json.dumps(run_membership(mixed(120), plan).as_dict(), sort_keys=True)


def test_another_seed_gives_other_numbers() -> None:
    assert text(PLAN) != text(replace(PLAN, seed=4))


def test_adding_an_attack_or_a_generator_moves_nobody_elses_numbers() -> None:
    table = mixed(120)
    alone = run_membership(table, replace(PLAN, attacks=("neighbour:own=3",), generators=("bayesnet",)))
    beside = run_membership(table, replace(PLAN, attacks=("mvl:variant=syn,own=9", "neighbour:own=3")))
    shared = ("bayesnet", "neighbour:own=3")
    kept = [e for e in beside.estimates if (e.labels["generator"], e.labels["attack"]) == shared]
    assert [e.as_dict() for e in alone.estimates] == [e.as_dict() for e in kept]


def test_results_say_what_they_are_about_and_n_counts_trainings() -> None:
    result = run_membership(mixed(120), PLAN)
    names = {estimate.name for estimate in result.estimates}
    assert {"auc", "accuracy", "advantage", "epsilon_lower"} <= names
    for estimate in result.estimates:
        assert estimate.n == 12
        assert set(estimate.labels) >= {"generator", "target", "attack", "record"}
        assert estimate.labels["generator"] in PLAN.generators
        assert int(estimate.labels["record"]) >= 0
    assert result.as_dict()["settings"]["seed"] == 3


def test_two_targets_are_two_games_and_a_group_is_one() -> None:
    plan = replace(PLAN, generators=("histogram",), attacks=("neighbour:own=2",), k=2)
    each = run_membership(mixed(120), plan)
    assert len({finding.labels["record"] for finding in each.findings}) == 2
    group = run_membership(mixed(120), replace(plan, together=True))
    (finding,) = group.findings
    assert set(finding.labels["record"].split("+")) == {f.labels["record"] for f in each.findings}
    assert len(finding.scores) == 12 * 2


AUXILIARY = replace(PLAN, attacks=("neighbour:own=3",), knowledge="auxiliary", relation="replace-one", rows=30)


@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
def test_attackers_with_people_of_their_own_play_the_same_game(worlds: str) -> None:
    plan = replace(AUXILIARY, worlds=worlds)
    reports: list[Progress] = []
    result = run_membership(mixed(120), plan, progress=reports.append)
    assert reports[-1].done == reports[-1].total == plan.total_units() == plan.total_trainings() + 2 + 1
    assert json.dumps(result.as_dict()) == json.dumps(run_membership(mixed(120), plan, workers=2).as_dict())
    settings = result.as_dict()["settings"]
    assert (settings["worlds"], settings["relation"], settings["knowledge"]) == (worlds, "replace-one", "auxiliary")
    assert "other people in their place" in settings["neighbours"]
    assert ("the other rows" in settings["random"]) == (worlds == "resampled")
    assert any(f"The data sets compared ({worlds}, replace-one) hold 30 rows" in note for note in result.notes)


def test_a_holdout_is_the_attackers_and_moves_nothing_where_nobody_needs_it() -> None:
    table, holdout = mixed(120), mixed(80, seed=5)
    holdout = Table(table.schema, holdout.codes, holdout.numbers)
    with_it, without = (run_membership(table, AUXILIARY, auxiliary) for auxiliary in (holdout, None))
    strangers = int((~np.isin(holdout.keys(), table.keys())).sum())
    assert strangers > 70
    assert any(f"have {strangers} other rows" in note for note in with_it.notes)
    assert with_it.as_dict() != without.as_dict()
    assert run_membership(table, PLAN, holdout).as_dict() == run_membership(table, PLAN).as_dict()


def test_exact_and_auxiliary_attackers_share_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of knowledge pays for own releases of its own, and the exact ones are those they always were."""

    @dataclass(frozen=True)
    class Stranger(Neighbour):
        name: ClassVar[str] = "stranger"
        knowledge: ClassVar[Knowledge] = Knowledge.AUXILIARY

    real = registry.plugins
    monkeypatch.setattr(
        registry, "plugins", lambda room: {**real(room), **({"stranger": Stranger} if room == "attacks" else {})}
    )
    both = replace(PLAN, generators=("histogram",), attacks=("neighbour:own=3", "stranger:own=4"), control=False)
    assert both.trainings_a_game() == 12 + 2 * (3 + 4)
    holdout = Table(mixed(120).schema, mixed(200, seed=5).codes, mixed(200, seed=5).numbers)
    beside = run_membership(mixed(120), both, holdout)
    alone = run_membership(mixed(120), replace(both, attacks=("neighbour:own=3",)))
    assert beside.findings[0].scores.value.tolist() == alone.findings[0].scores.value.tolist()
    assert len(beside.findings) == 2


def test_made_up_targets_have_no_row_number() -> None:
    plan = replace(PLAN, generators=("histogram",), targets=("adaptive",), attacks=("neighbour:own=2",))
    (finding,) = run_membership(mixed(120), plan).findings
    assert finding.labels["record"] == "made up"


def test_progress_counts_every_training_and_every_fit_and_ends_at_all() -> None:
    reports: list[Progress] = []
    run_membership(mixed(120), PLAN, progress=reports.append)
    assert reports[0].done == 0
    fits = 2 * 2 + 2  # two attacks in two games, and one plant for each of them
    assert reports[-1].done == reports[-1].total == PLAN.total_units() == PLAN.total_trainings() + fits
    assert all(a.done <= b.done for a, b in itertools.pairwise(reports))
    assert reports[-1].seconds_left == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_cancel_stops_between_two_pieces(workers: int) -> None:
    reports: list[Progress] = []
    with pytest.raises(Cancelled):
        run_membership(mixed(120), PLAN, workers=workers, progress=reports.append, cancelled=lambda: len(reports) > 4)
    assert reports[-1].done < PLAN.total_units() / 2


def test_copies_of_the_target_are_said() -> None:
    table = mixed(120).plus(mixed(120).rows([5]))
    plan = replace(PLAN, generators=("histogram",), targets=("listed:rows=5",), attacks=("neighbour:own=2",))
    assert any("1 exact copy" in note for note in run_membership(table, plan).notes)


def test_too_few_trainings_give_a_sentence_and_no_number() -> None:
    result = run_membership(mixed(120), replace(PLAN, trainings=8))
    assert result.estimates == ()
    assert all("training" in note for note in result.notes)
    assert result.notes


def test_a_constant_attack_gives_no_auc_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release never holds the target, so the exact-match score is one and the same: not "AUC one half"."""
    real = registry.plugins
    extra: dict[str, dict[str, type]] = {
        "generators": {"independent": Independent},
        "attacks": {"exact_match": ExactMatch},
        "targets": {},
    }
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), **extra[room]})
    plan = replace(PLAN, generators=("independent",), attacks=("exact_match",), n_syn=3)
    result = run_membership(mixed(120), plan)
    assert "auc" not in {estimate.name for estimate in result.estimates}
    assert any("same score" in note for note in result.notes)
    assert any("one and the same answer" in note for note in result.notes)


def test_swapped_labels_turn_the_auc_round() -> None:
    """The fault planted: were "in" and "out" swapped anywhere on the way, this leak would show below one half."""
    rng = np.random.default_rng(0)
    is_in = np.repeat([True, False], 20)
    value = rng.normal(size=40) + 2 * is_in
    zeros = np.zeros(40, dtype=int)
    right = {e.name: e.value for e in grade(Scores(value, is_in, np.arange(40), zeros))[0]}
    swapped = {e.name: e.value for e in grade(Scores(value, ~is_in, np.arange(40), zeros))[0]}
    assert right["auc"] > 0.8
    assert swapped["auc"] == 1 - right["auc"]


def test_what_an_attack_cannot_be_played_on_is_refused_before_anything_is_trained() -> None:
    """The last generator is the one it refuses, and other attacks want shadows: neither is waited for."""
    reports: list[Progress] = []
    plan = replace(PLAN, generators=("histogram", "stat"), attacks=("neighbour:own=3", "likelihood"))
    with pytest.raises(DesignError, match=r"'stat' cannot say how probable a row is.*\.$"):
        run_membership(mixed(120), plan, progress=reports.append)
    assert [report.done for report in reports] == []
    fine = run_membership(mixed(120), replace(plan, generators=("histogram", "bayesnet")), progress=reports.append)
    assert reports[-1].done == reports[-1].total == fine.plan.total_units()


def test_a_generator_that_needs_more_than_a_few_rows_is_not_refused_by_them() -> None:
    check = LikelihoodRatio().check
    with pytest.raises(DesignError, match="how probable"):
        check(Swapping(), mixed(30), np.random.default_rng(0))
    check(Wide(), mixed(30), np.random.default_rng(0))


@dataclass(frozen=True)
class Wide(Independent):
    name: ClassVar[str] = "wide"

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:  # type: ignore[override]
        if len(table) < 50:
            raise DesignError("Too few rows.")
        return super().fit(table, rng)
