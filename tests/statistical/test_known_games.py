"""Whole games whose outcome is known in closed form, played through the public way in: plan, run, estimates.

KA1, KA2, KA9 and KA10 are the names of these known answers in the project's statistics plan.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import Brief, Column, Estimate, FittedAttack, Floats, Kind, Knowledge, Schema, Table
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult, headline
from riskkit.stats.epsilon import epsilon_ceiling
from tests.judged import word
from tests.oracles import Bootstrap, ExactMatch, Identity, Independent, stand_beside, standard_error
from tests.tables import mixed


@dataclass(frozen=True)
class CategoryPresent:
    """Says "in" where the release shows the target's level of the first categorical column."""

    name: ClassVar[str] = "category_present"
    title: ClassVar[str] = "Category present"
    card: ClassVar[str] = "Looks for one level."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        level = int(brief.targets.codes[0, 0])

        class Fitted:
            def score(self, release: Table) -> Floats:
                return np.array([1.0 if (release.codes[:, 0] == level).any() else -1.0])

        return Fitted()


EXTRA: dict[str, dict[str, Any]] = {
    "generators": {plugin.name: plugin for plugin in (Identity, Bootstrap, Independent)},
    "attacks": {plugin.name: plugin for plugin in (ExactMatch, CategoryPresent)},
    "targets": {},
}


@pytest.fixture(autouse=True)
def oracles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calibration generators and attacks stand beside the real plug-ins."""
    stand_beside(monkeypatch, EXTRA)


def play(table: Table, generator: str, attack: str, target: str = "listed:rows=0", **design: int) -> MembershipResult:
    plan = MembershipPlan(
        generators=(generator,),
        targets=(target,),
        attacks=(attack,),
        control=False,
        **{"trainings": 100, "generations": 1, "n_syn": len(table), **design},  # type: ignore[arg-type]
    )
    return run_membership(table, plan)


def estimate(result: MembershipResult, name: str) -> Estimate:
    (only,) = [estimate for estimate in result.estimates if estimate.name == name]
    return only


def test_ka1_the_table_itself_is_found_and_never_with_certainty() -> None:
    result = play(mixed(200), "identity", "exact_match")
    auc, accuracy = estimate(result, "auc"), estimate(result, "accuracy")
    assert auc.value == 1.0
    assert auc.low == pytest.approx(0.960, abs=5e-4)
    assert auc.n == 100
    assert accuracy.value == 1.0
    assert accuracy.low < 1.0
    epsilon = estimate(result, "epsilon_lower")
    assert epsilon.value == pytest.approx(2.57, abs=5e-3)
    assert epsilon.value == pytest.approx(epsilon_ceiling(50, 50), abs=1e-12)


def test_ka2_a_bootstrap_of_the_table_is_not_always_found() -> None:
    table = mixed(200)
    truth = 1 - 0.5 * (1 - 1 / 200) ** 200
    assert truth == pytest.approx(0.8165, abs=1e-4)
    auc = estimate(play(table, "bootstrap", "exact_match", trainings=2000), "auc")
    assert abs(auc.value - truth) <= 4 * standard_error(truth, 1000, 1000)
    assert auc.value < 1


def unique_category(n: int = 200) -> Table:
    """A table whose row 0 alone holds the level "rare"."""
    rng = np.random.default_rng(5)
    schema = Schema(
        (
            Column("where", Kind.CATEGORICAL, levels=("common", "other", "rare")),
            Column("x", Kind.NUMERIC, low=0.0, high=100000.0, mean=50000.0, sd=30000.0),
        )
    )
    where = rng.integers(0, 2, (n, 1))
    where[0] = 2
    return Table(schema, where, rng.integers(0, 100001, (n, 1)))


def test_ka9_independent_marginals_still_give_a_unique_category_away() -> None:
    table = unique_category()
    truth = 1 - 0.5 * (1 - 1 / 200) ** 200
    auc = estimate(play(table, "histogram", "category_present", trainings=2000), "auc")
    assert abs(auc.value - truth) <= 4 * standard_error(truth, 1000, 1000)


def test_ka9_without_the_unique_category_independent_marginals_are_at_chance() -> None:
    """The fault planted: were the null band so wide that .816 fits, KA9 would show nothing."""
    table = unique_category()
    common = int(np.flatnonzero(table.codes[:, 0] == 0)[0])
    result = play(table, "histogram", "neighbour:own=2", target=f"listed:rows={common}", trainings=400)
    auc = estimate(result, "auc")
    assert abs(auc.value - 0.5) <= 4 * standard_error(0.5, 200, 200)
    assert not auc.low <= 0.816 <= auc.high


@pytest.mark.parametrize("seeds", [150, pytest.param(400, marks=pytest.mark.slow)])
def test_ka10_a_generator_that_ignores_the_data_is_at_chance(seeds: int) -> None:
    """Mean AUC over so many seeds of 100 games within four standard errors of .5: of 400 they are .0116."""
    table = mixed(40)
    values, near = [], 4 * 0.058 / np.sqrt(seeds)
    for seed in range(seeds):
        result = play(table, "independent", "neighbour:own=1,m=1", n_syn=10, seed=seed)
        values.append(estimate(result, "auc").value)
    assert abs(np.mean(values) - 0.5) <= near
    assert np.std(values) == pytest.approx(0.058, abs=0.01)
    swapped_half = [max(value, 1 - value) for value in values]
    assert np.mean(swapped_half) - 0.5 > near, "the twin that turns scores round to its favour must be caught"


def test_the_intervals_of_the_null_cover_one_half_at_their_level() -> None:
    """95 % intervals of 200 null games hold .5 in at least 181 of them (four standard errors below 190)."""
    table = mixed(40)
    covered = dict.fromkeys(("auc", "accuracy"), 0)
    for seed in range(200):
        plan = {"trainings": 20, "generations": 3, "n_syn": 10, "seed": seed}
        result = play(table, "independent", "neighbour:own=1,m=1", **plan)
        for name in covered:
            estimated = estimate(result, name)
            covered[name] += estimated.low <= 0.5 <= estimated.high
    assert min(covered.values()) >= 181
    assert max(covered.values()) < 200, "an interval that always holds .5 says nothing"


def test_a_fixed_fit_with_many_generations_does_not_pass_for_many_trainings() -> None:
    """Trials of one training repeat one another here: N stays the number of trainings, and so does the width."""

    @dataclass(frozen=True)
    class OneRow(Bootstrap):
        name: ClassVar[str] = "one_row"

        def fit(self, table: Table, rng: np.random.Generator) -> Any:
            return Identity().fit(table.rows(rng.integers(len(table), size=1)), rng)

    EXTRA["generators"]["one_row"] = OneRow
    try:
        wide = estimate(play(mixed(40), "one_row", "neighbour:own=1,m=1", trainings=20, generations=1), "auc")
        same = estimate(play(mixed(40), "one_row", "neighbour:own=1,m=1", trainings=20, generations=30), "auc")
    finally:
        del EXTRA["generators"]["one_row"]
    assert (wide.n, same.n) == (20, 20)
    assert same.high - same.low == pytest.approx(wide.high - wide.low, rel=0.35)


@dataclass(frozen=True)
class Moved:
    """The table itself, every number moved by the same step."""

    name: ClassVar[str] = "moved"
    title: ClassVar[str] = "Moved"
    card: ClassVar[str] = "Moves every number."

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        moved = Table(table.schema, table.codes, table.numbers + STEP)
        return Identity().fit(moved, rng)


@dataclass(frozen=True)
class Undoing(ExactMatch):
    """Looks for the target's record where the step would have put it."""

    name: ClassVar[str] = "undoing"

    def fit(self, brief: Brief, rng: np.random.Generator) -> Any:
        moved = Table(brief.targets.schema, brief.targets.codes, brief.targets.numbers + STEP)
        return super().fit(Brief(moved), rng)


STEP = 0.5


def test_ka11_a_copy_that_was_moved_hides_from_who_looks_for_the_row_itself() -> None:
    """An attack that gives one answer to everything is no reason to say that there is no leak."""
    EXTRA["generators"]["moved"], EXTRA["attacks"]["undoing"] = Moved, Undoing
    plan = MembershipPlan(
        ("moved",), ("listed:rows=0",), ("exact_match", "undoing"), trainings=20, generations=1, n_syn=200
    )
    result = run_membership(mixed(200, missing=False), plan)
    assert word(result.plain(), plan) == "leak shown"
    blind, undoing = result.outcomes
    assert "auc" not in blind.estimates
    assert undoing.estimates["auc"].value == 1.0
    planted = result.control
    assert headline([blind], planted) is None
    both = headline([blind, undoing], planted)
    assert both is not None
    assert both.auc.low > 0.5
