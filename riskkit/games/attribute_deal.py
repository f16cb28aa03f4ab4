"""The tables of an attribute audit, encoded once for all its questions, and the same with a leak planted on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import Whose, balanced_records, in_order, rows_of
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.features import Encoded
from riskkit.table.people.persons import Persons

PLANTED_SHARE = 0.1
"""At most that share of the released rows is replaced to plant a leak."""
FEWEST_PLANTED = 10


@dataclass(frozen=True, slots=True, eq=False)
class PlantedRows:
    """A leak that is known: ``copies`` different rows of ``inside`` stand in ``release``, none of ``outside`` does.

    Both sides are people of the holdout, and half the records of ``inside`` were copied. ``whose`` their rows are.
    """

    release: Encoded
    inside: Encoded
    outside: Encoded
    copies: int
    whose: tuple[Whose, Whose]


@dataclass(frozen=True, slots=True, eq=False)
class AttributeDeal:
    """Who is asked about, and from what.

    ``row`` (n_members,) is where each member stands in the real table; ``spared`` counts the rows over the maximum.
    ``apart`` says who is asked about when members are compared with people who were not in; without a control,
    nobody is compared and it is None. ``whose`` the rows of members are, and those of the control if there is one.
    """

    release: Encoded
    members: Encoded
    control: Encoded | None
    planted: PlantedRows | None
    row: Ints
    spared: int
    apart: DistinctSides | None
    whose: tuple[Whose, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DistinctSides:
    """The records by which the two sides can be told apart.

    A record that stands in both tables was in and yet stands among those who were not: it is neither, and left out of
    *both* sides. Left out of one alone, frequent records would stay on the other, and these are easy to guess: a
    leak of none. For the same reason records of several rows are thinned (:func:`riskkit.games.bags.balanced_records`).

    ``members`` (n_members,) and ``control`` (n_control,) are who stays; ``shared_members``, ``shared_control`` count
    the rows that stand in both tables, ``evened`` those that were thinned away.
    """

    members: Bools
    control: Bools
    shared_members: int
    shared_control: int
    evened: int

    @classmethod
    def choose(cls, real: Whose, holdout: Whose, members: Ints, control: Ints, seed: int) -> DistinctSides:
        """Who stays of the rows at these positions, judged by the whole tables."""
        inside, outside = real.record, holdout.record
        many = int(max(inside.max(), outside.max())) + 1
        in_real, in_holdout = real.people(many), holdout.people(many)
        both = (in_real > 0) & (in_holdout > 0)
        kept = balanced_records(in_real, in_holdout, stream(seed, "attributes", "apart"))
        asked = inside[members], outside[control]
        stays, shared = [kept[side] & ~both[side] for side in asked], [int(both[side].sum()) for side in asked]
        thinned = sum(int((~kept[side] & ~both[side]).sum()) for side in asked)
        return cls(stays[0], stays[1], shared[0], shared[1], thinned)


def deal(
    real: Table,
    synthetic: Table,
    holdout: Table | None,
    *,
    max_rows: int,
    seed: int,
    persons: Persons | None = None,
) -> AttributeDeal:
    """At most ``max_rows`` rows a side, of people drawn at random whatever the order of the file.

    The release is never cut. ``persons`` says whose row each row is, where a column names the person.

    Raises
    ------
    DesignError
        A table has no row.
    """
    for name, table in ((phrase("real table"), real), (phrase("release"), synthetic), (phrase("holdout"), holdout)):
        if table is not None and not len(table):
            raise DesignError.phrase("The {name} has no row; load another file.", name=name)
    everyone = _ready(real)
    others = None if holdout is None else _ready(holdout)
    both = everyone.keys if others is None else np.concatenate([everyone.keys, others.keys])
    whose = Whose.group(both, None if persons is None else np.concatenate([persons.real, persons.holdout_persons]))
    inside, outside = whose.rows(np.arange(len(real))), whose.rows(np.arange(len(real), len(both)))
    members, row = _some(everyone, inside.person, max_rows, seed, "members")
    control = apart = None
    asked_of: tuple[Whose, ...] = (inside.rows(row),)
    if others is not None:
        control, rows = _some(others, outside.person, max_rows, seed, "control")
        apart = DistinctSides.choose(inside, outside, row, rows, seed)
        asked_of += (outside.rows(rows),)
    release = _ready(synthetic)
    asked = len(members) + (0 if control is None else len(control))
    return AttributeDeal(
        release,
        members,
        control,
        None if control is None else plant(release, control, asked_of[1], seed),
        row,
        len(real) + (0 if holdout is None else len(holdout)) - asked,
        apart,
        asked_of,
    )


def plant(release: Encoded, control: Encoded, whose: Whose, seed: int) -> PlantedRows | None:
    """Copies of people who were not in, put in place of released rows; None where there are too few people."""
    different, first = np.unique(whose.record, return_index=True)
    rng = stream(seed, "attributes", "planted")
    chosen = rng.permutation(len(different))
    number = in_order(whose.person)
    people = number[first]  # of equal people one
    room = int((np.cumsum(np.bincount(number)[people[chosen]]) <= int(PLANTED_SHARE * len(release))).sum())
    n_inside = min(len(different) // 2, 2 * room)
    if n_inside // 2 < FEWEST_PLANTED:
        return None
    is_inside = np.isin(whose.record, different[chosen[:n_inside]])
    copied = rows_of(number, people[np.sort(chosen[: n_inside // 2])])
    kept = release.order[rng.permutation(len(release))[len(copied) :]]
    planted = release.table.rows(kept).plus(control.table.rows(copied))
    inside, outside = (_ready(control.table.rows(side)) for side in (is_inside, ~is_inside))
    return PlantedRows(_ready(planted), inside, outside, len(copied), (whose.rows(is_inside), whose.rows(~is_inside)))


def _some(whole: Encoded, person: Ints, most: int, seed: int, side: str) -> tuple[Encoded, Ints]:
    """Rows of as many people as have at most so many together, encoded, and where they stand in the table."""
    if len(whole) <= most:
        return whole, np.arange(len(whole))
    number = in_order(person[whole.order])
    sizes = np.bincount(number)
    people = stream(seed, "attributes", side).permutation(len(sizes))
    chosen = people[np.cumsum(sizes[people]) <= most]
    rows = np.sort(whole.order[np.isin(number, chosen)])
    return _ready(whole.table.rows(rows)), rows


def _ready(table: Table) -> Encoded:
    """The table with all its columns encoded and its rows sorted, before any worker has it."""
    encoded = Encoded(table)
    encoded.features([column.name for column in table.schema.modelled])
    assert len(encoded.order) == len(table)
    return encoded
