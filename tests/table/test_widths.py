"""A table that would be too large with a column for each category is refused before anything is encoded."""

import tracemalloc

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.inference.learned import Linear
from riskkit.table import encode
from riskkit.table.encode import dimensions
from riskkit.table.features import Encoded
from riskkit.table.kinds.schema import infer
from riskkit.table.load import load
from tests.table.files import AGE, CANARY, WARD, N, codes, text


def wide(rows: int, levels: int) -> Table:
    """A number with missing values, a few wards, and a town of which there are so many."""
    columns = (
        Column("age", Kind.NUMERIC, low=0, high=9, mean=5, sd=2, has_missing=True),
        Column("ward", Kind.CATEGORICAL, levels=("E", "W", "X")),
        Column("town", Kind.CATEGORICAL, levels=tuple(f"{CANARY}{index:05d}" for index in range(levels))),
    )
    rng = np.random.default_rng(1)
    drawn = np.column_stack([rng.integers(0, 3, rows), rng.integers(0, levels, rows)]).astype(np.int32)
    return Table(Schema(columns), drawn, rng.integers(0, 9, (rows, 1)).astype(float))


def test_dimensions_are_those_that_are_encoded() -> None:
    for drop_first in (True, False):
        table = wide(10, 7)
        matrix = encode.onehot(table, drop_first=drop_first)
        every = [dimensions(column, drop_first=drop_first) for column in table.schema.columns]
        assert every == [2, 3 - drop_first, 7 - drop_first]
        assert matrix.shape == (10, sum(every))


@pytest.mark.parametrize(
    ("rows", "levels", "message"),
    [
        (60_000, 4_900, "60,000 rows and 4,905 columns, 2.4 GB"),  # too many cells
        (60, 10_000, "60 rows and 10,005 columns, 0.0 GB"),  # too many columns
    ],
)
def test_a_table_too_large_is_refused_before_it_takes_memory(rows: int, levels: int, message: str) -> None:
    table = wide(rows, levels)
    tracemalloc.start()
    try:
        with pytest.raises(DesignError) as refused:
            encode.onehot(table, drop_first=False)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    sentence = str(refused.value)
    assert message in sentence
    assert f"Column 'town' has most levels: {levels:,}" in sentence
    assert "at most 5,000 columns and 2.0 GB are encoded" in sentence
    assert sentence.endswith("Group its values, leave the column out, or take a random part of the rows.")
    assert CANARY not in sentence
    assert peak < 10_000_000


def test_the_largest_table_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode, "MOST_CELLS", 10 * 12)
    assert encode.onehot(wide(10, 7), drop_first=False).shape == (10, 12)
    with pytest.raises(DesignError):
        encode.onehot(wide(11, 7), drop_first=False)


def test_what_learns_on_categories_refuses_it_and_what_does_not_goes_on() -> None:
    """A person's question reaches the limit: a linear model of a secret, and a key that needs no such form."""
    table = Encoded(wide(60_000, 4_900))
    asked = table.ask("ward", ("town", "age"))
    with pytest.raises(DesignError, match="Column 'town' has most levels: 4,900"):
        Linear().fit(asked.known, asked.secret, np.random.default_rng(1))
    assert len(asked.known.keys()) == 60_000


def test_a_column_of_ten_thousand_levels_is_left_out_of_an_upload_and_said() -> None:
    rows = 30_000
    file = text({"age": AGE * (rows // N), "town": [f"{CANARY}{row % 10_000}" for row in range(rows)]})
    inference = infer({"real": file})
    assert [column.kind for column in inference.schema.columns] == [Kind.NUMERIC, Kind.TEXT]
    (problem,) = inference.problems
    assert (problem.code, problem.column, problem.count) == ("too_many_levels", "town", 10_000)
    assert "all categories together may have 5,000 levels" in problem.do
    assert CANARY not in problem.sentence()


def test_an_upload_is_told_when_some_methods_will_refuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted by hand: one number and as many columns as wards, times the rows of the larger file."""
    files = text({"age": AGE, "ward": WARD}), text({"age": AGE * 2, "ward": WARD * 2}, "release.csv")
    cells = 2 * N * (1 + len(set(WARD)))
    monkeypatch.setattr(encode, "MOST_CELLS", cells)
    assert "too_wide" not in codes(load(*files).problems)
    monkeypatch.setattr(encode, "MOST_CELLS", cells - 1)
    (problem,) = (problem for problem in load(*files).problems if problem.code == "too_wide")
    assert (problem.column, problem.count) == ("ward", len(set(WARD)))
    assert "take a random part of the rows" in problem.do


def test_numbers_with_missing_values_count_twice() -> None:
    """What leaves columns out counts as what encodes."""
    file = text({"age": ["", *AGE[1:]] * 10, "town": [f"v{row % 30}" for row in range(N * 10)], "ward": WARD * 10})
    schema = infer({"real": file}).schema
    size = encode.width(schema)
    assert [column.is_modelled for column in infer({"real": file}, widest=size).schema.columns] == [True] * 3
    kept = infer({"real": file}, widest=size - 1).schema
    assert [column.is_modelled for column in kept.columns] == [True, False, True]
