"""Trees grown by compiled loops beside trees grown in plain Python from the same random bits, and scikit-learn's."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

from riskkit.core import Codes, Floats
from riskkit.released import _tree_kernels as kernels
from riskkit.released._discriminate import SEEDS, Grove

WORD = 2**64


def bits(state: int) -> Iterator[int]:
    """The published splitmix64, in whole numbers of any size."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
        yield z ^ (z >> 31)


def purity(answers: Sequence[Any], *, are_classes: bool) -> Fraction:
    """What a cut adds up over its two sides: the higher, the more alike are those on a side."""
    if are_classes:
        return Fraction(sum(count * count for count in Counter(answers).values()), len(answers))
    return sum(map(Fraction, answers), Fraction(0)) ** 2 / len(answers)


def more(answers: Sequence[Any], *, are_classes: bool) -> Fraction:
    """How much purer a cut must be than one before it: ties fall to the first."""
    middle = Fraction(0) if are_classes else sum(map(Fraction, answers), Fraction(0)) / len(answers)
    spread = Fraction(len(answers)) if are_classes else sum(((each - middle) ** 2 for each in answers), Fraction(0))
    return spread / 10**9


def tree(
    rows: Floats, answers: Sequence[Any], columns: Sequence[int], tried: int, seed: int, asked: Floats
) -> list[Any]:
    """For each row asked about what is told of the training rows of its leaf."""
    draws, order, are_classes = bits(seed), list(columns), isinstance(answers[0], int)
    leaves: list[Any] = [None] * len(asked)

    def grow(here: list[int], there: list[int]) -> None:
        best: tuple[Fraction, int, float] | None = None
        if len({answers[row] for row in here}) > 1:
            for looked in range(len(order)):
                if looked >= tried and best is not None:
                    break
                place = looked + next(draws) % (len(order) - looked)
                order[looked], order[place] = order[place], order[looked]
                column = order[looked]
                low, high = (float(end([rows[row, column] for row in here])) for end in (min, max))
                if low == high:
                    continue
                cut = low + (next(draws) >> 11) / 2**53 * (high - low)
                cut = cut if low <= cut < high else low
                sides = [
                    [answers[row] for row in here if bool(rows[row, column] <= cut) is side] for side in (True, False)
                ]
                gain = sum((purity(side, are_classes=are_classes) for side in sides), Fraction(0))
                if best is None or gain > best[0] + more([answers[row] for row in here], are_classes=are_classes):
                    best = gain, column, cut
        if best is None:
            for row in there:
                leaves[row] = [answers[each] for each in here]
            return
        _, column, cut = best
        for is_below in (True, False):
            grow(
                [row for row in here if bool(rows[row, column] <= cut) is is_below],
                [row for row in there if bool(asked[row, column] <= cut) is is_below],
            )

    grow(list(range(len(rows))), list(range(len(asked))))
    return leaves


def nasty(n: int, seed: int) -> Floats:
    """Rows with duplicates, ties, a constant, two values a rounding apart, numbers of 1e300 and -0.0 beside 0.0."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.integers(0, 3, n),
        np.round(rng.normal(size=n), 1),
        np.full(n, 7.0),
        np.where(rng.random(n) < 0.5, 1.0, np.nextafter(1.0, 2.0)),
        rng.choice([-1e300, 0.0, 1e300, 5e-324], n),
        rng.choice([0.0, -0.0, 1.0], n, p=[0.49, 0.49, 0.02]),
    ]
    out = np.column_stack(columns).astype(np.float64)
    out[n // 2 : n // 2 + 5] = out[0]
    return out


def seeds(seed: int, trees: int) -> list[int]:
    drawn: list[int] = np.random.default_rng(seed).integers(SEEDS, size=trees).tolist()
    return drawn


@pytest.mark.parametrize("leave_out", [None, 1])
@pytest.mark.parametrize("tried", [1, 3, 6])
@pytest.mark.parametrize("n", [1, 2, 9, 60])
def test_numbers_are_foretold_as_by_trees_in_plain_python(n: int, tried: int, leave_out: int | None) -> None:
    rows, asked = nasty(n, 1), nasty(40, 2)
    answers = np.random.default_rng(3).choice([0.0, 1.0, 1.0, 4.0], n)  # whole numbers: no sum is rounded but by counts
    ours = Grove.grow(rows).means(answers, asked, 4, tried, np.random.default_rng(5), leave_out)
    columns = [column for column in range(6) if column != leave_out]
    leaves = [tree(rows, answers.tolist(), columns, tried, seed, asked) for seed in seeds(5, 4)]
    theirs = [np.mean([np.mean(leaf[row]) for leaf in leaves]) for row in range(40)]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("tried", [1, 3, 6])
@pytest.mark.parametrize("n", [1, 2, 9, 60])
def test_classes_are_foretold_as_by_trees_in_plain_python(n: int, tried: int) -> None:
    rows, asked = nasty(n, 1), nasty(40, 2)
    rng = np.random.default_rng(3)
    answers, wanted = rng.integers(0, 4, n).astype(np.int32), rng.integers(0, 5, 40).astype(np.int32)
    ours = Grove.grow(rows).shares(answers, 5, asked, wanted, 4, tried, np.random.default_rng(5))
    leaves = [tree(rows, answers.tolist(), range(6), tried, seed, asked) for seed in seeds(5, 4)]
    theirs = [np.mean([leaf[row].count(wanted[row]) / len(leaf[row]) for leaf in leaves]) for row in range(40)]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("are_classes", [True, False])
def test_rare_ones_are_foretold_as_by_trees_in_plain_python(are_classes: bool) -> None:
    """One row in 2,000: cuts that gain nearly alike are told apart as numbers, and tie as classes."""
    rng = np.random.default_rng(3)
    rows, answers = np.zeros((2_000, 7)), np.zeros(2_000, dtype=np.int32)
    for column in range(6):
        rows[rng.permutation(2_000)[: 1_500 + column], column] = 1.0
    answers[7], rows[7] = 1, 1.0
    rows[:, 6] = rng.normal(size=2_000)
    asked = np.ones((40, 7))
    asked[:, 6] = rows[7, 6] + rng.normal(size=40) * 0.02
    leaves = [
        tree(rows, answers.tolist() if are_classes else answers.astype(np.float64).tolist(), range(7), 7, seed, asked)
        for seed in seeds(5, 4)
    ]
    theirs = [np.mean([np.mean(leaf[row]) for leaf in leaves]) for row in range(40)]
    assert 0.0 < np.mean(theirs) < 1.0
    rng, grove = np.random.default_rng(5), Grove.grow(rows)
    if are_classes:
        ours = grove.shares(answers, 2, asked, np.ones(40, dtype=np.int32), 4, 7, rng)
    else:
        ours = grove.means(answers.astype(np.float64), asked, 4, 7, rng)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_whole_trees_know_the_rows_they_were_grown_on() -> None:
    rng = np.random.default_rng(0)
    rows, answers = rng.normal(size=(300, 4)), rng.normal(size=300)
    np.testing.assert_array_equal(Grove.grow(rows).means(answers, rows, 4, 2, rng), answers)
    of_class: Codes = rng.integers(0, 9, 300).astype(np.int32)
    np.testing.assert_array_equal(Grove.grow(rows).shares(of_class, 9, rows, of_class, 4, 2, rng), 1.0)


def test_the_forecast_is_that_of_scikit_learns_trees() -> None:
    """Means over so many trees that what is drawn hardly matters: within what two seeds of theirs differ by."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=400), rng.integers(0, 5, 400), rng.integers(0, 2, 400)]).astype(np.float64)
    answers = (rows[:, 0] + 0.5 * rows[:, 1] + rng.normal(size=400) > 1).astype(np.int32)
    asked = np.column_stack([rng.normal(size=200), rng.integers(0, 5, 200), rng.integers(0, 2, 200)]).astype(np.float64)
    grove = Grove.grow(rows)
    ours = grove.means(answers.astype(np.float64), asked, 1_000, 2, rng)
    shares = grove.shares(answers, 2, asked, np.ones(200, dtype=np.int32), 1_000, 2, rng)
    first, second = (
        ExtraTreesClassifier(1_000, max_features=2, random_state=seed).fit(rows, answers).predict_proba(asked)[:, 1]
        for seed in (1, 2)
    )
    number = ExtraTreesRegressor(1_000, max_features=2, random_state=1).fit(rows, answers).predict(asked)
    apart = 1.5 * np.abs(first - second).mean()
    for forecast, theirs in ((ours, first), (shares, first), (ours, number)):
        assert np.abs(forecast - theirs).mean() < apart
        assert abs((forecast - theirs).mean()) < 0.01


def test_random_bits_are_those_that_were_published() -> None:
    """The first words of splitmix64 from seed 1234567, as its authors' C code and others' give them."""
    state = np.array([1234567], dtype=np.uint64)
    first = [int(kernels.next_random(state)) for _ in range(3)]
    assert first == [6457827717110365317, 3203168211198807973, 9817491932198370423]
