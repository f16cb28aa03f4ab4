"""Files of a contest: row numbers that people hand in, and the bundle a class works with.

::

    bundle/population.csv     every row of B; row numbers count from 0
           samples.csv        anonymiser, round, row: who was in (the organiser's; not for attackers)
           asked.csv          hide-and-seek: anonymiser, round, row: who is to be labelled
           releases/01.csv    D of each anonymiser, in the order of scores.csv
           guesses.csv        anonymiser, round, attacker, rank, row, hit
           scores.csv         anonymiser, round, release, attacker, hits; and usefulness.csv beside it
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from riskkit.core import Ints
from riskkit.errors import FileError
from riskkit.phrases import phrase
from riskkit.questions.contest.played import Bundle
from riskkit.table.read.source import at_most
from riskkit.table.write import to_csv

LINE = 64
"""Bytes that a line of a file of row numbers may take on average; a file that has more is something else."""


def read_guesses(source: Path | bytes, population: int, wanted: int, *, name: str = "") -> Ints:
    """The row numbers in a file, one on each line (a first line of letters is a heading): the rows somebody names.

    ``name`` is what the file is called in sentences where its bytes are given.

    Raises
    ------
    FileError
        It cannot be read, or does not hold ``wanted`` different numbers of rows of the population. No sentence shows
        what stands in the file.
    """
    file = source.name if isinstance(source, Path) else name
    rows: list[int] = []
    filled = ((line, text) for line, text in enumerate(_lines(source, file, LINE * (wanted + 64)), start=1) if text)
    for number, (place, text) in enumerate(filled):
        if number == 0 and not text.lstrip("-").isdecimal():
            continue
        if not (text.isascii() and text.isdecimal()) or len(text) > 18 or int(text) >= population:
            what = phrase("This is not the number of a row; rows are numbered from 0 to {last:,}.", last=population - 1)
            raise FileError.of(
                "guesses_number", what, phrase("Give one row number on each line."), file=file, line=place
            )
        rows.append(int(text))
    different = len(set(rows))
    if different != wanted or len(rows) != wanted:
        what = phrase(
            "The file names {different:,} different rows on {lines:,} lines; {wanted:,} are wanted.",
            different=different,
            lines=len(rows),
            wanted=wanted,
        )
        raise FileError.of("guesses_count", what, phrase("Name each row once."), file=file, count=len(rows))
    return np.array(rows, dtype=np.int64)


def _lines(source: Path | bytes, file: str, most: int) -> Iterator[str]:
    """Its lines, one after the other, without what stands around a number."""
    try:
        data = at_most(source, most) if isinstance(source, Path) else source
        if len(data) > most:
            what = phrase("The file is too large for a list of so many row numbers.")
            raise FileError.of("guesses_size", what, phrase("Give one row number on each line."), file=file)
        for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig"):
            yield line.strip().rstrip(",")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError.of(
            "guesses_read", phrase("The file cannot be read as text."), phrase("Save it as CSV."), file=file
        ) from error


ABOUT_BUNDLE = """A whole contest, as played by riskkit.

population.csv     everybody who might have been in; row numbers count from 0
asked.csv          hide-and-seek alone: the rows that are to be labelled
releases/01.csv    what each anonymiser released, in the order of scores.csv
guesses.csv        the rows each attacker named, surest first, and whether they were in
scores.csv         hits of each attacker against each release
usefulness.csv     how useful each release is
samples.csv        WHO WAS IN. For the organiser: whoever is to attack must not see this file, nor guesses.csv.

To run a contest: give attackers population.csv and a file of releases/, let each hand in the numbers of the rows it
is surest of, one on each line, and count with: python -m riskkit contest ... --own NAME ANONYMISER FILE
"""


def bundle_files(bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    """Every file of a contest that was played with its releases kept: name and bytes."""
    yield "README.txt", ABOUT_BUNDLE.encode()
    yield "population.csv", to_csv(bundle.population.table)
    yield "samples.csv", _csv(("anonymiser", "round", "row"), _samples(bundle))
    yield "guesses.csv", _csv(("anonymiser", "round", "attacker", "rank", "row", "hit"), _named(bundle))
    yield "scores.csv", _csv(("anonymiser", "round", "release", "attacker", "hits"), _scores(bundle))
    useful = ((p.anonymiser, p.number, name, value) for p in bundle.played for name, value in p.usefulness.items())
    yield "usefulness.csv", _csv(("anonymiser", "round", "measure", "value"), useful)
    if any(release.rows is not None for release in bundle.played):
        asked = ((p.anonymiser, p.number, row) for p in bundle.played if p.rows is not None for row in p.rows.tolist())
        yield "asked.csv", _csv(("anonymiser", "round", "row"), asked)
    for number, played in enumerate(bundle.played, start=1):
        if played.release is not None:
            yield f"releases/{number:02d}.csv", to_csv(played.release)


def write_bundle(bundle: Bundle, folder: Path) -> None:
    """Write them into a folder.

    Raises
    ------
    FileError
        The folder cannot be written.
    """
    try:
        (folder / "releases").mkdir(parents=True, exist_ok=True)
        for name, data in bundle_files(bundle):
            (folder / name).write_bytes(data)
    except OSError as error:
        what = phrase("The bundle cannot be written there.")
        raise FileError.of(
            "bundle_write", what, phrase("Name a folder that you may write to."), file=folder.name
        ) from error


def write(path: Path, data: bytes) -> None:
    """Write one file.

    Raises
    ------
    FileError
        It cannot be written there.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        what = phrase("The file cannot be written there.")
        raise FileError.of("file_write", what, phrase("Name a place that you may write to."), file=path.name) from error


def zip_bundle(bundle: Bundle, path: Path) -> None:
    """Write them as one ZIP file, the same bytes whenever the same contest is played; all of it or nothing."""
    scratch = path.with_suffix(".part")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in bundle_files(bundle):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    scratch.replace(path)


def _samples(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    return ((p.anonymiser, p.number, row) for p in bundle.played for row in np.flatnonzero(p.is_in).tolist())


def _named(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    for played in bundle.played:
        for attacker, rows in played.named.items():
            for rank, row in enumerate(rows.tolist(), start=1):
                yield played.anonymiser, played.number, attacker, rank, row, int(played.is_in[row])


def _scores(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    for number, played in enumerate(bundle.played, start=1):
        for attacker, hits in played.hits.items():
            yield played.anonymiser, played.number, f"{number:02d}.csv", attacker, hits


def _csv(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode()
