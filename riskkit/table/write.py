"""Typed tables back to CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence

import numpy as np

from riskkit.core import Column, Floats, Kind, Table
from riskkit.table.kinds.dates import write_day


def to_csv(table: Table, beside: Mapping[str, Sequence[str]] | None = None) -> bytes:
    """The table as UTF-8 CSV with a line of names, lines ending in LF and missing values empty.

    Numbers have their column's decimals (more where a number needs them to stay the same), dates their column's
    format. Only modelled columns are written. Read again, the file gives the same rows. Texts are written as they
    are: what a spreadsheet takes for a formula stays what it was. ``beside`` are columns of texts to write before them.
    """
    more = beside or {}
    columns = [
        _numbers(table.column(column), column)
        if column.is_numeric
        else np.array(column.levels, dtype=object)[table.column(column)].tolist()
        for column in table.schema.modelled
    ]
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*more, *(column.name for column in table.schema.modelled)])
    writer.writerows(zip(*more.values(), *columns, strict=True))
    return out.getvalue().encode()


def _numbers(values: Floats, column: Column) -> list[str]:
    """Each number as text; the different ones are written once."""
    different, place = np.unique(values, return_inverse=True)
    texts = np.array([_number(value, column) for value in different.tolist()], dtype=object)
    out: list[str] = texts[place].tolist()
    return out


def _number(value: float, column: Column) -> str:
    if math.isnan(value):
        return ""
    if column.kind is Kind.DATE:
        return write_day(value, column.date_format)
    text = f"{value:.{column.decimals}f}"
    return text if float(text) == value else repr(value)
