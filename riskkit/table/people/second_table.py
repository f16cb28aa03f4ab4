"""A second table with several rows a person, joined to the first by a key: whose its rows are, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Bools, Ints, Kind, Schema, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.evidence.compare import bare
from riskkit.table.evidence.overlap import ColumnOverlap
from riskkit.table.kinds.recoding import likely, line
from riskkit.table.text import EMPTY, TextTable, values

SLOTS = ("real", "synthetic", "holdout")


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """How the rows of a second table meet those of the first, in one slot.

    ``owner`` (n_children,) numbers the key of each child and ``group`` (n_parents,) that of each parent row; a child
    belongs to every row with its number. ``kept`` (rows of the file,) are the children that belong to somebody.
    ``repeated`` keys stand in several rows of the first table.
    """

    owner: Ints = field(repr=False)
    group: Ints = field(repr=False)
    kept: Bools = field(repr=False)
    repeated: int

    @property
    def orphans(self) -> int:
        """Rows of the second table that belong to nobody."""
        return int((~self.kept).sum())

    @property
    def sizes(self) -> Ints:
        """(n_parents,) how many children each row of the first table has."""
        numbers = max(self.owner.max(initial=-1), self.group.max(initial=-1)) + 1
        return np.bincount(self.owner, minlength=numbers)[self.group].astype(np.int64)

    @classmethod
    def match(cls, key: str, parents: TextTable, children: TextTable) -> Join:
        """The join of two files by the column of that name, spelled as identifiers are: ``007.0`` is ``7``."""
        above, below = (bare(text.column(key)) for text in (parents, children))
        names = pa.chunked_array([*above.chunks, *below.chunks], pa.string())
        numbers: Ints = values(pc.dictionary_encode(names.combine_chunks()).indices).astype(np.int64)
        unnamed = values(pc.equal(names, EMPTY))
        group, keys = numbers[: parents.rows].copy(), numbers[parents.rows :]
        nobody = np.flatnonzero(unnamed[: parents.rows])
        group[nobody] = numbers.max(initial=-1) + 1 + np.arange(len(nobody))  # rows without a key share no children
        kept = np.isin(keys, group) & ~unnamed[parents.rows :]
        repeated = int((np.unique(group, return_counts=True)[1] > 1).sum())
        return cls(keys[kept], group, kept, repeated)


@dataclass(frozen=True, slots=True, eq=False)
class Children:
    """The second tables of an audit under their one schema, and whose their rows are.

    ``tables``, ``joins`` and ``names`` of files are by slot; a table holds no row that belongs to nobody.
    ``identifiers`` are the texts of columns that identify rows, but for the key, by column and slot. ``apart`` are the
    columns whose real and released values hardly meet.
    """

    key: str
    schema: Schema
    tables: Mapping[str, Table] = field(repr=False)
    joins: Mapping[str, Join] = field(repr=False)
    names: Mapping[str, str]
    identifiers: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, repr=False)
    apart: tuple[ColumnOverlap, ...] = ()

    def likely(self, column: str) -> tuple[tuple[str, str], ...]:
        """The released values of a column that no real row has, each with the real one it probably stands for."""
        if "synthetic" not in self.tables:
            return ()
        return likely(self.schema.column(column), self.tables["real"], self.tables["synthetic"])

    def line(self, column: str) -> tuple[float, float] | None:
        """Scale and offset that probably bring its released numbers to the real ones; None where no line does."""
        if "synthetic" not in self.tables:
            return None
        return line(self.schema.column(column), self.tables["real"], self.tables["synthetic"])

    @property
    def owner(self) -> Mapping[str, Ints]:
        """By slot, (n_children,) the number of each child's key."""
        return {slot: join.owner for slot, join in self.joins.items()}

    @property
    def group(self) -> Mapping[str, Ints]:
        """By slot, (n_parents,) the number of each parent row's key."""
        return {slot: join.group for slot, join in self.joins.items()}

    @property
    def order(self) -> str:
        """The first column of dates, by which the rows of a person are ordered; empty where there is none."""
        return next((column.name for column in self.schema.numeric if column.kind is Kind.DATE), "")

    def __repr__(self) -> str:
        sizes = ", ".join(f"{slot} {len(table)} rows" for slot, table in self.tables.items())
        return f"Children({sizes}; joined by {self.key!r})"


def check_files(key: str, parents: Mapping[str, TextTable], children: Mapping[str, TextTable]) -> None:
    """Refuse second tables that cannot be joined.

    Raises
    ------
    SchemaError
        The real one is missing, a first table is missing or has no such column, or no column names the person.
    """
    first = next(iter(children.values()))
    if not key:
        raise SchemaError.of(
            "no_key",
            phrase("It is a second table, and no column is said to name the person, so its rows cannot be joined."),
            phrase("Give the role person to the column that both tables share (--person COLUMN)."),
            file=first.name,
        )
    if "real" not in children:
        raise SchemaError.of(
            "no_real_children",
            phrase("It is a second table, and that of the real people is missing."),
            phrase("Load the second table of the real people too."),
            file=first.name,
        )
    for slot, child in children.items():
        if slot not in parents:
            raise SchemaError.of(
                "no_parents",
                phrase("It is a second table, and the first table of the same people is missing."),
                phrase("Load the first table too, or leave this one out."),
                file=child.name,
            )
        for text in (parents[slot], child):
            if key not in text.columns:
                raise SchemaError.of(
                    "no_key_column",
                    phrase("The file has no such column, so the two tables cannot be joined."),
                    phrase("Give both tables the key, under one name."),
                    file=text.name,
                    column=key,
                )


def join_slots(key: str, parents: Mapping[str, TextTable], children: Mapping[str, TextTable]) -> dict[str, Join]:
    """The join in every slot.

    Raises
    ------
    SchemaError
        No row of a second table belongs to anybody.
    """
    joins = {slot: Join.match(key, parents[slot], child) for slot, child in children.items()}
    for slot, join in joins.items():
        if not join.kept.any():
            raise SchemaError.of(
                "nobody_joined",
                phrase("None of its rows has a key that stands in {file}.", file=parents[slot].name),
                phrase("Write the keys alike in both files, or load the files that belong together."),
                file=children[slot].name,
                column=key,
            )
    return joins


def join_problems(
    key: str, parents: Mapping[str, TextTable], children: Mapping[str, TextTable], joins: Mapping[str, Join]
) -> list[Problem]:
    """What is said of the join: rows that belong to nobody, keys that stand in several rows, and who reads it."""
    problems = []
    for slot, join in joins.items():
        if join.orphans:
            what = counted_phrase(
                join.orphans,
                "{n:,} row has a key that no row of {file} has, so it belongs to nobody; it was left out.",
                "{n:,} rows have a key that no row of {file} has, so they belong to nobody; they were left out.",
                file=parents[slot].name,
            )
            do = phrase("Add the people, or drop the rows. Of a release, what such rows reveal is not audited.")
            line = children[slot].line(int(np.flatnonzero(~join.kept)[0]))
            problems.append(
                Problem(Gravity.QUESTION, "orphans", what, do, children[slot].name, key, line, join.orphans)
            )
        if join.repeated:
            what = counted_phrase(
                join.repeated,
                "{n:,} key stands in several rows; each of these rows was given all rows of the second table.",
                "{n:,} keys stand in several rows; each of these rows was given all rows of the second table.",
            )
            do = phrase("Leave one row for each person in the first table, or load the files the other way round.")
            problems.append(
                Problem(Gravity.QUESTION, "repeated_keys", what, do, parents[slot].name, key, count=join.repeated)
            )
    what = phrase(
        "The second table is read by attacks on the released file, by the search for direct disclosures, and by "
        "attribute inference, Membership and Records where they are asked across both tables; every other "
        "question asks about the first table alone."
    )
    problems.append(Problem(Gravity.WARNING, "children_unread", what, "", children["real"].name))
    return problems
