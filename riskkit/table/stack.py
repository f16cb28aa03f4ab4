"""Several releases of one table, a file each: one table of all their rows, and which rows are of which file.

A release of m files is their *stack*: the rows of the first file, then those of the second, and so on. Every question
about the released table reads the stack, for an attacker has all files. No number of an attack depends on the order of
the files, as none depends on the order of rows. What a file says by itself (the order of its rows, its identifiers, its
size) is looked at file by file. Every file keeps its own name and hash; the hash of the stack is that of their hashes.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from riskkit.core import Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.evidence.column_names import NOTHING, align
from riskkit.table.evidence.compare import compare_texts
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.text import TextTable, encode_texts, lines_of, with_lines

FIRST = "synthetic"
"""The slot of the release, and of the first file where there are several."""
MOST = 100
"""Files of releases of one table, at most."""
FURTHER_SLOTS = tuple(f"release_{number}" for number in range(2, MOST + 1))
"""The slots of the second file and of those after it."""
SHOWN = 3
"""Names of files that a sentence about all of them has, at most."""


def release_number(slot: str) -> int:
    """The number of the release in that slot; 0 of any other file."""
    return 1 if slot == FIRST else FURTHER_SLOTS.index(slot) + 2 if slot in FURTHER_SLOTS else 0


Values = TypeVar("Values", bound=Sequence[object])


@dataclass(frozen=True, slots=True)
class Stack:
    """Which rows are of which file: ``names`` of the files and their ``rows``, in the order of the stack."""

    names: tuple[str, ...]
    rows: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def each(self) -> int:
        """Rows of one release: the largest number, where files differ."""
        return max(self.rows)

    @property
    def places(self) -> tuple[slice, ...]:
        """Where the rows of each file stand."""
        ends = np.cumsum(self.rows).tolist()
        return tuple(slice(end - size, end) for end, size in zip(ends, self.rows, strict=True))

    def tables(self, stacked: Table) -> tuple[Table, ...]:
        """The table of every file."""
        return tuple(stacked.rows(np.arange(place.start, place.stop)) for place in self.places)


def further(texts: Mapping[str, TextTable]) -> list[TextTable]:
    """The files behind the first release, in the order of their slots."""
    return [texts[slot] for slot in FURTHER_SLOTS if slot in texts]


def behind(slot: str, files: Collection[str]) -> dict[str, str]:
    """The further releases behind the one in that slot, each with the slot before its own, so that no gap stays."""
    every = (FIRST, *FURTHER_SLOTS)
    place = every.index(slot) if slot in every else MOST
    return {own: before for before, own in itertools.pairwise(every[place:]) if own in files}


def slots_of(files: int) -> tuple[str, ...]:
    """The slots of so many files of releases."""
    return (FIRST, *FURTHER_SLOTS)[:files]


def check(
    real: TextTable, releases: Sequence[TextTable], choices: Mapping[str, ColumnChoice] = NOTHING
) -> list[Problem]:
    """See that all files have the columns of the first; what is said of each beside the real one.

    Raises
    ------
    SchemaError
        A column of the real file is missing in one, two files do not have the same columns of it, or there are too
        many files.
    """
    if len(releases) > MOST:
        raise SchemaError.of(
            "too_many_releases",
            phrase("There are {files:,} files of releases; at most {most:,} are read.", files=len(releases), most=MOST),
            phrase("Load fewer of them, or put several into one file."),
            file=releases[0].name,
            count=len(releases),
        )
    slots = slots_of(len(releases))
    problems = [
        p for slot, file in zip(slots, releases, strict=True) for p in align({"real": real, slot: file}, choices)
    ]
    first = [name for name in real.columns if name in releases[0].columns]
    for file in releases[1:]:
        other = [name for name in first if name not in file.columns]
        more = [name for name in real.columns if name in file.columns and name not in first]
        if other or more:
            raise SchemaError.of(
                "releases_differ",
                counted_phrase(
                    len(other) + len(more),
                    "{n:,} column of the real file stands either here or in {file}, and not in both.",
                    "{n:,} columns of the real file stand either here or in {file}, and not in both.",
                    file=releases[0].name,
                ),
                phrase("Releases of one table have the same columns; load the right files."),
                file=file.name,
                count=len(other) + len(more),
            )
    return [*problems, *_identical(releases)]


def _identical(releases: Sequence[TextTable]) -> list[Problem]:
    """Files of releases that are byte for byte the same."""
    out = []
    known: dict[str, str] = {}
    for file in releases:
        if file.sha256 in known:
            what = phrase("It is the same file as {file} (same SHA-256).", file=known[file.sha256])
            do = phrase("Load every release once: a file that is counted twice says nothing more.")
            out.append(Problem(Gravity.WARNING, "identical_releases", what, do, file.name))
        known.setdefault(file.sha256, file.name)
    return out


def identical(texts: Mapping[str, TextTable], releases: Sequence[TextTable]) -> list[Problem]:
    """Files of releases that are the real file or the holdout, and what these say of each other."""
    others = {slot: text for slot, text in texts.items() if slot != FIRST}
    problems = compare_texts(others)
    return [*problems, *(p for file in releases for p in compare_texts({**others, FIRST: file}) if p.file == file.name)]


def stack_files(releases: Sequence[TextTable]) -> tuple[TextTable, Stack]:
    """All files as one, and which rows are of which; columns that one of them lacks are left out."""
    first = releases[0]
    names = [name for name in first.columns if all(name in file.columns for file in releases)]
    columns = [encode_texts(part for file in releases for part in file.column(name).chunks) for name in names]
    data = with_lines(pa.table(columns, names=names), np.concatenate([lines_of(file) for file in releases]))
    joined = replace(
        first,
        name=stack_title([file.name for file in releases]),
        sha256=hashlib.sha256("".join(file.sha256 for file in releases).encode()).hexdigest(),
        size=sum(file.size for file in releases),
        data=data,
        problems=tuple(dict.fromkeys(problem for file in releases for problem in file.problems)),
    )
    return joined, Stack(tuple(file.name for file in releases), tuple(file.rows for file in releases))


def stack_title(names: Sequence[str]) -> str:
    """What all files together are called in a sentence."""
    some = names if len(names) <= SHOWN else [*names[: SHOWN - 1], "…", names[-1]]
    return " + ".join(some)


def disagreement(releases: int, files: int, name: str) -> tuple[Problem, ...]:
    """What to say of a table that was released ``releases`` times, where there are not as many ``files``; else nothing.

    ``name`` is that of the first file.
    """
    if not files or releases == files:
        return ()
    what = counted_phrase(
        files,
        "The table was released {releases:,} times, and {n:,} release is loaded.",
        "The table was released {releases:,} times, and {n:,} releases are loaded.",
        releases=releases,
    )
    do = phrase("Load every release: attacks on the released files see those that are loaded, and no other.")
    if releases < files:
        do = phrase("Say how often the table was released, or remove the files that are no releases of it.")
    return (Problem(Gravity.WARNING, "releases_disagree", what, do, name, count=files),)
