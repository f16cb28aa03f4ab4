"""Columns whose real and released values hardly meet: where both files may write the same value in two ways.

A copied row that is written otherwise is seen by nobody, so such a column stands in the way of every statement that
there is no leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from riskkit.core import Bools, Codes, Column, Floats, Kind, Schema, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.kinds import judge
from riskkit.table.places import places
from riskkit.table.recoding import recodings
from riskkit.table.text import TextTable
from riskkit.table.verdict import ColumnChoice

LEAST = 0.5
"""The share of a column's released values that must stand among the real ones."""


@dataclass(frozen=True, slots=True)
class ColumnOverlap:
    """A column, and the share of its released values that are values of the real table too.

    ``code`` is ``values_apart`` where these are few, else what :func:`riskkit.table.recoding.recodings` says of it.
    """

    column: str
    shared: float
    code: str = "values_apart"


def apart(real: Table, release: Table) -> tuple[ColumnOverlap, ...]:
    """The modelled columns of which less than :data:`LEAST` of the released values are met in the real table.

    A category meets where it is a category of some real row; a number where it lies between the smallest and the
    largest real one. Missing values meet missing values. Beside them stand the columns whose values probably mean
    others: renumbered codes, moved numbers.
    """
    position = places(real.schema)
    shares = [(column.name, _shared(column, position[column.name], real, release)) for column in real.schema.modelled]
    codes = recodings(real, release)
    return tuple(
        ColumnOverlap(name, share, "values_apart" if share < LEAST else codes[name])
        for name, share in shares
        if share < LEAST or name in codes
    )


def apart_in_any(real: Table, releases: Iterable[Table]) -> tuple[ColumnOverlap, ...]:
    """The columns that are apart in one of several releases, by the release in which fewest values meet real ones."""
    least: dict[str, ColumnOverlap] = {}
    for release in releases:
        for column in apart(real, release):
            if column.column not in least or column.shared < least[column.column].shared:
                least[column.column] = column
    return tuple(least.values())


def meeting_problems(columns: Sequence[ColumnOverlap], file: str) -> list[Problem]:
    """A question about each such column: nobody but the steward knows whether both files mean the same."""
    return [
        Problem(Gravity.QUESTION, column.code, _what(column), _do(column), file, column.column) for column in columns
    ]


def _what(column: ColumnOverlap) -> str:
    if column.code == "codes_apart":
        return phrase(
            "Real and released values have the same shares in another order, and not as they are written; the release "
            "may number them in another way."
        )
    if column.code == "line_apart":
        return phrase(
            "Released numbers are spread as the real ones once they are mirrored, moved or scaled, and not as they are "
            "written."
        )
    return phrase(
        "{shared:.0%} of the released values are met in the real file; it may write them in another way.",
        shared=column.shared,
    )


def _do(column: ColumnOverlap) -> str:
    if column.code == "line_apart":
        return phrase(
            "Say on the page Data, or in the file of --columns, how released numbers become real ones (scale and "
            "offset), or that they differ in truth; until then it cannot be shown that there is no leak."
        )
    return phrase(
        "Say on the page Data, or in the file of --columns, which released value is which real "
        "one, or that they differ in truth; until then it cannot be shown that there is no leak."
    )


def left_out(
    schema: Schema, files: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]
) -> tuple[ColumnOverlap, ...]:
    """The columns that are left out although one file holds numbers or dates in them, because the other does not."""
    out = []
    for column in schema.columns:
        choice = choices.get(column.name, ColumnChoice())
        if column.kind not in (Kind.ID, Kind.TEXT) or choice.kind is not None or choice.role is not None:
            continue
        alone = {slot: judge(column.name, {"real": files[slot]}, choice).column for slot in ("real", "synthetic")}
        if alone["real"].is_numeric or alone["synthetic"].kind is Kind.DATE:
            out.append(ColumnOverlap(column.name, _texts_met(files["real"], files["synthetic"], column.name)))
    return tuple(out)


def _texts_met(real: TextTable, release: TextTable, name: str) -> float:
    """The share of released texts that stand in the real file."""
    values = release.column(name)
    return float(pc.mean(pc.is_in(values, value_set=pc.unique(real.column(name)))).as_py()) if len(values) else 1.0


def left_out_problems(columns: Sequence[ColumnOverlap], file: str) -> list[Problem]:
    """A question about each column that the real file alone would have kept."""
    what = phrase("One file holds numbers or dates here and the other other texts too, so the column was left out.")
    do = phrase("Write the values alike in both files; until then it cannot be shown that there is no leak.")
    return [Problem(Gravity.QUESTION, "kinds_apart", what, do, file, column.column) for column in columns]


def differing_problems(columns: Sequence[ColumnOverlap], file: str) -> list[Problem]:
    """What is recorded of each such column whose values differ in truth, as the steward says."""
    return [
        Problem(
            Gravity.WARNING,
            "values_differ",
            phrase(
                "{shared:.0%} of the released values are met in the real file; the steward says that "
                "they differ in truth and are not written in another way.",
                shared=column.shared,
            ),
            "",
            file,
            column.column,
        )
        for column in columns
    ]


def _shared(column: Column, position: int, real: Table, release: Table) -> float:
    if column.is_numeric:
        return share_of_numbers(real.numbers[:, position], release.numbers[:, position])
    return share_of_codes(real.codes[:, position], release.codes[:, position])


def share_of_codes(real: Codes, release: Codes) -> float:
    """The share of released codes (n,) of a column that some real row has; 1 of an empty release."""
    return float(np.isin(release, np.unique(real)).mean()) if len(release) else 1.0


def share_of_numbers(real: Floats, release: Floats) -> float:
    """The share of released numbers (n,) of a column from the least to the largest real one; 1 of an empty release."""
    return float(_numbers_met(real, release).mean()) if len(release) else 1.0


def _numbers_met(real: Floats, release: Floats) -> Bools:
    known = real[~np.isnan(real)]
    missing = np.isnan(release)
    has_missing = len(known) < len(real)
    if not len(known):
        return missing if has_missing else np.zeros(len(release), dtype=bool)
    inside: Bools = (release >= known.min()) & (release <= known.max())
    return np.where(missing, has_missing, inside)
