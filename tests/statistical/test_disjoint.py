"""NEG2 and NEG3: attacks that learn, place a cut and choose a setting, where there is nothing to be found.

Rule 3 of the statistics plan: orientation, cut and choices are fixed on trainings disjoint from those that count. Each
test has a twin that breaks the rule and must be seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.attacks.groundhog import Groundhog
from riskkit.core import Brief, Column, FittedAttack, Floats, Kind, Knowledge, Schema, Table
from riskkit.games.crowd import FixedWorlds
from riskkit.games.membership import Game
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult
from riskkit.stats import auc
from tests.oracles import Bootstrap, stand_beside
from tests.stats import make
from tests.tables import mixed

LEARNING = (
    "mvl:tune=True,own=5",
    "neighbour:m=1,own=5",
    "groundhog:model=logistic,own=5",
    "queries:own=5",
)
"""Attacks with something to fix beforehand: a λ, a cut, a model."""


def aucs(result: MembershipResult) -> dict[str, float]:
    return {e.labels["attack"]: e.value for e in result.estimates if e.name == "auc"}


# --- NEG2: labels that mean nothing ---------------------------------------------------------------------------------


@pytest.fixture
def shuffled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every training, counted or the attacker's own, is of a world that a coin picks and not its label."""
    draw = FixedWorlds.draw
    monkeypatch.setattr(FixedWorlds, "draw", lambda self, is_in, rng: draw(self, bool(rng.integers(2)), rng))
    stand_beside(monkeypatch, {"generators": {"bootstrap": Bootstrap}, "attacks": {}, "targets": {}})


def permuted(seed: int, trainings: int, attacks: tuple[str, ...] = LEARNING) -> dict[str, float]:
    """What attacks make of releases of a bootstrap, which leaks, under labels that were dealt anew."""
    plan = MembershipPlan(
        ("bootstrap",),
        ("listed:rows=3",),
        attacks,
        trainings=trainings,
        generations=1,
        n_syn=30,
        seed=seed,
        control=False,
    )
    return aucs(run_membership(mixed(30), plan))


def means(permutations: int, trainings: int, attacks: tuple[str, ...] = LEARNING) -> dict[str, float]:
    averages = [permuted(seed, trainings, attacks) for seed in range(permutations)]
    return {attack: float(np.mean([average[attack] for average in averages])) for attack in attacks}


def band(permutations: int, trainings: int) -> float:
    """Four standard errors of the mean AUC of as many games of nothing."""
    side = trainings // 2
    return float(4 * np.sqrt((2 * side + 1) / (12 * side * side) / permutations))


def test_permuted_trainings_average_one_half(shuffled: None) -> None:
    averages = means(40, 20)
    assert all(abs(value - 0.5) <= band(40, 20) for value in averages.values()), averages


@pytest.mark.slow
def test_400_permutations_of_100_trainings_average_one_half(shuffled: None) -> None:
    assert band(400, 100) == pytest.approx(0.0116, abs=1e-4)
    averages = means(400, 100)
    assert all(abs(value - 0.5) <= 0.0116 for value in averages.values()), averages


def test_the_labels_mean_something_where_they_are_left_alone() -> None:
    assert permuted(1, 100, ("neighbour:m=1,own=5",))["neighbour:m=1,own=5"] > 0.65


def test_an_attack_that_learns_from_counted_trainings_is_caught(
    shuffled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault planted (M2): own releases are drawn from the streams of the counted trainings."""

    def same(self: Game, each: Sequence[tuple[int, bool, Knowledge]]) -> list[Table]:
        releases = []
        for number, is_in, _ in each:
            counted = np.flatnonzero(self.coin() == is_in)[number]
            rng = self.rng("trial", int(counted))
            releases.append(self.generator.fit(self.worlds.draw(is_in, rng), rng).sample(self.design.n_syn, rng))
        return releases

    monkeypatch.setattr(Game, "shadows", same)
    learnt = tuple(attack.replace("own=5", "own=10") for attack in LEARNING if "model" in attack or "queries" in attack)
    averages = means(10, 20, learnt)
    assert all(value > 0.5 + band(10, 20) for value in averages.values()), averages


# --- NEG3: releases that look like their training -------------------------------------------------------------------

COLUMNS, N_SYN, WITHIN, BETWEEN = 8, 20, 10.0, np.sqrt(20.0)
"""The mean of a column has a variance of 5 within a training and of 20 between: an intraclass correlation of .8."""
NUMBERS = Schema(
    tuple(Column(f"x{i}", Kind.NUMERIC, low=-1e3, high=1e3, mean=0.0, sd=WITHIN, decimals=6) for i in range(COLUMNS))
)


def normal(rng: np.random.Generator, n: int, middle: Floats | float = 0.0) -> Table:
    return Table(NUMBERS, np.empty((n, 0), dtype=np.int32), middle + WITHIN * rng.standard_normal((n, COLUMNS)))


@dataclass(frozen=True)
class Moody:
    """Knows nothing of the table; every training has a mood of its own that all its releases share."""

    name: ClassVar[str] = "moody"
    title: ClassVar[str] = "Moody"
    card: ClassVar[str] = "Draws."

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        mood = BETWEEN * rng.standard_normal(COLUMNS)

        class Fitted:
            def sample(self, n: int, rng: np.random.Generator) -> Table:
                return normal(rng, n, mood)

        return Fitted()


def test_releases_that_resemble_one_another_teach_nothing_about_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 trainings of 5 generations: the AUC of each attack within four standard errors of 100 trainings."""
    stand_beside(monkeypatch, {"generators": {"moody": Moody}, "attacks": {}, "targets": {}})
    attacks = ("groundhog:model=forest", "groundhog:model=logistic", "groundhog:model=k-nn", "queries")
    plan = MembershipPlan(
        ("moody",), ("listed:rows=3",), attacks, trainings=100, generations=5, n_syn=N_SYN, control=False
    )
    result = run_membership(normal(np.random.default_rng(1), 40), plan)
    for attack, value in aucs(result).items():
        assert abs(value - 0.5) <= band(1, 100), attack
    scores = next(f.scores for f in result.findings if f.labels["attack"] == "groundhog:model=logistic")
    own = scores.value.reshape(100, 5)
    assert own.mean(axis=1).var() > own.var(axis=1).mean(), "the releases of a training do resemble one another"


@pytest.mark.parametrize("model", ["forest", "k-nn"])
def test_a_split_by_generation_is_caught(model: str) -> None:
    """The fault planted (M3): 10 trainings of 10 generations, of which the attack learns from half of each."""
    rng = np.random.default_rng(2)
    table = normal(rng, 40)
    sides = [[Moody().fit(table, rng) for _ in range(5)] for _ in range(2)]
    learnt, judged = ([[fit.sample(N_SYN, rng) for fit in side for _ in range(5)] for side in sides] for _ in range(2))
    knowledge = Brief(table.rows([3]), data=table.without(3), shadows_in=learnt[0], shadows_out=learnt[1])
    fitted: FittedAttack = Groundhog(model=model, own=25).fit(knowledge, rng)
    scored = [np.array([fitted.score(release)[0] for release in side]) for side in judged]
    assert auc(make.scores(*scored, generations=5)).value > 0.9
