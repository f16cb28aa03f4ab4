"""Sequential trees: whose values a row may get, what the parameters do, and which marginals are kept."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.marginals import total_variation
from riskkit import registry
from riskkit.core import MISSING, Column, Floats, Ints, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines import cart
from riskkit.generators.engines.cart import Task, level_scores
from riskkit.generators.engines.sequential_trees import bandwidth
from riskkit.generators.synthpop import FittedSynthpop, Synthpop, visiting
from tests.tables import adult, mixed, needs_adult, numeric

ALL = [
    Synthpop(smoothing=smoothing, proper=proper) for smoothing in ("none", "gap", "density") for proper in (False, True)
]


def release(plugin: Synthpop, table: Table, n: int, seed: int = 0) -> Table:
    """A fit and ``n`` rows of it."""
    rng = np.random.default_rng(seed)
    return plugin.fit(table, rng).sample(n, rng)


def category(name: str, levels: int) -> Column:
    """A category of that many levels."""
    return Column(name, Kind.CATEGORICAL, levels=tuple(f"level {code:03d}" for code in range(levels)))


def numbers_only(values: Floats, decimals: int = 0) -> Table:
    """A table of one number."""
    column = numeric("x", values, decimals)
    return Table(Schema((column,)), np.empty((len(values), 0), dtype=np.int32), values[:, None])


def two_groups() -> Table:
    """Twelve rows: the first level has the numbers 1 to 6, the second 101 to 106."""
    values = np.array([*range(1, 7), *range(101, 107)], dtype=float)
    codes = np.repeat([0, 1], 6).astype(np.int32)[:, None]
    return Table(Schema((category("group", 2), numeric("x", values))), codes, values[:, None])


def group_values(table: Table, code: int) -> Floats:
    """The numbers of the rows of one group."""
    return table.numbers[table.codes[:, 0] == code, 0]


def uniform_on(values: Floats, wanted: Floats) -> bool:
    """Whether the values are those wanted, each with an equal share (4.5 standard errors)."""
    seen, count = np.unique(values, return_counts=True)
    share = 1 / len(wanted)
    slack = 4.5 * math.sqrt(share * (1 - share) / len(values))
    return np.array_equal(seen, wanted) and bool(np.all(np.abs(count / len(values) - share) <= slack))


def test_a_leaf_gives_its_own_values_alone() -> None:
    """Leaves of five rows or more: the six rows of a group are one leaf, and no other group's number is in it."""
    drawn = release(Synthpop(minimum_leaf=5), two_groups(), 6_000)
    assert uniform_on(group_values(drawn, 0), np.arange(1.0, 7.0))
    assert uniform_on(group_values(drawn, 1), np.arange(101.0, 107.0))


def test_where_no_leaf_may_split_all_values_are_in_reach() -> None:
    drawn = release(Synthpop(minimum_leaf=7), two_groups(), 6_000)
    everything = np.array([*range(1, 7), *range(101, 107)], dtype=float)
    assert uniform_on(group_values(drawn, 0), everything)
    assert uniform_on(group_values(drawn, 1), everything)


def test_a_value_from_another_leaf_is_seen() -> None:
    """Planted: the values of one leaf moved by a row, so that the last of one is the first of the next."""
    fitted = Synthpop().fit(two_groups(), np.random.default_rng(0))
    first, second = fitted.steps
    assert second.leaves is not None
    moved = replace(second, leaves=replace(second.leaves, rows=np.roll(second.leaves.rows, 1)))
    fitted = replace(fitted, steps=(first, moved))
    drawn = fitted.sample(6_000, np.random.default_rng(1))
    assert not uniform_on(group_values(drawn, 0), np.arange(1.0, 7.0))


def leaf_sizes(fitted: FittedSynthpop) -> list[int]:
    """The number of rows in every leaf of every tree."""
    trees = [tree for step in fitted.steps for tree in (step.leaves, step.missing) if tree is not None]
    return [int(size) for tree in trees for size in (tree.end - tree.first)[tree.feature < 0]]


@pytest.mark.parametrize("minimum", [1, 5, 40])
def test_no_leaf_is_smaller_than_asked(minimum: int) -> None:
    fitted = Synthpop(minimum_leaf=minimum).fit(mixed(), np.random.default_rng(0))
    assert minimum <= min(leaf_sizes(fitted)) < 2 * minimum + 1  # and the trees do grow down to it


def test_levels_that_are_alike_share_a_leaf_whatever_their_names() -> None:
    """Thirty levels of four rows, five to a leaf: only ranks by the answer part odd from even in one split."""
    codes = np.repeat(np.arange(30), 4).astype(np.int32)
    for answer in (codes % 2, (codes % 2) + (codes % 2) * (codes % 3 == 0)):  # two classes, then three
        table = Table(
            Schema((category("a", 30), category("b", 3))), np.column_stack([codes, answer]), np.empty((120, 0))
        )
        drawn = release(Synthpop(), table, 3_000)
        assert np.array_equal(drawn.codes[:, 1] > 0, drawn.codes[:, 0] % 2 == 1)


def test_levels_in_the_order_of_their_names_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: codes in place of ranks."""
    monkeypatch.setattr(cart, "level_scores", lambda codes, levels, *rest: np.arange(levels, dtype=np.float64))
    with pytest.raises(AssertionError):
        test_levels_that_are_alike_share_a_leaf_whatever_their_names()


def ranked(codes: Ints, levels: int, answer: Ints, classes: int) -> Ints:
    """(levels,) the rank of each level."""
    held = np.ones(len(codes), dtype=bool)
    scores = level_scores(codes, levels, Task(answer, classes, held, 1, 1), np.arange(len(codes)))
    rank: Ints = np.argsort(np.argsort(scores, kind="stable"))
    return rank


def test_ranks_counted_by_hand() -> None:
    codes = np.array([0, 0, 1, 1, 2, 2])
    # means 5, 1 and 9; the level without rows has the mean of all, 5, and comes after its equal
    assert ranked(codes, 4, np.array([4, 6, 1, 1, 9, 9]), 0).tolist() == [1, 0, 3, 2]
    # shares of the second class 1/2, 0 and 1; of all 1/2
    assert ranked(codes, 4, np.array([0, 1, 0, 0, 1, 1]), 2).tolist() == [1, 0, 3, 2]
    # three classes: the first and last level agree, the middle one does not
    rank = ranked(codes, 3, np.array([0, 1, 2, 2, 0, 1]), 3)
    assert abs(rank[0] - rank[2]) == 1


@pytest.mark.parametrize("seed", range(5))
def test_ranks_of_many_classes_are_those_of_the_first_principal_component(seed: int) -> None:
    """Levels of unequal size against LAPACK; a mirrored order is the same splits."""
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.15, 3_000) - 1, 11)
    hidden = rng.random((12, 2))[:, 0]
    chance = rng.dirichlet(np.ones(6), 12) + 2 * hidden[:, None] * np.array([1, 1, 1, 0, 0, 0])
    answer = (rng.random((3_000, 1)) > (chance / chance.sum(axis=1, keepdims=True)).cumsum(axis=1)[codes]).sum(axis=1)
    shares = np.array([[np.mean(answer[codes == a] == b) for b in range(6)] for a in range(12)])
    away = shares - np.bincount(answer, minlength=6) / 3_000
    scores = away @ np.linalg.svd(away * np.sqrt(np.bincount(codes))[:, None])[2][0]
    order, wanted = np.argsort(ranked(codes, 12, answer, 6)).tolist(), np.argsort(scores).tolist()
    assert order in (wanted, wanted[::-1])


def test_an_interaction_of_three_columns_is_kept() -> None:
    rng = np.random.default_rng(3)
    pair = rng.integers(2, size=(600, 2))
    codes = np.column_stack([pair, pair[:, 0] ^ pair[:, 1]]).astype(np.int32)
    table = Table(Schema(tuple(category(name, 2) for name in "abc")), codes, np.empty((600, 0)))
    drawn = release(Synthpop(), table, 2_000)
    assert np.mean(drawn.codes[:, 2] == drawn.codes[:, 0] ^ drawn.codes[:, 1]) == 1.0
    alone = registry.make("generators", "histogram").fit(table, rng).sample(2_000, rng)
    assert np.mean(alone.codes[:, 2] == alone.codes[:, 0] ^ alone.codes[:, 1]) < 0.6


@pytest.mark.parametrize(("scale", "decimals"), [(1.0, 0), (1e-11, 12)], ids=["large", "tiny"])
def test_numbers_of_any_size_can_be_split(scale: float, decimals: int) -> None:
    """Around 10^12 single precision cannot tell neighbours apart; around 10^-11 a variance is below rounding."""
    values = np.arange(200.0) * scale + (1e12 if scale == 1.0 else 0.0)
    high = np.arange(200) >= 100
    codes = high.astype(np.int32)[:, None]
    number, group = numeric("x", values, decimals), category("group", 2)
    for columns in ((number, group), (group, number)):
        drawn = release(Synthpop(), Table(Schema(columns), codes, values[:, None]), 1_000)
        assert np.array_equal(drawn.codes[:, 0] == 1, drawn.numbers[:, 0] >= values[100] - scale / 2)


def test_missing_values_keep_their_share_and_their_reason() -> None:
    table, n = mixed(600), 20_000
    numbers = table.numbers.copy()
    numbers[:, 1] = np.where(table.codes[:, 1] == 1, numbers[:, 1], np.nan)  # a score for smokers alone
    drawn = release(Synthpop(), Table(table.schema, table.codes, numbers), n)
    assert np.isnan(drawn.numbers[drawn.codes[:, 1] == 0, 1]).all()
    wanted = np.isnan(table.numbers[table.codes[:, 1] == 1, 1]).mean()
    assert np.isnan(drawn.numbers[drawn.codes[:, 1] == 1, 1]).mean() == pytest.approx(wanted, abs=0.03)
    last = table.schema.categorical[0].levels.index(MISSING)
    assert (drawn.codes[:, 0] == last).mean() == pytest.approx((table.codes[:, 0] == last).mean(), abs=0.01)


def test_a_missing_number_is_told_from_a_number_of_the_middle() -> None:
    """A column that says whether the number before it is missing; the known numbers lie around their mean."""
    values = np.append(np.arange(99.0) % 9, np.full(99, np.nan))  # the mean is 4, a number like others
    missing = np.isnan(values)
    schema = Schema((numeric("x", values), category("is missing", 2)))
    drawn = release(Synthpop(), Table(schema, missing.astype(np.int32)[:, None], values[:, None]), 2_000)
    assert np.array_equal(np.isnan(drawn.numbers[:, 0]), drawn.codes[:, 0] == 1)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_world_where_all_or_none_are_missing(share: float) -> None:
    table = mixed()
    numbers = table.numbers.copy()
    numbers[:, 1] = np.nan if share else 3.0
    world = Table(table.schema, table.codes, numbers)
    for plugin in ALL:
        assert np.isnan(release(plugin, world, 250).numbers[:, 1]).mean() == share


def test_a_level_absent_from_the_world_is_never_released() -> None:
    table = mixed(800)
    world = table.rows((table.codes[:, 0] != 3) & (table.numbers[:, 0] != 50))
    for plugin in ALL:
        drawn = release(plugin, world, 4_000)
        assert not (drawn.codes[:, 0] == 3).any()
        if plugin.smoothing == "none":
            for j in range(2):
                assert set(drawn.numbers[:, j][~np.isnan(drawn.numbers[:, j])]) <= set(world.numbers[:, j])


def test_proper_draws_the_table_first() -> None:
    """200 different numbers: as they are all can be released, of a bootstrap 1 - (1 - 1/200)^200 of them, 127."""
    table = numbers_only(np.arange(200.0))
    plain = release(Synthpop(proper=False), table, 20_000)
    proper = release(Synthpop(proper=True), table, 20_000)
    assert len(np.unique(plain.numbers)) == 200
    assert abs(len(np.unique(proper.numbers)) - 126.6) < 4.5 * 4.4


def test_a_single_column_is_its_own_bootstrap() -> None:
    assert uniform_on(
        release(Synthpop(), numbers_only(np.array([1.0, 4.0, 9.0])), 6_000).numbers[:, 0], np.array([1.0, 4.0, 9.0])
    )
    codes = np.array([[0], [2], [3]], dtype=np.int32)
    table = Table(Schema((category("a", 5),)), codes, np.empty((3, 0)))
    assert uniform_on(release(Synthpop(), table, 6_000).codes[:, 0].astype(float), np.array([0.0, 2.0, 3.0]))


@pytest.mark.parametrize("n", [0, 1, 7, 1_000])
def test_any_number_of_rows_can_be_released(n: int) -> None:
    for plugin in ALL:
        assert len(release(plugin, mixed(40), n)) == n


def test_constant_columns_stay_constant_and_hide_nothing() -> None:
    group = two_groups()
    columns = (
        category("one level", 1),
        category("one of two", 2),
        numeric("number", np.array([7.0])),
        *group.schema.columns,
    )
    codes = np.column_stack([np.zeros(12), np.ones(12), group.codes]).astype(np.int32)
    table = Table(Schema(columns), codes, np.column_stack([np.full(12, 7.0), group.numbers]))
    for plugin in ALL:
        drawn = release(plugin, table, 500)
        assert np.array_equal(np.unique(drawn.codes[:, :2], axis=0), [[0, 1]])
        assert np.all(drawn.numbers[:, 0] == 7.0)
        if plugin == Synthpop():  # smoothed numbers may leave their group, a resampled one be too small for a leaf
            assert np.array_equal(drawn.codes[:, 2] == 1, drawn.numbers[:, 1] > 50)


def test_a_gap_is_smoothed_up_to_half_way() -> None:
    """0, 10 and 30 own [0, 5], [5, 20] and [20, 30], each a third of the rows, uniformly and in tenths."""
    drawn = release(Synthpop(smoothing="gap"), numbers_only(np.array([0.0, 10.0, 30.0]), 1), 9_000).numbers[:, 0]
    share, edges = 1 / 3, (0.0, 5.0, 20.0, 30.0)
    for low, high in pairwise(edges):
        inside = drawn[(drawn > low) & (drawn < high)]
        assert len(inside) / 9_000 == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / 9_000) + 0.01)
        assert inside.mean() == pytest.approx((low + high) / 2, abs=4.5 * (high - low) / math.sqrt(12 * len(inside)))
    np.testing.assert_array_equal(drawn, np.round(drawn, 1))
    assert drawn.min() >= 0.0
    assert drawn.max() <= 30.0


def test_density_noise_has_the_width_it_says_and_does_not_heap_at_the_edge() -> None:
    values = np.linspace(0.0, 100.0, 201)
    table = numbers_only(values, 2)
    drawn = release(Synthpop(smoothing="density"), table, 40_000).numbers[:, 0]
    spread = bandwidth(values)
    nearest = np.abs(drawn[:, None] - np.array([0.0, 100.0])).min(axis=1)
    assert (nearest == 0).mean() < 0.002  # clipping would leave .4 · spread / 100 = 3.4% more there
    # a uniform spread by noise and mirrored is uniform; its middle half stays a half
    assert np.mean(np.abs(drawn - 50) < 25) == pytest.approx(0.5, abs=0.015)
    alone = numbers_only(np.array([20.0, 80.0]), 6)
    wide = Table(alone.schema.with_column(numeric("x", np.array([-1e4, 1e4]), 6)), np.empty((2, 0)), alone.numbers)
    moved = release(Synthpop(smoothing="density"), wide, 40_000).numbers[:, 0]
    expected = math.hypot(30.0, bandwidth(np.array([20.0, 80.0])))
    assert moved.std() == pytest.approx(expected, rel=0.02)
    assert spread > 5


def test_the_bandwidth_counted_by_hand() -> None:
    # 0 to 4: standard deviation 1.5811, quartiles 2 apart, 2 / 1.34 = 1.4925 is the smaller
    assert bandwidth(np.arange(5.0)) == pytest.approx(0.9 * 1.492537 * 5**-0.2, rel=1e-6)
    assert bandwidth(np.full(9, 3.0)) == bandwidth(np.array([3.0])) == 0.0
    assert bandwidth(np.array([0.0] * 9 + [10.0])) > 0  # no distance of quartiles: the standard deviation alone


@pytest.mark.parametrize("smoothing", ["gap", "density"])
def test_a_heap_is_not_smoothed(smoothing: str) -> None:
    values = np.where(np.arange(400) % 5 == 0, 1_000.0 + np.arange(400), 0.0)  # four in five have none
    drawn = release(Synthpop(smoothing=smoothing), numbers_only(values), 10_000).numbers[:, 0]
    assert (drawn == 0.0).mean() == pytest.approx(0.8, abs=4.5 * 0.4 / 100)
    assert not set(drawn) <= set(values)
    assert drawn[drawn > 0].min() > 500


def test_columns_are_visited_as_asked() -> None:
    schema = mixed().schema  # ward 5 levels, age some 80 numbers, smoker 2 levels, score hundreds of tenths
    assert visiting(schema, "file") == (0, 1, 2, 3)
    assert visiting(schema, "few_levels_first") == (2, 0, 1, 3)
    fitted = Synthpop(visit="few_levels_first").fit(mixed(), np.random.default_rng(0))
    assert [step.column.name for step in fitted.steps] == ["smoker", "ward", "age", "score"]
    drawn = release(Synthpop(visit="few_levels_first"), two_groups(), 600)
    assert np.array_equal(drawn.codes[:, 0] == 1, drawn.numbers[:, 0] > 50)


def test_a_table_without_rows_or_columns_is_refused() -> None:
    for table in (mixed().rows([]), Table(Schema(()), np.empty((3, 0), dtype=np.int32), np.empty((3, 0)))):
        with pytest.raises(DesignError, match="at least one row and one column"):
            Synthpop().fit(table, np.random.default_rng(0))


def test_total_variation_counted_by_hand() -> None:
    schema = Schema((category("a", 2), category("b", 2)))
    real = Table(schema, np.array([[0, 0], [0, 0], [1, 1], [1, 1]], dtype=np.int32), np.empty((4, 0)))
    other = Table(schema, np.array([[0, 0], [0, 1], [1, 0], [0, 1]], dtype=np.int32), np.empty((4, 0)))
    first, two = total_variation(real, other)
    assert first.tolist() == [0.25, 0.0]  # a: halves against 3/4 and 1/4
    assert two.tolist() == [0.75]  # cells 00 .5/.25, 01 0/.5, 10 0/.25, 11 .5/0


def pairs_kept(name: str, table: Table, n: int) -> tuple[float, float, float]:
    """Mean total variation of columns and of pairs, and that of the worst pair, over three fits."""
    apart = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        apart.append(total_variation(table, registry.make("generators", name).fit(table, rng).sample(n, rng)))
    first, two = (np.mean(part, axis=0) for part in zip(*apart, strict=True))
    return float(first.mean()), float(two.mean()), float(two.max())


@needs_adult
def test_marginals_and_pairs_of_adult_are_kept() -> None:
    """At 3,000 rows and 10,000 released; independent columns keep the columns and lose the pairs."""
    table = adult(3_000)
    first, two, worst = pairs_kept("synthpop", table, 10_000)
    assert first < 0.02
    assert two < 0.04
    assert worst < 0.15
    first, two, worst = pairs_kept("histogram", table, 10_000)
    assert first < 0.02
    assert two > 0.06
    assert worst > 0.5


def test_pairs_of_a_made_table_are_kept() -> None:
    assert pairs_kept("synthpop", mixed(2_000), 10_000)[1] < 0.05
    assert pairs_kept("histogram", mixed(2_000), 10_000)[1] > 0.08
