"""Copies whose values changed places, or whose numbers were turned together, show; other people show no more than by
chance."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Column, Floats, Ints, Kind, Schema, Table
from riskkit.games.disguises import (
    DISGUISES,
    Views,
    by_the_clock,
    in_any_column,
    in_categories,
    in_each_row,
    in_numbers,
    in_two_columns,
    turned,
)
from riskkit.games.give_aways import Copied, count_near
from riskkit.stats import copies
from tests.tables import numeric


def table_of(numbers: Floats, codes: Ints | None = None) -> Table:
    codes = np.empty((len(numbers), 0), dtype=np.int32) if codes is None else codes.astype(np.int32)
    columns = [numeric(f"x{index}", column, decimals=3) for index, column in enumerate(numbers.T)]
    columns += [Column(f"c{index}", Kind.CATEGORICAL, levels=tuple("abcdef")) for index in range(codes.shape[1])]
    return Table(Schema(tuple(columns)), codes, numbers)


def three(numbers: Floats, sizes: tuple[int, int, int], codes: Ints | None = None) -> tuple[Table, Table, Table]:
    """The rows as real table, release and holdout of one schema."""
    whole = table_of(numbers, codes)
    real, release, holdout = (whole.rows(part) for part in np.split(np.arange(len(numbers)), np.cumsum(sizes)[:2]))
    return real, release, holdout


def dated(table: Table) -> Table:
    """The same with its numbers as days."""
    return replace(table, schema=Schema(tuple(replace(column, kind=Kind.DATE) for column in table.schema.columns)))


def most(views: tuple[Views, ...]) -> Copied:
    return max(
        (count_near(*own, np.random.default_rng(0)) for own in views), key=lambda count: count.k_in + count.k_out
    )


def test_people_whose_values_stand_in_other_columns_are_all_met_and_others_are_not() -> None:
    rng = np.random.default_rng(1)
    drawn = np.round(np.exp(rng.normal(4, 0.8, (600, 8))), 1)
    real, others, holdout = three(drawn, (200, 200, 200))
    moved = Table(real.schema, real.codes, rng.permuted(real.numbers, axis=1)[rng.permutation(200)])
    count = most(in_any_column(real, moved, holdout))
    assert (count.k_in, count.n_in) == (200, 200)
    assert count.k_out == 0
    honest = most(in_any_column(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)


def test_categories_may_stand_in_any_column_too_and_columns_of_other_values_are_left_out() -> None:
    rng = np.random.default_rng(2)
    levels = tuple(f"E{index:02d}" for index in range(40))
    columns = [Column(f"diagnosis {index}", Kind.CATEGORICAL, levels=levels) for index in range(5)]
    schema = Schema((*columns, Column("sex", Kind.CATEGORICAL, levels=("f", "m"))))
    codes = np.column_stack([rng.integers(0, 40, (400, 5)), rng.integers(0, 2, 400)]).astype(np.int32)
    real, holdout = (Table(schema, part, np.empty((200, 0))) for part in np.split(codes, 2))
    released = np.column_stack([rng.permuted(real.codes[:, :5], axis=1), rng.integers(0, 2, 200)]).astype(np.int32)
    views = in_any_column(real, Table(schema, released, real.numbers), holdout)
    assert views[0][0].numbers.shape == (200, 5)
    count = most(views)
    assert count.k_in == count.n_in > 190
    assert count.k_out < 20


def test_parts_of_a_value_may_stand_in_any_order() -> None:
    """A cell holds two codes of thirty; the release has them the other way round, and the sex of other people."""
    rng = np.random.default_rng(8)
    levels = tuple(f"E{first:02d};E{second:02d}" for first in range(30) for second in range(30))
    columns = Column("codes", Kind.CATEGORICAL, levels=levels), Column("sex", Kind.CATEGORICAL, levels=("f", "m"))
    every = np.column_stack([rng.choice(900, 300, replace=False), rng.integers(0, 2, 300)]).astype(np.int32)
    real, others, holdout = (Table(Schema(columns), part, np.empty((100, 0))) for part in np.split(every, 3))
    turn = np.arange(900).reshape(30, 30).T.ravel()
    released = np.column_stack([turn[real.codes[:, 0]], others.codes[:, 1]]).astype(np.int32)
    count = most(in_any_column(real, replace(real, codes=released), holdout))
    assert count.k_in == count.n_in > 80
    assert count.k_out < 10
    honest = most(in_any_column(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)


def test_people_whose_dates_are_all_moved_by_as_many_days_are_met() -> None:
    """Everybody's dates are moved by a number of days of their own: they are as far apart as they were."""
    rng = np.random.default_rng(5)
    days = 18_000 + np.cumsum(rng.integers(1, 300, (600, 5)), axis=1).astype(np.float64)
    real, others, holdout = map(dated, three(days, (200, 200, 200)))
    moved = Table(real.schema, real.codes, (real.numbers + rng.integers(-300, 300, (200, 1)))[rng.permutation(200)])
    count = most(in_each_row(real, moved, holdout))
    assert (count.k_in, count.k_out) == (200, 0)
    honest = most(in_each_row(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)


def test_people_whose_dates_are_moved_by_whole_days_are_met_by_the_clock() -> None:
    rng = np.random.default_rng(7)
    moments = 18_000 + rng.integers(0, 86_400 * 700, (600, 1)) / 86_400
    real, others, holdout = map(dated, three(moments, (200, 200, 200)))
    moved = Table(real.schema, real.codes, (real.numbers + rng.integers(-300, 300, (200, 1)))[rng.permutation(200)])
    count = most(by_the_clock(real, moved, holdout))
    assert count.k_in == count.n_in > 190
    assert count.k_out < 10
    honest = most(by_the_clock(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)
    days = [replace(table, numbers=np.floor(table.numbers)) for table in (real, others, holdout)]
    assert by_the_clock(*days) == ()


def test_people_whose_amounts_are_parts_of_their_sum_are_met() -> None:
    rng = np.random.default_rng(6)
    real, _, holdout = three(np.round(np.exp(rng.normal(4, 0.6, (600, 6))), 2), (200, 200, 200))
    parts = np.round(100 * real.numbers / real.numbers.sum(axis=1, keepdims=True), 3)
    count = most(in_each_row(real, Table(real.schema, real.codes, parts), holdout))
    assert count.k_in > 195
    assert count.k_out == 0


@pytest.mark.parametrize("law", ["normal", "skew"])
def test_a_whole_table_whose_numbers_are_turned_together_is_met(law: str) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.standard_normal((900, 6))
    drawn = np.round(drawn if law == "normal" else np.exp(drawn), 3)
    real, others, holdout = three(drawn, (300, 300, 300))
    across = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    mixed = Table(real.schema, real.codes, np.round(real.numbers @ across * 3 + 7, 2)[rng.permutation(300)])
    count = most(turned(real, mixed, holdout))
    assert count.k_in > 290
    assert count.k_out == 0
    honest = most(turned(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)


def test_like_columns_may_be_turned_beside_others_that_are_not() -> None:
    """Thirty numbers alike, as those of a text, are turned; the age beside them is made up."""
    rng = np.random.default_rng(4)
    drawn = np.column_stack([rng.integers(18, 90, 900), np.round(rng.standard_normal((900, 30)), 4)])
    real, others, holdout = three(drawn, (300, 300, 300))
    across = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    mixed = np.column_stack([others.numbers[:, 0], real.numbers[:, 1:] @ across])
    count = most(turned(real, Table(real.schema, real.codes, mixed), holdout))
    assert (count.k_in, count.k_out) == (300, 0)


@pytest.mark.parametrize("law", ["normal", "even"])
def test_places_on_a_map_may_be_turned_beside_columns_that_are_made_up(law: str) -> None:
    rng = np.random.default_rng(5)
    places = (rng.standard_normal((900, 2)) if law == "normal" else rng.random((900, 2))) * [1.5, 0.8] + [48, 11]
    made_up = rng.integers(18, 90, (900, 1)), np.round(rng.gamma(2.0, 800, (900, 1)), 2)
    real, others, holdout = three(np.round(np.hstack([made_up[0], places, made_up[1]]), 5), (300, 300, 300))
    across = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    mixed = others.numbers.copy()
    mixed[:, 1:3] = np.round((real.numbers[:, 1:3] - [48, 11]) @ across + [48, 11], 5)
    count = most(turned(real, Table(real.schema, real.codes, mixed), holdout))
    assert (count.k_in, count.k_out) == (300, 0)
    honest = most(turned(real, others, holdout))
    assert not copies.is_more(honest.k_in, honest.n_in, honest.k_out, honest.n_out)


def test_tables_without_like_columns_or_directions_have_no_such_form() -> None:
    real, release, holdout = three(np.array([[1.0, 300.0], [2.0, 500.0], [4.0, 100.0]] * 40), (40, 40, 40))
    assert in_any_column(real, release, holdout) == ()
    few = three(np.random.default_rng(0).standard_normal((24, 4)), (8, 8, 8))
    assert turned(*few) == ()
    constant = three(np.ones((90, 3)), (30, 30, 30))
    assert turned(*constant) == ()
    huge = three(np.random.default_rng(0).standard_normal((90, 3)) * 1e100, (30, 30, 30))
    assert all(np.isfinite(part.numbers).all() for views in turned(*huge) for part in views)
    missing = three(
        np.where(np.arange(360).reshape(90, 4) % 3, np.nan, 1.0 * np.arange(360).reshape(90, 4)), (30, 30, 30)
    )
    assert most(in_any_column(*missing)).n_in > 0


@pytest.mark.parametrize("sizes", [(60, 60, 60), (120, 60, 40), (40, 80, 120)])
@pytest.mark.parametrize("form", DISGUISES.values())
def test_such_copies_that_are_chance_are_shown_no_oftener_than_they_may(
    form: Callable[..., tuple[Views, ...]], sizes: tuple[int, int, int]
) -> None:
    """All three tables are drawn alike: of 300 audits at most a share of 0.025, but for chance."""
    shown = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        drawn = rng.standard_normal((sum(sizes), 4))
        if form is by_the_clock:
            views = form(*map(dated, three(np.round(drawn[:, :1] * 1000, 2), sizes)))
        elif form in (in_numbers, in_categories):
            views = form(*three(np.round(drawn, 1), sizes, rng.integers(0, 6, (sum(sizes), 3))))
        else:
            views = form(*three(np.round(drawn, 3 if form is in_two_columns else 1), sizes))
        count = most(views)
        shown += copies.is_more(count.k_in, count.n_in, count.k_out, count.n_out)
    assert shown <= 300 * 0.025 + 3 * np.sqrt(300 * 0.025)
