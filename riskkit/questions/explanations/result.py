"""The result of an explanation audit, as it is kept, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from riskkit.core import Estimate
from riskkit.games.explanation import LibraryDistance
from riskkit.plain import entry
from riskkit.questions.explanations.outcome import OVERALL, Against, ReferencePoint, TriedDefence, named_attacker
from riskkit.questions.explanations.plan import NONE, ExplanationPlan
from riskkit.questions.explanations.units import Texts
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom

MEDIAN, MODE = "constant_median", "constant_mode"
HARDEST: Mapping[str, str] = {"success_rate": MODE, "mae": MEDIAN}
"""The constant guess that is hardest to beat in each measure."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the plan came to on these tables: rows on each side, the sizes an attacker held, and the looks."""

    target: str
    n_train: int
    n_pool: int
    n_victims: int
    sizes: tuple[int, ...]
    looks: int


@dataclass(frozen=True, slots=True)
class Input:
    """A column, and how much it has to do with the target; None where that cannot be said."""

    feature: str
    association: Estimate | None


@dataclass(frozen=True, slots=True)
class Victims:
    """Values of single people, for the page alone: true, recovered by each attacker, and whether that is right.

    ``right`` is None where the truth is missing. ``shares`` say how much of each is recovered over models; None where
    one model was trained alone.
    """

    columns: tuple[str, ...] = ()
    truth: Texts = ()
    recovered: Mapping[str, Texts] = field(default_factory=dict)
    right: Mapping[str, tuple[tuple[bool | None, ...], ...]] = field(default_factory=dict)
    shares: Mapping[str, tuple[Estimate | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExplanationsResult(Typed):
    """A finished plan.

    ``against`` is what is judged: every attacker on the service without a defence, at the level that allows for the
    looks; ``tried`` is each defence. ``library`` is how far the shap library's values lie from ours, where they are
    published. ``for_whom`` compares victims under the attacker that the sentence names.
    """

    GAME: ClassVar[Mapping[str, str]] = {
        "random": "victims, models, the attacker's rows and the references; the table is fixed",
        "unit": "victim",
    }

    plan: ExplanationPlan
    counts: Counts = field(metadata=entry("settings"))
    estimates: tuple[Estimate, ...]
    against: tuple[Against, ...] = field(metadata=entry("attackers"))
    inputs: tuple[Input, ...] = field(metadata=entry("features"))
    tried: tuple[TriedDefence, ...] = field(metadata=entry("defences"))
    reference: ReferencePoint | None
    library: LibraryDistance | None
    notes: tuple[str, ...]
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    records: Victims = field(default=Victims(), metadata=entry(of_people=True))

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that are recovered."""
        return tuple(column.feature for column in self.inputs)

    @property
    def associations(self) -> dict[str, Estimate]:
        """How much each column has to do with the target, where that can be said."""
        return {column.feature: column.association for column in self.inputs if column.association is not None}

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(reached.attacker for reached in self.against)

    @property
    def best(self) -> Against:
        """The attacker that the sentence names."""
        return named_attacker(self.against)

    @property
    def recovered(self) -> dict[str, tuple[str, ...]]:
        """The inputs each attacker recovers."""
        return {reached.attacker: reached.recovered for reached in self.against}

    @property
    def stopped(self) -> dict[str, bool]:
        """Whether each defence stops every attacker."""
        return {defence.defence: not defence.is_successful for defence in self.tried}

    @property
    def is_shown(self) -> bool:
        """Whether an attacker is shown to recover something."""
        return self.best.successful or bool(self.best.recovered)

    def attacker_estimate(
        self, name: str, attacker: str, feature: str = OVERALL, *, rows: int | None = None, defence: str = NONE
    ) -> Estimate | None:
        """That estimate of an attacker or a guess; of the most rows it holds unless said otherwise."""
        held = str(self.counts.sizes[-1] if rows is None else rows)
        wanted = {"attacker": attacker, "feature": feature, "rows": held, "defence": defence}
        return next((e for e in self.estimates if e.name == name and wanted.items() <= e.labels.items()), None)

    def readers_share(self, name: str, defence: str = NONE) -> Estimate | None:
        """What readers keep of the exact values under a defence."""
        return next((e for e in self.estimates if e.name == name and e.labels.get("defence") == defence), None)

    def comparisons(self) -> dict[str, list[str]]:
        """The attackers that compare optimisers, by where their rates come from."""
        out: dict[str, list[str]] = {}
        for each in self.estimates:
            rates = each.labels.get("rates")
            if rates and each.name == "mae" and each.labels["feature"] == OVERALL:
                out.setdefault(rates, []).append(each.labels["attacker"])
        return out

    def best_under(self, defence: str) -> tuple[str, Estimate] | None:
        """The attacker that recovers most under a defence, with its rate."""
        rates = [(name, self.attacker_estimate("success_rate", name, defence=defence)) for name in self.attackers]
        known = [(name, rate) for name, rate in rates if rate is not None]
        return max(known, key=lambda pair: pair[1].value, default=None)
