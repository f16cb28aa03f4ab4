"""Where nothing leaks, the best of several models shows a leak as seldom as one model does.

Chosen by the very people who are counted it would show one several times as often, which is planted and seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Ints
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE
from riskkit.questions.attributes import best
from riskkit.questions.attributes.best import play_best
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.sides import compared, guesses_of
from riskkit.registry import parse
from riskkit.stats import nested
from riskkit.stats.guesses import CategoryGuesses, Guesses
from riskkit.stats.inference import residual
from riskkit.table.load import Tables
from tests.statistical.test_exposure_coverage import letters

NULLS, WAYS, PEOPLE = 500, 7, 400
ALARMS = int(stats.binom.isf(1e-4, NULLS, 0.05))
"""Intervals that may leave 0 out of 500: 5 %, and what luck adds once in 10,000 runs."""
MODELS = "copy", "tree:leaf=1", "tree:leaf=5", "cap"

Choice = Callable[..., tuple[int, ...]]


def by_everybody(
    members: Sequence[Guesses], control: Sequence[Guesses], inside: Ints, outside: Ints, *, level: float = 0.95
) -> tuple[int, ...]:
    """A mutant: the choice of each fold sees everybody, those of the fold among them."""
    ends = [residual(one, other, level=level).low for one, other in zip(members, control, strict=True)]
    return (int(np.argmax(ends)),) * (1 + int(inside.max()))


def joined(ways: Sequence[CategoryGuesses], chosen: Sequence[int], fold: Ints) -> CategoryGuesses:
    """The guess of the way that was chosen for each person's fold."""
    guess = np.array([way.guess for way in ways])[np.asarray(chosen)[fold], np.arange(len(fold))]
    return CategoryGuesses(ways[0].truth, guess)


def alarms_of_ways(choose: Choice, times: int) -> int:
    """How often the interval of the residual leaves 0 out, of ways that are right of either side alike."""
    count = 0
    for seed in range(times):
        rng = np.random.default_rng([25, seed])
        fold = np.arange(PEOPLE) % 5
        levels = rng.uniform(0.2, 0.9, WAYS)
        of_person = rng.random((2, 1, PEOPLE))  # who is easy to guess is so for all ways, by half
        own = rng.random((2, WAYS, PEOPLE))
        easy = rng.random((2, 1, PEOPLE)) < 0.5
        right = np.where(easy, of_person, own) < levels[:, None]
        ways = [[CategoryGuesses(np.ones(PEOPLE, dtype=int), hits.astype(int)) for hits in side] for side in right]
        chosen = choose(ways[0], ways[1], fold, fold)
        found = residual(*(joined(side, chosen, fold) for side in ways))
        count += not found.low <= 0 <= found.high
    return count


def alarms_of_games(times: int) -> int:
    """The same through models of the product, on releases of other people."""
    draw, count = letters(12, 12, 12, peak=0.2), 0
    models = [parse("inference", name) for name in MODELS]
    for seed in range(times):
        rng = np.random.default_rng([26, seed])
        real, holdout, release = (draw(rng, n) for n in (300, 150, 300))
        plan = AttributePlan(("secret",), model="best", seed=seed)
        deal = plan.deal(Tables(real, release, holdout, real.schema, (), ()))
        known = tuple(column.name for column in real.schema.columns if column.name != "secret")
        answers = play_best(deal, "secret", known, models, plan, ("null",), in_detail=False).answers
        sides = compared(guesses_of(answers, plan, deal), answers, deal)
        found = residual(sides[RELEASE, MEMBERS], sides[RELEASE, CONTROL])
        count += not found.low <= 0 <= found.high
    return count


@pytest.mark.slow
def test_of_500_nulls_few_show_a_leak() -> None:
    assert alarms_of_ways(nested.chosen_by_others, NULLS) <= ALARMS


@pytest.mark.slow
def test_of_500_releases_of_other_people_few_show_a_leak() -> None:
    assert alarms_of_games(NULLS) <= ALARMS


@pytest.mark.second
def test_a_choice_by_those_who_are_counted_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    times = 120
    most = int(stats.binom.isf(1e-4, times, 0.05))
    assert alarms_of_ways(by_everybody, times) > most
    monkeypatch.setattr(best, "chosen_by_others", by_everybody)
    assert alarms_of_games(times) > most
