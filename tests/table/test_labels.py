"""What codes of a file mean: labels of statistics programs, and numbers that stand for missing."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from riskkit.core import Kind, Table
from riskkit.errors import Gravity, Problem
from riskkit.judging.reasons import REASONS
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.kinds.missing_codes import missing_codes
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import TextTable
from tests.table.files import codes, loaded, text

AGE = [float(20 + 7 * row % 61) for row in range(120)]
CODES = [float(1 + row % 3) for row in range(120)]
WORDS = {1.0: "north", 2.0: "south", 3.0: "East side"}
NAMED = [WORDS[value] for value in CODES]


@pytest.fixture(params=["sav", "dta"])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Write a file of SPSS or Stata with labels for the column ``x``, and read it."""

    def made(values: Sequence[float], words: Mapping[float, str], slot: str = "real", **more: Any) -> TextTable:
        if more and request.param == "dta":
            pytest.skip("Stata has no such ranges")
        path = tmp_path / f"{slot}.{request.param}"
        write = pyreadstat.write_sav if request.param == "sav" else pyreadstat.write_dta
        write(
            pd.DataFrame({"age": AGE, "x": list(values)}), str(path), variable_value_labels={"x": dict(words)}, **more
        )
        return read_file(path.read_bytes(), name=path.name)

    return made


def release(values: Sequence[object]) -> TextTable:
    return text({"age": list(map(int, AGE)), "x": values}, "release.csv")


def is_copied(tables: Tables) -> bool:
    assert isinstance(tables.synthetic, Table)
    return bool((tables.real.keys() == tables.synthetic.keys()).all())


def test_codes_are_read_by_their_labels_where_the_release_holds_these(stored: Any) -> None:
    tables = load(stored(CODES, WORDS), release([word.upper() for word in NAMED]))
    assert is_copied(tables)
    assert {"labels_read", "capitals_differ"} <= set(codes(tables.problems))
    assert not {"value_labels", "values_apart"} & set(codes(tables.problems))


def test_codes_stay_where_all_files_hold_them(stored: Any) -> None:
    tables = load(stored(CODES, WORDS), release(list(map(int, CODES))), stored(CODES[::-1], WORDS, "holdout"))
    assert is_copied(tables)
    assert not {"labels_read", "value_labels"} & set(codes(tables.problems))
    assert tables.schema.column("x").is_numeric


def test_two_files_that_number_the_same_labels_otherwise_meet(stored: Any) -> None:
    """North is 1 here and 3 there."""
    other = {3.0: "north", 1.0: "south", 2.0: "East side"}
    numbered = {word: value for value, word in other.items()}
    tables = load(stored(CODES, WORDS), stored([numbered[word] for word in NAMED], other, "release"))
    assert is_copied(tables)
    assert tables.schema.column("x").levels == ("East side", "north", "south")


def test_one_label_among_numbers_is_its_code(stored: Any) -> None:
    """Hours, of which nought alone has a word."""
    hours = [float(row % 30) for row in range(120)]
    tables = load(stored(hours, {0.0: "none"}), release([int(value) or "none" for value in hours]))
    assert is_copied(tables)
    assert tables.schema.column("x").is_numeric


@pytest.mark.parametrize("written", ["", "99", "99.0", "not said", "NOT SAID"])
def test_a_code_for_missing_is_missing_in_every_file(stored: Any, written: str) -> None:
    """A tenth was not said."""
    coded = [99.0 if row % 10 == 0 else value for row, value in enumerate(CODES)]
    words = [written if row % 10 == 0 else word for row, word in enumerate(NAMED)]
    real = stored(coded, {**WORDS, 99.0: "not said"}, missing_ranges={"x": [99.0]})
    tables = load(real, release(words))
    assert is_copied(tables)
    assert tables.schema.column("x").levels == ("East side", "north", "south", "")


@pytest.mark.parametrize("blank", [True, False])
def test_a_range_of_codes_for_missing_is_missing(stored: Any, blank: bool) -> None:
    """97, 98 and 99, of which the release holds blanks, or the codes themselves."""
    coded = [float(97 + row // 10 % 3) if row % 10 == 0 else value for row, value in enumerate(CODES)]
    real = stored(coded, WORDS, missing_ranges={"x": [{"lo": 97.0, "hi": 99.0}]})
    tables = load(real, release(["" if blank and value > 3 else int(value) for value in coded]))
    assert is_copied(tables)
    assert tables.schema.column("x").high == 3


def test_words_that_are_no_labels_are_asked_about_until_the_steward_says_what_they_mean(stored: Any) -> None:
    wards = ["Nord" if word == "north" else "Sud" if word == "south" else "Est" for word in NAMED]
    files = stored(CODES, WORDS), release(wards)
    problem = next(problem for problem in load(*files).problems if problem.code == "value_labels")
    assert (problem.gravity, problem.column, problem.file) == (Gravity.QUESTION, "x", "release.csv")
    assert problem.code in REASONS
    answer = ColumnChoice(read_as=(("Nord", "1.0"), ("Sud", "2.0"), ("Est", "3.0")))
    tables = load(*files, choices={"x": answer})
    assert is_copied(tables)
    assert not {"value_labels", "values_apart"} & set(codes(tables.problems))
    assert "value_labels" not in codes(load(*files, choices={"x": ColumnChoice(differs=True)}).problems)


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
