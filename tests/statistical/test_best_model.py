"""Where nothing leaks, the best of several models shows a leak as seldom as one model does.

Chosen by the very people who are counted it would show one many times as often, and chosen for each part of the people
by all others, as in cross-validation, twice as often: both are planted and seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Bools, Ints
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE
from riskkit.questions.attributes.outcome import play_best
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.sides import compare_sides, guesses_of
from riskkit.registry import parse
from riskkit.stats import inference
from riskkit.stats.guesses import CategoryGuesses, Guesses
from riskkit.stats.inference import residual
from riskkit.table.load import Tables
from tests.statistical.test_exposure_coverage import letters

NULLS, WAYS, PEOPLE = 500, 7, 400
ALARMS = int(stats.binom.isf(1e-4, NULLS, 0.05))
END, TWICE = (int(stats.binom.isf(1e-4, times, 0.025)) for times in (NULLS, 2 * NULLS))
"""Intervals that may leave 0 out, at both ends and at one: 5 % and 2.5 %, and what luck adds once in 10,000 runs."""
MODELS = "copy", "tree:leaf=1", "tree:leaf=5", "cap"

Choice = Callable[..., tuple[int, ...]]


def by_everybody(
    members: Sequence[Guesses], control: Sequence[Guesses], inside: Ints, outside: Ints, *, level: float = 0.95
) -> tuple[int, ...]:
    """A mutant: the choice of each part sees everybody, those of the part among them."""
    return (_surest(members, control, inside >= 0, outside >= 0, level),) * (1 + int(inside.max()))


def by_others(
    members: Sequence[Guesses], control: Sequence[Guesses], inside: Ints, outside: Ints, *, level: float = 0.95
) -> tuple[int, ...]:
    """A mutant that looks fair: the choice of each part sees all others, so two parts choose for one another."""
    parts = range(1 + int(inside.max()))
    return tuple(_surest(members, control, inside != part, outside != part, level) for part in parts)


def _surest(members: Sequence[Guesses], control: Sequence[Guesses], inside: Bools, outside: Bools, level: float) -> int:
    pairs = zip(members, control, strict=True)
    return int(np.argmax([residual(left.rows(inside), right.rows(outside), level=level).low for left, right in pairs]))


def joined(ways: Sequence[CategoryGuesses], chosen: Sequence[int], part: Ints) -> CategoryGuesses:
    """The guess of the way that was chosen for each person's part."""
    guess = np.array([way.guess for way in ways])[np.asarray(chosen)[part], np.arange(len(part))]
    return CategoryGuesses(ways[0].truth, guess)


def alarms_of_ways(choose: Choice, times: int, first: int = 1) -> tuple[int, int]:
    """How often the interval of the residual lies above 0, and how often below, of ways that are right of both alike.

    People of parts before ``first`` only choose.
    """
    above = below = 0
    for seed in range(times):
        rng = np.random.default_rng([25, seed])
        part = np.arange(PEOPLE) % 5
        levels = rng.uniform(0.2, 0.9, WAYS)
        of_person = rng.random((2, 1, PEOPLE))  # who is easy to guess is so for all ways, by half
        own = rng.random((2, WAYS, PEOPLE))
        easy = rng.random((2, 1, PEOPLE)) < 0.5
        right = np.where(easy, of_person, own) < levels[:, None]
        ways = [[CategoryGuesses(np.ones(PEOPLE, dtype=int), hits.astype(int)) for hits in side] for side in right]
        chosen = choose(ways[0], ways[1], part, part)
        excess = residual(*(joined(side, chosen, part).rows(part >= first) for side in ways))
        above += excess.low > 0
        below += excess.high < 0
    return above, below


def alarms_of_games(times: int) -> tuple[int, int]:
    """The same through models of the product, on releases of other people."""
    draw, above, below = letters(12, 12, 12, peak=0.2), 0, 0
    models = [parse("inference", name) for name in MODELS]
    for seed in range(times):
        rng = np.random.default_rng([26, seed])
        real, holdout, release = (draw(rng, n) for n in (300, 150, 300))
        plan = AttributePlan(("secret",), model="best", seed=seed)
        deal = plan.deal(Tables(real, release, holdout, real.schema, (), ()))
        known = tuple(column.name for column in real.schema.columns if column.name != "secret")
        best = play_best(deal, "secret", known, models, plan, ("null",), in_detail=False)
        sides = compare_sides(guesses_of(best.answers, plan, deal), best.answers, replace(deal, apart=best.apart))
        excess = residual(sides[RELEASE, MEMBERS], sides[RELEASE, CONTROL])
        above += excess.low > 0
        below += excess.high < 0
    return above, below


@pytest.mark.slow
def test_of_500_nulls_few_show_a_leak() -> None:
    above, below = alarms_of_ways(inference.choose_by_earlier, NULLS)
    assert max(above, below) <= END
    assert above + below <= ALARMS


@pytest.mark.slow
def test_of_500_releases_of_other_people_few_show_a_leak() -> None:
    above, below = alarms_of_games(NULLS)
    assert max(above, below) <= END
    assert above + below <= ALARMS


@pytest.mark.slow
def test_a_choice_by_those_who_are_counted_or_by_all_others_is_seen() -> None:
    assert alarms_of_ways(by_everybody, NULLS, first=0)[0] > END
    assert alarms_of_ways(by_others, 2 * NULLS, first=0)[0] > TWICE
