"""The game's two sources of worlds against closed forms, and the cap of a differentially private method.

A1.1 and A1.5 are the names of these known answers in the project's notes on methods.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.special import ndtr

from riskkit.core import Brief, Column, Estimate, FittedAttack, Floats, Kind, Knowledge, Schema, Table
from riskkit.generators import privbayes
from riskkit.generators.gaussian_mean import GaussianMean
from riskkit.generators.privbayes import PrivBayes
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.stats.privacy import auc_cap
from tests.oracles import Bootstrap, ExactMatch, Mean, stand_beside, standard_error

N = 100


@dataclass(frozen=True)
class SameRows:
    """The share of released rows that equal the target: the optimal attack where rows are one categorical column."""

    name: ClassVar[str] = "same_rows"
    title: ClassVar[str] = "Same rows"
    card: ClassVar[str] = "Counts rows."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        wanted = brief.targets.codes[0]

        class Fitted:
            def score(self, release: Table) -> Floats:
                return np.array([float((release.codes == wanted).all(axis=1).mean())])

        return Fitted()


EXTRA: dict[str, dict[str, Any]] = {
    "generators": {"bootstrap": Bootstrap, "gaussian_mean": GaussianMean},
    "attacks": {plugin.name: plugin for plugin in (Mean, SameRows, ExactMatch)},
    "targets": {},
}


@pytest.fixture(autouse=True)
def oracles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attacks that are optimal here stand beside the real plug-ins."""
    stand_beside(monkeypatch, EXTRA)


def auc(table: Table, asked: MembershipPlan) -> Estimate:
    (only,) = [estimate for estimate in run_membership(table, asked).estimates if estimate.name == "auc"]
    return only


def numbers(n: int, spread: float) -> Table:
    """Row 0 at the top of the domain, all others normal around its middle with that spread, in widths."""
    values = np.random.default_rng(3).normal(0.5, spread, n)
    values[0] = 1.0
    column = Column("x", Kind.NUMERIC, low=0.0, high=1e6, mean=5e5, sd=spread * 1e6)
    return Table(Schema((column,)), np.empty((n, 0), dtype=np.int32), np.round(values * 1e6).clip(0, 1e6)[:, None])


def plan(generator: str, attack: str, **more: Any) -> MembershipPlan:
    """1,000 trainings of worlds of 100 rows against row 0."""
    usual = {"trainings": 1000, "generations": 1, "n_syn": N, "rows": N, "control": False}
    return MembershipPlan((generator,), ("listed:rows=0",), (attack,), **{**usual, **more})


@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
def test_a_noisy_mean_hides_more_where_worlds_are_drawn_anew(worlds: str) -> None:
    """A1.1: Phi(gap / sqrt(2) sigma) in fixed worlds; in resampled ones the spread of the worlds adds to the noise."""
    table = numbers(20 * N, 0.05)
    others = table.numbers[1:, 0] / 1e6
    sigma, gap = 0.004, (1.0 - others.mean()) / N
    of_worlds = 0.0 if worlds == "fixed" else others.var() / N
    truth = float(ndtr(gap / np.sqrt(2 * (sigma**2 + of_worlds))))
    estimate = auc(table, plan(f"gaussian_mean:sigma={sigma}", "mean", worlds=worlds))
    assert abs(estimate.value - truth) <= 4 * standard_error(truth, 500, 500)
    other = float(ndtr(gap / np.sqrt(2 * (sigma**2 + (others.var() / N if worlds == "fixed" else 0.0)))))
    assert abs(estimate.value - other) > 4 * standard_error(other, 500, 500), (
        "the other source of worlds must be told apart"
    )


@pytest.mark.parametrize("relation", ["add-one", "replace-one"])
@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
def test_a_bootstrap_is_found_as_often_in_every_kind_of_world(worlds: str, relation: str) -> None:
    """KA2 does not ask who else is in: 1 - (1 - 1/n)^m / 2, for n the rows of a world."""
    values = np.arange(400, dtype=float)
    schema = Schema((Column("x", Kind.NUMERIC, low=0.0, high=399.0, mean=200.0, sd=115.0),))
    table = Table(schema, np.empty((400, 0), dtype=np.int32), values[:, None])
    truth = 1 - 0.5 * (1 - 1 / N) ** N
    estimate = auc(table, plan("bootstrap", "exact_match", worlds=worlds, relation=relation))
    assert abs(estimate.value - truth) <= 4 * standard_error(truth, 500, 500)


def test_a_row_count_tells_nothing_in_any_world() -> None:
    """NEG4: the size of a release is public, so one who only counts rows gives one and the same answer."""

    @dataclass(frozen=True)
    class Rows(Mean):
        name: ClassVar[str] = "rows"

        def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
            class Fitted:
                def score(self, release: Table) -> Floats:
                    return np.array([float(len(release))])

            return Fitted()

    EXTRA["attacks"]["rows"] = Rows
    try:
        for worlds in ("fixed", "resampled"):
            asked = plan("bootstrap", "rows", trainings=20, worlds=worlds)
            result = run_membership(numbers(20 * N, 0.05), asked)
            assert "auc" not in {estimate.name for estimate in result.estimates}
            assert any("same score" in note for note in result.notes)
    finally:
        del EXTRA["attacks"]["rows"]


def unusual() -> Table:
    """Two columns of 2 levels; row 0 alone has the second level of both."""
    codes = np.zeros((60, 2), dtype=np.int32)
    codes[1:20, 0], codes[20:40, 1] = 1, 1
    codes[0] = 1
    schema = Schema(tuple(Column(name, Kind.CATEGORICAL, levels=("no", "yes")) for name in ("a", "b")))
    return Table(schema, codes, np.empty((60, 0)))


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
def test_no_attack_on_privbayes_is_better_than_its_epsilon_allows(worlds: str, epsilon: float) -> None:
    """A1.5: AUC at most e^eps / (1 + e^eps) and three standard errors, where a row is replaced by another."""
    assert over_the_cap(worlds, epsilon) <= 0


@pytest.mark.parametrize("worlds", ["fixed", "resampled"])
def test_a_broken_noise_scale_is_caught(worlds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted: noise that was meant for shares, put on counts, which are n times as sensitive."""
    right = privbayes.laplace_scale
    monkeypatch.setattr(privbayes, "laplace_scale", lambda epsilon, tables: right(epsilon, tables) / 60)
    assert over_the_cap(worlds, 1.0) > 0


def over_the_cap(worlds: str, epsilon: float) -> float:
    """How far the AUC of the optimal attack is above the most that epsilon allows, three standard errors on top."""
    assert PrivBayes.guarantee == "replace-one"
    asked = plan(
        f"privbayes:epsilon={epsilon},degree=1",
        "same_rows",
        trainings=400,
        n_syn=2000,
        worlds=worlds,
        relation="replace-one",
        rows=30,
    )
    cap = auc_cap(epsilon)
    return auc(unusual(), asked).value - cap - 3 * standard_error(cap, 200, 200)
