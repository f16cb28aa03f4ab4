"""Files as people have them, by the number of their case, each with the answer that is required of it.

An answer is a refusal (its code, and the line or column it names) or what was read: rows, columns, what must be told,
what must not be, the kind of a column, how many rows of the release are copies.
"""

import gzip
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riskkit.core import Kind
from tests.table.files import AGE, CANARY, WARD, N, cycle, made
from tests.table.test_kinds_of_file import excel, frame, ods, parquet

C = CANARY.encode()


@dataclass(frozen=True, slots=True)
class Case:
    """The bytes of the files by slot, and the answer."""

    real: bytes
    synthetic: bytes | None = None
    holdout: bytes | None = None
    refused: str = ""
    line: int = 0
    column: str = ""
    shape: tuple[int, int] | None = None
    told: Sequence[str] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    copies: int = 0
    least_rows: int = 1
    names: Mapping[str, str] = field(default_factory=dict)


def pair(real: Mapping[str, Sequence[object]], synthetic: Mapping[str, Sequence[object]], **answer: Any) -> Case:
    """Two tables that also have an age and a ward, so that a row is a row."""
    both = (made({"age": AGE, "ward": WARD, **columns}) for columns in (real, synthetic))
    return Case(*both, **answer)


def column_of(cells: Sequence[object], **answer: Any) -> Case:
    """One table with those cells in column ``x``."""
    return Case(made({"age": AGE, "ward": WARD, "x": cells}), **answer)


def spelled(real: Sequence[object], release: Sequence[object], **answer: Any) -> Case:
    """A verbatim copy that spells column ``x`` in its own way: every row is found."""
    return pair({"x": real}, {"x": release}, copies=N, **answer)


def zipped(content: bytes, name: str = "table.csv") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


TABLE = made({"age": AGE, "ward": WARD})
COLUMNS: dict[str, list[Any]] = {"age": AGE, "ward": WARD, "x": cycle("p", "q", CANARY, "r")}
WHOLE = made(COLUMNS)
TEXTS = cycle(*(f"{CANARY} number {n} said that it was cold and that it would rain" for n in range(N)))
SHUFFLED: dict[str, list[Any]] = {name: [cells[(row * 7) % N] for row in range(N)] for name, cells in COLUMNS.items()}


def refused(real: bytes, code: str, line: int = 0, column: str = "") -> Case:
    return Case(real, refused=code, line=line, column=column)


B4: dict[str, Case] = {
    "1": refused(b"", "empty_file"),
    "2": refused(b"\n \n\n", "blank_file"),
    "3": refused(b"a,b\n", "no_rows"),
    "4": Case(TABLE[:15], refused="too_few_rows", least_rows=50),
    "5": Case(made({"age": AGE}), shape=(N, 1), told=["one_column"]),
    "6": Case(b"age\n31\n\n33\n", shape=(3, 1)),
    "7": Case(b"\xef\xbb\xbf" + TABLE, shape=(N, 2), told=["byte_order_mark"]),
    "8": refused(TABLE + b"\xef\xbb\xbf" + TABLE, "joined_files", N + 2),
    "9a": Case(TABLE.decode().encode("utf-16"), shape=(N, 2), told=["byte_order_mark"]),
    "9b": Case(TABLE.decode().encode("utf-32"), shape=(N, 2), told=["byte_order_mark"]),
    "10": Case(
        made({"n": cycle("Müller", "Peña", "a"), "age": AGE}).decode().encode("cp1252"),
        shape=(N, 2),
        told=["encoding_guess"],
    ),
    "11": pair(
        {"x": cycle("Müller", "a")}, {"x": cycle("MÃ¼ller", "a")}, refused="encoding_differs", column="x", line=2
    ),
    "12": refused((TABLE.decode() + f"7,名{CANARY}名").encode()[:-1], "truncated", N + 2),
    "13": refused(TABLE + b"7," + C + b"\0\n", "nul_byte", N + 2),
    "14": refused(b"\0" * 999, "only_nul"),
    "15": Case(excel(frame()), shape=(90, 9)),
    "16a": refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + C, "not_csv"),
    "16b": refused(b"%PDF-1.7\n" + C, "not_csv"),
    "16c": refused(b"\x89PNG\r\n\x1a\n" + C, "not_csv"),
    "16d": refused(ods(), "not_csv"),
    "17": Case(parquet(frame()), shape=(90, 9)),
    "18a": Case(gzip.compress(TABLE), shape=(N, 2), told=["unpacked"]),
    "18b": Case(zipped(TABLE), shape=(N, 2), told=["unpacked"]),
    "19": refused(b"\n<!DOCTYPE html><html>" + C + b"</html>", "not_csv"),
    "20": refused(b'[{"a": "' + C + b'"}]', "not_csv"),
    "21": Case(TABLE.replace(b",", b";"), shape=(N, 2), told=["delimiter"]),
    "22a": Case(TABLE.replace(b",", b"\t"), shape=(N, 2), told=["delimiter"]),
    "22b": Case(TABLE.replace(b",", b"|"), shape=(N, 2), told=["delimiter"]),
    "23": Case(WHOLE, WHOLE.replace(b",", b";"), shape=(N, 3), told=["delimiter"], copies=N),
    "24": Case(b"sep=;\n" + TABLE.replace(b",", b";"), shape=(N, 2), told=["sep_line"]),
    "25": Case(b"Export of May\nby " + C + b"\n" + TABLE, shape=(N, 2), told=["preamble"]),
    "26": Case(
        b"age,ward,n\nyears,name,pieces\n" + b"31,north,2\n35,south,4\n" * 9, shape=(18, 3), told=["second_header"]
    ),
    "27": Case(WHOLE + b"Total,," + C + b"\n", shape=(N, 3), told=["total_line"]),
    "28": Case(TABLE + TABLE, shape=(2 * N, 2), told=["repeated_header"]),
    "29": Case(TABLE.split(b"\n", 1)[1], shape=(N, 2), told=["no_header"]),
    "30": refused(b"a,b\nx,1," + C + b"\ny,2,3\n", "extra_field", 2),
    "31": Case(b"a,b\n" + b"x,1,\ny,2,\n" * 9, shape=(18, 2), told=["trailing_delimiter"]),
    "32": refused(TABLE + b"7," + C + b",6\n", "too_many_fields", N + 2),
    "33": refused(TABLE + C + b"\n", "too_few_fields", N + 2),
    "34": refused(TABLE + b'7,"' + C + b"\n8,x\n", "open_quote", N + 2),
    "35": Case(TABLE + b'7,5" ' + C + b"\n", shape=(N + 1, 2), told=["stray_quote"]),
    "36": Case(TABLE + b'7,\\"x\\"\n', shape=(N + 1, 2), told=["backslash_quotes"]),
    "37": Case(made({"age": AGE, "x": cycle("a\nb", "c", "d\n\ne")}), shape=(N, 2)),
    "38a": Case(TABLE.replace(b"\n", b"\r"), shape=(N, 2), told=["cr_line_ends"]),
    "38b": Case(TABLE + b"7,north\r8,south\r\n", shape=(N + 2, 2), told=["mixed_line_ends"]),
    "39": Case(TABLE + b"\n\n7,north\n", shape=(N + 1, 2), told=["blank_lines"]),
    "40a": refused(TABLE + b"7," + b"y" * 70_000 + b"\n", "cell_too_long", N + 2, "ward"),
    "40b": refused(b"a" * 2_000_000, "line_too_long", 1),
    "41": refused(b"age,b,age\n1,2," + C + b"\n", "duplicate_names", 1, "age"),
    "42": refused(b"a,a,a.1\n1,2," + C + b"\n", "duplicate_names", 1, "a"),
    "43": refused(b"age,b,Age \nx,2," + C + b"\n", "similar_names", 1, "age"),
    "44a": Case(made({"": range(N), "age": AGE}), shape=(N, 1), told=["index_column"]),
    "44b": Case(made({"Unnamed: 0": range(N), "age": AGE}), shape=(N, 1), told=["index_column"]),
    "44c": Case(made({"": WARD, "age": AGE}), shape=(N, 2), told=["blank_name"]),
    "45a": Case(made({"age": AGE, " ward": WARD}), shape=(N, 2), told=["trimmed_names"]),
    "45b": spelled(WARD, [f" {ward}" for ward in WARD]),
    "46": Case(WHOLE, TABLE, shape=(N, 3), told=["fewer_columns"]),
    "46a": Case(WHOLE, made({"x": AGE, "y": AGE}), refused="missing_column", column="age"),
    "46b": Case(WHOLE, made({CANARY: AGE, "b": WARD}), refused="no_common_names", line=1),
    "46c": Case(WHOLE, made({"age": AGE, "ward": WARD, CANARY: WARD}), refused="missing_column", column="x"),
    "47": Case(TABLE, WHOLE, shape=(N, 2), told=["extra_column"]),
    "48": Case(WHOLE, made(dict(reversed(COLUMNS.items()))), shape=(N, 3), copies=N),
    "49": Case(TABLE, made({"Age": AGE, "ward": WARD}), shape=(N, 2), told=["names_matched"], copies=N),
    "50": refused(",".join(map(str, range(200_000))).encode() + b"\n1\n", "too_many_columns", 1),
    "51": pair({"x": AGE}, {"x": ["", *(f"{age}.0" for age in AGE[1:])]}, copies=N - 1, kinds={"x": Kind.NUMERIC}),
    "52": pair({"x": cycle(1, 2, 3)}, {"x": cycle(1, 2, "A")}, copies=N // 3 * 2, kinds={"x": Kind.CATEGORICAL}),
    "53": column_of(cycle("01234", "01235", "91236"), kinds={"x": Kind.CATEGORICAL}),
    "54": column_of(cycle("01234", "SW1A", "M1"), kinds={"x": Kind.CATEGORICAL}),
    "55": column_of(cycle("1E5", "2E7", "1E9"), kinds={"x": Kind.CATEGORICAL}),
    "56": column_of(cycle("NA", "DE", "FR"), kinds={"x": Kind.CATEGORICAL}),
    "57": column_of([-999 if row % 7 == 0 else age for row, age in enumerate(AGE)], told=["sentinel"]),
    "58": column_of([""] * N, shape=(N, 3), told=["all_missing"]),
    "59": pair({"x": cycle("", "p", "q")}, {"x": [""] * N}, told=["all_missing_here"]),
    "60": spelled(cycle("", "p", "q"), cycle("NA", "p", "q")),
    "61": column_of(["same"] * N, told=["constant"]),
    "62": pair({"x": cycle("p", "q")}, {"x": ["p"] * N}, told=["constant_here"]),
    "63a": column_of([f"P{row:04d}" for row in range(N)], told=["id_column"], kinds={"x": Kind.ID}),
    "63b": pair(
        {"x": [f"P{row:04d}" for row in range(N)]},
        {"x": [f"P{row:04d}" for row in range(N)]},
        told=["shared_ids"],
    ),
    "64": column_of([f"{row * 1.37 + 0.001:.4f}" for row in range(N)], told=["near_unique_numbers"]),
    "65": column_of(cycle(2**63 + 1, 2**63 + 3), kinds={"x": Kind.CATEGORICAL}),
    "66": column_of(cycle(2**64 + 1, 2**64 + 3), kinds={"x": Kind.CATEGORICAL}),
    "67": column_of(cycle(2**53 + 1, 2**53 + 3, ""), kinds={"x": Kind.CATEGORICAL}),
    "68": column_of(["inf", *AGE[1:]], refused="infinite", line=2, column="x"),
    "69": column_of([*AGE[1:], "1e400"], refused="infinite", line=N + 1, column="x"),
    "70": column_of(["-0.0", "1e-320", *AGE[2:]], kinds={"x": Kind.NUMERIC}),
    "71": Case(
        made({"age": AGE, "x": [f"{age},5" for age in AGE]}, ";"), told=["number_commas"], kinds={"x": Kind.NUMERIC}
    ),
    "72": column_of([f"{age},000" for age in AGE], told=["number_commas"], kinds={"x": Kind.NUMERIC}),
    "73": column_of([f"${age}" for age in AGE], told=["number_units"], kinds={"x": Kind.NUMERIC}),
    "74": column_of(cycle("0x1F", "1_000"), kinds={"x": Kind.CATEGORICAL}),
    "75": spelled(cycle("True", "False"), cycle("TRUE", "0")),
    "76": column_of([*AGE[:-2], "unknown", "unknown"], told=["missing_token"]),
    "77": column_of([*map(str, AGE[:40]), *(f"{age}.0" for age in AGE[40:])], kinds={"x": Kind.NUMERIC}),
    "78": column_of(["2020-02-30", *cycle("2020-01-31", "2021-03-05", "2019-07-08")[1:]], told=["not_a_date"]),
    "79": column_of(cycle("01/02/2020", "03/04/2020", "05/06/2021"), told=["ambiguous_dates"]),
    "80": spelled(cycle("2020-01-31", "2021-02-15"), cycle("31.01.2020", "15.02.2021")),
    "81": column_of(cycle("28/02/20", "05/11/21"), told=["unclear_dates"]),
    "81b": column_of(cycle("1700-01-01", "9999-12-31", "0001-01-01"), kinds={"x": Kind.DATE}),
    "82": spelled(cycle("2020-01-31", "1999-12-31"), cycle("43861", "36525"), told=["excel_dates"]),
    "83": spelled(cycle("Yes", "No"), cycle(" Yes", "No ")),
    "84": spelled(cycle("yes", "no"), cycle("YES", "NO")),
    "85a": spelled(cycle("café", "b"), cycle("cafe\u0301", "b")),
    "85b": spelled(cycle("a b", "c"), cycle("a\u00a0b", "\u200bc")),
    "86": pair({"x": cycle("p", "q", "r")}, {"x": cycle("p", "q", CANARY)}, told=["new_levels"]),
    "87": pair({"x": cycle("p", "q", CANARY)}, {"x": cycle("p", "q", "r")}, told=["lost_levels"]),
    "88": Case(
        made({"age": (AGE * 334)[:20_000], "x": [f"c {n % 10_000}" for n in range(20_000)]}),
        shape=(20_000, 2),
    ),
    "89": column_of(TEXTS, told=["free_text"], kinds={"x": Kind.TEXT}),
    "90": column_of(cycle(f'{{"a": "{CANARY}"}}', "[1, 2]"), told=["nested_values"]),
    "91": Case(TABLE + TABLE.split(b"\n", 1)[1], told=["duplicate_rows"]),
    "92": Case(WHOLE, made(SHUFFLED), copies=N),
    "93": Case(WHOLE, WHOLE, told=["identical_files"], copies=N),
    "94": Case(WHOLE, made(SHUFFLED), told=["swapped"], names={"real": "synthetic.csv", "synthetic": "patients.csv"}),
    "95": Case(WHOLE, made(SHUFFLED), WHOLE[: len(WHOLE) // 2].rpartition(b"\n")[0], told=["people_in_both"]),
    "96": Case(WHOLE, made(SHUFFLED), made({**COLUMNS, "age": [age + 90 for age in AGE]}), shape=(N, 3)),
    "97": Case(WHOLE, b"".join(WHOLE.splitlines(keepends=True)[:6]), told=["sizes_differ"]),
    "98": Case(made({"age": sorted(AGE * 4), "w": WARD * 4}), told=["sorted_rows"]),
    "99a": column_of([7 * (row // 3) for row in range(N)], shape=(N, 3)),
    "99b": Case(made({"age": AGE, "household": [7 * (row // 3) for row in range(N)]}), told=["group_id"]),
    "99c": Case(made({"fnlwgt": AGE, "weight": AGE}), told=["sampling_weights"]),
    "100": column_of(cycle("=cmd|calc", "+1+2", "@SUM(A1)"), kinds={"x": Kind.CATEGORICAL}),
    "101": Case(made({"<img onerror=1>": AGE, "![x](http://y)": WARD, "@pd.io": AGE}), shape=(N, 3)),
    "102": Case(
        made({"label": AGE, "__index__": WARD, "c.query": WARD, "class": AGE, "n" * 5_000: WARD}), shape=(N, 5)
    ),
    "103": refused(gzip.compress(WHOLE)[:-30], "broken_archive"),
    "104": refused(bytes(1_000_001), "too_large"),
    "105": refused(b'age,"wa\r\nrd"\r\n1,' + C + b"\r\n", "header_line_break", 1),
    "106": spelled(cycle("p", "q", "r"), cycle("p", "q", "r")),
}
"""The 106 cases of the list of malformed inputs; a letter tells parts of one apart.

Since files of Excel, Parquet and archives are read, 15, 17 and 18 are read and not refused."""


# --------------------------------------------------------------------------------------------------------------
# The same answers, however a file is wrapped

_LINE_ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32")
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_PACKINGS = {"plain": bytes, "gzip": gzip.compress, "ZIP": zipped}
_PLAIN: dict[str, list[Any]] = {
    "age": AGE,
    "ward": cycle("north", "süd", "名古屋"),
    "x": cycle('say ""no""', "", "Ω mega"),
}


def readable() -> dict[str, Case]:
    """One table in every encoding, line end, delimiter and archive: always the same rows."""
    cases = {}
    for sign, delimiter in _DELIMITERS.items():
        text = made(_PLAIN, delimiter).decode()
        for end, line_end in _LINE_ENDS.items():
            for encoding in _ENCODINGS:
                for packing, pack in _PACKINGS.items():
                    source = pack(text.replace("\n", line_end).encode(encoding))
                    cases[f"{sign}, {end}, {encoding}, {packing}"] = Case(
                        made(_PLAIN), source, shape=(N, 3), copies=N, told=["unpacked"] * (packing != "plain")
                    )
    return cases


def wrapped() -> dict[str, Case]:
    """Every file that is refused alone is refused by the same code in an archive; text files also as UTF-16."""
    cases = {}
    for number, case in B4.items():
        if not case.refused or case.synthetic is not None or number in ("1", "14", "18a", "103", "104", "16d"):
            continue
        for packing in ("gzip", "ZIP"):
            cases[f"{number} in {packing}"] = _again(case, _PACKINGS[packing](case.real))
        if case.refused not in ("not_csv", "truncated", "joined_files", "no_such"):
            cases[f"{number} as UTF-16"] = _again(case, case.real.decode().encode("utf-16"))
    return cases


def _again(case: Case, real: bytes) -> Case:
    return Case(real, refused=case.refused, line=case.line, column=case.column, least_rows=case.least_rows)


CORPUS = {**B4, **readable(), **wrapped()}
