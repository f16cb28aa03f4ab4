"""Counts of agreeing rows against the obvious loop, and against numbers counted by hand."""

from itertools import combinations

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.subset_counts import NUMBERS, WIDEST, SubsetCounts, drawn_masks
from tests.tables import adult, mixed, needs_adult

RNG = np.random.default_rng(0)
SMALL = Schema(
    (
        Column("ward", Kind.CATEGORICAL, levels=("east", "north")),
        Column("age", Kind.NUMERIC, low=0, high=99, mean=50, sd=20),
    )
)


def small(*rows: tuple[int, float]) -> Table:
    return Table(SMALL, np.array([[code] for code, _ in rows]), np.array([[number] for _, number in rows]))


def agreeing(record: Table, table: Table, upward: np.ndarray) -> np.ndarray:
    """(n, d) by the obvious loop: whether each row agrees with the record on each column, in file order."""
    out, code, number = [], 0, 0
    for column in table.schema.modelled:
        if column.is_numeric:
            wanted, values = record.numbers[0, number], table.numbers[:, number]
            if np.isnan(wanted):
                out.append(np.isnan(values))
            else:
                out.append(values >= wanted if upward[number] else values <= wanted)
            number += 1
        else:
            out.append(table.codes[:, code] == record.codes[0, code])
            code += 1
    return np.column_stack(out)


def obvious(record: Table, table: Table, upward: np.ndarray, sets: list[tuple[int, ...]]) -> list[int]:
    """How many rows agree on every column of each set, one set after the other."""
    agrees = agreeing(record, table, upward)
    return [int(agrees[:, list(chosen)].all(axis=1).sum()) for chosen in sets]


def sets_of(queries: SubsetCounts, columns: int) -> list[tuple[int, ...]]:
    """The columns of every set, from its mask."""
    if queries.masks is None:
        return [tuple(b for b in range(columns) if mask >> b & 1) for mask in range(1, 2**columns)]
    return [
        tuple(b for b in range(columns) if int(queries.masks[b // 64, place]) >> (b % 64) & 1)
        for place in range(queries.masks.shape[1])
    ]


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("most", [None, 9])
def test_counts_are_those_of_the_obvious_loop(numbers: str, most: int | None) -> None:
    table, people = mixed(200), mixed(300, seed=1)
    with_gap = np.flatnonzero(np.isnan(people.numbers).any(axis=1))
    records = people.rows(np.concatenate([np.arange(8), with_gap[:3]]))
    queries = SubsetCounts.draw(records, numbers=numbers, most=most, rng=np.random.default_rng(3))
    counts = queries.counts(table)
    sets = sets_of(queries, 4)
    assert len(sets) == len(queries) == (most or 15)
    assert queries.sizes().tolist() == [len(chosen) for chosen in sets]
    for record in range(len(records)):
        wanted = obvious(records.rows([record]), table, queries.upward[record], sets)
        assert counts[record].tolist() == wanted
        assert queries.only(record).counts(table)[0].tolist() == wanted


def test_counted_by_hand() -> None:
    """Masks 1 (ward), 2 (age) and 3 (both), for (north, 40)."""
    table = small((1, 40.0), (1, 30.0), (0, 50.0), (1, 60.0))
    record = small((1, 40.0))
    assert SubsetCounts.draw(record, rng=RNG).counts(table).tolist() == [[3, 3, 2]]
    assert SubsetCounts.draw(record, numbers="at most", rng=RNG).counts(table).tolist() == [[3, 2, 2]]
    assert SubsetCounts.draw(record, numbers="outward", rng=RNG).counts(table).tolist() == [[3, 2, 2]]


@needs_adult
def test_all_answers_on_adult_are_those_of_the_obvious_loop() -> None:
    table = adult(1_000)
    for row in (0, 333):
        queries = SubsetCounts.draw(table.rows([row]), rng=RNG)
        assert len(queries) == 32_767
        counts = queries.counts(table)[0]
        picked = np.random.default_rng(row).choice(32_767, 400, replace=False)
        sets = sets_of(queries, 15)
        chosen = [sets[index] for index in picked]
        assert counts[picked].tolist() == obvious(table.rows([row]), table, queries.upward[0], chosen)


def wide(columns: int, n: int = 80) -> Table:
    schema = Schema(tuple(Column(f"c{index}", Kind.CATEGORICAL, levels=("a", "b")) for index in range(columns)))
    return Table(schema, np.random.default_rng(columns).integers(0, 2, (n, columns)), np.empty((n, 0)))


@pytest.mark.parametrize("columns", [18, 70])
def test_beyond_seventeen_columns_a_drawn_part_is_asked(columns: int) -> None:
    table = wide(columns)
    queries = SubsetCounts.draw(table.rows([0]), most=500, rng=np.random.default_rng(1))
    sets = sets_of(queries, columns)
    assert len(set(sets)) == 500
    assert set(sets) >= {(column,) for column in range(columns)} | {tuple(range(columns))}
    assert queries.counts(table)[0].tolist() == obvious(table.rows([0]), table, queries.upward[0], sets)
    again = SubsetCounts.draw(table.rows([0]), most=500, rng=np.random.default_rng(1))
    assert sets_of(again, columns) == sets
    assert sets_of(SubsetCounts.draw(table.rows([0]), most=500, rng=np.random.default_rng(2)), columns) != sets


def test_the_widest_table_of_which_all_sets_are_asked() -> None:
    table = wide(WIDEST)
    queries = SubsetCounts.draw(table.rows([0]), rng=RNG)
    assert queries.masks is None
    singles = [tuple(chosen) for chosen in combinations(range(WIDEST), 1)]
    counts = queries.counts(table)[0]
    assert [int(counts[2**b - 1]) for b in range(WIDEST)] == obvious(table.rows([0]), table, queries.upward[0], singles)
    assert counts[-1] == 1  # the record itself agrees on everything


def test_sizes_are_drawn_alike() -> None:
    sizes = np.bitwise_count(drawn_masks(40, 4_000, np.random.default_rng(0))[0])
    inner = sizes[41:]
    assert inner.min() == 2
    assert inner.max() == 39
    assert abs(inner.mean() - 20.5) < 4 * np.sqrt((38**2 - 1) / 12 / len(inner))


def test_no_column_is_refused_with_a_sentence() -> None:
    empty = Table(Schema(()), np.empty((3, 0)), np.empty((3, 0)))
    with pytest.raises(DesignError, match=r"No column is in use.*\.$"):
        SubsetCounts.draw(empty, rng=RNG)
