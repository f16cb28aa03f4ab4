"""Certificates of private methods against all that their outcomes say, on small tables, by code that shares nothing."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from riskkit.generators.mst import Mst
from riskkit.generators.privbayes import PrivBayes, pick_loss
from riskkit.questions import promises
from riskkit.stats.composition import compose
from tests.generators import plain_private as plain

SIZES = ((2, 2, 2), (3, 2, 3), (4, 3, 2), (2, 5, 3))
BUDGETS = (0.5, 1.0, 3.0)
SHARES = (0.2, 0.5, 0.9)


def small(seed: int) -> tuple[plain.Rows, int, tuple[int, ...], np.random.Generator]:
    """A table of 3 to 12 rows in which columns lean on each other now and then, and a row of it."""
    rng = np.random.default_rng(seed)
    sizes = SIZES[seed % len(SIZES)]
    n = int(rng.integers(3, 13))
    first = rng.integers(sizes[0], size=n)
    rest = [np.where(rng.random(n) < rng.random(), first % size, rng.integers(size, size=n)) for size in sizes[1:]]
    return [tuple(map(int, row)) for row in np.stack([first, *rest], axis=1)], int(rng.integers(n)), sizes, rng


@cache
def gaps(size: float, tables: int) -> np.ndarray:
    return plain.laplace_gaps(size, tables, 200_000, np.random.default_rng(1))


def privbayes(seed: int, *, less_noise: float = 1.0) -> tuple[float, float, bool]:
    """Certificate and truth of PrivBayes on a small table; and whether a pick says more than it may."""
    rows, gone, sizes, rng = small(seed)
    epsilon, share = float(rng.choice(BUDGETS)), float(rng.choice(SHARES))
    relation = ("add-one", "replace-one")[seed // 4 % 2]
    other = rows[:gone] + rows[gone + 1 :]
    if relation == "replace-one":
        other.append(tuple((code + 1) % size for code, size in zip(rows[gone], sizes, strict=True)))
    part = share * epsilon / 2
    with_row, without = (dict(plain.networks(each, sizes, part)) for each in (rows, other))
    moved = 2 if relation == "replace-one" else 1  # nothing of the row is like that of the other: two cells a table
    truth = plain.auc_of(with_row, without, gaps((1 - share) * epsilon / 4 / less_noise, 2 * moved))
    generator = PrivBayes(epsilon=epsilon, degree=1, share=share)
    worst = max(abs(math.log(with_row[one] / without[one])) for one in with_row)
    is_over = worst > 2 * pick_loss(part, relation, len(rows)) + 1e-9
    return compose(generator.losses(relation, len(rows), 3)).auc, truth, is_over


def over(count: int, less_noise: float = 1.0) -> tuple[int, float, float, int]:
    """Tables whose truth is above the certificate by more than its error; mean of both; picks that say too much."""
    both = [privbayes(seed, less_noise=less_noise) for seed in range(count)]
    above = sum(truth > certified + 0.004 for certified, truth, _ in both)
    return (
        above,
        float(np.mean([one[0] for one in both])),
        float(np.mean([one[1] for one in both])),
        sum(one[2] for one in both),
    )


def test_no_outcome_of_privbayes_says_more_than_its_certificate() -> None:
    """Truths have a standard error of .001 (200,000 draws of the noise). Picks are enumerated."""
    above, certified, truth, too_sure = over(40)
    assert (above, too_sure) == (0, 0)
    assert certified - 0.05 < truth < certified  # the worst table is not every table, and not far away


@pytest.mark.slow
def test_no_outcome_of_privbayes_says_more_on_a_thousand_tables() -> None:
    above, certified, truth, too_sure = over(1_200)
    assert (above, too_sure) == (0, 0)
    assert certified - 0.05 < truth < certified


def test_too_little_noise_is_seen() -> None:
    """Planted: half of the noise that the certificate takes for granted."""
    assert over(40, less_noise=0.5)[0] > 10


def mst(seed: int, draws: int, sensitivity: float = 1.0) -> tuple[float, float]:
    """Certificate and truth of MST on a small table."""
    rows, gone, sizes, rng = small(seed)
    epsilon = float(rng.choice(BUDGETS))
    value = plain.rho(epsilon, 0.01)
    told = plain.mst_transcripts(rows, gone, sizes, value, draws, rng, sensitivity)
    truth = plain.auc_with_normal(*told, math.sqrt(2 * value / 3))
    return compose(Mst(epsilon=epsilon, delta=0.01).losses("add-one", len(rows), 3)).auc, truth


def held(tables: int, draws: int, sensitivity: float = 1.0) -> tuple[int, float, float, float]:
    """Tables above the certificate by 4 standard errors; both means; and the standard error of that of truths."""
    both = np.array([mst(seed, draws, sensitivity) for seed in range(tables)])
    noise = math.sqrt((2 * draws + 1) / (12 * draws**2))
    return int((both[:, 1] > both[:, 0] + 4 * noise).sum()), *both.mean(axis=0), noise / math.sqrt(tables)


def test_no_outcome_of_mst_says_more_than_its_certificate() -> None:
    above, certified, truth, error = held(20, 100)
    assert above == 0
    assert certified - 0.05 - 4 * error < truth < certified + 4 * error


@pytest.mark.slow
def test_no_outcome_of_mst_says_more_on_a_thousand_tables() -> None:
    above, certified, truth, error = held(1_000, 200)
    assert error < 0.003
    assert above == 0
    assert certified - 0.05 < truth < certified


def test_picks_that_are_too_sure_are_seen() -> None:
    """Planted: a sensitivity of an eighth, as if one row moved the strength of a pair by so little."""
    _, certified, truth, error = held(60, 100, sensitivity=1 / 8)
    assert truth > certified + 4 * error


@pytest.mark.parametrize("spelled", ["mst:epsilon=1,delta=0.01", "privbayes:epsilon=1"])
def test_of_several_fits_losses_and_promises_add_up(spelled: str) -> None:
    """And of one fit that is released again and again nothing changes."""
    relation = promises.claim(spelled).relation
    one, four = (promises.certificate(spelled, relation, 200, 3, fits) for fits in (1, 4))
    assert one is not None
    assert four is not None
    assert 0.5 < one < four < 1
    assert promises.claim(spelled, 4).epsilon == pytest.approx(4 * (promises.claim(spelled).epsilon or 0))
    assert promises.claim(spelled, 4).delta == pytest.approx(4 * promises.claim(spelled).delta)
    assert promises.fits_of({"releases": 4, "one_fit": True}) == promises.fits_of({}) == 1
    assert promises.fits_of({"releases": 4}) == 4
