"""Guesses by the best of several models, each chosen for some people by what it does for others before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskkit.core import Bools, Ints
from riskkit.games.attribute import (
    CONTROL,
    FOLDS,
    MEMBERS,
    REAL,
    RELEASE,
    WITHOUT,
    AttributeArms,
    AttributeQuestion,
    GuessArm,
    folds,
    play,
)
from riskkit.games.attribute_deal import AttributeDeal, DistinctSides
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.sides import guesses_of
from riskkit.seeds import stream
from riskkit.stats.inference import FIRST, chosen_by_earlier
from riskkit.table.features import Inference

OF_A_MODEL = (RELEASE, REAL, WITHOUT)
"""Arms that a model guesses; the others say the same of everybody, whatever the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """What the chosen models say together, which was chosen for the people of each part, and who is compared.

    ``apart`` leaves out the people of the first part: they choose, and are not counted where the two sides are
    compared.
    """

    answers: AttributeArms
    chosen: tuple[Inference, ...]
    apart: DistinctSides

    @property
    def times(self) -> dict[str, int]:
        """For how many of the parts that are counted each model was chosen, the one chosen most often first."""
        return dict(Counter(model.name for model in self.chosen[FIRST + 1 :]).most_common())

    @property
    def model(self) -> Inference:
        """The model chosen most often, of equal ones the one chosen first."""
        name = next(iter(self.times))
        return next(model for model in self.chosen if model.name == name)


def play_best(
    deal: AttributeDeal,
    secret: str,
    known: tuple[str, ...],
    models: Sequence[Inference],
    plan: AttributePlan,
    seeds: tuple[str, ...],
    *,
    in_detail: bool,
) -> Best:
    """Let every model guess of everybody, choose for each part of the people by the parts before, and put it together.

    Where all parts choose one model, this is what that model says of these people when it is named.

    Parameters
    ----------
    models
        Those that can guess this secret, at least one.
    seeds
        The name of the stream of chance.
    in_detail
        Whether models of the real rows are trained beside that of the release.

    Raises
    ------
    DesignError
        Nobody can be asked.
    """

    def answers_of(model: Inference, *, in_detail: bool) -> AttributeArms:
        question, rng = AttributeQuestion(secret, known, model), stream(plan.seed, *seeds)
        tables = deal.release, deal.members, deal.control
        return play(*tables, question, rng, ceiling=in_detail, out_of_fold=in_detail, whose=deal.whose)

    first = [answers_of(model, in_detail=False) for model in models]
    part = parts_of_people(first[0], stream(plan.seed, *seeds, "parts"))
    chosen = _chosen(first, part, deal, plan)
    whole = {
        place: answers_of(models[place], in_detail=True) if in_detail else first[place] for place in sorted(set(chosen))
    }
    return Best(
        put_together([whole[place] for place in chosen], part),
        tuple(models[place] for place in chosen),
        _counted(first[0], part, deal),
    )


def parts_of_people(answers: AttributeArms, rng: np.random.Generator) -> dict[str, Ints]:
    """The part of each person by table, as many of either side in each; a record of both tables has one part."""
    sides = {side: answers.arm(RELEASE, side).cluster for side in (MEMBERS, CONTROL)}
    inside, outside = (np.unique(sides[side]) for side in (MEMBERS, CONTROL))
    own = np.zeros(1 + max(inside.max(), outside.max()), dtype=np.int64)
    both = np.intersect1d(inside, outside)
    for records in (np.setdiff1d(inside, both), np.setdiff1d(outside, both), both):
        if len(records):
            own[records] = folds(records, FOLDS, rng)
    return {side: own[cluster] for side, cluster in sides.items()}


def _chosen(
    answers: Sequence[AttributeArms], part: Mapping[str, Ints], deal: AttributeDeal, plan: AttributePlan
) -> tuple[int, ...]:
    """Which model is chosen for each part, by the people by whom members and control can be told apart."""
    guesses = [guesses_of(answer, plan, deal) for answer in answers]
    stays = {side: _stays(answers[0], side, deal) for side in (MEMBERS, CONTROL)}
    members, control = ([own[RELEASE, side].rows(stays[side]) for own in guesses] for side in (MEMBERS, CONTROL))
    inside, outside = (part[side][stays[side]] for side in (MEMBERS, CONTROL))
    chosen = chosen_by_earlier(members, control, inside, outside, level=plan.level)
    return chosen + chosen[-1:] * (FOLDS - len(chosen))  # parts of people who are not compared


def _stays(answers: AttributeArms, side: str, deal: AttributeDeal) -> Bools:
    """(n,) who of that side is compared."""
    rows = answers.arm(RELEASE, side).rows
    if deal.apart is None:
        return np.ones(len(rows), dtype=np.bool_)
    return (deal.apart.members if side == MEMBERS else deal.apart.control)[rows]


def _counted(answers: AttributeArms, part: Mapping[str, Ints], deal: AttributeDeal) -> DistinctSides:
    """Who is compared, less the people who only choose."""
    assert deal.control is not None
    masks = {}
    for side, table in ((MEMBERS, deal.members), (CONTROL, deal.control)):
        masks[side] = np.zeros(len(table), dtype=np.bool_)
        masks[side][answers.arm(RELEASE, side).rows] = _stays(answers, side, deal) & (part[side] > FIRST)
    before = deal.apart or DistinctSides(masks[MEMBERS], masks[CONTROL], 0, 0, 0)
    return replace(before, members=masks[MEMBERS], control=masks[CONTROL])


def put_together(of_part: Sequence[AttributeArms], part: Mapping[str, Ints]) -> AttributeArms:
    """One set of answers: about the people of each part what ``of_part`` has there."""
    arms = [
        _arm([answers.arm(arm.trained_on, arm.tested_on) for answers in of_part], part[arm.tested_on])
        if arm.trained_on in OF_A_MODEL
        else arm
        for arm in of_part[0].arms
    ]
    return replace(of_part[0], arms=tuple(arms))


def _arm(of_part: Sequence[GuessArm], part: Ints) -> GuessArm:
    """One arm out of those of each part; what a model does not have, nobody has."""

    def of(name: str) -> Any:
        values = [getattr(arm, name) for arm in of_part]
        if any(value is None for value in values):
            return None
        out = np.array(values[0])
        for number, value in enumerate(values):
            out[part == number] = value[part == number]
        return out

    names = ("guess", "p_truth", "confidence", "probability", "matched")
    pieced: dict[str, Any] = {name: of(name) for name in names}
    return replace(of_part[0], **pieced)
