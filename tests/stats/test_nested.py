"""The choice among several ways to guess: by people of other folds alone."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Bools, Ints
from riskkit.errors import ScoreError
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.nested import chosen_by_others

FOLD = np.arange(100) % 5


def guesses(right: Bools) -> CategoryGuesses:
    return CategoryGuesses(np.ones(len(right), dtype=int), right.astype(int))


def some(*of_fold: int) -> Bools:
    """So many of the twenty people of each fold are guessed rightly."""
    right = np.zeros(100, dtype=bool)
    for fold, hits in enumerate(of_fold):
        right[np.flatnonzero(fold == FOLD)[:hits]] = True
    return right


def chosen(members: list[Bools], control: list[Bools], fold: Ints = FOLD) -> tuple[int, ...]:
    return chosen_by_others([guesses(one) for one in members], [guesses(one) for one in control], fold, fold)


def test_each_fold_takes_what_is_best_for_the_others() -> None:
    """The second way is right of all members of the first fold and of none else: that fold must not know."""
    steady, first = some(8, 8, 8, 8, 8), some(20, 0, 0, 0, 0)
    nothing = some(4, 4, 4, 4, 4)
    assert chosen([steady, first], [nothing, nothing]) == (0, 0, 0, 0, 0)
    lucky = some(20, 14, 0, 0, 0)  # 14 hits without its first fold, 32 of the steady one; 34 with it
    assert chosen([steady, lucky], [nothing, nothing])[0] == 0
    huge = some(20, 20, 20, 0, 0)
    assert chosen([steady, huge], [nothing, nothing]) == (1, 1, 1, 1, 1)


def test_a_fold_has_no_say_in_its_own_choice() -> None:
    rng = np.random.default_rng(3)
    members, control = ([rng.random(100) < 0.4 for _ in range(4)] for _ in "ab")
    before = chosen(members, control)
    for fold in range(5):
        turned = [one.copy() for one in members]
        for one in turned:
            one[fold == FOLD] = rng.random(20) < 0.5
        assert chosen(turned, control)[fold] == before[fold]


def test_equal_ways_give_the_first_and_those_without_a_number_are_passed_over() -> None:
    half, everybody = some(10, 10, 10, 10, 10), np.ones(100, dtype=bool)
    assert chosen([half, half], [some(2, 2, 2, 2, 2)] * 2) == (0,) * 5
    assert chosen([everybody, half], [everybody, some(2, 2, 2, 2, 2)]) == (1,) * 5
    assert chosen([everybody, everybody], [everybody, everybody]) == (0,) * 5


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(ScoreError, match="no way to guess"):
        chosen_by_others([], [], FOLD, FOLD)
