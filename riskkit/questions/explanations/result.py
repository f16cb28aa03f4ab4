"""The result of an explanation audit, as it is kept, read and shown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats
from riskkit.explain.features import Encoder
from riskkit.explain.publishing import Fidelity
from riskkit.games import explanation as game
from riskkit.games.explanation import BASELINES, CONSTANTS, Evidence, GradedAnswers, LibraryDistance, beside
from riskkit.games.explanation_deal import ExplanationDeal, Offer
from riskkit.language import say
from riskkit.plain import entry
from riskkit.questions.explanations.plan import CONTROL, NONE, ExplanationPlan, Unit
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.table.write import to_csv
from riskkit.wording import share

# What an explanation audit comes to.
#
# An attack is called successful only where it beats the constant guesses, the median in the error and the most frequent
# value in the rate, and each the other way, with every lower end above 0 at the level that allows for all looks.


OVERALL = "overall"
GAIN = "success_rate_gain"
"""The measure that is judged and shown first."""


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """One attacker beside the constant guesses: for each feature, and overall, its gains over them.

    ``holds`` says what rows it has. ``gains`` are at the level that allows for the looks. ``planted`` says whether the
    attacker is successful against a linear model whose values are published as they are. It is ``successful`` where it
    beats every constant guess overall, and ``recovered`` are the features on which it does.
    """

    attacker: str
    holds: str
    planted: bool
    gains: dict[str, tuple[Estimate, ...]]
    successful: bool = field(init=False)
    recovered: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        beaten = [feature for feature in self.gains if self.is_successful(feature)]
        object.__setattr__(self, "successful", OVERALL in beaten)
        object.__setattr__(self, "recovered", tuple(feature for feature in beaten if feature != OVERALL))

    def is_successful(self, feature: str) -> bool:
        """Whether it beats every constant guess there."""
        gains = self.gains.get(feature, ())
        return bool(gains) and all(gain.low > 0 for gain in gains)

    def gain(self, feature: str) -> Estimate | None:
        """On how many more people it is right there than the constant guess that is harder to beat, as a share."""
        rates = (gain for gain in self.gains.get(feature, ()) if gain.name == GAIN)
        return min(rates, key=lambda gain: gain.low, default=None)

    @property
    def most(self) -> tuple[str, Estimate] | None:
        """Where it gains most: a feature on which it is successful, else the one on which it comes nearest to that."""
        known = [(feature, gain) for feature in self.gains if (gain := self.gain(feature)) is not None]
        shown = [pair for pair in known if self.is_successful(pair[0])] or [pair for pair in known if pair[1].low <= 0]
        least = ((feature, min(gains, key=lambda gain: gain.low)) for feature, gains in self.gains.items() if gains)
        return max(shown or least, key=lambda pair: pair[1].low, default=None)


def named_attacker(against: Sequence[Against]) -> Against:
    """The attacker that a sentence names, and whose gain is judged: the one that gains most on an input, or on all."""
    return max(against, key=lambda reached: -math.inf if reached.most is None else reached.most[1].low)


@dataclass(frozen=True, slots=True, eq=False)
class TriedDefence:
    """One defence: its best attacker's success rate, whether that beats the constant guesses, what readers keep."""

    defence: str
    success: Estimate
    is_successful: bool = field(metadata=entry("successful"))
    top: Estimate = field(metadata=entry("top_three"))


@dataclass(frozen=True, slots=True, eq=False)
class ReferencePoint:
    """What a value of 0 says where the service compares with one row.

    ``precision``: of values of 0, the share where the person equals the row; ``recall``: of equal cells, the share that
    is named so; ``lift``: how much more often than other people's cells; ``planted``: the same of the planted leak.
    """

    precision: Estimate
    recall: Estimate | None
    lift: Estimate
    planted: Estimate | None

    @property
    def is_shown(self) -> bool:
        """Whether it tells anything of the person."""
        return self.lift.low > 0

    @property
    def sentence(self) -> str:
        """What a value of 0 gives away."""
        start = say(
            "Where a value is 0, the person equals the reference row in {precision} of cells, {lift} more than other "
            "people do in the same columns",
            precision=share(self.precision),
            lift=str(self.lift),
        )
        if not self.is_shown:
            return say("{told}, which is not shown to tell anything of the person.", told=start)
        if self.recall is not None:
            start = say("{told}; this reveals {recall} of all equal cells", told=start, recall=share(self.recall))
        return say("{told}. More reference rows remove this leak.", told=start)


# One offer of the explanation service under one model seed: expose it, and let every attacker at it.


SHOWN = 50
"""Victims whose recovered values are kept for the page, under the first model."""
READ = 100
"""Victims whose explanations honest readers look at."""

Texts = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PlayedUnit:
    """What came of one unit.

    ``answers`` by attacker or baseline and rows held. ``says`` and ``equal`` (victims, c) are whether a value is 0 and
    the victim equals the reference; None where there are several references. ``read`` is what is left of the exact
    values; ``beside`` how far the shap library's values lie from ours, where they are published. ``truth`` and
    ``recovered`` hold values of people and are for the page alone. ``members`` are scores of people who were in the
    training and of others, where it is asked who was.
    """

    unit: Unit
    answers: dict[tuple[str, int], GradedAnswers]
    says: Bools | None = None
    equal: Bools | None = None
    read: Fidelity | None = None
    truth: Texts = ()
    recovered: dict[str, Texts] = field(default_factory=dict)
    beside: LibraryDistance | None = None
    members: game.MembersAndOthers | None = None


def play_units(
    dealt: ExplanationDeal, units: Sequence[Unit], plan: ExplanationPlan, offers: dict[str, Offer]
) -> list[PlayedUnit]:
    """What came of each unit."""
    return [
        replace(_play(dealt, unit, plan, offers[unit.offer]), members=_members(dealt, unit, plan, offers[unit.offer]))
        for unit in units
    ]


def _members(dealt: ExplanationDeal, unit: Unit, plan: ExplanationPlan, offer: Offer) -> game.MembersAndOthers | None:
    """What tells members from others; as a planted leak, of a tree that has learnt drawn answers by heart."""
    if not plan.members:
        return None
    if unit.offer == CONTROL:
        return game.members_and_others(dealt.by_heart(offer.target), plan.by_heart(offer), unit.model_seed)
    return game.members_and_others(dealt, offer, unit.model_seed)


def _play(dealt: ExplanationDeal, unit: Unit, plan: ExplanationPlan, offer: Offer) -> PlayedUnit:
    sizes = plan.sizes(dealt)
    most = sizes[-1]
    tried = attempts(plan, unit.offer, sizes)
    evidence = game.expose(dealt, offer, unit.model_seed, auxiliary=most, made_up=most)
    answers = {}
    for name, size in tried:
        answers[name, size] = _answers(dealt, evidence, name, size, plan)
    says, equal = game.equals_reference(evidence) if len(evidence.references) == 1 else (None, None)
    if unit.offer == CONTROL:
        return PlayedUnit(unit, answers, says, equal)
    read = game.readers(dealt, offer, unit.model_seed, evidence, READ)
    if unit.offer != NONE:
        return PlayedUnit(unit, answers, read=read)
    if unit.model_seed:
        return PlayedUnit(unit, answers, says, equal, read)
    recovered = {name: _texts(evidence.encoder, answers[name, most].estimates) for name in plan.attackers}
    truth = _texts(evidence.encoder, evidence.inputs)
    near = beside(dealt, offer, unit.model_seed, evidence) if plan.by_library else None
    return PlayedUnit(unit, answers, says, equal, read, truth, recovered, near)


def attempts(plan: ExplanationPlan, offer: str, sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Who is played against that offer, with how many rows: every size against the offer that is judged alone."""
    most = sizes[-1]
    baselines = BASELINES if offer == NONE else CONSTANTS
    tries = [(name, most) for name in (*plan.attackers, *baselines)]
    if offer == NONE:
        tries += [(name, most) for name in plan.comparisons()]
        tries += [(name, size) for name in plan.attackers for size in sizes[:-1]]
    return list(dict.fromkeys(tries))


def _answers(dealt: ExplanationDeal, evidence: Evidence, name: str, size: int, plan: ExplanationPlan) -> GradedAnswers:
    rng = dealt.rng(evidence.model_seed, "attack", name, size)
    if name in BASELINES:
        return game.guess(evidence, name, size, rng, tolerance=plan.tolerance)
    return game.attack(evidence, registry.parse("inverters", name), size, rng, tolerance=plan.tolerance)


def _texts(encoder: Encoder, features: Floats) -> Texts:
    """The first rows as they would stand in a file."""
    lines = io.StringIO(to_csv(encoder.decode(features[:SHOWN])).decode(), newline="")
    return tuple(map(tuple, csv.reader(lines)))[1:]


MEDIAN, MODE = "constant_median", "constant_mode"
HARDEST: Mapping[str, str] = {"success_rate": MODE, "mae": MEDIAN}
"""The constant guess that is hardest to beat in each measure."""


@dataclass(frozen=True, slots=True, eq=False)
class MembershipGain:
    """How far the AUC of who was in the training is above one half, at the level that allows for all looks.

    ``planted`` is that of a tree that has learnt drawn answers by heart.
    """

    gain: Estimate
    planted: Estimate

    @property
    def is_shown(self) -> bool:
        """Whether it is shown who was in."""
        return self.gain.low > 0


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
    members: MembershipGain | None = None
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

    def membership_auc(self, name: str, defence: str = NONE) -> Estimate | None:
        """How well those who were in the training are told by the ``answer`` alone or with the ``explanation``."""
        wanted = {"attacker": name, "defence": defence}
        return next(
            (e for e in self.estimates if e.name == "membership_auc" and wanted.items() <= e.labels.items()), None
        )

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
