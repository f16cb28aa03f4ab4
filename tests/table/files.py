"""Small files for the tests of reading: bytes of a table, and files read."""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from riskkit.errors import Problem
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable
from tests.tables import DATA

CANARY = "canarycell"
"""A cell that no sentence may repeat."""
N = 60
AGE = [20 + (7 * row) % 47 for row in range(N)]
WARD = [("north", "south", "east")[row % 3] for row in range(N)]


def cycle(*values: Any) -> list[Any]:
    """The values again and again, :data:`N` in all."""
    return [values[row % len(values)] for row in range(N)]


def made(columns: Mapping[str, Sequence[object]], delimiter: str = ",") -> bytes:
    """The columns as CSV."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode()


def text(source: bytes | Mapping[str, Sequence[object]], name: str = "real.csv") -> TextTable:
    """The file read."""
    return read_csv(source if isinstance(source, bytes) else made(source), name=name)


def loaded(
    real: Mapping[str, Sequence[object]],
    synthetic: Mapping[str, Sequence[object]] | None = None,
    holdout: Mapping[str, Sequence[object]] | None = None,
    **choices: ColumnChoice,
) -> Tables:
    """The files read, typed and compared, however few their rows."""
    files = [
        None if columns is None else text(columns, name)
        for columns, name in ((real, "real.csv"), (synthetic, "syn.csv"), (holdout, "hold.csv"))
    ]
    assert files[0] is not None
    return load(files[0], files[1], files[2], choices=choices, least_rows=1)


def codes(problems: Sequence[Problem]) -> list[str]:
    """The codes of the problems."""
    return [problem.code for problem in problems]


def shared(path: str) -> TextTable:
    """A file of the shared data folder, unpacked; the test is skipped where it is not there."""
    place = DATA / path
    if not place.exists():
        pytest.skip(f"shared/data/{path} is not on this machine")
    source = place.read_bytes()
    return read_csv(gzip.decompress(source) if path.endswith(".gz") else source, name=place.name)
