"""People and their rows: a person's rows are a bag, and people of equal bags are one record.

Where every person has one row, a bag is a row and all that is made here is what rows alone would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints


class OfPerson(StrEnum):
    """How the scores of a person's rows become the score of the person."""

    MEAN = "mean"
    """Their mean: each row says a little."""
    BEST = "best"
    """The highest of them: one row that was copied says all."""
    SUM = "sum"
    """Their sum: of logarithms of likelihoods the one of all rows together, if rows are independent."""


@dataclass(frozen=True, slots=True, eq=False)
class Whose:
    """Whose each row of a table is: ``record`` (n,) numbered by content over all tables, and ``person`` (n,)."""

    record: Ints
    person: Ints

    @classmethod
    def group(cls, keys: npt.NDArray[Any], person: Ints | None = None) -> Whose:
        """By keys (n,) that are equal where rows are; each row a person where nobody is named."""
        row = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        whose = np.arange(len(keys)) if person is None else person
        return cls(records_of(row, whose), whose)

    def __len__(self) -> int:
        return len(self.record)

    def rows(self, places: npt.ArrayLike) -> Whose:
        """Those of these rows."""
        chosen = np.asarray(places)
        return Whose(self.record[chosen], self.person[chosen])

    @property
    def n_people(self) -> int:
        """How many people these rows are."""
        return len(np.unique(self.person))

    def people(self, records: int) -> Ints:
        """(records,) how many people each record has."""
        return people_of(self.record, self.person, records)


def in_order(person: Ints) -> Ints:
    """(n,) the number of each row's person, people numbered as they come first."""
    _, first, whose = np.unique(person, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[whose].astype(np.int64)


def records_of(row: Ints, person: Ints) -> Ints:
    """(n,) the number of the record that each row belongs to, by content; people with equal rows share it.

    Parameters
    ----------
    row : (n,)
        Which rows are equal: their number among different rows, in the order of their content.
    person : (n,)
        Whose row each is.
    """
    if len(np.unique(person)) == len(person):  # everybody has one row: a bag is a row
        return np.unique(row, return_inverse=True)[1].astype(np.int64)
    order = np.lexsort((row, person))
    start = starts(person[order])
    rows, ends = row[order].tolist(), [*start[1:].tolist(), len(row)]
    bags = [tuple(rows[first:end]) for first, end in zip(start.tolist(), ends, strict=True)]
    number = {bag: index for index, bag in enumerate(sorted(set(bags)))}
    out = np.empty(len(row), dtype=np.int64)
    out[order] = np.repeat([number[bag] for bag in bags], np.diff(start, append=len(row)))
    return out


def people_of(record: Ints, person: Ints, records: int) -> Ints:
    """(records,) how many people each record has, by the record and the person of each row."""
    first = np.unique(person, return_index=True)[1]
    return np.bincount(record[first], minlength=records)


def starts(owner: Ints) -> Ints:
    """Where the rows of each person begin; ``owner`` (n,) has those of one person side by side."""
    return np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]])[: len(owner)])


def rows_of(owner: Ints, people: Ints) -> Ints:
    """The rows of these people, person by person in that order; ``owner`` (n,) is the place of each row's person."""
    order = np.argsort(owner, kind="stable")
    sizes = np.bincount(owner, minlength=int(people.max(initial=-1)) + 1)
    first = np.cumsum(sizes) - sizes
    ranges = [np.arange(first[person], first[person] + sizes[person]) for person in people]
    rows: Ints = order[np.concatenate(ranges or [first[:0]])]
    return rows


def score_of_people(value: Floats, owner: Ints, how: OfPerson) -> Floats:
    """(people,) one score a person from those of their rows (n,), which stand side by side."""
    start = starts(owner)
    if how is OfPerson.BEST:
        return np.asarray(np.maximum.reduceat(value, start))
    total = np.add.reduceat(value, start)
    return total if how is OfPerson.SUM else np.asarray(total / np.diff(start, append=len(value)))


def any_of_people(row_has: Bools, record: Ints, records: int) -> Bools:
    """(records,) whether some row of the record has it."""
    out: Bools = np.bincount(record[row_has], minlength=records) > 0
    return out


def balanced_records(in_real: Ints, in_holdout: Ints, rng: np.random.Generator) -> Bools:
    """Which records stay so that a record of several rows is as likely to be asked about as in as out.

    Of rows dealt at random into tables of n and m, all c of a record fall into the first with odds
    n(n-1)...(n-c+1) : m(m-1)...(m-c+1) against the second; single rows with n : m. The rest is thinned away.

    Parameters
    ----------
    in_real, in_holdout : (n_records,)
        How many rows each record has in either table.
    """
    n, m = int(in_real.sum()), int(in_holdout.sum())
    larger, many, few = (in_real, n, m) if n >= m else (in_holdout, m, n)
    step = np.arange(1, int(larger.max(initial=1)))
    ratio = np.maximum(few - step, 0) / np.maximum(many - step, 1)
    keep = np.concatenate([[1.0, 1.0], np.cumprod(ratio)])
    drawn: Bools = rng.random(len(larger)) < keep[larger]
    return drawn
