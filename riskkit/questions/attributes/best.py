"""Guesses by the best of several models, each chosen for some people by what it does for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Ints
from riskkit.games.attribute import CONTROL, FOLDS, MEMBERS, REAL, RELEASE, WITHOUT, Answers, Arm, Question, folds, play
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.sides import compared, guesses_of
from riskkit.seeds import stream
from riskkit.stats.nested import chosen_by_others
from riskkit.table.guess import Inference

OF_A_MODEL = (RELEASE, REAL, WITHOUT)
"""Arms that a model guesses; the others say the same of everybody, whatever the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """What the chosen models say together, and which was chosen for the people of each fold."""

    answers: Answers
    chosen: tuple[Inference, ...]

    @property
    def times(self) -> dict[str, int]:
        """For how many folds each model was chosen, the one chosen most often first."""
        return dict(Counter(model.name for model in self.chosen).most_common())

    @property
    def model(self) -> Inference:
        """The model chosen most often, of equal ones the one of the first fold."""
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
    """Let every model guess of everybody, choose for each fifth of the people by the other four, and put it together.

    Where all folds choose one model, this is what that model says when it is named.

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

    def answers_of(model: Inference, *, in_detail: bool) -> Answers:
        question, rng = Question(secret, known, model), stream(plan.seed, *seeds)
        tables = deal.release, deal.members, deal.control
        return play(*tables, question, rng, ceiling=in_detail, out_of_fold=in_detail)

    first = [answers_of(model, in_detail=False) for model in models]
    fold = people_folds(first[0], stream(plan.seed, *seeds, "folds"))
    chosen = _chosen(first, fold, deal, plan)
    whole = {at: answers_of(models[at], in_detail=True) if in_detail else first[at] for at in sorted(set(chosen))}
    return Best(put_together([whole[at] for at in chosen], fold), tuple(models[at] for at in chosen))


def people_folds(answers: Answers, rng: np.random.Generator) -> dict[str, Ints]:
    """The fold of each person by table, as many of either side in each; a record of both tables has one fold."""
    sides = {side: answers.arm(RELEASE, side).cluster for side in (MEMBERS, CONTROL)}
    inside, outside = (np.unique(sides[side]) for side in (MEMBERS, CONTROL))
    own = np.zeros(1 + max(inside.max(), outside.max()), dtype=np.int64)
    both = np.intersect1d(inside, outside)
    for records in (np.setdiff1d(inside, both), np.setdiff1d(outside, both), both):
        if len(records):
            own[records] = folds(records, FOLDS, rng)
    return {side: own[cluster] for side, cluster in sides.items()}


def _chosen(
    answers: Sequence[Answers], fold: Mapping[str, Ints], deal: AttributeDeal, plan: AttributePlan
) -> tuple[int, ...]:
    """Which model is chosen for each fold, by the people by whom members and control can be told apart."""
    guesses = [guesses_of(one, plan, deal) for one in answers]
    beside = (
        guesses if deal.apart is None else [compared(own, one, deal) for own, one in zip(guesses, answers, strict=True)]
    )
    own = dict(fold)
    if deal.apart is not None:
        for side, stays in ((MEMBERS, deal.apart.members), (CONTROL, deal.apart.control)):
            own[side] = fold[side][stays[answers[0].arm(RELEASE, side).rows]]
    sides = ([one[RELEASE, side] for one in beside] for side in (MEMBERS, CONTROL))
    chosen = chosen_by_others(*sides, own[MEMBERS], own[CONTROL], level=plan.level)
    return chosen + chosen[:1] * (FOLDS - len(chosen))  # folds of people who are not compared


def put_together(of_fold: Sequence[Answers], fold: Mapping[str, Ints]) -> Answers:
    """One set of answers: about the people of each fold what ``of_fold`` has there."""
    arms = [
        _arm([answers.arm(arm.trained_on, arm.tested_on) for answers in of_fold], fold[arm.tested_on])
        if arm.trained_on in OF_A_MODEL
        else arm
        for arm in of_fold[0].arms
    ]
    return replace(of_fold[0], arms=tuple(arms))


def _arm(of_fold: Sequence[Arm], fold: Ints) -> Arm:
    """One arm out of those of each fold; what a model does not have, nobody has."""

    def of(name: str) -> np.ndarray | None:
        parts = [getattr(arm, name) for arm in of_fold]
        if any(part is None for part in parts):
            return None
        out: np.ndarray = np.array(parts[0])
        for number, part in enumerate(parts):
            out[fold == number] = part[fold == number]
        return out

    return replace(
        of_fold[0], **{name: of(name) for name in ("guess", "p_truth", "confidence", "probability", "matched")}
    )
