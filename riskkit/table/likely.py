"""Which released level probably means which real one, where the two files write them in different words."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from riskkit.core import MISSING, Column, Floats, Ints, Table
from riskkit.table.places import places
from riskkit.table.recoding import meaning_by_share
from riskkit.table.spellings import small
from riskkit.table.units import proposed

_NAMED = 2.0
"""How much more a like name counts than the whole difference of two shares."""
_LIKE = 0.75
"""The share of letters in common, in order, from which two names are alike."""
_MOST = 200
"""Levels on a side beyond which only equal names are looked for."""


def likely(column: Column, real: Table, release: Table) -> tuple[tuple[str, str], ...]:
    """The released levels that no real row has, each with the real level it probably stands for.

    Names that are alike count most, then how much of either table a level makes up. Each real level is taken once;
    a released level for which none is left is not there. Numbers and dates have no levels and give nothing. Where both
    files have the same levels, or numbers, in another order, shares alone say which is which, if they do.
    """
    if not column.is_modelled:
        return ()
    if column.is_numeric:
        return meaning_by_share(column, real, release)
    position = real.schema.categorical.index(column)
    size = len(column.levels)
    own, their = (np.bincount(table.codes[:, position], minlength=size) for table in (real, release))
    known = np.array([level != MISSING for level in column.levels])
    lost, new = np.flatnonzero(known & (own > 0) & (their == 0)), np.flatnonzero(known & (their > 0) & (own == 0))
    if not len(lost) or not len(new):
        return meaning_by_share(column, real, release)
    cost = _distances(column.levels, new, lost, their / len(release), own / len(real))
    from scipy.optimize import linear_sum_assignment  # not at the top: it takes long to load, and few tables need it

    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return tuple((column.levels[new[a]], column.levels[lost[b]]) for a, b in sorted(pairs))


def line(column: Column, real: Table, release: Table) -> tuple[float, float] | None:
    """Scale and offset that probably bring released numbers or dates to real ones; None of other columns, or where
    no straight line does."""
    if not (column.is_numeric and column.is_modelled):
        return None
    position = places(real.schema)[column.name]
    return proposed(real.numbers[:, position], release.numbers[:, position])


def _distances(levels: Sequence[str], new: Ints, lost: Ints, released: Floats, real: Floats) -> Floats:
    """(new, lost) how little a released level is like a real one."""
    names = [_letters(level) for level in levels]
    cost = np.abs(released[new][:, None] - real[lost][None, :])
    is_few = max(len(new), len(lost)) <= _MOST
    for a, first in enumerate(new.tolist()):
        for b, second in enumerate(lost.tolist()):
            cost[a, b] -= _NAMED * _likeness(names[first], names[second], is_few)
    return np.asarray(cost, dtype=np.float64)


def _letters(level: str) -> str:
    return "".join(letter for letter in small(level) if letter.isalnum())


def _likeness(first: str, second: str, is_few: bool) -> float:
    """1 of the same letters, less where one begins the other or most letters are the same, else 0."""
    if first == second:
        return float(bool(first))
    if not is_few or not first or not second:
        return 0.0
    if not (first.isdigit() or second.isdigit()) and (first.startswith(second) or second.startswith(first)):
        return 0.9
    ratio = SequenceMatcher(None, first, second).ratio()
    return ratio if ratio >= _LIKE and not (first.isdigit() and second.isdigit()) else 0.0
