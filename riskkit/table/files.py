"""Any file of a table: CSV, Parquet, an Excel workbook, a file of a statistics program; alone, or packed in an archive.

All of them become text columns, and are typed by the same rules and refused with the same sentences.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from riskkit.errors import FileError, Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table import parquet
from riskkit.table.packed import is_packed, is_workbook, unpacked
from riskkit.table.read import read_csv
from riskkit.table.source import beginning, bytes_of, hashed
from riskkit.table.statistical import kind_of, read_statistical
from riskkit.table.text import Limits, TextTable

ENDINGS = (
    "csv",
    "tsv",
    "txt",
    "tab",
    "dat",
    "parquet",
    "pq",
    "xlsx",
    "xlsm",
    "gz",
    "zip",
    "sav",
    "zsav",
    "dta",
    "sas7bdat",
    "xpt",
)
"""How the names of such files end. What a file is, its bytes say."""
_SHEET = re.compile(r"(.+\.xls[xm](?:\.zip|\.gz)?)#(.+)", re.IGNORECASE | re.DOTALL)
_LIMITS = Limits()


def read_file(
    source: bytes | Path,
    *,
    name: str,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str = "",
    total: bool = True,
    limits: Limits = _LIMITS,
) -> TextTable:
    """The file as text columns.

    Parameters
    ----------
    source : bytes or Path
        The file's bytes, or where it lies.
    name : str
        What to call the file in sentences.
    encoding, delimiter, header, total
        As for :func:`~riskkit.table.read.read_csv`; what a kind of file has not is not looked at.
    sheet : str
        The sheet of a workbook; may be empty where one sheet alone is filled.
    limits : Limits
        How large the file may be, also when unpacked.

    Raises
    ------
    InputError
        The file cannot be used as it is.
    """
    if isinstance(source, Path) and not sheet and beginning(source).startswith(parquet.MAGIC):
        sha256, size = hashed(source, name, limits)
        text = parquet.read_parquet(source, name=name, total=total, limits=limits)
        return replace(text, sha256=sha256, size=size)
    raw = bytes_of(source, name, limits)
    sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    packed = is_packed(raw)
    if packed:
        raw = unpacked(raw, name, limits)
    is_excel = is_workbook(raw)
    if sheet and not is_excel:
        raise FileError.of(
            "no_workbook",
            phrase("A sheet was chosen, but this is no Excel workbook."),
            phrase("Leave the sheet out."),
            file=name,
        )
    if is_excel:
        from riskkit.table.sheets import read_sheet  # not at the top: few files are workbooks

        text = read_sheet(raw, name=name, sheet=sheet, header=header, total=total, limits=limits)
    elif raw.startswith(parquet.MAGIC):
        text = parquet.read_parquet(raw, name=name, total=total, limits=limits)
    elif kind_of(raw) is not None:
        text = read_statistical(raw, name=name, encoding=encoding, total=total, limits=limits)
    else:
        text = read_csv(
            raw, name=name, encoding=encoding, delimiter=delimiter, header=header, total=total, limits=limits
        )
    problems = text.problems
    if packed:
        what = phrase("The file was unpacked from an archive.")
        problems = (Problem(Gravity.REPAIR, "unpacked", what, "", name), *problems)
    return replace(text, sha256=sha256, size=size, problems=problems)


def split_sheet(path: Path) -> tuple[Path, str]:
    """The file, and the sheet that is named behind it: ``people.xlsx#Sheet 1``."""
    sheet = _SHEET.fullmatch(str(path))
    if sheet is None or path.exists():
        return path, ""
    return Path(sheet.group(1)), sheet.group(2)
