"""KA8 and KA13: rows around a noisy mean, at every point of the ROC curve; and a target that stands there twice."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from riskkit.core import Column, Kind, Schema, Table
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from tests.oracles import Bootstrap, ExactMatch, Mean, stand_beside

N, SYN, SPREAD, NOISE = 50, 25, 30.0, 4.0
"""Rows of the table and of a release, the spread of a released row, and the noise of the mean."""


@dataclass(frozen=True)
class NoisyRows:
    """Rows from a normal distribution around the table's mean with noise."""

    name: ClassVar[str] = "noisy_rows"
    title: ClassVar[str] = "Noisy rows"
    card: ClassVar[str] = "Draws rows around a noisy mean."

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        middle = table.numbers.mean() + NOISE * rng.standard_normal()

        class Fitted:
            def sample(self, n: int, rng: np.random.Generator) -> Table:
                rows = middle + SPREAD * rng.standard_normal((n, 1))
                return Table(table.schema, np.empty((n, 0), dtype=np.int32), rows)

        return Fitted()


EXTRA: dict[str, dict[str, Any]] = {
    "generators": {"noisy_rows": NoisyRows, "bootstrap": Bootstrap},
    "attacks": {"mean": Mean, "exact_match": ExactMatch},
    "targets": {},
}


@pytest.fixture(autouse=True)
def oracles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator and the attack stand beside the real plug-ins."""
    stand_beside(monkeypatch, EXTRA)


def table(top: float) -> Table:
    """Row 0 at ``top``, the others around 0."""
    values = np.random.default_rng(4).normal(0.0, 1.0, N)
    values[0] = top
    column = Column("x", Kind.NUMERIC, low=-1e6, high=1e6, mean=0.0, sd=1.0, decimals=6)
    return Table(Schema((column,)), np.empty((N, 0), dtype=np.int32), values[:, None])


def played(data: Table, generator: str, attack: str, trainings: int, n_syn: int) -> Any:
    plan = MembershipPlan(
        (generator,), ("listed:rows=0",), (attack,), trainings=trainings, generations=1, n_syn=n_syn, control=False
    )
    (outcome,) = run_membership(data, plan).outcomes
    return outcome


def test_ka8_the_whole_curve_is_that_of_two_normal_distributions() -> None:
    """mu = |gap of the means| / sqrt(noise^2 + spread^2 / n_syn); DKW band at 1e-4 on both rates."""
    data, trainings = table(400.0), 4000
    gap = data.numbers.mean() - data.without(0).numbers.mean()
    outcome = played(data, "noisy_rows", "mean", trainings, SYN)
    curve = outcome.curve()
    reach = 2 * np.sqrt(np.log(2 / 1e-4) / (2 * trainings / 2))

    def farthest(of_noise: float) -> float:
        mu = gap / np.sqrt(of_noise**2 + SPREAD**2 / SYN)
        return float(np.abs(curve.tpr - ndtr(ndtri(np.clip(curve.fpr, 1e-12, 1 - 1e-12)) + mu)).max())

    assert farthest(NOISE) <= reach
    assert farthest(0.3 * NOISE) > reach, "a twin with less noise must fall outside the band"


def test_ka13_all_copies_of_the_target_leave_with_it() -> None:
    """Were a copy left behind, a bootstrap would show it without the target too, and the AUC fall to about .57."""
    data = table(400.0)
    twice = data.plus(data.rows([0]))
    truth = 1 - 0.5 * (1 - 1 / N) ** N
    outcome = played(twice, "bootstrap", "exact_match", 1000, N)
    assert abs(outcome.estimates["auc"].value - truth) < 0.05
    assert not outcome.scores.value[~outcome.scores.is_in].max() > 0
