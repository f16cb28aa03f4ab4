"""Excel workbooks (.xlsx): one sheet as the text of a CSV of it, so that both are read by the same rules."""

from __future__ import annotations

import csv
import io
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import python_calamine

from riskkit.errors import FileError, InputError, Problem, SheetError
from riskkit.phrases import phrase
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.source import beside_table, check_size
from riskkit.table.text import Limits, TextTable, lines_of, with_lines

BESIDE = {
    "comments": phrase("comments"),
    "threadedComments": phrase("comments"),
    "pivotCache": phrase("pivot tables"),
    "externalLinks": phrase("values of other workbooks"),
    "charts": phrase("charts"),
    "media": phrase("pictures"),
    "embeddings": phrase("embedded files"),
}
"""What else a workbook can hold of people, by how the folder or file of it in the archive begins."""


def read_sheet(source: bytes, *, name: str, sheet: str, header: bool | None, total: bool, limits: Limits) -> TextTable:
    """The sheet of that name as text columns; of a workbook with one filled sheet that one. A line is a row of it.

    Raises
    ------
    SheetError
        Several sheets are filled and none was chosen, or there is none of that name.
    InputError
        The workbook is damaged, or the table in it cannot be used as it is.
    """
    with _damage(name):
        workbook = python_calamine.CalamineWorkbook.from_object(io.BytesIO(source))
        filled = _filled(workbook)
        chosen = _choose_sheet(workbook, filled, name, sheet)
        text, rows = _as_csv(chosen, name, limits)
    try:
        table = read_csv(text, name=name, encoding="utf-8", delimiter=",", header=header, total=total, limits=limits)
    except InputError as error:
        raise type(error)(_in_rows(error.problem, rows)) from None
    numbers = np.asarray(rows, dtype=np.int64)[lines_of(table) - 1]
    return replace(
        table,
        data=with_lines(table.data, numbers),
        problems=(*(_in_rows(problem, rows) for problem in table.problems), *_beside(source, filled, chosen, name)),
        format=f"Excel, sheet {chosen.name!r}",
        sheet=chosen.name,
        encoding="",
        encoding_from="",
        delimiter="",
    )


@contextmanager
def _damage(name: str) -> Iterator[None]:
    try:
        yield
    except python_calamine.PasswordError:
        raise FileError.of(
            "password", phrase("The workbook has a password."), phrase("Save it without."), file=name
        ) from None
    except python_calamine.CalamineError:
        raise FileError.of(
            "broken_workbook",
            phrase("The Excel workbook is damaged or cut off."),
            phrase("Save it again in Excel."),
            file=name,
        ) from None


def _titles(workbook: python_calamine.CalamineWorkbook) -> list[str]:
    return [about.name for about in workbook.sheets_metadata if about.typ == python_calamine.SheetTypeEnum.WorkSheet]


def _filled(workbook: python_calamine.CalamineWorkbook) -> list[python_calamine.CalamineSheet]:
    """The sheets in which anything stands, hidden ones too."""
    return [made for made in map(workbook.get_sheet_by_name, _titles(workbook)) if made.start is not None]


def _choose_sheet(
    workbook: python_calamine.CalamineWorkbook, filled: Sequence[python_calamine.CalamineSheet], name: str, sheet: str
) -> python_calamine.CalamineSheet:
    if sheet:
        if sheet not in (titles := _titles(workbook)):
            raise SheetError.among(
                titles, "no_such_sheet", phrase("The workbook has no sheet of that name."), file=name
            )
        return workbook.get_sheet_by_name(sheet)
    if not filled:
        raise FileError.of(
            "blank_file", phrase("The workbook holds no filled sheet."), phrase("Export it again."), file=name
        )
    if len(filled) > 1:
        several = phrase("The workbook has {sheets:,} filled sheets.", sheets=len(filled))
        raise SheetError.among([made.name for made in filled], "several_sheets", several, file=name)
    return filled[0]


def _beside(
    source: bytes,
    filled: Sequence[python_calamine.CalamineSheet],
    chosen: python_calamine.CalamineSheet,
    name: str,
) -> tuple[Problem, ...]:
    """A question where the workbook holds more than the sheet that was read: whoever gets the file sees all of it."""
    with zipfile.ZipFile(io.BytesIO(source)) as archive:
        parts = [part.partition("/")[2] for part in archive.namelist() if part.startswith("xl/")]
    more = [words for start, words in BESIDE.items() if any(part.startswith(start) for part in parts)]
    others = [phrase("other sheets")] if any(made.name != chosen.name for made in filled) else []
    return beside_table([*others, *more], name)


def _as_csv(sheet: python_calamine.CalamineSheet, name: str, limits: Limits) -> tuple[bytes, Sequence[int]]:
    """The sheet as CSV, and for each of its lines the row of the sheet."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    rows = array("q")
    before_table = True
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [_cell_text(cell) for cell in cells]
        filled = [text for text in texts if text]
        before_table = before_table and len(filled) < 2
        writer.writerow(filled if before_table or not filled else texts)  # a title alone in its row is no record
        rows.extend([number] * (1 + sum(text.count("\n") + text.count("\r") - text.count("\r\n") for text in texts)))
        if number % 1000 == 0:
            check_size(out.tell(), name, limits, phrase("Its text has at least"))
    text = out.getvalue().encode()
    check_size(len(text), name, limits, phrase("Its text has"))
    rows.append(rows[-1] + 1)
    return text, rows


def _cell_text(cell: Any) -> str:
    """A cell as text: a whole number without a point, a day as 2026-01-31."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return _duration(cell)
    return str(cell)


def _duration(length: timedelta) -> str:
    """Hours, minutes and seconds, as Excel shows a length of time that is longer than a day."""
    seconds = abs(length) // timedelta(seconds=1)
    parts = abs(length).microseconds
    sign, rest = "-" * (length < timedelta(0)), f".{parts:06d}" * (parts > 0)
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{rest}"


def _in_rows(problem: Problem, rows: Sequence[int]) -> Problem:
    """The problem with the row of the sheet for the line of the text."""
    return replace(problem, line=rows[min(problem.line, len(rows)) - 1]) if problem.line else problem
