"""A real table in two: people that a release is made from, and a holdout of people who were left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Bools, Ints
from riskkit.errors import DesignError, ParameterError, nearest
from riskkit.mend.release import to_csv
from riskkit.seeds import stream
from riskkit.table.evidence.compare import bare
from riskkit.table.text import TextTable

SHARE = 0.2
"""Share of the people that is left out where nothing else is said."""


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """Both files as they are written, their rows in the order of the old one; ``people`` of either side.

    ``is_out`` (rows of the old file,) are those that are left out.
    """

    kept: bytes
    holdout: bytes
    rows: tuple[int, int]
    people: tuple[int, int]
    is_out: Bools = field(repr=False)


def part(text: TextTable, share: float = SHARE, *, seed: int, person: str = "") -> Parted:
    """The table in two at random.

    Parameters
    ----------
    text : TextTable
        The real table as it was read.
    share : float in (0, 1)
        How many of the people are left out.
    seed : int
        The same one parts the same file in the same way.
    person : str, optional
        The column that says whose row it is; all rows of a person stay together. Nothing: a row is a person.

    Raises
    ------
    ParameterError
        A share or a seed out of range, or a column that is not there.
    DesignError
        A side would have nobody.
    """
    if not 0 < share < 1:
        raise ParameterError.phrase(
            "A share of {share:g} leaves one side empty; it must lie between 0 and 1.", share=share
        )
    if seed < 0:
        raise ParameterError.phrase("A seed is a whole number of 0 or more.")
    if person:
        _check_person(text, person)
    who = _persons(text, person)
    people = int(who.max(initial=-1)) + 1
    out = min(max(round(share * people), 1), people - 1)
    if out < 1:
        raise DesignError.phrase(
            "{people} people cannot be parted in two; a holdout needs people of its own.", people=people
        )
    left = np.zeros(people, dtype=np.bool_)
    left[stream(seed, "holdout").permutation(people)[:out]] = True
    is_out = left[who]
    return Parted(
        kept=to_csv(_some(text, ~is_out)),
        holdout=to_csv(_some(text, is_out)),
        rows=(int((~is_out).sum()), int(is_out.sum())),
        people=(people - out, out),
        is_out=is_out,
    )


def part_children(children: TextTable, text: TextTable, is_out: Bools, person: str) -> Parted:
    """A second table in two by the same people: rows of those who are left out, and all others.

    Parameters
    ----------
    children : TextTable
        The second table; a row whose key stands nowhere in the first stays with those who are kept.
    text, is_out
        The first table, and (rows,) which of its rows are left out.
    person : str
        The column that both tables share.

    Raises
    ------
    ParameterError
        The second table has no such column.
    """
    _check_person(children, person)
    own, keys = bare(text.column(person)), bare(children.column(person))
    left = pc.unique(own.filter(pa.array(is_out)))
    goes: Bools = pc.and_(pc.is_in(keys, value_set=left), pc.not_equal(keys, "")).to_numpy(zero_copy_only=False)
    sides = tuple(len(pc.unique(keys.filter(pa.array(side)))) for side in (~goes, goes))
    return Parted(
        kept=to_csv(_some(children, ~goes)),
        holdout=to_csv(_some(children, goes)),
        rows=(int((~goes).sum()), int(goes.sum())),
        people=(sides[0], sides[1]),
        is_out=goes,
    )


def _persons(text: TextTable, person: str) -> Ints:
    """(rows,) the number of the person of each row; a row that says nothing is a person of its own."""
    if not person:
        return np.arange(text.rows)
    named = [str(name or "").strip() or row for row, name in enumerate(text.column(person).to_pylist())]
    number: dict[str | int, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in named], dtype=np.int64)


def _some(text: TextTable, wanted: Bools) -> TextTable:
    rows = text.data.take(pa.array(np.flatnonzero(wanted))).combine_chunks().replace_schema_metadata(None)
    return replace(text, data=rows)


def _check_person(text: TextTable, person: str) -> None:
    """Refuse a column of persons that the file has not."""
    if person not in text.columns:
        raise ParameterError.phrase(
            "There is no column {person!r} that says whose row it is{near}; the columns are {columns}.",
            person=person,
            near=nearest(person, text.columns),
            columns=tuple(text.columns),
        )
