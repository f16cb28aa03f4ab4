"""Who is asked about in an audit of a released file, on which side, and whom attacks may compare with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson, balanced_records, people_of, records_of, starts
from riskkit.games.released import DEALS, PARTS, ComparisonGroup, LeftOut, ReferenceRows, ReleasedGame
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.canonical import alphabetical, canonical
from riskkit.table.equal import number_records
from riskkit.table.people.persons import Persons
from riskkit.table.people.second_table import Children
from riskkit.table.points import Bags, RowPoints, points_of

SLOTS = ("synthetic", "real", "holdout")


def deal(
    real: Table,
    synthetic: Table,
    holdout: Table,
    *,
    free_texts: Sequence[Mapping[str, Sequence[str]]] = (),
    compared: ComparisonGroup = ComparisonGroup.CROSS,
    reference_share: float = 0.5,
    max_rows: int,
    seed: int,
    persons: Persons | None = None,
    children: Children | None = None,
    of_person: OfPerson = OfPerson.MEAN,
) -> ReleasedGame:
    """The game of these three tables of one schema.

    Parameters
    ----------
    free_texts
        Of each column that is kept as text the texts of all rows, by slot.
    compared
        Whom attacks that compare may compare with.
    reference_share
        Share of the holdout's records that are set aside for it, where that is how; they are not asked about.
    max_rows
        Most rows asked about on either side, and most that a target is compared with where parts are crossed; drawn at
        random where there are more.
    persons
        Whose row each row is; none where each is a person.
    children
        The second table, whose rows belong to those of the first; none where there is none.
    of_person
        How the scores of a person's rows become one.

    Raises
    ------
    DesignError
        No record is left on a side.
    """
    released, members, others = (
        _with_texts(points, [texts[slot] for texts in free_texts])
        for slot, points in zip(SLOTS, points_of((synthetic, real, holdout)), strict=True)
    )
    everybody = members.plus(others)
    if children is not None:
        released, everybody = bags_of(children, released, everybody)
    (release, pool), (_, place) = canonical((released, everybody))  # in an order that knows no side
    order = np.argsort(place)
    is_in = order < len(members)
    row = np.where(is_in, order, order - len(members))
    person = order if persons is None else np.concatenate([persons.real, persons.holdout_persons])[order]
    record = records_of(rows_as_records(pool), person)
    stages.say(phrase("Whom attacks are asked about"))
    rng = stream(seed, "released", "deal")
    sides = is_in, ~is_in
    in_real, in_holdout = (people_of(record[side], person[side], record.max() + 1) for side in sides)
    both = (in_real > 0) & (in_holdout > 0)
    even = balanced_records(in_real, in_holdout, rng)
    aside = _draw(in_holdout > 0, reference_share if compared is ComparisonGroup.ASIDE else 0.0, rng)
    asked = even[record] & ~both[record] & ~(aside[record] & ~is_in)
    spared = _over(record, is_in, asked, max_rows, rng)
    kept = np.flatnonzero(asked & ~spared)
    _, first, whose = np.unique(person, return_index=True, return_inverse=True)
    kept = kept[np.lexsort((kept, first[whose[kept]], record[kept]))]
    if not is_in[kept].any() or is_in[kept].all():
        raise DesignError.phrase(
            "No record is left to ask about on one side: every row stands in both tables, or in the "
            "reference. Load a holdout of other people, or set a smaller share aside."
        )
    if compared is ComparisonGroup.CROSS:
        deals = stages.parts(phrase("Whom attacks compare with"), range(DEALS))
        references = tuple(cross_references(pool, record, kept, max_rows, rng) for _ in deals)
    else:
        set_aside = pool.rows(np.flatnonzero(~is_in & aside[record]))
        references = (ReferenceRows(np.zeros(len(kept), dtype=np.int64), (set_aside,)),) if len(set_aside) else ()
    start = starts(person[kept])
    return ReleasedGame(
        release=release,
        targets=pool.rows(kept),
        references=references,
        owner=np.repeat(np.arange(len(start)), np.diff(start, append=len(kept))),
        is_in=is_in[kept[start]],
        record=record[kept[start]],
        row=np.minimum.reduceat(row[kept], start),
        left_out=LeftOut(
            real=int(both[record[is_in]].sum()),
            holdout=int(both[record[~is_in]].sum()),
            evened=int((~even & ~both)[record].sum()),
            spared=int(spared.sum()),
        ),
        seed=seed,
        of_person=of_person,
    )


def bags_of(children: Children, released: RowPoints, everybody: RowPoints) -> tuple[RowPoints, RowPoints]:
    """Released people and those of real table and holdout, each with their rows of the second table.

    Raises
    ------
    DesignError
        The second table is not there for all three, or no column of it is left to compare.
    """
    missing = [slot for slot in SLOTS if slot not in children.tables]
    if missing:
        raise DesignError.phrase(
            "The second table is loaded for some of the files alone. Load it for the real one, the release and the "
            "holdout."
        )
    rows = points_of([children.tables[slot] for slot in SLOTS])
    owners = [children.owner[slot] for slot in SLOTS]
    groups = [children.group[slot] for slot in SLOTS]
    first = int(groups[1].max(initial=-1)) + 1  # people of the holdout are numbered behind those of the real table
    owner = owners[0], np.concatenate([owners[1], owners[2] + first])
    group = groups[0], np.concatenate([groups[1], groups[2] + first])
    points, undo = canonical((rows[0], rows[1].plus(rows[2])))
    days = _days(children)
    bags = []
    for index, each in enumerate(points):
        order_of_bag = np.argsort(undo[index])
        order = None if days is None else days[index][order_of_bag]
        many = int(max(group[index].max(initial=-1), owner[index].max(initial=-1))) + 1
        bags.append(Bags.build(each, owner[index][order_of_bag], many, order).take(group[index]))
    return replace(released, children=bags[0]), replace(everybody, children=bags[1])


def _days(children: Children) -> tuple[Floats, Floats] | None:
    """What children are ordered by, those of the release and all others; None where no column holds dates."""
    if not children.order:
        return None
    numeric = [column.name for column in children.schema.numeric]
    position = numeric.index(children.order)
    release, real, holdout = (children.tables[slot].numbers[:, position] for slot in SLOTS)
    return release, np.concatenate([real, holdout])


def cross_references(pool: RowPoints, record: Ints, asked: Ints, most: int, rng: np.random.Generator) -> ReferenceRows:
    """Parts of all records, and for those of each part the rows of the others, whoever they are and on which side."""
    part = (rng.permutation(record.max() + 1) % PARTS)[record]
    by_content = np.argsort(record, kind="stable")
    rows = []
    for number in range(PARTS):
        others = by_content[part[by_content] != number]
        rows.append(pool.rows(others[np.sort(rng.permutation(len(others))[:most])]))
    return ReferenceRows(part[asked], tuple(rows))


def _with_texts(points: RowPoints, columns: Sequence[Sequence[str]]) -> RowPoints:
    """The points with their free texts beside them."""
    if not columns:
        return points
    return replace(points, texts=np.array([list(column) for column in columns], dtype=object).T)


def rows_as_records(pool: RowPoints) -> Ints:
    """(n,) the number of the record that each row is, numbered by content; equal rows share it."""
    parts: list[npt.NDArray[Any]] = [pool.codes, pool.numbers]
    if pool.texts is not None:
        parts += [alphabetical(column)[:, None] for column in pool.texts.T]
    if pool.children is not None:
        parts.append(pool.children.rank()[:, None])
    return number_records([parts])[0]


def _draw(candidates: Bools, share: float, rng: np.random.Generator) -> Bools:
    """That share of the candidates, at random."""
    out = np.zeros(len(candidates), dtype=bool)
    order = rng.permutation(np.flatnonzero(candidates))
    out[order[: round(share * len(order))]] = True
    return out


def _over(record: Ints, is_in: Bools, asked: Bools, max_rows: int, rng: np.random.Generator) -> Bools:
    """Which rows are too many: whole records, at random, until a side has no more than ``max_rows``."""
    out = np.zeros(len(record), dtype=bool)
    for side in (True, False):
        of_side = asked & (is_in == side)
        sizes = np.bincount(record[of_side], minlength=record.max() + 1)
        order = rng.permutation(np.flatnonzero(sizes))
        out |= of_side & np.isin(record, order[np.cumsum(sizes[order]) > max_rows])
    return out
