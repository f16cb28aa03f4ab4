"""Files together: one schema over all of them, and what they say of each other."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.core import MISSING, Kind, Role
from riskkit.errors import Gravity, InputError, SchemaError
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.schema import apply_schema, infer
from riskkit.table.load import load, read_table, read_tables
from riskkit.table.write import to_csv
from tests.table.files import AGE, CANARY, WARD, N, codes, cycle, loaded, made, text


def column(values, name="x", **choices):
    """The column of these values beside an age."""
    return loaded({"age": AGE, name: values}, **choices).schema.column(name)


def distinct(form):
    return [form.format(1000 + 37 * row * row) for row in range(N)]


KINDS = {
    "whole numbers": (AGE, Kind.NUMERIC, Role.KNOWN),
    "few whole numbers stay numbers": (cycle(1, 2, 3), Kind.NUMERIC, Role.KNOWN),
    "words": (WARD, Kind.CATEGORICAL, Role.KNOWN),
    "numbers with an exponent": (cycle("1.5e-3", "2e+05", "3"), Kind.NUMERIC, Role.KNOWN),
    "61 one value": (["x"] * N, Kind.CONSTANT, Role.IGNORED),
    "61 one number": ([5] * N, Kind.CONSTANT, Role.IGNORED),
    "58 no values": ([""] * N, Kind.CONSTANT, Role.IGNORED),
    "63 numbers that count the rows": (list(range(1, N + 1)), Kind.ID, Role.ID),
    "63 mail": (distinct("u{}@x.org"), Kind.ID, Role.ID),
    "incomes all different are numbers": (distinct("{}"), Kind.NUMERIC, Role.KNOWN),
    "decimals all different are numbers": ([f"{row * 1.37:.2f}" for row in range(N)], Kind.NUMERIC, Role.KNOWN),
    "78 dates": (cycle("2020-02-28", "2021-11-05", "1700-01-01", "9999-12-31"), Kind.DATE, Role.KNOWN),
    "dates, day first": (cycle("28.02.2020", "5.11.2021"), Kind.DATE, Role.KNOWN),
    "dates, day first by one": (cycle("28/02/2020", "05/11/2021"), Kind.DATE, Role.KNOWN),
    "dates with times": (cycle("2020-02-28 10:11:12", "2021-11-05 23:59:59"), Kind.DATE, Role.KNOWN),
    "79 dates that can be read in two ways": (cycle("01/02/2020", "03/04/2020"), Kind.CATEGORICAL, Role.KNOWN),
    "81 two-digit years": (cycle("28/02/20", "05/11/21"), Kind.CATEGORICAL, Role.KNOWN),
    "76 numbers and a word": ([*range(N - 2), "abc", "abc"], Kind.TEXT, Role.IGNORED),
    "89 free text": (
        [f"the patient said on day {row} that nothing at all had changed" for row in range(N)],
        Kind.TEXT,
        Role.TEXT,
    ),
    "89 short texts": ([f"Ann Other {max(row, 2)}" for row in range(N)], Kind.TEXT, Role.IGNORED),
    "full-width digits": (cycle("１２", "３４", "56"), Kind.NUMERIC, Role.KNOWN),
    "75 booleans": (cycle("True", "FALSE", "1"), Kind.CATEGORICAL, Role.KNOWN),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case: str) -> None:
    values, kind, role = KINDS[case]
    got = column(values)
    assert (got.kind, got.role) == (kind, role)
    assert got.reason


QUESTIONS = {
    "56": (cycle("NA", "yes", "no"), "missing_token", "question"),
    "63": (list(range(1, N + 1)), "id_column", "question"),
    "75": (cycle("True", "FALSE", "true"), "spellings_unified", "repair"),
    "83": (cycle("Yes", " Yes", "No "), "spaces_in_values", "question"),
    "85": (cycle("caf\u00e9", "cafe\u0301", "x"), "accents_unified", "repair"),
}


@pytest.mark.parametrize("case", QUESTIONS)
def test_what_is_said_of_a_column(case: str) -> None:
    values, code, gravity = QUESTIONS[case]
    problems = loaded({"age": AGE, "x": values}).problems
    (problem,) = [problem for problem in problems if problem.code == code]
    assert (problem.gravity, problem.column) == (gravity, "x")
    assert not any(CANARY in other.sentence() for other in problems)


def test_invalid_dates_are_missing_and_counted() -> None:
    tables = loaded({"age": [*AGE, 30], "day": [*cycle("2020-02-28", "2021-11-05"), "2020-02-30"]})
    assert tables.schema.column("day").kind is Kind.DATE
    (problem,) = [problem for problem in tables.problems if problem.code == "not_a_date"]
    assert problem.count == 1
    assert f"line {N + 2}" in problem.what
    assert np.isnan(tables.real.numbers[-1, 1])


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e400"])
def test_infinite_numbers_are_refused(value: str) -> None:
    with pytest.raises(SchemaError) as caught:
        loaded({"age": AGE, "x": [*[row * 1.5 for row in range(N - 1)], value]})
    problem = caught.value.problem
    assert (problem.code, problem.column, problem.line, problem.file) == ("infinite", "x", N + 1, "real.csv")
    assert f" {value} " not in str(caught.value)


def test_a_chosen_kind_that_cannot_hold() -> None:
    with pytest.raises(SchemaError) as caught:
        loaded({"age": AGE, "x": [*AGE[:-1], CANARY]}, x=ColumnChoice(kind=Kind.NUMERIC))
    problem = caught.value.problem
    assert (problem.code, problem.column, problem.line) == ("kind_does_not_hold", "x", N + 1)
    assert CANARY not in str(caught.value)


def test_choices_change_kind_role_and_missing() -> None:
    tables = loaded(
        {"age": AGE, "code": cycle(1, 2, -9), "job": cycle("a", "?", "b")},
        code=ColumnChoice(kind=Kind.CATEGORICAL, role=Role.SECRET),
        job=ColumnChoice(missing_tokens=("?",)),
        age=ColumnChoice(missing_tokens=("20",)),
    )
    assert tables.schema.column("code").levels == ("-9", "1", "2")
    assert tables.schema.column("code").role is Role.SECRET
    assert tables.schema.column("job").levels == ("a", "b", MISSING)
    assert np.isnan(tables.real.numbers[:, 0]).sum() == AGE.count(20)


# --------------------------------------------------------------------------------------------------------------
# What files say of each other


BASE = {"age": AGE, "ward": WARD}
OTHER_AGE = [value + 1 for value in AGE]
OTHER = {"age": OTHER_AGE, "ward": WARD[1:] + WARD[:1]}
BETWEEN = {
    "46 a column is missing in the holdout": (BASE, None, {"age": AGE}, "missing_column"),
    "91 duplicates in the holdout": (BASE, None, {"age": [90, 90, 91], "ward": ["north"] * 3}, "duplicate_holdout"),
    "95 holdout overlaps": (BASE, None, {"age": [*AGE[:4], 90], "ward": [*WARD[:4], "north"]}, "people_in_both"),
}


def problems_of(*files):
    """What is said of the files, refusal or not."""
    try:
        return list(loaded(*files).problems)
    except SchemaError as error:
        return [error.problem]


def test_a_missing_column_is_named_on_both_sides() -> None:
    (problem,) = problems_of(BASE, {"age": AGE, "job": WARD})
    assert {"'ward'", "'job'", "real.csv"} <= set(re.split(r"[ (),.]+(?!csv)", problem.what))


@pytest.mark.parametrize("case", BETWEEN)
def test_what_files_say_of_each_other(case: str) -> None:
    real, synthetic, holdout, code = BETWEEN[case]
    problems = problems_of(real, synthetic, holdout)
    matching = [problem for problem in problems if problem.code == code]
    assert len(matching) == 1
    assert matching[0].column or matching[0].file
    assert not any(CANARY in problem.sentence() for problem in problems)


def test_nothing_is_said_of_files_that_fit() -> None:
    assert set(codes(loaded(BASE, OTHER).problems)) <= {"verbatim_copies"}


def test_duplicates_in_the_holdout_are_counted_and_named_with_their_file() -> None:
    apart = loaded(BASE, None, {"age": [90, 91], "ward": ["north"] * 2}).problems
    assert "duplicate_holdout" not in codes(apart)
    (duplicates,) = [
        problem
        for problem in loaded(BASE, None, {"age": [90, 90, 91, 90], "ward": ["north"] * 4}).problems
        if problem.code == "duplicate_holdout"
    ]
    assert (duplicates.count, duplicates.file) == (2, "hold.csv")
    assert "2 of 4 rows" in duplicates.what


def test_counts_of_duplicates_and_overlap() -> None:
    _, _, holdout, _ = BETWEEN["95 holdout overlaps"]
    problems = {
        p.code: p.count for p in loaded({"age": AGE + AGE[:3], "ward": WARD + WARD[:3]}, None, holdout).problems
    }
    assert problems["duplicate_rows"] == len(AGE) + 3 - len(set(zip(AGE, WARD, strict=True)))
    assert problems["people_in_both"] == 4


def test_swapped_files_are_asked_about() -> None:
    few = {"a": cycle("x", "y"), "b": cycle("u", "v")}
    many = {"a": cycle("x", "y", "z", "w"), "b": cycle("u", "v", "s", "t")}
    assert "swapped" in codes(loaded(few, many).problems)
    assert "swapped" not in codes(loaded(many, few).problems)


def test_too_few_rows() -> None:
    with pytest.raises(SchemaError, match=r"at least 50 rows.* has 1\."):
        load(text({"a": [1], "b": ["x"]}))


def test_too_few_rows_that_are_those_of_real_people_are_counted() -> None:
    real = text({"age": AGE * 10, "ward": WARD * 10})
    short = text({"ward": WARD[:3], "age": [*AGE[:2], 999]})
    with pytest.raises(SchemaError, match=r"synthetic file has 3\. 2 released rows are rows of the real file\."):
        load(real, short)
    with pytest.raises(SchemaError, match=r"synthetic file has 1\. Load more rows"):
        load(real, text({"ward": ["none"], "age": [1]}))


def test_problems_come_gravest_first() -> None:
    real = {"age": AGE, "ward": WARD, "x": ["x"] * N, "i": [*range(N)]}
    gravities = [problem.gravity for problem in loaded(real, real | {"x": WARD}).problems]
    assert gravities == sorted(gravities, key=list(Gravity).index)


def test_values_outside_the_schema_are_refused_by_line() -> None:
    schema = infer({"real": text(BASE)}).schema
    with pytest.raises(SchemaError) as caught:
        apply_schema(schema, text({"age": AGE, "ward": [*WARD[:-1], CANARY]}, "other.csv"))
    problem = caught.value.problem
    assert (problem.code, problem.column, problem.line, problem.file) == ("outside_schema", "ward", N + 1, "other.csv")
    assert CANARY not in str(caught.value)


# --------------------------------------------------------------------------------------------------------------
# Round trips and real files


def test_a_table_written_and_read_is_the_same() -> None:
    first = loaded(
        {
            "age": AGE,
            "ward": cycle("north", "so,uth", 'ea"st', "", "名"),
            "score": cycle("1.25", "0.1", "", "1e-7"),
            "day": cycle("2020-02-28 10:11:12", "2021-11-05 23:59:59", ""),
            "zip": cycle("01234", "10000"),
        }
    ).real
    source = to_csv(first)
    assert source.startswith(b"age,ward,score,day,zip\n")
    assert b"\r" not in source
    again = load(text(source)).real
    for got, wanted in zip(again.schema.columns, first.schema.columns, strict=True):
        assert (got.mean, got.sd) == pytest.approx((wanted.mean, wanted.sd), rel=1e-12)
        assert replace(got, mean=0.0, sd=0.0) == replace(wanted, mean=0.0, sd=0.0)
    np.testing.assert_array_equal(again.codes, first.codes)
    np.testing.assert_array_equal(again.numbers, first.numbers)


def test_paths(tmp_path) -> None:
    (tmp_path / "a.csv").write_bytes(made(BASE))
    (tmp_path / "b.csv").write_bytes(made(OTHER))
    assert len(read_table(tmp_path / "a.csv")) == N
    tables = read_tables(tmp_path / "a.csv", tmp_path / "b.csv")
    assert [(file.slot, file.name, file.rows, file.columns) for file in tables.files] == [
        ("real", "a.csv", N, 2),
        ("synthetic", "b.csv", N, 2),
    ]


CELLS = st.sampled_from(
    [
        "",
        "1",
        "2.0",
        "-9",
        "NA",
        "inf",
        "1e400",
        "007",
        "1E5",
        "x",
        " x ",
        "2020-01-02",
        "01/02/2020",
        "1,5",
        "True",
        "0",
        "１",
    ]
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30), st.lists(CELLS, min_size=1, max_size=30))
@settings(max_examples=80, derandomize=True, deadline=None)
def test_nothing_but_input_errors_escapes_from_typing(real, synthetic) -> None:
    first, second = (list(values) for values in zip(*real, strict=True))
    try:
        tables = loaded({"x": first, "y": second}, {"x": synthetic, "y": synthetic[::-1]})
    except InputError:
        return
    assert len(tables.real) == len(real)
    assert len(tables.synthetic) == len(synthetic)
