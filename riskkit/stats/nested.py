"""The strongest of several ways to guess, chosen so that no choice sees the people by whom it is counted.

Whoever picks the best of many by the very people who are then counted reports luck. Here the people of each fold are
guessed in the way that does best on the people of all other folds. Who was in is told to a choice, but never of
somebody it is counted by, so what is put together is a guess that was fixed beforehand, of everybody.

References
----------
.. [1] Stone 1974, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal Statistical
   Society B 36:111-147.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit.core import Ints
from riskkit.errors import ScoreError
from riskkit.stats.guesses import Guesses
from riskkit.stats.inference import residual


def chosen_by_others(
    members: Sequence[Guesses],
    control: Sequence[Guesses],
    fold_of_members: Ints,
    fold_of_control: Ints,
    *,
    level: float = 0.95,
) -> tuple[int, ...]:
    """For the people of each fold, which way shows most surely for the people of all others who was in.

    The surest is the one whose residual (:func:`riskkit.stats.inference.residual`) has the highest lower end; of equal
    ones the first. One that has no residual there is passed over, and the first is taken where none has.

    Parameters
    ----------
    members, control
        Guesses of each way, of the same people in the same order.
    fold_of_members, fold_of_control : (n_members,), (n_control,)
        The fold of each person, from 0. Copies of a record must share one.
    level : float
        Coverage of the interval whose lower end is compared.

    Raises
    ------
    ScoreError
        There is nothing to choose from.
    """
    if not members or len(members) != len(control):
        raise ScoreError("There is no way to guess that could be chosen for members and for others.")
    folds = 1 + int(max(fold_of_members.max(initial=0), fold_of_control.max(initial=0)))
    return tuple(
        int(
            np.argmax(
                [
                    _surely(inside.rows(fold_of_members != fold), outside.rows(fold_of_control != fold), level)
                    for inside, outside in zip(members, control, strict=True)
                ]
            )
        )
        for fold in range(folds)
    )


def _surely(inside: Guesses, outside: Guesses, level: float) -> float:
    """The lower end of the residual."""
    try:
        return residual(inside, outside, level=level).low
    except ScoreError:
        return -np.inf
