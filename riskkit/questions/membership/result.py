"""The result of the membership game, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ScoreError, TooFewTrainings, message_of
from riskkit.games.worlds import MADE
from riskkit.parameters import Choice
from riskkit.plain import entry
from riskkit.questions.compared import Several
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.origin import ReleaseOrigin
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.stats import summary
from riskkit.stats.roc import Band, Roc, roc
from riskkit.stats.summary import is_found

# What became of a setting that an attack chose for itself: on its own releases, and on those that count.


@dataclass(frozen=True, slots=True)
class Sweep:
    """How often every value of a setting would have been right.

    ``own`` is the accuracy on the releases that chose, the attacker's own: no training of them is counted, and that of
    the value at place ``at`` is the highest of many, so too high. ``counted`` is the accuracy on the counted ones, of
    which only that at ``at`` was settled before they were seen. ``own`` is empty where there are too few trainings.
    """

    labels: Mapping[str, str] = field(metadata=entry(is_spread=True))
    setting: str
    values: tuple[float, ...]
    at: int = field(metadata=entry("chosen"))
    own: tuple[Estimate, ...]
    counted: tuple[Estimate, ...]

    def in_hindsight(self, highest: float) -> tuple[float, Estimate] | None:
        """Of the values up to ``highest`` the one that names most counted releases rightly, and its accuracy there.

        It was chosen on the releases that it is counted on, so it is too high, and more so the more values there are.
        Of equals it is the smallest value. None where no value is so low.
        """
        among = [place for place, value in enumerate(self.values) if value <= highest]
        if not among:
            return None
        best = max(among, key=lambda place: (self.counted[place].value, -self.values[place]))
        return self.values[best], self.counted[best]


def sweep(choice: Choice, counted: Sequence[Scores], labels: Mapping[str, str], level: float) -> Sweep | None:
    """The sweep of these scores, one a value; None where the counted trainings are too few for a number."""
    numbers = np.arange(len(choice.own_in))
    own = [Scores(value, choice.own_in, numbers, np.zeros_like(numbers)) for value in choice.own]
    accuracies = _accuracies(counted, level)
    if not accuracies:
        return None
    values = tuple(choice.values.tolist())
    return Sweep(labels, choice.setting, values, choice.at, _accuracies(own, level), accuracies)


def _accuracies(scores: Sequence[Scores], level: float) -> tuple[Estimate, ...]:
    try:
        return tuple(summary.accuracy(each, level=level) for each in scores)
    except TooFewTrainings:
        return ()


# The planted leak: what every attack of an audit makes of a release that is known to leak.
#
# The game is the audit's own: same real table, targets, worlds, settings of the attacks and number of trainings. Only
# the method is a calibration mechanism whose leak is known without running it, and a release has as many rows as the
# real table, which that answer needs. Which mechanism is the right one is the attack's to say (``control``), because
# a leak that no attack of its kind can see would show nothing, and one that any attack finds would show little:
#
# - attacks on rows get a bootstrap, where the record is in 63 of 100 releases, its neighbours come and go by chance
# as in any release, and the best attack has an AUC of .82; - attacks on moments, which no draw of rows leaves a trace
# for, get the table itself in four of five trainings and noise in the fifth: such an attack has an AUC of .82 or
# more, the best one .98; - attacks on the average of their own releases get the table itself, the one method that
# does not blur it, AUC 1; - attacks on the counts inside a model get the table itself too, as a model whose counts
# have no noise, AUC 1.
#
# An attack that finds its plant can see a leak of its kind on these records with so many trainings. That it would
# find a leak of another kind is not said by it.


@dataclass(frozen=True, slots=True)
class PlantedControl:
    """What one attack made of the leak that was planted for it.

    ``labels`` say which record, which attack, and as ``generator`` which mechanism. ``best_auc`` is the AUC of the best
    attack there is, in closed form. ``auc`` is None where the game gave none; ``notes`` then say why. ``is_found`` says
    whether the attack found it.
    """

    labels: Mapping[str, str] = field(metadata=entry(is_spread=True))
    best_auc: float
    auc: Estimate | None
    notes: tuple[str, ...] = ()
    is_found: bool = field(init=False, metadata=entry("found"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_found", self.auc is not None and is_found(self.auc))


def grade_control(scores: Scores, labels: Mapping[str, str], best_auc: float, level: float) -> PlantedControl:
    """The control of these scores."""
    try:
        return PlantedControl(labels, best_auc, summary.auc(scores, level=level).label(**labels))
    except (ScoreError, TooFewTrainings) as refusal:
        return PlantedControl(labels, best_auc, None, (message_of(refusal),))


NEIGHBOURS = {
    "add-one": "with or without the targets, all other rows alike",
    "replace-one": "with the targets or with other people in their place, all other rows alike",
}
RANDOM = {
    "fixed": "membership and the generator's seed",
    "resampled": "membership, the other rows and the generator's seed",
    "halves": "membership of everybody, each by a coin, and the generator's seed",
    **dict.fromkeys(MADE, "membership and the generator's seed; all other rows were made"),
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
    def label(cls, labels: Mapping[str, str], scores: Scores) -> Scored:
        """Those scores, of which the record is the one target."""
        return cls(labels, scores.value, scores.is_in, scores.training)

    @property
    def scores(self) -> Scores:
        """The same with one target."""
        nobody_else = np.zeros(len(self.value), dtype=np.int64)
        return Scores(self.value, self.is_in, self.training, nobody_else, self.labels["attack"])


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one attack did in one game. ``estimates`` is empty where there were too few trainings.

    As it was played it has with it what must be said beside it; ``sweep`` says of an attack that chose a setting for
    itself how the other values did. Of a result that was read back these stand in the result alone.
    """

    labels: Mapping[str, str]
    scores: Scores
    estimates: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()
    sweep: Sweep | None = None

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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MembershipResult(Typed):
    """A finished plan.

    ``control`` says of each record and attack whether the leak that was planted for it was found; empty where none was.
    ``sweeps`` are of attacks that chose a setting for themselves, None where none did. ``findings`` has one entry for
    each game and attack, in the order of the plan, until the result is read back: then ``outcomes`` has them.
    ``for_whom`` compares targets that were drawn by lot, of the first method. ``origins`` say of each method whether it
    can have made the release.
    """

    plan: MembershipPlan
    estimates: tuple[Estimate, ...]
    counts: Counts = field(metadata=entry("settings"))
    notes: tuple[str, ...]
    control: tuple[PlantedControl, ...] = ()
    sweeps: tuple[Sweep, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    origins: tuple[ReleaseOrigin, ...] | None = field(default=None, metadata=entry(is_left_out=True))
    scores: tuple[Scored, ...] = field(default=(), metadata=entry(of_people=True))
    findings: tuple[Outcome, ...] = field(default=(), metadata=entry(is_kept=False))

    @property
    def game(self) -> Mapping[str, str]:
        """What is fixed, what differs, what is random. The plan says the rest."""
        plan = self.plan
        return {"worlds": plan.worlds, "neighbours": NEIGHBOURS[plan.relation], "random": RANDOM[plan.worlds]}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What each attack did in each game, in the order of the plan."""
        return tuple(Outcome(scored.labels, scored.scores, self._estimates(scored.labels)) for scored in self.scores)

    @property
    def others(self) -> tuple[Estimate, ...]:
        """Estimates that are of no single game and attack."""
        own = [scored.labels.items() for scored in self.scores]
        return tuple(e for e in self.estimates if not any(labels <= e.labels.items() for labels in own))

    def _estimates(self, labels: Mapping[str, str]) -> dict[str, Estimate]:
        own = [each for each in self.estimates if labels.items() <= each.labels.items()]
        return {each.name: each for each in own}


# Which outcome of a run is the strongest, at the level that allows for all that were looked at.


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
