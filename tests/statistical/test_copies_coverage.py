"""The excess of copies holds its truth as often as it says, and where nobody is copied it is hardly ever shown.

Both are computed and not drawn: every pair of counts that is not all but impossible, weighed by its chance.
"""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats

from riskkit.audit.give_aways import LOOKS
from riskkit.core import Bools, Floats, Ints
from riskkit.stats.copies import copy_rate, is_more
from riskkit.stats.intervals import clopper_pearson, square_and_add
from riskkit.stats.records import level_of_each

SIZES = (20, 60, 200, 2_000)
SHARES = (0.0, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0)
LEFT_OUT = 1e-9
"""The chance of all counts together that are not looked at."""
EACH = level_of_each(0.95, LOOKS)
"""The level of the interval of a file, which is looked at in so many ways."""
Ends = Callable[[Ints, int, Ints, int, float], tuple[Floats, Floats]]


def counts(n: int, share: float) -> tuple[Ints, Floats]:
    """The counts of a side that are not all but impossible, and the chance of each."""
    low, high = stats.binom.ppf([LEFT_OUT / 4, 1 - LEFT_OUT / 4], n, share)
    k = np.arange(int(low), int(high) + 1)
    return k, stats.binom.pmf(k, n, share)


def ends(k_in: Ints, n_in: int, k_out: Ints, n_out: int, level: float) -> tuple[Floats, Floats]:
    """(in, out) both ends for every pair of counts."""
    limits = [clopper_pearson(k, n, (1 - level) / 4) for k, n in ((k_in, n_in), (k_out, n_out))]
    (low_in, high_in), (low_out, high_out) = limits
    low, more = np.subtract.outer(low_in, high_out), is_shown(k_in, n_in, k_out, n_out, level)
    return np.where(more, np.maximum(low, 0), np.minimum(low, 0)), high_in[:, None] - low_out


def is_shown(k_in: Ints, n_in: int, k_out: Ints, n_out: int, level: float) -> Bools:
    """(in, out) whether Fisher's exact test shows more copies of members."""
    shown: Bools = k_in[:, None] >= fewest_shown(n_in, n_out, level)[k_in[:, None] + k_out]
    return shown


@cache
def fewest_shown(n_in: int, n_out: int, level: float) -> Ints:
    """(copies + 1,) of so many copies in all, the fewest of members at which the test shows more of them.

    It rises with the copies in all, so one walk finds them.
    """
    fewest, k = [], 0
    for both in range(n_in + n_out + 1):
        while stats.hypergeom.sf(k - 1, n_in + n_out, n_in, both) > (1 - level) / 2:
            k += 1
        fewest.append(k)
    return np.array(fewest)


def put_together(k_in: Ints, n_in: int, k_out: Ints, n_out: int, level: float) -> tuple[Floats, Floats]:
    """A mutant: exact limits of each share, put together by square-and-add."""
    (low, high), beside = (clopper_pearson(k, n, (1 - level) / 2) for k, n in ((k_in, n_in), (k_out, n_out)))
    return square_and_add((k_in / n_in)[:, None], (low[:, None], high[:, None]), k_out / n_out, beside)


def of_standard_errors(k_in: Ints, n_in: int, k_out: Ints, n_out: int, level: float) -> tuple[Floats, Floats]:
    """A mutant: the value plus or minus standard errors."""
    first, second = (k_in / n_in)[:, None], k_out / n_out
    reach = stats.norm.ppf((1 + level) / 2) * np.sqrt(first * (1 - first) / n_in + second * (1 - second) / n_out)
    return first - second - reach, first - second + reach


def missed(make: Ends, sizes: tuple[int, int], shares: tuple[float, float], level: float) -> tuple[float, float]:
    """The chances that the interval lies wholly above the truth, and wholly below it."""
    (k_in, chance_in), (k_out, chance_out) = (counts(n, share) for n, share in zip(sizes, shares, strict=True))
    low, high = make(k_in, sizes[0], k_out, sizes[1], level)
    chance, truth = chance_in[:, None] * chance_out, shares[0] - shares[1]
    slack = 1e-12  # an end that is the truth but for the last bit holds it
    return float(chance[low > truth + slack].sum()), float(chance[high < truth - slack].sum())


def test_one_file_through_the_public_name_is_one_of_the_many() -> None:
    for sides in ((3, 20, 0, 60), (60, 60, 12, 200), (0, 20, 0, 20), (20, 20, 0, 700)):
        k_in, n_in, k_out, n_out = sides
        low, high = ends(np.array([k_in]), n_in, np.array([k_out]), n_out, EACH)
        share = copy_rate(*sides, level=EACH)
        assert (share.low, share.high) == pytest.approx((float(low[0, 0]), float(high[0, 0])), abs=1e-12)
        shown = is_shown(np.array([k_in]), n_in, np.array([k_out]), n_out, EACH)
        assert is_more(*sides, level=EACH) == bool(shown[0, 0])


@pytest.mark.parametrize("level", [0.95, EACH])
@pytest.mark.parametrize("sizes", [*product(SIZES, SIZES)])
def test_every_cell_is_covered(sizes: tuple[int, int], level: float) -> None:
    for shares in product(SHARES, SHARES):
        above, below = missed(ends, sizes, shares, level)
        assert above + below <= 1 - level + LEFT_OUT, (shares, above, below)


@pytest.mark.parametrize(
    ("make", "sizes", "shares", "least"),
    [
        (of_standard_errors, (60, 60), (0.02, 0.0), 0.25),  # hardly anybody is copied, and it shrinks to nothing
        (put_together, (40, 40), (0.005, 0.99), 0.065),
        (put_together, (20, 20), (0.99, 0.02), 0.06),
    ],
)
def test_shorter_intervals_do_not_cover(
    make: Ends, sizes: tuple[int, int], shares: tuple[float, float], least: float
) -> None:
    """The planted faults: two intervals that are wrong oftener than in 5 of 100 files."""
    assert sum(missed(make, sizes, shares, 0.95)) > least
    assert sum(missed(ends, sizes, shares, 0.95)) <= 0.05


@pytest.mark.parametrize("share", SHARES[:-1])
def test_copies_that_are_chance_are_shown_no_oftener_than_the_tail_allows(share: float) -> None:
    """Records of both tables stand in the release equally often: at most (1 - level) / 2 of such audits show copies."""
    for sizes in product((5, *SIZES), (5, *SIZES)):
        (k_in, chance_in), (k_out, chance_out) = (counts(n, share) for n in sizes)
        shown = is_shown(k_in, sizes[0], k_out, sizes[1], EACH)
        assert float((chance_in[:, None] * chance_out)[shown].sum()) <= (1 - EACH) / 2 + LEFT_OUT, sizes


def test_three_looks_at_the_level_of_one_would_show_more_than_they_may() -> None:
    """The planted fault: each look at 95 %, and copies alone use up what all three together may be wrong."""
    (k_in, chance_in), (k_out, chance_out) = (counts(2_000, 0.3) for _ in range(2))
    chance = chance_in[:, None] * chance_out
    shown = [float(chance[is_shown(k_in, 2_000, k_out, 2_000, level)].sum()) for level in (EACH, 0.95)]
    assert shown[0] <= 0.025 / LOOKS < shown[1]


@pytest.mark.parametrize(("by_chance", "beside"), [(0.0, 0.012), (0.05, 0.045), (0.3, 0.08)])
def test_what_is_looked_for_is_found(by_chance: float, beside: float) -> None:
    """1,000 records a side: so many more members copied are shown in 8 of 10 files."""
    (k_in, chance_in), (k_out, chance_out) = (counts(1_000, share) for share in (by_chance + beside, by_chance))
    chance = chance_in[:, None] * chance_out
    assert float(chance[is_shown(k_in, 1_000, k_out, 1_000, EACH)].sum()) > 0.8
