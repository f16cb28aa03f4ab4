"""Equal rows by numbers made column by column, against keys that hold whole rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riskkit.base import stages
from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.games.bags import records_of
from riskkit.table import equal
from riskkit.table.equal import count_repeated, count_shared, number_records, records
from tests.tables import adult, mixed, needs_adult

ODD = np.array([0.0, -0.0, np.nan, -np.nan, 1 / 3, -2.5, 5e-324, 1e300, 256.0, 257.0])
SIZES = (1, 2, 3, 255, 256, 257, 70_000)


def made(seed: int, lengths: list[int], numbers: int, columns: int) -> list[Table]:
    """Tables of one schema with many ties: few values, levels far apart, rows that stand twice, both noughts."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice(SIZES, columns)
    schema = Schema(
        (
            *(Column(f"n{index}", Kind.NUMERIC, low=-3, high=3, sd=1, has_missing=True) for index in range(numbers)),
            *(
                Column(f"c{index}", Kind.CATEGORICAL, levels=(*map(str, range(size - 1)), MISSING))
                for index, size in enumerate(sizes)
            ),
        )
    )
    some = [rng.choice(size, min(size, 3), replace=False) for size in sizes]
    tables = []
    for rows in lengths:
        codes = [rng.choice(own, rows) for own in some]
        stacked = np.column_stack(codes) if codes else np.empty((rows, 0), dtype=np.int32)
        values = rng.choice(rng.choice(ODD, 3), (rows, numbers))
        tables.append(Table(schema, stacked, values))
    return tables


def check(tables: list[Table]) -> None:
    """The numbers are those of all keys together, and so are the counts made of them."""
    keys = [table.keys() for table in tables]
    every = np.unique(np.concatenate(keys), return_inverse=True)[1]
    rows = records(*tables)
    np.testing.assert_array_equal(np.concatenate(rows), every)
    for own, key in zip(rows, keys, strict=True):
        assert count_repeated(own) == len(key) - len(np.unique(key))
        for other, there in zip(rows, keys, strict=True):
            assert count_shared(own, other) == int(np.isin(key, there).sum())


def test_it_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal, "_ROOM", 4)
    tables, heard = made(1, [30, 40], 3, 2), list[stages.Stage]()
    with stages.listener(heard.append):
        check(tables)
        heard.clear()
        records(*tables)
    far = [stage.done / stage.total for stage in heard]
    assert far == sorted(far)
    assert len(far) == 3 + 2 + 1
    assert 0.8 < far[-1] < 1


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.lists(st.integers(0, 40), min_size=1, max_size=3), st.integers(0, 4),
    st.integers(0, 4),
)  # fmt: skip
def test_rows_are_numbered_as_their_keys_are(seed: int, lengths: list[int], numbers: int, columns: int) -> None:
    if numbers + columns:
        check(made(seed, lengths, numbers, columns))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_words_that_are_full_are_numbered_and_filled_again(seed: int, rows: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal, "_ROOM", 300_000)  # so that each column or two fills a word
        check(made(seed, [rows, rows], 3, 3))


def test_more_different_rows_than_a_word_holds_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    columns = tuple(Column(f"c{index}", Kind.CATEGORICAL, levels=tuple(map(str, range(70_000)))) for index in range(9))
    some = rng.choice([0, 1, 69_998, 69_999], (500, 9))
    check([Table(Schema(columns), some[rng.integers(0, 500, 300)], np.empty((300, 0))) for _ in range(2)])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_codes_of_very_many_levels_are_not_looked_up(seed: int, rows: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal, "_LISTED", 100)
        check(made(seed, [rows, rows], 1, 3))


def test_a_mixed_table_and_one_without_rows() -> None:
    check([mixed(200), mixed(200, seed=1), mixed(200).rows([])])


@needs_adult
def test_adult_with_itself() -> None:
    table = adult(6_000)
    check([table, table.rows(np.arange(0, 6_000, 2)), adult(3_000)])


def test_columns_of_whole_numbers_are_numbered_by_their_bytes() -> None:
    rows = np.array([[256], [1], [255], [1]], dtype=np.int64)
    (numbers,) = number_records([[rows]])
    keys = rows.view("V8").reshape(-1)
    np.testing.assert_array_equal(numbers, np.unique(keys, return_inverse=True)[1])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_people_of_one_row_are_numbered_as_bags_of_one_row_are(rows: list[int], seed: int) -> None:
    row = np.unique(rows, return_inverse=True)[1]
    person = np.random.default_rng(seed).permutation(len(row))
    bags = [(number,) for number in row.tolist()]
    place = {bag: index for index, bag in enumerate(sorted(set(bags)))}
    np.testing.assert_array_equal(records_of(row, person), [place[bag] for bag in bags])
