"""The strongest of several ways to guess, chosen so that no choice sees the people by whom it is counted.

Whoever picks the best of many by the very people who are then counted reports luck. Here people come in parts, one
after the other: those of a part are guessed in the way that does best on all parts before it, and the first part only
chooses. Each part is then a fair look whatever came before (a martingale), and what is put together is judged like one
guess.

Choosing for each part by all *others*, those after it included, would look fair as well and is not: the people of two
parts then choose for one another, so a way that is lucky in both is taken by both. Of releases that tell nothing it
shows a leak twice as often as it says.

References
----------
.. [1] Luedtke and van der Laan 2016, Statistical inference for the mean outcome under a possibly non-unique optimal
   treatment strategy, Annals of Statistics 44:713-742.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit.core import Ints
from riskkit.errors import ScoreError
from riskkit.stats.guesses import Guesses
from riskkit.stats.inference import residual

FIRST = 0
"""The part that chooses and is not counted."""


def chosen_by_earlier(
    members: Sequence[Guesses],
    control: Sequence[Guesses],
    part_of_members: Ints,
    part_of_control: Ints,
    *,
    level: float = 0.95,
) -> tuple[int, ...]:
    """For the people of each part, which way shows most surely for the people of earlier parts who was in.

    The surest is the one whose residual (:func:`riskkit.stats.inference.residual`) has the highest lower end; of equal
    ones the first. One that has no residual there is passed over, and the first is taken where none has. The first
    part, which is not counted, has the choice of all others.

    Parameters
    ----------
    members, control
        Guesses of each way, of the same people in the same order.
    part_of_members, part_of_control : (n_members,), (n_control,)
        The part of each person, from 0. Copies of a record must share one.
    level : float
        Coverage of the interval whose lower end is compared.

    Raises
    ------
    ScoreError
        There is nothing to choose from.
    """
    if not members or len(members) != len(control):
        raise ScoreError("There is no way to guess that could be chosen for members and for others.")
    parts = 1 + int(max(part_of_members.max(initial=0), part_of_control.max(initial=0)))

    chosen = []
    for part in range(parts):
        inside, outside = (
            of_side < part if part > FIRST else of_side > FIRST for of_side in (part_of_members, part_of_control)
        )
        pairs = zip(members, control, strict=True)
        chosen.append(int(np.argmax([_surely(own.rows(inside), other.rows(outside), level) for own, other in pairs])))
    return tuple(chosen)


def _surely(inside: Guesses, outside: Guesses, level: float) -> float:
    """The lower end of the residual."""
    try:
        return residual(inside, outside, level=level).low
    except ScoreError:
        return -np.inf
