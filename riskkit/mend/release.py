"""A release, mended: its rows in a new order, without copies or some columns, coarser. The rest stays as it is."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from riskkit.core import Ints
from riskkit.errors import ParameterError, nearest
from riskkit.mend.coarsening import CoarsenedColumn, Coarsening, coarsen_column
from riskkit.seeds import stream
from riskkit.table.equal import records
from riskkit.table.load import LEAST_ROWS, Tables
from riskkit.table.text import TextTable

SEED_BITS = 128


@dataclass(frozen=True, slots=True)
class Mending:
    """What to change in a release: the columns to drop, those to make coarser, and whether to shuffle its rows.

    With ``copies`` the rows that equal a real one are removed, and the others shuffled: in the old order they would
    still follow the real table, and only be harder to be seen to.

    Raises :class:`ParameterError` where nothing is to be changed, or a column twice.
    """

    shuffle: bool = False
    drop: tuple[str, ...] = ()
    coarsen: tuple[Coarsening, ...] = ()
    copies: bool = False

    def __post_init__(self) -> None:
        if not (self.shuffle or self.drop or self.coarsen or self.copies):
            raise ParameterError.phrase(
                "Nothing is to be changed. Shuffle the rows, remove copied ones, drop a column or make one coarser."
            )
        named = [*self.drop, *(coarsening.column for coarsening in self.coarsen)]
        if twice := [name for name in dict.fromkeys(named) if named.count(name) > 1]:
            raise ParameterError.phrase(
                "{name}: drop a column or make it coarser, each once and not both.", name=twice[0]
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values are not those of the method any more."""
        return (*self.drop, *(coarsening.column for coarsening in self.coarsen))


@dataclass(frozen=True, slots=True, eq=False)
class Mended:
    """The release as it is then, as a file too, what each coarsening did, and how many copied rows are gone."""

    text: TextTable
    content: bytes
    coarsened: tuple[CoarsenedColumn, ...]
    removed: int = 0


def mend(text: TextTable, tables: Tables, mending: Mending, *, seed: int | None = None) -> Mended:
    """The mended release.

    Parameters
    ----------
    text : TextTable
        The release as it was read.
    tables : Tables
        The same rows, typed, beside the real ones.
    seed : int, optional
        What a new order of the rows follows from; drawn fresh where it is not given. Whoever knows it can put the
        rows back, so it is kept nowhere.

    Raises
    ------
    ParameterError
        A column is not there, of another kind, or the only one; or hardly a row would be left.
    """
    release, effects, before = tables.synthetic, [], text.rows
    assert release is not None
    if mending.copies:
        left = rows_without_copies(tables)
        text, release = take(text, left), release.rows(left)
    removed = before - text.rows
    for coarsening in mending.coarsen:
        text, effect = coarsen_column(text, release, coarsening)
        effects.append(effect)
    if mending.drop:
        text = without(text, mending.drop)
    if mending.shuffle or mending.copies:
        text = shuffle(text, seed)
    return Mended(text, to_csv(text), tuple(effects), removed)


def rows_without_copies(tables: Tables) -> Ints:
    """The rows of the release that equal no row of the real table, as an audit compares them.

    Raises
    ------
    ParameterError
        Too few would be left, or rows of a second table would be left without their person.
    """
    assert tables.synthetic is not None
    if tables.children is not None and "synthetic" in tables.children.tables:
        raise ParameterError.phrase(
            "Copied rows are removed from one table alone, and a second one is loaded. Take them out of both files by "
            "hand, or make a new release by a method that copies no row."
        )
    real, released = records(tables.real, tables.synthetic)
    left = np.flatnonzero(~np.isin(released, real))
    if len(left) < LEAST_ROWS:
        raise ParameterError.phrase(
            "{left:,} of {rows:,} released rows are no copies, and an audit needs {least:,}. Make a new release by a "
            "method that copies no row.",
            left=len(left),
            rows=len(released),
            least=LEAST_ROWS,
        )
    return left


def take(text: TextTable, rows: Ints) -> TextTable:
    """These rows of a file, in this order."""
    data = text.data.take(pa.array(rows)).combine_chunks().replace_schema_metadata(None)  # lines of the old file
    return replace(text, data=data)


def shuffle(text: TextTable, seed: int | None = None) -> TextTable:
    """The same rows in an order that says nothing of the old one; ``seed`` is drawn fresh where it is not given."""
    root = secrets.randbits(SEED_BITS) if seed is None else seed
    if root < 0:
        raise ParameterError.phrase("A seed is a whole number of 0 or more.")
    order = stream(root, "mend", "order").permutation(text.rows)
    return take(text, order)


def without(text: TextTable, names: Sequence[str]) -> TextTable:
    """The file without these columns."""
    if unknown := [name for name in names if name not in text.columns]:
        raise ParameterError.phrase(
            "The release has no column {name!r}{near}; its columns are {columns}.",
            name=unknown[0],
            near=nearest(unknown[0], text.columns),
            columns=tuple(text.columns),
        )
    if set(names) >= set(text.columns):
        raise ParameterError.phrase("No column would be left. Drop fewer.")
    return replace(text, data=text.data.drop_columns(list(names)))


def to_csv(text: TextTable) -> bytes:
    """UTF-8 with commas and one line of names, every text as it is. Read again, the file has the same rows."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(text.columns)
    writer.writerows(zip(*(column.to_pylist() for column in text.data.columns), strict=True))
    return out.getvalue().encode()
