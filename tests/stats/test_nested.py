"""The choice among several ways to guess: by people of earlier parts alone."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Bools, Ints
from riskkit.errors import ScoreError
from riskkit.stats.guesses import CategoryGuesses
from riskkit.stats.nested import chosen_by_earlier

FOLD = np.arange(100) % 5


def guesses(right: Bools) -> CategoryGuesses:
    return CategoryGuesses(np.ones(len(right), dtype=int), right.astype(int))


def some(*of_fold: int) -> Bools:
    """So many of the twenty people of each part are guessed rightly."""
    right = np.zeros(100, dtype=bool)
    for fold, hits in enumerate(of_fold):
        right[np.flatnonzero(fold == FOLD)[:hits]] = True
    return right


def chosen(members: list[Bools], control: list[Bools], fold: Ints = FOLD) -> tuple[int, ...]:
    return chosen_by_earlier([guesses(right) for right in members], [guesses(right) for right in control], fold, fold)


def test_each_part_takes_what_is_best_for_those_before() -> None:
    """The second way is right of few in the first two parts and of everybody then: only the last part may know it."""
    steady, late = some(10, 10, 10, 10, 10), some(0, 5, 20, 20, 20)
    nothing = some(4, 4, 4, 4, 4)
    assert chosen([steady, late], [nothing, nothing])[1:] == (0, 0, 0, 1)
    assert chosen([steady, late], [nothing, nothing])[0] == 1, "who only chooses has the choice of all others"


def test_a_part_has_no_say_in_its_own_choice_nor_in_one_before() -> None:
    rng = np.random.default_rng(3)
    members, control = ([rng.random(100) < 0.4 for _ in range(4)] for _ in "ab")
    before = chosen(members, control)
    for part in range(1, 5):
        turned = [right.copy() for right in members]
        for right in turned:
            right[part <= FOLD] = rng.random(int((part <= FOLD).sum())) < 0.5
        assert chosen(turned, control)[1 : part + 1] == before[1 : part + 1]


def test_equal_ways_give_the_first_and_those_without_a_number_are_passed_over() -> None:
    half, everybody = some(10, 10, 10, 10, 10), np.ones(100, dtype=bool)
    assert chosen([half, half], [some(2, 2, 2, 2, 2)] * 2) == (0,) * 5
    assert chosen([everybody, half], [everybody, some(2, 2, 2, 2, 2)]) == (1,) * 5
    assert chosen([everybody, everybody], [everybody, everybody]) == (0,) * 5


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(ScoreError, match="no way to guess"):
        chosen_by_earlier([], [], FOLD, FOLD)
