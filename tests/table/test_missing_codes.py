"""Numbers that stand for missing: asked about where files differ in them, and hardly ever where nothing is amiss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from riskkit.core import Kind
from riskkit.errors import Gravity, Problem
from riskkit.judging.reasons import REASONS
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.missing_codes import missing_codes
from riskkit.table.load import Tables
from tests.table.files import codes, loaded

N = 400
BARRING = "missing_code"


def income(rng: np.random.Generator, n: int = N) -> np.ndarray:
    """Skewed, from some hundreds to some tens of thousands."""
    return np.round(rng.lognormal(8, 1, n))


def tables(real: np.ndarray, release: np.ndarray, holdout: np.ndarray | None = None, **choices: ColumnChoice) -> Tables:
    """Files with that column, NaN as a blank, and an age for each row."""
    age = [20 + 7 * row % 61 for row in range(len(real))]

    def file(values: np.ndarray) -> dict[str, Sequence[object]]:
        texts = [
            "" if np.isnan(value) else f"{value:g}" if value != int(value) else str(int(value)) for value in values
        ]
        return {"age": age, "x": texts}

    return loaded(file(real), file(release), None if holdout is None else file(holdout), **choices)


def asked(own: Tables) -> Problem | None:
    return next((problem for problem in own.problems if problem.code == BARRING), None)


@pytest.mark.parametrize("code", [-99, -9, -1, 99999999, 999999, -8888, 97, 9])
@pytest.mark.parametrize("side", ["real", "release"])
def test_a_code_in_one_file_and_blanks_in_the_other_are_asked_about_and_answered(code: int, side: str) -> None:
    """A fifth is missing; the same people are in both files, and all rows meet once the code is missing."""
    rng = np.random.default_rng(abs(code))
    values = income(rng) if abs(code) > 99 or code < 0 else rng.integers(1, 6, N).astype(float)
    gone = rng.random(N) < 0.2
    files = np.where(gone, code, values), np.where(gone, np.nan, values)
    real, release = files if side == "real" else files[::-1]
    noticed = asked(tables(real, release, income(rng)))
    assert noticed is not None
    assert (noticed.gravity, noticed.column, noticed.count) == (Gravity.QUESTION, "x", int(gone.sum()))
    assert noticed.file == ("real.csv" if side == "real" else "syn.csv")
    assert noticed.code in REASONS
    answered = tables(real, release, x=ColumnChoice(missing_tokens=(str(code),)))
    assert asked(answered) is None
    assert answered.synthetic is not None
    assert (answered.real.keys() == answered.synthetic.keys()).all()


@pytest.mark.parametrize("choice", [ColumnChoice(kind=Kind.NUMERIC), ColumnChoice(differs=True)])
def test_a_number_that_is_one_is_asked_about_no_more(choice: ColumnChoice) -> None:
    rng = np.random.default_rng(1)
    values, gone = income(rng), rng.random(N) < 0.2
    own = tables(np.where(gone, -99, values), np.where(gone, np.nan, values), x=choice)
    assert {"missing_code", "sentinel"}.isdisjoint(codes(own.problems))


def test_two_codes_for_missing_are_asked_about() -> None:
    rng = np.random.default_rng(2)
    values, gone = income(rng), rng.random(N) < 0.2
    assert asked(tables(np.where(gone, -99, values), np.where(gone, 99999999, values))) is not None


def test_any_number_is_asked_about_where_another_file_has_as_many_blanks_instead() -> None:
    """Nought for a missing blood pressure: no digit speaks for it, its count and the blanks do."""
    rng = np.random.default_rng(3)
    values, gone = np.round(rng.normal(120, 15, N)), rng.random(N) < 0.2
    noticed = asked(tables(np.where(gone, 0, values), np.where(gone, np.nan, values)))
    assert noticed is not None
    assert noticed.count == gone.sum()


def test_a_code_that_all_files_have_is_a_remark_and_bars_nothing() -> None:
    rng = np.random.default_rng(4)
    files = [np.where(rng.random(N) < 0.2, -99, np.round(rng.normal(50, 9, N))) for _ in range(3)]
    own = tables(*files)
    assert asked(own) is None
    assert "sentinel" in codes(own.problems)
    assert "sentinel" not in REASONS


DRAWS = {
    "skewed": income,
    "counts": lambda rng: rng.poisson(3, N).astype(float),
    "many noughts": lambda rng: np.where(rng.random(N) < 0.7, 0, income(rng)),
    "answers": lambda rng: rng.choice(9, N, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.04, 0.03, 0.02, 0.01]) + 1.0,
    "ages to 99": lambda rng: np.minimum(np.round(rng.gamma(9, 6, N)), 99),
    "heaped": lambda rng: np.round(income(rng), -2),
    "temperatures": lambda rng: np.round(rng.normal(3, 4, N)),
    "heavy tails": lambda rng: np.round(rng.standard_cauchy(N) * 100),
    "decimals": lambda rng: np.round(rng.exponential(2, N), 2),
    "shares": lambda rng: np.round(rng.beta(0.5, 0.5, N), 2),
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("blanks", [(0, 0, 0), (0.1, 0.1, 0.1), (0.2, 0, 0.2), (0, 0.1, 0)])
def test_columns_without_a_code_are_not_asked_about(draw: str, blanks: tuple[float, ...]) -> None:
    """Other people in each file, and blanks that a release lost or made: eight draws each, 320 columns in all."""
    rng = np.random.default_rng(5)
    for _ in range(8):
        files = {}
        for slot, share in zip(("real", "synthetic", "holdout"), blanks, strict=True):
            values = DRAWS[draw](rng)
            files[slot] = np.where(rng.random(N) < share, np.nan, values)
        assert [code for code in missing_codes(files) if code.other] == []


def test_a_date_that_stands_for_missing_is_asked_about_and_answered() -> None:
    """The last day there is for whoever has not left, and a blank in the release."""
    rng = np.random.default_rng(6)
    gone = rng.random(N) < 0.2
    days = np.datetime64("2024-01-01") + rng.integers(0, 300, N)
    age = [20 + 7 * row % 61 for row in range(N)]
    files = [
        {"age": age, "x": [text if is_gone else str(day) for day, is_gone in zip(days, gone, strict=True)]}
        for text in ("9999-12-31", "")
    ]
    own = loaded(*files)
    noticed = asked(own)
    assert noticed is not None
    assert (noticed.column, noticed.count) == ("x", gone.sum())
    assert own.missing_codes == {"x": ("9999-12-31",)}
    answered = loaded(*files, x=ColumnChoice(missing_tokens=("9999-12-31",)))
    assert asked(answered) is None
    assert answered.synthetic is not None
    assert (answered.real.keys() == answered.synthetic.keys()).all()
