"""What a released row says of a record: against the probabilities of the two fits, row by row of the whole domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.engines.ratios import TreeLaw, places_of
from riskkit.generators.histogram import Histogram
from riskkit.generators.whole_rows import Bootstrap
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
