"""The result of attacks on a released file, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.games.copies import Panel
from riskkit.language import again
from riskkit.plain import entry
from riskkit.questions.blind import BlindGuess
from riskkit.questions.compared import Several
from riskkit.questions.released.grades import JointGrade, PlantedControl
from riskkit.questions.released.people import ListedPerson, People
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.stats.roc import Roc, roc

GUESS = 0.5
"""What guessing reaches."""


@dataclass(frozen=True, slots=True)
class Sides:
    """How many were asked about on either side, and rows that were left out."""

    n_in: int
    n_out: int
    n_reference: int
    dropped_both: int
    dropped_real: int
    dropped_holdout: int
    dropped_to_even: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted: ``sides`` is None without a holdout, ``several`` where everybody has one row.

    ``second`` counts the rows of a second table by slot; None where there is none.
    """

    sides: Sides | None = field(metadata=entry(is_spread=True))
    several: Several | None = field(metadata=entry(is_spread=True))
    second: Mapping[str, int] | None = field(default=None, metadata=entry("second_table", is_left_out=True))


@dataclass(frozen=True, slots=True)
class Jointly:
    """The attacks that have a number, by intervals that hold for all of them; labels were dealt anew so many times."""

    permutations: int
    each: tuple[JointGrade, ...]


@dataclass(frozen=True, slots=True)
class Posterior:
    """How likely a person is in whom the attack accuses."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BaseRate:
    """What an accusation at that share of false alarms means, by how likely the person was in beforehand."""

    attack: str
    fpr: float
    prior: float
    posterior: Posterior


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of an attack (n,): whether each person was in, which record it is, and the row in its own table."""

    attack: str
    value: Floats
    is_in: Bools
    record: Ints
    row: Ints

    @property
    def scores(self) -> Scores:
        """The same as statistics take them."""
        return Scores(self.value, self.is_in, self.record, self.record * 0, self.attack)


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What one attack did. ``control`` is its AUC on the planted leak; both AUCs may be missing.

    ``planted`` says what was planted, ``silent`` why the planted leak gave no number.
    """

    attack: str
    estimates: tuple[Estimate, ...]
    control: Estimate | None
    scores: Scores | None
    planted: str = ""
    silent: str = ""

    @property
    def auc(self) -> Estimate | None:
        """Its AUC at the level of the plan."""
        return next((estimate for estimate in self.estimates if estimate.name == "auc"), None)

    def named_share(self, fpr: str) -> Estimate | None:
        """The share it names at that share of false alarms."""
        same = (e for e in self.estimates if e.name == "tpr_at_fpr" and e.labels.get("fpr") == fpr)
        return next(same, None)

    def curve(self) -> Roc | None:
        """The ROC curve; None where there are too few records or no scores."""
        try:
            return None if self.scores is None else roc(self.scores)
        except (ScoreError, TooFewTrainings):
            return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasedResult(Typed):
    """A finished plan.

    ``together`` has the attacks with a number, by what a verdict stands on; ``control`` what each made of the leak
    planted for it, ``blind`` how well the sides are told apart without the release: None without a holdout, since
    nothing can then be said of membership. ``power`` is what these attacks together could show. ``for_whom`` compares
    groups of people by the strongest attack.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "random": "which people of the population were in; the release is fixed",
        "unit": "record",
    }

    plan: ReleasedPlan
    counts: Counts = field(metadata=entry("settings"))
    estimates: tuple[Estimate, ...]
    blind: BlindGuess | None
    together: Jointly
    control: tuple[PlantedControl, ...]
    power: Mapping[str, float] | None
    base_rates: tuple[BaseRate, ...]
    panel: Panel
    named: People
    notes: tuple[str, ...]
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    scores: tuple[Scored, ...] = field(default=(), metadata=entry(of_people=True))
    records: tuple[ListedPerson, ...] = field(default=(), metadata=entry(of_people=True))

    @property
    def attacks(self) -> tuple[Attacked, ...]:
        """What each attack did that gave an estimate or scores."""
        scores = {each.attack: each.scores for each in self.scores}
        controls = {control.attack: control for control in self.control}
        labels = [estimate.labels["attack"] for estimate in self.estimates if "attack" in estimate.labels]
        names = dict.fromkeys([*labels, *scores])
        return tuple(self._grade(name, controls.get(name), scores.get(name)) for name in names)

    def _grade(self, name: str, control: PlantedControl | None, scores: Scores | None) -> Attacked:
        own = tuple(estimate for estimate in self.estimates if estimate.labels.get("attack") == name)
        if control is None:
            return Attacked(name, own, None, scores)
        return Attacked(name, own, control.auc, scores, again(control.planted), again(control.why))

    @property
    def unit(self) -> str:
        """What is counted: a ``record``, or a ``person`` with all of their rows."""
        return "record" if self.counts.several is None else self.counts.several.unit

    @property
    def has_attacks(self) -> bool:
        """Whether any attack has a number; without a holdout none has."""
        return bool(self.together.each)

    @property
    def has_holdout(self) -> bool:
        """Whether there were people who were not in."""
        return self.counts.sides is not None

    @property
    def looks(self) -> int:
        """How many attacks were looked at."""
        return len(self.together.each)

    @property
    def best(self) -> JointGrade | None:
        """The attack with the highest lower end."""
        return max(self.together.each, key=lambda reached: ends(reached.counting), default=None)

    @property
    def strongest(self) -> str:
        """Its name; empty where there is none."""
        return "" if self.best is None else self.best.attack

    @property
    def auc(self) -> Estimate | None:
        """What it reaches and a verdict may count."""
        return None if self.best is None else self.best.counting

    @property
    def is_shown(self) -> bool:
        """Whether a leak is shown, whatever limit there is."""
        return self.auc is not None and self.auc.low > GUESS

    @property
    def is_apart(self) -> bool:
        """Whether the sides are told apart without the release."""
        return self.blind is not None and self.blind.apart

    @property
    def is_blocked(self) -> bool:
        """Whether they are, and no attack is shown to tell them apart better."""
        return self.is_apart and not self.is_shown


def ends(auc: Estimate) -> tuple[float, float]:
    """What the strongest attack is found by."""
    return auc.low, auc.value
