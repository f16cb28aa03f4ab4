"""Certificates on drawn rows: whether the error they state is the error they have, where the truth is known.

Along a tree the exact way is the truth; of small tables every row of the domain is counted. Rows are drawn near the
record again and again, as they are where no exact law is known.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Terms, certify
from riskkit.stats.atoms import Atoms
from riskkit.stats.optimal import Optimal, optimal
from tests.generators.networks import leaning
from tests.questions.records.enumeration import by_network, coded
from tests.questions.records.fuzzed import rare_chain
from tests.stats.test_optimal import law
from tests.tables import adult, needs_adult

FPR, DRAWN = 0.05, 20_000
NAMES = "AUC", "advantage", "TPR", "proof"
CERTAIN = 1e-5
"""An error below this is none: what is known of the rows leaves nothing to chance."""


@dataclass(frozen=True)
class Case:
    """Records of a table, and what is drawn of it."""

    name: str
    generator: BayesNet
    table: Callable[[], Table]
    rows: tuple[int, ...]
    moved: bool = False

    def truth(self, table: Table, row: int) -> Floats:
        """The four numbers, from the exact law along a tree, else from every row of the domain."""
        rng = np.random.default_rng(0)
        if self.generator.degree == 1 and not self.moved:
            exact = self.generator.fit(table, rng).ratios().ratio(row).law
            assert exact is not None
            return numbers(optimal(exact, len(table)))
        rows, sizes = coded(table, self.generator.bins)
        fits = []
        for people, world in ((rows, table), (rows[:row] + rows[row + 1 :], table.without(row))):
            shape = self.generator.fit(world, rng).parents
            fits.append(list(by_network(people, sizes, shape, self.generator.smoothing).values()))
        inside, outside = np.array(fits)
        possible = (inside > 0) | (outside > 0)
        return numbers(optimal(law(inside[possible], outside[possible]), len(table)))


CASES = [
    Case("tree, 60 rows", BayesNet(), lambda: leaning(60, 1), (19, 52, 5)),
    Case("tree, rare chain of 5,000 rows", BayesNet(), lambda: rare_chain(3, 5_000), (0, 3)),
    Case("degree 2, 60 rows", BayesNet(degree=2), lambda: leaning(60, 3), (1, 2)),
    Case("degree 2, smoothed, 25 rows", BayesNet(degree=2, smoothing=0.2), lambda: leaning(25, 8), (0, 2, 3)),
    Case("degree 3, 200 rows", BayesNet(degree=3), lambda: leaning(200, 5), (0,)),
    Case("tree that changes, 25 rows", BayesNet(smoothing=0.2), lambda: leaning(25, 8), (1, 24), moved=True),
    Case("degree 2 that changes, 60 rows", BayesNet(degree=2), lambda: leaning(60, 3), (3, 10), moved=True),
    Case("degree 2 that changes, 200 rows", BayesNet(degree=2), lambda: leaning(200, 5), (63, 82), moved=True),
]
ADULT = [
    Case("tree, 1,000 rows of Adult", BayesNet(), lambda: adult(1_000), (855, 897, 368)),
    Case("tree, 10,000 rows of Adult", BayesNet(), lambda: adult(10_000), (3880, 9192)),
]


def numbers(best: Optimal) -> Floats:
    """AUC, advantage, true positive rate and chance of a proof."""
    return np.array([best.auc, best.advantage, float(best.tpr_at(FPR)), best.proof_in])


def scores(case: Case, draws: int, factor: float = 1.0) -> Floats:
    """(rows * draws, 4) by how many standard errors each number was off, on the scale that intervals are even on.

    NaN where nothing is left to chance, and where there is no proof and none was drawn: the error then allows for one
    all the same. ``factor`` is what stated errors are multiplied by.
    """
    table = case.table()
    fitted = case.generator.fit(table, np.random.default_rng(0))
    z = []
    for row in case.rows:
        assert fitted.ratios().keeps(row) != case.moved
        truth = case.truth(table, row)
        for draw in range(draws):
            near = fitted.drawn_near(row, DRAWN, np.random.default_rng([draw, row]))
            atoms = Atoms.weigh(near.value, near.weight, near.unseen)
            best = optimal(atoms, len(table), fewer=True)
            errors = factor * np.array(atoms.errors(best, FPR))
            value = numbers(best)
            sure = errors < CERTAIN
            assert np.all(np.abs(value - truth)[sure] < 5 * CERTAIN)
            sure |= (truth == 0) & (value == 0)
            off = (np.log1p(-truth) - np.log1p(-np.minimum(value, 1 - 1e-12))) * (1 - value)
            z.append(np.where(sure, np.nan, off / np.where(sure, 1.0, errors)))
    return np.array(z)


def spread(z: Floats) -> tuple[Floats, Floats, Floats]:
    """(4,) mean and standard deviation of the scores, and how many there are."""
    counts = np.isfinite(z).sum(axis=0)
    some = counts > 0
    mean, deviation = np.full(4, np.nan), np.full(4, np.nan)
    mean[some], deviation[some] = np.nanmean(z[:, some], axis=0), np.nanstd(z[:, some], axis=0)
    return mean, deviation, counts


def assert_calibrated(z: Floats) -> None:
    """A standard deviation in [.9, 1.1], but for what chance does to so many scores in 999 of 1,000 cases.

    Proofs are left out where fewer than half of the draws had any: their number is then a small count.
    """
    mean, deviation, counts = spread(z)
    for place in range(4):
        if counts[place] < len(z) / 2:
            continue
        low, high = np.sqrt(stats.chi2.ppf([5e-4, 1 - 5e-4], counts[place]) / counts[place])
        assert 0.9 * low <= deviation[place] <= 1.1 * high, (place, mean, deviation, counts)
        assert abs(mean[place]) <= 0.1 + 3.3 / np.sqrt(counts[place]), (place, mean, deviation, counts)


@pytest.mark.parametrize("case", [CASES[0], CASES[3]], ids=lambda case: case.name)
def test_the_stated_error_is_the_error(case: Case) -> None:
    assert_calibrated(scores(case, 25))


def test_half_the_error_would_be_seen() -> None:
    with pytest.raises(AssertionError):
        assert_calibrated(scores(CASES[3], 25, 0.5))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_stated_error_is_the_error_in_hundreds_of_draws(case: Case) -> None:
    assert_calibrated(scores(case, 200))


@needs_adult
@pytest.mark.slow
@pytest.mark.parametrize("case", ADULT, ids=lambda case: case.name)
def test_the_stated_error_is_the_error_in_hundreds_of_draws_of_adult(case: Case) -> None:
    assert_calibrated(scores(case, 200))


@pytest.mark.slow
@pytest.mark.parametrize("case", [CASES[3], CASES[6]], ids=lambda case: case.name)
def test_intervals_cover_as_often_as_they_say(case: Case) -> None:
    """200 seeds of one record: 95 of 100 intervals hold the truth, and chance moves that by 4."""
    table, row = case.table(), case.rows[0]
    truth = case.truth(table, row)
    held = [
        [estimate.low <= value <= estimate.high for estimate, value in zip(certificate.numbers, truth, strict=True)]
        for seed in range(200)
        for certificate in certify(table, case.generator, [row], Terms(len(table), fpr=FPR), seed)
    ]
    assert np.mean(held, axis=0).min() >= 0.91
