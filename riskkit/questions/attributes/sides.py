"""The guesses of every arm as statistics want them, and of those people by whom members and control are compared."""

from __future__ import annotations

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.games.attribute import CONTROL, DRAW, MAJORITY, MEMBERS, RELEASE, WITHOUT, AttributeArms, GuessArm
from riskkit.games.attribute_deal import AttributeDeal, DistinctSides
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.seeds import stream
from riskkit.stats.exposure import Exposure, exposed_people, exposure
from riskkit.stats.guesses import CategoryGuesses, Guesses, NumberGuesses

Sides = dict[tuple[str, str], Guesses]
"""Guesses by what their model was trained on and whom it was tested on."""


def guesses_of(answers: AttributeArms, plan: AttributePlan, deal: AttributeDeal) -> Sides:
    """The guesses of every arm, about everybody."""
    tolerance = plan.tolerance_of(deal.members.table.schema, answers.secret)
    out: Sides = {}
    for arm in answers.arms:
        rng = stream(plan.seed, "attributes", "draw", answers.secret, arm.tested_on)
        guess = _draw_from_release(arm, rng) if arm.trained_on == DRAW else arm.guess
        if answers.kind == "number":
            out[arm.trained_on, arm.tested_on] = NumberGuesses(arm.truth, guess, tolerance, arm.cluster)
        else:
            prior = answers.arm(DRAW, arm.tested_on).probability
            probability = _fill_probabilities(arm.probability, prior)
            out[arm.trained_on, arm.tested_on] = CategoryGuesses(arm.truth, guess, probability, arm.cluster)
    return out


def compare_sides(sides: Sides, answers: AttributeArms, deal: AttributeDeal) -> Sides:
    """The guesses about those by whom members and control can be told apart; none without a control."""
    if deal.apart is None:
        return {}
    return {pair: guesses.rows(_stays(answers.arm(*pair), deal.apart)) for pair, guesses in sides.items()}


def _stays(arm: GuessArm, apart: DistinctSides) -> Bools:
    """(n,) who of an arm is compared."""
    return (apart.members if arm.tested_on == MEMBERS else apart.control)[arm.rows]


def release_names(sides: Sides, side: str, plan: AttributePlan) -> Bools:
    """(n,) who of that side only the release gives away, see :func:`riskkit.stats.exposure.exposed_people`.

    Members and control are held to models that are alike, and to one constant, that of the release: with others, luck
    of one of them would name people.
    """
    return exposed_people(sides[RELEASE, side], sides[MAJORITY, side], sides[WITHOUT, side], least=plan.confidence)


def exposure_of(beside: Sides, answers: AttributeArms, plan: AttributePlan, deal: AttributeDeal) -> Exposure:
    """How many members are named, and how many would be by chance, of the guesses that :func:`compare_sides` returned.

    A person of several rows is named where one of them is.

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    assert deal.apart is not None
    sides = []
    for side, whose in zip((MEMBERS, CONTROL), deal.whose, strict=True):
        arm, is_named = answers.arm(RELEASE, side), release_names(beside, side, plan)
        stays = _stays(arm, deal.apart)
        each = _first_of_people(is_named, whose.person[arm.rows][stays])
        sides.append((is_named[each], arm.cluster[stays][each], arm.alike[stays][each]))
    members, control = sides
    return exposure(
        members[0],
        control[0],
        cluster_of_members=members[1],
        cluster_of_control=control[1],
        known_of_members=members[2],
        known_of_control=control[2],
        level=plan.level,
    )


def _first_of_people(is_named: Bools, person: Ints) -> Ints:
    """One row of each person, in their order: the first that is named, else the first."""
    order = np.lexsort((np.arange(len(person)), ~is_named, person))
    first = np.unique(person[order], return_index=True)[1]
    return np.sort(order[first])


def _draw_from_release(arm: GuessArm, rng: np.random.Generator) -> Ints | Floats:
    """One value drawn from the release for each record, the same whatever the order of the file."""
    place = np.lexsort((arm.alike, arm.cluster))
    if arm.prior is not None:
        drawn = rng.choice(arm.prior, len(arm))
    else:
        assert arm.probability is not None
        drawn = rng.choice(arm.probability.shape[1], len(arm), p=arm.probability[0])
    out = np.empty_like(drawn)
    out[place] = drawn
    return out


def _fill_probabilities(probability: Floats | None, prior: Floats | None) -> Floats | None:
    """The probabilities; those of the release where a model that looks rows up found none."""
    if probability is None or prior is None or probability.any(axis=1).all():
        return probability
    return np.where(probability.any(axis=1, keepdims=True), probability, prior)
