"""What all anonymisers share: rows dealt fairly, settings and tables refused, rows inside the domain.

What is marked as planted is a fault: the check that passes the real plug-in must fail on it.
"""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from riskkit import registry
from riskkit.core import MISSING, Column, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.anonymisers_of_cells import Pram, Suppression, Swapping
from riskkit.generators.anonymisers_of_numbers import Coding, Microaggregation, Noise, Rounding
from riskkit.generators.anonymisers_of_rows import Deletion, KAnonymity, Sampling, surprise
from riskkit.generators.engines.anonymise import deal
from tests.generators.anonymised import CERTAIN, NAN, column_of, made, rng, whole
from tests.tables import mixed

ANONYMISERS = {
    name: plugin
    for name, plugin in registry.plugins("generators").items()
    if getattr(plugin, "family", "method") == "anonymiser"
}


def test_the_folder_has_the_anonymisers() -> None:
    assert set(ANONYMISERS) >= {
        "deletion",
        "suppression",
        "coding",
        "rounding",
        "microaggregation",
        "swapping",
        "noise",
        "pram",
        "kanonymity",
        "sampling",
    }
    assert not {"stat", "histogram", "bayesnet"} & set(ANONYMISERS)


@pytest.mark.parametrize("n", [0, 3, 7, 20])
def test_rows_are_dealt_once_before_any_is_dealt_again(n: int) -> None:
    dealt = deal(column_of([0, 1, 2, 3, 4, 5, 6]), n, rng()).numbers[:, 0]
    assert len(dealt) == n
    times = np.bincount(dealt.astype(int), minlength=7)
    assert set(times) <= {n // 7, math.ceil(n / 7)}
    if n == 20:
        bootstrap = np.bincount(rng().integers(7, size=n), minlength=7)  # planted: drawn with replacement
        assert not set(bootstrap) <= {2, 3}


def test_every_row_is_dealt_with_the_same_chance_to_every_place() -> None:
    table, games = column_of([0, 1, 2, 3, 4]), 6_000
    draw = rng(1)
    dealt = np.array([deal(table, 7, draw).numbers[:, 0] for _ in range(games)], dtype=int)
    for place in range(7):
        assert stats.chisquare(np.bincount(dealt[:, place], minlength=5)).pvalue > CERTAIN
    unshuffled = np.array(
        [np.resize(draw.permutation(5), 7) for _ in range(games)]
    )  # planted: the copies lie apart by 5
    assert (unshuffled[:, 0] == unshuffled[:, 5]).all()
    assert abs((dealt[:, 0] == dealt[:, 5]).mean() - 2 * 2 / 42) < 4 * math.sqrt(0.09 / games)


@pytest.mark.parametrize("name", sorted(ANONYMISERS))
def test_the_order_of_a_release_does_not_show_the_order_of_the_table(name: str) -> None:
    table = mixed(400).rows(np.argsort(mixed(400).numbers[:, 0], kind="stable"))
    fitted = ANONYMISERS[name]().fit(table, rng())

    def order(release: Table) -> float:
        return abs(float(stats.spearmanr(np.arange(len(release)), release.numbers[:, 0]).statistic))

    assert order(fitted.sample(100, rng(1))) < 4 / math.sqrt(100)
    assert order(fitted.whole(rng(1))) > 0.9  # planted: the rows as they lie


@pytest.mark.parametrize("name", ["suppression", "kanonymity", "microaggregation"])
def test_a_k_beyond_the_rows_is_refused(name: str) -> None:
    with pytest.raises(DesignError, match=rf"^{name}: k is 21, but the table has 20 rows; choose k up to 20\.$"):
        ANONYMISERS[name](k=21).fit(mixed(20), rng())


@pytest.mark.parametrize("name", ["coding", "rounding", "noise", "microaggregation"])
def test_a_method_of_numbers_refuses_a_table_without_any(name: str) -> None:
    with pytest.raises(DesignError, match="numbers and dates; the table has no such column"):
        ANONYMISERS[name]().fit(made([[0]] * 9, []), rng())


@pytest.mark.parametrize(
    ("plugin", "table"),
    [
        (Deletion(share=0.9), column_of([1, 2, 3])),
        (Sampling(share=0.1), column_of([1, 2, 3])),
        (KAnonymity(k=2), made([[0], [1], [2]], [])),
    ],
)
def test_a_setting_that_drops_every_row_is_refused(plugin: Any, table: Table) -> None:
    with pytest.raises(DesignError, match=r"would drop all 3 rows\. (Choose|Lower) .+\.$"):
        plugin.fit(table, rng())


SCHEMA = Schema(
    (
        Column("colour", Kind.CATEGORICAL, levels=("a", "b", "c", MISSING), has_missing=True),
        Column("shape", Kind.CATEGORICAL, levels=("flat", "round")),
        Column("age", Kind.NUMERIC, low=3, high=97, mean=40, sd=20),
        Column("dose", Kind.NUMERIC, low=-1.5, high=2.5, mean=0.3, sd=0.7, decimals=1, has_missing=True),
    )
)
ROW = st.tuples(
    st.integers(0, 3), st.integers(0, 1), st.integers(3, 97), st.none() | st.integers(-15, 25).map(lambda x: x / 10)
)


FITS_ONE_ROW: dict[str, dict[str, Any]] = {
    "kanonymity": {"k": 1},
    "microaggregation": {"k": 1},
    "sampling": {"share": 0.7},
}


@pytest.mark.parametrize("name", sorted(ANONYMISERS))
@settings(max_examples=25, deadline=None)
@given(rows=st.lists(ROW, min_size=1, max_size=12), n=st.integers(0, 30), seed=st.integers(0, 99))
def test_any_small_table_gives_n_rows_of_the_domain(
    name: str, rows: list[tuple[int, int, int, float | None]], n: int, seed: int
) -> None:
    numbers = np.array([[row[2], NAN if row[3] is None else row[3]] for row in rows], dtype=float)
    table = Table(SCHEMA, np.array([row[:2] for row in rows], dtype=np.int32), numbers)
    before = table.keys().tobytes()
    plugin = ANONYMISERS[name](**FITS_ONE_ROW.get(name, {}))
    fitted = plugin.fit(table, rng(seed))
    release = fitted.sample(n, rng(seed))
    assert len(release) == n
    assert release.schema == SCHEMA
    assert release.keys().tobytes() == fitted.sample(n, rng(seed)).keys().tobytes()
    assert table.keys().tobytes() == before
    assert not np.isnan(release.numbers[:, 0]).any()
    for values, column in zip(release.numbers.T, SCHEMA.numeric, strict=True):
        known = values[~np.isnan(values)]
        assert ((known >= column.low) & (known <= column.high)).all()
        np.testing.assert_array_equal(known, np.round(known, column.decimals))


@pytest.mark.parametrize(
    "plugin",
    [
        Deletion(share=0.0), Deletion(share=0.0, which="random"), Suppression(p=0.0), Coding(bottom=0.0, top=1.0),
        Rounding(base=0.1), Microaggregation(k=1), Microaggregation(k=1, grouping="halving"),
        Swapping(percent=0.0, p=0.0), Noise(scale=0.0), Noise(scale=0.0, shape="laplace"), Pram(p=1.0, bins=7),
        Pram(p=1.0, law="empirical", bins=7), KAnonymity(k=1), Sampling(share=1.0),
    ],
)  # fmt: skip
def test_the_mildest_setting_changes_no_row(plugin: Any) -> None:
    table = mixed(200)
    release = plugin.fit(table, rng()).sample(200, rng(1))
    assert Counter(map(bytes, release.keys())) == Counter(map(bytes, table.keys()))
    np.testing.assert_array_equal(np.sort(whole(plugin, table).keys()), np.sort(table.keys()))


def test_sampling_and_random_deletion_keep_every_row_with_the_stated_chance() -> None:
    table, games = column_of([0, 1, 2, 3, 4, 5, 6, 7]), 4_000
    for plugin in (Sampling(share=0.25), Deletion(share=0.75, which="random")):
        fitted, draw = plugin.fit(table, rng()), rng(3)
        kept = [fitted.whole(draw).numbers[:, 0].astype(int) for _ in range(games)]
        assert {len(rows) for rows in kept} == {2}
        times = np.bincount(np.concatenate(kept), minlength=8)
        assert stats.chisquare(times).pvalue > CERTAIN
        favoured = times + np.array([games // 10, *[0] * 6, -games // 10])  # planted: the first row is kept more often
        assert stats.chisquare(favoured).pvalue < CERTAIN


def test_a_small_sample_of_many_asked_rows_repeats_only_its_own() -> None:
    release = Sampling(share=0.25).fit(column_of([0, 1, 2, 3, 4, 5, 6, 7]), rng()).sample(10, rng(1))
    assert sorted(Counter(release.numbers[:, 0]).values()) == [5, 5]


def test_outlying_rows_are_the_rare_and_the_extreme() -> None:
    table = made([[0], [0], [0], [0], [1], [0]], [[50], [51], [49], [50], [50], [99]])
    left = whole(Deletion(share=1 / 3), table)
    assert left.codes[:, 0].tolist() == [0, 0, 0, 0]
    assert left.numbers[:, 0].tolist() == [50, 51, 49, 50]
    # the lone level weighs log 6; 99 has mean 58.1667 and spread 18.272..., so half its squared distance is 2.497
    mean, spread = 349 / 6, np.std([50, 51, 49, 50, 50, 99])
    assert surprise(table)[4] == pytest.approx(math.log(6) + ((50 - mean) / spread) ** 2 / 2)
    assert surprise(table)[5] == pytest.approx(math.log(6 / 5) + ((99 - mean) / spread) ** 2 / 2)


def test_a_missing_number_stands_out_by_its_share() -> None:
    assert surprise(column_of([5, 5, 5, NAN])).tolist() == pytest.approx([0, 0, 0, math.log(4)])


def test_ties_between_outlying_rows_are_drawn() -> None:
    table = column_of([1, 2, 1, 2])  # every row stands out alike
    gone = Counter(tuple(Deletion(share=0.25).fit(table, rng(seed)).table.numbers[:, 0]) for seed in range(40))
    assert len(gone) == 4


def test_rare_combinations_are_dropped() -> None:
    table = made([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1], [2, 0]], [[1], [1], [1], [2], [2], [3], [4]])
    assert whole(KAnonymity(k=2), table).codes.tolist() == [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]
    assert whole(KAnonymity(k=3), table).codes.tolist() == [[1, 1]] * 3
    both = whole(KAnonymity(k=2, numbers=True), table)
    assert both.numbers[:, 0].tolist() == [1, 1, 2, 2]


def test_missing_numbers_are_one_value_of_a_combination() -> None:
    table = made([[0]] * 5, [[NAN], [NAN], [3], [NAN], [4]])
    assert np.isnan(whole(KAnonymity(k=3, numbers=True), table).numbers[:, 0]).tolist() == [True] * 3


def test_only_known_columns_are_counted_unless_all_are_asked_for() -> None:
    table = made([[0, 0], [0, 1], [1, 0]], [])
    secret = replace(table.schema.columns[1], role=Role.SECRET)
    table = Table(table.schema.with_column(secret), table.codes, table.numbers)
    assert whole(KAnonymity(k=2), table).codes.tolist() == [[0, 0], [0, 1]]
    with pytest.raises(DesignError, match="would drop all 3 rows"):
        KAnonymity(k=2, columns="all").fit(table, rng())
    hidden = replace(table.schema.columns[0], role=Role.SECRET)
    with pytest.raises(DesignError, match="no column to count by"):
        KAnonymity(k=2).fit(Table(table.schema.with_column(hidden), table.codes, table.numbers), rng())


def rarest(table: Table) -> int:
    """How many rows share the rarest combination of the categories."""
    return min(Counter(map(tuple, table.codes.tolist())).values())


@pytest.mark.parametrize("k", [2, 5, 12])
def test_what_is_left_is_k_anonymous_and_nothing_more_is_dropped(k: int) -> None:
    table = mixed(400)
    left = whole(KAnonymity(k=k), table)
    assert rarest(left) >= k
    assert len(left) == sum(count for count in Counter(map(tuple, table.codes.tolist())).values() if count >= k)


def test_a_faulty_k_is_seen() -> None:
    table = made([[0]] * 4 + [[1]] * 5, [])
    assert rarest(whole(KAnonymity(k=5), table)) == 5
    assert rarest(whole(KAnonymity(k=4), table)) < 5  # planted: one row too few is enough
