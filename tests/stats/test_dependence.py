"""Dependence of pairs of columns: by hand, by scipy, and how often chance alone is called a change."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from riskkit.core import Ints
from riskkit.stats.dependence import associations, largest_by_chance


def by_scipy(first: Ints, second: Ints) -> float:
    """Bergsma's formula over scipy's chi squared."""
    cells = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(cells, (first, second), 1)
    cells = cells[cells.sum(axis=1) > 0][:, cells.sum(axis=0) > 0]
    n, (r, c) = len(first), cells.shape
    square = chi2_contingency(cells, correction=False).statistic / n
    corrected = max(square - (r - 1) * (c - 1) / (n - 1), 0.0)
    return float(np.sqrt(corrected / min(r - (r - 1) ** 2 / (n - 1) - 1, c - (c - 1) ** 2 / (n - 1) - 1)))


def test_by_hand() -> None:
    """20 rows in a table of 8, 2, 2, 8: phi squared 0.36, less 1/19; the width 1 - 1/19."""
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [8, 2, 2, 8], axis=0)
    assert associations(codes, [2, 2])[0, 1] == pytest.approx(((0.36 - 1 / 19) / (18 / 19)) ** 0.5)


def test_as_scipy_has_it_with_levels_that_nobody_has() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 300) * 2
    codes = np.column_stack([first, (first + rng.integers(0, 3, 300)) % 5, rng.integers(0, 6, 300)])
    matrix = associations(codes, [8, 7, 6])
    for a in range(3):
        for b in range(3):
            assert matrix[a, b] == pytest.approx(1.0 if a == b else by_scipy(codes[:, a], codes[:, b]), abs=1e-9)


def test_a_copy_is_one_and_a_constant_is_nought() -> None:
    rng = np.random.default_rng(0)
    column = rng.integers(0, 5, 25_000)
    matrix = associations(np.column_stack([column, column, np.zeros_like(column)]), [5, 5, 1])
    np.testing.assert_allclose(matrix, [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-9)


def population(rng: np.random.Generator, rows: int) -> Ints:
    hidden = rng.normal(size=rows)
    noisy = hidden[:, None] + rng.normal(size=(rows, 5)) * [0.5, 1, 2, 4, 50]
    return np.asarray(np.digitize(noisy, [-1, 0, 1]), dtype=np.int64)


@pytest.mark.parametrize("others", [400, 120, 20])
def test_the_largest_by_chance_is_that_of_deals_counted_one_by_one(others: int) -> None:
    """Another count of the same deals; a second sample as large as the table differs by 1 / sqrt(2) of two halves."""
    codes = population(np.random.default_rng(2), 400)
    rng, part = np.random.default_rng(9), min(others, 200)
    pairs, largest = [(a, b) for a in range(5) for b in range(a)], 0.0
    for _ in range(19):
        first = np.zeros(400, dtype=bool)
        first[rng.permutation(400)[:part]] = True
        for a, b in pairs:
            gap = by_scipy(*codes[first][:, [a, b]].T) - by_scipy(*codes[~first][:, [a, b]].T)
            largest = max(largest, abs(gap))
    scale = np.sqrt((1 / 400 + 1 / others) / (1 / part + 1 / (400 - part)))
    assert others != 400 or scale == pytest.approx(0.5**0.5)
    reached = largest_by_chance(codes, [4] * 5, others, np.random.default_rng(9))
    assert reached == pytest.approx(min(largest * scale, 1.0))


@pytest.mark.second
@pytest.mark.parametrize(
    ("rows", "others", "dealt"), [(400, 400, 400), (400, 100, 400), (300, 1_200, 300), (1_600, 1_600, 400)]
)
def test_chance_alone_is_called_a_change_once_in_twenty(
    rows: int, others: int, dealt: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskkit.stats.dependence.DEALT", dealt)
    rng, levels, times = np.random.default_rng(11), [4] * 5, 400
    beyond = 0
    for _ in range(times):
        real, other = population(rng, rows), population(rng, others)
        apart = np.abs(associations(real, levels) - associations(other, levels)).max()
        beyond += apart > largest_by_chance(real, levels, others, rng)
    assert beyond / times <= 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5


def test_a_column_that_was_shuffled_is_beyond_chance() -> None:
    rng, levels = np.random.default_rng(5), [4] * 5
    real, other = population(rng, 800), population(rng, 800)
    other[:, 0] = rng.permutation(other[:, 0])
    lost = associations(real, levels)[0, 1] - associations(other, levels)[0, 1]
    assert lost > largest_by_chance(real, levels, 800, rng)
