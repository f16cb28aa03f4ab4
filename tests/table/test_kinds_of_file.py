"""Parquet, Excel, archives, SPSS, Stata, SAS: typed as a CSV of the same table, refused with the same sentences."""

import gzip
import io
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from openpyxl.comments import Comment

from riskkit.core import Table
from riskkit.errors import FileError, InputError, LayoutError, SchemaError, SheetError
from riskkit.table.kinds.labels import ValueLabels, labels_of
from riskkit.table.load import load
from riskkit.table.read import csv_text
from riskkit.table.read.files import read_file, split_sheet
from riskkit.table.text import Limits, TextTable
from tests.table.files import CANARY, codes

N = 90


def frame() -> pd.DataFrame:
    """Every kind of column, with holes."""
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, N),
            "ward": rng.choice(["north", "süd", 'e"a,st'], N),
            "income": rng.normal(30, 9, N).round(2),
            "children": rng.choice([0.0, 1.0, 2.0, np.nan], N),
            "smokes": rng.choice([True, False], N),
            "born": pd.Timestamp("1970-01-01") + pd.to_timedelta(rng.integers(0, 9000, N), "D"),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 9_000_000, N), "s"),
            "post": [f"{1000 + row % 37:05d}" for row in range(N)],
            "note": rng.choice(["", "NA", "none"], N),
        }
    )


def parquet(table: pd.DataFrame | pa.Table, **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table if isinstance(table, pa.Table) else pa.Table.from_pandas(table), out, **how)
    return out.getvalue()


def workbook(sheets: Mapping[str, Sequence[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def excel(table: pd.DataFrame) -> bytes:
    rows = [[None if value != value else value for value in row] for row in table.astype(object).to_numpy().tolist()]
    return workbook({"People": [list(table.columns), *rows]})


def moment(written: str) -> datetime:
    return datetime.fromisoformat(written)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def by(write: Callable[..., None], ending: str) -> Callable[[pd.DataFrame, Path], bytes]:
    """What a writer of pyreadstat makes of a frame; these programs know no truth values."""

    def written(table: pd.DataFrame, folder: Path) -> bytes:
        path = folder / f"table.{ending}"
        write(table.assign(smokes=table["smokes"].map({True: "True", False: "False"})), path)
        return path.read_bytes()

    return written


def csv_of(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()


KINDS: dict[str, Callable[[pd.DataFrame, Path], bytes]] = {
    "Parquet": lambda table, _: parquet(table),
    "Parquet of pages": lambda table, _: parquet(table, row_group_size=7, compression="zstd"),
    "Parquet of categories": lambda table, _: parquet(table.astype({"ward": "category", "post": "category"})),
    "Excel": lambda table, _: excel(table),
    "gzip": lambda table, _: gzip.compress(csv_of(table)),
    "ZIP": lambda table, _: zipped(**{"table.csv": csv_of(table), "__MACOSX/._table.csv": b"x"}),
    "ZIP of Excel": lambda table, _: zipped(**{"table.xlsx": excel(table)}),
    "gzip of Parquet": lambda table, _: gzip.compress(parquet(table)),
    "SPSS": by(pyreadstat.write_sav, "sav"),
    "Stata": by(pyreadstat.write_dta, "dta"),
    "SAS transport": by(pyreadstat.write_xport, "xpt"),
}


def typed(source: bytes, name: str) -> Table:
    return load(read_file(source, name=name), least_rows=1).real


def same(first: Table, second: Table) -> bool:
    return (
        first.schema == second.schema
        and np.array_equal(first.codes, second.codes)
        and np.array_equal(first.numbers, second.numbers, equal_nan=True)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_table_that_the_csv_gives(kind: str, tmp_path: Path) -> None:
    table = frame()
    assert same(typed(KINDS[kind](table, tmp_path), "real"), typed(csv_of(table), "real"))


@pytest.mark.parametrize("kind", ["Parquet", "Excel"])
def test_a_copy_of_another_kind_is_seen_as_one(kind: str, tmp_path: Path) -> None:
    """An audit that compared 34 with 34.0, or a day with a text, would call a verbatim copy safe."""
    real, release = read_file(csv_of(frame()), name="real.csv"), read_file(KINDS[kind](frame(), tmp_path), name="r")
    (copies,) = [problem for problem in load(real, release).problems if problem.code == "verbatim_copies"]
    assert copies.count == N


def test_what_a_file_is_its_bytes_say() -> None:
    text = read_file(gzip.compress(csv_of(frame())), name="real.csv")
    assert (text.format, text.encoding) == ("CSV", "utf-8")
    assert codes(text.problems)[0] == "unpacked"
    whole = parquet(frame())
    text = read_file(whole, name="real.csv")
    assert (text.format, text.encoding, text.delimiter, text.size) == ("Parquet", "", "", len(whole))


# --------------------------------------------------------------------------------------------------------------
# Workbooks

ROWS = [["age", "ward"], [34, "north"], [35, "south"], [36, "north"]]


def test_several_sheets_are_asked_about() -> None:
    source = workbook({"2024": ROWS, "Notes": [["a", "b"], [1, CANARY]], "Empty": []})
    with pytest.raises(SheetError) as caught:
        read_file(source, name="real.xlsx")
    assert caught.value.sheets == ("2024", "Notes")
    assert caught.value.problem.code == "several_sheets"
    assert "real.xlsx#SHEET" in str(caught.value)
    text = read_file(source, name="real.xlsx", sheet="2024")
    assert (text.sheet, text.format, text.columns, text.rows) == ("2024", "Excel, sheet '2024'", ("age", "ward"), 3)
    with pytest.raises(SheetError, match="no sheet of that name"):
        read_file(source, name="real.xlsx", sheet="2025")
    with pytest.raises(FileError, match="no Excel workbook"):
        read_file(csv_of(frame()), name="real.csv", sheet="2024")


def test_what_stands_beside_the_table_of_a_release_is_asked_about_and_named(tmp_path: Path) -> None:
    lines = ["age,ward", *(f"{20 + row % 60},{('north', 'south')[row % 2]}" for row in range(60))]
    own = [line.split(",") for line in lines]
    noted = openpyxl.Workbook()
    for row in own:
        noted.active.append(row)
    noted.active["A2"].comment = Comment(CANARY, "who")
    out = io.BytesIO()
    noted.save(out)
    rows = pd.read_csv(io.StringIO("\n".join(lines)))
    noted_table = pa.Table.from_pandas(rows).replace_schema_metadata({"source": CANARY})
    pyreadstat.write_sav(rows, tmp_path / "x.sav", note=[CANARY])
    unnoted = read_file(workbook({"A": own, "B": []}), name="x.xlsx")
    files = [
        ("notes", read_file(parquet(noted_table), name="x.parquet")),
        ("notes", read_file((tmp_path / "x.sav").read_bytes(), name="x.sav")),
        ("comments", read_file(out.getvalue(), name="x.xlsx")),
        ("other sheets", read_file(workbook({"A": own, "B": [[CANARY], [1]]}), name="x.xlsx", sheet="A")),
        ("The first 2 lines", read_file("\n".join([CANARY, "of May", *lines]).encode(), name="x.csv")),
        ("", read_file(parquet(rows), name="x.parquet")),
        ("", unnoted),
    ]
    for named, file in files:
        (plain, asked) = (
            [problem.sentence() for problem in load(*slots).problems if problem.code == "unread_parts"]
            for slots in ((file, unnoted, file), (unnoted, file))
        )
        assert not plain, "whoever has the release does not have the other two"
        assert [named in sentence and CANARY not in sentence for sentence in asked] == [True] * bool(named), named


def test_one_filled_sheet_needs_no_question() -> None:
    assert read_file(workbook({"Empty": [], "A": ROWS}), name="x").sheet == "A"


def test_cells_are_written_as_a_csv_writes_them() -> None:
    cells = [34, 34.5, -0.25, True, date(2020, 1, 31), moment("2020-01-31 10:00:05"), "007", "a\nb", None]
    text = read_file(workbook({"A": [[f"n{index}" for index in range(9)], cells, cells]}), name="x")
    assert list(text.data.to_pylist()[0].values()) == [
        "34",
        "34.5",
        "-0.25",
        "True",
        "2020-01-31",
        "2020-01-31 10:00:05",
        "007",
        "a\nb",
        "",
    ]


def test_the_line_of_a_problem_is_the_row_of_the_sheet() -> None:
    """Line breaks within cells, empty rows and a title move lines, not rows."""
    rows = [
        ["Report of May"],
        [],
        ["age", "ward"],
        [34, "a\nb"],
        [35, "c\r\nd"],
        [36, "e"],
        [],
        [37, "f"],
        ["Total", None],
    ]
    text = read_file(workbook({"A": rows}), name="x")
    where = {problem.code: problem.line for problem in text.problems}
    assert where["blank_lines"] == 7
    assert where["total_line"] == 9
    assert [text.line(row) for row in range(text.rows)] == [4, 5, 6, 8]
    with pytest.raises(SchemaError) as caught:
        load(read_file(workbook({"A": [["v", "w"], *[[n, "a\nb"] for n in range(9)], ["1e999", "c"]]}), name="x"))
    assert caught.value.problem.code == "too_few_rows"
    with pytest.raises(SchemaError) as caught:
        load(
            read_file(workbook({"A": [["v", "w"], *[[n, "a\nb"] for n in range(60)], ["1e999", "c"]]}), name="x"),
        )
    assert (caught.value.problem.code, caught.value.problem.line) == ("infinite", 62)


def test_a_sheet_is_named_behind_its_file(tmp_path: Path) -> None:
    assert split_sheet(Path("a/b.xlsx#Sheet 1")) == (Path("a/b.xlsx"), "Sheet 1")
    assert split_sheet(Path("b.XLSX#a#b")) == (Path("b.XLSX"), "a#b")
    assert split_sheet(Path("b#1.csv")) == (Path("b#1.csv"), "")
    (tmp_path / "b.xlsx#1").touch()
    assert split_sheet(tmp_path / "b.xlsx#1") == (tmp_path / "b.xlsx#1", "")


# --------------------------------------------------------------------------------------------------------------
# Refused


def bomb() -> bytes:
    return gzip.compress(b"0" * 3_000_000)


def nested(depth: int) -> bytes:
    source = csv_of(frame())
    for _ in range(depth):
        source = gzip.compress(source)
    return source


def with_password() -> bytes:
    source = bytearray(zipped(**{"a.csv": b"a,b\n1,2\n"}))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        source[source.index(magic) + offset] |= 1
    return bytes(source)


def typed_table(**columns: Any) -> bytes:
    return parquet(pa.table(columns))


def repeated(rows: int, length: int) -> bytes:
    """A small file that is large in memory: one long text that every row has."""
    indices = pa.array(np.zeros(rows, dtype=np.int32))
    return parquet(pa.table({"a": pa.DictionaryArray.from_arrays(indices, pa.array(["x" * length]))}))


def ods() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", CANARY)
    return out.getvalue()


def wide() -> bytes:
    return typed_table(**{f"c{index}": [1] for index in range(60)})


def spoilt() -> bytes:
    return parquet(frame())[:-60] + b"\xff" * 52 + b"\0\0\0\0PAR1"


def long_sheet() -> bytes:
    return workbook({"A": [["x" * 30_000 for _ in range(40)] for _ in range(3)]})


SMALL = Limits(size=2_000_000, rows=1_000, columns=50, cells=20_000)
REFUSED: dict[str, tuple[Callable[[], bytes], type[InputError], str]] = {
    "gzip bomb": (bomb, FileError, "too_large"),
    "ZIP bomb": (lambda: zipped(a=b"0" * 3_000_000), FileError, "too_large"),
    "Excel bomb": (
        long_sheet,
        FileError,
        "too_large",
    ),
    "Parquet of one long text": (lambda: repeated(900, 60_000), FileError, "too_large"),
    "packed twice": (lambda: nested(2), FileError, "packed_twice"),
    "gzip cut": (lambda: nested(1)[:-20], FileError, "broken_archive"),
    "gzip of a spoilt inside": (lambda: nested(1)[:40] + b"\xff" * 9 + nested(1)[49:], FileError, "broken_archive"),
    "ZIP cut": (lambda: zipped(a=csv_of(frame()))[:-30], FileError, "broken_archive"),
    "ZIP of two files": (lambda: zipped(a=b"a,b\n", b=b"a,b\n"), FileError, "several_files"),
    "ZIP of nothing": (zipped, FileError, "empty_archive"),
    "ZIP with a password": (with_password, FileError, "password"),
    "Word document": (lambda: zipped(**{"[Content_Types].xml": b"", "word/x.xml": b""}), FileError, "not_csv"),
    "ODS": (ods, FileError, "not_csv"),
    "rich text": (lambda: rb"{\rtf1\ansi " + CANARY.encode() + rb"\par a,b\par 1,2}", FileError, "not_csv"),
    "commands of a database": (
        lambda: b"-- a dump\n\nCREATE TABLE people (a INT);\nINSERT INTO people VALUES (1);\n",
        FileError,
        "not_csv",
    ),
    "Feather": (lambda: b"FEA1" + b"\0" * 90 + b"FEA1", FileError, "not_csv"),
    "Excel cut": (lambda: excel(frame())[:-200], FileError, "broken_workbook"),
    "Excel without a sheet": (lambda: workbook({"A": []}), FileError, "blank_file"),
    "Excel of names alone": (lambda: workbook({"A": [["a", "b"]]}), LayoutError, "no_rows"),
    "Excel of one name twice": (lambda: workbook({"A": [["a", "a"], [1, 2]]}), LayoutError, "duplicate_names"),
    "Parquet cut": (lambda: parquet(frame())[:-100], FileError, "broken_parquet"),
    "Parquet of its magic alone": (lambda: b"PAR1PAR1", FileError, "broken_parquet"),
    "Parquet of a spoilt end": (
        lambda: parquet(frame())[:-60] + b"\xff" * 52 + b"\0\0\0\0PAR1",
        FileError,
        "broken_parquet",
    ),
    "Parquet without rows": (lambda: typed_table(a=pa.array([], pa.int64())), LayoutError, "no_rows"),
    "Parquet without columns": (lambda: parquet(pa.table({})), InputError, "no_"),
    "Parquet of many columns": (
        lambda: typed_table(**{f"c{index}": [1] for index in range(60)}),
        FileError,
        "too_many_columns",
    ),
    "Parquet of many rows": (lambda: typed_table(a=list(range(1_001))), FileError, "too_many_rows"),
    "Parquet of one name twice": (
        lambda: parquet(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])),
        LayoutError,
        "duplicate_names",
    ),
    "Parquet of similar names": (lambda: typed_table(a=[1], A=[2]), LayoutError, "similar_names"),
    "Parquet of a broken name": (lambda: typed_table(**{"a\nb": [1]}), LayoutError, "header_line_break"),
    "Parquet of a NUL": (lambda: typed_table(a=["x", CANARY + "\0"]), LayoutError, "nul_byte"),
    "Parquet of a long cell": (lambda: typed_table(a=[CANARY * 9_000]), FileError, "cell_too_long"),
    "SPSS cut": (lambda: b"$FL2@(#) SPSS DATA FILE" + b"\0" * 90, FileError, "broken_statistics"),
    "Stata cut": (lambda: b"<stata_dta><header>" + b"x" * 90, FileError, "broken_statistics"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_sentence_and_without_values(case: str) -> None:
    source, kind, code = REFUSED[case]
    with pytest.raises(kind) as caught:
        read_file(source(), name="real.bin", limits=SMALL)
    problem = caught.value.problem
    assert problem.code.startswith(code)
    assert problem.file == "real.bin"
    assert problem.do
    assert CANARY not in str(caught.value)


def test_a_library_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = KINDS["SPSS"](frame(), tmp_path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(
        FileError, match=r"A file of SPSS needs the pyreadstat library.*pip install 'riskkit\[statistics\]'"
    ):
        read_file(source, name="real.sav")


def test_labels_of_values_are_kept_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"sex": [1.0, 2.0], "age": [30.0, 40.0]}), path, variable_value_labels={"sex": {1.0: CANARY}}
    )
    text = read_file(path.read_bytes(), name="a.sav")
    assert (labels_of(text), text.problems) == ({"sex": ValueLabels({"1": CANARY})}, ())
    assert labels_of(text.with_column("age", text.column("sex"))) == labels_of(text)


# --------------------------------------------------------------------------------------------------------------
# Types of Parquet


def written(column: pa.Array) -> list[str]:
    """The texts that a column becomes."""
    text: TextTable = read_file(parquet(pa.table({"a": column, "b": ["x"] * len(column)})), name="x")
    return [row["a"] for row in text.data.to_pylist()]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array([1, None, 3]), ["1", "", "3"]),
        (pa.array([1.0, 2.5, float("nan")]), ["1.0", "2.5", ""]),
        (pa.array([0.1], pa.float32()), ["0.1"]),
        (pa.array([True, None]), ["True", ""]),
        (pa.array(["x", "", None]), ["x", "", ""]),
        (pa.array([date(2020, 2, 29), None]), ["2020-02-29", ""]),
        (pa.array([moment("2020-02-29"), moment("2021-01-01")]), ["2020-02-29", "2021-01-01"]),
        (
            pa.array([moment("2020-02-29 01:00:00"), moment("2021-01-01")]),
            ["2020-02-29 01:00:00", "2021-01-01 00:00:00"],
        ),
        (pa.array([moment("2020-02-29 01:00:00")], pa.timestamp("ms", "UTC")), ["2020-02-29 01:00:00+00:00"]),
        (pa.array([2**63 - 1]), ["9223372036854775807"]),
        (pa.array([[1, 2], None]), ["[1, 2]", ""]),
        (pa.array([b"abc", b"\xff"]), None),
        (pa.nulls(2), ["", ""]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
    ],
)
def test_types_become_the_texts_of_a_csv(column: pa.Array, texts: list[str] | None) -> None:
    cells = written(column)
    assert texts is None or cells == texts


def test_the_index_of_a_frame_is_left_out() -> None:
    table = pd.DataFrame({"a": list("xyz")}, index=[0, 1, 2])
    text = read_file(parquet(pa.Table.from_pandas(table, preserve_index=True)), name="x")
    assert (text.columns, codes(text.problems)) == (("a",), ["index_column"])


def test_an_archive_of_a_csv_is_the_same_to_every_rule() -> None:
    odd = b"7;x\n8;y\n9;z\n"
    alone, packed = read_file(odd, name="x"), read_file(gzip.compress(odd), name="x")
    assert codes(packed.problems) == ["unpacked", *codes(alone.problems)]


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(a=content)])
def test_an_archive_is_unpacked_no_further_than_the_limit(pack: Callable[[bytes], bytes]) -> None:
    """60 MB of nothing in 60 kB, where a file may have 1 MB."""
    source = bytearray(pack(bytes(60_000_000)))
    if source.startswith(b"PK"):  # and the archive says that it has 10 bytes
        for magic, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            where = source.index(magic) + offset
            source[where : where + 4] = (10).to_bytes(4, "little")
    tracemalloc.start()
    with pytest.raises(FileError):
        read_file(bytes(source), name="x", limits=Limits(size=1_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("line", [b"1,2\n", b'1,"2"\n', b"1,2\r", b"a,b\n", b"1,2\n\n"], ids=repr)
def test_rows_are_read_no_further_than_they_may_be(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million lines in some kilobytes, where a thousand are allowed: no more than a block is read of them."""
    monkeypatch.setattr(csv_text, "_BLOCK", 1 << 14)
    monkeypatch.setattr(csv_text, "_PART", 1_000)
    source = gzip.compress(b"a,b\n1,2\n" + line * 1_000_000)
    largest, check = [0], Limits.check_records

    def count(self: Limits, rows: int, columns: int, name: str) -> None:
        largest[0] = max(largest[0], rows)
        check(self, rows, columns, name)

    monkeypatch.setattr(Limits, "check_records", count)
    with pytest.raises(FileError, match=r"has at least .* rows of 2 columns; the limit is 1,000 rows"):
        read_file(source, name="x", limits=Limits(rows=1_000))
    assert largest[0] < 10_000


def test_lines_within_quotes_are_no_rows() -> None:
    """Fifty records of five lines each, where a hundred records are allowed."""
    source = b"a,b\n" + b'1,"x\ny\nz\n\nw"\n' * 50
    few, many = (read_file(source, name="x", limits=Limits(rows=rows)) for rows in (100, 1_000))
    assert few.rows == 50
    assert few.data.equals(many.data, check_metadata=True)


@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"a,b\r1,2\r", 3), (b"a,b\n1,2\n3,4\n", 4)], ids=repr)
def test_a_line_without_end_is_refused_before_it_is_copied(
    before: bytes, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_text, "decode", None)
    with pytest.raises(FileError) as caught:
        read_file(gzip.compress(before + b"\xe9" * 5_000_000), name="x")
    assert (caught.value.problem.code, caught.value.problem.line) == ("line_too_long", line)


DUMPS = {
    "PostgreSQL": "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n"
    "SELECT pg_catalog.set_config('search_path', '', false);\n\n"
    "CREATE TABLE public.people (\n    age integer,\n    sex text\n);\n\n"
    f"COPY public.people (age, sex) FROM stdin;\n1\t{CANARY}\n2\tf\n\\.\n",
    "PostgreSQL, rows alone": "--\n-- PostgreSQL database dump\n--\n"
    f"COPY public.people (a, b) FROM stdin;\n1\t{CANARY}\n",
    "MySQL": "-- MySQL dump 10.13\n/*!50503 SET NAMES utf8mb4 */;\nDROP TABLE IF EXISTS `people`;\n"
    f"CREATE TABLE `people` (`a` int);\nINSERT INTO `people` VALUES (1,'{CANARY}'),(2,'f');\n",
    "SQLite": "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE people(a);\n"
    f"INSERT INTO people VALUES('{CANARY}');\n",
    "SQL Server": "USE [db]\nGO\nSET ANSI_NULLS ON\nGO\nCREATE TABLE [dbo].[people](\n\t[a] [int]\n)\nGO\n"
    f"INSERT [dbo].[people] ([a]) VALUES (N'{CANARY}')\nGO\n",
    "Oracle": f"REM INSERTING into PEOPLE\nSET DEFINE OFF;\nInsert into PEOPLE (A,B) values (1,'{CANARY}');\n",
    "a temporary table": f"create temporary table people (a int);\ninsert into people values ({CANARY!r});\n",
    "replaced rows": f"-- people\nREPLACE INTO people (a) VALUES ('{CANARY}');\n",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("dump", DUMPS)
def test_a_dump_of_a_database_is_named_as_one(dump: str, encoding: str) -> None:
    with pytest.raises(FileError) as caught:
        read_file(DUMPS[dump].encode(encoding), name="people.csv")
    sentence = "people.csv: This is a list of commands for a database (SQL), not a CSV. Export the table as CSV."
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    "first",
    ["create table", "drop table", "insert into", "set size", "use values", "begin", "# drop table people;\nage"],
)
def test_a_table_whose_first_name_is_a_command_is_read(first: str) -> None:
    rows = "".join(f"{n},x\n" for n in range(60))
    assert read_file(f"{first},word\n{rows}".encode(), name="people.csv").rows >= 60


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (rb"{\rtf1\ansi a,b\par 1,2\par}", "a document in rich text (RTF), not a CSV. Export the table as CSV."),
        (b"FEA1" + b"\0" * 90 + b"FEA1", "a Feather file, not a CSV. Export it as CSV."),
    ],
)
def test_other_files_are_named_as_what_they_are(source: bytes, what: str) -> None:
    with pytest.raises(FileError) as caught:
        read_file(source, name="people.csv")
    assert str(caught.value) == f"people.csv: This is {what}"
