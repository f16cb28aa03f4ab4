"""Densities of rows of categories, against scipy on columns of full rank, on nasty tables; and the exponential itself.

A table's levels are one column each, less those that follow from others, for scipy, which needs full rank. Such a
change of columns multiplies every density by one constant, and changes no gain at all.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from riskkit.core import Floats, Ints
from riskkit.released import _densities, _density_kernels
from riskkit.released._densities import kernels, log_density_with
from riskkit.table.points import RowPoints

TOLERANCE = 1e-7
"""Nats; scipy's own rounding at these scales is most of it."""


def nasty(n: int, seed: int, scale: float = 1.0, offset: float = 0.0) -> RowPoints:
    """Rows with duplicates, ties, levels that two rows have, chains of them, and a number that is mostly one value."""
    rng = np.random.default_rng(seed)
    first = rng.choice(7, n, p=[0.5, 0.3, 0.1, 0.06, 0.02, 0.01, 0.01])
    second = np.where(first < 2, rng.integers(0, 2, n), first % 5)  # rare levels of one go with rare ones of another
    third = rng.integers(0, 2, n)
    fourth = rng.choice(3, n, p=[0.98, 0.01, 0.01])
    codes = np.column_stack([first, second, third, fourth]).astype(np.int32)
    codes[:7, 0], codes[:6, 1], codes[6:9, 3] = np.arange(7), np.arange(6) % 5, np.arange(3)
    numbers = np.column_stack([rng.normal(size=n), np.where(rng.random(n) < 0.9, 0.0, rng.normal(size=n))])
    numbers[:, 0] = np.round(numbers[:, 0], 1) * scale + offset
    numbers[n // 2 : n // 2 + 10], codes[n // 2 : n // 2 + 10] = numbers[0], codes[0]
    return RowPoints(numbers, codes, (7, 5, 2, 3))


def of_them(points: RowPoints, n: int, seed: int, scale: float = 1.0) -> RowPoints:
    """Rows with the categories of these and numbers near theirs: where their levels go together, so do these."""
    rng = np.random.default_rng(seed)
    chosen = points.rows(rng.integers(0, len(points), n))
    return replace(chosen, numbers=chosen.numbers + np.round(rng.normal(size=(n, 2)), 1) * np.array([scale, 1.0]))


def flags(points: RowPoints) -> Floats:
    """The numbers, then a column of zeros and ones for each level."""
    levels = [column[:, None] == np.arange(size) for column, size in zip(points.codes.T, points.sizes, strict=True)]
    return np.column_stack([points.numbers, *levels]).astype(np.float64)


def full_rank(among: RowPoints) -> Ints:
    """The columns of :func:`flags` of which none is made of those before it."""
    columns = flags(among)
    spread = columns.std(axis=0)
    standard = (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    kept: list[int] = []
    for column in range(columns.shape[1]):
        if np.linalg.matrix_rank(standard[:, [*kept, column]], tol=1e-6) > len(kept):
            kept.append(column)
    return np.array(kept)


def published(rows: Floats, points: Floats) -> Floats:
    return gaussian_kde(rows.T, bw_method="silverman").logpdf(points.T)


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e6, 3e8), (1e-5, 1.0)])
@pytest.mark.parametrize("rows", [255, 256, 700])
def test_a_density_is_scipys_but_for_a_constant(rows: int, scale: float, offset: float) -> None:
    among = nasty(rows, 1, scale, offset)
    points, kept = of_them(among, 90, 2, scale), full_rank(among)
    assert len(kept) < 2 + 7 + 5 + 2 + 3 - 4  # some levels follow from others
    theirs = published(flags(among)[:, kept], flags(points)[:, kept])
    gap = kernels(among.matrix()).log_density(points.matrix()) - theirs
    np.testing.assert_allclose(gap, gap[0], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e6, 3e8)])
def test_a_gain_is_that_of_a_new_fit(scale: float, offset: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_densities, "TOGETHER", 7)
    among = nasty(300, 3, scale, offset)
    joining, released = of_them(among, 25, 4, scale), of_them(among, 60, 5, scale)
    near = np.random.default_rng(6).integers(0, 60, (25, 4))
    base = kernels(among.matrix())
    ours = log_density_with(base, joining.matrix(), released.matrix(), near) - base.log_density(released.matrix())[near]
    np.testing.assert_allclose(ours, gains(among, joining, released, near), rtol=0, atol=TOLERANCE)


def gains(among: RowPoints, joining: RowPoints, released: RowPoints, near: Ints) -> Floats:
    """By fitting scipy's density anew with each row that joins."""
    kept = full_rank(among)
    rows, points = flags(among)[:, kept], flags(released)[:, kept]
    before = published(rows, points)[near]
    each = zip(flags(joining)[:, kept], near, strict=True)
    after = [published(np.vstack([rows, row]), points[those]) for row, those in each]
    return np.asarray(after) - before


def test_equal_rows_have_equal_densities_wherever_they_stand() -> None:
    among, points = nasty(600, 7), nasty(40, 8)
    twice = points.plus(points.rows(np.arange(40)[::-1]))
    densities = kernels(among.matrix()).log_density(twice.matrix())
    np.testing.assert_array_equal(densities[:40], densities[40:][::-1])


def test_the_exponential_is_the_exponential() -> None:
    size = _densities.LANES
    exponents = np.concatenate(
        [np.linspace(-699, 0, size - 60), -np.logspace(-17, 2, 56), [0.0, -1e-320, -1e300, -np.inf]]
    )
    work, power = np.empty(size), np.empty(size)
    total = _density_kernels.exponentials(exponents, 0.0, power, power.view(np.int64), work)
    out = work * power
    assert total == pytest.approx(math.fsum(map(math.exp, exponents)), rel=1e-14)
    np.testing.assert_allclose(out[:-2], [math.exp(x) for x in exponents[:-2]], rtol=2e-14)
    assert (out[-2:] < 1e-300).all()
    assert out[-4] == 1
    _density_kernels.exponentials(exponents + 1234.5, 1234.5, power, power.view(np.int64), work)
    out = work * power
    np.testing.assert_allclose(out[:-2], [math.exp(x) for x in exponents[:-2]], rtol=1e-12)


@pytest.mark.parametrize("far", [36.0, 42.4, 42.6, 50.0, 300.0])
def test_a_block_left_out_changes_no_bit(far: float) -> None:
    """A sum over rows near by, with a whole block far below the largest of them, against one over all, by hand."""
    lanes = _densities.LANES
    rng = np.random.default_rng(4)
    offset = np.concatenate([rng.normal(size=lanes) - 3, np.full(lanes, -far - 3)])
    offset[5] = 0.0
    offset[lanes:] += rng.random(lanes) * 2.9
    asked = np.zeros((1, 1), dtype=np.int32), np.ones((1, 1))
    ours = _densities.log_sums(asked, np.zeros((1, 2 * lanes)), offset)[0]
    near = _densities.log_sums(asked, np.zeros((1, lanes)), offset[:lanes])[0]
    exact = math.log(math.fsum(math.exp(value) for value in offset))
    assert ours == pytest.approx(exact, rel=0, abs=4e-16 * max(abs(exact), 1.0))
    if far > 43:
        assert ours == near
