"""The result of the membership game, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.plain import entry
from riskkit.questions.membership.choices import Sweep
from riskkit.questions.membership.control import PlantedControl
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.result import Typed
from riskkit.questions.unit import Several
from riskkit.show.for_whom import ForWhom
from riskkit.stats import summary
from riskkit.stats.roc import Band, Roc, roc

NEIGHBOURS = {
    "add-one": "with or without the targets, all other rows alike",
    "replace-one": "with the targets or with other people in their place, all other rows alike",
}
RANDOM = {
    "fixed": "membership and the generator's seed",
    "resampled": "membership, the other rows and the generator's seed",
}


@dataclass(frozen=True, slots=True)
class Unit(Several):
    """The unit where people have several rows, and how the scores of a person's rows became one."""

    of_person: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What the plan came to on these tables: the unit, None where everybody has one row."""

    unit: Unit | None = field(default=None, metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of one attack in one game, as they are kept; arrays are (m,), one entry a release.

    ``labels`` name generator, target rule, position, record and attack.
    """

    labels: Mapping[str, str] = field(metadata=entry(is_spread=True))
    value: Floats
    is_in: Bools
    training: Ints

    @classmethod
    def of(cls, labels: Mapping[str, str], scores: Scores) -> Scored:
        """Those scores, of which the record is the one target."""
        return cls(labels, scores.value, scores.is_in, scores.training)

    @property
    def scores(self) -> Scores:
        """The same with one target."""
        nobody_else = np.zeros(len(self.value), dtype=np.int64)
        return Scores(self.value, self.is_in, self.training, nobody_else, self.labels["attack"])


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


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What one attack did in one game as it was played, with what must be said beside it.

    ``sweep`` says of an attack that chose a setting for itself how the other values did; None of others.
    """

    labels: dict[str, str]
    scores: Scores
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...]
    sweep: Sweep | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipResult(Typed):
    """A finished plan.

    ``control`` says of each record and attack whether the leak that was planted for it was found; empty where none was.
    ``sweeps`` are of attacks that chose a setting for themselves, None where none did. ``findings`` has one entry for
    each game and attack, in the order of the plan, until the result is read back: then ``outcomes`` has them.
    ``for_whom`` compares targets that were drawn by lot, of the first method.
    """

    plan: MembershipPlan
    estimates: tuple[Estimate, ...]
    counts: Counts = field(metadata=entry("settings"))
    notes: tuple[str, ...]
    control: tuple[PlantedControl, ...] = ()
    sweeps: tuple[Sweep, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    scores: tuple[Scored, ...] = field(default=(), metadata=entry(of_people=True))
    findings: tuple[Finding, ...] = field(default=(), metadata=entry(is_kept=False))

    @property
    def game(self) -> Mapping[str, str]:
        """What is fixed, what differs, what is random. The plan says the rest."""
        plan = self.plan
        return {"worlds": plan.worlds, "neighbours": NEIGHBOURS[plan.relation], "random": RANDOM[plan.worlds]}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What each attack did in each game, in the order of the plan."""
        return tuple(Outcome(scored.labels, scored.scores, self._of(scored.labels)) for scored in self.scores)

    @property
    def others(self) -> tuple[Estimate, ...]:
        """Estimates that are of no single game and attack."""
        own = [scored.labels.items() for scored in self.scores]
        return tuple(e for e in self.estimates if not any(labels <= e.labels.items() for labels in own))

    def _of(self, labels: Mapping[str, str]) -> dict[str, Estimate]:
        own = [each for each in self.estimates if labels.items() <= each.labels.items()]
        return {each.name: each for each in own}
