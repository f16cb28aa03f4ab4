"""The result of attacks on a released file, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from riskkit.core import Bools, Estimate, Floats, Ints, Scores
from riskkit.errors import DesignError, ScoreError, TooFewTrainings
from riskkit.games.copies import Panel
from riskkit.language import again, kept, say
from riskkit.plain import entry
from riskkit.questions.compared import BlindGuess, Several
from riskkit.questions.released.grades import JointGrade, PlantedControl
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.result import Typed
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.show.model import AtRisk
from riskkit.show.names import Names
from riskkit.stats.multiplicity import list_members
from riskkit.stats.roc import Roc, roc
from riskkit.wording import percent

# Whom the file names, of the people who were in: a list with few there by luck, kept for those who may see rows.


RATE = 0.05
"""The share of the list that is there by luck, at most, on average."""
WHY = {
    "sides_differ": kept(
        "Nobody is listed by the file alone: the real table and the holdout can be distinguished without the "
        "release, so who scores high may only be of the other table."
    ),
    "too_few": kept("Nobody is listed by the file alone: there are too few people on a side."),
}
"""Why there is no list."""


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person who is listed: row, attack and p-value."""

    row: int
    attack: str
    p: float


@dataclass(frozen=True, slots=True)
class People:
    """How many are ``listed`` of how many. ``why`` says why there is no list.

    A list of fewer than ``fewest`` cannot be: so many must stand out, since p-values are no smaller than one in as many
    as were not in. At most a share of ``rate`` is there by luck, on average.
    """

    asked: int = 0
    listed: int = 0
    fewest: int = 0
    rate: float = RATE
    why: str = ""


def people(scores: Sequence[Scores], row: Ints, seed: int, *, apart: bool) -> tuple[People, tuple[ListedPerson, ...]]:
    """The list, and how many there are on it; nobody where the sides differ without the release.

    Nobody is then as good as drawn from the other side.

    Parameters
    ----------
    scores
        Those of every attack that gave any, on the same people.
    row : (n,)
        The row of each in its own table.
    apart
        Whether the sides are told apart without the release.
    """
    if apart:
        return People(why="sides_differ"), ()
    try:
        lists = list_members(scores, stream(seed, "released", "people"), q=RATE)
    except DesignError:
        return People(why="too_few"), ()
    each = tuple(
        ListedPerson(int(row[place]), scores[attack].attack, float(p))
        for place, p, attack in zip(lists.at, lists.p, lists.attack, strict=True)
    )
    return People(lists.asked, len(each), lists.fewest), each


def lines(named: People, count: Callable[[float], str]) -> tuple[str, ...]:
    """How many people the file names, in a sentence or two; ``count`` is how a number of people is told."""
    if not named.asked:
        return (say(WHY[named.why]),) if named.why in WHY else ()
    if not named.listed:
        return (
            say(
                "The file alone shows of nobody that they are a member: at least {fewest:,} members would have to "
                "score higher than all people outside the data. Where the method that made the release can be rerun, "
                "Records says more.",
                fewest=named.fewest,
            ),
        )
    return (
        say(
            "Of {asked:,} members {count} can be listed by the file alone: they score higher than nearly all "
            "people outside the data. Of such a list {rate} is there by luck, at most, on average.",
            asked=named.asked,
            count=count(named.listed),
            rate=percent(named.rate),
        ),
    )


def list_people(
    every: Sequence[ListedPerson], aucs: Mapping[str, Estimate], names: Names, called: Callable[[str], str]
) -> tuple[AtRisk, ...]:
    """Those who are listed, by row and attack with its AUC, the surest first, for those who may see rows."""
    if not names.tells:
        return ()
    return tuple(
        AtRisk(say("record {row}", row=person.row), called(person.attack), names.estimate(aucs[person.attack]))
        for person in surest(every)
        if person.attack in aucs
    )


def surest(every: Sequence[ListedPerson]) -> list[ListedPerson]:
    """The people who are listed, the surest first."""
    return sorted(every, key=lambda person: (person.p, person.row))


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
