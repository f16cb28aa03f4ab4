"""The traps that blind an audit: a verbatim copy must be seen as one however it is spelled."""

import pytest

from riskkit.core import MISSING, Kind
from riskkit.errors import Gravity, LayoutError
from riskkit.table.kinds import spellings
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.schema import infer
from tests.table.files import AGE, CANARY, WARD, N, codes, cycle, loaded, made, text

TRUTH = cycle("True", "False")


def spelled(values, form):
    return [form(value) for value in values]


COPIES = {
    "51 codes with a letter, as decimals": ([*AGE[:-1], "A1"], [*spelled(AGE[:-1], "{}.0".format), "A1"]),
    "exponents": (spelled(AGE, "{}00".format), spelled(AGE, "{}.0e+02".format)),
    "75 booleans of R and Python": (cycle("TRUE", "FALSE"), cycle("True", "False")),
    "53 leading zeros": (cycle("01234", "1"), cycle("01234", "1")),
    "53 leading zeros lost": (cycle("01234", "00012", "10000"), cycle("1234", "12", "10000")),
    "53 leading zeros lost, as decimals": (cycle("01234", "10000", ""), cycle("1234.0", "10000.0", "")),
    "53 leading zeros lost beside letters": (cycle("01", "12", "2A"), cycle("1", "12", "2A")),
    "missing": (cycle("1", ""), cycle("1.0", "")),
    "60 missing as another word": (cycle("a", "b", "?"), cycle("a", "b", "unknown")),
    "60 missing in numbers": ([*AGE[:-9], *[""] * 9], [*AGE[:-9], *["NA"] * 9]),
    "60 missing in few numbers": (cycle("1", "2", ""), cycle("1.0", "2.0", "NaN")),
    "60 a word that a reader took for missing": (cycle("a", "None", ""), cycle("a", "", "")),
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("case", COPIES)
def test_every_row_of_a_copy_is_seen(case: str, swapped: bool) -> None:
    real, copy = COPIES[case][::-1] if swapped else COPIES[case]
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
    (headline,) = [problem for problem in tables.problems if problem.code == "verbatim_copies"]
    assert headline.count == N
    assert tables.synthetic is not None
    assert (tables.real.keys() == tables.synthetic.keys()).all()


def test_typing_each_file_by_itself_would_miss_the_copy() -> None:
    """The planted fault: levels found for each file alone make the copy invisible."""
    real, copy = ({"age": AGE, "x": values} for values in COPIES["75 booleans of R and Python"])
    schema_of_real, schema_of_copy = (infer({"real": text(made(columns))}).schema for columns in (real, copy))
    assert schema_of_real.column("x").levels != schema_of_copy.column("x").levels


def test_one_letter_in_the_release_makes_the_code_a_category_in_both() -> None:
    tables = loaded({"age": AGE, "x": cycle(1, 2, 3)}, {"age": AGE, "x": [*cycle(1, 2, 3)[:-1], "B"]})
    assert tables.schema.column("x").levels == ("1", "2", "3", "B")
    assert tables.schema.column("x").kind is Kind.CATEGORICAL


# --------------------------------------------------------------------------------------------------------------
# What is said of it


def problem_of(code, real, copy, **choices):
    """The one problem of that code, after files that differ in a column ``x``; no cell is told."""
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy}, **choices)
    assert not any(CANARY in problem.sentence() for problem in tables.problems)
    (problem,) = [problem for problem in tables.problems if problem.code == code]
    return problem, tables


def test_restored_zeros_are_a_repair_that_names_the_file_and_counts() -> None:
    problem, tables = problem_of(
        "leading_zeros_restored", cycle("01234", "00012", "10000"), cycle("1234", "12", "10000")
    )
    assert (problem.gravity, problem.file, problem.column, problem.count) == (Gravity.REPAIR, "syn.csv", "x", 40)
    assert tables.schema.column("x").levels == ("00012", "01234", "10000")
    problem, _ = problem_of("leading_zeros_restored", cycle("1234", "12", "10000"), cycle("01234", "00012", "10000"))
    assert (problem.file, problem.count) == ("real.csv", 40)


def test_zeros_are_put_back_in_the_holdout_too() -> None:
    real, short = cycle("01", "02", "10"), cycle("1", "2", "10")
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": real}, {"age": [*AGE[:-1], 99], "x": short})
    problems = [problem for problem in tables.problems if problem.code == "leading_zeros_restored"]
    assert [(problem.file, problem.count) for problem in problems] == [("hold.csv", 40)]
    assert tables.holdout is not None
    assert (tables.holdout.keys() == tables.real.keys())[:-1].all()


def test_short_codes_that_are_none_of_the_padded_ones_are_warned_of() -> None:
    problem, tables = problem_of("leading_zeros_differ", cycle("01234", "00012"), cycle("77", "88", "1234"))
    assert (problem.gravity, problem.file, problem.column, problem.count) == (Gravity.WARNING, "syn.csv", "x", N)
    assert "1234" in tables.schema.column("x").levels


@pytest.mark.parametrize(
    ("real", "copy"),
    [
        (cycle("01234", "1234"), cycle("1234", "12")),
        (cycle("01", "002"), cycle("1", "2")),
        (cycle("1", "20"), cycle("1", "20")),
        (cycle("01", "02"), cycle("100", "2")),
    ],
)
def test_codes_of_several_widths_are_left_as_they_are(real, copy) -> None:
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
    assert not [code for code in codes(tables.problems) if code.startswith("leading_zeros")]


def test_without_the_zeros_a_copy_of_every_postcode_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault."""
    monkeypatch.setattr(spellings, "_zeros", lambda texts, aliases: ({}, []))
    real, copy = cycle("01234", "00012"), cycle("1234", "12")
    assert "verbatim_copies" not in codes(loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy}).problems)


def test_identifiers_that_lost_their_zeros_are_still_shared() -> None:
    real = {"age": AGE, "id": [f"{row:06d}" for row in range(500, 500 + N)]}
    release = {"age": AGE, "id": [f"{row}.0" for row in range(530, 530 + N)]}
    (problem,) = [problem for problem in loaded(real, release).problems if problem.code == "shared_ids"]
    assert (problem.file, problem.column, problem.count) == ("syn.csv", "id", N - 30)


def test_missing_written_differently_is_asked_and_can_be_kept_as_a_value() -> None:
    real, copy = cycle("a", "b", ""), cycle("a", "b", "NA")
    problem, tables = problem_of("missing_differs", real, copy)
    assert (problem.gravity, problem.column, problem.count) == (Gravity.QUESTION, "x", N // 3)
    assert tables.schema.column("x").levels == ("a", "b", MISSING)
    assert tables.schema.column("x").missing_tokens == ("NA",)
    kept = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy}, x=ColumnChoice(kind=Kind.CATEGORICAL))
    assert kept.schema.column("x").levels == ("NA", "a", "b", MISSING)


@pytest.mark.parametrize(
    ("real", "copy"),
    [
        (cycle("a", "NA"), cycle("a", "NA")),
        (cycle("a", "NA", ""), cycle("a", "NA", "")),
        (cycle("a", "NA"), cycle("a", "b")),
    ],
)
def test_a_word_that_both_files_write_stays_a_value(real, copy) -> None:
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
    assert "missing_differs" not in codes(tables.problems)
    assert "NA" in tables.schema.column("x").levels


def test_capital_letters_are_asked_about() -> None:
    problem, tables = problem_of("capitals_differ", cycle("YES", "NO", CANARY), cycle("yes", "no", CANARY))
    assert (problem.gravity, problem.column, problem.count) == (Gravity.QUESTION, "x", 4)
    assert tables.schema.column("x").levels == ("NO", "YES", CANARY)


def test_capital_letters_that_one_file_tells_apart_stay_apart_and_are_asked_about() -> None:
    problem, tables = problem_of("capitals_differ", cycle("YES", "yes", "no"), cycle("yes", "no"))
    assert (problem.gravity, problem.count) == (Gravity.QUESTION, 2)
    assert tables.schema.column("x").levels == ("YES", "no", "yes")


@pytest.mark.parametrize("copy", [cycle("a", "A", "b"), None])
def test_capital_letters_that_every_file_tells_apart_stay_apart(copy) -> None:
    real = cycle("a", "A", "B", "b")
    tables = loaded({"age": AGE, "x": real}, None if copy is None else {"age": AGE, "x": copy})
    assert tables.schema.column("x").levels == ("A", "B", "a", "b")
    (problem,) = [problem for problem in tables.problems if problem.code == "capitals_differ"]
    assert (problem.count, "kept apart" in problem.what) == (4, True)


# --------------------------------------------------------------------------------------------------------------
# How numbers are written is said by the people's files, not by the release


@pytest.mark.parametrize(
    ("real", "holdout", "decimals"),
    [
        (AGE, [*AGE[:-1], 99], 0),
        ([f"{age}.5" for age in AGE], AGE, 1),
        (AGE, [f"{age}.25" for age in AGE], 2),
        ([*AGE[:-1], ""], AGE, 0),
        ([*AGE[:-1], "unknown"], AGE, 0),
    ],
)
def test_decimals_are_those_of_the_real_table_and_the_holdout(real, holdout, decimals) -> None:
    long = [f"{age + 1 / 3:.15f}" for age in AGE]
    tables = loaded({"x": real, "w": WARD}, {"x": long, "w": WARD}, {"x": holdout, "w": WARD})
    assert tables.schema.column("x").decimals == decimals
    assert tables.synthetic is not None
    assert tables.synthetic.numbers[:, 0].tolist() == [float(value) for value in long]


def test_identifiers_of_the_real_table_are_found_beside_a_release_of_long_numbers() -> None:
    tables = loaded({"id": range(1, N + 1), "w": WARD}, {"id": [f"{row + 1 / 3:.15f}" for row in range(N)], "w": WARD})
    assert tables.schema.column("id").kind is Kind.ID


# --------------------------------------------------------------------------------------------------------------
# Names of columns, and identifiers


@pytest.mark.parametrize("odd", ["\u200b", "\u200e", "\u202a", "\u2063", "\u00ad", "\u00a0", " "])
def test_a_name_with_letters_that_cannot_be_seen_is_the_same_column(odd: str) -> None:
    tables = loaded({"age": AGE, "ward": WARD}, {f"age{odd}": AGE, "ward": WARD})
    assert [column.name for column in tables.schema.columns] == ["age", "ward"]
    (problem,) = [problem for problem in tables.problems if problem.code == "trimmed_names"]
    assert (problem.file, problem.count) == ("syn.csv", 1)


@pytest.mark.parametrize("name", ["\uff41ge", "AGE", "a\u200dge", "age\ufe0f"])
def test_a_name_in_other_letters_is_the_same_column(name: str) -> None:
    tables = loaded({"age": AGE, "ward": WARD}, {name: AGE, "ward": WARD})
    (problem,) = [problem for problem in tables.problems if problem.code == "names_matched"]
    assert (problem.file, problem.count) == ("syn.csv", 1)
    assert [problem.count for problem in tables.problems if problem.code == "verbatim_copies"] == [N]


def test_two_names_that_look_the_same_are_refused() -> None:
    with pytest.raises(LayoutError, match="column 'age'"):
        loaded({"age": AGE, "age\u200b": AGE, "ward": WARD})


@pytest.mark.parametrize(
    "form", ["{}", " {}", "{}\u200e", '="{}"', "'{}"], ids=["same", "space", "mark", "formula", "text"]
)
def test_identifiers_in_other_letters_are_still_shared(form: str) -> None:
    real = [f"{row:03x}-{7 * row:06x}" for row in range(500, 500 + N)]
    for spelled in (real, [name.upper() for name in real]):
        tables = loaded({"age": AGE, "id": real}, {"age": AGE, "id": [form.format(name) for name in spelled]})
        (problem,) = [problem for problem in tables.problems if problem.code == "shared_ids"]
        assert (problem.column, problem.count) == ("id", N)


def test_identifiers_are_shared_whatever_their_capitals_dashes_and_zeros() -> None:
    real = [f"Qz-{row:04d}" for row in range(N)]
    for release in ([f"qz{row:04d}" for row in range(N)], [f"QZ {row}" for row in range(N)]):
        tables = loaded({"age": AGE, "id": real}, {"age": AGE, "id": release})
        (problem,) = [problem for problem in tables.problems if problem.code == "shared_ids"]
        assert problem.count == N
    made_anew = [f"qy{row:04d}" for row in range(N)]
    assert "shared_ids" not in codes(loaded({"age": AGE, "id": real}, {"age": AGE, "id": made_anew}).problems)


@pytest.mark.parametrize(
    ("real", "copy"), [(cycle("N", "S", "E"), cycle("+", "-")), (cycle("N", "S"), cycle("n", "x", ""))]
)
def test_a_letter_is_no_word_for_missing_where_nothing_else_meets(real, copy) -> None:
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
    assert "missing_differs" not in codes(tables.problems)
    assert "N" in tables.schema.column("x").levels


def test_letters_that_cannot_be_seen_are_asked_about_where_one_file_has_a_value_with_and_without() -> None:
    problem, _ = problem_of("invisible_letters", cycle("a", "a\u200b", "b"), cycle("a", "b"))
    assert (problem.gravity, problem.count) == (Gravity.QUESTION, 1)
    assert "1 of them both with and without" in problem.what


def test_forms_of_letters_that_one_file_tells_apart_stay_apart_and_are_asked_about() -> None:
    problem, tables = problem_of("letter_forms_differ", cycle("18-24", "18\u201324", "x"), cycle("18-24", "x"))
    assert (problem.gravity, problem.count) == (Gravity.QUESTION, 2)
    assert tables.schema.column("x").levels == ("18-24", "18\u201324", "x")


@pytest.mark.parametrize(
    ("real", "copy"),
    [
        (TRUTH, cycle("yes", "Yes", "no")),
        (TRUTH, cycle("yes", "no", "ja")),
        (TRUTH, cycle("1", "0", "2")),
        (cycle("S", "M"), cycle("1", "0")),
        (cycle("1234", "5678"), cycle("1.234", "5.678", "x")),
        (cycle("7", "12", "130"), cycle("007", "07", "130")),
    ],
    ids=["two spellings in one file", "two languages in one file", "a third value", "no words", "a word", "two codes"],
)
def test_what_is_uncertain_is_not_matched(real, copy) -> None:
    """Each release tells more apart than yes and no, or than numbers."""
    tables = loaded({"age": AGE, "x": real}, {"age": AGE, "x": copy})
    assert not [code for code in codes(tables.problems) if code.endswith("_matched")]
