"""The noisy mean and the noisy count leak exactly what they say: whole games, played by the best attacker there is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats as laws
from scipy.special import ndtr, ndtri

from riskkit import stats
from riskkit.core import Brief, Column, Estimate, Floats, Generator, Kind, Knowledge, Schema, Scores, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.membership import Design, Game
from riskkit.generators import gaussian_mean, laplace_count
from riskkit.generators.gaussian_mean import GaussianMean, mean_of_numbers
from riskkit.generators.laplace_count import LaplaceCount
from riskkit.table.encode import bin_columns
from tests.oracles import standard_error
from tests.tables import mixed
from tests.worlds import fixed_worlds

TRAININGS = 3_000
"""In all, half of them with the target."""


@dataclass(frozen=True)
class BestAtMeans:
    """Weighs each mean of the release by how far the worlds are apart in it: the likelihood ratio of two normals."""

    weights: Floats
    middle: Floats

    @classmethod
    def of(cls, brief: Brief) -> BestAtMeans:
        """From all rows but the target's, and the target."""
        assert brief.data is not None
        out, inside = mean_of_numbers(brief.data), mean_of_numbers(brief.data.plus(brief.targets))
        return cls(inside - out, (inside + out) / 2)

    def score(self, release: Table) -> Floats:
        """(1,) above 0 where the release is nearer to the world with the target."""
        return np.array([(mean_of_numbers(release) - self.middle) @ self.weights])


@dataclass(frozen=True)
class BestAtCounts:
    """Reads the marked rows back as a noisy count; the law of the noise falls on both sides of the true count."""

    count: int
    grain: int

    def score(self, release: Table) -> Floats:
        """(1,) by how many grains the noisy count is above the middle of the two worlds, nearest turn of the wrap."""
        shown = int(bin_columns(release, 2)[0][:, 0].sum())
        turn = len(release) + 1
        above = (shown - self.count * self.grain + turn // 2) % turn - turn // 2
        return np.array([above - self.grain / 2])


def play(
    table: Table, row: int, generator: Generator, attack: Callable[[Brief], BestAtMeans | BestAtCounts], n_syn: int
) -> Estimate:
    """The AUC of a membership game on one row, every training an independent one."""
    worlds = fixed_worlds(table, Targets(np.array([row]), table.rows([row])))
    game = Game(worlds, generator, Design(TRAININGS, 1, n_syn), 7, ("known",))
    fitted = attack(game.brief(Knowledge.EXACT, {True: [], False: []}, 0))
    coin, index = game.coin(), np.arange(TRAININGS)
    value = np.array([game.trials([(number, bool(is_in))], [fitted])[0][0, 0, 0] for number, is_in in enumerate(coin)])
    return stats.auc(Scores(value, coin, index, np.zeros_like(index)))


def is_near(estimate: Estimate, truth: float) -> bool:
    """Whether the AUC is within three standard errors of the truth."""
    return abs(estimate.value - truth) <= 3 * standard_error(truth, TRAININGS // 2, TRAININGS // 2)


def apart(table: Table, row: int) -> float:
    """How far the mean vectors of the two worlds are apart."""
    return float(np.linalg.norm(mean_of_numbers(table) - mean_of_numbers(table.without(row))))


@pytest.mark.second
def test_ka7_the_noisy_mean_is_told_as_often_as_its_formula_says() -> None:
    """.760 at worlds one standard deviation apart; too little and too much noise are seen."""
    table, row = mixed(100), 3
    sigma, truth = apart(table, row), float(ndtr(math.sqrt(0.5)))
    assert truth == pytest.approx(0.7602, abs=1e-4)
    assert is_near(play(table, row, GaussianMean(sigma), BestAtMeans.of, 100), truth)
    for factor in (0.7, 1.3):
        assert not is_near(play(table, row, GaussianMean(factor * sigma), BestAtMeans.of, 100), truth)


def test_a_replaced_row_moves_the_mean_as_the_formula_says() -> None:
    """Delta = |x - x'|/n, also from and to a missing number, which counts as the frozen mean."""
    table = mixed(50)
    score = table.schema.numeric[1]
    gap = int(np.flatnonzero(np.isnan(table.numbers[:, 1]))[0])
    width = np.array([column.high - column.low for column in table.schema.numeric])
    other = table.without(gap).plus(table.rows([0]))
    x = np.array([table.numbers[gap, 0], score.mean])
    moved = mean_of_numbers(other) - mean_of_numbers(table)
    np.testing.assert_allclose(moved, (table.numbers[0] - x) / width / 50, atol=1e-15)


def test_every_mean_gets_its_noise_and_no_other() -> None:
    """Of 2,000 trainings, by Kolmogorov and Smirnov; a scale that is off is seen."""
    table = mixed(40)
    drawn = [GaussianMean(0.02).fit(table, np.random.default_rng(seed)).means for seed in range(2_000)]
    noise = np.array(drawn) - mean_of_numbers(table)
    for each in noise.T:
        assert laws.kstest(each / 0.02, "norm").pvalue > 1e-3
        assert laws.kstest(each / 0.014, "norm").pvalue < 1e-6
        assert laws.kstest(each / 0.026, "norm").pvalue < 1e-6
    assert abs(laws.pearsonr(*noise.T).statistic) < 4.5 / math.sqrt(2_000)


def test_a_release_has_the_noisy_mean_to_a_part_of_the_last_decimal() -> None:
    table, n = mixed(200), 70
    fit = GaussianMean(0.05).fit(table, np.random.default_rng(1))
    release = fit.sample(n, np.random.default_rng(2))
    grain = np.array([10.0**-c.decimals / (c.high - c.low) / n for c in table.schema.numeric])
    assert np.all(np.abs(mean_of_numbers(release) - fit.means) <= grain / 2 + 1e-12)
    assert not np.isnan(release.numbers).any()
    for j, column in enumerate(table.schema.numeric):
        values = np.unique(release.numbers[:, j])
        assert len(values) <= 2
        assert np.ptp(values) <= 1.001 * 10.0**-column.decimals


def test_a_mean_beyond_the_domain_is_clamped() -> None:
    schema = mixed(10).schema
    for means, end in ((np.array([-0.3, -9.0]), "low"), (np.array([1.2, 5.0]), "high")):
        release = gaussian_mean.FittedGaussianMean(schema, means).sample(9, np.random.default_rng(0))
        np.testing.assert_array_equal(release.numbers, [[getattr(c, end) for c in schema.numeric]] * 9)


def rounded_auc(mu: float, h: float, offset: float) -> float:
    """AUC of two normal variables ``mu`` apart that are rounded to multiples of ``h`` from an offset."""
    edges = np.arange(-12.0, 12.0 + mu, h) + offset * h
    out, inside = np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))
    below = np.concatenate([[0.0], np.cumsum(out)[:-1]])
    return float(inside @ (below + out / 2))


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_the_grain_of_the_release_costs_no_more_than_stated(mu: float) -> None:
    for h in (0.01, 0.1, 0.5, 1.0):
        for offset in (0.0, 0.25, 0.5, 0.8):
            lost = float(ndtr(mu / math.sqrt(2))) - rounded_auc(mu, h, offset)
            assert -1e-9 <= lost <= h**2 / 50


def test_delta_is_what_the_formula_says() -> None:
    """Against the integral it stands for: the most that one world's chance exceeds e^epsilon times the other's."""
    mu, line = 1.3, np.linspace(-12, 14, 400_001)
    density = laws.norm.pdf(line - mu), laws.norm.pdf(line)
    for epsilon in (0.0, 0.5, 2.0):
        integral = np.maximum(density[0] - math.exp(epsilon) * density[1], 0).sum() * (line[1] - line[0])
        stated = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
        assert integral == pytest.approx(stated, abs=1e-6)
    assert 2 * ndtr(mu / 2) - 1 == pytest.approx(ndtr(mu / 2) - ndtr(-mu / 2), abs=1e-12)
    assert ndtr(ndtri(0.1) + mu) == pytest.approx(laws.norm.sf(laws.norm.isf(0.1) - mu), abs=1e-12)


def counting_auc(epsilon: float, grain: int) -> float:
    """The formula of the card for the noisy count."""
    a = math.exp(-epsilon / grain)
    k = np.arange(grain + 1)
    chance = ((1 - a) / (1 + a)) ** 2 * a**k * (k + (1 + a**2) / (1 - a**2))
    chance[[0, -1]] /= 2
    return 0.5 + float(chance.sum())


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_formula_of_the_count_has_both_its_ends(epsilon: float) -> None:
    """One step: the most that epsilon allows. Many: KA6, .6209, .7241 and .8647."""
    laplace = 1 - math.exp(-epsilon) * (2 + epsilon) / 4
    assert laplace == pytest.approx({0.5: 0.6209, 1.0: 0.7241, 2.0: 0.8647}[epsilon], abs=1e-4)
    assert counting_auc(epsilon, 1) == pytest.approx(1 / (1 + math.exp(-epsilon)), abs=1e-12)
    assert counting_auc(epsilon, 1_000) == pytest.approx(laplace, abs=1e-6)


@pytest.mark.parametrize("grain", [2, 7])
def test_the_formula_of_the_count_is_the_sum_it_stands_for(grain: int) -> None:
    a, k = math.exp(-0.8 / grain), np.arange(-400, 401)
    chance = (1 - a) / (1 + a) * a ** np.abs(k)
    below = np.concatenate([[0.0], np.cumsum(chance)[:-1]]) + chance / 2
    assert counting_auc(0.8, grain) == pytest.approx(float(chance[:-grain] @ below[grain:]), abs=1e-12)


def play_count(epsilon: float, grain: int) -> Estimate:
    """The game on the noisy count; every row shows alike."""

    def best(brief: Brief) -> BestAtCounts:
        assert brief.data is not None
        return BestAtCounts(len(brief.data), grain)

    return play(mixed(100), 5, LaplaceCount(epsilon, grain), best, 100 * grain)


@pytest.mark.second
def test_ka6_the_noisy_count_is_told_as_often_as_its_formula_says() -> None:
    """e/(1 + e) at epsilon 1; too little and too much noise are seen."""
    truth = 1 / (1 + math.exp(-1))
    assert is_near(play_count(1.0, 1), truth)
    for factor in (0.7, 1.3):
        assert not is_near(play_count(1.0 / factor, 1), truth)


def test_a_row_without_the_counted_level_does_not_show() -> None:
    """Only those that have it are counted: a member with the level leaks, the release of any other is the same."""
    table, generator = mixed(100), LaplaceCount(1.0, counted="level")
    has = table.codes[:, 0] == 0
    holder, other = int(np.flatnonzero(has)[0]), int(np.flatnonzero(~has)[0])

    def noisy(world: Table) -> int:
        return generator.fit(world, np.random.default_rng(3)).noisy

    assert noisy(table) == noisy(table.without(other)) == noisy(table.without(holder)) + 1
    noise = [generator.fit(table, np.random.default_rng(seed)).noisy - int(has.sum()) for seed in range(4_000)]
    assert abs(np.mean(noise)) < 4.5 * np.std(noise) / math.sqrt(4_000)


@pytest.mark.parametrize("grain", [1, 5])
def test_the_count_gets_its_noise_and_no_other(grain: int) -> None:
    """By chi-square against the two-sided geometric law; a scale that is off is seen."""
    table, n = mixed(30), 6_000
    generator = LaplaceCount(1.0, grain)
    noise = np.array([generator.fit(table, np.random.default_rng(seed)).noisy - 30 * grain for seed in range(n)])

    def p_value(epsilon: float) -> float:
        law, k = laws.dlaplace(epsilon / grain), np.arange(-4 * grain, 4 * grain + 1)
        seen = np.array([(noise < k[0]).sum(), *((noise == value).sum() for value in k), (noise > k[-1]).sum()])
        return float(laws.chisquare(seen, n * np.array([law.cdf(k[0] - 1), *law.pmf(k), law.sf(k[-1])])).pvalue)

    assert p_value(1.0) > 1e-3
    assert p_value(0.7) < 1e-6
    assert p_value(1.3) < 1e-6


@pytest.mark.parametrize("noisy", [-3, 0, 17, 64, 65, 700])
def test_a_release_shows_the_noisy_count_but_for_whole_turns(noisy: int) -> None:
    schema = mixed(10).schema
    release = laplace_count.FittedLaplaceCount(schema, 0, noisy).sample(64, np.random.default_rng(0))
    assert int((release.codes[:, 0] == 1).sum()) == noisy % 65
    assert set(release.codes[:, 0]) <= {0, 1}


def numbers_only(*, several: bool) -> Table:
    """One number, with several values or none but one."""
    high = 9.0 if several else 0.0
    schema = Schema((Column("x", Kind.NUMERIC, high=high, mean=high / 2, sd=1.0),))
    return Table(schema, np.empty((4, 0), dtype=np.int32), np.zeros((4, 1)))


def test_a_table_of_numbers_can_show_a_count() -> None:
    fit = LaplaceCount(50.0).fit(numbers_only(several=True), np.random.default_rng(0))
    release = fit.sample(20, np.random.default_rng(1))
    assert (release.numbers[:, 0] >= 5).sum() == 4


def test_what_cannot_be_shown_is_refused() -> None:
    rng, table = np.random.default_rng(0), mixed(10)
    categories = Table(Schema(table.schema.categorical), table.codes, np.empty((10, 0)))
    for nothing in (categories, table.rows([])):
        with pytest.raises(DesignError, match="at least one row and one number"):
            GaussianMean().fit(nothing, rng)
    with pytest.raises(DesignError, match="a column with at least two values"):
        LaplaceCount().fit(numbers_only(several=False), rng)
    with pytest.raises(DesignError, match="no category whose level"):
        LaplaceCount(counted="level").fit(numbers_only(several=True), rng)


def test_a_constant_number_tells_nothing() -> None:
    table = mixed(20)
    flat = replace(table.schema.numeric[0], low=50.0, high=50.0, mean=50.0, sd=0.0)
    numbers = np.column_stack([np.full(20, 50.0), table.numbers[:, 1]])
    fit = GaussianMean(0.5).fit(Table(table.schema.with_column(flat), table.codes, numbers), np.random.default_rng(0))
    assert set(fit.sample(8, np.random.default_rng(1)).numbers[:, 0]) == {50.0}
