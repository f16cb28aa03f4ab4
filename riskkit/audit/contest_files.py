"""Files of a contest: row numbers that people hand in, releases made elsewhere, and the bundle a class works with.

::

    bundle/population.csv     every row of B; row numbers count from 0
           samples.csv        anonymiser, round, row: who was in (the organiser's; not for attackers)
           releases/01.csv    D of each anonymiser, in the order of scores.csv
           guesses.csv        anonymiser, round, attacker, rank, row, hit
           scores.csv         anonymiser, round, release, attacker, hits; and usefulness.csv beside it
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from riskkit.audit.contest_result import ContestResult
from riskkit.core import Ints, Table
from riskkit.errors import FileError, SchemaError
from riskkit.table.load import Tables, load
from riskkit.table.read import read_csv
from riskkit.table.text import TextTable
from riskkit.table.write import to_csv

LONGEST = 20_000_000
"""Bytes of a file of row numbers beyond which it is something else."""


def read_guesses(path: Path, population: int, wanted: int) -> Ints:
    """The row numbers in a file, one on each line (a first line of letters is a heading): the rows somebody names.

    Raises
    ------
    FileError
        It cannot be read, or does not hold ``wanted`` different numbers of rows of the population. No sentence shows
        what stands in the file.
    """
    try:
        if path.stat().st_size > LONGEST:
            raise FileError.of("guesses_size", "The file is too large for a list of row numbers.", "", file=path.name)
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError.of(
            "guesses_read", "The file cannot be read as text.", "Save it as CSV.", file=path.name
        ) from error
    numbers = [(at, text.strip().rstrip(",")) for at, text in enumerate(lines, start=1) if text.strip()]
    if numbers and not numbers[0][1].lstrip("-").isdecimal():
        numbers = numbers[1:]
    for at, text in numbers:
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or int(text) >= population:
            what = f"This is not the number of a row; rows are numbered from 0 to {population - 1:,}."
            raise FileError.of("guesses_number", what, "Give one row number on each line.", file=path.name, line=at)
    rows = np.array([int(text) for _, text in numbers], dtype=np.int64)
    if len(np.unique(rows)) != wanted or len(rows) != wanted:
        what = f"The file names {len(np.unique(rows)):,} different rows on {len(rows):,} lines; {wanted:,} are wanted."
        raise FileError.of("guesses_count", what, "Name each row once.", file=path.name, count=len(rows))
    return rows


def read_files(
    base: Path, synthetic: Path | None, holdout: Path | None, given: Mapping[str, Path]
) -> tuple[Tables, dict[str, Table]]:
    """The tables and the releases that were made elsewhere, all under one schema.

    Raises
    ------
    InputError
        A file cannot be used as it is, or the files do not fit together.
    """
    texts = [None if path is None else read_csv(path, name=path.name) for path in (base, synthetic, holdout)]
    real, release, others = texts
    assert real is not None
    more = {name: read_csv(path, name=path.name) for name, path in given.items()}
    if not more:
        return load(real, release, others), {}
    every = [*([] if release is None else [release]), *more.values()]
    tables = load(real, _joined(real, every), others)
    assert tables.synthetic is not None
    ends = np.cumsum([0, *(text.rows for text in every)])
    parts = [tables.synthetic.rows(np.arange(start, end)) for start, end in pairwise(ends.tolist())]
    own = parts[0] if release is not None else None
    return replace(tables, synthetic=own), dict(zip(more, parts[release is not None :], strict=True))


def _joined(real: TextTable, every: Sequence[TextTable]) -> TextTable:
    """The releases one under the other, with the columns of the base."""
    for text in every:
        lacking = [name for name in real.columns if name not in text.columns]
        if lacking:
            what = f"{len(lacking):,} columns of {real.name} are missing here."
            raise SchemaError.of("missing_column", what, "Load files with the same columns.", file=text.name)
    parts = [text.data.select(list(real.columns)).replace_schema_metadata(None) for text in every]
    return replace(every[0], data=pa.concat_tables(parts))


def write_bundle(result: ContestResult, folder: Path) -> None:
    """Write everything of a contest that was played with its releases kept.

    Raises
    ------
    FileError
        The folder cannot be written.
    """
    try:
        (folder / "releases").mkdir(parents=True, exist_ok=True)
        (folder / "population.csv").write_bytes(to_csv(result.population.table))
        _write(folder / "samples.csv", ("anonymiser", "round", "row"), _samples(result))
        _write(folder / "guesses.csv", ("anonymiser", "round", "attacker", "rank", "row", "hit"), _named(result))
        _write(folder / "scores.csv", ("anonymiser", "round", "release", "attacker", "hits"), _scores(result, folder))
        useful = ((p.anonymiser, p.number, name, value) for p in result.played for name, value in p.usefulness.items())
        _write(folder / "usefulness.csv", ("anonymiser", "round", "measure", "value"), useful)
    except OSError as error:
        what = "The bundle cannot be written there."
        raise FileError.of("bundle_write", what, "Name a folder that you may write to.", file=folder.name) from error


def _samples(result: ContestResult) -> Iterable[tuple[Any, ...]]:
    return ((one.anonymiser, one.number, row) for one in result.played for row in np.flatnonzero(one.is_in).tolist())


def _named(result: ContestResult) -> Iterable[tuple[Any, ...]]:
    for one in result.played:
        for attacker, rows in one.named.items():
            for rank, row in enumerate(rows.tolist(), start=1):
                yield one.anonymiser, one.number, attacker, rank, row, int(one.is_in[row])


def _scores(result: ContestResult, folder: Path) -> Iterable[tuple[Any, ...]]:
    for number, one in enumerate(result.played, start=1):
        name = f"{number:02d}.csv"
        if one.release is not None:
            (folder / "releases" / name).write_bytes(to_csv(one.release))
        for attacker, found in one.hits.items():
            yield one.anonymiser, one.number, name, attacker, found


def _write(path: Path, names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
