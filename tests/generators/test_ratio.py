"""What a released row says of a record: against the two fits row by row, and with rows drawn near the record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet, FittedBayesNet, _count
from riskkit.generators.engines import ratios_drawn
from riskkit.generators.engines.network import CountLogSums, Parents, compact
from riskkit.generators.engines.ratios import TreeLaw, places_of
from riskkit.generators.engines.ratios_drawn import NearbyRows, drawn_near
from riskkit.generators.histogram import Histogram
from riskkit.generators.whole_rows import Bootstrap
from riskkit.table.encode import bin_columns
from tests.generators.networks import leaning, whole_domain
from tests.generators.test_histogram import every_row, six_rows
from tests.tables import mixed

RNG = np.random.default_rng(0)
TILT = np.array([-0.7, 0.0, 0.4, 1.0])


def by_counting(
    fit: Callable[[Table], Any], table: Table, row: int, domain: Table
) -> tuple[Floats, Floats, float, float]:
    """Every row of the domain: the log ratio where both fits have it, and (2,) chances; then the chances of proofs."""
    logs = [fit(world).log_prob(domain) for world in (table, table.without(row))]
    inside, outside = (np.exp(log) for log in logs)
    assert inside.sum() == pytest.approx(1.0)
    assert outside.sum() == pytest.approx(1.0)
    both = (inside > 0) & (outside > 0)
    only_in, only_out = inside[outside == 0].sum(), outside[inside == 0].sum()
    return logs[0][both] - logs[1][both], np.stack([inside, outside])[:, both], float(only_in), float(only_out)


def moments(value: Floats, chances: Floats) -> Floats:
    """Under the fit with the record; at a tilt lower by 1 they are those under the other."""
    out: Floats = chances[0] @ np.exp(np.outer(value, TILT))
    np.testing.assert_allclose(out, chances[1] @ np.exp(np.outer(value, TILT + 1)), rtol=1e-9)
    return out


EXACT = [
    (BayesNet(), leaning(40, 1)),
    (BayesNet(), leaning(12, 2)),
    (BayesNet(smoothing=0.3), leaning(40, 3)),
    (BayesNet(smoothing=2.0), leaning(12, 4)),
    (Histogram(), leaning(40, 5)),
    (Bootstrap(), leaning(60, 6, (2, 2, 3))),
]


@pytest.mark.parametrize(("generator", "table"), EXACT)
def test_the_exact_law_is_that_of_the_two_fits(generator: Any, table: Table) -> None:
    ratios, domain, changed = generator.fit(table, RNG).ratios(), whole_domain(table), 0
    for row in range(len(table)):
        law = ratios.ratio(row).law
        if law is None:
            changed += 1
            continue
        value, chances, only_in, only_out = by_counting(lambda world: generator.fit(world, RNG), table, row, domain)
        assert isinstance(law, TreeLaw)
        assert law.only_in == pytest.approx(only_in, abs=1e-12)
        assert law.only_out == only_out == 0.0
        np.testing.assert_allclose(law.moments(TILT), moments(value, chances), atol=1e-12)
        t = 0.9 * np.arange(5)
        turned = chances[0] @ np.exp(np.outer(value, -0.5 + 1j * t))
        np.testing.assert_allclose(law.characteristic(-0.5, 0.9, 5), turned, atol=1e-12)
    assert changed < len(table) / 2


def test_numbers_in_bins_and_missing_ones() -> None:
    table = six_rows()
    generator = BayesNet(bins=2)
    ratios = generator.fit(table, RNG).ratios()
    for row in range(len(table)):
        law = ratios.ratio(row).law
        if isinstance(law, TreeLaw):
            value, chances, only_in, _ = by_counting(
                lambda world: generator.fit(world, RNG), table, row, every_row(table)
            )
            assert law.only_in == pytest.approx(only_in, abs=1e-12)
            np.testing.assert_allclose(law.moments(TILT), moments(value, chances), atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
def test_no_exact_law_where_columns_lean_on_several_or_the_network_is_another_without_the_record(degree: int) -> None:
    table = leaning(25, 8)
    fitted = BayesNet(degree=degree).fit(table, RNG)
    ratios = fitted.ratios()
    changed = [fitted.without(row).parents != fitted.parents for row in range(25)]
    assert any(changed)
    assert [ratios.ratio(row).law is None for row in range(25)] == (changed if degree == 1 else [True] * 25)


def test_cells_counted_by_hand() -> None:
    """Six rows, the tree colour -> size -> shape: the red one of missing size."""
    ratios = BayesNet(bins=10).fit(six_rows(), RNG).ratios()
    table = six_rows()
    row = int(np.flatnonzero(np.isnan(table.numbers[:, 0]))[0])
    colour, size, shape = ratios.ratio(row).cells
    assert (colour.columns, size.columns, shape.columns) == ((0,), (0, 1), (1, 2))
    (place, value, _), (lone, nobody_else, _) = size.foremost, shape.foremost
    assert (value.both, place.above, value.is_proof) == (1, 3, True)
    assert (nobody_else.both, lone.above, lone.is_lone) == (1, 1, True)
    assert (colour.reach, size.reach) == ((1.0,), (0.5,))
    assert shape.tells == 0.0  # the size has said it all
    assert size.tells == pytest.approx(0.5 * (1 - np.sqrt(2 / 3)))  # a coin of 1/3 against one of 0


def test_laws_that_are_alike_are_not_apart() -> None:
    (alike,) = places_of([0, 0], [0, 1], [3, 3], [6, 6], 2, 0.0)  # one of three rows of each value leaves
    assert alike.apart == pytest.approx(0.0, abs=1e-15)
    (proof,) = places_of([0], [0], [1], [1], 1000, 1e-9)  # the only row there: all but certain with it, uniform without
    assert proof.apart == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("generator", [BayesNet(), Histogram(), Bootstrap()])
def test_the_only_row_has_no_ratio(generator: Any) -> None:
    ratios = generator.fit(leaning(1, 0), RNG).ratios()
    with pytest.raises(DesignError, match="one row"):
        ratios.ratio(0)


def test_large_tilts_are_not_all_rounding() -> None:
    """How far a sum can get is read off them: there the mean grows like the most likely extreme row, and no faster."""
    table = mixed(60)
    generator = BayesNet(bins=4)
    law = generator.fit(table, RNG).ratios().ratio(26).law
    assert isinstance(law, TreeLaw)
    rows = generator.fit(table, RNG).sample(100_000, np.random.default_rng(1))
    logs = [generator.fit(world, RNG).log_prob(rows) for world in (table, table.without(26))]
    low = (logs[0] - logs[1]).min()
    for tilt in (-5.0, -20.0, -85.0, -250.0):
        grown = float(np.log(law.moments(np.array([tilt]))[0]))
        assert -tilt * -low - 6 <= grown <= -tilt * -low


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
