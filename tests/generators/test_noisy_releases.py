"""The law of whole releases of PrivBayes against noise that is drawn, by code that shares nothing."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.generators import privbayes
from riskkit.generators.engines import noisy_counts, noisy_releases
from riskkit.generators.engines.network import compact
from riskkit.generators.engines.noisy_releases import NoisyShares, log_mean, networks, ways
from riskkit.generators.privbayes import PrivBayes
from riskkit.questions.records.certificate import Weighed
from riskkit.stats.composition import compose
from riskkit.stats.privacy import auc_cap
from riskkit.table.encode import bin_columns
from tests.generators import plain_private as plain
from tests.generators import plain_releases
from tests.generators.test_privbayes import categories
from tests.tables import mixed

SIZES = ((2, 2, 2), (3, 2, 2), (2, 2, 2, 2), (4, 3), (2, 5, 1))
BUDGETS = (0.5, 1.0, 3.0, 10.0, 40.0)


def small(seed: int) -> tuple[plain.Rows, int, tuple[int, ...], np.random.Generator]:
    """A table of 2 to 12 rows with copies and columns that lean on each other now and then, and a row of it."""
    rng = np.random.default_rng([7, seed])
    sizes = SIZES[seed % len(SIZES)]
    n = int(rng.integers(2, 13))
    first = rng.integers(sizes[0], size=n)
    rest = [np.where(rng.random(n) < rng.random(), first % size, rng.integers(size, size=n)) for size in sizes[1:]]
    rows = [tuple(map(int, row)) for row in np.stack([first, *rest], axis=1)]
    if rng.random() < 0.3:  # nearly everybody is alike
        rows = [rows[0]] * (n - 1) + [rows[-1]]
    return rows, int(rng.integers(n)), sizes, rng


@dataclass(frozen=True)
class Case:
    """Two worlds of a small table, how PrivBayes is fitted to them, and the chances of its releases by drawn noise."""

    worlds: tuple[plain.Rows, plain.Rows]
    sizes: tuple[int, ...]
    epsilon: float
    share: float
    n: int
    is_replaced: bool
    drawn: plain_releases.Draws
    error: plain_releases.Draws
    state: dict[str, Any]
    """Where the draws of the case go on."""


@cache
def case(seed: int, draws: int) -> Case:
    """The case of that seed. Nothing of the program is in it, so every fault is held against the same noise."""
    rows, gone, sizes, rng = small(seed)
    epsilon, share, n = float(rng.choice(BUDGETS)), float(rng.choice((0.2, 0.5, 0.9))), int(rng.integers(1, 4))
    is_replaced = bool(seed // len(SIZES) % 2)
    other = rows[:gone] + rows[gone + 1 :]
    if is_replaced:
        other = [*other, tuple((code + 1) % size for code, size in zip(rows[gone], sizes, strict=True))]
    drawn, error = plain_releases.release_chances((rows, other), sizes, epsilon, share, n, draws, seed)
    return Case((rows, other), sizes, epsilon, share, n, is_replaced, drawn, error, dict(rng.bit_generator.state))


def both(seed: int, draws: int) -> tuple[float, float, float, float, float]:
    """AUC of the program and of the drawn noise, two bounds on it, and how many standard errors a release is off."""
    made = case(seed, draws)
    (rows, other), sizes, n, is_replaced = made.worlds, made.sizes, made.n, made.is_replaced
    rng = np.random.default_rng()
    rng.bit_generator.state = made.state
    generator = PrivBayes(epsilon=made.epsilon, degree=1, share=made.share)
    table, world = categories(rows, sizes), categories(other, sizes)
    law = generator.releases(table, n, 0, rng)
    assert law.is_listed
    ours = np.exp([law.log_prob(table), law.log_prob(world)])
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, atol=1e-8)
    best = Weighed.weigh(*np.log(ours), is_listed=True).auc[0]
    assert best == pytest.approx(plain_releases.auc(*ours), abs=1e-6)
    drawn, error = made.drawn, made.error
    flat = {
        tuple(np.sort([int(np.ravel_multi_index(row, sizes)) for row in release])): index
        for index, release in enumerate(plain_releases.every_release(sizes, n))
    }
    seen = law.seen.reshape(len(law.seen), -1)
    where = np.array([flat[tuple(np.repeat(np.arange(seen.shape[1]), counts))] for counts in seen])
    side, drawn_release = int(rng.integers(2)), int(rng.integers(len(where)))
    off = (ours[side, drawn_release] - drawn[side, where[drawn_release]]) / max(
        error[side, where[drawn_release]], 1e-12
    )
    relation = "replace-one" if is_replaced else "add-one"
    bound = compose(generator.losses(relation, len(rows), len(sizes))).auc
    return best, plain_releases.auc(*drawn), bound, auc_cap(made.epsilon, 0.0) if is_replaced else 1.0, float(off)


def looked_at(tables: int, draws: int) -> tuple[float, float, float, int]:
    """Largest difference of AUCs, their mean difference, mean square of standardised differences; AUCs over a bound."""
    results = np.array([both(seed, draws) for seed in range(tables)])
    apart = results[:, 0] - results[:, 1]
    over = (results[:, 0] > np.minimum(results[:, 2], results[:, 3]) + 1e-6).sum()
    return float(np.abs(apart).max()), float(apart.mean()), float((results[:, 4] ** 2).mean()), int(over)


@pytest.mark.second
def test_releases_have_the_chances_that_noise_gives_them() -> None:
    most, mean, square, over = looked_at(25, 400)
    assert over == 0
    assert most < 0.02
    assert abs(mean) < 0.003
    assert 0.3 < square < 2.2  # chi-square over 25: below .3 or above 2.2 once in thousands


@pytest.mark.slow
def test_releases_of_a_thousand_tables_have_the_chances_that_noise_gives_them() -> None:
    most, mean, square, over = looked_at(1_000, 400)
    assert over == 0
    assert most < 0.02
    assert abs(mean) < 0.001
    assert abs(square - 1) < 0.25


def faulty(monkeypatch: pytest.MonkeyPatch, place: object, name: str, value: object) -> tuple[float, float]:
    """Largest difference of AUCs and mean square of standardised differences, with something planted."""
    with monkeypatch.context() as patch:
        patch.setattr(place, name, value)
        most, _, square, _ = looked_at(25, 400)
    return most, square


@pytest.mark.second
def test_planted_faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the noise; a floor of one row; noise of its own for each row; networks that are all as likely."""
    scale = privbayes.laplace_scale
    assert faulty(monkeypatch, privbayes, "laplace_scale", lambda *of: scale(*of) / 2)[1] > 10
    assert faulty(monkeypatch, noisy_counts, "FLOOR", 1.0)[1] > 10
    law = NoisyShares.log_chance

    def row_by_row(self, counts, seen):  # type: ignore[no-untyped-def]
        return seen @ law(self, counts, np.eye(len(counts), dtype=np.int64))

    assert faulty(monkeypatch, NoisyShares, "log_chance", row_by_row)[1] > 10

    def even(columns, sizes, spent):  # type: ignore[no-untyped-def]
        every = networks(columns, sizes, spent)
        return dict.fromkeys(every, -math.log(len(every)))

    with monkeypatch.context() as patch:
        patch.setattr(noisy_releases, "networks", even)
        assert max(abs(both(seed, 1_000)[4]) for seed in range(0, 90, 5)) > 5


@pytest.mark.second
@pytest.mark.parametrize(("degree", "sizes"), [(1, (2, 2, 2)), (2, (2, 3, 2)), (2, (2, 2, 2, 2)), (3, (2, 2, 1, 2))])
def test_fits_release_with_these_chances(degree: int, sizes: tuple[int, ...]) -> None:
    """2,000 fits and releases of two rows each, by chi-square."""
    rng = np.random.default_rng(3)
    table = categories(
        [tuple(map(int, row)) for row in rng.integers(sizes, size=(9, len(sizes))) // 2 * 2 % sizes], sizes
    )
    generator = PrivBayes(epsilon=8.0, degree=degree)
    law = generator.releases(table, 2, 0, rng)
    seen = np.zeros(len(law.seen))
    flat = law.seen.reshape(len(seen), -1)
    places = {each.tobytes(): index for index, each in enumerate(flat)}
    for seed in range(2_000):
        fit_rng = np.random.default_rng([seed, degree])
        codes = generator.fit(table, fit_rng).sample(2, fit_rng).codes
        held = np.bincount(np.ravel_multi_index(tuple(codes.T), sizes), minlength=flat.shape[1])
        seen[places[held.astype(flat.dtype).tobytes()]] += 1
    chance = np.exp(law.log_prob(table))
    order = np.argsort(chance)
    often = chance[order].cumsum() * 2_000 >= 5  # the rarest together
    expected = np.append(chance[order][often], chance[order][~often].sum())
    counted = np.append(seen[order][often], seen[order][~often].sum())
    keep = expected > 0
    assert stats.chisquare(counted[keep], 2_000 * expected[keep] / expected[keep].sum()).pvalue > 1e-4


def test_numbers_and_missing_values_are_bins_like_others() -> None:
    """The law is that of the codes: a release tells of a number what its bin tells."""
    table = mixed(12)
    generator = PrivBayes(epsilon=2.0, degree=1, bins=2)
    assert generator.has_law(table, 5)
    law = generator.releases(table, 5, 300, np.random.default_rng(1))
    assert not law.is_listed
    assert law.seen.shape == (300, *bin_columns(table, 2)[1])
    assert set(law.seen.reshape(300, -1).sum(axis=1)) == {5}
    weight = np.exp(law.log_prob(table.without(3)) - law.log_prob(table))
    assert weight.mean() == pytest.approx(1.0, abs=5 * weight.std() / 300**0.5)


def test_the_networks_are_those_of_plain_picks() -> None:
    """Chances of ordered picks, added up where the families are the same."""
    rows, _, sizes, _ = small(2)
    generator = PrivBayes(epsilon=30.0, degree=1)
    table = categories(rows, sizes)
    spent = generator.releases(table, 1, 0, np.random.default_rng(0)).spent
    chances = networks(compact(*bin_columns(table, 10)), sizes, spent)
    expected: dict[object, float] = {}
    for picks, chance in plain.networks(rows, sizes, generator.epsilon_of_pick(len(sizes))):
        first = tuple(sorted(picks[:1] + picks[1:2]))
        rest = frozenset((picks[index + 1], picks[index]) for index in range(3, len(picks), 2))
        expected[first, rest] = expected.get((first, rest), 0.0) + chance
    assert chances.keys() == expected.keys()
    assert np.exp(list(chances.values())) == pytest.approx([expected[network] for network in chances])
    assert math.fsum(np.exp(list(chances.values()))) == pytest.approx(1.0)


@pytest.mark.parametrize(("columns", "degree", "many"), [(1, 1, 1), (2, 1, 2), (3, 1, 12), (4, 2, 72), (5, 1, 2880)])
def test_ways_are_counted(columns: int, degree: int, many: int) -> None:
    assert ways(columns, degree) == many


def test_large_tables_have_no_law() -> None:
    generator = PrivBayes(degree=1)
    assert generator.has_law(categories([(0,) * 5] * 2, (2,) * 5), 2_000)
    assert not generator.has_law(categories([(0,) * 6] * 2, (2,) * 6), 10)
    assert not generator.has_law(categories([(0, 0)] * 2, (40, 40)), 10)
    assert not generator.has_law(categories([(0, 0)] * 2, (2, 2)), 2_001)
    assert not PrivBayes(degree=2).has_law(categories([(0, 0)] * 2, (2, 2)), 10)


@pytest.mark.parametrize("scale", [0.1, 0.5, 3.0, 30.0])
@pytest.mark.parametrize("count", [0.0, 1.0, 7.0, 400.0])
def test_the_mean_of_one_cell_is_the_integral_over_its_noise(count: float, scale: float) -> None:
    """Against sums over a fine grid of what the cell may hold, on either side of its count."""
    power, rate, floor = np.array([[0.0], [1.0], [5.0], [60.0], [300.0]]), np.geomspace(1e-5, 1e6, 12), 1e-6
    around = [floor, *np.clip([count - 40 * scale, count, count + 40 * scale], floor, None), 1e7]
    parts = []
    for low, high in pairwise(np.log(around)):
        points = np.linspace(low, high, 40_001)
        if high > low:
            held = np.exp(points)
            value = power[..., None] * points - rate[:, None] * held - np.abs(held - count) / scale + points
            top = value.max(axis=-1, keepdims=True)
            parts.append(top[..., 0] + np.log(np.trapezoid(np.exp(value - top), points, axis=-1) / (2 * scale)))
    below = (
        (floor - count) / scale - math.log(2) if floor < count else math.log1p(-math.exp((count - floor) / scale) / 2)
    )
    raised = below + power * math.log(floor) - rate * floor
    np.testing.assert_allclose(
        log_mean(count, power, rate, scale, floor), np.logaddexp.reduce([*parts, raised]), atol=1e-4, rtol=1e-6
    )


@pytest.mark.parametrize("counts", [(0.0, 0.0, 0.0), (4.0, 0.0, 1.0), (90.0, 3.0, 7.0)])
@pytest.mark.parametrize("scale", [0.02, 2.0, 40.0])
def test_chances_of_all_sets_of_rows_sum_to_one(counts: tuple[float, ...], scale: float) -> None:
    for n in (1, 2, 9):
        sets = [set_ for set_ in product(range(n + 1), repeat=3) if sum(set_) == n]
        ways_of = [math.factorial(n) / math.prod(map(math.factorial, set_)) for set_ in sets]
        shares = NoisyShares(scale, 1e-6, 100.0, 3)
        assert np.exp(shares.log_chance(np.array(counts), np.array(sets))) @ ways_of == pytest.approx(1.0, abs=1e-8)
