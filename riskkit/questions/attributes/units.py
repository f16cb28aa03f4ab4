"""One secret and known set: play it, grade it, and put everything there is to say of it into estimates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskkit import registry
from riskkit.core import Estimate
from riskkit.errors import DesignError, ScoreError, message_of
from riskkit.games.attribute import (
    CONTROL,
    DRAW,
    MAJORITY,
    MEMBERS,
    REAL,
    RELEASE,
    TESTED,
    WITHOUT,
    AttributeArms,
    AttributeQuestion,
    play,
)
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.games.strongest import strongest, worst_known
from riskkit.phrases import phrase
from riskkit.questions.attributes import outcome
from riskkit.questions.attributes.outcome import Guessed, Right, play_best
from riskkit.questions.attributes.plan import BEST, MEMBERSHIP, AttributePlan, Unit, greedy_size, known_words
from riskkit.questions.attributes.sides import (
    GAINED,
    Sides,
    compare_sides,
    exposure_of,
    gains,
    guesses_of,
    matches,
    release_names,
)
from riskkit.seeds import stream
from riskkit.stats import inference
from riskkit.stats.exposure import confidence
from riskkit.stats.inference import difference
from riskkit.stats.measures import MEASURES
from riskkit.stats.records import level_of_each
from riskkit.table.features import Inference

# What must be said beside the numbers of one secret and known set.

MOST_LEVELS = 200
"""Secrets with more levels get no figure that is a mean over levels."""


def _leave_out(name: str, count: int) -> str:
    """So many rows of the release, of the members or of the control."""
    if name == RELEASE:
        return phrase("{count:,} of the release", count=count)
    return (
        phrase("{count:,} of the members", count=count)
        if name == MEMBERS
        else phrase("{count:,} of the control", count=count)
    )


def beside_numbers(answers: AttributeArms) -> list[str]:
    """What else a reader must know."""
    notes: list[str] = []
    if any(answers.left_out.values()):
        counts = tuple(_leave_out(name, count) for name, count in answers.left_out.items() if count)
        notes.append(
            phrase(
                "Rows without a value of {secret!r} were neither learnt from nor asked about: {counts}.",
                secret=answers.secret,
                counts=counts,
            )
        )
    matched = answers.arm(RELEASE, MEMBERS).matched
    if matched is not None and not matched.all():
        notes.append(
            phrase(
                "Of {members:,} members {unmatched:,} have no row in the release that agrees in all known "
                "columns when {secret!r} is guessed.",
                members=len(matched),
                unmatched=int((~matched).sum()),
                secret=answers.secret,
            )
        )
    if answers.n_levels > MOST_LEVELS:
        notes.append(
            phrase(
                "{secret!r} has more than {most} levels; figures that are means over levels are left out.",
                secret=answers.secret,
                most=MOST_LEVELS,
            )
        )
    return notes


GREEDY_MODEL = "tree:leaf=20"
"""Chooses the columns of a greedy set: hundreds of fits take seconds with it."""
_BY_LEVEL = ("balanced_accuracy", "macro_f1", "auc")
_SHARE = {"category": "accuracy", "number": "within"}
_COMPARED = ((RELEASE, RELEASE), (WITHOUT, REAL))
"""Models that members and control are compared by, and what each is called: the second is one of the real data."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """All that is said of one unit. ``refusal`` is the sentence why there is nothing, else empty.

    ``known`` are the columns, ``words`` the same in short, ``model`` as it is spelled: of several that were chosen the
    one chosen most often, and ``chosen`` for how many parts of the people each was. ``records`` (members only) and
    ``right`` are never part of a report that is passed on.
    """

    unit: Unit
    known: tuple[str, ...]
    words: str
    model: str
    kind: str = ""
    estimates: tuple[Estimate, ...] = field(default=(), repr=False)
    compared: outcome.Sides | None = None
    records: Guessed | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    refusal: str = ""
    chosen: dict[str, int] = field(default_factory=dict)
    right: Right | None = field(default=None, repr=False)

    def estimate(self, name: str, **labels: str) -> Estimate | None:
        """The first estimate of that name with these labels."""
        for estimate in self.estimates:
            if estimate.name == name and all(estimate.labels.get(key) == value for key, value in labels.items()):
                return estimate
        return None

    @property
    def share(self) -> str:
        """What the share of right guesses is called for this kind of secret."""
        return _SHARE[self.kind]


def findings(deal: AttributeDeal, units: Sequence[Unit], plan: AttributePlan, looks: int) -> list[Finding]:
    """What is found of each unit."""
    return [_finding(deal, unit, plan, looks) for unit in units]


def _finding(deal: AttributeDeal, unit: Unit, plan: AttributePlan, looks: int) -> Finding:
    known, words, model = unit.columns or (), _words(unit), unit.model
    try:
        if size := greedy_size(unit.known):
            judge = registry.parse("inference", GREEDY_MODEL)
            known = worst_known(deal.release, unit.secret, size, judge, plan.seed)
            words = f"the worst {size} ({', '.join(known)})"
        models, notes = _models(deal, unit, known, plan)
        model = registry.spell(models[0])
        return _grade(deal, unit, known, models, plan, looks, words, notes)
    except DesignError as refusal:
        return Finding(unit, known, words, model, refusal=message_of(refusal))


def _words(unit: Unit) -> str:
    """What is known, in a few words; a secret among the columns of the plan is not known."""
    return known_words(unit.asked if isinstance(unit.asked, str) else unit.known)


def _models(
    deal: AttributeDeal, unit: Unit, known: tuple[str, ...], plan: AttributePlan
) -> tuple[tuple[Inference, ...], list[str]]:
    """The model of the unit, or those to choose from by the people; and how one was chosen by the release."""
    if unit.model != BEST:
        return (registry.parse("inference", unit.model),), []
    candidates = [registry.make("inference", name) for name in registry.plugins("inference")]
    if plan.best_at == MEMBERSHIP and deal.control is not None:
        kind = deal.release.ask(unit.secret, known).secret.kind
        able = tuple(model for model in candidates if kind in model.guesses)
        if able:
            return able, []
    rng = stream(plan.seed, "attributes", "best", unit.secret, *known)
    choice = strongest(deal.release, unit.secret, known, candidates, rng)
    reached = ", ".join(f"{name} {value:.3f}" for name, value in choice.reached.items())
    how = phrase(
        "The model {model} was chosen for {secret!r} by cross-validation on the release alone "
        "({reached}). The best guess of the population is not always the model that remembers most.",
        model=choice.model.name,
        secret=unit.secret,
        reached=reached,
    )
    return (choice.model,), [how]


def _play(
    deal: AttributeDeal,
    asked: tuple[str, tuple[str, ...]],
    models: tuple[Inference, ...],
    plan: AttributePlan,
    seeds: tuple[str, ...],
    *,
    in_detail: bool,
) -> tuple[AttributeArms, AttributeDeal, Inference, dict[str, int]]:
    """The answers about a secret, who is compared by them, the model (of most), and how often each was chosen."""
    if len(models) > 1:
        best = play_best(deal, *asked, models, plan, seeds, in_detail=in_detail)
        return best.answers, replace(deal, apart=best.apart), best.model, best.times
    question, rng = AttributeQuestion(*asked, models[0]), stream(plan.seed, *seeds)
    tables = deal.release, deal.members, deal.control
    answers = play(*tables, question, rng, ceiling=in_detail, out_of_fold=in_detail, whose=deal.whose)
    return answers, deal, models[0], {}


def _grade(
    deal: AttributeDeal,
    unit: Unit,
    known: tuple[str, ...],
    models: tuple[Inference, ...],
    plan: AttributePlan,
    looks: int,
    words: str,
    notes: list[str],
) -> Finding:
    in_detail = unit.detailed
    seeds = "attributes", unit.secret, *known
    answers, deal, model, chosen = _play(deal, (unit.secret, known), models, plan, seeds, in_detail=in_detail)
    if chosen:
        notes.append(
            phrase(
                "A fifth of the people only chose the model that guesses {secret!r}, and are not compared.",
                secret=unit.secret,
            )
        )
    question = AttributeQuestion(unit.secret, known, model)
    sides = guesses_of(answers, plan, deal)
    beside = compare_sides(sides, answers, deal)
    grade = _Grade(unit, question, plan, sides, beside, answers, notes)
    metrics = tuple(name for name in GAINED[answers.kind] if _has(name, answers))
    gains(sides, plan, metrics if in_detail else metrics[:1], grade.add, with_ratios=in_detail)
    grade.add_owed()
    corrected = level_of_each(plan.level, looks)
    planted = _planted_residual(deal, (unit.secret, known), models, plan, corrected) if in_detail else None
    records, right = None, None
    if in_detail:
        grade.measures()
        grade.exposures(deal)
        release, rows = sides[RELEASE, MEMBERS], answers.arm(RELEASE, MEMBERS).rows
        counted = np.ones(len(rows), dtype=bool) if deal.apart is None else deal.apart.members[rows]
        records = Guessed(
            row=deal.row[rows],
            right=release.right,
            confidence=np.round(confidence(release), 4),
            baseline_right=sides[MAJORITY, MEMBERS].right,
            never_in_right=sides[WITHOUT, MEMBERS].right,
            exposed=release_names(sides, MEMBERS, plan) & counted,
        )
        right = Right.compare(beside, answers, deal)
        notes += beside_numbers(answers)
        if answers.kind == "category":
            notes += matches(deal, question, plan, grade.add)
    labels = {"secret": unit.secret, "known": words, "model": registry.spell(question.model)}
    estimates = tuple(replace(each, labels={**labels, **each.labels}) for each in grade.estimates)
    return Finding(
        unit,
        question.known,
        words,
        labels["model"],
        answers.kind,
        estimates,
        grade.compare(corrected, planted),
        records,
        tuple(notes),
        chosen=chosen,
        right=right,
    )


class _Grade:
    """Collects the estimates of one unit; what cannot be estimated becomes a note.

    ``sides`` are the guesses about everybody, ``beside`` those about people by whom members and control can be told
    apart: every comparison of the two stands on these.
    """

    def __init__(
        self,
        unit: Unit,
        question: AttributeQuestion,
        plan: AttributePlan,
        sides: Sides,
        beside: Sides,
        answers: AttributeArms,
        notes: list[str],
    ) -> None:
        self.unit, self.question, self.plan = unit, question, plan
        self.sides, self.beside, self.answers, self.notes = sides, beside, answers, notes
        self.estimates: list[Estimate] = []

    def add(self, make: Callable[[], Estimate], **labels: str) -> None:
        """Make that estimate, or say why it cannot be had."""
        try:
            self.estimates.append(make().label(**labels))
        except ScoreError as refusal:
            self.notes.append(phrase("{secret}: {why}", secret=self.unit.secret, why=message_of(refusal)))

    def measures(self) -> None:
        """Every figure of every arm that has it."""
        for (trained_on, tested_on), guesses in self.sides.items():
            if trained_on == WITHOUT:  # compares two sides; what it reaches on one says less than ``REAL`` does
                continue
            names = [measure.name for measure in MEASURES if measure.kind == self.answers.kind]
            if trained_on in (MAJORITY, TESTED):  # says one level for sure: how wrong that is has no end
                names = [name for name in names if name != "log_loss"]
            if trained_on == DRAW:
                names = [name for name in names if name != "auc"]
            for metric in [name for name in names if _has(name, self.answers)]:
                self.add(
                    lambda m=metric, g=guesses: inference.estimate(g, m, level=self.plan.level),  # type: ignore[misc]
                    trained_on=trained_on,
                    tested_on=tested_on,
                    metric=metric,
                )

    def add_owed(self) -> None:
        """Members beside the control."""
        if (RELEASE, CONTROL) not in self.sides:
            return
        level = self.plan.level
        for trained_on, named_as in _COMPARED if self.unit.detailed else _COMPARED[:1]:
            inside, outside = self.beside[trained_on, MEMBERS], self.beside[trained_on, CONTROL]
            self.add(lambda i=inside, o=outside: inference.residual(i, o, level=level), trained_on=named_as)  # type: ignore[misc]
        inside, outside = self.beside[RELEASE, MEMBERS], self.beside[RELEASE, CONTROL]
        if self.unit.detailed:
            self.add(lambda: difference(inside, outside, level=level), trained_on=RELEASE)
            self.add(lambda: inference.attributable(inside, outside, level=level), trained_on=RELEASE)

    def compare(self, level: float, planted: Estimate | None) -> outcome.Sides:
        """The residuals the verdict stands on."""

        def of(trained_on: str) -> Estimate | None:
            pair = (trained_on, MEMBERS), (trained_on, CONTROL)
            if not set(pair) <= set(self.beside):
                return None
            try:
                return inference.residual(self.beside[pair[0]], self.beside[pair[1]], level=level)
            except ScoreError:
                return None

        return outcome.Sides(of(RELEASE), of(WITHOUT), planted)

    def exposures(self, deal: AttributeDeal) -> None:
        """How many members are guessed rightly and surely, and would not be otherwise."""
        if deal.apart is None:
            return
        try:
            exposure = exposure_of(self.beside, self.answers, self.plan, deal)
        except ScoreError as refusal:
            self.notes.append(phrase("{secret}: {why}", secret=self.unit.secret, why=message_of(refusal)))
            return
        self.estimates += [
            each.label(trained_on=RELEASE) for each in (exposure.members, exposure.by_chance, exposure.beyond_chance)
        ]


def _has(metric: str, answers: AttributeArms) -> bool:
    """Whether that figure is given; those that are means over levels are not where levels are too many."""
    return metric not in _BY_LEVEL or answers.n_levels <= MOST_LEVELS


def _planted_residual(
    deal: AttributeDeal,
    asked: tuple[str, tuple[str, ...]],
    models: tuple[Inference, ...],
    plan: AttributePlan,
    level: float,
) -> Estimate | None:
    """The residual of a leak that is known to be there."""
    if deal.planted is None:
        return None
    there = deal.planted
    planted = replace(deal, release=there.release, members=there.inside, control=there.outside)
    planted = replace(planted, whose=there.whose, planted=None, apart=None)
    seeds = "attributes", "planted", asked[0], *asked[1]
    try:
        answers, planted, _, _ = _play(planted, asked, models, plan, seeds, in_detail=False)
        sides = guesses_of(answers, plan, planted)
        sides = sides if planted.apart is None else compare_sides(sides, answers, planted)
        return inference.residual(sides[RELEASE, MEMBERS], sides[RELEASE, CONTROL], level=level)
    except (ScoreError, DesignError):
        return None
