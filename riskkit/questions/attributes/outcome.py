"""What guesses of one secret come to: what the judge takes of it, by which models, and for whom."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskkit.core import Bools, Estimate, Floats, Ints
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
from riskkit.judging.measurement import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import english, kept, say
from riskkit.phrases import Phrase, phrase
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.sides import guesses_of, stays
from riskkit.questions.for_whom import SideRows, by_hits
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats.guesses import Guesses
from riskkit.stats.inference import FIRST, choose_by_earlier
from riskkit.table.features import Inference

# Guesses by the best of several models, each chosen for some people by what it does for others before them.

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
    chosen = _choose_models(first, part, deal, plan)
    whole = {
        place: answers_of(models[place], in_detail=True) if in_detail else first[place] for place in sorted(set(chosen))
    }
    return Best(
        put_together([whole[place] for place in chosen], part),
        tuple(models[place] for place in chosen),
        _count_sides(first[0], part, deal),
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


def _choose_models(
    answers: Sequence[AttributeArms], part: Mapping[str, Ints], deal: AttributeDeal, plan: AttributePlan
) -> tuple[int, ...]:
    """Which model is chosen for each part, by the people by whom members and control can be told apart."""
    guesses = [guesses_of(answer, plan, deal) for answer in answers]
    compared = {side: stays(answers[0].arm(RELEASE, side), deal.apart) for side in (MEMBERS, CONTROL)}
    members, control = ([own[RELEASE, side].rows(compared[side]) for own in guesses] for side in (MEMBERS, CONTROL))
    inside, outside = (part[side][compared[side]] for side in (MEMBERS, CONTROL))
    chosen = choose_by_earlier(members, control, inside, outside, level=plan.level)
    return chosen + chosen[-1:] * (FOLDS - len(chosen))  # parts of people who are not compared


def _count_sides(answers: AttributeArms, part: Mapping[str, Ints], deal: AttributeDeal) -> DistinctSides:
    """Who is compared, less the people who only choose."""
    assert deal.control is not None
    masks = {}
    for side, table in ((MEMBERS, deal.members), (CONTROL, deal.control)):
        masks[side], arm = np.zeros(len(table), dtype=np.bool_), answers.arm(RELEASE, side)
        masks[side][arm.rows] = stays(arm, deal.apart) & (part[side] > FIRST)
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


NO_HOLDOUT = phrase(
    "Without a holdout nobody can say whether people in the data are easier to guess than people outside the "
    "data. What can be said is what the release adds to guessing without it, and what a model trained on the real "
    "data reaches on records it has not seen. Groups are not compared either. Load rows of people outside the "
    "real table as the holdout."
)
NO_CONTROL = kept(
    "There are too few different people in the holdout to plant a leak and see whether it would be found."
)
MORE_PEOPLE = kept("Load a holdout with more different people.")


@dataclass(frozen=True, slots=True)
class About:
    """What was asked: a secret, the known set in words, and the model."""

    secret: str
    known: str
    model: str


@dataclass(frozen=True, slots=True, eq=False)
class Guessed:
    """Each member (n,): its row in the real file, by whom it was guessed rightly, and whether nothing else would."""

    row: Ints
    right: Bools
    confidence: Floats
    baseline_right: Bools
    never_in_right: Bools
    exposed: Bools


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Members beside the control for one secret and known set, all at the level that allows for the looks.

    ``residual`` from the release; ``without`` the same from a model of the real data that never saw whom it guesses;
    ``planted`` from a release with a known leak. None where it could not be had.
    """

    residual: Estimate | None
    without: Estimate | None
    planted: Estimate | None

    @property
    def is_easier_anyway(self) -> bool:
        """Whether members are easier to guess without the release too, by as much: the two tables differ."""
        residual, without = self.residual, self.without
        if residual is None or without is None:
            return False
        return residual.low > 0 and without.low > 0 and residual.low <= without.high

    @property
    def is_harder(self) -> bool:
        """Whether members are harder to guess than others, from the release or without it."""
        return any(side is not None and side.high < 0 for side in (self.residual, self.without))


def measure(
    sides: Sequence[Sides],
    who: Sequence[str],
    *,
    looks: int,
    people: int,
    silent: Sequence[str],
    has_holdout: bool,
) -> Measured:
    """What the judge takes of these secrets and known sets together; of one alone, its own.

    Parameters
    ----------
    who
        What each is called.
    looks
        Secrets and known sets that the intervals allow for.
    people
        Members and control together.
    silent
        What was asked and gave no number.
    has_holdout
        Whether people who were not in were asked about at all.
    """
    there = [side for side in sides if side.residual is not None]
    free = [secret for secret in there if not secret.is_easier_anyway]
    counted = free or there
    strongest = max(counted, key=lambda secret: _sides_estimate(secret).low, default=None)
    widest = max(there, key=lambda secret: _sides_estimate(secret).high, default=None)
    return Measured(
        scale="residual",
        guess=0.0,
        strongest=None if strongest is None else _sides_estimate(strongest),
        widest=None if widest is None else _sides_estimate(widest),
        who="" if strongest is None else who[list(sides).index(strongest)],
        looks=looks,
        control=_control(sides, people),
        unit="record",
        is_complete=len(there) == len(sides) > 0 and not silent,
        silent=", ".join(silent),
        reasons=_reasons(there, free, has_holdout=has_holdout),
    )


def _sides_estimate(sides: Sides) -> Estimate:
    assert sides.residual is not None
    return sides.residual


def _reasons(there: Sequence[Sides], free: Sequence[Sides], *, has_holdout: bool) -> tuple[Reason, ...]:
    """What stands in the way of a verdict."""
    if not there:
        return (Reason("not_compared" if has_holdout else "no_holdout_for_secrets"),)
    reasons = []
    if len(free) < len(there):
        reasons.append(Reason("members_easier_anyway", of_a_part=bool(free)))
    if any(secret.is_harder for secret in there):
        reasons.append(Reason("members_harder"))
    return tuple(reasons)


def _control(sides: Sequence[Sides], people: int) -> Control:
    """The planted leak that was found worst."""
    planted = [side.planted for side in sides]
    if not planted or None in planted:
        return Control.none(say(NO_CONTROL), missed=say(NO_CONTROL), remedy=say(MORE_PEOPLE))
    weakest = min((leak for leak in planted if leak is not None), key=lambda control: control.low)
    words = say("A leak planted as a control has a residual of {weakest}.", weakest=weakest)
    whole = Estimate("residual", weakest.value, weakest.low, weakest.high, weakest.level, weakest.method, people)
    return Control(True, weakest.low if math.isfinite(weakest.low) else -math.inf, words, whole)


@english()
def describe_planted(copies: int, rows: int, inside: int) -> str:
    """What was planted, in a few words."""
    return phrase(
        "{copies:,} of {rows:,} released rows replaced by copies of people of the holdout; half of "
        "{inside:,} such people were copied",
        copies=copies,
        rows=rows,
        inside=inside,
    )


# For whom the strongest guess is right about members more often than about people who were not in.


@dataclass(frozen=True, slots=True, eq=False)
class Right:
    """Of each side the rows of the deal that are compared (n,), and whether the guess about each is right."""

    rows: Mapping[str, Ints]
    right: Mapping[str, Floats]

    @classmethod
    def compare(
        cls, beside: Mapping[tuple[str, str], Guesses], answers: AttributeArms, deal: AttributeDeal
    ) -> Right | None:
        """Of the guesses by which the two sides are compared; None without a control."""
        if deal.apart is None:
            return None
        arms = {side: answers.arm(RELEASE, side) for side in (MEMBERS, CONTROL)}
        kept = {side: arm.rows[stays(arm, deal.apart)] for side, arm in arms.items()}
        return cls(kept, {side: beside[RELEASE, side].right.astype(float) for side in arms})


def guess_title(secret: str, known: str) -> Phrase:
    """What is guessed from what, as the block keeps it."""
    return phrase("{secret!r} from {known}", secret=secret, known=known)


def for_whom(
    plan: AttributePlan, deal: AttributeDeal, answered: Sequence[tuple[About, Sides | None, Right | None]]
) -> ForWhom | None:
    """Groups of people by the guess whose residual is shown to be highest.

    None without people who were not in, and where members are easier to guess by a model that never saw them: then the
    two tables differ, and so would groups of them.
    """
    strengths = [
        (sides.residual.low, about, right)
        for about, sides, right in answered
        if sides is not None and sides.residual is not None and right is not None and not sides.is_easier_anyway
    ]
    if not strengths or deal.control is None:
        return None
    _, about, right = max(strengths, key=lambda strength: strength[0])
    tables = {MEMBERS: deal.members.table, CONTROL: deal.control.table}
    members, others = (
        SideRows(tables[side], right.rows[side], right.right[side], whose.rows(right.rows[side]))
        for side, whose in zip((MEMBERS, CONTROL), deal.whose, strict=True)
    )
    rng = stream(plan.seed, "attributes", "groups")
    return by_hits(members, others, guess_title(about.secret, about.known), plan.groups, rng, plan.level)
