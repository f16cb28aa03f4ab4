"""MST: its budget and noise, counts by hand, tree by enumeration, fit by another optimiser, certificate by its law."""

import math
from collections import Counter
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators import mst
from riskkit.generators import mst as msts
from riskkit.generators.aim_tree import AimTree
from riskkit.generators.engines.network import compact, joint_counts
from riskkit.generators.engines.noisy_counts import Exponential, delta_of_rho, rho_of_delta
from riskkit.generators.engines.tree_fit import Noisy, fit_tree, noisy, on_simplex, root_tree, rows_of
from riskkit.generators.mst import Merged, Mst, strength, tree
from riskkit.stats.composition import compose
from riskkit.stats.privacy import gaussian_delta
from tests.generators import plain_mst as plain
from tests.generators.networks import leaning, p_of_releases, whole_domain
from tests.generators.plain_private import Rows, rho
from tests.generators.test_privbayes import categories

# --- the budget -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rho", "epsilon"), [(0.1, 1.0), (0.01, 0.2), (2.0, 8.0)])
def test_delta_is_the_least_over_all_orders(rho: float, epsilon: float) -> None:
    """Every order is tried; and no smaller delta can be, for normal noise of that rho has one of its own."""
    orders = 1 + np.exp(np.linspace(-9, 9, 400_001))
    tried = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1)
    assert delta_of_rho(rho, epsilon) == pytest.approx(math.exp(tried.min()), rel=1e-6)
    assert delta_of_rho(rho, epsilon) > gaussian_delta(math.sqrt(2 * rho), epsilon)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.01), (0.1, 1e-9), (20.0, 1e-5)])
def test_rho_is_the_largest_that_keeps_the_promise(epsilon: float, delta: float) -> None:
    rho = rho_of_delta(epsilon, delta)
    assert delta_of_rho(rho, epsilon) <= delta < delta_of_rho(rho * 1.0001, epsilon)


def test_the_budget_of_a_table_of_four_columns() -> None:
    """rho is .1034: noise of sqrt(12 / .2068) and sqrt(9 / .2068) rows, and picks of sqrt(8 * .1034 / 9)."""
    budget = Mst(epsilon=1.0, delta=0.01).budget(4)
    assert rho_of_delta(1.0, 0.01) == pytest.approx(0.1034, abs=5e-5)
    assert (budget.own, budget.pair, budget.pick) == pytest.approx((7.617, 6.597, 0.3032), abs=1e-3)
    thirds = 4 / (2 * budget.own**2), 3 * budget.pick**2 / 8, 3 / (2 * budget.pair**2)
    assert thirds == pytest.approx([rho_of_delta(1.0, 0.01) / 3] * 3)


def test_losses_are_those_of_the_noise() -> None:
    """Half of the rho would be two thirds of the squares: mu = sqrt(2 rho / 3) each; two picks among three columns."""
    mu = math.sqrt(2 * 0.10341283 / 3)
    first, *picks, last = Mst(epsilon=1.0, delta=0.01).losses("add-one", 100, 3)
    assert [kind for kind, _ in (first, *picks, last)] == ["gaussian", "selection", "selection", "gaussian"]
    assert (first[1], last[1]) == pytest.approx((mu, mu), abs=1e-6)
    assert [size for _, size in picks] == pytest.approx([math.sqrt(8 * 0.10341283 / 6)] * 2, abs=1e-6)
    assert len(Mst().losses("add-one", 100, 2)) == 2  # of one pair nothing is picked
    ((kind, size),) = Mst().losses("add-one", 100, 1)
    assert kind == "gaussian"
    assert size == pytest.approx(math.sqrt(2 * rho_of_delta(1, 1e-5) / 3))


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (0.7, False), (1.3, False)])
def test_a_fit_puts_its_noise_on_every_cell(factor: float, right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What whole fits add to columns and pairs, in standard deviations of the budget; ``factor`` is a planted fault."""
    generator, added = Mst(epsilon=2.0, delta=0.01), list[float]()

    def watched(counts, sd, rng):  # type: ignore[no-untyped-def]
        out = noisy(counts, factor * sd, rng)
        wanted = budget.own if counts.ndim == 1 else budget.pair
        added.extend(((out.counts - counts) / wanted).ravel().tolist())
        return Noisy(out.counts, np.full(out.counts.shape, sd))

    table = leaning(200, 1)
    budget = generator.budget(5)
    monkeypatch.setattr(mst, "noisy", watched)
    for seed in range(40):
        generator.fit(table, np.random.default_rng(seed))
    p = stats.kstest(added, stats.norm().cdf).pvalue
    assert (p > 1e-3) == right
    assert right or p < 1e-6


# --- counts, by hand ------------------------------------------------------------------------------------------------


def test_counts_and_strength_by_hand() -> None:
    """Four people: (0, 0), (0, 0), (1, 1), (1, 0). Of two even columns each cell would have 1: 1 + 1 + 0 + 0 away."""
    columns = compact(np.array([[0, 0], [0, 0], [1, 1], [1, 0]], dtype=np.int32), (2, 2))
    assert joint_counts(columns, (0, 1), (2, 2)).tolist() == [[2, 0], [1, 1]]
    assert joint_counts(columns, (1,), (2, 2)).tolist() == [3, 1]
    even = [np.array([2.0, 2.0])] * 2
    assert strength(columns, (0, 1), (2, 2), even, 4.0) == 2.0


@pytest.mark.parametrize("row", range(30))
def test_one_row_moves_the_strength_by_one_at_most(row: int) -> None:
    """The sensitivity of the picks, whatever the estimate of the columns."""
    codes = np.random.default_rng(row).integers(0, 3, (30, 2)).astype(np.int32)
    alone = [np.random.default_rng([row, j]).dirichlet(np.ones(3)) * 25 for j in range(2)]
    whole = strength(compact(codes, (3, 3)), (0, 1), (3, 3), alone, 25.0)
    less = strength(compact(np.delete(codes, row, axis=0), (3, 3)), (0, 1), (3, 3), alone, 25.0)
    assert abs(whole - less) <= 1.0 + 1e-9


def test_rare_levels_are_put_together_by_their_noisy_counts_alone() -> None:
    """With a deviation of 2, below 6 is next to nothing: levels 1 and 3. One such level stays as it is."""
    merged = Merged.merge(Noisy(np.array([40.0, 5.0, 9.0, -3.0]), np.full(4, 2.0)))
    assert (merged.place.tolist(), merged.members.tolist(), merged.size) == ([0, 2, 1, 2], [1, 3], 3)
    counts = merged.counts(Noisy(np.array([40.0, 5.0, 9.0, -3.0]), np.full(4, 2.0)))
    assert counts.counts.tolist() == [40.0, 9.0, 2.0]
    assert counts.sd.tolist() == pytest.approx([2.0, 2.0, math.sqrt(8)])
    np.testing.assert_allclose(merged.log_share(np.array([0, 1, 3])), [0, -math.log(2), -math.log(2)])
    drawn = Counter(merged.levels(np.full(4_000, 2), np.random.default_rng(0)).tolist())
    assert set(drawn) == {1, 3}
    assert stats.binomtest(drawn[1], 4_000).pvalue > 1e-3
    assert Merged.merge(Noisy(np.array([40.0, 5.0]), np.full(2, 2.0))).size == 2


def test_rows_are_counted_by_precision() -> None:
    """Sums of 10 (two cells of variance 1) and 16 (two of variance 2): (10 / 2 + 16 / 4) / (1 / 2 + 1 / 4) = 12."""
    tables = [Noisy(np.array([4.0, 6.0]), np.ones(2)), Noisy(np.array([9.0, 7.0]), np.full(2, math.sqrt(2)))]
    assert rows_of(tables) == pytest.approx(12.0)
    assert rows_of([Noisy(np.array([-5.0]), np.ones(1))]) == 1.0


# --- the tree -------------------------------------------------------------------------------------------------------

WEIGHTS = {(0, 1): 3.0, (0, 2): 1.0, (1, 2): 2.0}


def chances(epsilon: float) -> dict[frozenset[tuple[int, int]], float]:
    """Of three columns: the chance of each pair of picks from its definition; here any two pairs make a tree."""
    out: dict[frozenset[tuple[int, int]], float] = {}
    for first, second in permutations(WEIGHTS, 2):
        power = {pair: math.exp(epsilon * weight / 2) for pair, weight in WEIGHTS.items()}
        whole = sum(power.values())
        pairs = frozenset((first, second))
        out[pairs] = out.get(pairs, 0.0) + power[first] / whole * power[second] / (whole - power[first])
    return out


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (0.7, False), (1.3, False)])
def test_trees_have_their_chances(factor: float, right: bool) -> None:
    pick, trials = Exponential(1.2 * factor, 1.0, np.random.default_rng(4)), 20_000
    seen = Counter(frozenset(tree(3, WEIGHTS, pick)) for _ in range(trials))
    expected = chances(1.2)
    p = stats.chisquare(
        [seen[tree_drawn] for tree_drawn in expected], [trials * share for share in expected.values()]
    ).pvalue
    assert (p > 1e-3) == right
    assert right or p < 1e-6


def test_without_noise_the_heaviest_tree_is_taken() -> None:
    """By hand: (2, 3) 9, (0, 1) 8, then (0, 2) closes no circle at 7; (1, 3) and (1, 2) would."""
    weights = {(0, 1): 8.0, (0, 2): 7.0, (0, 3): 1.0, (1, 2): 6.0, (1, 3): 5.0, (2, 3): 9.0}
    pairs = tree(4, weights, Exponential(1e6, 1.0, np.random.default_rng(0)))
    assert pairs == [(2, 3), (0, 1), (0, 2)]
    assert root_tree(4, pairs).tolist() == [[0, 1], [0, 2], [2, 3]]
    assert root_tree(1, []).shape == (0, 2)


# --- the fit --------------------------------------------------------------------------------------------------------


def test_the_nearest_counts_that_are_none_negative() -> None:
    """Of (5, -1, 2) with a sum of 6: (4.5, 0, 1.5). A cell of four times the variance gives way four times as far."""
    assert on_simplex(Noisy(np.array([5.0, -1.0, 2.0]), np.ones(3)), 6.0).tolist() == [4.5, 0.0, 1.5]
    assert on_simplex(Noisy(np.array([5.0, 6.0]), np.array([1.0, 2.0])), 6.0).tolist() == [4.0, 2.0]


def squares(law: Floats, own: list[Noisy], pairs: list[Noisy], total: float) -> float:
    """Weighted squares of a law of three columns (2, 3, 2), from its definition."""
    margins = law.sum((1, 2)), law.sum((0, 2)), law.sum((0, 1))
    joints = law.sum(2), law.sum(0)
    loss = sum((((total * m - each.counts) / each.sd) ** 2).sum() for m, each in zip(margins, own, strict=True))
    return float(
        loss + sum((((total * m - each.counts) / each.sd) ** 2).sum() for m, each in zip(joints, pairs, strict=True))
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_the_best_law_there_is(seed: int) -> None:
    """Another optimiser moves all twelve cells of the law freely and finds nothing better, and nearly as good."""
    rng = np.random.default_rng(seed)
    own = [Noisy(rng.normal(8, 6, size), np.full(size, 2.0)) for size in (2, 3, 2)]
    pairs = [Noisy(rng.normal(4, 6, shape), np.full(shape, 1.5)) for shape in ((2, 3), (3, 2))]
    shares, joints = fit_tree(np.array([[0, 1], [1, 2]]), (2, 3, 2), own, pairs, 20.0)
    law = joints[0][:, :, None] * (joints[1] / joints[1].sum(1, keepdims=True))[None]
    np.testing.assert_allclose(shares[2], law.sum((0, 1)), atol=1e-9)
    minimize: Any = optimize.minimize  # its stubs know no bounds of floats
    other = minimize(
        lambda free: squares(free.reshape(2, 3, 2), own, pairs, 20.0),
        np.full(12, 1 / 12),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * 12,
        constraints=optimize.LinearConstraint(np.ones((1, 12)), 1.0, 1.0),
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert squares(law, own, pairs, 20.0) == pytest.approx(other.fun, rel=2e-5)


@pytest.mark.parametrize(("method", "name"), [(Mst, "whole"), (Mst, "short"), (Mst, "one column"), (AimTree, "whole")])
def test_with_next_to_no_noise_pairs_of_the_tree_are_those_of_the_table(method: Any, name: str) -> None:
    table = {"whole": leaning(400, 2), "short": leaning(9, 2), "one column": leaning(50, 1, (3,))}[name]
    fitted = method(epsilon=1e6, delta=0.01).fit(table, np.random.default_rng(0))
    assert sum(len(each.family) == 2 for each in fitted.conditionals) == (0 if name == "one column" else 4)
    domain = whole_domain(table)
    chance = np.exp(fitted.log_prob(domain))
    for conditional in fitted.conditionals:
        family = list(conditional.family)
        seen = Counter(map(tuple, table.codes[:, family].tolist()))
        fitted_share: Counter[tuple[int, ...]] = Counter()
        for codes, share in zip(domain.codes[:, family].tolist(), chance.tolist(), strict=True):
            fitted_share[tuple(codes)] += share
        for cell, share in fitted_share.items():
            assert share == pytest.approx(seen[cell] / len(table), abs=0.01)


@pytest.mark.parametrize(("method", "epsilon"), [(Mst, 5.0), (AimTree, 0.1), (AimTree, 5.0)])
def test_probabilities_sum_to_one_and_releases_follow_them(method: Any, epsilon: float) -> None:
    table = leaning(60, 3)
    fitted = method(epsilon=epsilon, delta=0.01).fit(table, np.random.default_rng(2))
    assert p_of_releases(fitted, table, 40_000) > 1e-4
    assert np.isfinite(fitted.log_prob(whole_domain(table))).all()


def test_the_table_shows_only_through_noisy_counts_and_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables that give the same noisy counts and the same picks give the same fit: nothing else is read."""
    table, other = leaning(60, 3), leaning(61, 4)
    kept: list[Noisy] = []

    def keeping(counts, sd, rng):  # type: ignore[no-untyped-def]
        kept.append(noisy(counts, sd, rng))
        return kept[-1]

    monkeypatch.setattr(mst, "noisy", keeping)
    weights = {pair: float(sum(pair)) for pair in combinations(range(5), 2)}
    picks = tree(5, weights, Exponential(9.0, 1.0, np.random.default_rng(0)))
    monkeypatch.setattr(mst, "tree", lambda *_: picks)
    first = Mst().fit(table, np.random.default_rng(1))
    again = iter(kept)
    monkeypatch.setattr(mst, "noisy", lambda *_: next(again))
    second = Mst().fit(other, np.random.default_rng(2))
    np.testing.assert_array_equal(first.log_prob(table), second.log_prob(table))


@pytest.mark.parametrize("method", [Mst, AimTree])
def test_a_level_that_nobody_has_is_released_all_the_same(method: Any) -> None:
    """The domain is the one that is declared: the last level of each column of this table is in no row."""
    table = leaning(300, 1)
    fits = [method().fit(table, np.random.default_rng(seed)) for seed in range(8)]
    codes = np.concatenate([fit.sample(500, np.random.default_rng(1)).codes for fit in fits])
    for j, column in enumerate(table.schema.categorical):
        assert (codes[:, j] == len(column.levels) - 1).any(), j


def test_what_cannot_be_fitted_is_refused() -> None:
    wide = Schema(tuple(Column(f"c{j}", Kind.CATEGORICAL, levels=tuple(map(str, range(5_000)))) for j in range(2)))
    with pytest.raises(DesignError, match="joint table"):
        Mst().fit(Table(wide, np.zeros((3, 2), dtype=np.int32), np.empty((3, 0))), np.random.default_rng(0))


BUDGETS = (0.5, 1.0, 3.0, 10.0)
DELTA = 0.01


def small(seed: int) -> tuple[Rows, int, float]:
    """A table of 2 to 84 rows of three binary columns, or four now and then, with many copies; a row; an epsilon.

    Where few rows have a level, the noise hides it and MST puts levels together: then picks say nothing. Of tables with
    more rows they say something, where pairs of columns are nearly as strong.
    """
    rng = np.random.default_rng([seed, 11])
    n, columns = int(rng.integers(2, 15)), 4 if seed % 10 == 9 else 3
    first = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    rest = [np.where(rng.random(n) < rng.random(), first, rng.random(n) < rng.random()) for _ in range(columns - 1)]
    rows = [tuple(map(int, row)) for row in np.stack([first, *rest], axis=1)]
    return rows * int(rng.choice([1, 2, 6])), int(rng.integers(n)), float(rng.choice(BUDGETS))


def integrated(tables: int, less: float = 1.0, sensitivity: float = 1.0) -> np.ndarray:
    """(tables, 3) the certificate, the best attack's AUC and its numerical error."""
    out = []
    for seed in range(tables):
        rows, gone, epsilon = small(seed)
        columns = len(rows[0])
        noise = plain.Noise.of(rho(epsilon, DELTA), columns, less, sensitivity)
        certified = compose(Mst(epsilon=epsilon, delta=DELTA).losses("add-one", len(rows), columns)).auc
        out.append([certified, *plain.best_auc(rows, gone, noise)])
    return np.array(out)


def judged(results: np.ndarray) -> tuple[int, float]:
    """How many truths lie above their certificate by more than 5 errors; and the root mean square of the errors."""
    error = float(np.sqrt((results[:, 2] ** 2).mean()))
    return int((results[:, 1] > results[:, 0] + 5 * np.maximum(results[:, 2], error)).sum()), error


def test_two_columns_have_the_closed_form() -> None:
    """There is one tree: two normal steps, and nothing is picked."""
    for epsilon in BUDGETS:
        noise = plain.Noise.of(rho(epsilon, DELTA), 2)
        mu = math.sqrt(2 / noise.column**2 + 1 / noise.pair**2)
        closed = float(special.ndtr(mu / math.sqrt(2)))
        truth, error = plain.best_auc([(0, 0), (0, 1), (1, 1)], 1, noise)
        assert abs(truth - closed) < 5 * error + 2e-4
        assert compose(Mst(epsilon=epsilon, delta=DELTA).losses("add-one", 3, 2)).auc == pytest.approx(closed, abs=5e-4)


def test_trees_are_counted() -> None:
    """Of three columns 3 x 2 orders; of four the 16 trees of Cayley, each in 3! orders."""
    assert len(plain.trees(3)) == 6
    ways = plain.trees(4)
    assert len(ways) == 96
    assert set(Counter(frozenset(pick for pick, _ in way) for way in ways).values()) == {6}


def test_no_attack_on_mst_is_above_its_certificate() -> None:
    results = integrated(8)
    assert judged(results)[0] == 0
    assert results[:, 0].mean() - 0.05 < results[:, 1].mean() < results[:, 0].mean()


@pytest.mark.slow
def test_no_attack_on_mst_is_above_its_certificate_on_a_thousand_tables() -> None:
    """The worst table is not every table, and not far away: the nearest of 1,000 is .007 below."""
    results = integrated(1_000)
    above, error = judged(results)
    assert above == 0
    assert error < 2e-4
    assert results[:, 0].mean() - 0.05 < results[:, 1].mean() < results[:, 0].mean()
    assert (results[:, 0] - results[:, 1]).min() < 0.01


@pytest.mark.second
@pytest.mark.parametrize(("less", "sensitivity"), [(0.5, 1.0), (0.8, 1.0), (1.0, 1 / 8)])
def test_a_method_that_gives_more_away_is_seen(less: float, sensitivity: float) -> None:
    """Planted: half of the noise, four fifths of it, and a sensitivity of an eighth of a row."""
    assert judged(integrated(30, less, sensitivity))[0] >= 5


def picks_agree(rows: Rows, epsilon: float, fits: int) -> float:
    """The p-value (chi-square) of how often fits of the program picked each tree, by the integrated law of picks."""
    columns, rng, generator = len(rows[0]), np.random.default_rng(len(rows)), Mst(epsilon=epsilon, delta=DELTA)
    pairs, table = list(combinations(range(columns), 2)), categories(rows, (2,) * columns)
    seen = Counter(tuple(pairs[pick] for pick in generator.fit(table, rng).drawn.picks) for _ in range(fits))
    chance = plain.picked(rows, plain.Noise.of(rho(epsilon, DELTA), columns))
    ways = [tuple(pick for pick, _ in way) for way in plain.trees(columns)]
    assert set(seen) <= set(ways)
    return float(stats.chisquare([seen[way] for way in ways], fits * chance / chance.sum()).pvalue)


LEANING = [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)]
"""The first two columns lean on each other; of so few rows the noise often hides levels, and picks are nearly even."""
WEAK = [
    (a, b, c)
    for (a, b, c), n in zip(product((0, 1), repeat=3), (4, 2, 2, 2, 2, 3, 2, 3), strict=True)
    for _ in range(n)
]
"""Every pair leans a little: how sure picks are shows in how often each tree is picked."""


def test_fits_pick_by_the_law_that_was_integrated() -> None:
    assert picks_agree(WEAK, 10.0, 300) > 1e-4


@pytest.mark.second
@pytest.mark.parametrize(
    "fault", ["", pytest.param("picks twice too sure", marks=pytest.mark.slow), "levels not put together"]
)
def test_fits_that_pick_by_another_law_are_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault.startswith("picks"):
        monkeypatch.setattr(msts, "Exponential", lambda epsilon, moved, rng: Exponential(2 * epsilon, moved, rng))
    elif fault:
        monkeypatch.setattr(msts, "SEEN", -math.inf)
    cases = [(LEANING, 10.0), (LEANING * 3, 3.0), (LEANING * 6, 1.0), (WEAK, 10.0), (WEAK * 2, 3.0)]
    worst = min(picks_agree(rows, epsilon, 1_000) for rows, epsilon in cases)
    assert (worst < 1e-6) == bool(fault), worst
