"""The people of a table in games that train again and again: a world holds a person with all of their rows, or none."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import Whose, in_order, rows_of, starts
from riskkit.phrases import phrase


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The people of a table. ``person`` (n,) is the number of each row's person, numbered as they come first."""

    person: Ints
    _start: Ints = field(init=False, repr=False)
    _rows: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = np.argsort(self.person, kind="stable")
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_start", starts(self.person[rows]))

    @classmethod
    def group(cls, person: Ints) -> Crowd:
        """By any numbers (n,) that are equal where people are."""
        return cls(in_order(person))

    def __len__(self) -> int:
        return len(self._start)

    @property
    def first(self) -> Ints:
        """(people,) the first row of each, by which a person is named."""
        return self._rows[self._start]

    @property
    def sizes(self) -> Ints:
        """(people,) how many rows each has."""
        return np.diff(self._start, append=len(self.person))

    def own(self, person: int) -> Ints:
        """(k,) the rows of that person, ascending."""
        return np.sort(self._rows[self._start[person] :][: self.sizes[person]])

    def rows(self, people: Ints) -> Ints:
        """The rows of these people, ascending."""
        return np.flatnonzero(np.isin(self.person, people))

    def total(self, value: Floats) -> Floats:
        """(people,) the sum over each person's rows, from (n,) the values of all rows."""
        return np.asarray(np.add.reduceat(value[self._rows], self._start))


def alike(table: Table, person: Ints, other: Table, others: Ints) -> tuple[Ints, Ints]:
    """(n,) and (m,) numbers of the rows' people by content, the same for people of equal rows in both tables.

    ``person`` (n,) and ``others`` (m,) are numbers of people; whoever has rows in both tables is one person, and equal
    to nobody who has rows in one.
    """
    keys = np.concatenate([table.keys(), other.keys()])
    bags = Whose.group(keys, np.concatenate([in_order(person), in_order(others) + len(person)])).record
    return bags[: len(table)], bags[len(table) :]


def strangers(pool: Table, pool_person: Ints, table: Table, person: Ints) -> Bools:
    """(m,) which rows of the pool belong to nobody of the table: to no person in it, and to none who is like one."""
    of_table, of_pool = alike(table, person, pool, pool_person)
    return ~np.isin(pool_person, person) & ~np.isin(of_pool, of_table)


def population_of_people(
    pool: Table, pool_person: Ints, table: Table, person: Ints, *, auxiliary: bool, rng: np.random.Generator
) -> tuple[tuple[Table, Crowd], tuple[Table, Crowd] | None]:
    """The people of worlds that are counted, and with ``auxiliary`` those the attacker knows; nobody is both.

    People of the pool who are in the table, or like somebody in it, are nobody's; people of equal rows lie on one side.

    Raises
    ------
    DesignError
        A side has too few people for worlds of as many people as the table.
    """
    kept = np.flatnonzero(strangers(pool, pool_person, table, person))
    others, owner = pool.rows(kept), in_order(pool_person[kept])
    sides = [np.ones(len(others), dtype=bool)]
    if auxiliary:
        bag = Whose.group(others.keys(), owner).record
        known = np.zeros(int(bag.max(initial=-1)) + 1, dtype=bool)
        known[rng.permutation(len(known))[: len(known) // 2]] = True
        sides = [~known[bag], known[bag]]
    wanted, made = len(np.unique(person)), []
    for side in sides:
        crowd = Crowd.group(owner[side])
        if len(crowd) <= wanted:
            raise DesignError(
                phrase(
                    "Worlds of {people:,} other people are drawn from {others:,}; they must be more. Load a "
                    "larger holdout, or leave the traditional game out and let the attacker know this table.",
                    people=wanted,
                    others=len(crowd),
                )
            )
        made.append((others.rows(side), crowd))
    return made[0], made[1] if auxiliary else None


def rows_in_order(crowd: Crowd, people: Ints) -> Ints:
    """The rows of these people, person by person in that order."""
    return rows_of(crowd.person, people)
