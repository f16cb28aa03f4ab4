"""What is written out of scipy's distributions beside scipy's own, and what loads without them."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from riskkit.base import distributions

RNG = np.random.default_rng(0)


def test_the_normal_distribution_is_scipys_to_the_last_bit() -> None:
    share = np.concatenate([RNG.random(10_000), [0.0, 1.0, -0.1, 1.1, np.nan, 1e-300, 1 - 1e-16]])
    number = np.concatenate([5 * RNG.normal(size=10_000), [np.inf, -np.inf, np.nan, 40.0, -40.0]])
    np.testing.assert_array_equal(distributions.norm.ppf(share), stats.norm.ppf(share))
    np.testing.assert_array_equal(distributions.norm.isf(share), stats.norm.isf(share))
    np.testing.assert_array_equal(distributions.norm.sf(number), stats.norm.sf(number))


@pytest.mark.parametrize(
    "values",
    [
        np.array([]),
        np.array([3.0]),
        RNG.integers(0, 9, 500),
        RNG.normal(size=500),
        np.array([0.0, -0.0, 1.0, np.inf, np.inf, -np.inf, -np.inf]),
    ],
    ids=["none", "one", "ties", "none tie", "infinities"],
)
def test_ranks_are_scipys(values: np.ndarray) -> None:
    np.testing.assert_array_equal(distributions.ranks(values), stats.rankdata(values))


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (0, 3), (40, 30), (2, 3, 7), (1, 5_000)])
def test_ranks_of_many_rows_are_scipys(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    kinds = [
        rng.integers(0, 5, shape),
        rng.normal(size=shape),
        rng.random(shape) < 0.5,
        np.where(rng.random(shape) < 0.2, np.inf, rng.choice([0.0, -0.0, 1.0], shape)),
        np.where(rng.random(shape) < 0.05, np.nan, rng.normal(size=shape)),
    ]
    for values in kinds:
        for axis in (None, -1, *range(len(shape))):
            wanted, ranked = stats.rankdata(values, axis=axis), distributions.rankdata(values, axis=axis)
            np.testing.assert_array_equal(ranked, wanted)
            assert (ranked.shape, ranked.dtype) == (wanted.shape, wanted.dtype)


def test_the_hypergeometric_law_is_scipys_to_the_last_bit() -> None:
    rng = np.random.default_rng(2)
    for _ in range(800):
        every = int(rng.integers(0, 60 if rng.random() < 0.5 else 50_000))
        good, drawn = (int(number) for number in rng.integers(0, every + 2, 2))
        number = int(rng.integers(-2, min(good, drawn) + 3))
        wanted = stats.hypergeom.sf(number, every, good, drawn)
        np.testing.assert_array_equal(distributions.hypergeom.sf(number, every, good, drawn), wanted)


@pytest.mark.parametrize("freedom", [*range(1, 30), 0.3, 7.5, 1_000, 1e9, np.inf, 0, -1, np.nan])
def test_students_law_is_scipys_to_the_last_bit(freedom: float) -> None:
    rng = np.random.default_rng(4)
    shares = np.concatenate(
        [rng.random(300), 1 - 10.0 ** -np.arange(1, 15), 10.0 ** -np.arange(1, 15), [0.0, 0.5, 1.0]]
    )
    np.testing.assert_array_equal(distributions.t.ppf(shares, freedom), stats.t.ppf(shares, freedom))
    assert float(distributions.t.ppf(0.975, freedom)) == float(stats.t.ppf(0.975, freedom)) or not freedom > 0
    many = np.full(3, freedom)
    np.testing.assert_array_equal(distributions.t.ppf(0.975, many), stats.t.ppf(0.975, many))


def test_the_beta_law_is_scipys_to_the_last_bit() -> None:
    rng = np.random.default_rng(3)
    first, second = (rng.integers(0, 3_000, 5_000) + rng.choice([0.5, 1.0], 5_000) for _ in range(2))
    share = np.concatenate([rng.random(4_998), [0.0, 1.0]])
    for law in ("ppf", "isf"):
        ours, theirs = (getattr(module.beta, law)(share, first, second) for module in (distributions, stats))
        np.testing.assert_array_equal(ours, theirs)
    number = np.concatenate([share[2:], [-0.3, 1.3]])
    np.testing.assert_array_equal(distributions.beta.cdf(number, first, second), stats.beta.cdf(number, first, second))


def test_whatever_else_there_is_comes_from_scipy() -> None:
    assert distributions.binom is stats.binom
    with pytest.raises(AttributeError):
        distributions.nothing_of_that_name  # noqa: B018


@pytest.mark.parametrize("module", ["riskkit.questions.released.grades", "riskkit.commands._ask"])
def test_what_attacks_a_release_loads_no_distributions(module: str) -> None:
    """Every helper process would take half a second longer to start."""
    check = f"import sys, {module}; sys.exit(any(name in sys.modules for name in ('scipy.stats', 'scipy.optimize')))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
