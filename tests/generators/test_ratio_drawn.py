"""Rows drawn near a record: their weights make them rows of the fits, against every row of the domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Table
from riskkit.generators.bayesnet import BayesNet, FittedBayesNet, _count
from riskkit.generators.engines import ratios_drawn
from riskkit.generators.engines.network import CountLogSums, Parents, compact
from riskkit.generators.engines.ratios_drawn import NearbyRows, drawn_near
from riskkit.table.encode import bin_columns
from tests.generators.networks import leaning, whole_domain

DRAWN = 30_000
DIAMOND: Parents = ((), (0,), (0,), (1, 2))
"""a to b, a to c, and both b and c to d: b and c meet in releases as they met in no row."""
CHAIN: Parents = ((), (0,), (1,), (2,))


def shaped(shape: Parents, smoothing: float) -> Callable[[Table], FittedBayesNet]:
    """Fits of that shape."""

    def fit(table: Table) -> FittedBayesNet:
        codes, sizes = bin_columns(table, 10)
        columns = compact(codes, sizes)
        generator = BayesNet(degree=2, smoothing=smoothing)
        return _count(generator, table.schema, sizes, columns, CountLogSums.count(columns, sizes, 3), shape)

    return fit


@dataclass(frozen=True)
class Pair:
    """A fit with a record and one without it, maybe of another shape."""

    inside: FittedBayesNet
    outside: FittedBayesNet
    domain: Table

    def drawn(self, row: int, seed: int) -> NearbyRows:
        return drawn_near(self.inside, self.outside, row, DRAWN, np.random.default_rng(seed))

    def truth(self) -> dict[float, float]:
        """How likely each value is: under the fit with the record, and of ``-inf`` under the other."""
        inside, outside = (fit.log_prob(self.domain) for fit in (self.inside, self.outside))
        chances: dict[float, float] = {}
        for high, low in zip(inside.tolist(), outside.tolist(), strict=True):
            if max(high, low) > -np.inf:
                value = round(high - low, 9) + 0.0
                chances[value] = chances.get(value, 0.0) + float(np.exp(low if high == -np.inf else high))
        return chances


def pair(table: Table, row: int, smoothing: float = 0.0, other: Parents = DIAMOND) -> Pair:
    fits = shaped(DIAMOND, smoothing)(table), shaped(other, smoothing)(table.without(row))
    return Pair(*fits, whole_domain(table))


def off(drawn: NearbyRows, truth: dict[float, float]) -> Floats:
    """By how many standard errors the chance of each value is off that was counted on drawn rows."""
    values = np.round(drawn.value, 9) + 0.0
    assert {float(value) for value in values[drawn.weight > 0]} <= set(truth)
    z = []
    for value, chance in truth.items():
        each = np.where(values == value, drawn.weight, 0.0)
        z.append((each.mean() - chance) / max(float(each.std()) / np.sqrt(len(each)), 1e-7))
    return np.array(z)


SMALL = leaning(25, 13, (2, 4, 4, 3))


@pytest.fixture
def every_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are begun with every set of values, be they rare or not."""
    monkeypatch.setattr(ratios_drawn, "RARE", 1)


@pytest.mark.usefixtures("every_start")
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("other", [DIAMOND, CHAIN])
def test_weights_make_rows_of_the_fits(smoothing: float, other: Parents) -> None:
    """What any value is likely, within 4.5 standard errors; and their squares as chance has them."""
    kinds, squares, values = set(), 0.0, 0
    for row in range(0, 25, 3):
        both = pair(SMALL, row, smoothing, other)
        z = off(both.drawn(row, row), truth := both.truth())
        assert np.abs(z).max() <= 4.5, (row, z)
        squares, values = squares + float((z**2).sum()), values + len(z)
        kinds.add((np.inf in truth, -np.inf in truth))
    assert squares <= stats.chi2.ppf(0.9995, values)
    wanted = {(False, False)} if smoothing else {(True, True)} if other is CHAIN else {(True, True), (False, True)}
    assert kinds >= wanted


@pytest.mark.usefixtures("every_start")
def test_a_density_that_forgets_rows_near_the_record_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    both = pair(SMALL, 3)
    monkeypatch.setattr(ratios_drawn, "_nearness", lambda columns, starts, codes, same, logs: np.zeros(codes.shape[1]))
    assert np.abs(off(both.drawn(3, 3), both.truth())).max() > 10


@pytest.mark.usefixtures("every_start")
def test_how_often_parents_are_reached() -> None:
    both = pair(SMALL, 3)
    codes, chances = both.domain.codes, np.exp(both.inside.log_prob(both.domain))
    own = SMALL.codes[3]
    wanted = [float(chances[(codes[:, list(up)] == own[list(up)]).all(axis=1)].sum()) for up in DIAMOND]
    np.testing.assert_allclose(both.drawn(3, 3).reached[:, 0], wanted, atol=0.02)


def test_what_one_row_in_a_million_says_is_drawn_hundreds_of_times() -> None:
    """A proof that 1 row of 3,000 has, in a column that leans on two."""
    table = leaning(3_000, 1, (6, 6, 6, 6))
    codes = np.array(table.codes)
    codes[0] = [6, 6, 6, 6]
    fitted = BayesNet(degree=2).fit(Table(table.schema, codes, table.numbers), np.random.default_rng(0))
    near = fitted.drawn_near(0, DRAWN, np.random.default_rng(0))
    proofs = near.value == np.inf
    assert near.weight[proofs].sum() / DRAWN == pytest.approx(1 / 3_000, rel=0.1)
    assert np.count_nonzero(proofs) > 300 > 10 * DRAWN / 3_000


@pytest.mark.usefixtures("every_start")
def test_a_network_that_changes_may_have_rows_that_were_not_drawn() -> None:
    assert pair(SMALL, 3).drawn(3, 0).unseen == 0.0
    assert pair(SMALL, 3, other=CHAIN).drawn(3, 0).unseen == pytest.approx(1 / ratios_drawn.MOVED)
    assert pair(SMALL, 3, 0.5, CHAIN).drawn(3, 0).unseen == 0.0
