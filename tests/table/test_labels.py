"""Files of statistics programs beside files in words: the labels of codes and the codes for missing, by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from riskkit.core import Table
from riskkit.errors import Gravity
from riskkit.judging.reasons import REASONS
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import Tables, load
from riskkit.table.read.files import read_file
from riskkit.table.text import TextTable
from tests.table.files import codes, text

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
