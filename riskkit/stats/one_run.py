"""What one single training shows of epsilon, from guesses about many people at once.

``m`` audit rows are put in or left out by fair coins of their own; the method is trained once. Somebody who sees the
release guesses some of them: ``r`` rows, the number fixed beforehand, of which ``v`` turn out right. Nothing is said of
the others. A private method allows only so many right guesses, whoever guesses and however well the rows are known.

**Pure epsilon.** Look at one row and hold all other coins fixed. The release is at most ``e^epsilon`` times likelier
with one side of its coin than with the other, so given the release, and given all other coins, the coin shows the side
that was guessed with a chance of ``q = e^epsilon / (1 + e^epsilon)`` at most (Bayes, even odds). Row by row, each given
all before it: the number of right guesses is no larger, in law, than that of ``r`` tosses of chance ``q``::

    P(right >= v) <= P(Binomial(r, q) >= v)

**With delta.** Row by row, an (epsilon, delta)-private pair of laws is a pure pair save for a part of chance ``delta``
at most on either side, from which the coin may be read in full. Given the release, the chance of a right guess is then
``q`` and a share of that part; over all releases these shares sum to ``2 m delta`` at most [1]_. A release that spends
``i`` of them lifts the count by ``i``, before the tosses fall. That wins the chance that the tosses alone fall short of
``v`` by ``i`` or less, so all that is spent wins at most the best ratio of chance won to what it takes::

    P(right >= v) <= P(B >= v) + 2 m delta max_i P(v - i <= B < v) / i,     B = Binomial(r, q)

Forget delta, and a method that seldom gives a row away in full seems to break a promise that it keeps.

**A whole trade-off curve.** Let ``h(x)`` be the most that any test names rightly at a share ``x`` of false alarms; it
rises and is concave. Take row ``j``, hold the other coins fixed, and call ``A`` the releases from which ``j`` is
guessed in while ``i - 1`` other guesses are right, ``i`` in a set ``T``. With the row in, ``A`` is a right guess and a
count ``i``; with it out the same releases are a wrong guess and a count ``i - 1``. So the chance of the first is at
most ``h`` of the chance of the second, for "out" alike, and by concavity on average over coins and rows::

    sum_{i in T} (i / m) p_i <= h( sum_{i in T} ((r - i + 1) / m) p_{i-1} ),     p_i = P(right = i)

Call ``R_i`` and ``W_i`` the sums of ``(l / m) p_l`` and ``((r - l) / m) p_l`` over ``l >= i``. With ``T = {i, ...}``
this is ``W_{i-1} >= h^-1(R_i)``. Suppose ``P(right >= v) = tau``. Putting all of that mass at ``v`` lowers ``R_i`` and
raises ``W_i`` for every ``i <= v`` and breaks nothing, so start from ``R_v = tau v / m``, ``W_v = tau (r - v) / m`` and
go down with the least that is allowed::

    W_{i-1} = max(W_i, h^-1(R_i)),     R_{i-1} = R_i + (i - 1) / (r - i + 1) (W_{i-1} - W_i)

As ``R_i`` is a sum of ``W_l``, ``l >= i``, with weights of no negative sign (``l / (r - l)`` rises with ``l``), every
law that is allowed lies above this path, at every ``i``. All mass together is 1, so ``R_0 + W_0 = r / m``; a path that
ends above it refutes the curve at level ``tau``. It is used for normal distributions ``mu`` apart.

References
----------
.. [1] Steinke, Nasr and Jagielski 2023, Privacy auditing with one (1) training run, NeurIPS, theorem 5.2 and
   corollary 5.4.
.. [2] Mahloujifar, Melis and Chaudhuri 2024, Auditing f-differential privacy in one run,
   https://arxiv.org/abs/2410.22235.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from riskkit.base import distributions as stats
from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.errors import ParameterError
from riskkit.stats.privacy import gaussian_epsilon

STEPS = 40
"""Halvings of a bisection: epsilon to 11 digits."""
MOST_APART = 60.0
"""Standard deviations between two normal distributions beyond which nothing is looked for."""
FEWEST = 10
"""Guesses a side that are tried at least, where their number is not fixed: fewer show next to nothing."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """How many audit rows were guessed in and out, and how many of these guesses were right."""

    called_in: int
    called_out: int
    right: int

    @property
    def n_guesses(self) -> int:
        """Guesses in all; nothing was said of the other rows."""
        return self.called_in + self.called_out


def one_run_p(canaries: int, guesses: int, right: int, epsilon: float, delta: float = 0.0) -> float:
    """The chance of so many right guesses in one training that is (epsilon, delta)-private, or a bound of it.

    Parameters
    ----------
    canaries
        Audit rows, each in or out by a fair coin of its own.
    guesses
        How many of them were guessed, a number fixed beforehand.

    Raises
    ------
    ParameterError
        There are more right guesses than guesses, more guesses than rows, or no guess.
    """
    if not 0 <= right <= guesses <= canaries or guesses < 1:
        raise ParameterError(f"{right} right of {guesses} guesses on {canaries} records is no result of an audit.")
    chance = 1 / (1 + np.exp(-epsilon))
    at_least = float(stats.binom.sf(right - 1, guesses, chance))
    if not delta:
        return min(1.0, at_least)
    back = np.arange(1, right + 1)
    missed = (stats.binom.sf(right - back - 1, guesses, chance) - at_least) / back
    return min(1.0, at_least + 2 * canaries * delta * float(missed.max(initial=0.0)))


@lru_cache(maxsize=65_536)
def one_run_epsilon(canaries: int, guesses: int, right: int, *, delta: float = 0.0, level: float = 0.95) -> float:
    """The epsilon that one training is shown to exceed, from the guesses on its audit rows; 0 shows nothing."""
    return _largest_refuted(lambda epsilon: one_run_p(canaries, guesses, right, epsilon, delta) < 1 - level, np.inf)


def fewest_right(canaries: int, guesses: int, epsilon: float, *, delta: float = 0.0, level: float = 0.95) -> int | None:
    """The fewest right guesses by which one training is shown to exceed that epsilon; None where all are too few."""
    counts = range(guesses + 1)
    fewest = bisect_left(
        counts, True, key=lambda right: one_run_p(canaries, guesses, right, epsilon, delta) < 1 - level
    )
    return fewest if fewest in counts else None


@lru_cache(maxsize=65_536)
def one_run_mu(canaries: int, guesses: int, right: int, *, level: float = 0.95) -> float:
    """How far apart two normal distributions are shown to be at least, **if the trade-off of the method is normal**.

    0 shows nothing. Raises what :func:`one_run_p` raises.
    """
    one_run_p(canaries, guesses, right, 0.0)
    return _largest_refuted(
        lambda mu: is_refuted(canaries, guesses, right, lambda named: float(ndtr(ndtri(named) - mu)), level=level),
        MOST_APART,
    )


def is_refuted(
    canaries: int, guesses: int, right: int, fewest_alarms: Callable[[float], float], *, level: float = 0.95
) -> bool:
    """Whether a method of that trade-off curve has so many right guesses in fewer than ``1 - level`` of audits.

    Parameters
    ----------
    fewest_alarms
        The fewest false alarms at which a test may name that share rightly, for either side of the coin: rising and
        convex, from 0 at 0 (``h^-1`` above).
    """
    tail = 1 - level
    whole = guesses / canaries
    named, missed = tail * right / canaries, tail * (guesses - right) / canaries
    for count in range(right, 0, -1):
        if named + missed > whole:
            return True
        least = max(missed, fewest_alarms(min(named, 1.0)))
        named += (count - 1) / (guesses - count + 1) * (least - missed)
        missed = least
    return named + missed > whole


def call_guesses(scores: Floats, called_in: int, called_out: int, rng: np.random.Generator) -> Ints:
    """(m,) 1 for the rows with the highest scores, -1 for those with the lowest, 0 where nothing is said.

    Equal scores are parted by chance: their order may depend on nothing, least of all on who was in.

    Raises
    ------
    ParameterError
        More guesses are asked for than there are rows, or none.
    """
    if called_in < 0 or called_out < 0 or not 0 < called_in + called_out <= len(scores):
        raise ParameterError(f"{called_in} and {called_out} guesses cannot be made on {len(scores)} records.")
    order = np.lexsort((rng.random(len(scores)), scores))
    out = np.zeros(len(scores), dtype=np.int64)
    out[order[len(scores) - called_in :]] = 1
    out[order[:called_out]] = -1
    return out


def grade(scores: Floats, is_in: Bools, called_in: int, called_out: int, rng: np.random.Generator) -> Guesses:
    """So many guesses by these scores, against the coins (m,); abstentions count neither as guesses nor as right."""
    calls = call_guesses(scores, called_in, called_out, rng)
    return Guesses(called_in, called_out, int(((calls == 1) & is_in).sum() + ((calls == -1) & ~is_in).sum()))


def tries(canaries: int) -> tuple[int, ...]:
    """Numbers of guesses a side that are tried where none was fixed: half of the rows, and again half of that."""
    out = [max(canaries // 2, 1)]
    while out[-1] // 2 >= FEWEST:
        out.append(out[-1] // 2)
    return tuple(out)


def one_run(canaries: int, guessed: Sequence[Guesses], *, delta: float = 0.0, level: float = 0.95) -> Estimate:
    """The lower bound of epsilon from one training; the largest, where several numbers of guesses were tried.

    ``value`` and ``low`` are the bound, ``high`` the ceiling: what would have been shown had every guess been right.
    Each number of guesses that was tried is a look, and the level allows for all of them (Bonferroni). ``n`` counts
    audit rows.
    """
    each = 1 - (1 - level) / len(guessed)
    bound = max(
        one_run_epsilon(canaries, guesses.n_guesses, guesses.right, delta=delta, level=each) for guesses in guessed
    )
    ceiling = max(
        one_run_epsilon(canaries, guesses.n_guesses, guesses.n_guesses, delta=delta, level=each) for guesses in guessed
    )
    method = f"one training, guesses with abstention, {_looks(guessed)}; the high end is the ceiling"
    out = Estimate("epsilon_one_run", bound, bound, max(bound, ceiling), level, method, canaries)
    return out.label(delta=f"{delta:g}")


def one_run_gaussian(
    canaries: int, guessed: Sequence[Guesses], *, delta: float = 1e-5, level: float = 0.95
) -> Estimate:
    """The epsilon at ``delta`` that is exceeded **if the method's trade-off is Gaussian**; else it means nothing.

    ``value``, ``low``, ``high`` and ``n`` as :func:`one_run` has them.
    """
    each = 1 - (1 - level) / len(guessed)
    mu = max(one_run_mu(canaries, guesses.n_guesses, guesses.right, level=each) for guesses in guessed)
    most = max(one_run_mu(canaries, guesses.n_guesses, guesses.n_guesses, level=each) for guesses in guessed)
    bound, ceiling = gaussian_epsilon(mu, delta), gaussian_epsilon(max(mu, most), delta)
    method = f"one training, assumes a Gaussian trade-off, {_looks(guessed)}; the high end is the ceiling"
    out = Estimate("epsilon_one_run_gaussian", bound, bound, ceiling, level, method, canaries)
    return out.label(delta=f"{delta:g}", mu=f"{mu:.4f}")


def _looks(guessed: Sequence[Guesses]) -> str:
    if len(guessed) == 1:
        return f"{guessed[0].n_guesses} guesses"
    return f"Bonferroni over {len(guessed)} numbers of guesses"


def _largest_refuted(refuted: Callable[[float], bool], most: float) -> float:
    """Up to where everything is refuted; 0 where nothing is. What is refuted is an interval from 0."""
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high < most and refuted(high):
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
