"""Where the two worlds of a membership game come from, and whom the attacker knows beside the targets.

Two sources, one game. *Fixed* worlds are two tables, the same in every training: only the coin and the generator's seed
are random, so the game speaks of this very table. *Resampled* worlds hold other people around the targets in every
training, as in the traditional game: it speaks of an average over tables, and a record at risk in this one can hide in
it.

Two relations. *add-one*: the world without the targets is shorter by them. *replace-one*: other people stand in their
place, so that both worlds have the same number of rows, as generators with a public number of rows assume.

People who are known to the attacker are in no world that is counted, and people of equal rows are one: all of them lie
on one side. :mod:`riskkit.games.crowd` makes the worlds.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Floats, Table
from riskkit.errors import DesignError

RELATIONS = ("add-one", "replace-one")
"""How the two worlds of a game differ."""


MADE = ("equal", "line", "canaries")
"""Data sets that an adversary makes around the targets: see :func:`made_rows`."""


def made_rows(data: Table, targets: Table, how: str) -> Table:
    """As many rows as the data has beside the targets, made so that the targets change most of what a method learns.

    A promise of differential privacy holds for the worst data set there is, so an audit on a harmless one shows less
    than it could (the membership paper's first footnote lets the adversary choose it).

    Parameters
    ----------
    how
        ``equal``: every row is the record that differs from the targets in most columns. ``line``: the same, with the
        numbers of all columns rising together from the lowest to the highest. ``canaries``: the different records that
        differ most, again and again, so that nobody else shares what the targets have.
    """
    others = data.rows(~np.isin(data.keys(), targets.keys()))
    if not len(others):
        raise DesignError.phrase("No row is left without the targets; choose fewer targets.")
    many, unlike = len(data) - len(targets), _unlike(others, targets)
    order = np.argsort(-unlike, kind="stable")
    if how == "canaries":
        different = order[np.sort(np.unique(others.keys()[order], return_index=True)[1])]
        return others.rows(np.resize(different[unlike[different] == unlike[different[0]]], many))
    rows = others.rows(np.full(many, order[0]))
    if how == "line":
        place = np.linspace(0, 1, len(rows))[:, None]
        low, high = (np.array([getattr(column, end) for column in data.schema.numeric]) for end in ("low", "high"))
        decimals = [column.decimals for column in data.schema.numeric]
        numbers = low + place * (high - low)
        rounded = [np.round(column, digits) for column, digits in zip(numbers.T, decimals, strict=True)]
        return Table(data.schema, rows.codes, np.column_stack(rounded) if rounded else rows.numbers)
    return rows


def _unlike(data: Table, targets: Table) -> Floats:
    """(n,) in how many columns each row differs from the target most like it."""
    codes = (data.codes[:, None] != targets.codes).sum(axis=2)
    own, other = data.numbers[:, None], targets.numbers
    same = (own == other) | (np.isnan(own) & np.isnan(other))
    least: Floats = (codes + (~same).sum(axis=2)).min(axis=1).astype(np.float64)
    return least
