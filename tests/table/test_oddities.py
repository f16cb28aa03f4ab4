"""Odd files that can be read: each oddity is named with its column or line and its count, and no cell is told."""

import numpy as np
import pytest

from riskkit.core import Kind
from riskkit.errors import Gravity, SchemaError
from riskkit.judging.reasons import REASONS
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.dates import DATE_FORMATS, day, write_day
from riskkit.table.kinds.numbers import split_unit
from riskkit.table.load import load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.write import to_csv
from tests.table.files import AGE, CANARY, WARD, N, codes, cycle, loaded, made, text

ROWS = [f"{age},{ward},{age * 2}\n" for age, ward in zip(AGE, WARD, strict=True)]


def lines(*rows: str) -> bytes:
    return "".join(("age,ward,x\n", *rows)).encode()


def the(code, problems):
    """The one problem of that code; no problem tells a cell."""
    assert not any(CANARY in problem.sentence() for problem in problems)
    (problem,) = [problem for problem in problems if problem.code == code]
    return problem


# --------------------------------------------------------------------------------------------------------------
# One file


def test_26_a_second_line_of_names_is_left_out_and_asked_about() -> None:
    table = text(lines(f"years,name,{CANARY}\n", *ROWS))
    problem = the("second_header", table.problems)
    assert (problem.gravity, problem.file, problem.line, problem.count) == (Gravity.QUESTION, "real.csv", 2, 1)
    assert (table.rows, table.line(0)) == (N, 3)


@pytest.mark.parametrize("header", [True, False])
def test_26_whoever_says_where_the_names_are_is_believed(header: bool) -> None:
    table = read_csv(lines("years,name,unit\n", *ROWS), name="real.csv", header=header)
    assert table.rows == N + 2 - header
    assert table.problems == ()


@pytest.mark.parametrize(
    "first",
    ["NA,north,unknown\n", "21,north,many\n", "inf,north,-inf\n", ",,\n", "?,north,?\n", "young,north,12\n"],
)
def test_26_a_first_record_is_no_line_of_names(first: str) -> None:
    table = text(lines(first, *ROWS))
    assert table.rows == N + 1
    assert "second_header" not in codes(table.problems)


@pytest.mark.parametrize("last", [f"Total,{CANARY},5000", "TOTAL,,", ",合計,77", "3000,Grand total:,1"])
def test_27_a_line_of_totals_is_left_out_and_asked_about(last: str) -> None:
    table = text(lines(*ROWS, last))
    problem = the("total_line", table.problems)
    assert (problem.gravity, problem.file, problem.line, problem.count) == (Gravity.QUESTION, "real.csv", N + 2, 1)
    assert (table.rows, table.data.to_pylist()[-1]["x"]) == (N, str(AGE[-1] * 2))


@pytest.mark.parametrize(
    "rows", [[*ROWS[:9], "1,total,2\n", *ROWS[9:], "1,total,2\n"], [*ROWS[:9], "1,total,2\n", *ROWS]]
)
def test_27_a_category_that_stands_elsewhere_is_no_total(rows: list[str]) -> None:
    assert "total_line" not in codes(text(lines(*rows)).problems)


@pytest.mark.parametrize(
    ("rows", "line", "count"),
    [
        ([*ROWS[:4], f'7,"no, not",{CANARY}\n', f'8,5" {CANARY},1\n', *ROWS[4:], 'a"b,c"d,2\n'], 7, 2),
        ([*ROWS[:4], f'8,5" {CANARY},1\n', *ROWS[4:], '8,north",2\n'], 6, 2),
        ([*ROWS[:4], f'9,"a ""b"", {CANARY}",1\n', '8,5" pipe,1\n', *ROWS], 7, 1),
    ],
)
def test_35_quotes_within_texts_are_warned_of(rows: list[str], line: int, count: int) -> None:
    table = text(lines(*rows))
    problem = the("stray_quote", table.problems)
    assert (problem.gravity, problem.file, problem.line) == (Gravity.WARNING, "real.csv", line)
    assert problem.count == count


def test_35_doubled_quotes_are_no_stray_ones() -> None:
    table = text(lines('7,"say ""no"", twice",1\n', '7,"""all""",1\n', '8,"",1\n', *ROWS))
    assert table.problems == ()


def test_73_signs_and_units_are_taken_off_and_asked_about() -> None:
    for form in ("${}", "{} kg", "{}%", "€ {}", "-{} mmHg", "{} g"):
        tables = loaded({"age": AGE, "x": [form.format(age) for age in AGE], "name": cycle(CANARY, "y")})
        problem = the("number_units", tables.problems)
        assert (problem.gravity, problem.column) == (Gravity.QUESTION, "x")
        assert tables.schema.column("x").kind is Kind.NUMERIC
        assert np.abs(tables.real.numbers[:, 1]).tolist() == AGE


def test_73_several_units_are_kept_as_text_and_asked_about() -> None:
    tables = loaded({"age": AGE, "x": cycle("$12", "€12", "$30", "€7")})
    assert the("number_units", tables.problems).column == "x"
    assert tables.schema.column("x").levels == ("$12", "$30", "€12", "€7")


@pytest.mark.parametrize("code", ["12A", "3m", "A12", "2020-01-02", "1-2", "kg", "", "1E5", "12 x"])
def test_73_codes_are_no_numbers_with_units(code: str) -> None:
    assert split_unit(code) == (code, "")


@pytest.mark.parametrize(
    ("values", "first"),
    [
        (cycle("2020-02-28T10:11:12Z", "2021-11-05T23:59:59Z"), 18320.42444),
        (cycle("2020-02-28 10:11+09:00", "2021-11-05 23:59+09:00"), 18320.04931),
    ],
)
def test_81_times_with_zones_are_instants(values: list[object], first: float) -> None:
    """2020-02-28 is day 18,320; 10:11:12 is .42444 of it, and 10:11 in Tokyo is 01:11 in Greenwich."""
    tables = loaded({"age": AGE, "x": values})
    assert the("zones_matched", tables.problems).gravity is Gravity.REPAIR
    assert tables.real.numbers[0, 1] == pytest.approx(first, abs=1e-5)


def test_81_times_with_and_without_zones_are_asked_about_until_the_kind_is_chosen() -> None:
    files = [
        {"age": AGE, "x": cycle(*two)}
        for two in (("2020-02-28T10:11Z", "2021-11-05T23:59Z"), ("2020-02-28 11:11", "2021-11-05 23:59"))
    ]
    tables = loaded(*files)
    problem = the("zones_differ", tables.problems)
    assert (problem.gravity, problem.column, problem.count) == (Gravity.QUESTION, "x", N)
    assert "zones_differ" in REASONS
    answered = loaded(*files, x=ColumnChoice(kind=Kind.DATE))
    assert "zones_differ" not in codes(answered.problems)


@pytest.mark.parametrize("written", DATE_FORMATS)
def test_81_a_time_that_is_written_in_its_format_is_read_as_that_time(written: str) -> None:
    value = 19887.52647 if "%S" in written else 19887.52639 if "%M" in written else 19887.0
    assert day(write_day(value, written), written) == pytest.approx(value, abs=6e-6)


@pytest.mark.parametrize("values", [cycle("28/02/20", "05/11/21"), cycle("28/02/20 10:11", "05/11/21 23:59")])
def test_81_short_years_are_asked_about(values: list[object]) -> None:
    tables = loaded({"age": AGE, "x": values})
    problem = the("unclear_dates", tables.problems)
    assert (problem.gravity, problem.column) == (Gravity.QUESTION, "x")
    assert tables.schema.column("x").kind is Kind.CATEGORICAL


def test_85_letters_that_cannot_be_seen_are_taken_off() -> None:
    tables = loaded({"age": AGE, "x": cycle("a b", "a\u00a0b", f"\u200b{CANARY}", "c")})
    problem = the("invisible_letters", tables.problems)
    assert (problem.gravity, problem.column, problem.count) == (Gravity.REPAIR, "x", 2)
    assert tables.schema.column("x").levels == ("a b", "c", CANARY)


@pytest.mark.parametrize("name", ["household", "hh_id", "patientId", "family_no"])
@pytest.mark.parametrize("form", ["{}", "H{}"])
def test_99_numbers_of_households_are_asked_about(name: str, form: str) -> None:
    problem = the("group_id", loaded({"age": AGE, name: [form.format(7 * (row // 3)) for row in range(N)]}).problems)
    assert (problem.gravity, problem.column, problem.count) == (Gravity.QUESTION, name, N // 3)


def test_99_few_numbers_and_other_names_number_no_households() -> None:
    assert "group_id" not in codes(loaded({"age": AGE, "household_size": cycle(1, 2, 3)}).problems)
    assert "group_id" not in codes(loaded({"age": AGE, "cluster": cycle(1, 2, 3)}).problems)
    for name in ("income", "households", "family_income"):
        assert "group_id" not in codes(loaded({name: [row // 3 for row in range(N)], "w": WARD}).problems)


# --------------------------------------------------------------------------------------------------------------
# Several files


@pytest.mark.parametrize(
    "spoil",
    [
        lambda word: word.encode().decode("latin-1"),
        lambda word: word.encode("cp1252").decode("cp1251"),
        lambda word: "".join(letter if letter.isascii() else "?" for letter in word),
        lambda word: "".join(letter if letter.isascii() else "\ufffd" for letter in word),
        lambda word: "".join(letter if letter.isascii() else "??" for letter in word),
    ],
)
def test_11_letters_read_in_another_encoding_are_refused(spoil) -> None:
    words = ["Müller", "Besançon", "plain"]
    wrong = [spoil(word) for word in words]
    real, release = ({"age": AGE, CANARY[:4]: cycle("plain", *ways)} for ways in (words, wrong))
    with pytest.raises(SchemaError) as caught:
        loaded(real, release)
    problem = caught.value.problem
    assert (problem.code, problem.file, problem.column) == ("encoding_differs", "syn.csv", CANARY[:4])
    assert (problem.line, problem.count) == (3, 2)
    assert not any(word in str(caught.value) for word in (*words, *wrong))


RNG = np.random.default_rng(46)
PLACES = RNG.choice(90_000, 40, replace=False) + 10_000
CODED = {
    "zip": RNG.integers(101, 950, 400),
    "PLZ": RNG.choice(PLACES, 400),
    "clinicCode": RNG.integers(1000, 9999, 400),
    "where": RNG.choice(PLACES, 400),
}
MEASURED = {
    "income": np.round(RNG.normal(52_000, 8_000, 400)).astype(int),
    "salary": RNG.integers(200, 900, 400) * 100,
    "zip": np.round(RNG.lognormal(4, 2, 400)).astype(int),
    "steps": RNG.integers(5_000, 25_000, 400) // 7 * 7,
    "dense": RNG.integers(10_000, 10_150, 400),
}


def code_question(name: str, numbers, **choices: ColumnChoice) -> list[str]:
    tables = loaded({name: numbers.tolist(), "ward": [WARD[row % N] for row in range(400)]}, **choices)
    return [problem.what for problem in tables.problems if problem.code == "code_numbers"]


@pytest.mark.parametrize("name", CODED)
def test_numbers_of_one_length_that_may_be_codes_are_asked_about_until_it_is_said(name: str) -> None:
    (what,) = code_question(name, CODED[name])
    assert repr(name) in what
    for kind in (Kind.CATEGORICAL, Kind.NUMERIC):
        assert code_question(name, CODED[name], **{name: ColumnChoice(kind=kind)}) == []


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_measured_is_not_asked_about(name: str) -> None:
    assert code_question(name, MEASURED[name]) == []


def test_11_words_of_two_languages_are_accepted() -> None:
    assert "lost_levels" in codes(
        loaded({"age": AGE, "x": cycle("é", "名")}, {"age": AGE, "x": cycle("ü", "why?")}).problems
    )


def test_82_the_day_numbers_of_excel_are_the_same_dates() -> None:
    iso, serial = cycle("2020-01-31", "1999-12-31", "2020-02-29"), cycle("43861", "36525", "43890")
    for real, copy, file in ((iso, serial, "syn.csv"), (serial, iso, "real.csv")):
        tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
        problem = the("excel_dates", tables.problems)
        assert (problem.gravity, problem.file, problem.column, problem.count) == (Gravity.WARNING, file, "x", N)
        assert the("verbatim_copies", tables.problems).count == N


def test_82_five_digits_alone_are_numbers() -> None:
    assert loaded({"age": AGE, "x": cycle("43861", "36525")}).schema.column("x").kind is Kind.NUMERIC
    mixed = cycle("43861", "36525", "43890", "2020-01-31")
    assert loaded({"age": AGE, "x": mixed}).schema.column("x").kind is Kind.CATEGORICAL


def shuffled(n: int, seed: int = 5):
    """A table of independent columns in no order, and a release that changes a third of its cells."""
    rng = np.random.default_rng(seed)
    real = {"a": rng.integers(0, 90, n), "b": rng.integers(0, 5, n), "c": rng.choice(["x", "y", CANARY], n)}
    release = {name: np.where(rng.random(n) < 0.34, rng.permutation(cells), cells) for name, cells in real.items()}
    return real, release, rng.permutation(n)


def test_98_a_release_in_the_order_of_the_real_file_is_warned_of() -> None:
    real, release, _ = shuffled(400)
    problem = the("same_order", loaded(real, release).problems)
    assert (problem.gravity, problem.file, problem.count) == (Gravity.WARNING, "syn.csv", 400)


@pytest.mark.parametrize(("rows", "tables"), [(30, 40), (200, 10)])
def test_98_a_shuffled_release_is_not(rows: int, tables: int) -> None:
    """One warning among so many tables would be a false alarm."""
    for seed in range(tables):
        real, release, order = shuffled(rows, seed)
        noticed = codes(loaded(real, {name: cells[order] for name, cells in release.items()}).problems)
        assert not {"same_order", "sorted_rows"} & set(noticed)


@pytest.mark.parametrize("column", ["a", "c"])
@pytest.mark.parametrize("way", [1, -1])
def test_98_sorted_rows_are_warned_of(column: str, way: int) -> None:
    real, _, _ = shuffled(400)
    if column == "c":
        real["c"] = np.array([f"{value:02d}x" for value in real["a"]])
    order = np.argsort(real[column], kind="stable")[::way]
    problems = loaded({name: cells[order] for name, cells in real.items()}).problems
    columns_noticed = {problem.column for problem in problems if problem.code == "sorted_rows"}
    assert column in columns_noticed
    assert "b" not in columns_noticed


def test_98_rows_that_are_sorted_at_their_beginning_alone_are_not() -> None:
    ages = [*range(20, 160), *AGE]
    assert "sorted_rows" not in codes(loaded({"age": ages, "w": (WARD * 4)[: len(ages)]}).problems)


# --------------------------------------------------------------------------------------------------------------
# Writing after these repairs


def test_a_table_with_repairs_is_written_and_read_as_the_same_rows() -> None:
    tables = load(
        text(made({"x": [f"${age}" for age in AGE], "y": cycle("01", "02"), "z": cycle("a\u00a0b", "c")})), least_rows=1
    )
    again = load(text(to_csv(tables.real)), least_rows=1)
    assert (again.real.keys() == tables.real.keys()).all()


def test_few_whole_numbers_are_asked_about_once_and_stay_numbers() -> None:
    """Three and twenty different ones may be codes; two are as far apart as codes are, and 47 ages are none."""
    columns = {
        "age": AGE,
        "two": cycle(0, 1),
        "three": cycle(1, 2, 3),
        "twenty": cycle(*range(20)),
        "part": cycle(0.5, 1, 2),
    }
    tables = loaded(columns)
    problem = the("few_numbers", tables.problems)
    assert (problem.gravity, problem.count) == (Gravity.QUESTION, 2)
    assert "Are 'three', 'twenty' counts or codes?" in problem.what
    assert {column.kind for column in tables.schema.columns} == {Kind.NUMERIC}
    answered = loaded(columns, three=ColumnChoice(kind=Kind.NUMERIC), twenty=ColumnChoice(kind=Kind.CATEGORICAL))
    assert "few_numbers" not in codes(answered.problems)
