"""The study of a few printed rows: Shapley values of a model of some give the inputs of the others away, or do not.

All is counted from the rows as they are printed, beside the figures that are printed with them. The source says neither
which of many equal trees it took nor how it made its random rows, so each attack is played from many starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from riskkit import registry
from riskkit.core import Column, Estimate, Floats, Kind, Schema, Table
from riskkit.explain.features import Encoder
from riskkit.explain.publishing import KnownRows
from riskkit.explain.service import Service
from riskkit.seeds import stream

REACH = 6.0
"""Numbers of the law lie within this much of 0, attackers' guesses too: six standard deviations."""
THRESHOLD = 0.1
"""A number is recovered if it is off by less, in its own units."""
MADE_UP = 100
"""Rows that an attacker without data makes up."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ToyPlan:
    """One model and one attacker on printed rows, of which the first half are victims and the others train the model.

    The last column of ``rows`` is the answer. ``draws``: trees break ties by chance, and made-up rows are drawn. The
    printed figures are ``mae`` and ``rate`` of each input, ``correlation`` of each with the answer, and ``shapley``
    (victims, inputs) of the linear model.
    """

    question: ClassVar[str] = "explanations"

    rows: tuple[tuple[float, ...], ...]
    correlation: tuple[float, ...]
    shapley: tuple[tuple[float, ...], ...]
    explained: str
    inverter: str
    mae: tuple[float, ...]
    rate: tuple[float, ...]
    draws: int = 60

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The plan as a file has it."""
        matrices = {name: tuple(map(tuple, stored[name])) for name in ("rows", "shapley")}
        lists = {name: tuple(stored[name]) for name in ("correlation", "mae", "rate")}
        return cls(**{**stored, **matrices, **lists})

    def total_trainings(self) -> int:
        """Models that are trained."""
        return self.draws


@dataclass(frozen=True, eq=False)
class ToyRow:
    """What one attacker made of one model, from every start: ``mae`` and ``rate`` (draws, inputs)."""

    part: str
    plan: ToyPlan
    mae: Floats
    rate: Floats
    notes: tuple[str, ...] = ()
    estimates: tuple[Estimate, ...] = ()

    @cached_property
    def results(self) -> int:
        """How many different results there are."""
        return len(np.unique(np.round(self.mae, 6), axis=0))

    @cached_property
    def nearest(self) -> int:
        """The draw whose errors lie nearest to those printed: by the input that is farthest off."""
        return int(np.abs(self.mae - self.plan.mae).max(axis=1).argmin())

    @property
    def off(self) -> float:
        """How far off the nearest draw is, at most."""
        return float(np.abs(self.mae[self.nearest] - self.plan.mae).max())

    @cached_property
    def shares(self) -> tuple[float, float, float]:
        """Of the draws, how many would print the same errors, the same success rates, and both."""
        errors, rates = (
            (np.abs(ours - printed) <= 0.005 + ROUNDING).all(axis=1)
            for ours, printed in ((self.mae, self.plan.mae), (self.rate, self.plan.rate))
        )
        return float(errors.mean()), float(rates.mean()), float((errors & rates).mean())

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        near, middle = self.nearest, np.median(self.mae, axis=0)
        return {
            "part": self.part,
            "printed": {"mae": list(self.plan.mae), "rate": list(self.plan.rate)},
            "nearest": {"mae": self.mae[near].tolist(), "rate": self.rate[near].tolist(), "off": self.off},
            "median_mae": middle.tolist(),
            "draws": len(self.mae),
            "different_results": self.results,
            "share_of_draws_as_printed": dict(zip(("mae", "rate", "both"), self.shares, strict=True)),
        }


def play(part: str, plan: ToyPlan) -> ToyRow:
    """Train the model and let the attacker answer, once a draw."""
    served = _Rows.draw(plan)
    error = np.stack([np.abs(served.recover(plan, draw) - served.truth) for draw in range(plan.draws)])
    return ToyRow(part, plan, error.mean(axis=1), (error < THRESHOLD - ROUNDING).mean(axis=1))


def correlations(plan: ToyPlan) -> Floats:
    """(inputs,) of every input with the answer, over all rows."""
    rows = np.array(plan.rows)
    return np.array([np.corrcoef(column, rows[:, -1])[0, 1] for column in rows[:, :-1].T])


def shapley(plan: ToyPlan) -> Floats:
    """(victims, inputs) the values of the linear model, against the mean over its training rows."""
    return _Rows.draw(plan).service("linear", 0).explain_features(_Rows.draw(plan).victims, stream(0)).phi[:, :, 0]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows as features of a model, and their answers."""

    encoder: Encoder
    victims: Floats
    known: Floats
    answers: Floats
    truth: Floats

    @classmethod
    def draw(cls, plan: ToyPlan) -> _Rows:
        rows = np.array(plan.rows)
        x, half = rows[:, :-1], len(rows) // 2
        columns = [Column(f"x{place}", Kind.NUMERIC, low=-REACH, high=REACH) for place in range(1, x.shape[1] + 1)]
        table = Table(Schema(tuple(columns)), np.empty((len(x), 0), dtype=np.int32), x)
        encoder = Encoder.fit(table, [column.name for column in columns])
        encoded = encoder.encode(table)
        return cls(encoder, encoded[:half], encoded[half:], rows[half:, -1], x[:half])

    def service(self, explained: str, draw: int) -> Service:
        """A service with that model, which compares with all its training rows."""
        model = registry.parse("explained", explained).fit(self.known, self.answers, stream(draw, "toy", explained), 0)
        return Service(self.encoder, model, self.known, explainer="exact")

    def recover(self, plan: ToyPlan, draw: int) -> Floats:
        """(victims, inputs) what the attacker says, in the units of the rows."""
        service, rng = self.service(plan.explained, draw), stream(draw, "toy", plan.explained, plan.inverter)
        inverter = registry.parse("inverters", plan.inverter)
        rows = self.known
        if inverter.holds != "auxiliary":
            drawn = np.round(rng.normal(size=(MADE_UP, rows.shape[1])), 1)  # on the grid that the rows are printed on
            rows = (drawn + REACH) / (2 * REACH)
        phi, asked = (service.explain_features(each, rng).phi for each in (rows, self.victims))
        answers: Floats = inverter.fit(KnownRows(rows, phi), rng).invert(asked).estimates
        return answers * 2 * REACH - REACH
