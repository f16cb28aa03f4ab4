"""Real against synthetic, column by column: counted by hand, and drawn without a name being read as markup."""

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.figures import data_charts


def table(column: Column, values: list[float]) -> Table:
    """One column: codes of levels, or numbers."""
    if column.kind is Kind.CATEGORICAL:
        return Table(Schema((column,)), np.array(values, dtype=np.int32)[:, None], np.empty((len(values), 0)))
    return Table(Schema((column,)), np.empty((len(values), 0), dtype=np.int32), np.array(values)[:, None])


def categories(count: int) -> Column:
    return Column("ward", Kind.CATEGORICAL, levels=tuple(f"level {index}" for index in range(count)))


def test_few_whole_numbers_are_bars_in_their_order() -> None:
    column = Column("age", Kind.NUMERIC, low=1, high=4)
    shares = data_charts.shares("age", table(column, [1, 1, 2, 4]), table(column, [1, 2, 3, 4]))
    assert shares.labels == ("1", "2", "3", "4")
    np.testing.assert_array_equal(shares.real, [0.5, 0.25, 0, 0.25])
    np.testing.assert_array_equal(shares.synthetic, [0.25, 0.25, 0.25, 0.25])
    assert shares.gap == 0.25
    assert shares.missing == (0.0, 0.0)


def test_codes_of_yes_and_no_are_no_scale_from_below_zero() -> None:
    column = Column("revenue", Kind.NUMERIC, low=0, high=1, has_missing=True)
    shares = data_charts.shares("revenue", table(column, [0, 0, 1, np.nan]), table(column, [1, 1, 1, 0]))
    assert shares.missing == (0.25, 0.0)
    drawn = data_charts.figure(shares)
    assert {trace.type for trace in drawn.data} == {"bar"}
    assert list(drawn.layout.yaxis.ticktext) == ["0", "1"]
    assert "as bars" in data_charts.alt(shares)


def test_whole_numbers_get_a_bin_of_their_own_while_there_are_enough() -> None:
    column = Column("age", Kind.NUMERIC, low=1, high=11)
    shares = data_charts.shares("age", table(column, [1, 1, 2, 11]), None)
    assert not shares.labels
    np.testing.assert_array_equal(shares.edges, np.arange(0.5, 12))


@pytest.mark.parametrize(
    ("low", "high", "decimals"), [(0, 71, 0), (-3.5, 1e6, 1), (0, 0.0001, 4), (5, 5, 0), (5, 5, 2)]
)
def test_every_number_of_the_domain_falls_into_a_bin(low: float, high: float, decimals: int) -> None:
    column = Column("x", Kind.NUMERIC, low=low, high=high, decimals=decimals)
    values = np.round(np.linspace(low, high, 201), decimals)
    shares = data_charts.shares("x", table(column, values.tolist()), None)
    assert shares.real.sum() == pytest.approx(1)
    assert len(shares.real) <= data_charts.BINS + 1


def test_missing_numbers_are_what_is_wanting_to_one() -> None:
    column = Column("x", Kind.NUMERIC, low=0, high=3, has_missing=True)
    shares = data_charts.shares("x", table(column, [0, 1, 2, np.nan]), table(column, [np.nan, np.nan, 1, 2]))
    assert shares.missing == (0.25, 0.5)


def test_frequent_levels_come_first_and_rare_ones_share_a_bar() -> None:
    column = categories(30)
    real = [0] * 5 + [7] * 9 + list(range(30))
    shares = data_charts.shares("ward", table(column, real), table(column, [29] * 4))
    assert shares.labels[:2] == ("level 7", "level 0")
    assert shares.labels[-1] == "20 others"
    assert len(shares.labels) == data_charts.LEVELS + 1
    assert shares.real.sum() == pytest.approx(1)
    assert shares.synthetic is not None
    assert shares.synthetic[-1] == 1


def test_a_missing_category_is_named() -> None:
    column = Column("ward", Kind.CATEGORICAL, levels=("east", ""), has_missing=True)
    assert data_charts.shares("ward", table(column, [0, 1, 1]), None).labels == ("(missing)", "east")


def test_columns_that_differ_most_come_first() -> None:
    columns = (Column("a", Kind.NUMERIC, low=0, high=1), Column("b", Kind.NUMERIC, low=0, high=1))
    real = Table(Schema(columns), np.empty((4, 0), dtype=np.int32), np.array([[0, 0], [0, 0], [1, 1], [1, 1]]))
    other = Table(Schema(columns), np.empty((4, 0), dtype=np.int32), np.array([[0, 1], [0, 1], [1, 1], [1, 1]]))
    assert [all_share.column.name for all_share in data_charts.all_shares(real, other)] == ["b", "a"]
    assert [all_share.column.name for all_share in data_charts.all_shares(real, None)] == ["a", "b"]


HOSTILE = "<a href='javascript:alert(1)'>&<b>"


def test_names_and_levels_are_no_markup_in_a_chart() -> None:
    levels = Column(HOSTILE, Kind.CATEGORICAL, levels=(HOSTILE, "other"))
    numbers = Column(HOSTILE, Kind.NUMERIC, low=0, high=1)
    for column in (levels, numbers):
        drawn = table(column, [0, 1])
        assert HOSTILE[:9] not in data_charts.figure(data_charts.shares(HOSTILE, drawn, drawn)).to_json()


def test_dash_and_hatching_say_again_what_the_colours_say() -> None:
    numbers, levels = Column("x", Kind.NUMERIC, low=0, high=50), categories(2)
    steps = data_charts.figure(data_charts.shares("x", table(numbers, [0, 1]), table(numbers, [0, 1])))
    assert [trace.line.dash for trace in steps.data] == ["solid", "dash"]
    bars = data_charts.figure(data_charts.shares("ward", table(levels, [0, 1]), table(levels, [0, 1])))
    assert [trace.marker.pattern.shape for trace in bars.data] == ["", "/"]


def test_dates_are_drawn_as_dates_and_told_as_days() -> None:
    column = Column("seen", Kind.DATE, low=0, high=30, date_format="%Y-%m-%d")
    chart = data_charts.figure(data_charts.shares("seen", table(column, [0, 30]), None))
    assert str(chart.data[0].x[0]).startswith("1970-01-0") or str(chart.data[0].x[0]).startswith("1969-12-31")
    assert data_charts.day(19_000) == "2022-01-08"
