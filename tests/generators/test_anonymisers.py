"""The anonymisers: counted by hand, held to their stated chances, and to k rows where k is promised.

``faulty`` tables and plug-ins in these tests are planted: the check that passes the real one must fail on them.
"""

from __future__ import annotations

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
from riskkit.core import MISSING, Bools, Column, Floats, Ints, Kind, Role, Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.generators._anonymise import Anonymised, deal, paired
from riskkit.generators.coding import Coding
from riskkit.generators.deletion import Deletion, surprise
from riskkit.generators.kanonymity import KAnonymity
from riskkit.generators.microaggregation import Microaggregation, halving, mdav
from riskkit.generators.noise import Noise
from riskkit.generators.pram import Pram
from riskkit.generators.rounding import Rounding
from riskkit.generators.sampling import Sampling
from riskkit.generators.suppression import Suppression
from riskkit.generators.swapping import Swapping
from tests.tables import mixed

ANONYMISERS = {
    name: plugin
    for name, plugin in registry.plugins("generators").items()
    if getattr(plugin, "family", "method") == "anonymiser"
}
NAN = float("nan")
CERTAIN = 1e-6
"""A right law is refused less often than this; a planted fault must be refused at it."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def made(codes: list[list[int]], numbers: list[list[float]], levels: tuple[str, ...] = ("a", "b", "c")) -> Table:
    """A table whose frozen domain is wider than its rows: categories of ``levels``, whole numbers from 0 to 100."""
    n_codes, n_numbers = len(codes[0]) if codes else 0, len(numbers[0]) if numbers else 0
    missing = np.isnan(np.array(numbers)).any(axis=0) if numbers else []
    columns = [
        Column(f"c{i}", Kind.CATEGORICAL, levels=levels, has_missing=MISSING in levels) for i in range(n_codes)
    ] + [
        Column(f"x{i}", Kind.NUMERIC, low=0, high=100, mean=50, sd=10, has_missing=bool(missing[i]))
        for i in range(n_numbers)
    ]
    n = max(len(codes), len(numbers))
    return Table(
        Schema(tuple(columns)),
        np.array(codes, dtype=np.int32).reshape(n, n_codes),
        np.array(numbers, dtype=float).reshape(n, n_numbers),
    )


def column_of(values: list[float]) -> Table:
    """A table of one number column."""
    return made([], [[value] for value in values])


def whole(plugin: Any, table: Table, seed: int = 0) -> Table:
    """All anonymised rows in the order of the real ones."""
    fitted: Anonymised = plugin.fit(table, rng(seed))
    return fitted.whole(rng(seed + 1))


def numbers_of(plugin: Any, values: list[float]) -> list[float]:
    out: list[float] = whole(plugin, column_of(values)).numbers[:, 0].tolist()
    return out


# What all of them share


def test_the_folder_has_the_anonymisers() -> None:
    assert set(ANONYMISERS) >= {
        "deletion", "suppression", "coding", "rounding", "microaggregation", "swapping", "noise", "pram", "kanonymity",
        "sampling",
    }  # fmt: skip
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


@pytest.mark.parametrize("name", sorted(ANONYMISERS))
def test_a_table_without_rows_is_refused(name: str) -> None:
    with pytest.raises(DesignError, match="at least one row"):
        ANONYMISERS[name]().fit(mixed(20).rows([]), rng())


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("suppression", {"p": 1.01}), ("suppression", {"p": -0.01}), ("suppression", {"k": 0}), ("pram", {"p": 1.5}),
        ("swapping", {"p": -1.0}), ("swapping", {"percent": 101.0}), ("noise", {"scale": -0.1}),
        ("noise", {"scale": NAN}), ("coding", {"bottom": 0.6}), ("coding", {"top": 0.4}), ("deletion", {"share": 1.0}),
        ("deletion", {"which": "both"}), ("sampling", {"share": 0.0}), ("rounding", {"base": 0.0}),
        ("kanonymity", {"k": 0}), ("microaggregation", {"k": 0}), ("microaggregation", {"grouping": "none"}),
    ],
)  # fmt: skip
def test_a_setting_out_of_range_is_refused(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=rf"^{name}: {next(iter(wrong))} is .+; it m.+\.$"):
        registry.make("generators", name, **wrong)


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


# Dropping rows


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


# Blanking and randomising cells


def test_a_blank_is_missing_or_the_commonest_or_the_median() -> None:
    table = mixed(100)
    blank = whole(Suppression(p=1.0), table)
    assert set(blank.codes[:, 0]) == {4}  # ward knows a missing level, the last
    assert set(blank.codes[:, 1]) == {int(np.bincount(table.codes[:, 1]).argmax())}
    assert set(blank.numbers[:, 0]) == {float(np.round(np.median(table.numbers[:, 0])))}
    assert np.isnan(blank.numbers[:, 1]).all()


def test_levels_below_k_are_blanked() -> None:
    table = made([[0], [1], [1], [2], [2], [2]], [])
    assert whole(Suppression(p=0.0, k=2), table).codes[:, 0].tolist() == [2, 1, 1, 2, 2, 2]
    assert whole(Suppression(p=0.0, k=3), table).codes[:, 0].tolist() == [2] * 6
    missing = made([[0], [1], [1], [2], [2], [2]], [], levels=("a", "b", "c", MISSING))
    assert whole(Suppression(p=0.0, k=2), missing).codes[:, 0].tolist() == [3, 1, 1, 2, 2, 2]


def blanked(p: float, n: int = 20_000) -> int:
    """How many of ``n`` cells are missing."""
    table = made([[0]] * n, [[1.0]] * n, levels=("a", MISSING))
    return int(whole(Suppression(p=p), table, 5).codes.sum())


def test_cells_are_blanked_with_the_stated_chance() -> None:
    assert stats.binomtest(blanked(0.2), 20_000, 0.2).pvalue > CERTAIN
    assert stats.binomtest(blanked(0.22), 20_000, 0.2).pvalue < CERTAIN  # planted: a tenth too often


def pram_fit(p: float, stated: float, law: str = "uniform") -> float:
    """The p-value of all transitions of two columns, randomised at ``p``, against the law stated for ``stated``."""
    n, levels = 30_000, 3
    codes = rng(8).choice(levels, size=(n, 2), p=[0.6, 0.3, 0.1])
    table = made(codes.tolist(), [])
    released = whole(Pram(p=p, law=law), table, 3).codes
    worst = 1.0
    for column in range(2):
        share = np.bincount(codes[:, column], minlength=levels) / n
        for level in range(levels):
            seen = np.bincount(released[codes[:, column] == level, column], minlength=levels)
            chance = stated * np.eye(levels)[level] + (1 - stated) * (share if law == "empirical" else 1 / levels)
            worst = min(worst, stats.chisquare(seen, chance * seen.sum()).pvalue)
    return float(worst)


@pytest.mark.parametrize("law", ["uniform", "empirical"])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.8])
def test_a_cell_is_kept_with_exactly_the_stated_chance(p: float, law: str) -> None:
    assert pram_fit(p, p, law) > CERTAIN
    assert pram_fit(p + 0.1, p, law) < CERTAIN  # planted: kept a tenth too often


@pytest.mark.parametrize("plugin", [Pram(p=0.5), Suppression(p=0.5)])
def test_the_cells_of_a_row_are_changed_independently(plugin: Any) -> None:
    levels = (*(f"level {i}" for i in range(49)), MISSING)
    released = whole(plugin, made([[7, 7]] * 4_000, [], levels=levels)).codes == 7
    both = np.histogram2d(released[:, 0], released[:, 1], bins=2)[0]
    assert stats.chi2_contingency(both).pvalue > CERTAIN
    together = np.histogram2d(released[:, 0], released[:, 0], bins=2)[0]  # planted: one draw for the whole row
    assert stats.chi2_contingency(together).pvalue < CERTAIN


def test_pram_knows_the_two_laws_apart() -> None:
    with_uniform = whole(Pram(p=0.0), made([[0]] * 3_000, []))
    with_empirical = whole(Pram(p=0.0, law="empirical"), made([[0]] * 3_000, []))
    assert set(with_uniform.codes[:, 0]) == {0, 1, 2}  # levels of the frozen domain that no row holds
    assert set(with_empirical.codes[:, 0]) == {0}


def test_pram_leaves_numbers_alone_unless_bins_are_asked_for() -> None:
    table = made([[0]] * 4_000, [[7.0], [NAN]] * 2_000)
    np.testing.assert_array_equal(whole(Pram(p=0.0), table).numbers, table.numbers)
    drawn = whole(Pram(p=0.4, bins=4), table).numbers[:, 0]
    sevens = drawn[::2]
    # kept with .4, else missing with 1/5 and otherwise in one of four parts of [0, 100]
    assert stats.binomtest(int(np.isnan(sevens).sum()), 2_000, 0.6 / 5).pvalue > CERTAIN
    parts = np.bincount(np.minimum(sevens[~np.isnan(sevens) & (sevens != 7)] // 25.25, 3).astype(int), minlength=4)
    assert parts.min() > 0.6 / 5 * 2_000 - 5 * math.sqrt(240)
    assert (sevens == 7).mean() == pytest.approx(0.4 + 0.6 / 5 / 25.25, abs=5 * math.sqrt(0.24 / 2_000))
    assert np.isnan(drawn[1::2]).mean() == pytest.approx(0.4 + 0.6 / 5, abs=5 * math.sqrt(0.25 / 2_000))


def test_pram_with_nothing_to_randomise_is_refused() -> None:
    with pytest.raises(DesignError, match="ask for bins"):
        Pram().fit(column_of([1, 2, 3]), rng())
    assert len(Pram(bins=2).fit(column_of([1, 2, 3]), rng()).sample(3, rng())) == 3


# Numbers


def test_numbers_beyond_a_quantile_become_it() -> None:
    values = [10.0, 1, 2, 3, 4, 5, 6, 7, 8, NAN, 9]
    coded = numbers_of(Coding(bottom=0.2, top=0.8), values)
    np.testing.assert_array_equal(coded, [8, 2, 2, 3, 4, 5, 6, 7, 8, NAN, 8])
    np.testing.assert_array_equal(numbers_of(Coding(bottom=0.5, top=0.5), values), [5] * 9 + [NAN, 5])
    assert np.isnan(numbers_of(Coding(), [NAN, NAN])).all()


def test_numbers_become_multiples_of_the_base() -> None:
    np.testing.assert_array_equal(
        numbers_of(Rounding(base=10), [0, 4, 6, 15, 25, NAN, 96]), [0, 0, 10, 20, 20, NAN, 100]
    )
    np.testing.assert_array_equal(numbers_of(Rounding(base=30), [0, 14, 16, 94, 100]), [0, 0, 30, 90, 90])
    np.testing.assert_array_equal(numbers_of(Rounding(base=70), [100, 36]), [70, 70])
    np.testing.assert_array_equal(numbers_of(Rounding(base=60), [100, 29]), [100, 0])  # 120 is outside: the edge
    np.testing.assert_array_equal(
        numbers_of(Rounding(base=0.25, unit="domain"), [0, 12, 13, 60, 88]), [0, 0, 25, 50, 100]
    )


def test_multiples_of_a_share_of_the_domain_start_at_its_lower_end() -> None:
    column = Column("x", Kind.NUMERIC, low=18, high=98, mean=50, sd=10)
    table = Table(Schema((column,)), np.empty((4, 0), dtype=np.int32), np.array([[18.0], [21], [23], [97]]))
    assert whole(Rounding(base=0.1, unit="domain"), table).numbers[:, 0].tolist() == [18, 18, 26, 98]


def amounts(scale: float, shape: str, n: int = 20_000) -> Floats:
    """Noise on the middle of a domain so fine and wide that neither rounding nor clipping shows, in its stated unit."""
    column = Column("x", Kind.NUMERIC, low=-1e6, high=1e6, mean=0, sd=10, decimals=9)
    table = Table(Schema((column,)), np.empty((n, 0), dtype=np.int32), np.zeros((n, 1)))
    return whole(Noise(scale=scale, shape=shape), table, 11).numbers[:, 0] / 5.0


@pytest.mark.parametrize(
    ("shape", "law", "other"),
    [
        ("gaussian", stats.norm(), stats.laplace(scale=math.sqrt(0.5))),
        ("laplace", stats.laplace(scale=math.sqrt(0.5)), stats.norm()),
    ],
)
def test_noise_has_the_stated_size_and_shape(shape: str, law: Any, other: Any) -> None:
    assert stats.kstest(amounts(0.5, shape), law.cdf).pvalue > CERTAIN
    assert stats.kstest(amounts(0.5, shape), other.cdf).pvalue < CERTAIN  # planted: the other shape
    for factor in (0.7, 1.3):  # planted: the wrong size
        assert stats.kstest(amounts(0.5 * factor, shape), law.cdf).pvalue < CERTAIN


def test_noise_leaves_missing_values_and_the_domain() -> None:
    noisy = np.array(numbers_of(Noise(scale=10.0), [0.0, NAN, 100.0] * 200))
    assert np.isnan(noisy[1::3]).all()
    assert noisy[0::3].min() == 0
    assert noisy[2::3].max() == 100


def test_groups_of_three_share_their_mean() -> None:
    for grouping in ("mdav", "halving"):
        plugin = Microaggregation(k=3, grouping=grouping)
        assert numbers_of(plugin, [1, 50, 3, 51, 2, 52]) == [2, 51, 2, 51, 2, 51]
        assert numbers_of(plugin, [1, 2, 3, 4, 6]) == [3] * 5  # fewer than 2k rows: one group; 3.2 has no decimals
        np.testing.assert_array_equal(numbers_of(plugin, [1, 2, NAN]), [2, 2, NAN])  # 1.5 rounds to the even 2


def naive_mdav(points: Floats, k: int) -> set[frozenset[int]]:
    """The groups of MDAV as the paper tells it, with lists and loops."""
    left, groups = list(range(len(points))), []

    def farthest(point: Floats) -> int:
        return max(left, key=lambda i: sum((points[i] - point) ** 2))

    def gather(seed: int) -> None:
        near = sorted(left, key=lambda i: sum((points[i] - points[seed]) ** 2))[:k]
        groups.append(frozenset(near))
        left[:] = [i for i in left if i not in near]

    while len(left) >= 3 * k:
        first = farthest(points[left].mean(axis=0))
        second = farthest(points[first])
        gather(first)
        gather(second if second in left else farthest(points[first]))
    if len(left) >= 2 * k:
        gather(farthest(points[left].mean(axis=0)))
    return {*groups, frozenset(left)}


def as_sets(group: Ints) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(group == number).tolist()) for number in np.unique(group)}


@pytest.mark.parametrize("n", [4, 8, 11, 12, 13, 60])
@pytest.mark.parametrize("k", [2, 4])
def test_mdav_makes_the_groups_of_the_paper(n: int, k: int) -> None:
    points = rng(n).standard_normal((n, 3))
    assert as_sets(mdav(points, k)) == naive_mdav(points, k)


def all_hold(group: Ints, k: int) -> Bools:
    """Which groups have at least ``k`` rows."""
    held: Bools = np.bincount(group) >= k
    return held


@pytest.mark.parametrize("grouping", [mdav, halving])
@pytest.mark.parametrize("k", [2, 3, 7, 50])
def test_every_group_holds_k_rows_and_no_group_twice_as_many(grouping: Any, k: int) -> None:
    for points in (
        rng(k).standard_normal((333, 4)),
        rng(k).integers(2, size=(333, 4)).astype(float),
        np.zeros((333, 2)),
    ):
        group = grouping(points, k)
        assert all_hold(group, k).all()
        assert np.bincount(group).max() < 2 * k
        assert not all_hold(grouping(points[: 2 * k - 2], k - 1), k).all()  # planted: one row too few


def test_groups_are_of_similar_rows_and_mdav_groups_closer() -> None:
    points = rng(2).standard_normal((600, 3))

    def within(group: Ints) -> float:
        centres = np.array([points[group == number].mean(axis=0) for number in range(group.max() + 1)])
        return float(((points - centres[group]) ** 2).sum())

    chance = within(rng(3).permutation(mdav(points, 5)))
    assert within(mdav(points, 5)) < within(halving(points, 5)) < 0.3 * chance


# Swapping


def test_pairs_are_disjoint_and_inside_their_group() -> None:
    rows, group = np.array([10, 11, 12, 13, 14, 15]), np.array([0, 0, 0, 1, 1, 2])
    met: Counter[frozenset[int]] = Counter()
    for seed in range(600):
        left, right = paired(rows, group, rng(seed))
        assert len({*left, *right}) == 2 * len(left) == 4
        met.update(frozenset(pair) for pair in zip(left.tolist(), right.tolist(), strict=True))
    assert met[frozenset({13, 14})] == 600
    assert stats.chisquare([met[frozenset(pair)] for pair in ((10, 11), (10, 12), (11, 12))]).pvalue > CERTAIN


def test_two_rows_exchange_their_values() -> None:
    table = made([[0], [1]], [[NAN], [7]])
    swapped = whole(Swapping(percent=0.0, p=1.0), table)
    assert swapped.codes[:, 0].tolist() == [1, 0]
    np.testing.assert_array_equal(swapped.numbers, table.numbers)  # the missing one stays, the other is alone
    seen = {tuple(numbers_of_seed(seed)) for seed in range(30)}
    assert seen == {(1.0, 2.0), (2.0, 1.0)}  # a run of two, or cut between them


def numbers_of_seed(seed: int) -> list[float]:
    out: list[float] = whole(Swapping(percent=100.0), column_of([1, 2]), seed).numbers[:, 0].tolist()
    return out


def test_swapping_keeps_every_column_and_breaks_the_rows() -> None:
    table = mixed(500)
    swapped = whole(Swapping(percent=20.0, p=0.5), table)
    for before, after in [
        *zip(table.codes.T, swapped.codes.T, strict=True),
        *zip(table.numbers.T, swapped.numbers.T, strict=True),
    ]:
        np.testing.assert_array_equal(np.sort(before), np.sort(after))
        assert (before != after).mean() > 0.1
    np.testing.assert_array_equal(np.isnan(table.numbers), np.isnan(swapped.numbers))


def longest_move(percent: float) -> int:
    """The largest change of rank over releases of 200 different numbers."""
    values = rng(1).permutation(np.arange(200) / 2).tolist()
    table = Table(
        Schema((Column("x", Kind.NUMERIC, low=0, high=100, decimals=1),)),
        np.empty((200, 0), dtype=np.int32),
        np.array(values)[:, None],
    )
    moves = [np.abs(whole(Swapping(percent=percent), table, seed).numbers - table.numbers).max() for seed in range(40)]
    return round(2 * float(max(moves)))


def test_no_rank_moves_farther_than_stated() -> None:
    assert longest_move(5.0) == 10  # reached, never passed
    assert longest_move(7.5) > 10  # planted: half as far again
    assert longest_move(0.4) == 0  # less than one rank


def test_categories_take_part_with_the_stated_chance() -> None:
    """Of two equally common levels a cell that takes part is changed half of the time."""
    n = 20_000
    table = made([[0], [1]] * (n // 2), [])

    def changed(p: float) -> float:
        return float((whole(Swapping(p=p), table, 2).codes != table.codes).mean())

    assert abs(changed(0.3) - 0.15) < 5 * math.sqrt(0.15 / n)
    assert abs(changed(0.4) - 0.15) > 5 * math.sqrt(0.15 / n)  # planted: a tenth more
    assert abs(changed(1.0) - 0.5) < 5 * math.sqrt(0.5 / n)
