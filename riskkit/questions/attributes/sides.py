"""Guesses of every arm as statistics want them: about everybody, and those by whom members and control are compared.

Then what they come to: gains over a constant guess, and rows that match exactly (CAP).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import product

import numpy as np

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Ints
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
    GuessArm,
    play,
)
from riskkit.games.attribute_deal import AttributeDeal, DistinctSides
from riskkit.questions.attributes import words
from riskkit.questions.attributes.plan import TESTED_PEOPLE, AttributePlan
from riskkit.seeds import stream
from riskkit.stats import matches as stats
from riskkit.stats.exposure import Exposure, exposed_people, exposure
from riskkit.stats.gains import CHANCE, Baseline, gain, leakage_ratio, most_frequent
from riskkit.stats.guesses import CategoryGuesses, Guesses, NumberGuesses
from riskkit.stats.matches import Matches

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
    return {pair: guesses.rows(stays(answers.arm(*pair), deal.apart)) for pair, guesses in sides.items()}


def stays(arm: GuessArm, apart: DistinctSides | None) -> Bools:
    """(n,) who of an arm is compared; everybody where nobody is left out."""
    if apart is None:
        return np.ones(len(arm.rows), dtype=np.bool_)
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
        own = stays(arm, deal.apart)
        each = _first_of_people(is_named, whose.person[arm.rows][own])
        sides.append((is_named[each], arm.cluster[own][each], arm.alike[own][each]))
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


GAINED: Mapping[str, tuple[str, ...]] = {
    "category": ("accuracy", "balanced_accuracy", "macro_f1", "auc"),
    "number": ("within", "mae"),
}
"""Measures whose gain is given, the share of right guesses first of its kind."""


def gains(
    sides: Sides, plan: AttributePlan, metrics: Sequence[str], add: Callable[..., None], *, with_ratios: bool
) -> None:
    """The gains of both models about both sides, then the ratios about the people who were not in, if any are.

    ``sides`` are the guesses about everybody. ``add`` is told how to make each estimate, and its labels.
    """
    tested = [side for side in (CONTROL, MEMBERS) if (RELEASE, side) in sides]

    @cache
    def constant(side: str) -> Baseline:
        """The constant guess that the plan asks for, about that side."""
        if plan.baseline != TESTED_PEOPLE:
            return Baseline(sides[MAJORITY, side])
        return most_frequent(sides[TESTED, side], level=plan.level)

    def baseline(metric: str, side: str) -> tuple[Baseline, str]:
        """What that measure of guesses about that side is set against, and what it is called."""
        if metric in CHANCE:  # the tested people's own level is there for sure: the constant reaches 1 of so many
            return Baseline(sides[TESTED, side]), "chance"
        return constant(side), plan.baseline

    def gain_of(metric: str, trained_on: str, side: str) -> Estimate:
        over, name = baseline(metric, side)
        return gain(sides[trained_on, side], over, metric=metric, level=plan.level).label(baseline=name)

    def ratio_of(metric: str, side: str) -> Estimate:
        over, name = baseline(metric, side)
        release, real = sides[RELEASE, side], sides[REAL, side]
        return leakage_ratio(release, real, over, metric=metric, level=plan.level).label(baseline=name)

    for trained_on, side in product((RELEASE, REAL), tested):
        if (trained_on, side) in sides:
            for metric in metrics:
                add(partial(gain_of, metric, trained_on, side), trained_on=trained_on, tested_on=side)
    for metric in metrics:
        if with_ratios and metric in words.RATIOS:
            add(partial(ratio_of, metric, tested[0]), trained_on=RELEASE, tested_on=tested[0])


ALONE = (stats.matched_share, stats.cap, stats.dcap, stats.agreed_share, stats.tcap)
"""What is said of one side."""


def matches(
    deal: AttributeDeal, question: AttributeQuestion, plan: AttributePlan, add: Callable[..., None]
) -> Sequence[str]:
    """CAP, DCAP and TCAP for a category, with the share of records they stand on; gives what must be said beside them.

    Members and people who were not in are looked up alike, so that a DCAP of both is seen to be true of everybody.
    ``add`` is told how to make each estimate, and its labels.
    """
    model = registry.make("inference", "cap", no_match=plan.no_match)
    rng = stream(plan.seed, "attributes", "matches", question.secret, *question.known)
    asked = AttributeQuestion(question.secret, question.known, model)
    answers = play(deal.release, deal.members, deal.control, asked, rng, ceiling=False, whose=deal.whose)
    sides = {
        side: _side_matches(answers, side) for side in (CONTROL, MEMBERS) if side == MEMBERS or deal.control is not None
    }
    labels = {"trained_on": RELEASE, "model": registry.spell(model)}
    for side, looked_up in sides.items():
        for of_side in ALONE:
            add(lambda s=of_side, m=looked_up: s(m, level=plan.level), **labels, tested_on=side)
    if deal.apart is not None:
        inside, outside = (sides[s].rows(stays(answers.arm(RELEASE, s), deal.apart)) for s in (MEMBERS, CONTROL))
        for of_both in (stats.dcap_apart, stats.tcap_apart):
            add(lambda s=of_both: s(inside, outside, level=plan.level), **labels)
    has_numbers = any(deal.release.table.schema.column(name).is_numeric for name in question.known)
    return words.beside(plan.no_match, has_numbers=has_numbers)


def _side_matches(answers: AttributeArms, side: str) -> Matches:
    """The looked-up records of one side."""
    arm, drawn = answers.arm(RELEASE, side), answers.arm(DRAW, side)
    assert arm.p_truth is not None
    assert drawn.p_truth is not None
    assert arm.matched is not None
    assert arm.confidence is not None
    agreed = arm.matched & (arm.confidence == 1.0)
    guesses = CategoryGuesses(arm.truth, arm.guess, None, arm.cluster)
    return Matches(guesses, arm.p_truth, drawn.p_truth, arm.matched, agreed)
