"""KA3 to KA7, KA14 and KA15 as a reader of a result meets them: plan, run, and the numbers of what was kept.

The mechanisms are those on the menu; the attacks are the best there are for them, and no plug-ins. Whole games of
thousands of trainings, so all are slow: together about two minutes of one core. A right program fails one of them once
in 10,000 runs (four standard errors).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

import riskkit
from riskkit.core import Brief, Column, Estimate, FittedAttack, Floats, Kind, Knowledge, Schema, Scores, Table
from riskkit.errors import RiskkitError
from riskkit.generators.randomised_response import RandomisedResponse
from riskkit.judging.measurement import Verdict
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult, Outcome
from riskkit.stats.epsilon import epsilon_lower
from riskkit.stats.roc import Roc
from tests.generators.test_calibration import fine, unique_row
from tests.generators.test_calibration_numbers import BestAtCounts, BestAtMeans, apart
from tests.judged import judged
from tests.oracles import ExactMatch, stand_beside, standard_error
from tests.statistical.simulate import most
from tests.tables import mixed

pytestmark = pytest.mark.slow
ROWS, GRAIN = 50, 20


@dataclass(frozen=True)
class _Attack:
    """An attack that knows every other row."""

    title: ClassVar[str] = "An oracle"
    card: ClassVar[str] = "Knows the mechanism."
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    shadows: ClassVar[int] = 0


@dataclass(frozen=True)
class BestAtMean(_Attack):
    name: ClassVar[str] = "best_at_mean"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        return BestAtMeans.of(brief)


@dataclass(frozen=True)
class BestAtCount(_Attack):
    name: ClassVar[str] = "best_at_count"

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        assert brief.data is not None
        return BestAtCounts(len(brief.data), GRAIN)


@dataclass(frozen=True)
class Says(_Attack):
    """One number for every release."""

    name: ClassVar[str] = "says"
    value: float = 0.0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        class Fitted:
            def score(self, release: Table) -> Floats:
                return np.array([float(value)])

        value = self.value
        return Fitted()


@dataclass(frozen=True)
class SaysNothing(Says):
    name: ClassVar[str] = "says_nothing"
    value: float = math.nan


@dataclass(frozen=True)
class OnePerson(RandomisedResponse):
    """Randomised response of the last row alone: the target, or who stands in."""

    name: ClassVar[str] = "one_person"

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        return super().fit(table.rows([len(table) - 1]), rng)


@pytest.fixture(autouse=True)
def oracles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attacks stand beside the real plug-ins."""
    attacks = {plugin.name: plugin for plugin in (ExactMatch, BestAtMean, BestAtCount, Says, SaysNothing)}
    stand_beside(monkeypatch, {"generators": {"one_person": OnePerson}, "attacks": attacks, "targets": {}})


def plan_of(generator: str, attack: str, row: int, n_syn: int, **more: Any) -> riskkit.MembershipPlan:
    wanted = {"trainings": 2000, "generations": 1, "control": False, **more}
    return riskkit.MembershipPlan((generator,), (f"listed:rows={row}",), (attack,), n_syn=n_syn, **wanted)


def played(table: Table, generator: str, attack: str, row: int, n_syn: int = ROWS, **more: Any) -> Outcome:
    """The one outcome of a run, read from what is kept of it."""
    result = run_membership(table, plan_of(generator, attack, row, n_syn, **more))
    (outcome,) = MembershipResult.from_plain(result.plain()).outcomes
    return outcome


def is_near(estimate: Estimate, truth: float) -> bool:
    """Whether it is an AUC within four standard errors of the truth."""
    half = estimate.n // 2
    return abs(estimate.value - truth) <= 4 * standard_error(truth, half, half)


def rates(scores: Scores) -> tuple[float, float]:
    """The shares of trials with and without the record that are called "in"."""
    return float((scores.value[scores.is_in] > 0).mean()), float((scores.value[~scores.is_in] > 0).mean())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_ka3_a_subsample_gives_away_its_share(share: float) -> None:
    table = fine(ROWS)
    outcome = played(table, f"subsample:share={share}", "exact_match", unique_row(table))
    named, accused = rates(outcome.scores)
    assert accused == 0
    assert abs(named - share) <= 4 * math.sqrt(share * (1 - share) / 1000)
    assert is_near(outcome.estimates["auc"], 0.5 + share / 2)
    if share > 0.5:
        assert not is_near(outcome.estimates["auc"], 1 - 0.5 * (1 - 1 / ROWS) ** (share * ROWS)), (
            "drawn with replacement"
        )


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_ka4_a_leak_is_as_likely_as_it_says(p: float) -> None:
    table = fine(ROWS)
    outcome = played(table, f"leaky:p={p}", "exact_match", unique_row(table))
    named, accused = rates(outcome.scores)
    assert accused == 0
    assert abs(named - p) <= 4 * math.sqrt(p * (1 - p) / 1000)
    assert is_near(outcome.estimates["auc"], 0.5 + p / 2)


def test_ka4_a_leak_shows_no_epsilon_beyond_its_delta() -> None:
    """(0, .3)-differentially private: the bound is 0 at a delta of .3 in 95 of 100 games, and not at a delta of 0."""
    table = fine(ROWS)
    row = unique_row(table)
    games = [played(table, "leaky:p=0.3", "exact_match", row, trainings=200, seed=seed).scores for seed in range(100)]
    assert sum(epsilon_lower(scores, delta=0.3).value > 0 for scores in games) <= most(100, 0.05)
    assert sum(epsilon_lower(scores).value > 0 for scores in games) >= 95, "delta left out would be seen"


@pytest.mark.parametrize(("epsilon", "truth"), [(0.5, 0.6225), (1.0, 0.7311), (2.0, 0.8808), (3.0, 0.9526)])
def test_ka5_randomised_response_is_believed_as_often_as_epsilon_says(epsilon: float, truth: float) -> None:
    """And the bound on epsilon lies below it, by no more than so many trainings leave open."""
    column = Column("smoker", Kind.CATEGORICAL, levels=("no", "yes"))
    table = Table(Schema((column,)), [[1], [0], [0]], np.empty((3, 0)))
    outcome = played(table, f"one_person:epsilon={epsilon}", "exact_match", 0, 1, rows=2, relation="replace-one")
    named, accused = rates(outcome.scores)
    error = 4 * math.sqrt(truth * (1 - truth) / 1000)
    assert abs(named - truth) <= error
    assert abs(accused - (1 - truth)) <= error
    assert is_near(outcome.estimates["auc"], truth)
    assert 0.7 * epsilon - 0.1 <= outcome.estimates["epsilon_lower"].value <= epsilon


@pytest.mark.parametrize(("epsilon", "truth"), [(0.5, 0.6209), (1.0, 0.7241), (2.0, 0.8647)])
def test_ka6_a_noisy_count_is_told_as_often_as_its_formula_says(epsilon: float, truth: float) -> None:
    table = mixed(ROWS)
    outcome = played(table, f"laplace_count:epsilon={epsilon},grain={GRAIN}", "best_at_count", 5, ROWS * GRAIN)
    assert is_near(outcome.estimates["auc"], truth)
    assert not is_near(outcome.estimates["auc"], 1 - math.exp(-2 * epsilon) * (2 + 2 * epsilon) / 4), "half the noise"


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_ka7_a_noisy_mean_has_its_auc_its_advantage_and_its_curve(mu: float) -> None:
    table, row = mixed(ROWS), 3
    outcome = played(table, f"gaussian_mean:sigma={apart(table, row) / mu!r}", "best_at_mean", row)
    assert is_near(outcome.estimates["auc"], float(ndtr(mu / math.sqrt(2))))
    right = float(ndtr(mu / 2))
    assert abs(outcome.estimates["advantage"].value - (2 * right - 1)) <= 4 * math.sqrt(2 * right * (1 - right) / 1000)
    assert lies_on(outcome.curve(), mu)
    assert not lies_on(outcome.curve(), 3 * mu), "a third of the noise would be seen"
    epsilon = {0.5: 1.99, 1.0: 4.38, 2.0: 10.00}[mu]
    assert epsilon_lower(outcome.scores, delta=1e-5).value <= epsilon


def lies_on(curve: Roc, mu: float) -> bool:
    """Whether it is Phi(Phi^-1(fpr) + mu), either rate within the band of Dvoretzky, Kiefer and Wolfowitz."""
    band = math.sqrt(math.log(2 / 1e-4) / (2 * 1000))

    def truth(fpr: Floats) -> Floats:
        return np.asarray(ndtr(ndtri(np.clip(fpr, 0.0, 1.0)) + mu))

    low, high = truth(curve.fpr - band) - band, truth(curve.fpr + band) + band
    return bool(((low <= curve.tpr) & (curve.tpr <= high)).all())


def test_ka14_what_says_the_same_of_everything_has_no_auc() -> None:
    """No number is better than one half: it would say that there is no leak."""
    table, row = mixed(ROWS), 3
    for attack in ("says", "says:value=1.0", "says:value=-2.5"):
        plan = plan_of("identity", attack, row, ROWS, trainings=20)
        result = run_membership(table, plan)
        assert [e.name for e in result.estimates if e.name in ("auc", "tpr_at_fpr")] == []
        ((_, judgement),) = judged(result.plain(), plan, 0.9, made_by="identity")
        assert judgement.verdict is Verdict.UNDECIDED
    with pytest.raises(RiskkitError, match="finite"):
        run_membership(table, plan_of("identity", "says_nothing", row, ROWS, trainings=20))


def test_ka15_what_is_kept_gives_the_same_numbers_to_a_slow_count() -> None:
    """AUC over all pairs, Clopper and Pearson by search, epsilon on a grid: from the scores of the kept result."""
    table, row = mixed(ROWS), 3
    for mu, attack in ((1.0, "best_at_mean"), (2.0, "neighbour:own=4")):
        outcome = played(table, f"gaussian_mean:sigma={apart(table, row) / mu!r}", attack, row, trainings=100)
        value, is_in = outcome.scores.value, outcome.scores.is_in
        pairs = np.sign(value[is_in][:, None] - value[~is_in]) / 2 + 0.5
        assert outcome.estimates["auc"].value == pytest.approx(float(pairs.mean()), abs=1e-12)
        hits, alarms = int((value[is_in] > 0).sum()), int((value[~is_in] > 0).sum())
        low, high = (
            searched(lambda p, k=hits: binom.sf(k - 1, 50, p) >= 0.025),
            searched(lambda p, k=alarms: binom.cdf(k, 50, p) < 0.025),
        )
        odds = max(math.log(low / high), math.log((1 - high) / (1 - low)), 0.0) if low > 0 else 0.0
        assert outcome.estimates["epsilon_lower"].value == pytest.approx(odds, abs=1e-6)


def searched(holds: Callable[[float], bool]) -> float:
    """The smallest share at which it holds."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
