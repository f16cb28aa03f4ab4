"""Whose row each row is, where a column names the person or the household; and columns that seem to name people.

A household is counted by the same reckoning as a person: a set of rows that is in or out as one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Bools, Column, Floats, Ints, Kind, Role, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.evidence.compare import bare
from riskkit.table.kinds.alike import identifier
from riskkit.table.kinds.choice import ColumnChoice, weight_columns
from riskkit.table.text import EMPTY, TextTable, values

# Sampling weights: how many people of the population each row of the real table stands for.
#
# A weight belongs to the survey, not to the person: no question reads its column as one of the person's, and a
# release need not have it. Where the release has the column all the same, nobody has looked at what it says, and
# :func:`riskkit.table.evidence.overlap.unread_problems` asks about it.


def weights_of(real: TextTable, choices: Mapping[str, ColumnChoice]) -> Floats | None:
    """(rows,) the weight of each real row; None where no column has the role.

    Raises
    ------
    SchemaError
        Two columns have it, or a weight is missing, no number, or not above 0.
    """
    names = weight_columns(choices)
    if not names:
        return None
    if len(names) > 1:
        raise SchemaError.of(
            "two_weights",
            phrase("{n:,} columns have the role weight: nobody knows how many people a row stands for.", n=len(names)),
            phrase("Give the role to one column, and the role ignored to the others."),
            column=names[1],
            count=len(names),
        )
    weights = real.plain(names[0])
    bad = real.rows if weights is None else int((~(np.isfinite(weights) & (weights > 0))).sum())
    if weights is None or bad:
        raise SchemaError.of(
            "no_weight",
            phrase("A sampling weight is missing, is no number, or is not above 0."),
            phrase("Repair the column, or give it another role."),
            file=real.name,
            column=names[0],
            count=bad,
        )
    return weights


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

    @classmethod
    def of_rows(cls, real: int, holdout: int) -> Persons:
        """Of so many rows of either table, each a person's own."""
        return cls("", np.arange(real), np.arange(real, real + holdout))

    @property
    def holdout_persons(self) -> Ints:
        """(n,) the person of each row of the holdout; empty without one."""
        return self.real[:0] if self.holdout is None else self.holdout

    def rows(self, real: Ints, holdout: Ints) -> Persons:
        """Those of these rows alone."""
        return replace(self, real=self.real[real], holdout=None if self.holdout is None else self.holdout[holdout])

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody has more than one row, in one table or in both together."""
        rows = np.concatenate([self.real, self.holdout_persons])
        return len(np.unique(rows)) < len(rows)

    @property
    def in_both(self) -> int:
        """How many people stand in the real table and in the holdout."""
        return len(np.intersect1d(self.real, self.holdout_persons))


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
        spelled = {slot: _fold_names(names) for slot, names in spelled.items()}
    names = pa.chunked_array([chunk for slot in slots for chunk in spelled[slot].chunks], pa.string())
    numbers: Ints = values(pc.dictionary_encode(names.combine_chunks()).indices).astype(np.int64)
    nobody = np.flatnonzero(values(pc.equal(names, EMPTY)))
    numbers[nobody] = len(numbers) + np.arange(len(nobody))
    real, *rest = np.split(numbers, np.cumsum([texts[slot].rows for slot in slots])[:-1])
    return Persons(column, real, rest[0] if rest else None, len(nobody), unit)


def _fold_names(names: pa.ChunkedArray) -> pa.ChunkedArray:
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
                "{n:,} household has rows in the real file and in the holdout, so it is in both; it is left out "
                "of every comparison.",
                "{n:,} households have rows in the real file and in the holdout, so they are in both; they are "
                "left out of every comparison.",
            )
            if is_home
            else counted_phrase(
                persons.in_both,
                "{n:,} person has rows in the real file and in the holdout, so they are in both; they are left "
                "out of every comparison.",
                "{n:,} people have rows in the real file and in the holdout, so they are in both; they are left "
                "out of every comparison.",
            )
        )
        do = (
            phrase("Load a holdout of households outside the real file.")
            if is_home
            else phrase("Load a holdout of people outside the real file.")
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


LEAST_SHARE = 0.1
"""Different values a row that a column needs to be looked at; fewer are groups of people."""
_PAIRS = 20
"""Pairs of rows with the same value that are needed to tell anything."""
_MOST = 5_000
"""Pairs that are looked at."""
_ALIKE, _CHANCE = 0.95, 0.8
"""Two rows of a person agree in a trait at least as often as the first, any two rows at most as often as the second."""
_FEW = 20
"""Different values that a trait of people has at most."""


def people_problems(table: Table, text: TextTable, asked: Collection[str]) -> list[Problem]:
    """A question about each column whose repeated values seem to be people, of the real table.

    Rows that share such a value agree almost always in at least two traits, neither of which follows from the other,
    as sex and country of birth do; rows that share a postcode agree in town and county, but one follows from the other.
    ``asked`` are columns that are asked about for another reason.
    """
    traits = _traits(table)
    columns = {column.name: column for column in table.schema.columns}
    problems = []
    for name in text.columns if len(traits) > 1 else ():
        if name in asked or not _may_repeat(columns.get(name), len(table)):
            continue
        coded = text.encode(name)
        different = len(coded.dictionary)
        if not LEAST_SHARE * len(table) <= different < len(table):
            continue
        others = [trait for own, trait in traits.items() if own != name]
        if _are_people(others, *_pairs(values(coded.indices))):
            what = phrase(
                "Is this a person? {different:,} values stand in {rows:,} rows, and rows with the same value agree in "
                "what does not change of a person.",
                different=different,
                rows=len(table),
            )
            do = phrase("A game on single rows then says too little: give it the role person, or keep one row of each.")
            problems.append(Problem(Gravity.QUESTION, "repeated_people", what, do, text.name, name, count=different))
    return problems


def _may_repeat(column: Column | None, rows: int) -> bool:
    """Whether a column can hold names or numbers of people: no date, no number with decimals, no few categories."""
    if column is None or column.kind in (Kind.DATE, Kind.CONSTANT) or column.decimals:
        return column is None
    return column.kind is not Kind.CATEGORICAL or len(column.levels) >= LEAST_SHARE * rows


def _traits(table: Table) -> dict[str, Ints]:
    """The columns of few values in which any two rows often differ, as codes."""
    out = {}
    for column in (*table.schema.categorical, *table.schema.numeric):
        cells = table.column(column)
        if len(np.unique(cells[:1000])) > _FEW:
            continue
        levels, codes = np.unique(cells, return_inverse=True)
        shares = np.bincount(codes) / max(len(codes), 1)
        if 1 < len(levels) <= _FEW and float((shares**2).sum()) <= _CHANCE:
            out[column.name] = codes.astype(np.int64)
    return out


def _pairs(codes: Ints) -> tuple[Ints, Ints]:
    """Rows that follow each other among those with the same value, spread over all of them."""
    order = np.argsort(codes, kind="stable")
    same: Bools = codes[order][1:] == codes[order][:-1]
    pairs = np.flatnonzero(same)
    pairs = pairs[:: max(len(pairs) // _MOST, 1)]
    return order[pairs], order[pairs + 1]


def _are_people(traits: Sequence[Ints], first: Ints, second: Ints) -> bool:
    """Whether these pairs are enough and agree in two traits, neither of which follows from the other."""
    if len(first) < _PAIRS:
        return False
    kept = [codes for codes in traits if float((codes[first] == codes[second]).mean()) >= _ALIKE]
    return any(not _follows(left, right) and not _follows(right, left) for left, right in combinations(kept, 2))


def _follows(codes: Ints, other: Ints) -> bool:
    """Whether the one trait almost says the other."""
    table = np.zeros((int(codes.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (codes, other), 1)
    return float(table.max(axis=1).sum()) >= _ALIKE * len(codes)
