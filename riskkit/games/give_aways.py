"""What a file gives away by itself, before any attack: copied rows, and rows in the order of the real table.

Copies are counted as the game on the released file counts people: rows of both tables are left out on both sides, equal
rows of one table are one record, and records of several rows are thinned so that a larger table has no more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from riskkit.base.distributions import ranks
from riskkit.core import Bools, Codes, Column, Floats, Ints, Scores, Table
from riskkit.games.bags import any_of_people, balanced_records, people_of, records_of
from riskkit.games.order import LEAST, RowOrder, may_be_in_order, row_order, rows_follow
from riskkit.seeds import stream
from riskkit.table.canonical import canonical
from riskkit.table.equal import count_shared, records
from riskkit.table.neighbours import nearest
from riskkit.table.people.persons import Persons
from riskkit.table.people.second_table import SLOTS, Children
from riskkit.table.points import RowPoints, points_of, values_of

NEAR = 0.5
"""A released row is a near copy where it is less than so much as far from a person as any other person is."""
PAIRS, LEAST_ASKED = 400_000_000, 1_000
"""Pairs of rows that the search for near copies looks at, and people it asks about however large the release is."""
SORTED_BY = 0.5
"""The correlation of values and lines from which rows may have been sorted by a column."""
SPACED = 2_000
"""People from whom a first limit of everybody's spacing is taken."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How many records of either table stand in the release with all their values.

    Of ``n_in`` records of the real table ``k_in`` do, of ``n_out`` of the holdout ``k_out``; the latter two are 0
    without a holdout. ``rows`` counts the real rows that do, whatever the holdout holds, and ``alone`` the records that
    do and are none of the holdout's. ``apart`` is the share of the holdout's people whose record is none of the real
    table's, 1 without a holdout. ``alike`` counts, of the real table and of the release, the rows that stand there
    more than once, and of different ones those that are like an earlier one in all columns but one, whichever makes
    most so; None where people have several rows. ``again`` counts the different copied rows that the release has more
    than once.
    """

    k_in: int
    n_in: int
    k_out: int
    n_out: int
    rows: int
    alone: int
    has_holdout: bool
    apart: float = 1.0
    alike: tuple[int, int] | None = None
    again: int = 0


def count_copies(
    real: Table, release: Table, holdout: Table | None, rng: np.random.Generator, persons: Persons | None = None
) -> Copied:
    """Count the copies; ``rng`` thins records of several rows.

    Where people have several rows, a record is a person with all of them, and has a copy where one of them has.
    """
    released, own, *others = records(release, real, *(() if holdout is None else (holdout,)))
    both = np.concatenate([own, *others])
    stands = np.zeros(max(int(released.max(initial=0)), int(both.max())) + 1, dtype=bool)
    stands[released] = True
    rows, person = count_shared(own, released), _people(both, persons)
    if holdout is not None:
        counts = _count_people(stands[both], both, len(own), person, rng)
    else:
        which = records_of(both, person)
        many = int(which.max()) + 1
        copies = int(any_of_people(stands[both], which, many).sum())
        counts = Copied(copies, many, 0, 0, rows, copies, has_holdout=False)
    if persons is not None or not stands[both].any():
        return counts
    often = np.bincount(released, minlength=len(stands)) > 1
    return replace(counts, alike=(_alike(real), _alike(release)), again=int(often[np.unique(own)].sum()))


def _people(rows: Ints, persons: Persons | None) -> Ints:
    """Whose each row of the real table and the holdout is."""
    return np.arange(len(rows)) if persons is None else np.concatenate([persons.real, persons.holdout_persons])


def _count_people(has_copy: Bools, record: Ints, members: int, person: Ints, rng: np.random.Generator) -> Copied:
    """The counts where rows (n,) of both tables have a copy or none, the first ``members`` of them real ones."""
    which = records_of(record, person)
    many = int(which.max()) + 1
    sides = slice(None, members), slice(members, None)
    in_real, in_holdout = (people_of(which[side], person[side], many) for side in sides)
    return _beside(any_of_people(has_copy, which, many), in_real, in_holdout, int(has_copy[:members].sum()), rng)


def count_near(
    real: Table, release: Table, holdout: Table, rng: np.random.Generator, persons: Persons | None = None
) -> Copied:
    """Count the near copies: people with a released row less than :data:`NEAR` as far away as any other person's.

    Copies are among them. Other people are those of both tables, so nothing of it knows who was in. Of large tables
    some rows are asked about, drawn at random.
    """
    own, others = records(real, holdout)
    record = np.concatenate([own, others])
    whose = _people(record, persons)
    _, first, which = np.unique(record, return_index=True, return_inverse=True)
    released, *sides = points_of([release, real, holdout])
    rows, person = sides[0].plus(sides[1]).rows(first), whose[first]
    asked = rng.permutation(len(rows))[: max(LEAST_ASKED, PAIRS // len(released))]
    is_near = np.zeros(len(rows), dtype=bool)
    distance = nearest(rows.rows(asked), released)[0][:, 0]
    # Of the rows of some people, one of each, the second nearest is no nearer than the nearest row of anybody else.
    drawn = rng.permutation(len(rows))
    some = rows.rows(drawn[np.sort(np.unique(person[drawn], return_index=True)[1])][:SPACED])
    may_be = distance < NEAR * nearest(rows.rows(asked), some, min(2, len(some)))[0][:, -1]
    candidates = asked[may_be]
    if len(candidates):
        most = int(np.bincount(np.unique(person, return_inverse=True)[1]).max())
        gaps, places = nearest(rows.rows(candidates), rows, min(most + 1, len(rows)))
        gaps[person[places] == person[candidates][:, None]] = np.inf
        is_near[candidates] = distance[may_be] < NEAR * gaps.min(axis=1)
    was_asked = np.isin(np.arange(len(rows)), asked)[which]
    kept = np.flatnonzero(was_asked)
    return _count_people(is_near[which][kept], record[kept], int(was_asked[: len(own)].sum()), whose[kept], rng)


def count_near_in_one(
    table: Table, release: Table, rng: np.random.Generator, whose: Ints | None
) -> tuple[int, int, float]:
    """How many people of a table by itself a released row is a near copy of; how many of each other; and rows a person.

    A row of one person is a near copy of another's where it is less than :data:`NEAR` as far away as the second
    nearest. As the people of a table are drawn alike, that is as often as rows drawn from their law would be, and often
    where columns are few or coarse. The third is how many released rows there are for each other person. The first
    row of each person stands for them.
    """
    if whose is not None:
        table = table.rows(np.unique(whose, return_index=True)[1])
    if len(table) <= 2:
        return 0, 0, 1.0
    released, own = points_of([release, table])
    asked = own.rows(rng.permutation(len(own))[: max(LEAST_ASKED, PAIRS // max(len(released), len(own)))])
    gaps = nearest(asked, own, 3)[0]  # the person, the nearest other one, and the next
    near = int((nearest(asked, released)[0][:, 0] < NEAR * gaps[:, 1]).sum())
    return near, int((gaps[:, 1] < NEAR * gaps[:, 2]).sum()), len(released) / (len(own) - 1)


def count_crowd(table: Table, release: Table, rng: np.random.Generator, whose: Ints | None) -> tuple[int, int, int]:
    """How many released rows are near copies of one person, the one who has most; rows looked at; and people.

    A row is one of a person where it is less than :data:`NEAR` as far away as the nearest other person of the table.
    Of large releases some rows are looked at, drawn at random. The first row of each person stands for them.
    """
    if whose is not None:
        table = table.rows(np.unique(whose, return_index=True)[1])
    released, own = points_of([release, table])
    asked = released.rows(rng.permutation(len(released))[: max(LEAST_ASKED, PAIRS // len(own))])
    distance, place = nearest(asked, own)
    people, which = np.unique(place[:, 0], return_inverse=True)
    gaps = nearest(own.rows(people), own, min(2, len(own)))[0][:, -1]
    near = which[distance[:, 0] < NEAR * gaps[which]]
    return int(np.bincount(near, minlength=1).max()), len(asked), len(own)


def distances(
    real: Table, release: Table, holdout: Table, rng: np.random.Generator, persons: Persons | None = None
) -> list[Scores]:
    """How far people of both tables are from the nearest released row, by all columns and by numbers alone.

    A number is taken by its rank, as one of a normal distribution, so that a few large ones do not rule the distance.
    People have one of their rows each; of many some are drawn.
    """
    released, *sides = points_of([release, real, holdout])
    rows = sides[0].plus(sides[1])
    first = np.unique(_people(np.arange(len(rows)), persons), return_index=True)[1]
    asked = rng.permutation(first)[: max(LEAST_ASKED, PAIRS // len(released))]
    known = np.sort(rows.numbers, axis=0)
    every = [replace(own, numbers=_normal(own.numbers, known)) for own in (released, rows.rows(asked))]
    looks = {"all": every}
    if known.shape[1] > 1:
        looks["numbers"] = [replace(own, codes=own.codes[:, :0], sizes=(), levels=()) for own in every]
    person, training = np.arange(len(asked)), np.zeros(len(asked), dtype=np.int64)
    return [
        Scores(nearest(those, near)[0][:, 0], asked < len(real), person, training, name)
        for name, (near, those) in looks.items()
    ]


def _normal(numbers: Floats, known: Floats) -> Floats:
    """Each number as that of a normal distribution that has its rank among the known ones, column by column."""
    places = [
        np.searchsorted(own, column, "left") + np.searchsorted(own, column, "right")
        for own, column in zip(known.T, numbers.T, strict=True)
    ]
    return ndtri((np.column_stack(places) + 1) / (2 * len(known) + 2)) if places else numbers


def _alike(table: Table) -> int:
    """How many rows stand there more than once, and how many different ones are like an earlier one but for one column.

    It is the column that makes most so. So a file from which equal rows were taken out is not taken for one in which no
    two people are alike, nor one that holds a few rows again and again for one in which many are.
    """
    (points,) = points_of([table])
    columns = [column for part in values_of([points]) for column in part]
    words = stream(0, "alike")
    keys = [words.integers(1 << 63, size=int(column.max()) + 1, dtype=np.uint64)[column] for column in columns]
    whole, first, count = np.unique(np.bitwise_xor.reduce(keys, axis=0), return_index=True, return_counts=True)
    return int((count > 1).sum()) + max(len(whole) - len(np.unique(whole ^ key[first])) for key in keys)


def _beside(has_copy: Bools, in_real: Ints, in_holdout: Ints, rows: int, rng: np.random.Generator) -> Copied:
    """The counts of copied records (records,) by how many people of either side each has."""
    is_in, is_alone = in_real > 0, (in_real > 0) != (in_holdout > 0)
    asked: Bools = balanced_records(in_real, in_holdout, rng) & is_alone
    return Copied(
        int((asked & is_in & has_copy).sum()),
        int((asked & is_in).sum()),
        int((asked & ~is_in & has_copy).sum()),
        int((asked & ~is_in).sum()),
        rows,
        int((is_alone & is_in & has_copy).sum()),
        has_holdout=True,
        apart=float(in_holdout[is_alone].sum() / max(in_holdout.sum(), 1)),
    )


def count_child_copies(children: Children, rng: np.random.Generator) -> Copied:
    """Count people with a row of the second table that stands in the release; ``rows`` counts such rows of real people.

    A record is a person with all of their rows of the second table; people without one are not counted.
    """
    real, release, holdout = (children.tables.get(slot) for slot in SLOTS)
    assert real is not None
    assert release is not None
    of_holdout = children.owner["holdout"] if holdout is not None else None
    return count_copies(real, release, holdout, rng, Persons(children.key, *_apart(children.owner["real"], of_holdout)))


def _apart(real: Ints, holdout: Ints | None) -> tuple[Ints, Ints | None]:
    """The numbers of people of both sides, none of them the same."""
    return real, None if holdout is None else holdout + int(real.max(initial=-1)) + 1


def count_bag_copies(children: Children, rng: np.random.Generator) -> Copied:
    """Count people all of whose rows of the second table are those of one released person, and none else.

    ``rows`` counts the real people whose are; a record is a person as :func:`count_child_copies` counts them.
    """
    slots = [slot for slot in SLOTS if slot in children.tables]
    row = np.unique(np.concatenate([children.tables[slot].keys() for slot in slots]), return_inverse=True)[1]
    person, before = [], 0
    for slot in slots:
        person.append(children.owner[slot] + before)
        before = int(person[-1].max(initial=-1)) + 1
    whose = np.concatenate(person)
    which = records_of(row.astype(np.int64), whose)
    ends = np.cumsum([len(each) for each in person])
    sides = [slice(end - len(each), end) for end, each in zip(ends, person, strict=True)]
    many = int(which.max()) + 1
    people = {slot: people_of(which[side], whose[side], many) for slot, side in zip(slots, sides, strict=True)}
    real, has_copy = people["real"], people["synthetic"] > 0
    rows = int(real[has_copy].sum())
    if "holdout" not in people:
        of_real = has_copy[real > 0]
        return Copied(int(of_real.sum()), len(of_real), 0, 0, rows, int(of_real.sum()), has_holdout=False)
    return _beside(has_copy, real, people["holdout"], rows, rng)


def order_of(real: Table, release: Table, rng: np.random.Generator, holdout: Table | None = None) -> RowOrder | None:
    """Whether the rows of the release stand in the order of the real table; None where a file is too short."""
    first, second, *others = _in_file_order(real, release, holdout)
    return row_order(first, second, rng, *others)


def order_along(real: Table, release: Table, rng: np.random.Generator, holdout: Table | None = None) -> RowOrder | None:
    """The same where the rows are given in another order than that of their files.

    None where that shows no person's own line, which is seen quickly where it shows nothing.
    """
    first, second, *others = _in_file_order(real, release, holdout)
    order = row_order(first, second, rng, *others) if may_be_in_order(first, second, rng) else None
    return order if order is not None and order.kind == "row by row" else None


def follow_of(real: Table, release: Table, rng: np.random.Generator, holdout: Table | None = None) -> float | None:
    """How sure it is that released rows follow one another as real ones do; None where they are not seen to."""
    first, second, *others = _in_file_order(real, release, holdout)
    return rows_follow(first, second, rng, *others)


def order_inside(
    real: Table, release: Table, rng: np.random.Generator, holdout: Table | None = None
) -> tuple[str, RowOrder] | None:
    """The column by which the real table is to be sorted for the release to be in its order, with that order.

    None where there is none. Of equal values the real table keeps its order, so the release may, too.
    """
    lines = np.arange(len(release))
    for column in real.schema.modelled if min(len(real), len(release)) >= LEAST else ():
        places = _places(column, release.column(column), lines)
        own, their = (places(table.column(column)) for table in (real, release))
        if (own[1:] < own[:-1]).any() and _rises(their, lines) >= SORTED_BY:
            people = real.rows(np.argsort(own, kind="stable"))
            others = holdout and holdout.rows(np.argsort(places(holdout.column(column)), kind="stable"))
            order = order_along(people, release, rng, others)
            if order is not None:
                return column.name, order
    return None


def _places(column: Column, released: Floats | Codes, lines: Ints) -> Callable[[Floats | Codes], Floats]:
    """Where in the release each value of a column stands, on average: a category by itself, a number by its size."""
    if not column.is_numeric:
        count = np.bincount(released, minlength=len(column.levels))
        mean = np.bincount(released, lines, minlength=len(column.levels)) / np.maximum(count, 1)
        return lambda values: np.where(count > 0, mean, np.inf)[values]
    sign = np.copysign(1.0, _rises(released, lines))
    return lambda values: np.where(np.isnan(values), np.inf, sign * values)


def _rises(values: Floats | Codes, lines: Ints) -> float:
    """The rank correlation of values and lines; 0 of equal values."""
    rank = ranks(np.nan_to_num(values, nan=np.inf))
    return float(np.corrcoef(rank, lines)[0, 1]) if np.ptp(rank) > 0 else 0.0


def _in_file_order(real: Table, release: Table, holdout: Table | None) -> list[RowPoints]:
    """Points of these tables, columns and codes in canonical order and rows as in the files."""
    points, undo = canonical(points_of((real, release) if holdout is None else (real, release, holdout)))
    return [own.rows(back) for own, back in zip(points, undo, strict=True)]
