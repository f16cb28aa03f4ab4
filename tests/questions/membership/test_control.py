"""The planted leak of every audit: known answers, its own random numbers, and attacks that are broken on purpose."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.attacks.neighbour import FittedNeighbour, Neighbour
from riskkit.core import Brief, FittedAttack, Floats, Table
from riskkit.jobs.pool import Progress
from riskkit.judging.judge import MISSED, NO_CONTROL
from riskkit.judging.measurement import Judgement, Verdict
from riskkit.questions.membership import words
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import Headline, MembershipResult, PlantedControl, headline
from tests.judged import judgement_of
from tests.oracles import ExactMatch, standard_error
from tests.tables import mixed

NULL = MembershipPlan(
    generators=("independent",),
    targets=("selective",),
    attacks=("neighbour:own=2",),
    trainings=300,
    generations=1,
    n_syn=60,
    seed=5,
)
"""A method that ignores the data: there is no leak to be found."""


@dataclass(frozen=True)
class Reversed(Neighbour):
    """Says "in" where it should say "out"."""

    name: ClassVar[str] = "reversed"

    def fit(self, brief: Brief, rng: np.random.Generator) -> Any:
        return _Turned(super().fit(brief, rng))


@dataclass(frozen=True)
class _Turned:
    right: FittedNeighbour

    def score(self, release: Table) -> Floats:
        return -self.right.score(release)


@dataclass(frozen=True)
class Constant(Neighbour):
    """Answers without looking."""

    name: ClassVar[str] = "constant"

    def fit(self, brief: Brief, rng: np.random.Generator) -> Any:
        return _Guess(None)


@dataclass(frozen=True)
class Blind(Neighbour):
    """Varies, but with nothing that has to do with the target."""

    name: ClassVar[str] = "blind"

    def fit(self, brief: Brief, rng: np.random.Generator) -> Any:
        return _Guess(0)


@dataclass(frozen=True)
class _Guess:
    column: int | None

    def score(self, release: Table) -> Floats:
        return np.array([1.0 if self.column is None else np.nanmean(release.numbers[::7, self.column])])


@dataclass(frozen=True)
class Hungry(Neighbour):
    """Averages more rows than the planted leak releases."""

    name: ClassVar[str] = "hungry"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:  # type: ignore[override]
        return Neighbour(m=90, own=self.own).fit(brief, rng)


@pytest.fixture(autouse=True)
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken attacks, and the exact one, stand beside the real ones."""
    real = registry.plugins
    extra: Mapping[str, Any] = {plugin.name: plugin for plugin in (Reversed, Constant, Blind, Hungry, ExactMatch)}
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), **(extra if room == "attacks" else {})})


LIMIT = 0.6


def judged(result: MembershipResult, limit: float | None = LIMIT) -> Judgement:
    """The judgement on a result as it is kept and read back."""
    return judgement_of(result.plain(), result.plan, limit)


def strongest(result: MembershipResult) -> Headline:
    """The headline of a result as it is kept and read back."""
    read = MembershipResult.from_plain(json.loads(json.dumps(result.plain())))
    strongest_auc = headline(read.outcomes, read.control)
    assert strongest_auc is not None
    return strongest_auc


@pytest.mark.parametrize(
    ("attack", "mechanism", "truth"),
    [
        ("exact_match", "bootstrap", 1 - (1 - 1 / 100) ** 100 / 2),
        ("neighbour:own=2,m=1", "bootstrap", 1 - (1 - 1 / 100) ** 100 / 2),
        ("mvl:variant=syn,own=3", "identity", 1.0),
    ],
)
def test_an_exact_attack_finds_what_was_planted_to_within_three_standard_errors(
    attack: str, mechanism: str, truth: float
) -> None:
    """The fault planted: an answer of half the strength must lie outside what is accepted."""
    (control,) = run_membership(mixed(100), replace(NULL, attacks=(attack,), trainings=400)).control
    assert control.labels["generator"] == mechanism
    assert control.best_auc == pytest.approx(truth, abs=1e-12)
    assert control.auc is not None
    assert abs(control.auc.value - truth) <= 3 * standard_error(truth, 200, 200) + 1e-12
    assert control.is_found
    assert control.auc.n == 400
    half = 0.5 + (truth - 0.5) / 2
    assert abs(control.auc.value - half) > 3 * standard_error(half, 200, 200)


@pytest.mark.parametrize("attack", ["mvl", "mvl:lam=0.0", "mvl:scale=standard", "mvl:tune=True,own=3"])
def test_moments_tell_at_least_the_table_with_the_target_from_all_else(attack: str) -> None:
    """Between p + (1 - p)² / 2, the world with the target alone being known, and the best, 1 - (1 - p)² / 2."""
    (control,) = run_membership(mixed(100), replace(NULL, attacks=(attack,), trainings=400)).control
    assert control.labels["generator"] == "leaky:p=0.8"
    assert control.best_auc == pytest.approx(0.98, abs=1e-12)
    assert control.auc is not None
    assert control.auc.value >= 0.82 - 3 * standard_error(0.82, 200, 200)
    assert control.auc.value <= 0.98 + 3 * standard_error(0.98, 200, 200)
    assert control.is_found


def test_a_group_of_targets_is_planted_as_one() -> None:
    plan = replace(NULL, attacks=("neighbour:own=2",), k=4, together=True)
    (control,) = run_membership(mixed(60), plan).control
    assert control.best_auc == pytest.approx(1 - (1 - 4 / 60) ** 60 / 2)
    assert control.labels["record"].count("+") == 3


def test_the_planted_leak_moves_no_other_number() -> None:
    plan = replace(NULL, generators=("bootstrap", "histogram"), attacks=("mvl", "neighbour:own=2"), trainings=12)
    with_it, without = run_membership(mixed(60), plan), run_membership(mixed(60), replace(plan, control=False))
    assert [e.as_dict() for e in with_it.estimates] == [e.as_dict() for e in without.estimates]
    assert with_it.notes == without.notes
    assert len(with_it.control) == 2
    assert without.control == ()
    own = next(e for e in with_it.estimates if e.labels["generator"] == "bootstrap" and e.name == "auc")
    assert all(own != control.auc for control in with_it.control), "its random numbers are its own"


def test_no_leak_is_said_only_where_the_planted_one_was_found() -> None:
    result = run_membership(mixed(60), NULL)
    assert judged(result).verdict is Verdict.WITHIN
    assert strongest(result).missed == 0
    assert judged(result, None).verdict is Verdict.UNDECIDED, "without a limit no absence is shown"
    assert judged(result, 0.501).code == "interval_holds_limit"
    bare = run_membership(mixed(60), replace(NULL, control=False))
    assert (judged(bare).verdict, judged(bare).code) == (Verdict.UNDECIDED, "no_control")
    assert strongest(bare).missed is None
    assert judged(bare).why.startswith(NO_CONTROL)


@pytest.mark.parametrize("attack", ["reversed:own=2", "blind:own=2"])
def test_a_broken_attack_is_not_found_to_work_and_its_silence_counts_for_nothing(attack: str) -> None:
    """The faults planted: without the control, each of these would have been "within the limit"."""
    result = run_membership(mixed(60), replace(NULL, attacks=(attack,)))
    (control,) = result.control
    assert not control.is_found
    best, judgement = strongest(result), judged(result)
    assert best.high < LIMIT, "its interval alone would allow the claim"
    assert (judgement.verdict, judgement.code, best.missed) == (Verdict.UNDECIDED, "control_missed", 1)
    assert judgement.why.startswith(MISSED)
    (line,) = words.controls(result.control)
    assert line.startswith(f"Planted leak not found by {registry.spell(registry.parse('attacks', attack))} on record")
    assert line.endswith(words.ABSENCE)


def test_one_broken_attack_among_good_ones_takes_the_claim_back() -> None:
    result = run_membership(mixed(60), replace(NULL, attacks=("neighbour:own=2", "blind:own=2"), trainings=500))
    assert [control.is_found for control in result.control] == [True, False]
    judgement = judged(result)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "control_missed")


def test_an_attack_that_always_answers_the_same_finds_nothing() -> None:
    result = run_membership(mixed(60), replace(NULL, attacks=("neighbour:own=2", "constant:own=2")))
    good, constant = result.control
    assert good.is_found
    assert constant.auc is None
    assert not constant.is_found
    assert "same score" in constant.notes[0]
    judgement = judged(result)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "silent")
    assert "same score" in words.controls(result.control)[1]


def test_a_plant_that_cannot_be_played_is_not_found_and_the_audit_goes_on() -> None:
    reports: list[Progress] = []
    plan = replace(NULL, attacks=("neighbour:own=2", "hungry:own=2"), trainings=12, n_syn=120)
    result = run_membership(mixed(60), plan, progress=reports.append)
    assert {e.labels["attack"] for e in result.estimates} == set(plan.attacks)
    assert all(control.auc is None and "90 nearest rows" in control.notes[0] for control in result.control)
    assert reports[-1].done == reports[-1].total == plan.total_units()


def test_a_leak_is_a_leak_whatever_became_of_the_planted_one() -> None:
    plan = replace(NULL, generators=("identity",), attacks=("neighbour:own=2",), trainings=60)
    result = run_membership(mixed(60), plan)
    missed = replace(result, control=(PlantedControl(result.control[0].labels, 0.8, None, ("Not run.",)),))
    assert judged(result, None).verdict is judged(missed, None).verdict is Verdict.LEAK
    assert judged(result).verdict is judged(missed).verdict is Verdict.ABOVE


def test_too_few_trainings_find_nothing_and_say_so() -> None:
    (control,) = run_membership(mixed(60), replace(NULL, trainings=8)).control
    assert control.auc is None
    assert "training" in control.notes[0]


def test_several_records_are_counted_in_one_line() -> None:
    plan = replace(NULL, attacks=("neighbour:own=2", "blind:own=2"), k=3, trainings=60)
    good, blind = words.controls(run_membership(mixed(60), plan).control)
    assert good == "Planted leak found by neighbour:own=2 on 3 of 3 records."
    assert blind.startswith("Planted leak found by blind:own=2 on 0 of 3 records. On the others it can show")
