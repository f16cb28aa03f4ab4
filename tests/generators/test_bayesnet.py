"""Networks of one parent and of several: against brute force, sklearn, counting by hand and fits without a row."""

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
from riskkit.generators.bayesnet import BayesNet, FittedBayesNet, FittedWithoutRow
from riskkit.generators.engines.network import CountLogSums, Parents, chow_liu, compact, greedy, grow, order
from riskkit.table.encode import bin_columns
from tests.generators.networks import coded, leaning, whole_domain
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
    ids = Table(Schema((Column("id", Kind.ID),)), np.empty((3, 0), dtype=np.int32), np.empty((3, 0)))
    with pytest.raises(DesignError, match="one column"):
        BayesNet().fit(ids, np.random.default_rng(0))


def gappy() -> Table:
    """Few rows of weak dependence: in a network of degree 2 two parents meet with values that no row has together."""
    return leaning(14, 2, (3,) * 6)


def fit(table: Table, degree: int = 1, smoothing: float = 0.0) -> FittedBayesNet:
    """A fit of that degree."""
    return BayesNet(degree=degree, smoothing=smoothing).fit(table, np.random.default_rng(0))


def one_by_one(codes: Codes, degree: int) -> Parents:
    """The greedy network the obvious way: sklearn's score of every pair of a column and a text of its parents."""
    d = codes.shape[1]
    parents: dict[int, tuple[int, ...]] = {0: ()}
    while len(parents) < d:
        best: tuple[float, int, tuple[int, ...]] = (-1.0, 0, ())
        for new, above in product(
            set(range(d)) - set(parents), combinations(sorted(parents), min(degree, len(parents)))
        ):
            texts = ["-".join(map(str, row)) for row in codes[:, list(above)]]
            best = max(best, (float(mutual_info_score(texts, codes[:, new])), new, above))
        parents[best[1]] = best[2]
    return tuple(parents[j] for j in range(d))


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_network_is_the_one_found_one_by_one(degree: int, seed: int) -> None:
    table = leaning(120, seed)
    assert fit(table, degree).parents == one_by_one(table.codes, degree)


@pytest.mark.parametrize("seed", range(6))
def test_greedy_steps_of_degree_one_grow_the_best_tree(seed: int) -> None:
    sizes = (3, 2, 4, 3, 2)
    sums = CountLogSums.count(compact(coded(80, sizes, seed), sizes), sizes, 2)
    parents, joined = grow(sums, 1, 0, greedy)
    assert parents == chow_liu(sums.pairs())
    assert sorted(joined) == list(range(5))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_every_column_that_can_has_all_its_parents(degree: int) -> None:
    parents = fit(leaning(80, 1), degree).parents
    assert sorted(len(above) for above in parents) == sorted(min(j, degree) for j in range(5))
    assert sorted(order(parents)) == list(range(5))


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_probabilities_of_the_domain_are_counted_by_hand(degree: int, smoothing: float) -> None:
    table = gappy()
    fitted, domain = fit(table, degree, smoothing), whole_domain(table)
    expected, rows = np.ones(len(domain)), table.codes.tolist()
    for place, row in enumerate(domain.codes.tolist()):
        for j, above in enumerate(fitted.parents):
            family = [r for r in rows if all(r[p] == row[p] for p in above)]
            size, held = len(table.schema.categorical[j].levels), sum(r[j] == row[j] for r in family)
            below = len(family) + smoothing * size
            expected[place] *= (held + smoothing) / below if below else 1 / size
    probability = np.exp(fitted.log_prob(domain))
    np.testing.assert_allclose(probability, expected, rtol=0, atol=1e-14)
    assert probability.sum() == pytest.approx(1.0, abs=1e-12)
    assert (probability.min() > 0) == (smoothing > 0)


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize(("degree", "smoothing"), [(1, 0.7), (2, 0.0), (2, 0.7), (3, 0.0)])
def test_releases_of_every_degree_follow_log_prob(degree: int, smoothing: float) -> None:
    """Chi-square at 1e-4 over the rows of the domain that are expected five times, the others together."""
    table, n = gappy(), 60_000
    fitted, domain = fit(table, degree, smoothing), whole_domain(table)
    expected = n * np.exp(fitted.log_prob(domain))
    place = {key.tobytes(): i for i, key in enumerate(domain.keys())}
    drawn = fitted.sample(n, np.random.default_rng(3)).keys()
    seen = np.bincount([place[key.tobytes()] for key in drawn], minlength=len(domain))
    assert np.all(seen[expected == 0] == 0)
    often = expected >= 5
    pairs = [*zip(seen[often], expected[often], strict=True), (seen[~often].sum(), expected[~often].sum())]
    chi2 = sum((s - e) ** 2 / e for s, e in pairs if e > 0)
    assert stats.chi2.sf(chi2, len(pairs) - 1) > 1e-4


def test_a_parent_pair_that_no_row_has_is_released_with_any_child() -> None:
    """Degree 2 meets such pairs: this table and seed do, so the rule is at work and not only stated."""
    table = gappy()
    fitted = fit(table, 2)
    release = fitted.sample(5_000, np.random.default_rng(0))
    met = 0
    for above in fitted.parents:
        held = {tuple(row) for row in table.codes[:, list(above)]}
        met += sum(tuple(row) not in held for row in release.codes[:, list(above)])
    assert met > 0


def the_same(left: FittedBayesNet | FittedWithoutRow, right: FittedBayesNet | FittedWithoutRow, asked: Table) -> bool:
    """Whether two fits have one structure, one likelihood to 1e-12 and release the same bytes."""
    first, second = np.exp(left.log_prob(asked)), np.exp(right.log_prob(asked))
    releases = [f.sample(40, np.random.default_rng(5)) for f in (left, right)]
    return (
        left.parents == right.parents
        and all(np.array_equal(a, b) for a, b in zip(left.sums.by_size, right.sums.by_size, strict=True))
        and bool(np.all(np.abs(first - second) <= 1e-12))
        and releases[0].codes.tobytes() == releases[1].codes.tobytes()
        and releases[0].numbers.tobytes() == releases[1].numbers.tobytes()
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("degree", [1, 2])
def test_the_fit_without_any_row_is_the_refit(degree: int, smoothing: float) -> None:
    """Every row of 300, the likelihood asked at every row of the table and at rows of chance."""
    table = mixed(300)
    fitted = fit(table, degree, smoothing)
    asked = table.plus(fit(mixed(300), 1, 5.0).sample(200, np.random.default_rng(0)))
    for row in range(300):
        assert the_same(fitted.without(row), fit(table.without(row), degree, smoothing), asked), row


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_row_that_moves_the_structure_moves_it_here_too(degree: int) -> None:
    table = leaning(16, 0)  # a power of two: one row less has another unit of the logarithms
    fitted, domain = fit(table, degree), whole_domain(table)
    changed = 0
    for row in range(len(table)):
        less = fitted.without(row)
        assert the_same(less, fit(table.without(row), degree), domain), row
        assert the_same(less.without(3), fit(table.without(row).without(3), degree), domain), row
        changed += less.parents != fitted.parents
    assert changed > 0


def test_another_row_left_out_is_seen() -> None:
    """The comparison can fail: the fit without the wrong row, and the fit that forgot to subtract."""
    table = mixed(300)
    fitted = fit(table, 2)
    assert not the_same(fitted.without(1), fit(table.without(0), 2), table)
    assert not the_same(fitted, fit(table.without(0), 2), table)


def test_the_only_row_cannot_be_left_out() -> None:
    with pytest.raises(DesignError, match="at least one row"):
        fit(mixed(1)).without(0)


def test_smoothing_releases_levels_that_no_row_has() -> None:
    table = leaning(60, 2)
    plain, smoothed = (fit(table, 2, weight).sample(4_000, np.random.default_rng(1)) for weight in (0.0, 1.0))
    assert all((smoothed.codes[:, j] == size).any() for j, size in enumerate((3, 2, 4, 3, 2)))
    assert not (plain.codes[:, 0] == 3).any()


def test_more_parents_than_other_columns_are_refused() -> None:
    table = mixed(50)
    assert fit(table, 3).parents.count(()) == 1
    two = Table(Schema(table.schema.columns[:1] + table.schema.columns[2:3]), table.codes, np.empty((50, 0)))
    with pytest.raises(DesignError, match=r"2 parents in a table of 2 columns\. Choose a degree below 2"):
        fit(two, 2)
    many = tuple(Column(f"c{j}", Kind.CATEGORICAL, levels=tuple(map(str, range(70_000)))) for j in range(4))
    with pytest.raises(DesignError, match="Choose a smaller degree"):
        fit(Table(Schema(many), np.zeros((3, 4), dtype=np.int32), np.empty((3, 0))), 3)


def test_columns_of_many_levels_are_counted_without_a_table_of_their_pairs() -> None:
    """Two columns of 70,000 levels have 4.9 billion pairs; only those that occur are held."""
    levels = tuple(map(str, range(70_000)))
    columns = tuple(Column(f"c{j}", Kind.CATEGORICAL, levels=levels) for j in range(3))
    code = np.random.default_rng(0).integers(70_000, size=(400, 1)).astype(np.int32)
    table = Table(Schema(columns), np.hstack([code, code, code]), np.empty((400, 0)))
    release = fit(table, 2).sample(50, np.random.default_rng(1))
    assert set(release.codes[:, 0]) <= set(code[:, 0])
    assert (release.codes == release.codes[:, :1]).all()
