"""Does the order of a second table say who is who: that of its people, and that of the rows of each?

A file of children stands in an order too. Where a release was made person by person, its people stand in the order of
the real file though their keys are new; where each person's rows were made one by one, they stand in the order of the
rows they were made from. An order that follows from what the rows say, as by a date, tells nothing beyond them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskkit.core import Bools, Floats, Ints
from riskkit.games.order import LEAST, LINES, OWN, ROWS, row_order
from riskkit.table.load import Tables
from riskkit.table.neighbours import nearest
from riskkit.table.people.second_table import SLOTS
from riskkit.table.points import RowPoints, points_of, pool_rare

PAIRS = 60_000_000
"""Pairs of people of whom the nearest is looked for; where there are more, real people are drawn at random."""
FEWEST = 20
"""People with two rows below whom the order of their rows is not looked at."""
LONGEST = 100
"""Rows of a person whose order is looked at; of one with more the first so many."""
SEEN, LEARNT = 3.0902, 2.3263
"""Standard deviations from which an order is one (one in a thousand by chance), and from which others have it too (one
in a hundred)."""


@dataclass(frozen=True, slots=True)
class OwnOrder:
    """How far the rows of released people stand in the order of the rows of the real people who are most like them.

    ``kind`` is ``row by row`` (they do, and people who are not in show no such order), ``common order`` (they do, and
    others may for the same reason), ``sorted`` (by what the rows say, so there is nothing to look at) or ``none``.

    ``share`` is how many pairs of rows of a released person stand in the order of the real rows that are nearest to
    them: 0.5 where the order says nothing. ``z`` is its distance from that in standard deviations over all orders of
    each person's rows, and ``others_z`` the same beside people who are not in, 0 without a holdout. ``people`` and
    ``pairs`` were compared; ``by`` says by which columns rows stand sorted.
    """

    kind: str
    share: float
    z: float
    others_z: float
    people: int
    pairs: int
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleOrder:
    """How far the people of a released second table stand in the order of the real one.

    ``kind`` is as in :class:`riskkit.games.order.RowOrder`, or ``sorted`` where the order follows from what the rows
    say. ``is_by_place`` says which of two looks the rest is of: person i beside person i, where ``share`` and ``z`` are
    those of that class; or, as people without rows shift all who follow, how many pairs of released people stand in
    the order of the real people most like them, with ``others_z`` the same beside people who were not in.
    """

    kind: str
    share: float
    z: float
    others_z: float
    is_by_place: bool
    people: int


@dataclass(frozen=True, slots=True)
class ChildrenOrder:
    """What the order of a second table shows: of its people, and of each one's rows; None where they are too few."""

    people: PeopleOrder | None
    own: OwnOrder | None


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """The people of one file of children as they come in it: a point each, and their rows in the order of the file.

    ``parents`` are their rows of the first table alone. The rows of person i are the ``size[i]`` from ``first[i]`` on,
    and ``lines`` (rows,) are their places in the file.
    """

    points: RowPoints
    parents: RowPoints
    rows: RowPoints
    first: Ints
    size: Ints
    lines: Ints = field(repr=False)

    def own(self, person: int) -> Ints:
        """The places of a person's rows among :attr:`rows`."""
        return np.arange(self.first[person], self.first[person] + self.size[person])


def children_order(tables: Tables, rng: np.random.Generator) -> ChildrenOrder | None:
    """Compare the order of the released second table with that of the real one; None where either says nothing."""
    children = tables.children
    if children is None or "synthetic" not in children.tables or not children.schema.modelled:
        return None
    sides = _sides(tables)
    release = sides["synthetic"]
    columns = [column.name for column in (*children.schema.numeric, *children.schema.categorical)]
    cells = children.tables["synthetic"].numbers, children.tables["synthetic"].codes
    values = [*cells[0].T, *cells[1].T.astype(np.float64)]
    real, holdout = sides["real"], sides.get("holdout")
    people = _people_order(real, release, holdout, rng)
    if people is not None and _is_sorted(release, values) and (people.kind == "common order" or not people.is_by_place):
        people = replace(
            people, kind="sorted"
        )  # whom they are most like follows from the sort too; their place may not
    ordered = [column[release.lines] for column in values]
    return ChildrenOrder(people, _own_order(real, release, holdout, columns, ordered, rng))


# --------------------------------------------------------------------------------------------------------------
# People as they come in the file


def _sides(tables: Tables) -> dict[str, _People]:
    """The people of each file of children."""
    assert tables.children is not None
    slots = [slot for slot in SLOTS if slot in tables.children.tables]
    firsts = {"real": tables.real, "synthetic": tables.synthetic, "holdout": tables.holdout}
    above = points_of([table for slot in slots if (table := firsts[slot]) is not None])
    below = points_of([tables.children.tables[slot] for slot in slots])
    few = pool_rare(below, below)
    spread = float(np.concatenate([np.log1p(tables.children.joins[slot].sizes) for slot in slots]).std()) or 1.0
    return {
        slot: _people(parents, rows, wide, tables.children.owner[slot], tables.children.group[slot], spread)
        for slot, parents, rows, wide in zip(slots, above, below, few, strict=True)
    }


def _people(parents: RowPoints, rows: RowPoints, wide: RowPoints, owner: Ints, group: Ints, spread: float) -> _People:
    """The people of one file: each the row of the first table, the means of the children, and how many they are."""
    numbers, first, whose = np.unique(owner, return_index=True, return_inverse=True)
    came = np.argsort(np.argsort(first, kind="stable"), kind="stable")[whose]
    lines = np.argsort(came, kind="stable")
    size = np.bincount(came).astype(np.int64)
    start = np.cumsum(size) - size
    means = np.add.reduceat(wide.matrix()[lines], start, axis=0) / size[:, None]
    keys, first_rows = np.unique(group, return_index=True)
    parent = first_rows[np.searchsorted(keys, numbers[np.argsort(first, kind="stable")])]
    own = replace(parents.rows(parent), scales=())
    points = replace(own, numbers=np.column_stack([own.numbers, means, np.log1p(size) / spread]))
    return _People(points, own, rows.rows(lines), start, size, lines)


def _people_order(
    real: _People, release: _People, holdout: _People | None, rng: np.random.Generator
) -> PeopleOrder | None:
    """Compare the order of people, place by place and by whom they are most like."""
    by_place = row_order(real.points, release.points, rng)
    if by_place is None:
        return None
    placed = PeopleOrder(by_place.kind, by_place.share, by_place.z, 0.0, is_by_place=True, people=by_place.compared)
    if by_place.kind == "row by row":
        return placed
    some = np.sort(rng.permutation(len(release.size))[:ROWS])
    z, is_by_parents, share = max(
        _order_follows(release, real, some, is_by_parents, rng) for is_by_parents in (False, True)
    )
    if z < SEEN:
        return placed
    others_z = 0.0 if holdout is None else _order_follows(release, holdout, some, is_by_parents, rng)[0]
    is_own = holdout is not None and others_z < LEARNT and z >= OWN
    return PeopleOrder(
        "row by row" if is_own else "common order", share, z, others_z, is_by_place=False, people=len(some)
    )


def _order_follows(
    release: _People, other: _People, some: Ints, is_by_parents: bool, rng: np.random.Generator
) -> tuple[float, bool, float]:
    """Whether people of the release stand in the order of those of another file who are most like them, told by the
    first table alone or by both: in standard deviations, and the share of pairs that do."""
    among = np.sort(rng.permutation(len(other.size))[: PAIRS // ROWS])
    left, right = (side.parents if is_by_parents else side.points for side in (release, other))
    place = among[nearest(left.rows(some), right.rows(among))[1][:, 0]]
    rises, pairs, variance = _kendall(place.astype(np.float64))
    return _deviations(rises, variance), is_by_parents, (1 + rises / pairs) / 2 if pairs else 0.5


def _is_sorted(release: _People, values: Sequence[Floats]) -> bool:
    """Whether the file is sorted by a column of the children, or its people by one of the first table, and finely: no
    more rows are equal in it than are compared as the lines around."""
    points = release.points
    columns = (*values, *points.numbers.T, *points.codes.T.astype(np.float64))
    return any(
        _direction(column, np.ones(len(column) - 1, dtype=bool), len(column) // LINES) is not None for column in columns
    )


def _direction(values: Floats, within: Bools, least: int = 3) -> Floats | None:
    """The values so turned that they only rise over the steps ``within``, a missing one first or last; else None.

    At least so many steps must rise.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    for sign in (1.0, -1.0):
        for gap in (known.min() - 1, known.max() + 1):
            turned: Floats = sign * np.where(np.isnan(values), gap, values)
            steps = np.diff(turned)[within]
            if (steps >= 0).all() and int((steps > 0).sum()) >= least:
                return turned
    return None


# --------------------------------------------------------------------------------------------------------------
# The rows of each person


def _own_order(
    real: _People,
    release: _People,
    holdout: _People | None,
    columns: Sequence[str],
    values: Sequence[Floats],
    rng: np.random.Generator,
) -> OwnOrder | None:
    """Compare the rows of released people with those of the real people most like them."""
    owner = np.repeat(np.arange(len(release.size)), release.size)
    free, by = _free(owner, columns, values)
    some, inside = _several(release, rng, ROWS), _several(real, rng, PAIRS // ROWS)
    sizes = np.unique(free[np.isin(owner, some)], return_counts=True)[1]
    if int((sizes * (sizes - 1) // 2).sum()) < LEAST or min(len(some), len(inside)) < FEWEST:
        return OwnOrder("sorted", 0.5, 0.0, 0.0, 0, 0, by) if by else None
    people = release.points.rows(some)
    match = inside[nearest(people, real.points.rows(inside))[1][:, 0]]
    own, control = _agreement(release, some, real, match, free), None
    outside = inside[:0] if holdout is None else _several(holdout, rng, PAIRS // ROWS)
    if holdout is not None and len(outside) >= FEWEST:
        other = outside[nearest(people, holdout.points.rows(outside))[1][:, 0]]
        control = _agreement(release, some, holdout, other, free)
        kind = _kind(own, control, match, other)
    else:  # nobody can say what a method would give without any of these people
        kind = "common order" if own.z >= SEEN else "none"
    pairs = int(own.pairs.sum())
    share = (1 + float(own.surplus.sum()) / pairs) / 2 if pairs else 0.5
    others_z = 0.0 if control is None else control.z
    return OwnOrder(kind, share, own.z, others_z, int((own.pairs > 0).sum()), pairs, by)


def _several(side: _People, rng: np.random.Generator, most: int) -> Ints:
    """People with two rows or more, so many of them drawn at random."""
    several = np.flatnonzero(side.size > 1)
    return np.sort(rng.permutation(several)[:most])


def _free(owner: Ints, names: Sequence[str], values: Sequence[Floats]) -> tuple[Ints, tuple[str, ...]]:
    """(rows,) the number of the group within which rows could stand in any order, and the columns that order the rest.

    Rows of a person are one group, unless they stand sorted by a column in everybody: then those with equal values are.
    """
    group, by, left = owner.copy(), list[str](), dict(zip(names, values, strict=True))
    while True:
        within = group[1:] == group[:-1]
        turned = {name: up for name, column in left.items() if (up := _direction(column, within)) is not None}
        if not turned:
            return group, tuple(by)
        name = next(iter(turned))
        by.append(name)
        del left[name]
        group = np.concatenate([[0], np.cumsum(~within | (np.diff(turned[name]) != 0))])


@dataclass(frozen=True, slots=True, eq=False)
class _Agreement:
    """Of each pair of people: pairs of rows in the same order less those in the other one, how many there are, and the
    variance of that over all orders of the rows."""

    surplus: Floats
    pairs: Floats
    variance: Floats

    @property
    def z(self) -> float:
        """All together, in standard deviations."""
        return _deviations(float(self.surplus.sum()), float(self.variance.sum()))

    @property
    def each(self) -> Floats:
        """The share of pairs by which the same order is ahead, 0 where there are none."""
        return np.divide(self.surplus, self.pairs, out=np.zeros_like(self.surplus), where=self.pairs > 0)


def _agreement(release: _People, some: Ints, other: _People, match: Ints, free: Ints) -> _Agreement:
    """Released people beside others, one by one: do their rows stand in the order of the rows nearest to them?"""
    out = np.zeros((len(some), 3))
    for index, (mine, theirs) in enumerate(zip(some, match, strict=True)):
        rows, beside = release.own(mine)[:LONGEST], other.own(theirs)[:LONGEST]
        place = _places(release.rows, rows, other.rows, beside)
        for group in np.split(place, np.flatnonzero(np.diff(free[rows])) + 1):
            out[index] += _kendall(group)
    return _Agreement(*out.T)


def _places(left: RowPoints, rows: Ints, right: RowPoints, beside: Ints) -> Floats:
    """(rows,) where among the other's rows the nearest one to each stands, the mean of those that are equally near."""
    gaps = ((left.numbers[rows][:, None] - right.numbers[beside]) ** 2).sum(axis=2)
    gaps += (left.codes[rows][:, None] != right.codes[beside]).sum(axis=2)
    is_nearest = gaps <= gaps.min(axis=1, keepdims=True) + 1e-12
    out: Floats = (is_nearest * np.arange(len(beside))).sum(axis=1) / is_nearest.sum(axis=1)
    return out


def _kendall(place: Floats) -> tuple[float, float, float]:
    """Of the places (n,) of rows in their order: pairs that rise less those that fall, both together, and the variance
    of the former over all orders (Kendall, with ties)."""
    n = len(place)
    signs = np.sign(place[None, :] - place[:, None])[np.triu_indices(n, 1)]
    ties = np.unique(place, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - int((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    return float(signs.sum()), float(np.abs(signs).sum()), variance


def _deviations(surplus: float, variance: float) -> float:
    """The surplus in standard deviations; 0 where nothing varies."""
    return surplus / float(np.sqrt(variance)) if variance > 0 else 0.0


def _kind(own: _Agreement, control: _Agreement, match: Ints, other: Ints) -> str:
    """What the order is: people who were not in say what a method, or a common sort, would give without any of them."""
    if own.z < SEEN:
        return "none"
    if control.z < LEARNT:
        return "row by row" if own.z >= OWN else "common order"
    more = own.each - control.each
    spread = max(_cluster_error(more, by) for by in (np.arange(len(more)), match, other))
    return "common order" if more.sum() >= SEEN * spread else "none"


def _cluster_error(values: Floats, by: Ints) -> float:
    """The standard error of the sum of values (n,) of which those of one cluster may go together."""
    sums = np.bincount(by, weights=values - values.mean())
    return float(np.sqrt((sums**2).sum()))
