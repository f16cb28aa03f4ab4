"""The result of an attribute audit, as it is kept and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riskkit.core import Estimate
from riskkit.plain import entry
from riskkit.questions.attributes.outcome import About, Guessed, Sides
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.redraw import Randomised
from riskkit.questions.compared import Several
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom


@dataclass(frozen=True, slots=True)
class Counts:
    """People on either side, rows of the release and rows left out; ``planted`` says what leak was planted, if any."""

    n_members: int
    n_control: int
    n_release: int
    spared: int
    shared: int
    shared_holdout: int
    dropped_to_even: int
    looks: int
    planted: str | None
    several: Several | None = field(metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True)
class ControlComparison:
    """Members beside the control for one secret and known set, and what its sentence has to say of it.

    ``share`` is the measure of right guesses, and ``right`` says in words what a right guess of a number is. ``chosen``
    is for how many parts of the people each model was chosen, where the best was asked for.
    """

    about: About = field(metadata=entry(is_spread=True))
    sides: Sides = field(metadata=entry(is_spread=True))
    columns: tuple[str, ...]
    kind: str
    share: str
    right: str
    chosen: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """What was asked in detail and could not be answered."""

    about: About = field(metadata=entry(is_spread=True))
    columns: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Swept:
    """What the heatmap shows of one secret and known set.

    ``corrected`` is the residual, and ``is_shown`` a leak, allowing for all that were looked at.
    """

    about: About = field(metadata=entry(is_spread=True))
    known_set: str = field(metadata=entry("set"))
    columns: tuple[str, ...]
    kind: str
    delta: Estimate | None
    residual: Estimate | None
    corrected: Estimate | None
    is_shown: bool = field(metadata=entry("shown"))
    refusal: str

    def is_marked(self, what: str) -> bool:
        """Whether that comparison is shown to be above 0; :data:`words.MARKED` says in which sense."""
        estimate: Estimate | None = getattr(self, what)
        return self.is_shown if what == "residual" else estimate is not None and estimate.low > 0


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What is known of each member for one secret and known set."""

    about: About = field(metadata=entry(is_spread=True))
    guessed: Guessed = field(metadata=entry(is_spread=True))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributesResult(Typed):
    """A finished plan.

    ``compared`` are the secrets and known sets that were asked in detail, in the order of the plan; ``sweep`` all that
    were asked with the sweep's model, refused ones included. ``randomised`` is what became of secrets drawn anew, one a
    question asked in detail, where a generator is named. ``for_whom`` compares groups by the strongest guess.
    """

    plan: AttributePlan
    counts: Counts = field(metadata=entry("settings"))
    estimates: tuple[Estimate, ...]
    compared: tuple[ControlComparison, ...]
    refused: tuple[Refused, ...]
    sweep: tuple[Swept, ...]
    randomised: tuple[Randomised, ...]
    notes: tuple[str, ...]
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    records: tuple[Members, ...] = field(default=(), metadata=entry(of_people=True))

    @property
    def unit(self) -> str:
        """What is counted: a ``record``, or a ``person`` with all of their rows."""
        return "record" if self.counts.several is None else self.counts.several.unit

    @property
    def people(self) -> int:
        """The people of both sides."""
        return self.counts.n_members + self.counts.n_control

    @property
    def has_holdout(self) -> bool:
        """Whether people who were not in were asked about."""
        return bool(self.counts.n_control)
