"""How many trainings an effect asks for, before they are paid for.

N counts trainings of both arms together, half with the target. An effect counts as found where the verdict finds it:
where the lower end of its interval, at the level that allows for all looks, lies above guessing. Generations are not
counted: more of them can only bring the effective number of trials above N if trainings scatter little, which nobody
knows beforehand. The figures here therefore assume that all releases of a training are alike; where they are not, more
is found. Scores are taken to be normal, as wide on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import owens_t

from riskkit.base import distributions as stats
from riskkit.errors import ParameterError
from riskkit.stats.intervals import auc_tail, critical, newcombe_variance

POWER = 0.8
"""The chance with which an effect is to be found."""
_MOST = 2**40
_SURE = 1 - 1e-12


def trainings_for_auc(auc: float, *, level: float = 0.95, looks: int = 1, trials: int = 1) -> int:
    """Trainings that show an AUC above one half with the chance :data:`POWER`.

    Parameters
    ----------
    auc : float in (0.5, 1)
        The true AUC that should be found.
    level : float in (0, 1)
        Level of the verdict; its error is shared by all looks (Bonferroni).
    looks : int
        Findings that one verdict is made of: attacks times records times methods.
    trials : int
        Releases of each training. More than one ask for a design effect, which few trainings know badly.

    Raises
    ------
    ParameterError
        A setting is outside its range, or the effect too small for any number of trainings.
    """
    _check(auc=auc, level=level)
    if not 0.5 < auc < 1:
        raise ParameterError(f"The AUC to be found is {auc}; it must lie between 0.5 and 1.")
    tail = _tail(level, looks)

    def is_enough(arm: int) -> bool:
        return _chance(arm, arm, auc, _reach(tail, arm, trials)) >= POWER

    return 2 * _fewest(is_enough)


def detectable_auc(trainings: int, *, level: float = 0.95, looks: int = 1, trials: int = 1) -> float:
    """The smallest true AUC that so many trainings find with that chance; what is below it goes unseen.

    The settings are those of :func:`trainings_for_auc`.

    Raises
    ------
    ParameterError
        Fewer than two trainings an arm, a setting outside its range, or too few to find anything at all.
    """
    _check(level=level)
    detectable = _detectable(trainings / 2, trainings / 2, _reach(_tail(level, looks), trainings // 2, trials))
    if detectable is None:
        raise ParameterError(f"{trainings} trainings cannot find any effect. Ask for more trainings.")
    return detectable


def detectable_auc_of_records(n_in: int, n_out: int, *, alpha: float = 0.025) -> float:
    """The smallest true AUC that so many records on either side find with that chance; the sides may differ in size.

    ``alpha`` is the error of the one end that decides: half of what the level leaves, divided by the looks.

    Raises
    ------
    ParameterError
        Fewer than two records a side, a setting outside its range, or too few to find anything at all.
    """
    _check(alpha=alpha)
    detectable = _detectable(n_in, n_out, _reach(alpha, n_in, 1))
    if detectable is None:
        raise ParameterError(
            f"{n_in} records of members and {n_out} of others cannot show any effect. Load more of them."
        )
    return detectable


def auc_standard_error(auc: float, n_in: float, n_out: float) -> float:
    """Standard error of an observed AUC when the true one is ``auc``.

    References
    ----------
    .. [1] Hanley and McNeil 1982, Radiology 143:29-36.
    """
    two_in, two_out = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return math.sqrt((auc * (1 - auc) + (n_in - 1) * two_in + (n_out - 1) * two_out) / (n_in * n_out))


def _tail(level: float, looks: int) -> float:
    """The error of the lower end of each of so many intervals."""
    if looks < 1:
        raise ParameterError(f"The number of looks is {looks}; it must be at least 1.")
    return (1 - level) / 2 / looks


def _reach(tail: float, arm: int, trials: int) -> float:
    """The standard errors that the interval reaches down; Student's where a design effect has to be estimated."""
    return critical(1 - 2 * tail, arm if trials > 1 and arm > 1 else None)


@lru_cache(maxsize=4096)
def _detectable(n_in: float, n_out: float, reach: float) -> float | None:
    """The AUC that is found with just that chance; None where not even a sure one is."""
    from scipy.optimize import brentq  # it takes long to load

    if min(n_in, n_out) < 2 or _chance(n_in, n_out, _SURE, reach) < POWER:
        return None
    return float(brentq(lambda auc: _chance(n_in, n_out, auc, reach) - POWER, 0.5, _SURE, xtol=1e-12))


def _chance(n_in: float, n_out: float, auc: float, reach: float) -> float:
    """The chance that the interval of an AUC, truly ``auc``, lies above one half.

    The lower end lies there where the AUC exceeds one half by ``reach`` standard errors that hold at one half; they
    grow by the effect of the shape, in normal scores by about one part in as many as there are trials (seen by
    simulation). The AUC has a beta law.
    """
    grown = 1 + (1 / n_in + 1 / n_out) / 2
    least = 0.5 + reach * math.sqrt(newcombe_variance(0.5, n_in / grown, n_out / grown))
    if least >= 1:
        return 0.0
    return float(auc_tail(np.asarray(least), auc, np.asarray(_normal_variance(auc, n_in, n_out)), 1))


def _normal_variance(auc: float, n_in: float, n_out: float) -> float:
    """The variance of an observed AUC of normal scores, as wide on either side; exact.

    Two trials of one arm both beat the same one of the other with the chance that two normal numbers of correlation one
    half both lie above a cut (Owen's T).
    """
    both = auc - 2 * float(owens_t(stats.norm.ppf(auc), 1 / math.sqrt(3)))
    return (auc * (1 - auc) + (n_in + n_out - 2) * (both - auc**2)) / (n_in * n_out)


def _fewest(is_enough: Callable[[int], bool]) -> int:
    """The smallest number of trainings an arm, at least two, that is enough (more is always enough then)."""
    high = 2
    while not is_enough(high):
        high *= 2
        if high > _MOST:
            raise ParameterError("No number of trainings is enough for so small an effect. Ask for a larger one.")
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def detectable_gain(victims: int, *, alpha: float = 0.025) -> float:
    """The smallest gain of an attack over a guess, on the same victims, that shows itself with that chance.

    Both are right or wrong; on half of the victims one is right and the other wrong, or on as many as the gain asks
    for. The interval is Tango's: its standard error at no gain has to be exceeded, and the gain scatters
    by its own. At most 1, which says that none shows itself.

    Raises
    ------
    ParameterError
        Fewer than two victims, or a setting outside its range.
    """
    _check(alpha=alpha)
    if victims < 2:
        raise ParameterError(f"{victims} victims cannot show any gain. Ask about more.")
    reach, miss = critical(1 - 2 * alpha, victims), float(stats.norm.ppf(POWER))

    def beyond(gain: float) -> float:
        apart = max(0.5, gain)
        return gain - reach * math.sqrt(apart / victims) - miss * math.sqrt((apart - gain**2) / victims)

    from scipy.optimize import brentq  # it takes long to load

    return float(brentq(beyond, 0.0, 1.0, xtol=1e-12)) if beyond(1.0) > 0 else 1.0


def detectable_beside(guess: float, reach: float, *, level: float = 0.95) -> float:
    """The smallest true value that shows itself above guessing with that chance, where intervals reach down so far.

    For what was measured, on any scale: the lower end has to lie above ``guess``, and the value itself scatters by what
    ``reach``, at that level, says of it. Both are taken to be as large at guessing as where the value was seen.

    Raises
    ------
    ParameterError
        A setting is outside its range.
    """
    _check(level=level)
    return guess + reach * (1 + float(stats.norm.ppf(POWER)) / critical(level))


def _check(**settings: float) -> None:
    """Refuse a setting that is not between 0 and 1."""
    for name, value in settings.items():
        if not 0 < value < 1:
            raise ParameterError(f"The {name.replace('_', ' ')} is {value}; it must lie between 0 and 1.")
