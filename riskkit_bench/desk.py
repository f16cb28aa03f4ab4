"""What the tables of a bench are: drawn from public files, typed, and named by their hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from riskkit.core import Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_path
from riskkit.table.text import TextTable
from riskkit_bench.plan import BenchPlan, ReleasePart, TablePart

NUMBERS_REST_ON = (
    "name",
    "kind",
    "role",
    "levels",
    "low",
    "high",
    "mean",
    "sd",
    "decimals",
    "has_missing",
    "date_format",
)
"""Of a column. What else it holds says how it was read, and a field that columns get one day names no cell anew."""


@dataclass(frozen=True, eq=False)
class Desk:
    """One table of a bench, as it is played on.

    ``rows`` (n,) are the places of the drawn people in the file, counted from 0: what boards call them. ``tables`` hold
    the real rows and people who are not in; with a published release, all rows that the file has of all three.
    """

    part: TablePart
    tables: Tables
    rows: Ints

    @cached_property
    def sha256(self) -> str:
        """The hash of the typed tables: columns, codes and numbers of every one."""
        both = hashlib.sha256()
        for table in (self.tables.real, self.tables.synthetic, self.tables.holdout):
            both.update(_digest(table) if table is not None else b"none")
        return both.hexdigest()

    def about(self) -> dict[str, Any]:
        """What a result says of it: sizes, hashes, and no value."""
        return {
            "title": self.part.title,
            "rows": len(self.tables.real),
            "columns": len(self.tables.schema.modelled),
            "sha256": self.sha256,
            "files": [{"file": file.name, "sha256": file.sha256} for file in self.tables.files],
        }


def _digest(table: Table) -> bytes:
    """The hash of what numbers rest on in a typed table."""
    columns = [{name: getattr(column, name) for name in NUMBERS_REST_ON} for column in table.schema.columns]
    made = hashlib.sha256(json.dumps(columns).encode())
    for array in (table.codes.astype("<i4"), table.numbers.astype("<f8")):
        made.update(f"{array.shape}".encode())
        made.update(array.tobytes())
    return made.digest()


def desk(plan: BenchPlan, part: TablePart, folder: Path) -> Desk:
    """The table with the people that are played on, and as many others of the same population.

    Raises
    ------
    DesignError
        The files have too few people, or lack a column that the plan names.
    InputError
        A file cannot be used as it is.
    """
    real = _without(read_path(folder / part.real), part)
    rng = stream(plan.seed, "bench", "people", part.name)
    order = rng.permutation(_rows_of_people(real, part))
    chosen = np.sort(order[: part.rows])
    if part.holdout:
        other = _without(read_path(folder / part.holdout), part)
        rest = rng.permutation(_rows_of_people(other, part))[: part.rows]
    else:
        other, rest = real, order[part.rows : 2 * part.rows]
    if len(chosen) < part.rows or len(rest) < part.rows:
        raise DesignError(
            phrase(
                "Table {name!r} has too few people: {rows:,} are wanted who are in and as many who are not.",
                name=part.name,
                rows=part.rows,
            )
        )
    tables = load(_rows(real, chosen, part), None, _rows(other, np.sort(rest), part))
    return Desk(part, tables, chosen)


def released(plan: BenchPlan, release: ReleasePart, folder: Path) -> Desk:
    """The table and a published release of it: all people who are in, and all of the holdout.

    Raises
    ------
    DesignError
        The plan names no holdout of that table.
    InputError
        A file cannot be used as it is.
    """
    part = plan.part(release.table)
    if not part.holdout:
        raise DesignError(
            phrase("Table {name!r} needs a holdout for its published releases; the plan names none.", name=part.name)
        )
    real, synthetic, holdout = (
        _without(read_path(folder / name), part) for name in (part.real, release.file, part.holdout)
    )
    if 0 < release.rows < synthetic.rows:
        rng = stream(plan.seed, "bench", "release", part.name, release.name)
        synthetic = _cut(synthetic, np.sort(rng.permutation(synthetic.rows)[: release.rows]))
    return Desk(part, load(real, synthetic, holdout), np.arange(real.rows))


def _without(text: TextTable, part: TablePart) -> TextTable:
    """The file without the columns that the plan leaves out, as far as it has them."""
    gone = [name for name in part.leave_out if name in text.columns]
    return replace(text, data=text.data.drop_columns(gone)) if gone else text


def _rows_of_people(text: TextTable, part: TablePart) -> Ints:
    """(n,) the rows that may be drawn: all, or the first of each person."""
    if not part.one_row_of:
        return np.arange(text.rows)
    if part.one_row_of not in text.columns:
        raise DesignError(phrase("Table {name!r} has no column {column!r}.", name=part.name, column=part.one_row_of))
    names = np.asarray(text.column(part.one_row_of).to_pylist(), dtype=object)
    first: Ints = np.sort(np.unique(names.astype(str), return_index=True)[1]).astype(np.int64)
    return first


def _rows(text: TextTable, rows: Ints, part: TablePart) -> TextTable:
    """These rows, without the column that names people."""
    cut = _cut(text, rows)
    return replace(cut, data=cut.data.drop_columns([part.one_row_of])) if part.one_row_of else cut


def _cut(text: TextTable, rows: Ints) -> TextTable:
    return replace(text, data=text.data.take(rows).replace_schema_metadata(None))


def desks(plan: BenchPlan, folder: Path) -> Mapping[str, Desk]:
    """Every table of the plan by name; see :func:`desk` for what it raises."""
    return {part.name: desk(plan, part, folder) for part in plan.table}
