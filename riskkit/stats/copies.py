"""How many more people who were in stand in a release, value for value, than people who were not."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from riskkit.core import Estimate
from riskkit.errors import TooFewTrainings
from riskkit.stats.intervals import clopper_pearson
from riskkit.stats.looks import HypergeometricLaw

FEWEST = 5
"""Records a side without which there is no interval."""
TINY = 1e-3
"""The chance at which the few other people there are show copies; thrice it without them, by rows that are alike."""
MORE = 3.0
"""So many times as many near copies as chance makes are still taken for chance: a method has a law of its own."""
METHOD = "Clopper-Pearson a side, Fisher's exact test at 0, by record"


def copy_rate(k_in: int, n_in: int, k_out: int, n_out: int, *, level: float = 0.95) -> Estimate:
    """The share of members with a copy in the release less that of people who were not in.

    0 where copies are chance, 1 where every member is copied and nobody else. Interval: the exact limits of one share
    less those of the other, each wrong with half of the chance of an end; it reaches below 0 unless Fisher's exact test
    shows more copies of members (:func:`is_more`), and then it does not. Computed, it holds its level in every cell
    tried, where square-and-add does not (tests/statistical/test_copies_coverage.py).

    Raises
    ------
    TooFewTrainings
        A side has fewer than :data:`FEWEST` records.
    """
    if min(n_in, n_out) < FEWEST:
        raise TooFewTrainings.phrase(
            "There are {n_in:,} different records of members and {n_out:,} of others; at least {fewest} of "
            "each are needed.",
            n_in=n_in,
            n_out=n_out,
            fewest=FEWEST,
        )
    tail = (1 - level) / 4
    (low_in, high_in), (low_out, high_out) = (
        (float(end) for end in clopper_pearson(k, n, tail)) for k, n in ((k_in, n_in), (k_out, n_out))
    )
    low = low_in - high_out
    low = max(low, 0.0) if is_more(k_in, n_in, k_out, n_out, level=level) else min(low, 0.0)
    return Estimate("copied", k_in / n_in - k_out / n_out, low, high_in - low_out, level, METHOD, n_in + n_out)


def is_more(k_in: int, n_in: int, k_out: int, n_out: int, *, level: float = 0.95) -> bool:
    """Whether more members than others have a copy; wrong in a share ``(1 - level) / 2`` of audits at most."""
    return chance_of_copies(k_in, n_in, k_out, n_out) <= (1 - level) / 2


def most_by_chance(alike_real: int, alike_released: int, error: float = 3 * TINY) -> int:
    """The most different rows of the real table that chance puts into a release, told without people who were not in.

    By how many rows of either table are like an earlier row of their own. Let a table of ``n`` rows hold a kind of row
    ``x`` times on average, and the release ``y`` times. The release has a real one of that kind with the chance ``a(x)
    a(y)`` with ``a(x) = 1 - exp(-x)``, and a table has it twice with the chance ``h(x) = 1 - (1 + x) exp(-x)``. As
    ``a(x)^2 <= 2 h(x)`` for every ``x``, the copies to be expected are at most ``2 sqrt(H_real H_released)`` (Cauchy
    and Schwarz), with ``H`` the sums of ``h``, whatever the law that the release is drawn from. Files in which so few
    rows are alike and which have more copies than this are no likelier than ``error``, whatever these sums are: few
    alike rows make many copies no likelier (Harris 1960), and the counts scatter less than Poisson's law (Hoeffding
    1956).
    """
    chance = np.geomspace(error, 0.999, 100)  # of so few alike rows, by the sum; a rarer one makes nothing likelier
    real, released = (special.gammainccinv(alike + 1, chance) for alike in (alike_real, alike_released))
    few, expected = np.outer(chance, chance), 2 * np.sqrt(np.outer(real, released))
    low, high = -1, math.ceil(float(special.pdtrik(1 - error, expected.max())))
    while high - low > 1:
        most = (low + high) // 2
        low, high = (low, most) if (few * special.pdtrc(most, expected)).max() <= error else (most, high)
    return high


def most_near(by_chance: int, larger: float, error: float = TINY) -> int:
    """The most near copies that :data:`MORE` times the chance explains, where as many rows as people made so many.

    The release has ``larger`` times as many rows, which make at most so many times as many. A count with a mean so much
    larger is above this no oftener than ``error``, whatever the means are (the negative binomial law).
    """
    ratio = MORE * max(larger, 1.0)
    return math.ceil(float(special.nbdtrik(1 - error, by_chance + 1, 1 / (1 + ratio))))


def most_crowd(rows: int, people: int, error: float = TINY) -> int:
    """The most of so many released rows that chance puts about one person where no other is, if all have one law.

    Where the law puts ``log(people / error)`` of the people on average, nobody else is about one of them in a share
    ``error`` of tables at most; so it puts fewer there. The rows there are no more than these but in another such
    share.
    """
    share = math.log(people / error) / people
    return rows if share >= 1 else math.ceil(float(special.bdtrik(1 - error / people, rows, share)))


def chance_of_copies(k_in: int, n_in: int, k_out: int, n_out: int) -> float:
    """The chance that so many of the records with a copy are members, were it chance who has one (Fisher's exact)."""
    if not n_in + n_out:
        return 1.0
    law = HypergeometricLaw.tabulate(n_in + n_out, n_in, k_in + k_out)
    return round(float(law.tails(np.array([k_in]))[0, 0]), 12)  # 1 in 40 is no more than 0.025
