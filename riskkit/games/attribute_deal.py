"""The tables of an attribute audit, encoded once for all its questions, and the same with a leak planted on purpose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.evened import evened
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.features import Encoded

PLANTED_SHARE = 0.1
"""At most that share of the released rows is replaced to plant a leak."""
FEWEST_PLANTED = 10


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A leak that is known: ``copies`` different records of ``inside`` stand in ``release``, none of ``outside`` does.

    Both sides are people of the holdout, and half the records of ``inside`` were copied.
    """

    release: Encoded
    inside: Encoded
    outside: Encoded
    copies: int


@dataclass(frozen=True, slots=True, eq=False)
class AttributeDeal:
    """Who is asked about, and from what.

    ``row`` (n_members,) is where each member stands in the real table; ``spared`` counts the rows over the maximum.
    ``apart`` says who is asked about when members are compared with people who were not in; without a control,
    nobody is compared and it is None.
    """

    release: Encoded
    members: Encoded
    control: Encoded | None
    planted: Planted | None
    row: Ints
    spared: int
    apart: Apart | None


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """The records by which the two sides can be told apart.

    A record that stands in both tables was in and yet stands among those who were not: it is neither, and left out of
    *both* sides. Left out of one alone, frequent records would stay on the other, and these are easy to guess: a
    leak of none. For the same reason records of several rows are thinned (:func:`riskkit.games.evened.evened`).

    ``members`` (n_members,) and ``control`` (n_control,) are who stays; ``shared_members``, ``shared_control`` count
    the rows that stand in both tables, ``evened`` those that were thinned away.
    """

    members: Bools
    control: Bools
    shared_members: int
    shared_control: int
    evened: int

    @classmethod
    def of(cls, real: Encoded, holdout: Encoded, members: Ints, control: Ints, seed: int) -> Apart:
        """Who stays of the rows at these positions, judged by the whole tables."""
        records = np.unique(np.concatenate([real.keys, holdout.keys]), return_inverse=True)[1]
        inside, outside = records[: len(real)], records[len(real) :]
        in_real, in_holdout = (np.bincount(side, minlength=records.max() + 1) for side in (inside, outside))
        both = (in_real > 0) & (in_holdout > 0)
        kept = evened(in_real, in_holdout, stream(seed, "attributes", "apart"))
        asked = inside[members], outside[control]
        stays, shared = [kept[side] & ~both[side] for side in asked], [int(both[side].sum()) for side in asked]
        thinned = sum(int((~kept[side] & ~both[side]).sum()) for side in asked)
        return cls(stays[0], stays[1], shared[0], shared[1], thinned)


def deal(real: Table, synthetic: Table, holdout: Table | None, *, max_rows: int, seed: int) -> AttributeDeal:
    """At most ``max_rows`` records a side, drawn at random whatever the order of the file; the release is never cut.

    Raises
    ------
    DesignError
        A table has no row.
    """
    for name, table in ((phrase("real table"), real), (phrase("release"), synthetic), (phrase("holdout"), holdout)):
        if table is not None and not len(table):
            raise DesignError(phrase("The {name} has no row; load another file.", name=name))
    everyone = _ready(real)
    members, row = _some(everyone, max_rows, seed, "members")
    control = apart = None
    if holdout is not None:
        others = _ready(holdout)
        control, at = _some(others, max_rows, seed, "control")
        apart = Apart.of(everyone, others, row, at, seed)
    release = _ready(synthetic)
    asked = len(members) + (0 if control is None else len(control))
    return AttributeDeal(
        release,
        members,
        control,
        None if control is None else plant(release, control, seed),
        row,
        len(real) + (0 if holdout is None else len(holdout)) - asked,
        apart,
    )


def plant(release: Encoded, control: Encoded, seed: int) -> Planted | None:
    """Copies of people who were not in, put in place of released rows; None where there are too few people."""
    different = np.unique(control.keys)
    n_inside = min(len(different) // 2, 2 * int(PLANTED_SHARE * len(release)))
    copies = n_inside // 2
    if copies < FEWEST_PLANTED:
        return None
    rng = stream(seed, "attributes", "planted")
    chosen = different[rng.permutation(len(different))[:n_inside]]
    is_inside = np.isin(control.keys, chosen)
    first = np.flatnonzero(np.isin(control.keys, chosen[:copies]))
    copied = first[np.unique(control.keys[first], return_index=True)[1]]
    kept = release.order[rng.permutation(len(release))[copies:]]
    planted = release.table.rows(kept).plus(control.table.rows(copied))
    inside, outside = (_ready(control.table.rows(side)) for side in (is_inside, ~is_inside))
    return Planted(_ready(planted), inside, outside, copies)


def _some(whole: Encoded, most: int, seed: int, side: str) -> tuple[Encoded, Ints]:
    """At most so many rows, encoded, and where they stand in the table."""
    if len(whole) <= most:
        return whole, np.arange(len(whole))
    at = np.sort(whole.order[stream(seed, "attributes", side).permutation(len(whole))[:most]])
    return _ready(whole.table.rows(at)), at


def _ready(table: Table) -> Encoded:
    """The table with all its columns encoded and its rows sorted, before any worker has it."""
    encoded = Encoded(table)
    encoded.of([column.name for column in table.schema.modelled])
    assert len(encoded.order) == len(table)
    return encoded
