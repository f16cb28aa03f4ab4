"""The Chow-Liu tree against brute force, sklearn and counting by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score

from riskkit.core import Codes, Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines.network import CountLogSums, Parents, chow_liu, compact, order
from riskkit.table.encode import bin_columns
from tests.generators.networks import coded
from tests.generators.test_histogram import every_row, six_rows
from tests.tables import mixed, numeric


def trees(d: int) -> Iterator[list[tuple[int, int]]]:
    """Every labelled tree on ``d`` nodes, as edges: d^(d-2) of them."""
    for edges in combinations(list(combinations(range(d), 2)), d - 1):
        reached = {0}
        for _ in range(d):
            reached |= {node for edge in edges if reached & set(edge) for node in edge}
        if len(reached) == d:
            yield list(edges)


def edges_of(parents: Parents) -> list[tuple[int, int]]:
    """The undirected edges of a tree of parents."""
    return sorted((min(j, p), max(j, p)) for j, above in enumerate(parents) for p in above)


def mutual_information(codes: Codes, sizes: tuple[int, ...]) -> Floats:
    """(d, d) mutual information of every pair of columns."""
    return CountLogSums.count(compact(codes, sizes), sizes, 2).pairs()


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("seed", range(4))
def test_mutual_information_is_that_of_sklearn(seed: int) -> None:
    sizes = (3, 5, 2, 9, 4)
    codes = coded(200, sizes, seed)
    information = mutual_information(codes, sizes)
    for a, b in product(range(5), range(5)):
        assert information[a, b] == pytest.approx(mutual_info_score(codes[:, a], codes[:, b]), abs=1e-12)


def test_the_number_of_labelled_trees_is_cayleys() -> None:
    assert [sum(1 for _ in trees(d)) for d in (2, 3, 4, 5)] == [1, 3, 16, 125]


@pytest.mark.parametrize("d", [4, 5])
@pytest.mark.parametrize("seed", range(6))
def test_no_labelled_tree_beats_the_tree_found(d: int, seed: int) -> None:
    sizes = (3, 2, 4, 3, 2)[:d]
    information = mutual_information(coded(60, sizes, seed), sizes)
    tree = edges_of(chow_liu(information))
    best = max(trees(d), key=lambda edges: sum(information[edge] for edge in edges))
    assert tree == sorted(best)


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_any_weights_give_a_tree(d: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(3, size=(d, d)).astype(float)
    parents = chow_liu(weights + weights.T)
    assert parents.count(()) == 1
    assert parents[0] == ()
    assert sorted(order(parents)) == list(range(d))  # every column is reached, none twice


def test_ties_go_to_the_first_column() -> None:
    assert chow_liu(np.ones((4, 4))) == ((), (0,), (0,), (0,))


@pytest.mark.parametrize("seed", range(12))
def test_twins_are_not_told_apart_by_rounding(seed: int) -> None:
    """Columns 1 and 2 are one column under two names; sums over their codes differ in the last digit alone."""
    codes, sizes = coded(500, (7, 9, 8), seed), (7, 9, 9, 8)
    renamed = np.random.default_rng(seed).permutation(9).astype(np.int32)[codes[:, 1]]
    twins = np.column_stack([codes[:, 0], codes[:, 1], renamed, codes[:, 2]])
    assert chow_liu(mutual_information(twins, sizes)) == chow_liu(mutual_information(twins[:, [0, 2, 1, 3]], sizes))


def test_order_puts_parents_first() -> None:
    assert order(((), (3,), (0,), (2,), (1, 3))) == (0, 2, 3, 1, 4)


def counted(table: Table, bins: int, parents: Parents, row: npt.NDArray[np.int32]) -> float:
    """Probability of a row of codes under the tree, counted one by one."""
    codes, _ = bin_columns(table, bins)
    chance = 1.0
    for j, above in enumerate(parents):
        family = [r for r in codes if all(r[p] == row[p] for p in above)]
        chance *= sum(r[j] == row[j] for r in family) / len(family) if family else 0.0
    return chance


def test_six_rows_counted_by_hand() -> None:
    """Columns in file order are colour, size, shape; size has one bin a value and one for missing."""
    table = six_rows()
    fitted = BayesNet(bins=10).fit(table, np.random.default_rng(0))
    # colour-size shares most: each size has one colour but 3, which has both
    assert fitted.parents == ((), (0,), (1,))
    # P(blue) 3/6 · P(1 | blue) 2/3 · P(round | 1) 1/2, and P(red) 3/6 · P(missing | red) 1/3 · P(square | missing) 1
    asked = Table(table.schema, np.array([[0, 0], [2, 1], [2, 0]], dtype=np.int32), np.array([[1.0], [np.nan], [1.0]]))
    log_prob = fitted.log_prob(asked)
    np.testing.assert_allclose(log_prob[:2], [math.log(1 / 6), math.log(1 / 6)])
    assert log_prob[2] == -np.inf  # no red row has size 1


@pytest.mark.parametrize("bins", [2, 10])
def test_probabilities_of_the_whole_domain_sum_to_one(bins: int) -> None:
    table = six_rows()
    fitted = BayesNet(bins=bins).fit(table, np.random.default_rng(0))
    domain = every_row(table)
    probability = np.exp(fitted.log_prob(domain))
    assert probability.sum() == pytest.approx(1.0, abs=1e-12)
    values = {2: [2, 2, 1], 10: [1, 1, 1]}[bins]  # two bins of sizes 1-3 hold two values and one
    for row, seen, chance in zip(bin_columns(domain, bins)[0], domain.numbers[:, 0], probability, strict=True):
        share = 1.0 if np.isnan(seen) else 1 / values[int(seen) - 1]
        assert chance == pytest.approx(counted(table, bins, fitted.parents, row) * share, abs=1e-12)


def test_releases_follow_log_prob() -> None:
    """Every row of the domain is released as often as its probability says (chi-square at 1e-4)."""
    table, n = six_rows(), 60_000
    fitted = BayesNet(bins=2).fit(table, np.random.default_rng(0))
    domain = every_row(table)
    expected = n * np.exp(fitted.log_prob(domain))
    keys, drawn = domain.keys(), fitted.sample(n, np.random.default_rng(3)).keys()
    place = {key.tobytes(): i for i, key in enumerate(keys)}
    seen = np.bincount([place[key.tobytes()] for key in drawn], minlength=len(domain))
    assert np.all(seen[expected == 0] == 0)
    possible = expected > 0
    chi2 = ((seen - expected)[possible] ** 2 / expected[possible]).sum()
    assert stats.chi2.sf(chi2, possible.sum() - 1) > 1e-4


def pair_shares(codes: Codes, sizes: tuple[int, ...], a: int, b: int) -> Floats:
    """(sizes[a], sizes[b]) share of the rows in each cell."""
    flat = np.bincount(codes[:, a].astype(np.int64) * sizes[b] + codes[:, b], minlength=sizes[a] * sizes[b])
    return flat / len(codes)


def test_marginals_and_tree_pairs_are_the_tables_with_missing_values() -> None:
    table, n = mixed(), 40_000
    fitted = BayesNet().fit(table, np.random.default_rng(0))
    codes, sizes = bin_columns(table, 10)
    drawn, _ = bin_columns(fitted.sample(n, np.random.default_rng(1)), 10)
    tree = edges_of(fitted.parents)
    for a, b in [*((j, j) for j in range(4)), *tree]:
        share, seen = pair_shares(codes, sizes, a, b), pair_shares(drawn, sizes, a, b)
        assert np.all(np.abs(seen - share) <= 5 * np.sqrt(share * (1 - share) / n)), (a, b)
    assert np.isnan(table.numbers[:, 1]).any()


def test_a_level_that_no_row_has_is_never_released() -> None:
    table = mixed()
    kept = table.rows((table.codes[:, 0] != 2) & (table.numbers[:, 0] < 70))  # the domain stays
    release = BayesNet().fit(kept, np.random.default_rng(0)).sample(5_000, np.random.default_rng(1))
    assert 2 not in release.codes[:, 0]
    edge = table.schema.numeric[0].low + 0.8 * (table.schema.numeric[0].high - table.schema.numeric[0].low)
    assert release.numbers[:, 0].max() < edge


def test_the_structure_does_not_depend_on_the_order_of_rows() -> None:
    table = mixed()
    first = BayesNet().fit(table, np.random.default_rng(0))
    again = BayesNet().fit(table.rows(np.random.default_rng(2).permutation(len(table))), np.random.default_rng(0))
    assert first.parents == again.parents
    left, right = first.sample(50, np.random.default_rng(4)), again.sample(50, np.random.default_rng(4))
    assert left.codes.tobytes() == right.codes.tobytes()
    assert left.numbers.tobytes() == right.numbers.tobytes()


def test_one_column_is_a_root_alone() -> None:
    value = np.array([1.0, 2.0, 2.0])
    table = Table(Schema((numeric("value", value),)), np.empty((3, 0), dtype=np.int32), value[:, None])
    fitted = BayesNet().fit(table, np.random.default_rng(0))
    assert fitted.parents == ((),)
    np.testing.assert_allclose(np.exp(fitted.log_prob(table)), [1 / 3, 2 / 3, 2 / 3])


def test_a_table_with_nothing_to_learn_is_refused() -> None:
    with pytest.raises(DesignError, match="at least one row"):
        BayesNet().fit(mixed().rows(np.arange(0)), np.random.default_rng(0))
    ids = Table(Schema((Column("id", Kind.ID),)), np.empty((3, 0), dtype=np.int32), np.empty((3, 0)))
    with pytest.raises(DesignError, match="one column"):
        BayesNet().fit(ids, np.random.default_rng(0))
