"""The probability of a row under the Gaussian copula: of what it truly releases, and as exact as it says."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from riskkit.core import MISSING, Column, Floats, Kind, Likelihood, Schema, Table
from riskkit.generators import copula
from riskkit.generators.copula import ACCURACY, Copula, FittedCopula, log_volume, triangle
from tests.generators.networks import p_of_releases, whole_domain
from tests.tables import adult, mixed, needs_adult, numeric

FEW = 1e-3
"""How exact a probability is where there are only a few columns: far below what 100,000 rows of a release could see."""


def fit(table: Table) -> FittedCopula:
    """A fit; there is nothing random in it."""
    return Copula().fit(table, np.random.default_rng(0))


def coarse(n: int = 400, seed: int = 0) -> Table:
    """Four columns that lean on each other: a category, one with an unused level and missing values, two numbers."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal(n)
    sort = np.searchsorted([-0.8, 0.6], hidden + 0.7 * rng.standard_normal(n))
    ill = (hidden + rng.standard_normal(n) > 1).astype(int)
    ill = np.where(rng.random(n) < 0.1, 3, ill)
    children = np.clip(np.round(1 + hidden + 0.5 * rng.standard_normal(n)), 0, 2)
    dose = np.where(hidden > 0.9, np.nan, 0.5 * np.round(rng.random(n)))
    columns = (
        Column("sort", Kind.CATEGORICAL, levels=("a", "b", "c")),
        numeric("children", children),
        Column("ill", Kind.CATEGORICAL, levels=("no", "yes", "in no row", MISSING), has_missing=True),
        numeric("dose", dose, decimals=1),
    )
    return Table(Schema(columns), np.column_stack([sort, ill]), np.column_stack([children, dose]))


def test_it_claims_a_likelihood() -> None:
    assert isinstance(fit(mixed()), Likelihood)


def test_probabilities_sum_to_one_and_releases_follow_them() -> None:
    fitted, domain = fit(coarse()), whole_domain(coarse())
    assert len(domain) == 3 * 4 * 3 * 3
    assert np.exp(fitted.log_prob(domain)).sum() == pytest.approx(1.0, abs=FEW)
    assert p_of_releases(fitted, domain, 100_000, off=FEW) > 1e-3


def independent(correlation: Floats) -> Floats:
    """The fault of a box without its correlations."""
    return np.eye(len(correlation))


def of_full_spread(correlation: Floats) -> Floats:
    """The fault of conditional means without conditional variances."""
    root = triangle(correlation)
    np.fill_diagonal(root, 1.0)
    return root


@pytest.mark.parametrize("fault", [independent, of_full_spread])
def test_a_wrong_conditional_law_is_seen(fault: Callable[[Floats], Floats], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copula, "triangle", fault)
    assert p_of_releases(fit(coarse()), coarse(), 100_000, off=np.inf) < 1e-6


def test_intervals_of_the_wrong_value_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row gets the box of the value before its own, as when an end is counted from the wrong side."""
    find = copula._find

    def before(values: Floats, wanted: Floats) -> tuple[object, object]:
        place, held = find(values, wanted)
        return np.maximum(place - 1, 0), held

    monkeypatch.setattr(copula, "_find", before)
    assert p_of_releases(fit(coarse()), coarse(), 100_000, off=np.inf) < 1e-6


def test_one_column_has_its_shares_exactly() -> None:
    """Ties, missing values and a level that no row has."""
    table = mixed(120)
    for column, values, other in (
        (table.schema.column("ward"), table.codes[:, 0], None),
        (table.schema.column("score"), None, table.numbers[:, 1]),
    ):
        codes = np.empty((120, 0)) if values is None else values[:, None]
        numbers = np.empty((120, 0)) if other is None else other[:, None]
        single = Table(Schema((column,)), codes.astype(np.int32), numbers)
        _, level, counts = np.unique(single.keys(), return_inverse=True, return_counts=True)
        np.testing.assert_allclose(np.exp(fit(single).log_prob(single)), counts[level] / 120, rtol=1e-12)


def test_independent_columns_multiply_exactly() -> None:
    """A complete design: every correlation is 0, and so a row's probability is the product of its shares."""
    rows = list(product(range(3), range(2), [1.0, 5.0, 9.0]))
    columns = (
        Column("a", Kind.CATEGORICAL, levels=("x", "y", "z")),
        Column("b", Kind.CATEGORICAL, levels=("x", "y")),
        numeric("c", np.array([1.0, 5.0, 9.0])),
    )
    table = Table(Schema(columns), [row[:2] for row in rows], np.array([row[2:] for row in rows]))
    np.testing.assert_allclose(fit(table).log_prob(table), -math.log(18), atol=1e-12)


@pytest.mark.parametrize("agree", [0.5, 0.6, 0.75, 0.9])
def test_two_even_answers_agree_as_often_as_they_did(agree: float) -> None:
    """The quadrant's chance is 1/4 + arcsin(r)/(2 pi) at a correlation of r (Sheppard 1899)."""
    same = round(1_000 * agree)
    codes = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [same, same, 1_000 - same, 1_000 - same], axis=0)
    columns = tuple(Column(name, Kind.CATEGORICAL, levels=("no", "yes")) for name in "ab")
    table = Table(Schema(columns), codes, np.empty((2_000, 0)))
    fitted = fit(table)
    chances = np.exp(fitted.log_prob(table.rows([0, same, 2 * same, -1])))
    quadrant = 0.25 + math.asin((fitted.root @ fitted.root.T)[0, 1]) / (2 * math.pi)
    assert quadrant == pytest.approx(agree / 2, abs=2e-3)  # as far as the correlation itself is settled
    np.testing.assert_allclose(chances, [quadrant, quadrant, 0.5 - quadrant, 0.5 - quadrant], atol=1e-4)


def test_twins_have_the_shares_of_one() -> None:
    """Their correlation is 1: what one leaves to the other is nothing."""
    codes = np.random.default_rng(0).integers(4, size=400)
    columns = tuple(Column(name, Kind.CATEGORICAL, levels=tuple("wxyz")) for name in "ab")
    fitted = fit(Table(Schema(columns), np.column_stack([codes, codes]), np.empty((400, 0))))
    share = np.bincount(codes) / 400
    pairs = np.array(list(product(range(4), repeat=2)))
    log_probs = fitted.log_prob(Table(fitted.schema, pairs, np.empty((16, 0))))
    same = pairs[:, 0] == pairs[:, 1]
    np.testing.assert_allclose(log_probs[same], np.log(share), atol=1e-9)
    assert np.all(log_probs[~same] == -np.inf)


def test_a_value_that_no_row_has_is_impossible() -> None:
    table = mixed(200, missing=True)
    fitted = fit(table)
    numbers = table.numbers[:3].copy()
    gone = np.setdiff1d(np.arange(18, 99), table.numbers[:, 0])[0]
    numbers[1, 0] = gone
    numbers[2, 0] = np.nan  # age is never missing
    log_probs = fitted.log_prob(Table(table.schema, table.codes[:3], numbers))
    assert np.isfinite(log_probs[0])
    assert log_probs[1] == log_probs[2] == -np.inf


def boxes(correlation: Floats, n: int = 40) -> tuple[Floats, Floats]:
    """Intervals between neighbouring eighths of a normal variable, among them those without an end."""
    cuts = np.concatenate([[-np.inf], ndtri(np.arange(1, 8) / 8), [np.inf]])
    place = np.random.default_rng(4).integers(8, size=(n, len(correlation)))
    return cuts[place], cuts[place + 1]


@pytest.mark.parametrize("d", [2, 3, 5])
def test_it_agrees_with_another_program(d: int) -> None:
    """SciPy's own integration, box by box."""
    half = np.random.default_rng(d).standard_normal((d, d + 2))
    correlation = np.corrcoef(half)
    low, high = boxes(correlation)
    law = stats.multivariate_normal(cov=correlation, seed=1)
    law.maxpts, law.abseps, law.releps = 50_000 * d, 1e-9, 1e-7
    expected = np.array([law.cdf(b, lower_limit=a) for a, b in zip(low, high, strict=True)])
    often = expected > 1e-5  # where the other's absolute error is no matter
    assert often.sum() >= 10
    logs = log_volume(low[often], high[often], correlation)
    np.testing.assert_allclose(logs, np.log(expected[often]), atol=10 * FEW)


def test_a_box_far_out_keeps_its_digits_on_both_sides() -> None:
    """Mirrored boxes have the same chance; beyond 8 the plain distribution function would say 0."""
    low, high = np.array([[9.0, -1.0], [9.0, -np.inf]]), np.array([[9.5, 0.5], [np.inf, np.inf]])
    above = log_volume(low, high, np.eye(2))
    np.testing.assert_allclose(log_volume(-high, -low, np.eye(2)), above, rtol=1e-9)
    assert above[1] == pytest.approx(float(stats.norm.logsf(9.0)), rel=1e-12)


@needs_adult
@pytest.mark.slow
def test_it_is_as_exact_as_it_says_on_fifteen_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the same integral at 32 times the points; no row of the table is impossible."""
    table = adult(3_000)
    fitted, rows = fit(table), table.rows(np.random.default_rng(1).permutation(3_000)[:100])
    log_probs = fitted.log_prob(rows)
    assert np.isfinite(log_probs).all()
    monkeypatch.setattr(copula, "POINTS", 32 * copula.POINTS)
    copula.cube.cache_clear()
    apart = np.abs(log_probs - fitted.log_prob(rows))
    copula.cube.cache_clear()
    assert apart.max() <= ACCURACY
    assert np.sqrt((apart**2).mean()) <= ACCURACY / 4
