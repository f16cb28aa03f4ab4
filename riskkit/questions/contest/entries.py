"""What people hand in to the contests of one audit, and the bundles that were made there.

::

    <audit>/contest/handed.json         releases by name, and rows named by attackers of one's own
                    <sha256>.csv        a release as it was given
                    bundle_<hash>.zip   a whole contest (see riskkit.questions.contest.entries)
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from riskkit import wording
from riskkit.core import Ints, Schema, Table
from riskkit.errors import DesignError, FileError, SchemaError
from riskkit.games import contest
from riskkit.phrases import phrase
from riskkit.questions.contest.plan import PEOPLE, ContestPlan, refuse_name
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import Bundle, ContestResult
from riskkit.questions.opponents import CONTROL, label
from riskkit.table.kinds.schema import apply_schema
from riskkit.table.load import Tables
from riskkit.table.read.files import read_apart, read_file, read_path
from riskkit.table.read.source import read_up_to
from riskkit.table.text import TextTable
from riskkit.table.write import to_csv

# Files of a contest: row numbers that people hand in, and the bundle a class works with.
#
# ::
#
#     bundle/population.csv     every row of B; row numbers count from 0
#            samples.csv        anonymiser, round, row: who was in (the organiser's; not for attackers)
#            asked.csv          hide-and-seek: anonymiser, round, row: who is to be labelled
#            releases/01.csv    D of each anonymiser, in the order of scores.csv
#            guesses.csv        anonymiser, round, attacker, rank, row, hit
#            scores.csv         anonymiser, round, release, attacker, hits; and usefulness.csv beside it

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
        data = read_up_to(source, most) if isinstance(source, Path) else source
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
is surest of, one on each line, and count with: riskkit contest ... --own NAME ANONYMISER FILE
"""


def bundle_files(bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    """Every file of a contest that was played with its releases kept: name and bytes."""
    yield "README.txt", ABOUT_BUNDLE.encode()
    yield "population.csv", to_csv(bundle.population.table)
    yield "samples.csv", _csv(("anonymiser", "round", "row"), _samples(bundle))
    yield "guesses.csv", _csv(("anonymiser", "round", "attacker", "rank", "row", "hit"), _named_releases(bundle))
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


def _samples(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    return ((p.anonymiser, p.number, row) for p in bundle.played for row in np.flatnonzero(p.is_in).tolist())


def _named_releases(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    for played in bundle.played:
        for attacker, rows in played.named.items():
            for rank, row in enumerate(rows.tolist(), start=1):
                yield played.anonymiser, played.number, attacker, rank, row, int(played.is_in[row])


def _scores(bundle: Bundle) -> Iterable[tuple[Any, ...]]:
    for number, played in enumerate(bundle.played, start=1):
        for attacker, hits in played.hits.items():
            yield played.anonymiser, played.number, f"{number:02d}.csv", attacker, hits


def _csv(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    return wording.spreadsheet(names, rows, end="\n").encode()


class _Folder(Protocol):
    @property
    def path(self) -> Path: ...


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The folder of these files."""

    folder: Path

    @classmethod
    def read(cls, audit: _Folder) -> HandedIn:
        """That of an audit."""
        return cls(audit.path / "contest")

    def _all(self) -> dict[str, Any]:
        content: dict[str, Any] = {"releases": {}, "own": []}
        if self._list.is_file():
            content = json.loads(self._list.read_text(encoding="utf-8"))
        return content

    @property
    def _list(self) -> Path:
        return self.folder / "handed.json"

    def _change(self, **changed: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = self._list.with_suffix(".part")
        scratch.write_text(json.dumps({**self._all(), **changed}, ensure_ascii=False), encoding="utf-8")
        scratch.replace(self._list)

    @property
    def releases(self) -> dict[str, dict[str, Any]]:
        """Of every release: file, sha256 and number of rows, by the name it takes part under."""
        kept: dict[str, dict[str, Any]] = self._all()["releases"]
        return kept

    @property
    def own(self) -> tuple[dict[str, Any], ...]:
        """Attacker, anonymiser, the rows named and the deal they are of, in the order they came."""
        return tuple(self._all()["own"])

    def fitting(self, deal: str) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, tuple[int, ...]], ...]]:
        """What was handed in for that deal, as the fields ``given`` and ``own`` of a plan."""
        releases = tuple((name, str(facts["sha256"])) for name, facts in self.releases.items() if facts["deal"] == deal)
        own = (answer for answer in self.own if answer["deal"] == deal)
        return releases, tuple((answer["attacker"], answer["anonymiser"], tuple(answer["rows"])) for answer in own)

    def take_release(
        self, name: str, source: bytes, file: str, schema: Schema, deal: str, *, is_strange: bool = False
    ) -> None:
        """Keep a release under that name, in place of one of the same name.

        Parameters
        ----------
        deal
            Which deal it was made of (see :func:`dealing`); of another one it says nothing.
        is_strange
            Whether it is read in a process of its own under limits, as a server reads what it is handed.

        Raises
        ------
        InputError
            It cannot be used as it is, or holds what the audit's files do not.
        DesignError
            The name is taken or cannot be.
        """
        refuse_name(name)
        if name in (CONTROL, UPLOADED):
            raise DesignError.phrase("The name {name} is taken by riskkit; give the release another one.", name=name)
        sha256, rows = _under(schema, read_apart(source, name=file) if is_strange else read_file(source, name=file))
        self._change(
            releases={**self.releases, name: {"file": file, "sha256": sha256, "rows": len(rows), "deal": deal}}
        )
        (self.folder / f"{sha256}.csv").write_bytes(source)

    def release(self, name: str, sha256: str, schema: Schema) -> Table:
        """The rows of a release.

        Raises
        ------
        DesignError
            It is not here any more.
        """
        path = self.folder / f"{sha256}.csv"
        if not sha256.isalnum() or not path.is_file():
            raise DesignError.phrase("The release {name} is not kept here any more; hand it in again.", name=name)
        digest, table = read_release(path.read_bytes(), f"{name}.csv", schema)
        if digest != sha256:
            raise DesignError.phrase(
                "The file of the release {name} was changed since it was handed in; hand it in again.", name=name
            )
        return table

    def take_rows(self, attacker: str, anonymiser: str, rows: Sequence[int], deal: str) -> None:
        """Keep the rows that an attacker names for an anonymiser, in place of those it named before.

        Raises
        ------
        DesignError
            The name cannot be.
        """
        refuse_name(attacker)
        answer = {"attacker": attacker, "anonymiser": anonymiser, "rows": [int(row) for row in rows], "deal": deal}
        self._change(own=[*self._others(attacker, anonymiser), answer])

    def _others(self, attacker: str, anonymiser: str) -> list[dict[str, Any]]:
        return [answer for answer in self.own if (answer["attacker"], answer["anonymiser"]) != (attacker, anonymiser)]

    def drop_rows(self, attacker: str, anonymiser: str) -> None:
        """Forget what an attacker named for an anonymiser."""
        self._change(own=self._others(attacker, anonymiser))

    def drop_release(self, name: str) -> None:
        """Forget a release, and its file where no other name has it too."""
        kept = {other: facts for other, facts in self.releases.items() if other != name}
        gone = {facts["sha256"] for facts in self.releases.values()} - {facts["sha256"] for facts in kept.values()}
        self._change(releases=kept)
        for sha256 in gone:
            (self.folder / f"{sha256}.csv").unlink(missing_ok=True)

    def bundle(self, plan: ContestPlan, revision: str) -> Path:
        """Where the bundle of that plan on that data lies, once it was played."""
        return self.folder / f"bundle_{_mark(plan.as_dict(), revision)}.zip"

    def keep_bundle(self, result: ContestResult, revision: str) -> None:
        """Write everything of a contest as one ZIP file."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if result.bundle is not None:
            path = self.bundle(result.plan, revision)
            scratch = path.with_suffix(".part")
            with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in bundle_files(result.bundle):
                    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            scratch.replace(path)


def read_release(source: bytes | Path, file: str, schema: Schema) -> tuple[str, Table]:
    """The hash of a release made elsewhere, and its rows under the schema that its sample was dealt under.

    The schema stays as it is: one that grew with the release would deal other people to it.

    Raises
    ------
    InputError
        It cannot be read, lacks a column, or holds a value that the audit's files do not.
    """
    return _under(schema, read_path(source) if isinstance(source, Path) else read_file(source, name=file))


def _under(schema: Schema, text: TextTable) -> tuple[str, Table]:
    try:
        return text.sha256, apply_schema(schema, text)
    except SchemaError as error:
        if error.problem.code != "outside_schema":
            raise
        problem = error.problem
        raise SchemaError.of(
            problem.code,
            problem.what,
            phrase(
                "A release made elsewhere may hold only values that the loaded files hold: exchange or "
                "leave out others."
            ),
            file=problem.file,
            column=problem.column,
            line=problem.line,
        ) from error


def dealing(plan: ContestPlan, revision: str) -> str:
    """A mark of all that decides who is dealt to whom: what was handed in for one deal fits no other."""
    settled = (plan.source, plan.population, plan.sample, plan.draws, plan.mode, plan.seed, plan.condition)
    return _mark(*settled, revision)


def _mark(*settled: Any) -> str:
    return hashlib.sha256(json.dumps(settled, sort_keys=True).encode()).hexdigest()[:32]


def first_sample(tables: Tables, plan: ContestPlan, name: str) -> bytes:
    """The sample that a plan deals to that name in its first round, as CSV: what a release of it is made from.

    Raises
    ------
    DesignError
        The population cannot be made.
    """
    refuse_name(name)
    if plan.source == PEOPLE:
        return to_csv(tables.real)
    population = plan.people(tables)
    is_in = contest.draw_sample(population, plan.sample, plan.seed, label(name, plan.anonymisers), 0)
    return to_csv(population.table.rows(np.flatnonzero(is_in)))
