"""A finished run, read back: what each attack achieved, which finding is the strongest, and what it may be called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.language import again
from riskkit.show.estimates import estimate
from riskkit.stats import summary
from riskkit.stats.control import is_found
from riskkit.stats.posterior import posteriors as posteriors  # for pages, which know no statistics
from riskkit.stats.roc import Band, Roc, roc

ABOUT = ("generator", "target", "position", "record", "attack")


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one attack did in one game. ``estimates`` is empty where there were too few trainings."""

    labels: Mapping[str, str]
    scores: Scores
    estimates: Mapping[str, Estimate]

    @property
    def game(self) -> tuple[str, str, str]:
        """Generator, target rule and position: outcomes of one game saw the same releases."""
        return self.labels["generator"], self.labels["target"], self.labels["position"]

    def curve(self) -> Roc | None:
        """The ROC curve, or None where there are too few trainings."""
        try:
            return roc(self.scores)
        except (ScoreError, TooFewTrainings):
            return None

    def band(self, level: float = 0.95) -> Band | None:
        """The interval of the curve at each share of false alarms, or None where there are too few trainings."""
        try:
            return summary.tpr_band(self.scores, level=level)
        except (ScoreError, TooFewTrainings):
            return None


@dataclass(frozen=True, slots=True)
class Planted:
    """What one attack made of the leak that was planted for it.

    ``labels`` name as ``generator`` the mechanism that planted it; ``best_auc`` is the AUC of the best attack on it.
    ``auc`` is None where the game gave no number; ``notes`` then say why.
    """

    labels: Mapping[str, str]
    best_auc: float
    auc: Estimate | None
    notes: tuple[str, ...]

    @property
    def is_found(self) -> bool:
        """Whether the attack found it."""
        return self.auc is not None and is_found(self.auc)


@dataclass(frozen=True, slots=True)
class Headline:
    """The strongest finding of a run.

    ``auc`` allows for having looked at ``looks`` findings: its interval has the level ``1 - (1 - level) / looks``.
    ``high`` is where the highest of these intervals ends. ``missed`` are the planted leaks that were not found, None
    where not every finding has a planted leak beside it.
    """

    outcome: Outcome
    auc: Estimate
    looks: int
    high: float = 1.0
    missed: int | None = None


def outcomes(result: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """The outcomes of a kept result, in the order of its plan."""
    estimates = [estimate(given) for given in result["estimates"]]
    return tuple(_outcome(given, estimates) for given in result["scores"])


def _outcome(given: Mapping[str, Any], estimates: Sequence[Estimate]) -> Outcome:
    labels = _labels(given)
    own = {e.name: e for e in estimates if all(e.labels.get(name) == text for name, text in labels.items())}
    scores = Scores(
        value=np.asarray(given["value"], dtype=np.float64),
        is_in=np.asarray(given["is_in"], dtype=np.bool_),
        training=np.asarray(given["training"], dtype=np.int64),
        target=np.zeros(len(given["value"]), dtype=np.int64),
        attack=labels["attack"],
    )
    return Outcome(labels, scores, own)


def _labels(given: Mapping[str, Any]) -> dict[str, str]:
    """What a finding is about, and where people are counted that they are."""
    return {name: str(given[name]) for name in (*ABOUT, "unit") if name in given}


def controls(result: Mapping[str, Any]) -> tuple[Planted, ...]:
    """The planted leaks of a kept result; none in a result of before there were any."""
    return tuple(
        Planted(
            _labels(given),
            float(given["best_auc"]),
            estimate(given["auc"]) if given["auc"] else None,
            tuple(map(again, given["notes"])),
        )
        for given in result.get("control", ())
    )


def headline(outcomes: Sequence[Outcome], planted: Sequence[Planted] = ()) -> Headline | None:
    """The outcome whose AUC has the highest lower end, at the level that allows for all that were looked at.

    None where no outcome has an AUC.
    """
    judged = [outcome for outcome in outcomes if "auc" in outcome.estimates]
    if not judged:
        return None
    best = max(judged, key=lambda outcome: (outcome.estimates["auc"].low, outcome.estimates["auc"].value))
    level = 1 - (1 - best.estimates["auc"].level) / len(judged)
    aucs = {outcome: summary.auc(outcome.scores, level=level) for outcome in judged}
    beside = {_seen_by(control.labels): control.is_found for control in planted}
    seen = [beside.get(_seen_by(outcome.labels)) for outcome in outcomes]
    missed = None if None in seen else sum(not control.is_found for control in planted)
    high = max(auc.high for auc in aucs.values())
    return Headline(best, aucs[best].labelled(**best.labels), len(judged), high, missed)


def _seen_by(labels: Mapping[str, str]) -> tuple[str, str, str]:
    """Which attack on which record."""
    return labels["attack"], labels["target"], labels["position"]
