"""What a released row says of a record: against the probabilities of the two fits, row by row of the whole domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators._network import Sums, compact
from riskkit.generators._ratio import Drawn, TreeLaw, apart
from riskkit.generators.bayesnet import BayesNet, FittedBayesNet, _counted
from riskkit.generators.bootstrap import Bootstrap
from riskkit.generators.histogram import Histogram
from riskkit.stats.atoms import Atoms
from riskkit.table.encode import binned
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
    return chances @ np.exp(np.outer(value, TILT))


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
    ratios, domain, changed = generator.fit(table, RNG).ratios(0, RNG), whole_domain(table), 0
    for row in range(len(table)):
        law = ratios.of(row).law
        if law is None:
            changed += 1
            continue
        value, chances, only_in, only_out = by_counting(lambda world: generator.fit(world, RNG), table, row, domain)
        assert isinstance(law, TreeLaw)
        assert law.only_in == pytest.approx(only_in, abs=1e-12)
        assert law.only_out == only_out == 0.0
        np.testing.assert_allclose(law.moments(TILT), moments(value, chances), atol=1e-12)
        t = 0.9 * np.arange(5)
        turned = (chances[:, :, None] * np.exp(1j * np.outer(value, t))).sum(axis=1)
        np.testing.assert_allclose(law.characteristic(0.9, 5), turned, atol=1e-12)
    assert changed < len(table) / 2


def test_numbers_in_bins_and_missing_ones() -> None:
    table = six_rows()
    generator = BayesNet(bins=2)
    ratios = generator.fit(table, RNG).ratios(0, RNG)
    for row in range(len(table)):
        law = ratios.of(row).law
        if isinstance(law, TreeLaw):
            value, chances, only_in, _ = by_counting(
                lambda world: generator.fit(world, RNG), table, row, every_row(table)
            )
            assert law.only_in == pytest.approx(only_in, abs=1e-12)
            np.testing.assert_allclose(law.moments(TILT), moments(value, chances), atol=1e-12)


def diamond(smoothing: float) -> Callable[[Table], FittedBayesNet]:
    """Fits a to b, a to c, and both b and c to d: b and c meet in releases as they met in no row."""

    def fit(table: Table) -> FittedBayesNet:
        codes, sizes = binned(table, 10)
        columns = compact(codes, sizes)
        sums = Sums.of(columns, sizes, 3)
        generator = BayesNet(degree=2, smoothing=smoothing)
        return _counted(generator, table.schema, sizes, columns, sums, ((), (0,), (0,), (1, 2)))

    return fit


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_drawn_rows_find_the_law_of_a_network(smoothing: float) -> None:
    """Every number within 5 standard errors of 40,000 rows, those rows included that were never drawn."""
    fit, table, drawn = diamond(smoothing), leaning(25, 13, (2, 4, 4, 3)), 40_000
    ratios = replace(fit(table).ratios(drawn, np.random.default_rng(1)), keeps=lambda _: True)
    kinds = set()
    for row in range(0, 25, 2):
        found = ratios.of(row).law
        assert isinstance(found, Drawn)
        atoms = Atoms.of(found.value, found.rows, found.inside, found.outside, found.aside)
        value, chances, only_in, only_out = by_counting(fit, table, row, whole_domain(table))
        wanted, spread = moments(value, chances), np.sqrt(chances[0] @ np.exp(np.outer(value, 2 * TILT)))
        assert np.all(np.abs(atoms.moments(TILT)[0] - wanted[0]) <= 5 * spread / np.sqrt(drawn))
        assert abs(atoms.moments(TILT)[1, 2] - wanted[1, 2]) <= 0.02
        for seen, true in ((atoms.only_in, only_in), (atoms.only_out, only_out)):
            assert abs(seen - true) <= 5 * np.sqrt(max(true, 1e-12) / drawn)
        kinds.add((only_in > 0, only_out > 0))
    assert kinds >= ({(False, False)} if smoothing else {(False, True), (True, False), (True, True)})


@pytest.mark.parametrize("degree", [1, 2])
def test_no_law_where_the_network_is_another_without_the_record(degree: int) -> None:
    table = leaning(25, 8)
    fitted = BayesNet(degree=degree).fit(table, RNG)
    ratios = fitted.ratios(100, RNG)
    changed = [fitted.without(row).parents != fitted.parents for row in range(25)]
    assert any(changed)
    assert [ratios.of(row).law is None for row in range(25)] == changed


def test_cells_counted_by_hand() -> None:
    """Six rows, the tree colour -> size -> shape: the red one of missing size."""
    ratios = BayesNet(bins=10).fit(six_rows(), RNG).ratios(0, RNG)
    table = six_rows()
    row = int(np.flatnonzero(np.isnan(table.numbers[:, 0]))[0])
    colour, size, shape = ratios.of(row).cells
    assert (colour.columns, size.columns, shape.columns) == ((0,), (0, 1), (1, 2))
    assert (size.both, size.above, size.is_proof) == (1, 3, True)
    assert (shape.both, shape.above, shape.is_lone) == (1, 1, True)
    assert (colour.reach, size.reach) == (1.0, 0.5)
    assert shape.tells == 0.0  # the size has said it all
    assert size.tells == pytest.approx(0.5 * (1 - np.sqrt(2 / 3)))  # a coin of 1/3 against one of 0


def test_coins_that_are_alike_are_not_apart() -> None:
    assert apart(0.3, 0.3) == pytest.approx(0.0, abs=1e-15)
    assert apart(1.0, 0.0) == 1.0


@pytest.mark.parametrize("generator", [BayesNet(), Histogram(), Bootstrap()])
def test_the_only_row_has_no_ratio(generator: Any) -> None:
    ratios = generator.fit(leaning(1, 0), RNG).ratios(0, RNG)
    with pytest.raises(DesignError, match="one row"):
        ratios.of(0)
    with pytest.raises(DesignError, match="one row"):
        ratios.tells()


def test_large_tilts_are_not_all_rounding() -> None:
    """How far a sum can get is read off them: there the mean grows like the most likely extreme row, and no faster."""
    table = mixed(60)
    generator = BayesNet(bins=4)
    law = generator.fit(table, RNG).ratios(0, RNG).of(26).law
    assert isinstance(law, TreeLaw)
    rows = generator.fit(table, RNG).sample(100_000, np.random.default_rng(1))
    logs = [generator.fit(world, RNG).log_prob(rows) for world in (table, table.without(26))]
    low = (logs[0] - logs[1]).min()
    for tilt in (-5.0, -20.0, -85.0, -250.0):
        grown = float(np.log(law.moments(np.array([tilt]))[0, 0]))
        assert -tilt * -low - 6 <= grown <= -tilt * -low
