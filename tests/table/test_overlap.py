"""Columns whose real and released values hardly meet, counted by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.errors import Gravity
from riskkit.table.evidence.overlap import ColumnOverlap
from riskkit.table.kinds import recoding
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables
from tests.table.files import codes, loaded

AGE = [str(20 + row % 40) for row in range(120)]
YES = ["True", "False", "True"] * 40


def columns(release: list[str], real: list[str] = YES, name: str = "smoker") -> tuple[ColumnOverlap, ...]:
    return loaded({"age": AGE, name: real}, {"age": AGE[7:] + AGE[:7], name: release}).apart


def test_levels_that_share_nothing_are_apart() -> None:
    assert columns(["one", "zero", "one"] * 40) == (ColumnOverlap("smoker", 0.0),)


def test_a_column_is_apart_below_one_half_of_the_released_rows() -> None:
    """Of 120 released rows 40 say what a real row says: a third."""
    (overlap,) = columns(["True", "one", "zero"] * 40)
    assert overlap == ColumnOverlap("smoker", pytest.approx(1 / 3))
    assert columns(["True", "False", "zero"] * 40) == ()


def test_numbers_outside_the_real_range_are_apart() -> None:
    """Metres beside centimetres."""
    real, release = [str(150 + row % 50) for row in range(120)], [f"{1.5 + row % 50 / 100:.2f}" for row in range(120)]
    assert columns(release, real, "height") == (ColumnOverlap("height", 0.0),)
    assert columns(real[3:] + real[:3], real, "height") == ()


def test_a_column_that_is_empty_in_the_release_is_apart_unless_it_may_be_missing() -> None:
    """Missing meets missing: of 120 real rows 60 are missing, and so may all released ones be."""
    assert columns([""] * 120) == (ColumnOverlap("smoker", 0.0),)
    assert columns([""] * 120, ["a", ""] * 60) == ()


def test_such_a_column_is_a_question_on_the_data_page() -> None:
    tables = loaded({"age": AGE, "smoker": YES}, {"age": AGE, "smoker": ["one", "zero", "one"] * 40})
    (problem,) = [problem for problem in tables.problems if problem.code == "values_apart"]
    assert (problem.gravity, problem.column, problem.file) == (Gravity.QUESTION, "smoker", "syn.csv")
    assert "values_apart" not in codes(loaded({"age": AGE, "smoker": YES}, {"age": AGE, "smoker": YES}).problems)


# --------------------------------------------------------------------------------------------------------------
# The likely meaning, and the steward's answer

SEX, CODED = ["female"] * 70 + ["male"] * 50, ["2"] * 70 + ["1"] * 50
"""Of 120 rows 70 and 50: the more frequent level of one file is that of the other."""


def answered(real: list[str], release: list[str], choice: ColumnChoice | None = None) -> Tables:
    choices = {} if choice is None else {"x": choice}
    return loaded({"age": AGE, "x": real}, {"age": AGE, "x": release}, **choices)


@pytest.mark.parametrize(
    ("real", "release", "meaning"),
    [
        (SEX, CODED, {"1": "male", "2": "female"}),
        (SEX, ["F"] * 50 + ["M"] * 70, {"F": "female", "M": "male"}),
        (SEX, ["femal"] * 50 + ["mael"] * 70, {"femal": "female", "mael": "male"}),
        (["n", "s", "e"] * 40, ["e", "X"] * 60, {"X": "n"}),
        (["a", ""] * 60, ["b", ""] * 60, {"b": "a"}),
        (SEX, SEX, {}),
    ],
    ids=["by how many rows", "by first letters", "by letters in common", "one each", "missing", "nothing to ask"],
)
def test_the_likely_meaning_goes_by_name_then_by_number_of_rows(
    real: list[str], release: list[str], meaning: dict[str, str]
) -> None:
    assert dict(answered(real, release).likely("x")) == meaning


def test_numbers_have_no_likely_meaning() -> None:
    assert answered([str(row) for row in range(120)], [str(row + 500) for row in range(120)]).likely("x") == ()


@pytest.mark.parametrize("release", [CODED, [f"{code}.0" for code in CODED], [f" {code}\u200e" for code in CODED]])
def test_a_confirmed_meaning_is_what_the_release_is_read_as(release: list[str]) -> None:
    assert not (answered(SEX, release).real.keys() == rows_of(answered(SEX, release)).keys()).any()
    tables = answered(SEX, release, ColumnChoice(read_as=(("1", "male"), ("2", "female"))))
    assert tables.schema.column("x").levels == ("female", "male")
    assert (tables.real.keys() == rows_of(tables).keys()).all()
    assert tables.apart == ()
    (problem,) = [problem for problem in tables.problems if problem.code == "values_read_as"]
    assert (problem.gravity, problem.file, problem.column, problem.count) == (Gravity.REPAIR, "syn.csv", "x", 120)


def test_a_meaning_may_exchange_the_words_of_the_real_file() -> None:
    """The release writes 1 and 2 for 0 and 1, so one word stands in both files and means two things."""
    real, release = ["0"] * 70 + ["1"] * 50, ["1"] * 70 + ["2"] * 50
    tables = answered(real, release, ColumnChoice(read_as=(("1", "0"), ("2", "1"))))
    assert (tables.real.keys() == rows_of(tables).keys()).all()


def test_a_wrong_meaning_that_meets_nothing_is_asked_about_again() -> None:
    tables = answered(SEX, CODED, ColumnChoice(read_as=(("1", "man"), ("2", "woman"))))
    assert [overlap.column for overlap in tables.apart] == ["x"]


def test_values_that_really_differ_are_recorded_and_asked_no_more() -> None:
    tables = answered(SEX, CODED, ColumnChoice(differs=True))
    assert tables.apart == ()
    assert "values_apart" not in codes(tables.problems)
    (problem,) = [problem for problem in tables.problems if problem.code == "values_differ"]
    assert (problem.gravity, problem.column) == (Gravity.WARNING, "x")
    assert "0% of the released values" in problem.what


def test_words_that_really_differ_are_not_matched() -> None:
    tables = answered(YES, ["1", "0", "1"] * 40, ColumnChoice(differs=True))
    assert tables.schema.column("x").levels == ("0", "1", "False", "True")


@pytest.mark.parametrize("swapped", [False, True])
def test_dates_that_only_one_file_writes_as_dates_are_asked_about(swapped: bool) -> None:
    """Left alone they would look like identifiers, and no attack would see the column."""
    days = [f"2020-{1 + row % 12:02d}-{1 + row // 12:02d}" for row in range(120)]
    files = [days, [f"{day[8:]}/{day[5:7]}/{day[2:4]}" for day in days]]
    tables = answered(*(files[::-1] if swapped else files))
    assert [overlap.column for overlap in tables.apart] == ["x"]
    assert "kinds_apart" in codes(tables.problems)


def test_identifiers_that_differ_in_kind_are_not_asked_about() -> None:
    tables = answered([f"P-{row}" for row in range(120)], [str(7 * row * row) for row in range(120)])
    assert tables.apart == ()


def rows_of(tables: Tables) -> Table:
    assert tables.synthetic is not None
    return tables.synthetic


# --------------------------------------------------------------------------------------------------------------
# Another unit, as the steward says


HEIGHT = [150 + 7 * row % 50 for row in range(120)]


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        (lambda cm: f"{cm / 2.54:.2f}", ColumnChoice(scale=2.54)),
        (lambda cm: f"{cm / 2.54:.1f}".replace(".", ","), ColumnChoice(scale=2.54)),
        (lambda cm: repr((cm - 174.5) / 14.43), ColumnChoice(scale=14.43, offset=174.5)),
        (lambda cm: str(300 - cm), ColumnChoice(scale=-1, offset=300)),
        (lambda cm: str(cm / 100), ColumnChoice(scale=100)),
    ],
    ids=["inches", "inches with decimal commas", "z-scores", "mirrored", "metres"],
)
def test_numbers_in_another_unit_are_the_real_ones_once_the_line_is_said(
    written: Callable[[int], str], choice: ColumnChoice
) -> None:
    """The same 120 people; not one row of them agrees before."""
    real, release = [str(cm) for cm in HEIGHT], [written(cm) for cm in HEIGHT]
    assert not (answered(real, release).real.keys() == rows_of(answered(real, release)).keys()).all()
    tables = answered(real, release, choice)
    assert (tables.real.keys() == rows_of(tables).keys()).all()
    assert tables.apart == ()
    assert "values_converted" in codes(tables.problems)


def test_dates_that_were_moved_are_the_real_ones_once_the_days_are_said() -> None:
    days = np.datetime64("2020-01-01") + np.array(HEIGHT)
    tables = answered(
        list(map(str, days)), [f"{day.astype(object):%d.%m.%Y}" for day in days + 500], ColumnChoice(offset=-500)
    )
    assert (tables.real.keys() == rows_of(tables).keys()).all()


def test_digits_that_rounding_took_come_back_as_a_number_of_real_or_holdout_alike() -> None:
    """Hundreds, from numbers to the unit: each becomes the nearest that somebody has, whoever it is."""
    known = np.array([110.0, 234.0, 420.0])
    assert recoding.convert(np.array([1.0, 2.0, 3.0, 4.0]), 100, 0, known).tolist() == [110.0, 234.0, 300.0, 420.0]


def test_words_for_missing_stay_in_another_unit() -> None:
    real, release = [str(cm) for cm in HEIGHT[:-1]] + ["NA"], [str(cm / 100) for cm in HEIGHT[:-1]] + ["NA"]
    tables = answered(real, release, ColumnChoice(scale=100))
    assert (tables.real.keys() == rows_of(tables).keys()).all()


@pytest.mark.parametrize("line", [{"scale": 0}, {"scale": "x"}, {"offset": float("nan")}, {"scale": None}])
def test_a_line_that_is_none_is_refused(line: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        ColumnChoice.from_dict(line)


def test_a_line_is_kept_as_it_was_said_and_only_then() -> None:
    choice = ColumnChoice(scale=2.54, offset=-1.0)
    assert ColumnChoice.from_dict(choice.as_dict()) == choice
    assert "scale" not in ColumnChoice().as_dict()


# --------------------------------------------------------------------------------------------------------------
# The unit that is proposed


def _heights(rng: np.random.Generator) -> np.ndarray:
    return np.round(rng.normal(170, 9, 400))


def _costs(rng: np.random.Generator) -> np.ndarray:
    return np.round(rng.lognormal(9, 0.6, 400), 2)


UNITS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], tuple[float, float]]] = {
    "inches": (lambda own: np.round(own / 2.54, 4), (2.54, 0.0)),
    "thousands": (lambda own: own / 1000, (1000.0, 0.0)),
    "degrees": (lambda own: own * 1.8 + 32, (5 / 9, -160 / 9)),
    "moved": (lambda own: own + 1234.5, (1.0, -1234.5)),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("draw", [_heights, _costs])
def test_the_unit_of_copied_numbers_is_proposed(unit: str, draw: Callable[[np.random.Generator], np.ndarray]) -> None:
    """Half of the release are real people, the other half others."""
    rng = np.random.default_rng(8)
    write, line = UNITS[unit]
    real, others = draw(rng), draw(rng)
    assert recoding.propose_line(real, write(np.concatenate([real[:200], others[:200]]))) == pytest.approx(
        line, rel=1e-6
    )


@pytest.mark.parametrize("digits", [3, 15])
def test_standardised_numbers_of_real_people_come_back(digits: int) -> None:
    """Whole numbers, known again although nobody says their mean; those of others fall on the same grid."""
    rng = np.random.default_rng(9)
    real = _heights(rng)
    line = recoding.propose_line(real, np.round((real - real.mean()) / real.std(), digits))
    assert line is not None
    assert line == pytest.approx((real.std(), real.mean()), rel=1e-3)
    again = recoding.convert(np.round((real - real.mean()) / real.std(), digits), *line, real)
    assert (again == real).mean() > 0.98


def test_mirrored_numbers_are_told_by_their_skew() -> None:
    real = _costs(np.random.default_rng(10))
    assert recoding.propose_line(real, 5000.0 - real) == pytest.approx((-1.0, 5000.0))


@pytest.mark.parametrize(
    "release", [np.random.default_rng(1).uniform(0, 1, 400) ** 9, np.full(400, 3.0), np.array([1.0, 2.0] * 200)]
)
def test_no_unit_is_proposed_where_no_line_explains_the_numbers(release: np.ndarray) -> None:
    assert recoding.propose_line(_heights(np.random.default_rng(11)), release) is None
