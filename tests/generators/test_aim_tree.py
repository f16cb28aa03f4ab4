"""AIM on a tree: its budget and what that costs a person, its rounds by hand, its law by another optimiser."""

import math
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.generators import aim_tree, private_gsd
from riskkit.generators.aim_tree import AimTree, EstimatedLaw, Exact, next_part, open_to, weights
from riskkit.generators.engines.network import compact
from riskkit.generators.engines.noisy_counts import Exponential, rho_of_delta
from riskkit.generators.engines.tree_fit import Forest, Noisy, fit_forest, noisy, parts, together
from riskkit.generators.private_gsd import PrivateGsd
from riskkit.stats.composition import compose
from tests.generators.networks import leaning

RHO = 0.10341283
"""What epsilon 1 and delta .01 allow."""

# --- the budget -----------------------------------------------------------------------------------------------------


def test_what_a_person_costs_by_hand() -> None:
    """Of rho, .09 / 1.6 goes to the first counts; a tenth of the rest to picks; mu^2 = 2 counts + pi picks."""
    picks = 0.1 * RHO * (1 - 0.9 / 16)
    ((kind, size),) = AimTree(epsilon=1.0, delta=0.01).losses("add-one", 1_000, 15)
    assert kind == "gaussian"
    assert size == pytest.approx(math.sqrt(2 * (RHO - picks) + math.pi * picks), abs=1e-6)
    assert compose(((kind, size),)).auc == pytest.approx(0.6293, abs=1e-4)
    ((_, replaced),) = AimTree(epsilon=1.0, delta=0.01).losses("replace-one", 1_000, 15)
    assert replaced**2 == pytest.approx(4 * (RHO - picks) + 4 * math.pi * picks, abs=1e-6)


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 20.0])
def test_a_fit_spends_what_it_says(columns: int, epsilon: float) -> None:
    """Added up from the noise and the epsilons of the rounds that were played, however many: all of rho, and mu."""
    generator = AimTree(epsilon=epsilon, delta=0.01)
    fitted = generator.fit(leaning(60, 3, (3, 2, 4, 3, 2)[:columns]), np.random.default_rng(columns))
    tables = [float(each.sd.flat[0]) for _, each in fitted.drawn.taken]
    counts, picks = sum(1 / sd**2 for sd in tables), sum(each.epsilon**2 for each in fitted.drawn.rounds)
    assert len(tables) == columns + len(fitted.drawn.rounds)
    assert counts / 2 + picks / 8 == pytest.approx(rho_of_delta(epsilon, 0.01))
    ((_, mu),) = generator.losses("add-one", 60, columns)
    assert counts + math.pi / 8 * picks == pytest.approx(mu**2)


def quantile(logit: Floats) -> Floats:
    """The normal quantile of a chance."""
    out: Floats = np.sign(logit) * stats.norm.isf(special.expit(-np.abs(logit)))
    return out


def test_a_pick_is_no_more_than_the_normal_step_it_is_taken_for() -> None:
    """All pairs of two outcomes whose logits are epsilon apart; and the composition of one selection."""
    steepest = 0.0
    for epsilon in np.geomspace(0.01, 20, 40):
        points = np.linspace(-30, 30, 4_001)  # the logit of the less likely chance
        apart = quantile(points + epsilon) - quantile(points)
        steepest = max(steepest, float(apart.max()) / epsilon)
        mu = math.sqrt(math.pi / 8) * epsilon
        fpr = np.linspace(0.001, 0.999, 300)
        if epsilon < 5:
            normal = stats.norm.cdf(stats.norm.ppf(fpr) + mu)
            assert (compose((("selection", float(epsilon)),)).tpr(fpr) < normal + 1e-3).all()
    assert 0.999 * math.sqrt(math.pi / 8) < steepest <= math.sqrt(math.pi / 8) + 1e-9


@pytest.mark.parametrize(
    ("method", "module", "fits"),
    [
        (AimTree(epsilon=2.0, delta=0.01), aim_tree, 25),
        (PrivateGsd(epsilon=2.0, delta=0.01, rows=20, tries=1), private_gsd, 10),
    ],
    ids=["aim_tree", "private_gsd"],
)
@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (0.7, False), (1.3, False)])
def test_a_fit_puts_its_noise_on_every_cell(
    method: Any, module: Any, fits: int, factor: float, right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What whole fits add to counts, in the deviations that they state; ``factor`` is a planted fault."""

    def watched(counts, sd, rng):  # type: ignore[no-untyped-def]
        return Noisy(noisy(counts, factor * sd, rng).counts, np.full(counts.shape, sd))

    monkeypatch.setattr(module, "noisy", watched)
    table, added = leaning(200, 1), list[float]()
    for seed in range(fits):
        fitted = method.fit(table, np.random.default_rng(seed))
        for seen, exact in zip(fitted.noisy_counts(), fitted.exact_counts(table), strict=True):
            added.extend(((seen.counts - exact) / seen.scale).ravel().tolist())
    p = stats.kstest(added, stats.norm().cdf).pvalue
    assert (p > 1e-3) == right
    assert right or p < 1e-6


# --- rounds, by hand ------------------------------------------------------------------------------------------------


def test_weights_by_hand() -> None:
    """Four people, (0, 0), (0, 0), (1, 1), (1, 0), beside even shares of four rows: see each line."""
    exact = Exact(compact(np.array([[0, 0], [0, 0], [1, 1], [1, 0]], dtype=np.int32), (2, 2)), (2, 2))
    law = EstimatedLaw(4.0, Forest((np.array([0.5, 0.5]), np.array([0.5, 0.5])), {}))
    weighed = weights(exact, law, [(0,), (1,), (0, 1)], 0.25)
    size = 0.25 * math.sqrt(2 / math.pi)
    errors = 0.0, 2.0, 2.0  # (2, 2); (3, 1); and ((2, 0), (1, 1)) against ones
    assert weighed.tolist() == pytest.approx([(errors[0] - 2 * size) / 2, (errors[1] - 2 * size) / 2, 2 - 4 * size])


@pytest.mark.parametrize("row", range(20))
def test_one_row_moves_no_weight_by_more_than_one(row: int) -> None:
    """The sensitivity of the picks, whatever the law so far."""
    rng = np.random.default_rng(row)
    codes, sizes = rng.integers(0, 3, (30, 3)).astype(np.int32), (3, 3, 3)
    law = EstimatedLaw(rng.uniform(1, 60), Forest(tuple(rng.dirichlet(np.ones(3)) for _ in sizes), {}))
    candidates = open_to(sizes, law.forest)
    assert len(candidates) == 6
    both = [
        weights(Exact(compact(held, sizes), sizes), law, candidates, 2.0)
        for held in (codes, np.delete(codes, row, axis=0))
    ]
    assert np.abs(both[0] - both[1]).max() <= 1 + 1e-9


def test_a_pair_is_open_where_it_joins_two_trees_or_was_counted() -> None:
    """(0, 2) and (2, 3) were counted: (0, 3) would close a circle; column 4 of 60,000 values joins none of two."""
    edges: Any = dict.fromkeys([(0, 2), (3, 2)], np.empty(0))
    sizes = (2, 2, 2, 2, 60_000)
    assert open_to(sizes, Forest((), edges)) == [(0,), (1,), (2,), (3,), (4,), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    assert parts(5, edges) == [[0, 2, 3], [1], [4]]


def test_rounds_become_dearer_where_noise_hides_what_is_left() -> None:
    """Noise of 2 rows on 5 cells is 7.98 in mean."""
    assert next_part(0.1, 7.9, 2.0, 5) == pytest.approx(0.4)
    assert next_part(0.1, 8.0, 2.0, 5) == 0.1


def test_counts_of_one_table_are_taken_together_by_precision() -> None:
    """10 of variance 1 and 16 of variance 2: (10 + 8) / 1.5 = 12, of variance 2 / 3."""
    both = together(Noisy(np.array([10.0]), np.ones(1)), Noisy(np.array([16.0]), np.full(1, math.sqrt(2))))
    assert both.counts.tolist() == pytest.approx([12.0])
    assert both.sd.tolist() == pytest.approx([math.sqrt(2 / 3)])


# --- the fit --------------------------------------------------------------------------------------------------------


def squares(law: Any, own: list[Noisy], pairs: dict[tuple[int, int], Noisy], total: float) -> float:
    """Weighted squares of a law of four columns, from its definition."""
    wanted: list[tuple[tuple[int, ...], Noisy]] = [((j,), each) for j, each in enumerate(own)] + list(pairs.items())
    loss = 0.0
    for family, each in wanted:
        margin = law.sum(tuple(j for j in range(4) if j not in family))
        loss += (((total * margin - each.counts) / each.sd) ** 2).sum()
    return float(loss)


@pytest.mark.parametrize("seed", range(4))
def test_the_law_is_the_best_there_is(seed: int) -> None:
    """Of two trees, with noise that differs from pair to pair: another optimiser finds nothing better."""
    rng, sizes = np.random.default_rng(seed), (2, 3, 2, 2)
    own = [Noisy(rng.normal(8, 6, size), np.full(size, 2.0)) for size in sizes]
    pairs = {
        (1, 2): Noisy(rng.normal(4, 6, (3, 2)), np.full((3, 2), 0.7)),
        (0, 1): Noisy(rng.normal(4, 6, (2, 3)), np.full((2, 3), 3.0)),
    }
    law_fitted = fit_forest(sizes, own, pairs, 20.0)
    assert set(law_fitted.joints) == {(0, 1), (1, 2)}
    conditional = law_fitted.pair(1, 2) / law_fitted.shares[1][:, None]
    law = (law_fitted.pair(1, 0).T[:, :, None] * conditional[None])[..., None] * law_fitted.shares[3]
    minimize: Any = optimize.minimize  # its stubs know no bounds of floats
    other = minimize(
        lambda free: squares(free.reshape(sizes), own, pairs, 20.0),
        np.full(24, 1 / 24),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * 24,
        constraints=optimize.LinearConstraint(np.ones((1, 24)), 1.0, 1.0),
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert squares(law, own, pairs, 20.0) == pytest.approx(other.fun, rel=1e-4)


def test_columns_that_lean_on_each_other_are_found_and_others_are_left_alone() -> None:
    """Columns 0 and 1 are equal, 2 and 3 are of their own; of 3,000 rows that is seen through the noise."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 4, (3_000, 4)).astype(np.int32)
    codes[:, 1] = codes[:, 0]
    schema = Schema(tuple(Column(f"c{j}", Kind.CATEGORICAL, levels=tuple("abcd")) for j in range(4)))
    first = [
        next(family for family, _ in AimTree(epsilon=2.0).fit(table, np.random.default_rng(seed)).drawn.taken[4:])
        for seed in range(8)
        for table in (Table(schema, codes, np.empty((3_000, 0))),)
    ]
    assert first == [(0, 1)] * 8


def test_the_table_shows_only_through_noisy_counts_and_picks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another table, given the same noisy counts and picks, has the same fit, round for round."""
    table, other = leaning(60, 3), leaning(61, 4)
    first = AimTree().fit(table, np.random.default_rng(1))
    again, picks = iter(first.drawn.taken), iter(first.drawn.rounds)
    monkeypatch.setattr(aim_tree, "noisy", lambda *_: next(again)[1])
    monkeypatch.setattr(Exponential, "__call__", lambda *_: next(picks).pick)
    second = AimTree().fit(other, np.random.default_rng(2))
    assert [each.sd for each in second.drawn.rounds] == [each.sd for each in first.drawn.rounds]
    np.testing.assert_array_equal(first.log_prob(table), second.log_prob(table))


def test_picks_have_the_chances_of_their_definition() -> None:
    """Of each round, from plain counts of the table and of one with a row less."""
    table = leaning(25, 2, (3, 2, 3))
    fitted = AimTree(epsilon=30.0, delta=0.01).fit(table, np.random.default_rng(2))
    for world in (table, table.without(4)):
        total = 0.0
        for each in fitted.drawn.rounds:
            tree = {column: index for index, part in enumerate(parts(3, each.law.forest.joints)) for column in part}
            joined = {frozenset(edge) for edge in each.law.forest.joints}
            families: list[tuple[int, ...]] = [(0,), (1,), (2,)]
            families += [(a, b) for a, b in combinations(range(3), 2) if tree[a] != tree[b] or {a, b} in joined]
            power = []
            for family in families:
                seen = Counter(map(tuple, world.codes[:, list(family)].tolist()))
                expected = each.law.counts(family)
                error = sum(abs(float(seen[cell] - expected[cell])) for cell in np.ndindex(expected.shape))
                size = math.sqrt(2 / math.pi) * each.sd * expected.size
                power.append(each.epsilon / 2 * (1.0 if len(family) == 2 else 0.5) * (error - size))
            total += power[each.pick] - float(special.logsumexp(power))
        assert fitted.log_picks(world) == pytest.approx(total)
