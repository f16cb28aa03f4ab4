"""Whose row each row is, where a column of the files names the person or the household: the unit of privacy.

A household is counted by the same reckoning as a person: a set of rows that is in or out as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Ints, Role
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.alike import identifier
from riskkit.table.arrow import EMPTY, values
from riskkit.table.compare import bare
from riskkit.table.text import TextTable
from riskkit.table.verdict import ColumnChoice


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """The people, or the households, of the real table and of the holdout.

    ``column`` names them, and ``unit`` says which of the two they are. ``real`` and ``holdout`` (n,) number the person
    of each row; one number is one person in both tables. A row without a name is a person of its own; ``unnamed``
    counts those of both tables.
    """

    column: str
    real: Ints = field(repr=False)
    holdout: Ints | None = field(default=None, repr=False)
    unnamed: int = 0
    unit: Role = Role.PERSON

    @property
    def of_holdout(self) -> Ints:
        """(n,) the person of each row of the holdout; empty without one."""
        return self.real[:0] if self.holdout is None else self.holdout

    def rows(self, real: Ints, holdout: Ints) -> Persons:
        """Those of these rows alone."""
        return replace(self, real=self.real[real], holdout=None if self.holdout is None else self.holdout[holdout])

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody has more than one row, in one table or in both together."""
        rows = np.concatenate([self.real, self.of_holdout])
        return len(np.unique(rows)) < len(rows)

    @property
    def in_both(self) -> int:
        """How many people stand in the real table and in the holdout."""
        return len(np.intersect1d(self.real, self.of_holdout))


def unit_column(choices: Mapping[str, ColumnChoice]) -> str:
    """The column whose role is *person* or *household*; empty where none is.

    Raises
    ------
    SchemaError
        There are two of them.
    """
    named = [column for column, choice in choices.items() if choice.role is not None and choice.role.names_unit]
    if len(named) > 1:
        raise SchemaError.of(
            "two_persons",
            phrase(
                "{n:,} columns have the role person or household, so nobody knows whose row a row is.", n=len(named)
            ),
            phrase("Give the role to one column, and the role ignored to the others."),
            column=named[1],
            count=len(named),
        )
    return named[0] if named else ""


def persons_of(column: str, texts: Mapping[str, TextTable], unit: Role = Role.PERSON) -> Persons:
    """The people of real table and holdout by that column; spelled as identifiers are, so that ``007.0`` is ``7``.

    Dashes, spaces and capitals count only where a file tells two people apart by them.
    """
    slots = [slot for slot in ("real", "holdout") if slot in texts]
    spelled = {slot: bare(texts[slot].column(column)) for slot in slots}
    if len(slots) > 1 and all(map(_is_free, spelled.values())):
        spelled = {slot: _folded(names) for slot, names in spelled.items()}
    names = pa.chunked_array([chunk for slot in slots for chunk in spelled[slot].chunks], pa.string())
    numbers: Ints = values(pc.dictionary_encode(names.combine_chunks()).indices).astype(np.int64)
    nobody = np.flatnonzero(values(pc.equal(names, EMPTY)))
    numbers[nobody] = len(numbers) + np.arange(len(nobody))
    real, *rest = np.split(numbers, np.cumsum([texts[slot].rows for slot in slots])[:-1])
    return Persons(column, real, rest[0] if rest else None, len(nobody), unit)


def _folded(names: pa.ChunkedArray) -> pa.ChunkedArray:
    """Names by their letters and digits alone."""
    different = pc.unique(names)
    forms = pa.array([identifier(name, keeps_zeros=True) for name in different.to_pylist()], pa.string())
    return pa.chunked_array([pc.take(forms, pc.index_in(names.combine_chunks(), value_set=different))])


def _is_free(names: pa.ChunkedArray) -> bool:
    """Whether no two names of a file, and no name and an empty one, are then the same."""
    forms = {text: identifier(text) for text in pc.unique(names).to_pylist()}
    return len(set(forms.values())) == len(forms) and all(form or not text for text, form in forms.items())


def units(choices: Mapping[str, ColumnChoice]) -> dict[str, str]:
    """The column that says whose row a row is, by the unit that it names (``person``, ``household``)."""
    return {
        str(choice.role): column
        for column, choice in choices.items()
        if choice.role is not None and choice.role.names_unit
    }


def naming(choices: Mapping[str, ColumnChoice], column: str, unit: Role) -> dict[str, ColumnChoice]:
    """The choices with that column naming the unit, alone; one that named it before has its own role again.

    An empty ``column`` names none.
    """
    freed = {
        name: replace(choice, role=None) if choice.role is not None and choice.role.names_unit else choice
        for name, choice in choices.items()
    }
    named = {**freed, column: replace(freed.get(column, ColumnChoice()), role=unit)} if column else freed
    return {name: choice for name, choice in named.items() if choice != ColumnChoice()}


def person_problems(persons: Persons, name: str) -> list[Problem]:
    """What is said of the people or households that a column names: who is in both tables, and rows without a name."""
    is_home = persons.unit is Role.HOUSEHOLD
    problems = []
    if persons.in_both:
        what = (
            counted_phrase(
                persons.in_both,
                "{n:,} household has rows in the real file and in the holdout, so it was in; it is left out of every "
                "comparison.",
                "{n:,} households have rows in the real file and in the holdout, so they were in; they are left out of "
                "every comparison.",
            )
            if is_home
            else counted_phrase(
                persons.in_both,
                "{n:,} person has rows in the real file and in the holdout, so they were in; they are left out of "
                "every comparison.",
                "{n:,} people have rows in the real file and in the holdout, so they were in; they are left out of "
                "every comparison.",
            )
        )
        do = (
            phrase("Load a holdout of households that were not in the real file.")
            if is_home
            else phrase("Load a holdout of people who were not in the real file.")
        )
        problems.append(
            Problem(Gravity.QUESTION, "person_in_both", what, do, name, persons.column, count=persons.in_both)
        )
    if persons.unnamed:
        what = (
            counted_phrase(
                persons.unnamed,
                "{n:,} row names no household; it was taken for a household of its own.",
                "{n:,} rows name no household; each was taken for a household of its own.",
            )
            if is_home
            else counted_phrase(
                persons.unnamed,
                "{n:,} row names nobody; it was taken for a person of its own.",
                "{n:,} rows name nobody; each was taken for a person of its own.",
            )
        )
        do = (
            phrase("Name its household, if it is another row of one.")
            if is_home
            else phrase("Name its person, if it is another row of somebody.")
        )
        problems.append(
            Problem(Gravity.REPAIR, "person_unnamed", what, do, name, persons.column, count=persons.unnamed)
        )
    return problems
