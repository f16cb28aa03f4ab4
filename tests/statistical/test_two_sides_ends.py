"""Each end of a comparison of members with people who were not in is wrong as seldom as it says, by enumeration.

"Leak shown" and "at least so many people are exposed" stand on the lower end alone. Both ends together may hold 95 %
while that one is wrong twice as often as it may be, where one side is much smaller than the other and hits are few. All
counts of either side are gone through with their binomial chances; no audit is drawn.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Floats
from riskkit.stats.contrasts import ratio_of_independent
from riskkit.stats.exposure import exposure
from riskkit.stats.guesses import Clusters
from riskkit.stats.inference import shares_of
from riskkit.stats.intervals import critical, korn_graubard, square_and_add
from tests.stats.wilson import wilson

TAIL, LEFT_OUT = 0.025, 1e-6
Ends = Callable[[Floats, int], tuple[Floats, Floats]]
SIZES = ((1000, 1000), (200, 2000), (2000, 200), (100, 100), (50, 500))
RARE = (0.0005, 0.001, 0.003, 0.01, 0.05, 0.3)
MORE = (0.0, 0.001, 0.01, 0.1, 0.5)


def exact(share: Floats, n: int) -> tuple[Floats, Floats]:
    """The interval of a side without copies; :func:`test_it_is_the_interval_of_the_product` holds it to the product."""
    return korn_graubard(share, n, 0.95, None)


def before(share: Floats, n: int) -> tuple[Floats, Floats]:
    """A twin: Wilson's."""
    return wilson(share, n, critical(0.95))


def counts(n: int, share: float) -> tuple[Floats, Floats]:
    """Shares that may be seen, and how likely each is; what is left out is less likely than :data:`LEFT_OUT`."""
    low, high = stats.binom.ppf([LEFT_OUT / 4, 1 - LEFT_OUT / 4], n, share)
    seen = np.arange(int(low), int(high) + 1)
    return seen / n, stats.binom.pmf(seen, n, share)


def both(n_in: int, inside: float, n_out: int, outside: float) -> tuple[Floats, Floats, Floats]:
    """Shares of members and of others that may be seen, and how likely both are."""
    (a, p_a), (b, p_b) = counts(n_in, inside), counts(n_out, outside)
    first, second = np.meshgrid(a, b, indexing="ij")
    return first, second, np.outer(p_a, p_b)


def misses_of_the_difference(n_in: int, n_out: int, outside: float, more: float, ends: Ends) -> tuple[float, float]:
    """How often the lower and the upper end of the count beyond chance are on the wrong side of the truth."""
    inside = outside + more
    first, second, chance = both(n_in, inside, n_out, outside)
    low, high = square_and_add(first, ends(first, n_in), second, ends(second, n_out))
    return float(chance[low > more + 1e-12].sum()), float(chance[high < more - 1e-12].sum())


def alarms_of_the_residual(n_in: int, n_out: int, wrong: float, ends: Ends) -> float:
    """How often a residual of 0 is shown to be above 0; the all-right control is refused."""
    first, second, chance = both(n_in, wrong, n_out, wrong)
    seen = second > 0
    below = np.where(seen, second, 1.0)
    high = ratio_of_independent(first, ends(first, n_in), below, ends(below, n_out))[1]
    return float(chance[seen & (high < 1 - 1e-12)].sum())


def differences() -> Iterator[tuple[int, int, float, float]]:
    """Rare and frequent hits of either side, without a leak and with weak and strong ones."""
    return ((*sizes, share, more) for sizes in SIZES for share in RARE for more in MORE if share + more < 1)


def worst_of_differences(ends: Ends) -> tuple[float, float]:
    misses = np.array([misses_of_the_difference(*cell, ends) for cell in differences()])
    return float(misses[:, 0].max()), float(misses[:, 1].max())


def worst_of_residuals(ends: Ends) -> float:
    return max(
        alarms_of_the_residual(*sizes, wrong, ends) for sizes in SIZES for wrong in (0.005, 0.03, 0.1, 0.3, 0.7, 0.95)
    )


@pytest.mark.second
def test_at_least_so_many_people_is_wrong_as_seldom_as_it_says() -> None:
    low, high = worst_of_differences(exact)
    assert low <= TAIL + LEFT_OUT
    assert high <= 0.032  # where the control is a tenth of the members and few of it are hit; docs/statistics.md


@pytest.mark.second
def test_a_residual_of_nought_is_shown_as_seldom_as_it_says() -> None:
    assert worst_of_residuals(exact) <= TAIL + LEFT_OUT


@pytest.mark.second
def test_wilsons_ends_would_be_wrong_and_are_seen_to_be() -> None:
    assert worst_of_differences(before)[0] > 0.07
    assert worst_of_residuals(before) > 0.04


def test_it_is_the_interval_of_the_product() -> None:
    hits, others = np.arange(200) < 6, np.arange(2000) < 9
    (share, ends), (_, outer) = shares_of((hits, Clusters(None, 200)), (others, Clusters(None, 2000)), level=0.95)
    assert float(share) == 0.03
    assert [float(end) for end in ends] == pytest.approx([float(end) for end in exact(np.asarray(0.03), 200)])
    beyond = exposure(hits, others).beyond_chance
    low, high = square_and_add(np.asarray(0.03), ends, np.asarray(9 / 2000), outer)
    assert (beyond.low, beyond.high) == pytest.approx((200 * float(low), 200 * float(high)))
