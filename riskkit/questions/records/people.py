"""The game for every person: who is asked about, their rows, and who else is there.

A person is named by the number of the first of their rows. Where people have one row each, a record is a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import Whose, people_of
from riskkit.games.crowd import Crowd, population_of_people, rows_in_order
from riskkit.games.records import Deal, OtherPeople
from riskkit.questions.records.plan import KNOWING, RecordsPlan
from riskkit.seeds import stream
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons


@dataclass(frozen=True, slots=True, eq=False)
class AskedPeople:
    """Who is asked about, in that order: for each the ``first`` row and all ``rows``; ``numbers`` among all people."""

    numbers: Ints
    first: Ints
    rows: tuple[Ints, ...]


def persons_of(tables: Tables) -> Persons:
    """Whose the rows of the real table and of the holdout are; each row is a person's own where people have one."""
    if has_several_rows(tables):
        assert tables.persons is not None
        return tables.persons
    return Persons.of_rows(len(tables.real), 0 if tables.holdout is None else len(tables.holdout))


def has_several_rows(tables: Tables) -> bool:
    """Whether somebody has more than one row, so that people are counted and not rows."""
    return tables.persons is not None and tables.persons.has_several_rows


def crowd_of(tables: Tables) -> Crowd:
    """The people of the real table."""
    return Crowd.group(persons_of(tables).real)


def as_group(tables: Tables, plan: RecordsPlan) -> Tables:
    """The tables where the rows that the plan names as a group are those of one person; as they are without a group.

    Where people have several rows the group has all rows of the people who are named by theirs.

    Raises
    ------
    DesignError
        A row is not in the table or named twice, or nobody would be left.
    """
    if not plan.together:
        return tables
    n, persons = len(tables.real), persons_of(tables)
    named = persons.real[plan.choose_among(n, np.zeros(n))]
    real, holdout = (np.where(np.isin(side, named), named[0], side) for side in (persons.real, persons.holdout_persons))
    if (real == named[0]).all():
        raise DesignError.phrase("The group is the whole real table; without it nobody would be left. Name fewer rows.")
    return replace(tables, persons=replace(persons, real=real, holdout=holdout if len(holdout) else None))


def rows_of(tables: Tables, row: int) -> Ints:
    """All rows of that row's person."""
    person = persons_of(tables).real
    return np.flatnonzero(person == person[row])


def people_asked(crowd: Crowd, plan: RecordsPlan, order: Floats, names: Ints) -> AskedPeople:
    """Who is asked about. ``order`` (n,) says of each row how much it stands out, and a person stands out by the sum.

    Of 2,000 patients with 1 to 23 rows the sum of Achilles' scores has a rank correlation of .73 with the certificate,
    the highest of them .57 and their mean .39. Rows that are given by number stand for their people; ``names`` (n,) are
    the numbers of the rows in the real table, of which a table that was drawn has some. Of a table that grew, people
    are among those of the first release.

    Raises
    ------
    DesignError
        There are fewer people than are asked for, or a row is not there.
    """
    if plan.years:
        numbers = plan.choose_among(plan.years[0], order[: plan.years[0]])
    elif len(plan.named):
        rows = np.flatnonzero(np.isin(names, plan.named)) if plan.people else plan.choose_among(len(names), order)
        numbers = np.array(list(dict.fromkeys(crowd.person[rows].tolist())), dtype=np.int64)
    else:
        numbers = plan.choose_among(len(crowd), crowd.total(order), people=len(crowd) < len(names))
    return AskedPeople(numbers, crowd.first[numbers], tuple(crowd.own(number) for number in numbers.tolist()))


def copies_of_people(table: Table, crowd: Crowd, numbers: Ints) -> Ints:
    """(m,) how many other people have the same rows as each of these."""
    bag = Whose.group(table.keys(), crowd.person).record
    copies: Ints = people_of(bag, crowd.person, int(bag.max()) + 1)[bag[crowd.first[numbers]]] - 1
    return copies


def stand_in(tables: Tables, row: int) -> Table:
    """All rows of the person of that row of the holdout.

    Raises
    ------
    DesignError
        The holdout has no such row, or the person is in the real table.
    """
    persons, holdout = persons_of(tables), tables.holdout
    assert holdout is not None
    if row >= len(holdout):
        raise DesignError.phrase(
            "Row {stand_in:,} of the holdout is to stand in; it has rows 0 to {last:,}.",
            stand_in=row,
            last=len(holdout) - 1,
        )
    if np.isin(persons.holdout_persons[row], persons.real):
        raise DesignError.phrase(
            "The person of row {row:,} of the holdout is in the real table too. Choose another stand-in.", row=row
        )
    return holdout.rows(np.flatnonzero(persons.holdout_persons == persons.holdout_persons[row]))


def other_people(tables: Tables, plan: RecordsPlan, deals: Sequence[Deal], replaced: bool) -> list[OtherPeople]:
    """The games of other people: the one that is counted, and the one that the attacker plays where that is another.

    Raises
    ------
    DesignError
        There are too few other people.
    """
    persons, holdout, real = persons_of(tables), tables.holdout, tables.real
    assert holdout is not None
    counted, known = population_of_people(
        holdout,
        persons.holdout_persons,
        real,
        persons.real,
        auxiliary=plan.knowledge == KNOWING[1],
        rng=stream(plan.seed, "records", "population"),
    )
    people = len(np.unique(persons.real))
    sides = [counted] if known is None else [counted, known]
    return [
        OtherPeople(deal, real, pool, replaced, crowd, people)
        for deal, (pool, crowd) in zip(deals, sides, strict=False)
    ]


# A table drawn from the real one: the same person among other people, to see how much of a risk is the table's.


def play_tables(tables: Tables, plan: RecordsPlan) -> tuple[Tables, Ints]:
    """The tables that the plan is played on, and for each row of theirs which row of the real table it is.

    A group of rows is one person in them. Where the plan draws a table, the named records come first, whole people with
    all of their rows, and the rows that were not drawn are the holdout. Nobody who is drawn equals one of the named.

    Raises
    ------
    DesignError
        There are too few people to draw from, or a named row is not there.
    """
    tables, real = as_group(tables, plan), tables.real
    if not plan.people:
        return tables, np.arange(len(real))
    crowd, rows = crowd_of(tables), plan.choose_among(len(real), np.zeros(len(real)))
    named = np.array(list(dict.fromkeys(crowd.person[rows].tolist())), dtype=np.int64)
    of_person = Whose.group(real.keys(), crowd.person).record[crowd.first]
    others = np.flatnonzero(~np.isin(of_person, of_person[named]))
    wanted = plan.people - len(named)
    if not 0 < wanted < len(others):
        raise DesignError.phrase(
            "A table of {people:,} people is to be drawn, {named:,} of them named, and the real table has "
            "{others:,} others. Draw a table with more people than are named and fewer than there are.",
            people=plan.people,
            named=len(named),
            others=len(others),
        )
    order = stream(plan.seed, "records", "table", plan.draw).permutation(others)
    rows, rest = np.concatenate([rows_in_order(crowd, named), crowd.rows(order[:wanted])]), crowd.rows(order[wanted:])
    persons = tables.persons
    if persons is not None:
        persons = replace(persons, real=persons.real[rows], holdout=persons.real[rest])
    return replace(tables, real=real.rows(rows), holdout=real.rows(rest), persons=persons), rows
