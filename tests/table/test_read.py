"""Files as people have them: each is refused with its sentence or read with its repairs stated."""

import gzip
import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.errors import EncodingError, FileError, Gravity, InputError, LayoutError
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import Limits
from tests.table.files import CANARY, codes, text


def zipped(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, CANARY)
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"a": [CANARY]}), out)
    return out.getvalue()


C = CANARY.encode()
REFUSED = {
    # case of the corpus: bytes, class, code, line, column
    "3 header alone, no line end": (b"a,b", LayoutError, "no_rows", 0, ""),
    "12 UTF-16 cut": ("a,b\n1,2\n".encode("utf-16")[:-1], EncodingError, "broken_encoding", 0, ""),
    "15 Excel": (zipped("[Content_Types].xml", "xl/workbook.xml"), FileError, "not_csv", 0, ""),
    "17 Parquet": (parquet(), FileError, "not_csv", 0, ""),
    "18 gzip": (gzip.compress(b"a,b\n1,2\n"), FileError, "not_csv", 0, ""),
    "18 zip": (zipped("data.csv"), FileError, "not_csv", 0, ""),
    "32 after a quoted line break": (b'a,b\n1,"x\ny"\n5,' + C + b",6\n7,8\n", LayoutError, "too_many_fields", 4, ""),
    "34 quote closed too late": (b'a,b\n1,2\n3,"x\n5,6\n7,"y",z\n', LayoutError, "open_quote", 3, ""),
    "43 names equal but for accents": (
        "caf\u00e9,cafe\u0301\nx,y\n".encode(),
        LayoutError,
        "duplicate_names",
        1,
        "caf\u00e9",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_place_and_without_values(case: str) -> None:
    source, kind, code, line, column = REFUSED[case]
    with pytest.raises(kind) as caught:
        read_csv(source, name="real.csv")
    problem = caught.value.problem
    assert (problem.code, problem.line, problem.column, problem.file) == (code, line, column, "real.csv")
    assert problem.gravity is Gravity.ERROR
    assert CANARY not in str(caught.value)
    assert str(caught.value).startswith("real.csv")


REPAIRED = {
    # case: bytes, code, gravity, line, the records
    "9 UTF-16": ("a,b\n名,y\n".encode("utf-16"), "byte_order_mark", "repair", 0, [("名", "y")]),
    "21 semicolons": (b"a;b\n1,5;y\n2,5;z\n", "delimiter", "repair", 0, [("1,5", "y"), ("2,5", "z")]),
    "22 tabs": (b"a\tb\nx,1\ty\n", "delimiter", "repair", 0, [("x,1", "y")]),
    "25 preamble": (b"Export\nof May\na,b\nx,y\nz,w\n", "preamble", "question", 1, [("x", "y"), ("z", "w")]),
    "28 names again": (b"a,b\nx,y\na,b\nz,w\na,b\n", "repeated_header", "repair", 3, [("x", "y"), ("z", "w")]),
    "31 also in the names": (b"a,b,\nx,y,\nz,w,\n", "trailing_delimiter", "repair", 1, [("x", "y"), ("z", "w")]),
    "38 mixed": (b"a,b\r\nx,y\rz,w\n", "mixed_line_ends", "repair", 0, [("x", "y"), ("z", "w")]),
    "44 blank name of values": (b",a\nq,x\nr,y\n", "blank_name", "question", 1, [("q", "x"), ("r", "y")]),
}


@pytest.mark.parametrize("case", REPAIRED)
def test_repairs_and_questions_are_stated(case: str) -> None:
    source, code, gravity, line, records = REPAIRED[case]
    table = text(source)
    (problem,) = [problem for problem in table.problems if problem.code == code]
    assert (problem.gravity, problem.line, problem.file) == (gravity, line, "real.csv")
    assert [tuple(row.values()) for row in table.data.to_pylist()] == records


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"a,b\nx,y\nz,w\n", [2, 3]),
        (b'a,b\nx,"y\nz"\nz,w\n', [2, 4]),
        (b'a,b\r\nx,"y\r\nz"\r\nz,w\r\n', [2, 4]),
        (b"a,b\nx,y\n\n\nz,w\n", [2, 5]),
        (b"sep=,\na,b\nx,y\na,b\nz,w\n", [3, 5]),
        (b"7,x\n8,y\n9,z\n", [1, 2, 3]),
    ],
)
def test_records_know_their_line(source: bytes, lines: list[int]) -> None:
    table = text(source)
    assert [table.line(row) for row in range(table.rows)] == lines


def test_plain_files_have_nothing_to_say() -> None:
    table = text(b'a,b\nx,"y, ""z"""\nNA,\n')
    assert table.problems == ()
    assert table.data.to_pylist() == [{"a": "x", "b": 'y, "z"'}, {"a": "NA", "b": ""}]
    assert (table.size, table.encoding, table.encoding_from, table.delimiter) == (21, "utf-8", "utf-8", ",")


def test_one_column_keeps_its_missing_rows() -> None:
    assert [row["a"] for row in text(b"a\nx\n\ny\n").data.to_pylist()] == ["x", "", "y"]


def test_names_of_years_are_names() -> None:
    assert text(b"2019,2020,2021\n5,6,7\n").columns == ("2019", "2020", "2021")


@pytest.mark.parametrize("rows", [3, 400])
@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp932", ["田中", "佐藤", "東京都", "男性", "はい", "カタカナ"]),
        ("cp932", ["東京都", "神奈川県", "大阪府"]),
        ("euc_jp", ["田中", "東京都", "はい", "いいえ"]),
        ("gb18030", ["北京市", "上海市", "男", "已婚", "大学"]),
        ("euc_kr", ["서울특별시", "부산", "남자", "여자"]),
        ("cp1252", ["Müller", "Besançon", "Ålesund", "Peña"]),
    ],
)
def test_encodings_are_guessed_and_asked(encoding: str, words: list[str], rows: int) -> None:
    source = "\n".join(["name,n", *(f"{words[row % len(words)]},{row}" for row in range(rows))]).encode(encoding)
    table = text(source)
    assert [row["name"] for row in table.data.to_pylist()[:3]] == [words[row % len(words)] for row in range(3)]
    assert table.encoding_from == "guess"
    (question,) = table.problems
    assert (question.gravity, question.code) == (Gravity.QUESTION, "encoding_guess")
    assert table.encoding in question.what


def test_the_chosen_encoding_is_strict() -> None:
    source = "a,b\n1,2\n名,y\n".encode("cp932")
    assert read_csv(source, name="x", encoding="cp932").encoding_from == "chosen"
    with pytest.raises(EncodingError) as caught:
        read_csv(source, name="x", encoding="utf-8")
    assert (caught.value.problem.code, caught.value.problem.line) == ("not_in_encoding", 3)
    with pytest.raises(EncodingError, match="no text encoding"):
        read_csv(source, name="x", encoding="rot13")


@pytest.mark.parametrize(
    ("source", "limits", "code"),
    [
        (",".join(map(str, range(200_000))).encode() + b"\n1\n", Limits(), "too_many_columns"),
        (b"a,b\nx,y\n", Limits(size=5), "too_large"),
        (b"a,b\nx,y\nz,w\n", Limits(rows=1), "too_many_rows"),
        (b"a,b\nx,y\nz,w\n", Limits(cells=3), "too_many_rows"),
        (b"a,b\nx," + b"y" * 70_000 + b"\n", Limits(), "cell_too_long"),
        (b"a,b\nx," + b"y" * 2_000_000 + b"\n", Limits(), "cell_too_long"),
        (b"a" * 2_000_000, Limits(), "line_too_long"),
        (b'a,b\n1,"' + b"x,y\n" * 100_000, Limits(), "cell_too_long"),
    ],
)
def test_limits(source: bytes, limits: Limits, code: str) -> None:
    with pytest.raises(FileError) as caught:
        read_csv(source, name="real.csv", limits=limits)
    assert caught.value.problem.code == code


def test_a_path_that_is_not_there(tmp_path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_csv(tmp_path / "none.csv", name="none.csv")


PIECES = st.sampled_from(
    [
        b"a",
        b"b",
        b"1",
        b"2.5",
        b",",
        b",",
        b";",
        b"\t",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b'"',
        b'""',
        b" ",
        b"\xff",
        b"\xe5\x90\x8d",
        b"\xef\xbb\xbf",
        b"\0",
        b"sep=;\n",
        b"a,b\n",
        b"1,2\n",
        b"\x93\x63",
        b"-",
        b"1e400",
    ]
)


@given(st.one_of(st.lists(PIECES, max_size=40).map(b"".join), st.binary(max_size=200)))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_nothing_but_input_errors_escapes(source: bytes) -> None:
    try:
        table = read_csv(source, name="x.csv")
    except InputError:
        return
    assert table.rows > 0
    assert codes(table.problems) == [problem.code for problem in table.problems]
    assert [table.line(row) for row in range(table.rows)] == sorted({table.line(row) for row in range(table.rows)})
