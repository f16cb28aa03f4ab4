"""An explanation audit: every offer under every model seed, every attacker beside guesses, one verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Table
from riskkit.errors import ScoreError, message_of
from riskkit.explain import library
from riskkit.games.explanation import CONSTANTS
from riskkit.games.explanation_deal import ExplanationDeal
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions.explanations.plan import CONTROL, NONE, ExplanationPlan, Unit
from riskkit.questions.explanations.result import (
    HARDEST,
    MEDIAN,
    MODE,
    Against,
    Counts,
    ExplanationsResult,
    Input,
    MembershipGain,
    PlayedUnit,
    ReferencePoint,
    TriedDefence,
    Victims,
    named_attacker,
    play_units,
)
from riskkit.questions.for_whom import by_gains, check_groups
from riskkit.questions.forecasts import Forecast, pilot, seconds_of, shared_seconds, trial_rows
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats import recovery
from riskkit.stats.power import detectable_gain
from riskkit.stats.records import level_of_each
from riskkit.stats.recovery import OVERALL, Recovered, Spread, crossed_spread, mean_interval, reference_lift
from riskkit.table.features import Secret
from riskkit.table.load import Tables

# What was played, as estimates: of every attacker, of every defence, of single columns.

MEASURES: tuple[recovery.Measure, ...] = ("success_rate", "mae")
Tries = dict[tuple[str, int], Recovered]


def join_tries(parts: Sequence[PlayedUnit]) -> Tries:
    """The answers of one offer under all model seeds, by attacker and rows held."""
    return {key: recovery.join([part.answers[key] for part in parts]) for key in parts[0].answers}


class Figures:
    """Collects the estimates of one audit; what cannot be estimated becomes a note."""

    def __init__(self, plan: ExplanationPlan, most: int) -> None:
        self.plan, self.most = plan, most
        self.estimates: list[Estimate] = []
        self.notes: list[str] = []

    def _add(self, make: Callable[..., Estimate], *arguments: Any, **labels: str) -> None:
        try:
            self.estimates.append(make(*arguments, level=self.plan.level).label(**labels))
        except ScoreError as refusal:
            self.notes.append(message_of(refusal))

    def measures(self, offer: str, tries: Tries) -> None:
        """Success rate and error of everybody who was played against that offer; of each column where it is judged."""
        rates = self.plan.comparisons() if offer == NONE else {}
        for (name, rows), recovered in tries.items():
            in_detail = offer == NONE and rows == self.most and name not in set(rates) - set(self.plan.attackers)
            for column in (OVERALL, *recovered.columns) if in_detail else (OVERALL,):
                for measure in MEASURES:
                    labels = {"attacker": name, "rows": str(rows), "defence": offer}
                    labels |= {"rates": rates[name]} if name in rates and rows == self.most else {}
                    self._add(recovery.estimate, recovered, measure, column, **labels)

    def gains(self, tries: Tries) -> None:
        """How much better than the constant guess that is hardest to beat in that measure; for one look each."""
        for name in self.plan.attackers:
            recovered = tries[name, self.most]
            labels = {"attacker": name, "rows": str(self.most), "defence": NONE}
            for column in (OVERALL, *recovered.columns):
                for measure, against in HARDEST.items():
                    constant = tries[against, self.most]
                    self._add(recovery.gain, recovered, constant, measure, column, **labels, against=against)

    def accept(self, tries: Tries) -> None:
        """What attackers that may decline to answer stand by: Luo's share, under its own name."""
        for name in self.plan.attackers:
            if registry.parse("inverters", name).holds == "random":
                labels = {"attacker": name, "rows": str(self.most), "defence": NONE}
                for make in (recovery.acceptance, recovery.accepted_mae):
                    self._add(make, tries[name, self.most], **labels)

    def members(self, offer: str, parts: Sequence[PlayedUnit]) -> None:
        """How well those who were in the training are told, by the answer alone and by the explanation."""
        for name in ("answer", "explanation"):
            self._add(recovery.membership, *_sides(parts, name), attacker=name, defence=offer)

    def read(self, offer: str, parts: Sequence[PlayedUnit]) -> None:
        """What honest readers still have of the exact values."""
        kept = [part.read for part in parts if part.read is not None]
        for name, cells, scale in (
            ("rank_correlation", np.stack([ranks.rank for ranks in kept]), 2),
            ("top_three", np.stack([ranks.top for ranks in kept]), 1),
        ):
            shown = (cells + 1) / 2 if scale == 2 else cells
            made = _mean(name, shown, scale, self.plan.level)
            self.estimates.append(made.label(defence=offer, seeds=str(len(kept))))


def _mean(name: str, cells: Floats, scale: int, level: float) -> Estimate:
    """The mean of cells (seeds, victims) between 0 and 1; on a scale of 2 it is shown between -1 and 1."""
    spread: Spread = crossed_spread(cells)
    low, high = mean_interval(spread, level)
    shift = scale - 1
    value, *ends = (scale * float(end) - shift for end in (spread.mean, low, high))
    over = "victims, one model" if len(cells) == 1 else "victims and model seeds, crossed"
    method = f"Korn-Graubard of a bounded mean, over {over}"
    return Estimate(name, value, ends[0], ends[1], level, method, cells.shape[1])


def against_constants(tries: Tries, attacker: str, most: int, level: float) -> dict[str, tuple[Estimate, ...]]:
    """The gains of one attacker over both constant guesses in both measures, overall and of every column that has any.

    A column of which too few victims have a value is left out.
    """
    recovered = tries[attacker, most]
    out: dict[str, tuple[Estimate, ...]] = {}
    for column in (OVERALL, *recovered.columns):
        try:
            out[column] = tuple(
                recovery.gain(recovered, tries[constant, most], measure, column, level=level)
                for constant in CONSTANTS
                for measure in MEASURES
            )
        except ScoreError:
            continue
    return out


def association(rows: Table, column: str, target: str, level: float) -> Estimate | None:
    """How much a column has to do with the target; None where one of the two does not vary."""
    first, second = Secret.take(rows, column), Secret.take(rows, target)
    there = first.present & second.present
    try:
        if first.kind == second.kind == "category":
            return recovery.cramers_v(first.codes[there], second.codes[there], level=level)
        if first.kind == second.kind:
            return recovery.squared_correlation(first.values[there], second.values[there], level=level)
        number, group = (first, second) if first.kind == "number" else (second, first)
        return recovery.correlation_ratio(number.values[there], group.codes[there], level=level)
    except ScoreError:
        return None


def run_explanations(tables: Tables, plan: ExplanationPlan, **steering: Unpack[Steering]) -> ExplanationsResult:
    """Let every attacker of the plan at the explanations.

    Raises
    ------
    DesignError
        There are too few rows, no such target, or the model cannot learn it.
    """
    registry.check_ready(registry.parse("explained", plan.model))
    if plan.by_library:
        library.check_ready()
    check_groups(tables.real, plan.groups)
    dealt = plan.deal(tables)
    target = plan.target_of(tables.schema)
    offers, units = plan.offers(target), plan.units(target)
    pool = Pool.open(len(units), **steering)
    parts: dict[str, list[PlayedUnit]] = {offer: [] for offer in offers}
    for part in pool.map(phrase("Training and attacking models"), play_units, dealt, units, plan, offers):
        parts[part.unit.offer].append(part)
    return _result(plan, dealt, target, parts)


def _result(
    plan: ExplanationPlan, dealt: ExplanationDeal, target: str, parts: dict[str, list[PlayedUnit]]
) -> ExplanationsResult:
    sizes = plan.sizes(dealt)
    tries = {offer: join_tries(each) for offer, each in parts.items()}
    columns = tries[NONE][MODE, sizes[-1]].columns
    against = _against(plan, tries, sizes[-1])
    looks = _looks(plan, len(columns))
    figures = _figures(plan, sizes[-1], tries, parts)
    people = dealt.train.plus(dealt.pool).plus(dealt.victims)
    first = parts[NONE][0]
    counts = Counts(target, len(dealt.train), len(dealt.pool), len(dealt.victims), tuple(sizes), looks)
    return ExplanationsResult(
        plan=plan,
        counts=counts,
        estimates=tuple(figures.estimates),
        against=against,
        inputs=tuple(Input(column, association(people, column, target, plan.level)) for column in columns),
        tried=_try_defences(plan, figures.estimates, tries, sizes[-1]),
        reference=_reference(parts, plan.level),
        library=first.beside,
        notes=_notes(plan, dealt, figures, looks, sizes),
        members=_gain_of_members(plan, parts, looks),
        for_whom=_for_whom(plan, dealt, named_attacker(against).attacker, tries[NONE], sizes[-1]),
        records=Victims(
            tuple(columns),
            first.truth,
            first.recovered,
            {name: _grade(first, name, sizes[-1]) for name in first.recovered},
            {name: _shares(tries[NONE][name, sizes[-1]], len(first.truth)) for name in first.recovered},
        ),
    )


def _for_whom(plan: ExplanationPlan, dealt: ExplanationDeal, attacker: str, tries: Tries, most: int) -> ForWhom:
    """Of which victims that attacker recovers more than the guess that is hardest to beat, over all models."""
    right, guessed = (tries[name, most].right for name in (attacker, MODE))
    there = ~np.isnan(right)
    values = there.sum(axis=2)
    seen = np.flatnonzero((values > 0).all(axis=0))
    gain = np.where(there, right - guessed, 0.0).sum(axis=2)[:, seen] / values[:, seen]
    rng = stream(plan.seed, "explanations", "groups")
    return by_gains(dealt.victims.rows(seen), gain, attacker, plan.groups, rng, plan.level)


def _grade(first: PlayedUnit, attacker: str, most: int) -> tuple[tuple[bool | None, ...], ...]:
    """Whether each shown value is right; None where the truth is missing."""
    right = first.answers[attacker, most].right[: len(first.truth)]
    return tuple(tuple(None if np.isnan(cell) else bool(cell) for cell in row) for row in right)


def _shares(answers: recovery.Recovered, shown: int) -> tuple[Estimate | None, ...]:
    """How much of each shown victim is recovered over models; None where one model was trained alone."""
    if answers.seeds == 1 or np.isnan(answers.right).all(axis=(0, 2)).any():
        return (None,) * shown
    return recovery.victim_estimates(answers, "success_rate")[:shown]


def _looks(plan: ExplanationPlan, columns: int) -> int:
    return len(plan.attackers) * (columns + 1) + plan.members


def _against(plan: ExplanationPlan, tries: dict[str, Tries], most: int) -> tuple[Against, ...]:
    """Every attacker beside the constant guesses, at the level that allows for all columns and attackers."""
    level = level_of_each(plan.level, _looks(plan, len(tries[NONE][MODE, most].columns)))
    out = []
    for name in plan.attackers:
        holds = str(registry.parse("inverters", name).holds)
        planted = Against(name, holds, True, against_constants(tries[CONTROL], name, most, level))
        out.append(Against(name, holds, planted.successful, against_constants(tries[NONE], name, most, level)))
    return tuple(out)


def _figures(plan: ExplanationPlan, most: int, tries: dict[str, Tries], parts: dict[str, list[PlayedUnit]]) -> Figures:
    figures = Figures(plan, most)
    for offer, recovered in tries.items():
        if offer != CONTROL:
            figures.measures(offer, recovered)
            figures.read(offer, parts[offer])
        if plan.members:
            figures.members(offer, parts[offer])
    figures.gains(tries[NONE])
    figures.accept(tries[NONE])
    return figures


def _try_defences(
    plan: ExplanationPlan, estimates: Sequence[Estimate], tries: dict[str, Tries], most: int
) -> tuple[TriedDefence, ...]:
    """Every defence with the attacker that names most values under it."""
    level = level_of_each(plan.level, max(len(plan.attackers) * len(plan.defences), 1))
    out = []
    for defence in plan.defences:
        own = [estimate for estimate in estimates if estimate.labels.get("defence") == defence]
        rates = [e for e in own if e.name == "success_rate" and e.labels["attacker"] in plan.attackers]
        beaten = [
            recovery.is_successful(
                tries[defence][name, most], *(tries[defence][guess, most] for guess in (MEDIAN, MODE)), level=level
            )
            for name in plan.attackers
        ]
        top = next(estimate for estimate in own if estimate.name == "top_three")
        out.append(TriedDefence(defence, max(rates, key=lambda rate: rate.value), any(beaten), top))
    return tuple(out)


def _reference(parts: dict[str, list[PlayedUnit]], level: float) -> ReferencePoint | None:
    """The single-reference leak, where the service compares with one row and some value is 0."""
    lift, planted = (
        None if parts[offer][0].says is None else reference_lift(*_cells(parts[offer]), level=level)
        for offer in (NONE, CONTROL)
    )
    if lift is None:
        return None
    says, equal = _cells(parts[NONE])
    precision, recall = recovery.reference_leak(says, equal, level=level)
    assert precision is not None
    return ReferencePoint(precision, recall, lift, planted)


def _cells(parts: Sequence[PlayedUnit]) -> tuple[Bools, Bools]:
    cells = [(part.says, part.equal) for part in parts if part.says is not None and part.equal is not None]
    return np.stack([says for says, _ in cells]), np.stack([equal for _, equal in cells])


def _sides(parts: Sequence[PlayedUnit], name: str) -> tuple[Floats, Floats]:
    """(seeds, n), (seeds, m) the scores of people who were in the training, and of others."""
    each = [getattr(part.members, name) for part in parts]
    return np.stack([inside for inside, _ in each]), np.stack([outside for _, outside in each])


def _gain_of_members(plan: ExplanationPlan, parts: dict[str, list[PlayedUnit]], looks: int) -> MembershipGain | None:
    """What explanations tell of who was in the training, and what the planted leak does."""
    if not plan.members:
        return None
    level = level_of_each(plan.level, looks)
    aucs = [recovery.membership(*_sides(parts[offer], "explanation"), level=level) for offer in (NONE, CONTROL)]
    gains = [
        replace(auc, name="membership_gain", value=auc.value - 0.5, low=auc.low - 0.5, high=auc.high - 0.5)
        for auc in aucs
    ]
    return MembershipGain(gains[0], gains[1])


def _notes(
    plan: ExplanationPlan, dealt: ExplanationDeal, figures: Figures, looks: int, sizes: Sequence[int]
) -> tuple[str, ...]:
    notes = []
    if len(dealt.victims) < plan.victims:
        notes.append(
            phrase(
                "The table has room for {victims:,} different victims, a quarter of its rows at most, not for "
                "{wanted:,}.",
                victims=len(dealt.victims),
                wanted=plan.victims,
            )
        )
    if not plan.auxiliary:
        notes.append(phrase("The attacker holds {rows:,} rows: as many as there are, up to 1,600.", rows=sizes[-1]))
    if plan.model_seeds == 1:
        notes.append(
            phrase("One model was trained, so the intervals are about it alone; another may reveal more or less.")
        )
    notes.append(
        phrase(
            "The verdict is corrected for {looks:,} tests, every attacker on every input and overall "
            "(Bonferroni). Sizes, optimisers and defences beside it are for comparison.",
            looks=looks,
        )
    )
    if plan.members:
        notes.append(
            phrase(
                "Who was in the training is one of the tests. Members and victims whose record stands in the table "
                "once are compared; the attacker knows their row and their true answer."
            )
        )
    return tuple(dict.fromkeys([*notes, *figures.notes]))


# What an explanation audit will cost, from a short timed pilot, and what it can show.


def forecast_explanations(tables: Tables, plan: ExplanationPlan, *, workers: int = 1) -> Forecast:
    """Attack one model of every offer with few rows, and one with twice as many, and carry the growth on.

    ``models`` are trained and attacked. ``detectable_gain`` over the constant guess shows itself in 8 of 10 audits in
    one input, allowing for all looks and counting ``victims`` alone, where one of the two is right on half of them.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    dealt = plan.deal(tables)
    units = plan.units(plan.target_of(tables.schema))
    most = plan.sizes(dealt)[-1]

    def attack(rows: int, offer: str = NONE) -> Callable[[], object]:
        small = _small(plan, most, rows)
        return partial(play_units, dealt, [Unit(offer, 0)], small, small.offers(plan.target_of(dealt.train.schema)))

    trial, total = pilot(attack, most), 0.0
    for offer in dict.fromkeys(unit.offer for unit in units):
        seconds_each = trial.few if offer == NONE else seconds_of(attack(trial_rows(most), offer))
        total += seconds_each * sum(unit.offer == offer for unit in units)
    each = total * trial.whole / max(trial.few, 1e-9) / len(units)
    looks = len(plan.attackers) * len(tables.schema.modelled)
    victims = len(dealt.victims)
    gain = detectable_gain(victims, alpha=(1 - level_of_each(plan.level, looks)) / 2)
    numbers = {"models": len(units), "victims": victims, "rows": most, "looks": looks, "detectable_gain": gain}
    return Forecast(trial.loads + shared_seconds(each, len(units), workers), numbers)


def _small(plan: ExplanationPlan, most: int, rows: int) -> ExplanationPlan:
    """The plan with as many sizes, the largest of ``rows``."""
    sizes = plan.auxiliary or (most,)
    return replace(plan, auxiliary=tuple(max(size * min(rows, most) // most, 1) for size in sizes))
