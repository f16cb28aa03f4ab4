"""A release, mended: its rows in a new order, without some columns, coarser. The rest of the file stays as it is."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from riskkit.core import Table
from riskkit.errors import ParameterError, nearest
from riskkit.mend.coarsening import CoarsenedColumn, Coarsening, coarsen_column
from riskkit.seeds import stream
from riskkit.table.text import TextTable

SEED_BITS = 128


@dataclass(frozen=True, slots=True)
class Mending:
    """What to change in a release: the columns to drop, those to make coarser, and whether to shuffle its rows.

    Raises :class:`ParameterError` where nothing is to be changed, or a column twice.
    """

    shuffle: bool = False
    drop: tuple[str, ...] = ()
    coarsen: tuple[Coarsening, ...] = ()

    def __post_init__(self) -> None:
        if not (self.shuffle or self.drop or self.coarsen):
            raise ParameterError.phrase(
                "Nothing is to be changed. Shuffle the rows, drop a column or make one coarser."
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
    """The release as it is then, as a file too, and what each coarsening did."""

    text: TextTable
    content: bytes
    coarsened: tuple[CoarsenedColumn, ...]


def mend(text: TextTable, table: Table, mending: Mending, *, seed: int | None = None) -> Mended:
    """The mended release.

    Parameters
    ----------
    text : TextTable
        The release as it was read.
    table : Table
        The same rows, typed; see :attr:`riskkit.table.load.Tables.synthetic`.
    seed : int, optional
        What the new order of the rows follows from; drawn fresh where it is not given. Whoever knows it can put the
        rows back, so it is kept nowhere.

    Raises
    ------
    ParameterError
        A column is not there, of another kind, or the only one.
    """
    effects = []
    for coarsening in mending.coarsen:
        text, effect = coarsen_column(text, table, coarsening)
        effects.append(effect)
    if mending.drop:
        text = without(text, mending.drop)
    if mending.shuffle:
        text = shuffle(text, seed)
    return Mended(text, to_csv(text), tuple(effects))


def shuffle(text: TextTable, seed: int | None = None) -> TextTable:
    """The same rows in an order that says nothing of the old one; ``seed`` is drawn fresh where it is not given."""
    root = secrets.randbits(SEED_BITS) if seed is None else seed
    if root < 0:
        raise ParameterError.phrase("A seed is a whole number of 0 or more.")
    order = stream(root, "mend", "order").permutation(text.rows)
    rows = text.data.take(pa.array(order)).combine_chunks().replace_schema_metadata(None)  # lines of the old file
    return replace(text, data=rows)


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
