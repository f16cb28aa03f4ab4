"""What becomes of a certificate if the table is changed first: a column coarsened, a person left out.

The method is fitted anew to the changed table and certified: milliseconds for a table of a thousand rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Column, Generator, Ints, Table
from riskkit.errors import DesignError, nearest
from riskkit.phrases import phrase
from riskkit.questions.records.certificate import Certificate, Terms, certify

PEOPLE = 10
"""As many people share a value after coarsening, if nothing else is asked."""


@dataclass(frozen=True, slots=True)
class CoarsenedValue:
    """One column in which the record's value was put together with others.

    ``people`` have one of the values put together; ``values`` are how many values these are. ``table`` is the changed
    one.
    """

    column: str
    people: int
    values: int
    table: Table


@dataclass(frozen=True, slots=True)
class Change:
    """A certificate before and after the table was changed; ``column`` is empty where a person was left out.

    Where a person was, rows of ``after`` are those of the smaller table.
    """

    column: str
    people: int
    before: Certificate
    after: Certificate


def coarsen(table: Table, row: int, column: str, people: int = PEOPLE) -> CoarsenedValue:
    """Put the record's value together with others until so many people share it.

    A number is put together with the numbers nearest to it and all of them become their median; a category with the
    rarest other ones and all of them become the most frequent. Other rows with these values change too; the frozen
    domain stays.

    Raises
    ------
    DesignError
        The table has no such column, or fewer rows than that, or the record's number is missing.
    """
    names = [own.name for own in table.schema.modelled]
    if column not in names:
        raise DesignError(
            phrase(
                "There is no column {column!r} to coarsen{near}; choose {names}.",
                column=column,
                near=nearest(column, names),
                names=tuple(names),
            )
        )
    if not 1 <= people <= len(table):
        raise DesignError(
            phrase(
                "{people} people cannot share a value in a table of {rows} rows; ask for fewer.",
                people=people,
                rows=len(table),
            )
        )
    own = table.schema.column(column)
    if own.is_numeric:
        return _number(table, row, own, people)
    codes = np.array(table.codes)
    position = [other.name for other in table.schema.categorical].index(column)
    counts = np.bincount(codes[:, position], minlength=len(own.levels))
    rarest = [
        code for code in np.lexsort((np.arange(len(counts)), counts)) if counts[code] and code != codes[row, position]
    ]
    order = np.array([codes[row, position], *rarest])
    enough = int(np.searchsorted(np.cumsum(counts[order]), people)) + 1
    pooled = order[:enough]
    codes[np.isin(codes[:, position], pooled), position] = pooled[int(counts[pooled].argmax())]
    shared = int(counts[pooled].sum())
    return CoarsenedValue(column, shared, len(pooled), Table(table.schema, codes, table.numbers))


def _number(table: Table, row: int, own: Column, people: int) -> CoarsenedValue:
    numbers = np.array(table.numbers)
    position = [other.name for other in table.schema.numeric].index(own.name)
    values = numbers[:, position]
    if np.isnan(values[row]):
        raise DesignError(
            phrase(
                "This record has no value in {column!r}, so there is nothing to coarsen; choose another.",
                column=own.name,
            )
        )
    distance = np.abs(values - values[row])
    reach = np.sort(distance)[people - 1]
    if np.isnan(reach):
        raise DesignError(
            phrase(
                "Fewer than {people} people have a value in {column!r}; ask for fewer.", people=people, column=own.name
            )
        )
    within: Bools = distance <= reach
    together = np.sort(values[within])
    values[within] = together[len(together) // 2]
    return CoarsenedValue(
        own.name, int(within.sum()), len(np.unique(together)), Table(table.schema, table.codes, numbers)
    )


def if_coarsened(
    table: Table, generator: Generator, row: int | Ints, columns: Sequence[str], people: int, terms: Terms, seed: int
) -> list[Change]:
    """The record's certificate if each of these columns alone is coarsened; columns without its value are left out.

    Of a person with several rows (k,) the value of each row is put together with others, one after another.

    Raises
    ------
    DesignError
        The method has no certificate; see also :func:`coarsen`.
    """
    (before,) = certify(table, generator, [row], terms, seed)
    changes = []
    for name in columns:
        own = table.schema.column(name)
        rows = np.unique(row).tolist()
        if own.is_numeric:
            values = table.numbers[:, table.schema.numeric.index(own)]
            rows = [other for other in rows if not np.isnan(values[other])]
        if not rows:
            continue
        shared, changed = [], table
        for twin in rows:
            step = coarsen(changed, twin, name, people)
            shared.append(step.people)
            changed = step.table
        (after,) = certify(changed, generator, [row], terms, seed)
        changes.append(Change(name, min(shared), before, after))
    return changes


def if_dropped(
    table: Table, generator: Generator, row: int | Ints, others: Sequence[int | Ints], terms: Terms, seed: int
) -> list[Change]:
    """The certificates of other records, or people, if this one is left out of the table; its own risk is then gone.

    Raises
    ------
    DesignError
        The method has no certificate, or nobody would be left to compare with.
    """
    gone = np.unique(row)
    kept = [other for other in others if not np.isin(other, gone).any()]
    before = certify(table, generator, kept, terms, seed)
    moved = [other - np.searchsorted(gone, other) for other in kept]
    after = certify(table.without(gone), generator, moved, terms, seed)
    return [Change("", 0, first, two) for first, two in zip(before, after, strict=True)]
