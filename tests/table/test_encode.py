"""Tables as matrices, bins and distances, each against a slow or foreign way to the same thing."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskkit.core import MISSING, Column, Floats, Kind, Schema, Table
from riskkit.table import encode
from riskkit.table.encode import Metric, Scale
from tests.tables import mixed

SCALES: tuple[Scale, ...] = ("raw", "minmax", "standard")
NO_ROWS = mixed().rows([])


def frame(table: Table) -> pd.DataFrame:
    """The table as pandas sees it, missing numbers filled with the column's mean."""
    out: dict[str, object] = {}
    for column in table.schema.modelled:
        if column.is_numeric:
            values = table.numbers[:, table.schema.numeric.index(column)]
            out[column.name] = np.where(np.isnan(values), column.mean, values)
            if column.has_missing:
                out[f"{column.name} is missing"] = np.isnan(values).astype(float)
        else:
            codes = table.codes[:, table.schema.categorical.index(column)]
            levels = [level or "missing" for level in column.levels]
            out[column.name] = pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(levels))
    return pd.DataFrame(out)


def by_pandas(table: Table, drop_first: bool) -> pd.DataFrame:
    """The one-hot matrix as ``get_dummies`` makes it, put into file order."""
    plain = frame(table)
    parts = [
        pd.get_dummies(plain[name], prefix=name, prefix_sep="=", dtype=float, drop_first=drop_first)
        if isinstance(plain[name].dtype, pd.CategoricalDtype)
        else plain[[name]]
        for name in plain
    ]
    return pd.concat(parts, axis=1)


# --- one-hot --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drop_first", [True, False])
@pytest.mark.parametrize("missing", [True, False])
def test_one_hot_is_what_pandas_makes(drop_first: bool, missing: bool) -> None:
    table = mixed(missing=missing)
    wanted = by_pandas(table, drop_first)
    np.testing.assert_array_equal(encode.onehot(table, drop_first=drop_first), wanted.to_numpy(dtype=float))
    assert encode.width(table.schema, drop_first=drop_first) == wanted.shape[1]


@pytest.mark.parametrize("drop_first", [True, False])
def test_blocks_lie_end_to_end_in_file_order(drop_first: bool) -> None:
    blocks = encode.layout(mixed().schema, drop_first)
    assert [block.column.name for block in blocks] == ["ward", "age", "smoker", "score"]
    assert [block.source for block in blocks] == [0, 0, 1, 1]
    assert [block.width for block in blocks] == [5 - drop_first, 1, 2 - drop_first, 2]
    assert [block.start for block in blocks] == [0, *np.cumsum([block.width for block in blocks])[:-1]]


@pytest.mark.parametrize("drop_first", [True, False])
def test_scales_move_numbers_and_nothing_else(drop_first: bool) -> None:
    table = mixed()
    raw, minmax, standard = (encode.onehot(table, scale=scale, drop_first=drop_first) for scale in SCALES)
    for block in encode.layout(table.schema, drop_first):
        start, column = block.start, block.column
        if column.is_numeric:
            np.testing.assert_allclose(minmax[:, start], (raw[:, start] - column.low) / (column.high - column.low))
            np.testing.assert_allclose(standard[:, start], (raw[:, start] - column.mean) / column.sd)
            start += 1
        rest = slice(start, block.start + block.width)
        np.testing.assert_array_equal(minmax[:, rest], raw[:, rest])
        np.testing.assert_array_equal(standard[:, rest], raw[:, rest])


@pytest.mark.parametrize("scale", SCALES)
def test_a_record_has_the_same_coordinates_in_every_world(scale: Scale) -> None:
    table = mixed()
    whole = encode.onehot(table, scale=scale)
    np.testing.assert_array_equal(encode.onehot(table.rows([7, 3]), scale=scale), whole[[7, 3]])


def test_from_one_hot_is_the_way_back() -> None:
    for table in (mixed(), mixed(missing=False), NO_ROWS):
        np.testing.assert_array_equal(encode.from_one_hot(encode.onehot(table), table.schema).keys(), table.keys())


def test_from_one_hot_takes_the_nearest_valid_row() -> None:
    schema = mixed().schema
    ward, age, smoker, score = encode.layout(schema)
    matrix: Floats = np.zeros((4, encode.width(schema)))
    weights = [[0.2, 0.2, 0.2, 0.1], [0.1, 0.6, 0.1, 0.0], [0.2, 0.1, 0.1, 0.5], [0.0, 0.0, 0.0, 0.0]]
    matrix[:, ward.start : ward.start + 4] = weights
    matrix[:, age.start] = [-1000.0, 50.4, 1000.0, 50.6]
    matrix[:, smoker.start] = [0.49, 0.51, 2.0, -3.0]
    matrix[:, score.start : score.start + 2] = [[3.14, 0.5], [3.16, 0.51], [1e9, 0.0], [-1e9, -1.0]]
    table = encode.from_one_hot(matrix, schema)
    low, high = schema.column("score").low, schema.column("score").high
    assert table.codes.tolist() == [[0, 0], [2, 1], [4, 1], [0, 0]]
    assert table.numbers[:, 0].tolist() == [schema.column("age").low, 50, schema.column("age").high, 51]
    np.testing.assert_array_equal(table.numbers[:, 1], [3.1, math.nan, high, low])


@pytest.mark.parametrize("size", [1, 7, 40, 100])
def test_a_matrix_may_come_in_blocks(size: int) -> None:
    """A block may be overwritten once the next is asked for."""
    schema, matrix = mixed().schema, np.random.default_rng(0).normal(0.3, 20.0, (40, encode.width(mixed().schema)))
    room = np.empty((size, matrix.shape[1]))

    def blocks() -> Iterator[tuple[int, Floats]]:
        for start in range(0, len(matrix), size):
            rows = room[: len(matrix) - start]
            rows[:] = matrix[start : start + size]
            yield start, rows

    table, whole = encode.from_blocks(blocks(), len(matrix), schema), encode.from_one_hot(matrix, schema)
    np.testing.assert_array_equal(table.codes, whole.codes)
    np.testing.assert_array_equal(table.numbers, whole.numbers)
    for column, values in zip(schema.numeric, whole.numbers.T, strict=True):
        wanted = encode.to_domain(matrix[:, encode.layout(schema)[schema.modelled.index(column)].start], column)
        held = ~np.isnan(values)
        np.testing.assert_array_equal(values[held], wanted[held])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("drop_first", [True, False])
def test_a_relaxed_table_is_read_as_its_relaxed_form(scale: Scale, drop_first: bool) -> None:
    table = mixed()
    same = replace(table, relaxed=encode.onehot(table))
    np.testing.assert_allclose(
        encode.onehot(same, scale=scale, drop_first=drop_first),
        encode.onehot(table, scale=scale, drop_first=drop_first),
        atol=1e-12,
    )


def test_what_lies_between_valid_rows_is_kept() -> None:
    table = mixed()
    form = encode.onehot(table) + np.random.default_rng(1).normal(0, 0.3, (len(table), encode.width(table.schema)))
    released = replace(table, relaxed=form)
    np.testing.assert_array_equal(encode.onehot(released), form)
    full = encode.onehot(released, drop_first=False)
    for block in encode.layout(table.schema, False):
        if not block.column.is_numeric:
            weights = full[:, block.start : block.start + block.width]
            np.testing.assert_allclose(weights.sum(axis=1), 1.0)


@pytest.mark.parametrize("scale", SCALES)
def test_labels_are_one_dimension_a_column(scale: Scale) -> None:
    table = mixed()
    out = encode.labels(table, scale=scale)
    plain = frame(table).drop(columns="score is missing")
    for position, column in enumerate(table.schema.modelled):
        if column.is_numeric:
            values = plain[column.name].to_numpy()
            units = {"raw": (0, 1), "minmax": (column.low, column.high - column.low)}
            origin, unit = units.get(scale, (column.mean, column.sd))
            np.testing.assert_allclose(out[:, position], (values - origin) / unit)
        else:
            last = len(column.levels) - 1 if scale == "minmax" else 1
            np.testing.assert_array_equal(out[:, position], plain[column.name].cat.codes / last)


# --- bins -----------------------------------------------------------------------------------------------------------


def number(low: float, high: float, decimals: int = 0, has_missing: bool = False) -> Column:
    mean, sd = (low + high) / 2, (high - low) / 4
    return Column("x", Kind.NUMERIC, low=low, high=high, mean=mean, sd=sd, decimals=decimals, has_missing=has_missing)


def grid(column: Column) -> Floats:
    """Every value that a number of the column may have."""
    steps = round((column.high - column.low) * 10**column.decimals)
    return np.round(column.low + np.arange(steps + 1) / 10**column.decimals, column.decimals)


def of_column(column: Column, values: Floats) -> Table:
    return Table(Schema((column,)), np.empty((len(values), 0)), values[:, None])


@pytest.mark.parametrize(
    ("column", "bins", "edges"),
    [
        (number(0, 9), 5, [-0.5, 1.5, 3.5, 5.5, 7.5, 9.5]),
        (number(1, 3), 10, [0.5, 1.5, 2.5, 3.5]),
        (number(0.0, 0.3, 1), 2, [-0.05, 0.15, 0.35]),
        (number(-0.02, 0.02, 2), 5, [-0.025, -0.015, -0.005, 0.005, 0.015, 0.025]),
        (number(7, 7), 4, [6.5, 7.5]),
        (number(0, 9), 1, [-0.5, 9.5]),
        (number(0, 20_000, 15), 2, [0, 10_000, 20_000]),  # more values than an integer counts
    ],
)
def test_edges_lie_half_a_step_outside_the_values(column: Column, bins: int, edges: list[float]) -> None:
    got = encode.bin_edges(column, bins)
    np.testing.assert_allclose(got, edges, atol=1e-12)
    assert not got.flags.writeable


GRIDS = [number(0, 99), number(-1.5, 8.1, 1), number(0.01, 1.23, 2), number(1e6, 1e6 + 300), number(0.1, 0.7, 1)]


@pytest.mark.parametrize("column", GRIDS)
@pytest.mark.parametrize("bins", [1, 2, 3, 7, 20])
def test_bins_hold_whole_steps_and_nearly_as_many_each(column: Column, bins: int) -> None:
    codes, sizes = encode.bin_columns(of_column(column, grid(column)), bins)
    counts = np.bincount(codes[:, 0], minlength=sizes[0])
    assert len(counts) == sizes[0] == min(bins, len(grid(column)))
    assert counts.max() - counts.min() <= 1
    assert (np.diff(codes[:, 0]) >= 0).all()


@pytest.mark.parametrize("bins", [1, 5, 20])
def test_from_bins_draws_from_the_bin_it_is_told(bins: int) -> None:
    table = mixed(1000)
    codes, sizes = encode.bin_columns(table, bins)
    again = encode.from_bins(codes, table.schema, bins, np.random.default_rng(1))
    back, same = encode.bin_columns(again, bins)
    np.testing.assert_array_equal(back, codes)
    assert same == sizes == (5, min(bins, len(grid(table.schema.column("age")))), 2, bins + 1)


def test_as_many_bins_as_values_lose_nothing() -> None:
    table = mixed()
    codes, _ = encode.bin_columns(table, 10_000)
    again = encode.from_bins(codes, table.schema, 10_000, np.random.default_rng(1))
    np.testing.assert_array_equal(again.codes, table.codes)
    np.testing.assert_allclose(again.numbers, table.numbers, rtol=0, atol=1e-9)


def chi_square(drawn: Floats, column: Column) -> float:
    """Of equal counts over every value of the column."""
    counts = np.bincount(np.round((drawn - column.low) * 10**column.decimals).astype(int), minlength=len(grid(column)))
    wanted = len(drawn) / len(grid(column))
    return float(((counts - wanted) ** 2 / wanted).sum())


@pytest.mark.parametrize("column", [number(0, 9), number(-0.4, 0.5, 1)])
def test_values_are_equally_likely_within_a_bin(column: Column) -> None:
    """9 degrees of freedom: above 27.9 once in a thousand. Rounding over [low, high] halves the ends: seen."""
    rng = np.random.default_rng(1)
    table = encode.from_bins(np.zeros((20_000, 1), dtype=np.int32), Schema((column,)), 1, rng)
    assert chi_square(table.numbers[:, 0], column) < 27.9
    faulty = encode.to_domain(rng.uniform(column.low, column.high, 20_000), column)
    assert chi_square(faulty, column) > 27.9


def test_missing_numbers_have_the_last_bin() -> None:
    column = number(0, 3, has_missing=True)
    codes, sizes = encode.bin_columns(of_column(column, np.array([0.0, math.nan, 3.0])), 2)
    assert (codes[:, 0].tolist(), sizes) == ([0, 2, 1], (3,))
    again = encode.from_bins(codes, Schema((column,)), 2, np.random.default_rng(1))
    np.testing.assert_array_equal(np.isnan(again.numbers[:, 0]), [False, True, False])


# --- distances ------------------------------------------------------------------------------------------------------


def gower(a: Table, i: int, b: Table, j: int) -> float:
    """The distance of two rows, cell by cell."""
    parts = []
    for index, column in enumerate(a.schema.categorical):
        parts.append(float(a.codes[i, index] != b.codes[j, index]) if len(column.levels) > 1 else 0.0)
    for index, column in enumerate(a.schema.numeric):
        x, y = a.numbers[i, index], b.numbers[j, index]
        if column.high == column.low or (math.isnan(x) and math.isnan(y)):
            parts.append(0.0)
        elif math.isnan(x) or math.isnan(y):
            parts.append(1.0)
        else:
            parts.append(abs(x - y) / (column.high - column.low))
    return sum(parts) / len(parts)


def straight(a: Table, i: int, b: Table, j: int) -> float:
    """The straight line, from the scaled one-hot rows."""
    left, right = (
        encode.onehot(table.rows([row]), scale="minmax", drop_first=False)[0] for table, row in ((a, i), (b, j))
    )
    return math.dist(left, right)


def missing_first(n: int) -> Table:
    """A mixed table that begins with two rows without a score and one without a ward."""
    table = mixed(n)
    numbers, codes = table.numbers.copy(), table.codes.copy()
    numbers[:2, 1], codes[2, 0] = math.nan, 4
    return Table(table.schema, codes, numbers)


@pytest.mark.parametrize(("metric", "by_hand"), [("mixed", gower), ("euclidean", straight)])
def test_distances_are_those_counted_by_hand(metric: Metric, by_hand: object) -> None:
    table = missing_first(25)
    targets = table.rows(np.arange(6))
    assert np.isnan(targets.numbers[:2, 1]).all()
    wanted = [[by_hand(targets, i, table, j) for j in range(len(table))] for i in range(len(targets))]  # type: ignore[operator]
    got = encode.distances(targets, table, metric)
    np.testing.assert_allclose(got, wanted, atol=1e-12)
    assert (got[np.arange(6), np.arange(6)] == 0).all()
    if metric == "mixed":
        assert got.max() <= 1.0


@pytest.mark.parametrize("metric", ["mixed", "euclidean"])
def test_distances_to_and_from_no_rows(metric: Metric) -> None:
    table = mixed(5)
    none = table.rows([])
    assert encode.distances(table, none, metric).shape == (5, 0)
    assert encode.distances(none, table, metric).shape == (0, 5)


# --- odd tables -----------------------------------------------------------------------------------------------------


def test_columns_without_spread_weigh_nothing() -> None:
    schema = Schema((Column("one", Kind.CATEGORICAL, levels=("only",)), number(7, 7), replace(number(0, 4), name="y")))
    table = Table(schema, np.zeros((3, 1)), np.array([[7.0, 0], [7.0, 2], [7.0, 4]]))
    for scale in ("minmax", "standard"):
        assert (encode.onehot(table, scale=scale)[:, 0] == 0).all()
        assert np.isfinite(encode.labels(table, scale=scale)).all()
    np.testing.assert_array_equal(encode.from_one_hot(encode.onehot(table), schema).keys(), table.keys())
    np.testing.assert_allclose(encode.distances(table.rows([0]), table), [[0, 0.5 / 3, 1 / 3]])
    codes, sizes = encode.bin_columns(table, 4)
    assert sizes == (1, 1, 4)
    again = encode.from_bins(codes, schema, 4, np.random.default_rng(1))
    np.testing.assert_array_equal(again.numbers[:, 0], [7, 7, 7])


@pytest.mark.parametrize(
    "column", [number(0, 4), number(0, 4, has_missing=True), Column("x", Kind.CATEGORICAL, levels=("a", "b", MISSING))]
)
def test_a_table_of_one_column(column: Column) -> None:
    values, none = np.array([[0], [2], [1]]), np.empty((3, 0))
    table = Table(Schema((column,)), *((none, values) if column.is_numeric else (values, none)))
    np.testing.assert_array_equal(encode.from_one_hot(encode.onehot(table), table.schema).keys(), table.keys())
    codes, sizes = encode.bin_columns(table, 50)
    assert len(sizes) == 1
    back = encode.from_bins(codes, table.schema, 50, np.random.default_rng(1))
    np.testing.assert_array_equal(back.keys(), table.keys())
    assert encode.distances(table, table).shape == (3, 3)


@pytest.mark.parametrize("drop_first", [True, False])
def test_a_table_without_rows_keeps_its_columns(drop_first: bool) -> None:
    assert encode.onehot(NO_ROWS, drop_first=drop_first).shape == (
        0,
        encode.width(NO_ROWS.schema, drop_first=drop_first),
    )
    assert encode.labels(NO_ROWS).shape == (0, 4)
    codes, _ = encode.bin_columns(NO_ROWS, 5)
    assert len(encode.from_bins(codes, NO_ROWS.schema, 5, np.random.default_rng(1))) == 0


def test_a_category_without_levels_takes_no_place() -> None:
    schema = Schema((Column("none", Kind.CATEGORICAL), number(0, 4)))
    blocks = encode.layout(schema)
    assert [(block.start, block.width) for block in blocks] == [(0, 0), (0, 1)]
    assert encode.onehot(Table(schema, np.empty((0, 1)), np.empty((0, 1)))).shape == (0, 1)
