"""Columns whose real and released values hardly meet, counted by hand."""

from __future__ import annotations

import pytest

from riskkit.errors import Gravity
from riskkit.table.meeting import Apart
from tests.table.files import codes, loaded

AGE = [str(20 + at % 40) for at in range(120)]
YES = ["True", "False", "True"] * 40


def columns(release: list[str], real: list[str] = YES, name: str = "smoker") -> tuple[Apart, ...]:
    return loaded({"age": AGE, name: real}, {"age": AGE[7:] + AGE[:7], name: release}).apart


def test_levels_that_share_nothing_are_apart() -> None:
    assert columns(["one", "zero", "one"] * 40) == (Apart("smoker", 0.0),)


def test_a_column_is_apart_below_one_half_of_the_released_rows() -> None:
    """Of 120 released rows 40 say what a real row says: a third."""
    (found,) = columns(["True", "one", "zero"] * 40)
    assert found == Apart("smoker", pytest.approx(1 / 3))
    assert columns(["True", "True", "zero"] * 40) == ()


def test_numbers_outside_the_real_range_are_apart() -> None:
    """Metres beside centimetres."""
    real, release = [str(150 + at % 50) for at in range(120)], [f"{1.5 + at % 50 / 100:.2f}" for at in range(120)]
    assert columns(release, real, "height") == (Apart("height", 0.0),)
    assert columns(real[3:] + real[:3], real, "height") == ()


def test_a_column_that_is_empty_in_the_release_is_apart_unless_it_may_be_missing() -> None:
    """Missing meets missing: of 120 real rows 60 are missing, and so may all released ones be."""
    assert columns([""] * 120) == (Apart("smoker", 0.0),)
    assert columns([""] * 120, ["a", ""] * 60) == ()


def test_such_a_column_is_a_question_on_the_data_page() -> None:
    tables = loaded({"age": AGE, "smoker": YES}, {"age": AGE, "smoker": ["one", "zero", "one"] * 40})
    (problem,) = [one for one in tables.problems if one.code == "values_apart"]
    assert (problem.gravity, problem.column, problem.file) == (Gravity.QUESTION, "smoker", "syn.csv")
    assert "values_apart" not in codes(loaded({"age": AGE, "smoker": YES}, {"age": AGE, "smoker": YES}).problems)
