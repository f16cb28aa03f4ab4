"""Odd files that are read rightly or refused in a sentence: columns of Parquet, cells of workbooks, signs and ends of
text, other programs' formats; and odd pairs in which a copy is found in all rows, or the column is asked about."""

import gzip
import io
import tarfile
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from riskkit.core import Kind
from riskkit.errors import InputError
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from tests.table.files import AGE, CANARY, WARD, N, codes, cycle, made
from tests.table.test_kinds_of_file import moment, parquet, workbook, zipped

TABLE = made({"age": AGE, "x": WARD})


def column(values: Any) -> bytes:
    """A Parquet file whose column ``x`` that is."""
    return parquet(pa.table({"age": AGE, "ward": WARD, "x": values}))


def typed(values: Sequence[Any], kind: pa.DataType) -> bytes:
    return column(pa.array(cycle(*values), kind))


def cells(*values: object) -> bytes:
    return made({"age": AGE, "ward": WARD, "x": cycle(*values)})


def sheet(*values: Any) -> bytes:
    return workbook({"A": [["age", "ward", "x"], *map(list, zip(AGE, WARD, cycle(*values), strict=True))]})


def read(real: bytes, release: bytes | None = None) -> Tables:
    texts = [None if source is None else read_file(source, name=name) for source, name in ((real, "r"), (release, "s"))]
    assert texts[0] is not None
    return load(texts[0], texts[1], least_rows=1)


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        about = tarfile.TarInfo("a.csv")
        about.size = len(TABLE)
        archive.addfile(about, io.BytesIO(TABLE))
    return out.getvalue()


def numpy_array() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(9))
    return out.getvalue()


def drawn(*, mysql: bool) -> bytes:
    rule = b"+----+-------+\n" if mysql else b"-----+------\n"
    rows = b"".join(b"| %d | %s |\n" % (age, ward.encode()) for age, ward in zip(AGE, WARD, strict=True))
    return (rule if mysql else b"") + b"| age | x |\n" + rule + rows


def canary(*before: bytes) -> bytes:
    return b"".join(before) + CANARY.encode() * 20


REFUSED: dict[str, tuple[bytes, str]] = {
    "HDF5": (canary(b"\x89HDF\r\n\x1a\n"), "not_csv"),
    "Avro": (canary(b"Obj\x01"), "not_csv"),
    "NumPy": (numpy_array(), "not_csv"),
    "pickle of protocol 4": (canary(b"\x80\x04\x95"), "not_csv"),
    "pickle of protocol 5": (canary(b"\x80\x05\x95"), "not_csv"),
    "R data": (gzip.compress(canary(b"RDX3\nX\n")), "not_csv"),
    "R object": (gzip.compress(canary(b"X\n\0\0\0\x03")), "not_csv"),
    "tar in gzip": (tar(), "not_csv"),
    "encrypted Parquet": (canary(b"PARE"), "not_csv"),
    "table of Markdown": (b"| age | x |\n|:---|---:|\n| 31 | " + CANARY.encode() + b" |\n", "not_csv"),
    "output of psql": (b" age |  x\n-----+------\n  31 | " + CANARY.encode() + b"\n", "not_csv"),
    "output of MySQL": (drawn(mysql=True), "not_csv"),
    "gzip of ZIP": (gzip.compress(zipped(**{"a.csv": TABLE})), "packed_twice"),
    "gzip with more behind it": (gzip.compress(TABLE) + canary(), "broken_archive"),
    "UTF-16 with a byte too many": (TABLE.decode().encode("utf-16") + b"x", "broken_encoding"),
    "UTF-16 without a mark": (TABLE.decode().encode("utf-16-le"), "nul_byte"),
    "byte-order mark before a later line": (TABLE + b"\xef\xbb\xbf7,x\n", "joined_files"),
    "days of Parquet before the year 0": (typed([-(2**31), 0], pa.date32()), "no_such_day"),
    "moments of Parquet after 9999": (typed([9 * 10**18, 0], pa.timestamp("us")), "no_such_day"),
    "infinite numbers of Parquet": (column(cycle(1.5, float("inf"))), "infinite"),
    "numbers whose squares are none": (cells("-1e+300", "2.5"), "infinite"),
    "1e999": (cells("1e999", "2"), "infinite"),
    "hidden second sheet": (workbook({"A": [["a"], [1]], "B": [["a"], [CANARY]]}), "several_sheets"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_a_sentence(case: str) -> None:
    source, code = REFUSED[case]
    with pytest.raises(InputError) as caught:
        read(source)
    assert caught.value.problem.code == code
    assert caught.value.problem.do
    assert CANARY not in str(caught.value)


READ: dict[str, tuple[bytes, list[str], Kind, list[str]]] = {
    "struct": (column(cycle({"a": 1}, {"a": 2})), ['{"a": 1}', '{"a": 2}'], Kind.CATEGORICAL, ["nested_values"]),
    "decimal": (
        typed([Decimal("1.10"), Decimal("-2.25"), None], pa.decimal256(50, 2)),
        ["1.10", "-2.25", ""],
        Kind.NUMERIC,
        [],
    ),
    "dictionary of days": (
        column(pa.array(cycle(date(2020, 1, 1), date(2021, 2, 3))).dictionary_encode()),
        ["2020-01-01", "2021-02-03"],
        Kind.DATE,
        [],
    ),
    "moments with a zone": (
        typed(
            [datetime(2020, 1, 1, 5, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)], pa.timestamp("us", "Asia/Tokyo")
        ),
        ["2020-01-01 05:00:00+00:00", "2021-01-01 00:00:00+00:00"],
        Kind.DATE,
        ["zones_matched"],
    ),
    "times": (typed([time(1, 30), None], pa.time64("us")), ["01:30:00", ""], Kind.CATEGORICAL, []),
    "times with parts of seconds": (
        typed([time(1, 30, 0, 500_000), time(2)], pa.time64("us")),
        ["01:30:00.500000", "02:00:00.000000"],
        Kind.CATEGORICAL,
        [],
    ),
    "bytes that are no text": (
        typed([b"abc", b"\xff\xfe", None], pa.binary()),
        ["0x616263", "0xfffe", ""],
        Kind.CATEGORICAL,
        [],
    ),
    "bytes with a NUL": (typed([b"\0\1", b"ab"], pa.binary(2)), ["0x0001", "0x6162"], Kind.CATEGORICAL, []),
    "bytes that are text": (typed([b"abc", b"d"], pa.large_binary()), ["abc", "d"], Kind.CATEGORICAL, []),
    "half floats": (column(pa.array(np.array(cycle(1.5, np.nan), dtype=np.float16))), ["1.5", ""], Kind.NUMERIC, []),
    "large whole floats": (column(cycle(1e16, 2e22)), ["1e+16", "2e+22"], Kind.NUMERIC, []),
    "unsigned whole numbers": (
        typed([2**64 - 1, 2**63], pa.uint64()),
        [str(2**64 - 1), str(2**63)],
        Kind.CATEGORICAL,
        [],
    ),
    "whole numbers with holes of pandas": (
        parquet(pd.DataFrame({"age": AGE, "ward": WARD, "x": pd.array(cycle(1, None, 300), dtype="Int64")})),
        ["1", "", "300"],
        Kind.NUMERIC,
        [],
    ),
    "truth and errors in a sheet": (sheet(True, "#N/A", False), ["True", "", "False"], Kind.CATEGORICAL, []),
    "moments in a sheet": (
        sheet(moment("2020-01-01 01:01:01.500000"), moment("2020-01-01 01:01:02")),
        ["2020-01-01 01:01:01.500000", "2020-01-01 01:01:02"],
        Kind.DATE,
        [],
    ),
    "lengths of time in a sheet": (
        sheet(timedelta(hours=30), timedelta(seconds=61)),
        ["30:00:00", "00:01:01"],
        Kind.CATEGORICAL,
        [],
    ),
    "fields apart by Ctrl-A": (made({"age": AGE, "x": WARD}, "\x01"), WARD[:3], Kind.CATEGORICAL, ["delimiter"]),
    "fields apart by a unit separator": (
        made({"age": AGE, "x": WARD}, "\x1f"),
        WARD[:3],
        Kind.CATEGORICAL,
        ["delimiter"],
    ),
    "fields apart by tildes": (made({"age": AGE, "x": WARD}, "~"), WARD[:3], Kind.CATEGORICAL, ["delimiter"]),
    "fields apart by carets": (made({"age": AGE, "x": WARD}, "^"), WARD[:3], Kind.CATEGORICAL, ["delimiter"]),
    "two byte-order marks": (b"\xef\xbb\xbf" * 2 + TABLE, WARD[:3], Kind.CATEGORICAL, ["byte_order_mark"]),
    "a byte-order mark within a line": (
        TABLE.replace(b"east", b"\xef\xbb\xbfeast", 1),
        ["north", "south", "\ufeffeast"],
        Kind.CATEGORICAL,
        ["invisible_letters"],
    ),
    "Ctrl-Z at the end": (TABLE + b"\x1a", WARD[:3], Kind.CATEGORICAL, ["end_mark"]),
    "gzip of two parts": (gzip.compress(TABLE) + gzip.compress(b"9,north\n"), WARD[:3], Kind.CATEGORICAL, ["unpacked"]),
    "gzip with zeros behind it": (gzip.compress(TABLE) + b"\0" * 512, WARD[:3], Kind.CATEGORICAL, ["unpacked"]),
}


@pytest.mark.parametrize("case", READ)
def test_it_is_read_rightly(case: str) -> None:
    source, texts, kind, expected = READ[case]
    tables = read(source)
    assert [row["x"] for row in read_file(source, name="r").data.to_pylist()[: len(texts)]] == texts
    assert tables.schema.column("x").kind is kind
    assert set(expected) <= set(codes(tables.problems))


def test_identifiers_of_parquet_are_written_as_everybody_writes_them() -> None:
    source = column(
        pa.array([None, *(bytes(range(row, row + 16)) for row in range(N - 1))], pa.binary(16)).cast(pa.uuid())
    )
    assert [row["x"] for row in read_file(source, name="r").data.to_pylist()[:2]] == [
        "",
        "00010203-0405-0607-0809-0a0b0c0d0e0f",
    ]
    assert read(source).schema.column("x").kind is Kind.ID


def test_names_with_points_are_names() -> None:
    """R writes them; to a reader of nested columns they are paths."""
    source = parquet(pa.table({"edu.num": AGE, "edu": WARD, "s": cycle({"a": 1}, {"a": 2}), "s.a": AGE}))
    text = read_file(source, name="r")
    assert text.columns == ("edu.num", "edu", "s", "s.a")
    assert text.data.to_pylist()[0] == {"edu.num": "20", "edu": "north", "s": '{"a": 1}', "s.a": "20"}


def test_days_of_the_calendar_of_1904_are_those_that_excel_shows() -> None:
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append(["age", "x"])
    for row in range(N):
        book.active.append([AGE[row], date(2020, 1, 1 + row % 5)])
    out = io.BytesIO()
    book.save(out)
    assert [row["x"] for row in read_file(out.getvalue(), name="r").data.to_pylist()[:2]] == [
        "2020-01-01",
        "2020-01-02",
    ]


COPIED: dict[str, tuple[bytes, bytes, list[str]]] = {
    "times of Parquet": (typed([time(1, 30), time(2)], pa.time64("us")), cells("01:30:00", "02:00:00"), []),
    "decimals of Parquet": (typed([Decimal("1.10")], pa.decimal128(9, 2)), cells("1.1"), []),
    "single precision": (
        cells("0.1", "0.7", "1.3"),
        cells("0.10000000149011612", "0.699999988079071", "1.2999999523162842"),
        ["rounding_matched"],
    ),
    "single precision in the real file": (
        cells("0.10000000149011612", "0.699999988079071", "1.2999999523162842"),
        cells("0.1", "0.7", "1.3"),
        ["rounding_matched"],
    ),
    "sums": (cells("0.3", "0.7"), cells("0.30000000000000004", "0.7"), ["rounding_matched"]),
    "a third in a sheet and in Excel's CSV": (
        sheet(1 / 3, 0.5),
        cells("0.333333333333333", "0.5"),
        ["rounding_matched"],
    ),
    "a unit in the release alone": (cells(70, 80, 65), cells("70 kg", "80 kg", "65 kg"), ["number_units"]),
    "zero and minus zero": (cells("-0.0", "1.5"), cells("0", "1.5"), []),
    "minus of Unicode": (cells("-1.5", "2.5"), cells("\u22121.5", "2.5"), ["letter_forms_unified"]),
    "narrow no-break spaces": (cells(1500, 25000), cells("1\u202f500", "25\u202f000"), ["numbers_matched"]),
    "1.234,56": (cells("1234.56", "99.5"), cells("1.234,56", "99,50"), ["numbers_matched"]),
    "commas in one cell of two": (cells("1.5", "2.25"), cells("1,5", "2.25"), ["numbers_matched"]),
    "17 digits": (cells("0.1", "0.7"), cells("1.0000000000000001e-01", "6.9999999999999996e-01"), []),
    "the year 9999": (cells("9999-12-31", "2016-12-31"), cells("31.12.9999", "31.12.2016"), ["date_formats_differ"]),
    "a leap second": (cells("2016-12-31 23:59:60", "2016-12-31"), cells("2016-12-31 23:59:60", "2016-12-31"), []),
    "the year 10000": (cells("10000-01-01", "2016-12-31"), cells("10000-01-01", "2016-12-31"), []),
    "voiced kana": (cells("ガ", "b"), cells("カ\u3099", "b"), ["accents_unified"]),
    "days without zeros before them": (
        cells("2020-03-05", "2021-11-13"),
        cells("2020-3-5", "2021-11-13"),
        [],
    ),
    "below nought in brackets": (cells("-12.5", "30", "7.25"), cells("(12.5)", "30", "7.25"), ["numbers_matched"]),
    "below nought in brackets, with a sign": (
        cells("-1250", "30", "7"),
        cells("($1250)", "$30", "$7"),
        ["numbers_matched"],
    ),
    "minus behind the number": (cells("-12.5", "30", "7.25"), cells("12.5-", "30", "7.25"), ["numbers_matched"]),
    "minus behind the number in the real file": (
        cells("12.5-", "30", "7.25"),
        cells("-12.5", "30", "7.25"),
        ["numbers_matched"],
    ),
    "two spaces": (cells("a  b", "c", "d e"), cells("a b", "c", "d e"), ["letter_forms_unified"]),
    "a line break for a space": (cells("a\nb", "c", "d e"), cells("a b", "c", "d e"), ["letter_forms_unified"]),
    "a tab for a space": (cells("a b", "c", "d e"), cells("a\tb", "c", "d e"), ["letter_forms_unified"]),
    **{
        f"missing as {word}": (cells(*values, ""), cells(*values, word), ["missing_differs"])
        for word, values in {
            "#NAME?": ("1.5", "2.5"),
            "#REF!": ("1.5", "2.5"),
            "#NUM!": ("1.5", "2.5"),
            "1.#QNAN": ("1.5", "2.5"),
            "-1.#IND": ("1.5", "2.5"),
            "<NULL>": ("p", "q"),
            "[NULL]": ("p", "q"),
            "<missing>": ("p", "q"),
            '""': ("p", "q"),
            "k.A.": ("p", "q"),
            "keine Angabe": ("p", "q"),
            "n.a.": ("p", "q"),
            "0000-00-00": ("2020-01-31", "2021-02-03"),
            "0000-00-00 00:00:00": ("2020-01-31 10:15:00", "2021-02-03 11:20:30"),
        }.items()
    },
    "seconds since 1970": (
        cells("2016-12-31", "2011-11-13"),
        cells("1483142400", "1321142400"),
        ["seconds_since_1970"],
    ),
    "times as Excel's days": (
        cells("2024-06-13 12:38:07", "2024-06-14 00:05:00"),
        cells("45456.5264699074", "45457.0034722222"),
        ["excel_dates"],
    ),
    "times of another zone": (
        cells("2024-06-13T12:38:07Z", "2024-01-02T23:00:00Z"),
        cells("2024-06-13 14:38:07+02:00", "2024-01-03 00:00:00+01:00"),
        ["zones_matched"],
    ),
    "times by the name of a zone": (
        cells("2024-06-13 12:38:07+00:00", "2024-01-02 23:00:00+00:00"),
        cells("2024-06-13 14:38:07 Europe/Paris", "2024-01-03 00:00:00 Europe/Paris"),
        ["zones_matched"],
    ),
    "times of 12 hours": (
        cells("2024-06-13 12:38:07", "2024-06-14 00:05:00"),
        cells("06/13/2024 12:38:07 PM", "06/14/2024 12:05 AM"),
        ["dates_matched"],
    ),
    "times of mails": (
        cells("2024-06-13 12:38:07Z", "2024-06-14 00:05:00Z"),
        cells("Thu, 13 Jun 2024 14:38:07 +0200", "Fri, 14 Jun 2024 02:05:00 +0200"),
        ["zones_matched"],
    ),
    "times with a zone in Parquet": (
        typed([datetime(2020, 1, 1, 5, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        typed([datetime(2020, 1, 1, 5, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)], pa.timestamp("s", "Asia/Tokyo")),
        ["zones_matched"],
    ),
    "truth as decimals": (cells("True", "False"), cells("1.0", "0.0"), []),
    "answers as letters": (cells("yes", "no"), cells("Y", "N"), []),
    "truth as Access writes it": (cells("True", "False"), cells("-1", "0"), ["booleans_matched"]),
}


@pytest.mark.parametrize("case", COPIED)
def test_a_copy_is_found_in_all_rows(case: str) -> None:
    real, release, expected = COPIED[case]
    problems = read(real, release).problems
    assert [problem.count for problem in problems if problem.code == "verbatim_copies"] == [N]
    assert set(expected) <= set(codes(problems))


ASKED: dict[str, tuple[bytes, bytes]] = {
    "lengths of time of Parquet": (typed([3600, 7200], pa.duration("s")), cells("0 days 01:00:00", "0 days 02:00:00")),
    "months of pandas": (
        parquet(pd.DataFrame({"age": AGE, "ward": WARD, "x": pd.PeriodIndex(cycle("2020-01", "2021-02"), freq="M")})),
        cells("2020-01", "2021-02"),
    ),
    "two units in the release": (cells(70, 80, 65), cells("70 kg", "80 lb", "65 kg")),
    "percent as shares": (cells(0.5, 0.25, 1), cells("50%", "25%", "100%")),
    "thousands or decimals": (cells(1500, 25000, 999000), cells("1.500", "25.000", "999.000")),
    "lakhs": (cells(150000, 2500000), cells("1,50,000", "25,00,000")),
    "hours of half a day": (cells("13:30", "02:00"), cells("1:30 PM", "2:00 AM")),
    "weeks of a year": (cells("2016-W52-6", "2017-W01-1"), cells("2016-12-31", "2017-01-02")),
    "Japanese eras": (cells("2016-12-31", "2017-01-02"), cells("平成28年12月31日", "平成29年1月2日")),
    "Buddhist years": (cells("2016-12-31", "2011-11-13"), cells("2559-12-31", "2554-11-13")),
    "Roman numerals": (cells(1, 2, 3), cells("I", "II", "III")),
    "hexadecimal numbers": (cells("1.5", "2.5"), cells("0x1.8p+0", "0x1.4p+1")),
    "Excel's days for ranges": (cells("1-5", "6-10"), cells("5-Jan", "10-Jun")),
    "Cyrillic letters": (cells("A", "B"), cells("А", "В")),
}


@pytest.mark.parametrize("case", ASKED)
def test_what_does_not_meet_is_asked_about(case: str) -> None:
    problems = read(*ASKED[case]).problems
    assert [problem.column for problem in problems if problem.code == "values_apart"] == ["x"]


def test_numbers_of_single_precision_that_a_file_tells_apart_stay_apart() -> None:
    real, release = cells("0.10000000149011612", "0.5"), cells("0.1", "0.100000001", "0.5")
    tables = read(real, release)
    assert "rounding_matched" not in codes(tables.problems)


APART: dict[str, tuple[float, float]] = {
    "in the seventh digit": (0.1000001, 0.7000001),
    "in the tenth digit": (0.1000000001, 0.7000000001),
    "in the thirteenth digit": (0.1000000000001, 0.7000000000001),
    "in single precision": (float(np.float32(0.10000005)), float(np.float32(0.7000005))),
}


@pytest.mark.parametrize("case", APART)
def test_numbers_that_lie_further_apart_than_rounding_stay_as_they_are(case: str) -> None:
    tables = read(cells("0.1", "0.7"), cells(*(repr(number) for number in APART[case])))
    assert "rounding_matched" not in codes(tables.problems)
    assert "verbatim_copies" not in codes(tables.problems)


KEPT: dict[str, tuple[bytes, bytes]] = {
    "two spaces that one file tells apart": (cells("a  b", "a b", "c"), cells("a  b", "a b", "c")),
    "answers in brackets": (cells("(1)", "(2)", "(3)"), cells("(2)", "(3)", "(4)")),
    "a word that both files have": (cells("k.A.", "q", "p"), cells("q", "k.A.", "p")),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_may_mean_something_else_stays_as_it_is(case: str) -> None:
    tables = read(*KEPT[case])
    column = tables.schema.column("x")
    assert column.kind is Kind.CATEGORICAL
    written = {
        cell for source in KEPT[case] for cell in (row.split(",")[2] for row in source.decode().split("\n")[1:-1])
    }
    assert set(column.levels) == written


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["1e308"], "line 2: 1 number is further from 0 than 1e150, the largest that riskkit calculates with."),
        (["-1.5e308"], "line 2: 1 number is further from 0 than 1e150, the largest that riskkit calculates with."),
        (["1" + "0" * 308, "1e400"], "line 2: 2 numbers are further from 0 than 1e150, the largest that riskkit"),
        (["inf"], "line 2: 1 value is infinite. Correct them"),
        (["1e400", "-Infinity"], "line 3: 1 value is infinite. Correct them"),
    ],
)
def test_a_number_that_is_too_large_is_not_called_infinite(values: list[str], what: str) -> None:
    with pytest.raises(InputError) as caught:
        read(made({"age": AGE, "ward": WARD, "x": [*values, *(["1.5", "2.5"] * N)[: N - len(values)]]}))
    assert str(caught.value).startswith(f"r, column 'x', {what}")
    assert all(value not in str(caught.value) for value in values if value != "inf")
