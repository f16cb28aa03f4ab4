"""PrivBayes: its noise against its scale, its guarantee against simulation, its limits against the plain network."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators import privbayes
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines import noisy_counts
from riskkit.generators.engines.network import compact
from riskkit.generators.engines.noisy_counts import FLOOR, Exponential
from riskkit.generators.privbayes import FittedPrivBayes, PrivBayes, laplace_scale, noisy, sensitivity
from tests.generators.networks import leaning, p_of_releases, whole_domain
from tests.tables import mixed

ANOTHER = 3
"""A seed of a training in which some rows decide which network wins."""


def categories(rows: list[tuple[int, ...]], levels: tuple[int, ...]) -> Table:
    """A table of categories from its codes."""
    columns = tuple(
        Column(f"column {j}", Kind.CATEGORICAL, levels=tuple(f"level {code}" for code in range(size)))
        for j, size in enumerate(levels)
    )
    return Table(Schema(columns), np.array(rows, dtype=np.int32), np.empty((len(rows), 0)))


def tables_of(n: int, cells: int) -> list[tuple[int, ...]]:
    """Every way to put ``n`` rows into so many cells."""
    if cells == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in tables_of(n - first, cells - 1)]


def information(counts: tuple[int, ...], shape: tuple[int, int]) -> float:
    """Mutual information of a table of counts, in nats, from its definition."""
    share = np.array(counts).reshape(shape) / sum(counts)
    apart = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    return float(sum(p * math.log(p / q) for p, q in zip(share.ravel(), apart.ravel(), strict=True) if p))


def farthest(n: int, shape: tuple[int, int]) -> float:
    """The most that mutual information moves when one of ``n`` rows is replaced, over all tables of that shape."""
    cells = shape[0] * shape[1]
    of = {counts: information(counts, shape) for counts in tables_of(n, cells)}
    most = 0.0
    for counts, value in of.items():
        for gone, come in product(range(cells), repeat=2):
            if counts[gone] and gone != come:
                other = list(counts)
                other[gone] -= 1
                other[come] += 1
                most = max(most, abs(of[tuple(other)] - value))
    return most


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (2, 4), (3, 3)])
def test_no_replaced_row_moves_the_information_further_than_stated(n: int, shape: tuple[int, int]) -> None:
    """Over every table there is; the bound is reached by two-valued columns always, by others for odd n."""
    binary = 2 in shape
    most, stated = farthest(n, shape), sensitivity(n, binary)
    assert most <= stated + 1e-12
    if binary or n % 2:
        assert most == pytest.approx(stated, abs=1e-12)


def test_the_bound_of_two_values_is_too_small_for_three() -> None:
    """The known pitfall: with it the test above would fail."""
    assert farthest(3, (3, 3)) > sensitivity(3, binary=True) + 0.2


def noise_in(scale_wanted: float, scale_used: float) -> float:
    """p-value (Kolmogorov-Smirnov) of the noise in counts of 5,000 cells, far above 0, against the wanted scale."""
    columns = compact(np.repeat(np.arange(5_000, dtype=np.int32), 100)[:, None], (5_000,))
    noise = noisy(columns, (0,), (5_000,), scale_used, np.random.default_rng(4)) - 100.0
    return float(stats.kstest(noise, stats.laplace(scale=scale_wanted).cdf).pvalue)


def test_the_noise_has_its_scale_and_no_other() -> None:
    assert noise_in(4.0, 4.0) > 1e-3
    assert noise_in(4.0, 0.7 * 4.0) < 1e-6
    assert noise_in(4.0, 1.3 * 4.0) < 1e-6


def noise_of_a_fit(monkeypatch: pytest.MonkeyPatch, factor: float = 1.0) -> tuple[list[float], int]:
    """The noise that whole fits put on their counts, and how many tables a fit made; ``factor`` is a planted fault."""
    noise: list[float] = []
    tables = 0

    def watched(columns, family, sizes, scale, rng):  # type: ignore[no-untyped-def]
        nonlocal tables
        tables += 1
        with monkeypatch.context() as patch:
            patch.setattr(noisy_counts, "FLOOR", -np.inf)
            quiet, loud = noisy(columns, family, sizes, 0.0, rng), noisy(columns, family, sizes, factor * scale, rng)
        noise.extend((loud - quiet).ravel().tolist())
        return np.maximum(loud, FLOOR)

    monkeypatch.setattr(privbayes, "noisy", watched)
    for seed in range(40):
        PrivBayes(epsilon=2.0, degree=2, share=0.25).fit(leaning(200, 1), np.random.default_rng(seed))
    return noise, tables // 40


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (0.7, False), (1.3, False)])
def test_a_fit_puts_the_promised_noise_on_every_table(
    factor: float, right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5 columns and degree 2: 3 tables, sensitivity 2, three quarters of epsilon 2, so a scale of 2 * 3 / 1.5 = 4."""
    noise, tables = noise_of_a_fit(monkeypatch, factor)
    assert tables == 3
    assert laplace_scale(1.5, 3) == 4.0
    p = stats.kstest(noise, stats.laplace(scale=4.0).cdf).pvalue
    assert (p > 1e-3) == right
    assert right or p < 1e-6


def picks(epsilon: float, trials: int = 40_000) -> list[int]:
    """How often each of three weights is picked, at a sensitivity of a half."""
    mechanism = Exponential(epsilon, 0.5, np.random.default_rng(8))
    weights = np.array([0.0, -np.inf, 1.0, 0.4])
    counted = Counter(mechanism(weights) for _ in range(trials))
    assert counted[1] == 0
    return [counted[place] for place in (0, 2, 3)]


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (0.7, False), (1.3, False)])
def test_the_exponential_mechanism_picks_with_its_chances(factor: float, right: bool) -> None:
    """Chance proportional to exp(epsilon w / (2 * 0.5)), by chi-square."""
    chance = np.exp(1.5 * np.array([0.0, 1.0, 0.4]))
    seen = picks(1.5 * factor)
    p = stats.chisquare(seen, sum(seen) * chance / chance.sum()).pvalue
    assert (p > 1e-3) == right
    assert right or p < 1e-6


def test_the_structure_gets_its_share_in_equal_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """5 columns, so 4 picks; a quarter of epsilon 2 each an eighth; three values a column, so the larger bound."""
    made: list[Exponential] = []

    class Watched(Exponential):
        def __call__(self, weights):  # type: ignore[no-untyped-def]
            made.append(self)
            return super().__call__(weights)

    monkeypatch.setattr(privbayes, "Exponential", Watched)
    PrivBayes(epsilon=2.0, share=0.25).fit(leaning(90, 1), np.random.default_rng(0))
    assert [(each.epsilon, each.sensitivity) for each in made] == [(0.125, sensitivity(90, binary=False))] * 4
    made.clear()
    binary = categories([(0, 1, 0), (1, 1, 0), (0, 0, 1)], (2, 2, 2))
    PrivBayes(degree=1).fit(binary, np.random.default_rng(0))
    assert {each.sensitivity for each in made} == {sensitivity(3, binary=True)}


def structure(fitted: FittedPrivBayes) -> set[tuple[int, ...]]:
    """The families of a fit, as sets in order."""
    return {(*sorted(conditional.family[:-1]), conditional.family[-1]) for conditional in fitted.conditionals}


@pytest.mark.parametrize("degree", [1, 2])
def test_a_large_epsilon_gives_the_plain_network(degree: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same root, same parents, and the plain likelihood of every row."""
    table = mixed(300)

    class First(np.random.Generator):
        def integers(self, *_args: object, **_kwargs: object) -> int:  # type: ignore[override]
            return 0

    rng = First(np.random.PCG64(1))
    fitted = PrivBayes(epsilon=1_000_000.0, degree=degree).fit(table, rng)
    plain = BayesNet(degree=degree).fit(table, np.random.default_rng(0))
    assert structure(fitted) == {(*above, j) for j, above in enumerate(plain.parents)}
    np.testing.assert_allclose(fitted.log_prob(table), plain.log_prob(table), atol=1e-3)


def test_a_small_epsilon_tells_nothing() -> None:
    """Over many fits at epsilon 0.001, every column is as good as uniform and every root and pair equally likely."""
    table = categories([(0, 0, 0)] * 300, (2, 2, 2))
    fits = [PrivBayes(epsilon=0.001, degree=1).fit(table, np.random.default_rng(seed)) for seed in range(600)]
    release = np.concatenate([fit.sample(1, np.random.default_rng([9, i])).codes for i, fit in enumerate(fits)])
    for j in range(3):
        assert stats.binomtest(int(release[:, j].sum()), len(fits)).pvalue > 1e-3
    roots = Counter(fit.conditionals[0].family[0] for fit in fits)
    assert stats.chisquare([roots[j] for j in range(3)]).pvalue > 1e-3


def families(fitted: FittedPrivBayes) -> tuple[tuple[int, ...], ...]:
    """The network, in the order in which its columns joined."""
    return tuple(conditional.family for conditional in fitted.conditionals)


def test_without_a_row_another_network_can_win_and_it_is_the_one_of_a_refit() -> None:
    """A fit that kept its network, and took a one off its noisy counts, would be none that the method makes."""
    table = mixed(300)
    whole = PrivBayes(epsilon=20.0).fit(table, np.random.default_rng(ANOTHER))
    changed = 0
    for row in range(300):
        left = whole.without(row)
        again = PrivBayes(epsilon=20.0).fit(table.without(row), np.random.default_rng(ANOTHER))
        assert families(left) == families(again)
        np.testing.assert_array_equal(left.log_prob(table), again.log_prob(table))
        changed += families(left) != families(whole)
    assert 0 < changed < 300


def test_the_sensitivity_of_the_shorter_table_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault keeps that of the table with the row; in a short table another network then wins at times."""
    table, seeds = mixed(9), range(60)
    again = [PrivBayes(epsilon=60.0).fit(table.without(4), np.random.default_rng(seed)) for seed in seeds]
    whole = [PrivBayes(epsilon=60.0).fit(table, np.random.default_rng(seed)) for seed in seeds]
    assert [families(fit.without(4)) for fit in whole] == [families(fit) for fit in again]
    monkeypatch.setattr(privbayes, "sensitivity", lambda n, binary: sensitivity(n + 1, binary))
    assert [families(fit.without(4)) for fit in whole] != [families(fit) for fit in again]


def test_leaving_a_row_out_does_not_move_the_stream() -> None:
    """Two calls give one fit, and a fit draws from its generator as if nothing were kept of it."""
    table, rng = mixed(60), np.random.default_rng(3)
    whole = PrivBayes().fit(table, rng)
    after = rng.bit_generator.state
    first, second = whole.without(5), whole.without(5)
    np.testing.assert_array_equal(first.log_prob(table), second.log_prob(table))
    assert rng.bit_generator.state == after


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_probabilities_sum_to_one_and_releases_follow_them(degree: int) -> None:
    table = leaning(40, 3)
    fitted = PrivBayes(epsilon=5.0, degree=degree).fit(table, np.random.default_rng(2))
    assert p_of_releases(fitted, table, 40_000, off=1e-12) > 1e-4
    assert np.isfinite(fitted.log_prob(whole_domain(table))).all()


def test_the_first_columns_share_one_table() -> None:
    """Their conditionals multiply to the joint table of the first degree + 1 columns."""
    fitted = PrivBayes(degree=2).fit(leaning(60, 1), np.random.default_rng(5))
    first, second, third = fitted.conditionals[:3]
    assert second.family == (*first.family, second.family[-1])
    assert third.family == (*second.family, third.family[-1])
    assert sorted(len(conditional.family) for conditional in fitted.conditionals) == [1, 2, 3, 3, 3]


def ratio(table: Table, neighbour: Table, share: float, trials: int = 5_000) -> float:
    """The largest lower bound on the log ratio of any event's chances under two worlds, at epsilon 1.

    Events are the structure, which rows of the domain are as good as impossible (a cell that the noise took below 0),
    and both together. Clopper-Pearson at 1e-4 an event and side.
    """
    generator, domain = PrivBayes(epsilon=1.0, degree=1, share=share), whole_domain(table)
    seen = []
    for place, world in enumerate((table, neighbour)):
        events: Counter[object] = Counter()
        for trial in range(trials):
            fitted = generator.fit(world, np.random.default_rng([place, trial]))
            families = tuple(conditional.family for conditional in fitted.conditionals)
            possible = (fitted.log_prob(domain) > math.log(1e-4)).tobytes()
            events.update((families, possible, (families, possible)))
        seen.append(events)
    worst = -math.inf
    for event in set(seen[0]) | set(seen[1]):
        for few, many in ((seen[0][event], seen[1][event]), (seen[1][event], seen[0][event])):
            low = stats.beta.ppf(1e-4, many, trials - many + 1) if many else 0.0
            worst = max(worst, math.log(low / stats.beta.ppf(1 - 1e-4, few + 1, trials - few)) if low else -math.inf)
    return worst


COUNTS = categories([(0, 0)], (2, 2)), categories([(1, 1)], (2, 2)), 0.05
"""Two worlds of one row, and a budget that goes to the counts: the structure has nothing to choose here."""
PICKS = categories([(0, 0, 0)] * 3, (2, 2, 2)), categories([(0, 0, 0), (0, 0, 0), (1, 1, 0)], (2, 2, 2)), 0.95
"""Two worlds of three rows whose information differs by all that one row can make, and a budget for the structure."""


@pytest.mark.slow
@pytest.mark.parametrize("case", [COUNTS, PICKS], ids=["counts", "structure"])
def test_no_event_tells_neighbours_apart_further_than_epsilon(case: tuple[Table, Table, float]) -> None:
    assert ratio(*case) <= 1.0


@pytest.mark.slow
def test_the_simulation_sees_too_little_noise_on_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the scale, as when the noise of shares of three rows is put on their counts."""
    monkeypatch.setattr(privbayes, "laplace_scale", lambda epsilon, tables: 2.0 * tables / epsilon / 3)
    assert ratio(*COUNTS) > 1.0


@pytest.mark.slow
def test_the_simulation_sees_a_structure_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sensitivity so small that the largest information always wins."""
    monkeypatch.setattr(privbayes, "sensitivity", lambda n, binary: 1e-3)
    assert ratio(*PICKS) > 1.0


def test_what_cannot_be_fitted_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DesignError, match=r"2 parents in a table of 2 columns\. Choose a degree below 2"):
        PrivBayes().fit(categories([(0, 1)], (2, 2)), rng)
    with pytest.raises(DesignError, match="joint table of 10,000,000 cells"):
        PrivBayes().fit(categories([(0, 0, 0)], (300, 300, 300)), rng)


def test_one_row_and_one_column_are_enough() -> None:
    rng = np.random.default_rng(0)
    assert len(PrivBayes(degree=1).fit(categories([(0,)], (2,)), rng).sample(5, rng)) == 5
    assert len(PrivBayes().fit(mixed(1), rng).sample(5, rng)) == 5


def test_a_cell_is_never_below_the_floor() -> None:
    fitted = PrivBayes(epsilon=0.001).fit(mixed(50), np.random.default_rng(0))
    for each in fitted.conditionals:
        assert each.chance.min() > 0
        np.testing.assert_allclose(each.chance.sum(axis=1), 1.0, atol=1e-12)
