"""Private-GSD: what it costs a person, and rows that no single change makes agree better."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.generators import private_gsd
from riskkit.generators.engines.tree_fit import Noisy, noisy
from riskkit.generators.private_gsd import PrivateGsd
from riskkit.stats.composition import compose
from tests.generators.networks import leaning

RHO = 0.10341283
"""What epsilon 1 and delta .01 allow."""


def test_what_a_person_costs_by_hand() -> None:
    """All of rho goes to one normal step: mu^2 = 2 rho, for any number of columns."""
    method = PrivateGsd(epsilon=1.0, delta=0.01)
    for columns, pairs in ((1, 1), (2, 1), (15, 105)):
        assert method.noise(columns) == pytest.approx(math.sqrt(pairs / (2 * RHO)), rel=1e-6)
        ((kind, size),) = method.losses("add-one", 1_000, columns)
        assert kind == "gaussian"
        assert size == pytest.approx(math.sqrt(2 * RHO), rel=1e-6)
        assert compose(((kind, size),)).auc == pytest.approx(stats.norm.cdf(math.sqrt(RHO)), abs=1e-4)
    ((_, replaced),) = method.losses("replace-one", 1_000, 15)
    assert replaced == pytest.approx(math.sqrt(4 * RHO), rel=1e-6)


def test_a_person_moves_the_counts_by_no_more_than_they_pay_for() -> None:
    """Counts of a table less those of the same table without one row, in the noise that lies on them."""
    table = leaning(60, 3)
    fitted = PrivateGsd(epsilon=2.0, delta=0.01, rows=10, tries=1).fit(table, np.random.default_rng(0))
    ((_, mu),) = PrivateGsd(epsilon=2.0, delta=0.01).losses("add-one", 60, 5)
    for row in (0, 17, 59):
        both = zip(fitted.exact_counts(table), fitted.exact_counts(table.without(row)), strict=True)
        scales = [each.scale for each in fitted.noisy_counts()]
        moved = [((a - b) / scale) ** 2 for (a, b), scale in zip(both, scales, strict=True)]
        assert math.sqrt(sum(float(each.sum()) for each in moved)) == pytest.approx(mu)


def shares(codes: Ints, sizes: tuple[int, ...]) -> list[Floats]:
    """The share of rows in every cell of every pair, counted row by row."""
    out = []
    for a, b in combinations(range(len(sizes)), 2):
        table = np.zeros((sizes[a], sizes[b]))
        for row in codes.tolist():
            table[row[a], row[b]] += 1 / len(codes)
        out.append(table)
    return out


def squares(codes: Ints, wanted: list[Noisy], sizes: tuple[int, ...]) -> float:
    """The squared errors of the pairs, in shares, by the definition."""
    total = np.mean([each.counts.sum() for each in wanted])
    reached = shares(codes, sizes)
    return sum(float(((a - each.counts / total) ** 2).sum()) for a, each in zip(reached, wanted, strict=True))


def test_no_change_of_one_value_agrees_better() -> None:
    """Every row, column and value is tried, by plain counting: the search ended where none helps."""
    sizes, rng = (3, 2, 4), np.random.default_rng(4)
    wanted = [
        noisy(100 * rng.dirichlet(np.ones(sizes[a] * sizes[b])).reshape(sizes[a], sizes[b]), 2.0, rng)
        for a, b in combinations(range(3), 2)
    ]
    codes = PrivateGsd(rows=12, tries=500).evolve(wanted, sizes, rng)
    assert codes.shape == (12, 3)
    reached = squares(codes, wanted, sizes)
    assert reached < squares(PrivateGsd(rows=12, tries=1).evolve(wanted, sizes, rng), wanted, sizes)
    for row, column in np.ndindex(codes.shape):
        for value in range(sizes[column]):
            changed = codes.copy()
            changed[row, column] = value
            assert squares(changed, wanted, sizes) >= reached - 1e-12


def apart(rows: Ints, other: Ints, sizes: tuple[int, ...]) -> float:
    """The mean total variation of the pairs of two sets of rows."""
    both = zip(shares(rows, sizes), shares(other, sizes), strict=True)
    return float(np.mean([np.abs(a - b).sum() / 2 for a, b in both]))


def test_a_fit_with_next_to_no_noise_has_the_pairs_of_the_table() -> None:
    """Of a table of 400 people, and of rows that are released; each column has a level that no row holds."""
    table, sizes = leaning(400, 2), (4, 3, 5, 4, 3)
    fitted = PrivateGsd(epsilon=1e6, rows=400, tries=400).fit(table, np.random.default_rng(0))
    release = fitted.sample(4_000, np.random.default_rng(1))
    assert apart(fitted.codes, table.codes, sizes) < 0.02
    assert apart(release.codes, table.codes, sizes) < 0.04
    assert apart(leaning(400, 3).codes, table.codes, sizes) > 0.06, "other people are further away"


def test_a_single_column_is_fitted_too() -> None:
    table = leaning(400, 2, (3,))
    fitted = PrivateGsd(epsilon=1e6, rows=400).fit(table, np.random.default_rng(0))
    assert np.bincount(fitted.codes[:, 0], minlength=4).tolist() == np.bincount(table.codes[:, 0], minlength=4).tolist()
    assert fitted.families() == ((0,),)


def test_the_table_shows_only_through_noisy_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another table, given the same noisy counts, has the same rows."""
    table, other = leaning(60, 3), leaning(61, 4)
    first = PrivateGsd(rows=30).fit(table, np.random.default_rng(1))
    again, rng = iter(first.measured), np.random.default_rng(1)
    for each in first.measured:
        rng.normal(size=each.counts.shape)  # as many draws as the first fit took for its noise
    monkeypatch.setattr(private_gsd, "noisy", lambda *_: next(again))
    np.testing.assert_array_equal(PrivateGsd(rows=30).fit(other, rng).codes, first.codes)


def test_pairs_too_large_for_noise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_gsd, "CELLS", 100)
    with pytest.raises(DesignError, match="private_gsd"):
        PrivateGsd().fit(leaning(20, 0), np.random.default_rng(0))
