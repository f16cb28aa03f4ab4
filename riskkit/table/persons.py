"""Whose row each row is, where a column of the files names the person: the unit that privacy is counted in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Ints, Role
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.compare import bare
from riskkit.table.text import TextTable
from riskkit.table.verdict import Choice


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """The people of the real table and of the holdout.

    ``column`` names them. ``real`` and ``holdout`` (n,) number the person of each row; one number is one person in
    both tables. A row without a name is a person of its own; ``unnamed`` counts those of both tables.
    """

    column: str
    real: Ints = field(repr=False)
    holdout: Ints | None = field(default=None, repr=False)
    unnamed: int = 0

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


def person_column(choices: Mapping[str, Choice]) -> str:
    """The column whose role is *person*; empty where none is.

    Raises
    ------
    SchemaError
        There are two of them.
    """
    named = [column for column, choice in choices.items() if choice.role is Role.PERSON]
    if len(named) > 1:
        raise SchemaError.of(
            "two_persons",
            phrase("{n:,} columns have the role person, so nobody knows whose row a row is.", n=len(named)),
            phrase("Give the role to one column, and the role ignored to the others."),
            column=named[1],
            count=len(named),
        )
    return named[0] if named else ""


def persons_of(column: str, texts: Mapping[str, TextTable]) -> Persons:
    """The people of real table and holdout by that column; spelled as identifiers are, so that ``007.0`` is ``7``."""
    slots = [slot for slot in ("real", "holdout") if slot in texts]
    names = pa.chunked_array(
        [chunk for slot in slots for chunk in bare(texts[slot].column(column)).chunks], pa.string()
    )
    numbers: Ints = pc.dictionary_encode(names.combine_chunks()).indices.to_numpy().astype(np.int64)
    nobody = np.flatnonzero(pc.equal(names, "").to_numpy())
    numbers[nobody] = len(numbers) + np.arange(len(nobody))
    real, *rest = np.split(numbers, np.cumsum([texts[slot].rows for slot in slots])[:-1])
    return Persons(column, real, rest[0] if rest else None, len(nobody))


def person_problems(persons: Persons, name: str) -> list[Problem]:
    """What is said of the people whom a column names: who is in both tables, and rows without a name."""
    problems = []
    if persons.in_both:
        what = counted_phrase(
            persons.in_both,
            "{n:,} person has rows in the real file and in the holdout, so they were in; they are left out of every "
            "comparison.",
            "{n:,} people have rows in the real file and in the holdout, so they were in; they are left out of every "
            "comparison.",
        )
        do = phrase("Load a holdout of people who were not in the real file.")
        problems.append(
            Problem(Gravity.QUESTION, "person_in_both", what, do, name, persons.column, count=persons.in_both)
        )
    if persons.unnamed:
        what = counted_phrase(
            persons.unnamed,
            "{n:,} row names nobody; it was taken for a person of its own.",
            "{n:,} rows name nobody; each was taken for a person of its own.",
        )
        do = phrase("Name its person, if it is another row of somebody.")
        problems.append(
            Problem(Gravity.REPAIR, "person_unnamed", what, do, name, persons.column, count=persons.unnamed)
        )
    return problems
