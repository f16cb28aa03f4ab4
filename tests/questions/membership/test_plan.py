"""A plan says everything the numbers depend on, refuses what cannot be played, and knows its cost."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.attacks._learned import Forest, LinearScore
from riskkit.attacks.groundhog import FittedGroundhog, Groundhog
from riskkit.attacks.mvl import Mvl
from riskkit.core import Brief
from riskkit.errors import DesignError, ParameterError
from riskkit.questions import forecasts
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import forecast
from riskkit.stats.power import detectable_auc
from tests.tables import mixed


def test_plug_ins_are_spelled_one_way() -> None:
    plan = MembershipPlan(generators=("stat:post=round+clip",), attacks=("mvl:lam=0.5", "mvl", "mvl:lam=0.25"))
    assert plan.generators == ("stat",)
    assert plan.attacks == ("mvl", "mvl:lam=0.25")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"trainings": 1}, "at least 2"),
        ({"worlds": "resampled"}, "knows every other row"),
        ({"worlds": "equal", "knowledge": "auxiliary"}, "Nobody has other people of a data set that was made"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(wrong: dict[str, object], says: str) -> None:
    with pytest.raises((DesignError, ParameterError), match=says):
        MembershipPlan(**wrong)  # type: ignore[arg-type]


def test_trainings_are_counted_with_the_shadows_all_attacks_share() -> None:
    attacks = ("mvl", "neighbour:own=7")
    plan = MembershipPlan(("stat", "bayesnet"), ("random",), attacks, k=3, trainings=10, control=False)
    assert plan.shadows() == 7
    assert len(plan.cells()) == 6
    assert plan.total_trainings() == 6 * (10 + 2 * 7)
    assert plan.total_units() == plan.total_trainings() + 6 * 2
    together = MembershipPlan(targets=("random",), k=3, together=True, attacks=("mvl",), trainings=10)
    assert together.total_trainings() == 10 + 10
    assert replace(together, control=False).total_trainings() == 10


def test_planted_leaks_are_played_once_a_record_and_mechanism_with_the_attacks_that_name_it() -> None:
    attacks = ("mvl", "neighbour:own=7", "mvl:lam=0.1")
    plan = MembershipPlan(("stat", "bayesnet"), ("random", "selective"), attacks, k=3, trainings=10)
    played = [(cell.generator, cell.target, cell.position, part.attacks) for cell, part in plan.planted_games()]
    assert played == [
        (kind, target, position, own)
        for target in plan.targets
        for position in range(3)
        for kind, own in (("leaky:p=0.8", ("mvl", "mvl:lam=0.1")), ("bootstrap", ("neighbour:own=7",)))
    ]
    assert plan.total_trainings() - replace(plan, control=False).total_trainings() == 6 * (10 + 10 + 2 * 7)
    assert plan.total_units() == plan.total_trainings() + 12 * 3 + 6 * 3, "each attack is fitted in each game"


def test_a_forecast_comes_from_a_timed_pilot_and_says_what_can_be_detected() -> None:
    table = mixed(200)
    few = MembershipPlan(generators=("histogram",), trainings=20, n_syn=50)
    many = MembershipPlan(generators=("histogram",), trainings=200, n_syn=50)
    first, second = forecast(table, few), forecast(table, many)
    assert first.numbers["trainings"] == 40 + 20 + 40, (
        "the audit's own, those of MVL's plant and those of the neighbours'"
    )
    assert first.seconds > 0
    assert second.numbers["detectable_auc"] < first.numbers["detectable_auc"]
    alone = detectable_auc(20, trials=few.generations)
    assert first.numbers["detectable_auc"] == detectable_auc(20, looks=few.looks(), trials=few.generations) > alone
    assert few.looks() == len(few.attacks) * len(few.cells()) > 1
    assert forecast(table, replace(few, trainings=10)).numbers["detectable_auc"] is None, "so few find nothing for sure"


def test_attacks_that_learn_are_timed_on_own_releases_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted: of one release many times over every figure is constant, and there is nothing to learn."""
    seen: list[Brief] = []
    fit = Groundhog.fit

    def spied(self: Groundhog, brief: Brief, rng: np.random.Generator) -> FittedGroundhog:
        seen.append(brief)
        return fit(self, brief, rng)

    monkeypatch.setattr(Groundhog, "fit", spied)
    plan = MembershipPlan(generators=("histogram",), attacks=("groundhog:own=8",), n_syn=50, control=False)
    forecast(mixed(200), plan)
    _, brief = seen  # the first is to load what is loaded once
    assert (len(brief.shadows_in), len(brief.shadows_out)) == (8, 8)
    assert len({table.keys().tobytes() for table in (*brief.shadows_in, *brief.shadows_out)}) == 16
    learnt = Groundhog(own=8).fit(brief, np.random.default_rng(0))
    assert isinstance(learnt.judge, Forest)
    alike = replace(brief, shadows_in=[brief.shadows_in[0]] * 8, shadows_out=[brief.shadows_in[0]] * 8)
    assert isinstance(Groundhog(own=8).fit(alike, np.random.default_rng(0)).judge, LinearScore)


def test_more_workers_do_not_shorten_what_one_of_them_does_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock takes a second here: one for what comes first, and for fit, sample, attack and look."""
    monkeypatch.setattr("riskkit.questions.membership.play.time.perf_counter", itertools.count().__next__)
    plan = MembershipPlan(generators=("histogram",), attacks=("mvl",), trainings=10, generations=2, control=False)
    first, two = (forecast(mixed(100), plan, workers=workers) for workers in (1, 2))
    assert first.seconds == 1 + 10 * (1 + 2 * (1 + 1)) + 1
    assert two.seconds == 1 + 10 * (1 + 2 * (1 + 1)) / 2 + 1
    each = [made.numbers["seconds_per_training"] for made in (first, two)]
    assert each == [(first.seconds - 1) / 10] * 2


def test_what_is_loaded_once_counts_once_however_many_games_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the first fit of an attack takes 60 seconds, each later one none. It was taken for every one."""
    loaded: list[bool] = []
    clock, fit = itertools.count(0), Mvl.fit

    def slow(self: Mvl, brief: Brief, rng: np.random.Generator) -> Any:
        if not loaded:
            loaded.append(True)
            for _ in range(60):
                next(clock)
        return fit(self, brief, rng)

    monkeypatch.setattr(Mvl, "fit", slow)
    monkeypatch.setattr("riskkit.questions.membership.play.time.perf_counter", clock.__next__)
    plan = MembershipPlan(
        generators=("histogram",),
        attacks=("mvl",),
        trainings=10,
        generations=1,
        k=8,
        control=False,
    )
    assert forecast(mixed(100), plan).seconds == 61 + 8 * (10 * 3 + 1)


def test_a_run_takes_its_process_and_those_of_its_workers() -> None:
    assert 0 < forecasts.start_seconds(1) <= forecasts.LONGEST
    assert forecasts.start_seconds(2) == forecasts.start_seconds(7) == 2 * forecasts.start_seconds(1)


def test_a_forecast_of_what_cannot_be_played_ends_with_the_sentence_of_the_run() -> None:
    with pytest.raises(DesignError, match="rows"):
        forecast(mixed(100), MembershipPlan(generators=("histogram",), targets=("listed:rows=500",)))


def test_a_list_of_rows_says_itself_how_many_targets_there_are() -> None:
    plan = MembershipPlan(targets=("listed:rows=3+17+40", "random"), attacks=("mvl",), trainings=10)
    assert [cell.target for cell in plan.cells()] == ["listed:rows=3+17+40"] * 3 + ["random"]
    chosen = plan.choose(mixed(60), "listed:rows=3+17+40")
    assert chosen.index.tolist() == [3, 17, 40]


def test_an_attack_on_the_model_is_asked_of_one_release() -> None:
    plan = MembershipPlan(generators=("mst",), targets=("random",), attacks=("f_error",), trainings=20)
    assert plan.releases == 1
    with pytest.raises(DesignError, match="'f_error' reads the one model behind one release"):
        replace(plan, releases=3)
