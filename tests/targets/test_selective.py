"""Mahalanobis distance and the rows it selects."""

from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.targets import _mahalanobis
from riskkit.targets._mahalanobis import ellipsoid, outlierness
from riskkit.targets.selective import Selective
from tests.tables import adult, mixed, needs_adult
from tests.targets.made import hand, reference, school, unguarded, with_category, with_number

RNG = np.random.default_rng(0)


def test_four_rows_counted_by_hand() -> None:
    # Row 0: (3/4)^2 / (3/16) = 3. The others: (1/4)^2 / (3/16) = 1/3, and 1 / (1/2) more where the number is not 0.
    assert outlierness(hand()) == pytest.approx(np.sqrt([3, 1 / 3, 7 / 3, 7 / 3]))


def test_who_stands_out_as_much_as_the_last_target_is_counted() -> None:
    """Rows 2 and 3 are tied; the earlier one is taken."""
    table = hand()
    for k, rows, ties in ((1, [0], 0), (2, [0, 2], 1), (3, [0, 2, 3], 0)):
        chosen = Selective().choose(table, k, RNG)
        assert chosen.index.tolist() == rows
        assert Selective().ties(table, chosen) == ties
    twice = table.rows([0, 1, 2, 3, 3])
    assert Selective().ties(twice, Selective().choose(twice, 1, RNG)) == 0, "an equal row is no other record"


def test_the_explicit_inverse_agrees() -> None:
    table = mixed(missing=False)
    assert outlierness(table) == pytest.approx(reference(table), rel=1e-9)
    assert Selective().choose(table, 7, RNG).index.tolist() == np.argsort(-reference(table))[:7].tolist()


def test_the_mean_of_m_squared_is_the_number_of_directions() -> None:
    for table in (mixed(), school()):
        measure = ellipsoid(table)
        assert (measure.distance(table) ** 2).mean() == pytest.approx(measure.whiten.shape[1])


def test_a_missing_number_is_a_dimension_of_its_own() -> None:
    table = mixed(missing=True)
    assert outlierness(table) == pytest.approx(reference(table), rel=1e-9)


@pytest.mark.parametrize("encoding", ["onehot", "label"])
def test_a_twin_counts_once(encoding: str) -> None:
    table = school()
    single = Table(_only(table.schema, "grade number"), table.codes, table.numbers[:, 1:])
    assert outlierness(table, encoding) == pytest.approx(outlierness(single, encoding), rel=1e-9)


def test_a_column_that_is_the_sum_of_others_adds_nothing() -> None:
    table = mixed(missing=False)
    doubled = with_number(table, "sum", table.numbers.sum(axis=1), decimals=1)
    assert outlierness(doubled) == pytest.approx(outlierness(table), rel=1e-6)
    assert not np.allclose(unguarded(doubled, doubled), outlierness(table), rtol=1e-2), "the guard does nothing here"


def test_breaking_a_sum_is_not_prized_beyond_measure() -> None:
    for seed in range(12):
        table = mixed(seed=seed, missing=False)
        summed = with_number(table, "sum", table.numbers.sum(axis=1), decimals=1)
        broken = Table(summed.schema, summed.codes, summed.numbers + np.array([0, 0, 5]))
        assert ellipsoid(summed).distance(broken).max() < 20


def test_constant_columns_add_nothing() -> None:
    table = mixed()
    for wider in (
        with_number(table, "always", np.full(len(table), 7.3), decimals=1),
        with_category(table, "one level", ("x",), 0),
        with_category(table, "one of two levels", ("x", "y"), 1),
    ):
        assert outlierness(wider) == pytest.approx(outlierness(table), rel=1e-9)


def test_a_level_that_only_another_table_has_changes_nothing() -> None:
    table = mixed(missing=False)
    ward = table.schema.column("ward")
    wider = Table(
        table.schema.with_column(replace(ward, levels=("abroad", *ward.levels))),
        table.codes + np.array([1, 0], dtype=np.int32),
        table.numbers,
    )
    assert outlierness(wider) == pytest.approx(outlierness(table), rel=1e-6)


def test_order_of_rows_does_not_matter() -> None:
    table, order = mixed(), np.random.default_rng(1).permutation(300)
    assert outlierness(table.rows(order)) == pytest.approx(outlierness(table)[order], rel=1e-9)
    chosen = Selective().choose(table.rows(order), 3, RNG)
    assert order[chosen.index].tolist() == Selective().choose(table, 3, RNG).index.tolist()


def test_names_of_columns_and_codes_of_levels_do_not_matter() -> None:
    table = mixed()
    renamed = Schema(tuple(replace(column, name=f"x {column.name}") for column in table.schema.columns))
    assert (outlierness(Table(renamed, table.codes, table.numbers)) == outlierness(table)).all()
    ward = table.schema.column("ward")
    order = np.array([3, 0, 4, 1, 2])
    codes = table.codes.copy()
    codes[:, 0] = np.argsort(order)[codes[:, 0]]
    shuffled = table.schema.with_column(replace(ward, levels=tuple(ward.levels[code] for code in order)))
    assert outlierness(Table(shuffled, codes, table.numbers)) == pytest.approx(outlierness(table), rel=1e-9)


def test_units_of_numbers_do_not_matter() -> None:
    table = mixed(missing=False)
    scaled = Table(table.schema, table.codes, table.numbers * [1e6, 1e-6] + [1e9, 0])
    assert outlierness(scaled) == pytest.approx(outlierness(table), rel=1e-5)


def test_every_row_twice_changes_nothing_and_equal_rows_are_one_target() -> None:
    table = mixed()
    twice = table.plus(table)
    assert outlierness(twice) == pytest.approx(np.tile(outlierness(table), 2), rel=1e-9)
    assert Selective().choose(twice, 9, RNG).index.tolist() == Selective().choose(table, 9, RNG).index.tolist()


def test_ties_go_to_the_earlier_row() -> None:
    table = hand().rows([2, 0, 3, 1])
    assert Selective().choose(table, 4, RNG).index.tolist() == [1, 0, 2, 3]


def test_rows_alone_with_a_value_are_ties_though_rounding_parts_them() -> None:
    table = mixed(n=200, missing=False)
    codes = np.zeros((200, 1), dtype=np.int32)
    codes[:20, 0] = np.random.default_rng(2).permutation(20) + 1
    alone = Column("alone", Kind.CATEGORICAL, levels=tuple(f"x{level}" for level in range(21)))
    wider = Table(Schema((*table.schema.columns, alone)), np.hstack([table.codes, codes]), table.numbers)
    assert Selective().choose(wider, 20, RNG).index.tolist() == list(range(20))


def test_the_size_of_the_pieces_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed()
    whole = outlierness(table)
    monkeypatch.setattr(_mahalanobis, "CHUNK", 1)
    assert outlierness(table) == pytest.approx(whole, rel=1e-9)


def test_all_rows_equal_stand_out_not_at_all() -> None:
    same = mixed().rows(np.zeros(5, dtype=int))
    assert outlierness(same).tolist() == [0.0] * 5
    assert Selective().choose(same, 1, RNG).index.tolist() == [0]
    with pytest.raises(DesignError, match="5 rows and 1 different records"):
        Selective().choose(same, 2, RNG)


def test_no_such_encoding() -> None:
    with pytest.raises(ParameterError, match="'onehot', 'label'"):
        Selective(encoding="dummy")
    with pytest.raises(ParameterError, match="'onehot', 'label'"):
        outlierness(mixed(), "dummy")


@needs_adult
@pytest.mark.parametrize("drop", [(), ("education-num",)])
def test_adult_selects_the_only_row_from_holand_netherlands(drop: tuple[str, ...]) -> None:
    table = adult(drop=drop)
    country = table.schema.column("native-country").levels.index("Holand-Netherlands")
    position = [column.name for column in table.schema.categorical].index("native-country")
    assert np.flatnonzero(table.codes[:, position] == country).tolist() == [18175]
    assert Selective().choose(table, 1, RNG).index.tolist() == [18175]
    assert outlierness(table)[18175] == pytest.approx(np.sqrt(30_161), rel=1e-9)


@needs_adult
def test_adult_by_label_selects_the_extreme_capital_gain() -> None:
    table = adult(drop=("education-num",))
    chosen = Selective(encoding="label").choose(table, 1, RNG)
    position = [column.name for column in table.schema.numeric].index("capital-gain")
    assert chosen.index.tolist() == [16249]
    assert chosen.table.numbers[0, position] == 99_999
    assert outlierness(table, "label")[16249] == pytest.approx(15.497, abs=1e-3)
    assert Selective(encoding="label").choose(adult(), 1, RNG).index.tolist() == [16249]


def _only(schema: Schema, without: str) -> Schema:
    return Schema(tuple(column for column in schema.columns if column.name != without))
