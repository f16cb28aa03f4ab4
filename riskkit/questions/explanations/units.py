"""One offer of the explanation service under one model seed: expose it, and let every attacker at it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from riskkit import registry
from riskkit.core import Bools, Floats
from riskkit.explain.features import Encoder
from riskkit.explain.publishing import Fidelity
from riskkit.games import explanation as game
from riskkit.games.explanation import BASELINES, CONSTANTS, Evidence, GradedAnswers, LibraryDistance, beside
from riskkit.games.explanation_deal import ExplanationDeal, Offer
from riskkit.questions.explanations.plan import CONTROL, NONE, ExplanationPlan, Unit
from riskkit.table.write import to_csv

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
    ``recovered`` hold values of people and are for the page alone.
    """

    unit: Unit
    answers: dict[tuple[str, int], GradedAnswers]
    says: Bools | None = None
    equal: Bools | None = None
    read: Fidelity | None = None
    truth: Texts = ()
    recovered: dict[str, Texts] = field(default_factory=dict)
    beside: LibraryDistance | None = None


def play_units(
    dealt: ExplanationDeal, units: Sequence[Unit], plan: ExplanationPlan, offers: dict[str, Offer]
) -> list[PlayedUnit]:
    """What came of each unit."""
    return [_play(dealt, unit, plan, offers[unit.offer]) for unit in units]


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
