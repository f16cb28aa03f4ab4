"""Which outcome of a run is the strongest, at the level that allows for all that were looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from riskkit.core import Estimate
from riskkit.questions.membership.result import Outcome, PlantedControl
from riskkit.stats import summary

ABOUT = ("generator", "target", "position", "record", "attack")


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


def headline(outcomes: Sequence[Outcome], planted: Sequence[PlantedControl] = ()) -> Headline | None:
    """The outcome whose AUC has the highest lower end, at the level that allows for all that were looked at.

    None where no outcome has an AUC.
    """
    judged = [outcome for outcome in outcomes if "auc" in outcome.estimates]
    if not judged:
        return None
    best = max(judged, key=lambda outcome: (outcome.estimates["auc"].low, outcome.estimates["auc"].value))
    level = 1 - (1 - best.estimates["auc"].level) / len(judged)
    aucs = {outcome: summary.auc(outcome.scores, level=level) for outcome in judged}
    beside = {_attack_name(control.labels): control.is_found for control in planted}
    seen = [beside.get(_attack_name(outcome.labels)) for outcome in outcomes]
    missed = None if None in seen else sum(not control.is_found for control in planted)
    high = max(auc.high for auc in aucs.values())
    return Headline(best, aucs[best].label(**best.labels), len(judged), high, missed)


def allowing(outcomes: Sequence[Outcome], level: float) -> list[Outcome]:
    """The outcomes with their AUC at that level: a page shows one interval of an attack, that of the verdict."""
    return [_read_at(outcome, level) for outcome in outcomes]


def _read_at(outcome: Outcome, level: float) -> Outcome:
    kept = outcome.estimates.get("auc")
    if kept is None or kept.level == level:
        return outcome
    auc = summary.auc(outcome.scores, level=level).label(**outcome.labels)
    return replace(outcome, estimates={**outcome.estimates, "auc": auc})


def _attack_name(labels: Mapping[str, str]) -> tuple[str, str, str]:
    """Which attack on which record."""
    return labels["attack"], labels["target"], labels["position"]
