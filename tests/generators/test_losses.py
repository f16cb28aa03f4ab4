"""Certificates of private methods against all that their outcomes say, on small tables, by code that shares nothing."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from riskkit.generators import aim_tree as aim_trees
from riskkit.generators.aim_tree import AimTree, FittedAimTree
from riskkit.generators.engines.tree_fit import Noisy, noisy
from riskkit.generators.mst import Mst
from riskkit.generators.privbayes import PrivBayes, pick_loss
from riskkit.questions import promises
from riskkit.stats.composition import compose
from tests.generators import plain_private as plain
from tests.generators.test_privbayes import categories

SIZES = ((2, 2, 2), (3, 2, 3), (4, 3, 2), (2, 5, 3))
BUDGETS = (0.5, 1.0, 3.0)
SHARES = (0.2, 0.5, 0.9)


def small(seed: int) -> tuple[plain.Rows, int, tuple[int, ...], np.random.Generator]:
    """A table of 3 to 12 rows in which columns lean on each other now and then, and a row of it."""
    rng = np.random.default_rng(seed)
    sizes = SIZES[seed % len(SIZES)]
    n = int(rng.integers(3, 13))
    first = rng.integers(sizes[0], size=n)
    rest = [np.where(rng.random(n) < rng.random(), first % size, rng.integers(size, size=n)) for size in sizes[1:]]
    return [tuple(map(int, row)) for row in np.stack([first, *rest], axis=1)], int(rng.integers(n)), sizes, rng


@cache
def gaps(size: float, tables: int) -> np.ndarray:
    return plain.laplace_gaps(size, tables, 200_000, np.random.default_rng(1))


def privbayes(seed: int, *, less_noise: float = 1.0) -> tuple[float, float, bool]:
    """Certificate and truth of PrivBayes on a small table; and whether a pick says more than it may."""
    rows, gone, sizes, rng = small(seed)
    epsilon, share = float(rng.choice(BUDGETS)), float(rng.choice(SHARES))
    relation = ("add-one", "replace-one")[seed // 4 % 2]
    other = rows[:gone] + rows[gone + 1 :]
    if relation == "replace-one":
        other.append(tuple((code + 1) % size for code, size in zip(rows[gone], sizes, strict=True)))
    part = share * epsilon / 2
    with_row, without = (dict(plain.networks(each, sizes, part)) for each in (rows, other))
    moved = 2 if relation == "replace-one" else 1  # nothing of the row is like that of the other: two cells a table
    truth = plain.auc_of(with_row, without, gaps((1 - share) * epsilon / 4 / less_noise, 2 * moved))
    generator = PrivBayes(epsilon=epsilon, degree=1, share=share)
    worst = max(abs(math.log(with_row[event] / without[event])) for event in with_row)
    is_over = worst > 2 * pick_loss(part, relation, len(rows)) + 1e-9
    return compose(generator.losses(relation, len(rows), 3)).auc, truth, is_over


def over(count: int, less_noise: float = 1.0) -> tuple[int, float, float, int]:
    """Tables whose truth is above the certificate by more than its error; mean of both; picks that say too much."""
    both = [privbayes(seed, less_noise=less_noise) for seed in range(count)]
    above = sum(truth > certified + 0.004 for certified, truth, _ in both)
    return (
        above,
        float(np.mean([result[0] for result in both])),
        float(np.mean([result[1] for result in both])),
        sum(result[2] for result in both),
    )


@pytest.mark.parametrize("tables", [40, pytest.param(1_200, marks=pytest.mark.slow)])
def test_no_outcome_of_privbayes_says_more_than_its_certificate(tables: int) -> None:
    """Truths have a standard error of .001 (200,000 draws of the noise). Picks are enumerated."""
    above, certified, truth, too_sure = over(tables)
    assert (above, too_sure) == (0, 0)
    assert certified - 0.05 < truth < certified  # the worst table is not every table, and not far away


def test_too_little_noise_is_seen() -> None:
    """Planted: half of the noise that the certificate takes for granted."""
    assert over(40, less_noise=0.5)[0] > 10


def mst(seed: int, draws: int, sensitivity: float = 1.0) -> tuple[float, float]:
    """Certificate and truth of MST on a small table."""
    rows, gone, sizes, rng = small(seed)
    epsilon = float(rng.choice(BUDGETS))
    value = plain.rho(epsilon, 0.01)
    transcripts = plain.mst_transcripts(rows, gone, sizes, value, draws, rng, sensitivity)
    truth = plain.auc_with_normal(*transcripts, math.sqrt(2 * value / 3))
    return compose(Mst(epsilon=epsilon, delta=0.01).losses("add-one", len(rows), 3)).auc, truth


def held(tables: int, draws: int, sensitivity: float = 1.0) -> tuple[int, float, float, float]:
    """Tables above the certificate by 4 standard errors; both means; and the standard error of that of truths."""
    both = np.array([mst(seed, draws, sensitivity) for seed in range(tables)])
    noise = math.sqrt((2 * draws + 1) / (12 * draws**2))
    return int((both[:, 1] > both[:, 0] + 4 * noise).sum()), *both.mean(axis=0), noise / math.sqrt(tables)


def test_no_outcome_of_mst_says_more_than_its_certificate() -> None:
    above, certified, truth, error = held(20, 100)
    assert above == 0
    assert certified - 0.05 - 4 * error < truth < certified + 4 * error


@pytest.mark.slow
def test_no_outcome_of_mst_says_more_on_a_thousand_tables() -> None:
    above, certified, truth, error = held(1_000, 200)
    assert error < 0.003
    assert above == 0
    assert certified - 0.05 < truth < certified


def test_picks_that_are_too_sure_are_seen() -> None:
    """Planted: a sensitivity of an eighth, as if one row moved the strength of a pair by so little."""
    _, certified, truth, error = held(60, 100, sensitivity=1 / 8)
    assert truth > certified + 4 * error


def counted(rows: np.ndarray, family: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """How many of these rows have each pair of values, or each value, of these columns."""
    cells = np.ravel_multi_index(tuple(rows[:, j] for j in family), shape)
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def transcript_ratio(fitted: FittedAimTree, rows: plain.Rows, gone: int, sure: float) -> float:
    """What everything that a fit of aim_tree drew says for a row, from plain counts and the definition of its picks.

    ``sure`` above 1 is a planted fault: picks that are that much too sure.
    """
    says = []
    for world in map(np.array, (rows, rows[:gone] + rows[gone + 1 :])):
        total = 0.0
        for family, seen in fitted.drawn.taken:
            total -= (((seen.counts - counted(world, family, seen.counts.shape)) / seen.sd) ** 2).sum() / 2
        for each in fitted.drawn.rounds:
            edges = {frozenset(edge) for edge in each.law.forest.joints}
            is_whole = len(edges) == 2  # of three columns, a third pair would close a circle
            pairs = [pair for pair in combinations(range(3), 2) if not is_whole or frozenset(pair) in edges]
            power = []
            for family in [(0,), (1,), (2,), *pairs]:
                expected = each.law.counts(family)
                error = np.abs(counted(world, family, expected.shape) - expected).sum()
                error -= math.sqrt(2 / math.pi) * each.sd * expected.size
                power.append(sure * each.epsilon / 2 * (error if len(family) == 2 else error / 2))
            total += power[each.pick] - math.log(sum(math.exp(score - max(power)) for score in power)) - max(power)
        says.append(total)
    return says[0] - says[1]


def aim_tree(seed: int, trainings: int, sure: float = 1.0) -> tuple[float, float, float]:
    """Certificate of AIM on a small table, and the AUC of the best attack on so many fits a side with its error."""
    rows, gone, sizes, rng = small(seed)
    generator = AimTree(epsilon=float(rng.choice(BUDGETS)), delta=0.01)
    other = rows[:gone] + rows[gone + 1 :]
    ratios = np.array(
        [
            [transcript_ratio(generator.fit(categories(world, sizes), rng), rows, gone, sure) for _ in range(trainings)]
            for world in (rows, other)
        ]
    )
    truth = (ratios[0][:, None] > ratios[1]).mean()
    error = math.sqrt((2 * trainings + 1) / (12 * trainings**2))  # no AUC of so many a side has more
    return compose(generator.losses("add-one", len(rows), 3)).auc, float(truth), error


def aims(tables: int, trainings: int, sure: float = 1.0) -> tuple[int, float, float, float]:
    """Tables above the certificate by 4 standard errors; both means; and the standard error of that of truths."""
    both = np.array([aim_tree(seed, trainings, sure) for seed in range(tables)])
    above = int((both[:, 1] > both[:, 0] + 4 * both[:, 2]).sum())
    return above, *both[:, :2].mean(axis=0), float(both[0, 2]) / math.sqrt(tables)


@pytest.mark.second
def test_no_outcome_of_aim_tree_says_more_than_its_certificate() -> None:
    above, certified, truth, error = aims(12, 40)
    assert above == 0
    assert certified - 0.05 - 4 * error < truth < certified + 4 * error


@pytest.mark.slow
def test_no_outcome_of_aim_tree_says_more_on_a_thousand_tables() -> None:
    above, certified, truth, error = aims(1_000, 40)
    assert error < 0.003
    assert above == 0
    assert certified - 0.05 < truth < certified + 2 * error


@pytest.mark.second
@pytest.mark.parametrize(
    "fault", [pytest.param("half of the noise", marks=pytest.mark.slow), "picks thirty times too sure"]
)
def test_aim_tree_that_spends_more_than_it_says_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sure = 1.0 if fault == "half of the noise" else 30.0

    def stated(counts, sd, rng):  # type: ignore[no-untyped-def]
        return Noisy(noisy(counts, sd / 2, rng).counts, np.full(counts.shape, sd))

    if sure == 1.0:
        monkeypatch.setattr(aim_trees, "noisy", stated)
    else:
        monkeypatch.setattr(aim_trees, "WEIGHT", {1: 15.0, 2: 30.0})
    _, certified, truth, error = aims(24, 60, sure)
    assert truth > certified + 4 * error


@pytest.mark.parametrize("spelled", ["mst:epsilon=1,delta=0.01", "privbayes:epsilon=1"])
def test_of_several_fits_losses_and_promises_add_up(spelled: str) -> None:
    """And of one fit that is released again and again nothing changes."""
    relation = promises.claim(spelled).relation
    of_one, of_four = (promises.certificate(spelled, relation, 200, 3, fits) for fits in (1, 4))
    assert of_one is not None
    assert of_four is not None
    assert 0.5 < of_one < of_four < 1
    assert promises.claim(spelled, 4).epsilon == pytest.approx(4 * (promises.claim(spelled).epsilon or 0))
    assert promises.claim(spelled, 4).delta == pytest.approx(4 * promises.claim(spelled).delta)
    assert promises.fits_of({"releases": 4, "one_fit": True}) == promises.fits_of({}) == 1
    assert promises.fits_of({"releases": 4}) == 4
