"""Columns whose real and released values hardly meet, and columns of the release that no question can read.

A copied row that is written otherwise is seen by nobody, and whatever an unread column carries of a person neither.
Such columns stand in the way of every statement that there is no leak, until the steward has answered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from riskkit.core import Bools, Codes, Column, Floats, Kind, Role, Schema, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.kinds.alike import identifier
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.judge import judge
from riskkit.table.kinds.recoding import recodings
from riskkit.table.text import TextTable

LEAST = 0.5
"""The share of a column's released values that must stand among the real ones."""


@dataclass(frozen=True, slots=True)
class ColumnOverlap:
    """A column, and the share of its released values that are values of the real table too.

    ``code`` is ``values_apart`` where these are few, ``kinds_apart`` where the column was left out because one file
    holds numbers or dates and the other does not, else what :func:`~riskkit.table.kinds.recoding.recodings` says.
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
    shares = [(column.name, share_in_common(column, real, release)) for column in real.schema.modelled]
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


def overlap_problems(columns: Sequence[ColumnOverlap], choices: Mapping[str, ColumnChoice], file: str) -> list[Problem]:
    """A question about each such column: nobody but the steward knows whether both files mean the same.

    Where the steward said that values differ in truth, that is what is recorded of the column.
    """
    problems = []
    for column in columns:
        code, gravity, what, do = column.code, Gravity.QUESTION, _what(column), _do(column)
        if choices.get(column.column, ColumnChoice()).differs:
            code, gravity, do = "values_differ", Gravity.WARNING, ""
            what = phrase(
                "{shared:.0%} of the released values are met in the real file; the steward says that "
                "they differ in truth and are not written in another way.",
                shared=column.shared,
            )
        problems.append(Problem(gravity, code, what, do, file, column.column))
    return problems


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
    if column.code == "kinds_apart":
        return phrase("One file holds numbers or dates here and the other other texts too, so the column was left out.")
    return phrase(
        "{shared:.0%} of the released values are met in the real file; it may write them in another way.",
        shared=column.shared,
    )


def _do(column: ColumnOverlap) -> str:
    if column.code == "kinds_apart":
        return phrase("Write the values alike in both files; until then it cannot be shown that there is no leak.")
    if column.code == "line_apart":
        return phrase(
            "Say on the page Data, or in the file of --columns, how released numbers become real ones (scale and "
            "offset), or that they differ in truth; until then it cannot be shown that there is no leak."
        )
    return phrase(
        "Say on the page Data, or in the file of --columns, which released value is which real "
        "one, or that they differ in truth; until then it cannot be shown that there is no leak."
    )


def leave_out(
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
            released = files["synthetic"].column(column.name)
            met = pc.is_in(released, value_set=pc.unique(files["real"].column(column.name)))
            out.append(ColumnOverlap(column.name, pc.mean(met).as_py() if len(released) else 1.0, "kinds_apart"))
    return tuple(out)


def share_in_common(column: Column, real: Table, release: Table) -> float:
    """The share of its released values that are met among the real ones."""
    share = share_of_numbers if column.is_numeric else share_of_codes
    return share(real.column(column), release.column(column))


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


LOOKED_AT = 1_000
"""Different texts of a column by which it is told whether they are codes."""
MOST = 0.9
"""The share of them that must be codes."""
_CODE = re.compile(r"\w+(?:[-_.@:/+#]\w+)*", re.ASCII)
_FIGURES = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
FORMS = 0.1
"""The share of different texts that may differ but for their numbers, where these say all."""
_NUMBERED = re.compile(r"(.*?)(\d{1,18})")
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}|\d{1,2}[-/. ][A-Za-z]{3,9}[-/. ]\d{2,4}")
DO = phrase(
    "Drop the column from the release, choose a kind or role on the page Data by which it is read, or leave it out "
    "and say there why nobody need read it; until then it cannot be shown that there is no leak."
)


def unread_problems(
    schema: Schema, texts: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]
) -> list[Problem]:
    """A question about each released column that no question can read; a remark where the steward said why."""
    if "synthetic" not in texts:
        return []
    release, problems = texts["synthetic"], []
    shared = {column.name for column in schema.columns}
    for column in (*schema.columns, *(Column(name, Kind.TEXT) for name in release.columns if name not in shared)):
        if column.name not in release.columns or _is_read(column, texts):
            continue
        choice = choices.get(column.name, ColumnChoice())
        if choice.role is Role.IGNORED and choice.reason.strip():
            what = phrase("No question reads this column. The steward says why: {reason}", reason=choice.reason.strip())
            problems.append(Problem(Gravity.WARNING, "left_unread", what, "", release.name, column.name))
            continue
        what = phrase("No question can read this column, so what it says of people would not be seen.")
        if column.role is Role.TEXT:
            what = phrase(
                "These texts differ only in their numbers, which are read letter by letter: numbers that were moved or "
                "blurred would not be seen."
            )
        if column.name not in shared:
            what = phrase("The real file has no such column, so no question can compare it.")
        problems.append(Problem(Gravity.QUESTION, "unread_column", what, DO, release.name, column.name))
    return problems


def _is_read(column: Column, files: Mapping[str, TextTable]) -> bool:
    """Whether something reads the column, or nothing stands in it."""
    own = [file for file in files.values() if column.name in file.columns]
    if column.is_modelled or column.role.names_unit:
        return True
    if (column.kind, column.role) == (Kind.TEXT, Role.TEXT):
        return not _differ_in_numbers(files["real"], column.name)
    different = {text for file in own for text in _some(file, column.name)}
    if len(different) < 2:
        return True
    if column.kind is not Kind.ID or not _are_codes(sorted(different)):
        return False
    real, release = files["real"], files["synthetic"]
    return are_of_one_make(_some(real, column.name), _some(release, column.name), release.rows)


def _differ_in_numbers(file: TextTable, name: str) -> bool:
    """Whether the texts differ in their numbers alone, as points, times and lists of figures do.

    Who moves or blurs the numbers leaves neither words nor letters by which a text would be known again.
    """
    texts = _some(file, name)
    return 0 < len({_FIGURES.sub("0", text) for text in texts}) <= FORMS * len(texts)


def _some(file: TextTable, name: str) -> Sequence[str]:
    """Some different texts of the column, missing ones left out."""
    texts: list[str] = pc.unique(file.column(name).slice(0, 20 * LOOKED_AT)).to_pylist()
    return [text for text in texts if text][:LOOKED_AT]


def are_of_one_make(real: Sequence[str], released: Sequence[str], rows: int) -> bool:
    """Whether released identifiers look like those of people, or only count the rows of the release.

    Others may be made from those of people, as by a hash with a key, and whoever has the key knows whose they are.
    """
    own, their = (Counter(map(make_of, side)) for side in (real, released))
    alike = sum(min(own[make] / max(len(real), 1), count / len(released)) for make, count in their.items())
    return alike >= LEAST or _count_rows(released, rows)


def make_of(text: str) -> str:
    """How many letters and digits an identifier has, and of which kinds; however it is spelled."""
    bare = identifier(text, keeps_zeros=True)
    return f"{len(bare)} {any(map(str.isdecimal, bare))} {any(map(str.isalpha, bare))}"


def _count_rows(texts: Sequence[str], rows: int) -> bool:
    """Whether the identifiers number the rows, behind letters that are the same in all of them."""
    parts = [_NUMBERED.fullmatch(text) for text in texts]
    numbers = [int(part[2]) for part in parts if part]
    heads = {part[1] for part in parts if part}
    return len(numbers) == len(texts) and len(heads) <= 1 and max(numbers, default=0) - min(numbers, default=0) <= rows


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether almost all are single words of letters and digits that name no moment: equality is all they say."""
    codes = sum(bool(_CODE.fullmatch(text)) and not _MOMENT.search(text) for text in texts)
    return codes >= MOST * len(texts)
