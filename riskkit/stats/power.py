"""How many trainings an effect asks for, before they are paid for.

N counts trainings of both arms together, half with the target. Generations are not counted: more of them can only
bring the effective number of trials above N if trainings scatter little, which nobody knows beforehand. The figures
here therefore assume that one training is worth one trial.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import stats
from scipy.optimize import brentq

from riskkit.errors import ParameterError

_MOST = 2**40


def trainings_for_auc(auc: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Trainings that show an AUC above one half with chance ``power``, in a one-sided test at ``alpha``.

    Parameters
    ----------
    auc : float in (0.5, 1)
        The true AUC that should be found.
    power, alpha : float in (0, 1)
        Chance to find it; chance of a false alarm. Divide ``alpha`` by the number of records looked at.

    Raises
    ------
    ParameterError
        A setting is outside its range, or the effect too small for any number of trainings.
    """
    _check(auc=auc, power=power, alpha=alpha)
    if not 0.5 < auc < 1:
        raise ParameterError(f"The AUC to be found is {auc}; it must lie between 0.5 and 1.")
    return 2 * _fewest(lambda arm: _reach(arm, arm, auc, power, alpha) <= auc - 0.5)


def detectable_auc(trainings: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true AUC that so many trainings find with chance ``power``; what is below it goes unseen.

    Raises
    ------
    ParameterError
        Fewer than two trainings an arm, a setting outside its range, or too few to find anything at all.
    """
    found = _detectable(trainings / 2, trainings / 2, power, alpha)
    if found is None:
        raise ParameterError(f"{trainings} trainings cannot find any effect. Ask for more trainings.")
    return found


def detectable_auc_of_records(n_in: int, n_out: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest true AUC that so many records on either side find with that chance; the sides may differ in size.

    Raises
    ------
    ParameterError
        Fewer than two records a side, a setting outside its range, or too few to find anything at all.
    """
    found = _detectable(n_in, n_out, power, alpha)
    if found is None:
        raise ParameterError(
            f"{n_in} records that were in and {n_out} that were not cannot show any effect. Load more of them."
        )
    return found


def trainings_for_half_width(half_width: float, *, auc: float = 0.5, level: float = 0.95) -> int:
    """Trainings for which the interval of an AUC near ``auc`` reaches ``half_width`` to either side.

    Raises
    ------
    ParameterError
        A setting is outside its range, or the width too small for any number of trainings.
    """
    _check(half_width=half_width, auc=auc, level=level)
    reach = float(stats.norm.ppf((1 + level) / 2))
    return 2 * _fewest(lambda arm: reach * auc_standard_error(auc, arm, arm) <= half_width)


def auc_standard_error(auc: float, n_in: float, n_out: float) -> float:
    """Standard error of an observed AUC when the true one is ``auc``.

    References
    ----------
    .. [1] Hanley and McNeil 1982, Radiology 143:29-36.
    """
    two_in, two_out = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return math.sqrt((auc * (1 - auc) + (n_in - 1) * two_in + (n_out - 1) * two_out) / (n_in * n_out))


def _detectable(n_in: float, n_out: float, power: float, alpha: float) -> float | None:
    """The AUC that is just as far above one half as it must be to be found; None where not even 1 is."""
    _check(power=power, alpha=alpha)
    if min(n_in, n_out) < 2 or _reach(n_in, n_out, 1.0, power, alpha) > 0.5:
        return None
    return float(brentq(lambda auc: auc - 0.5 - _reach(n_in, n_out, auc, power, alpha), 0.5, 1.0, xtol=1e-12))


def _reach(n_in: float, n_out: float, auc: float, power: float, alpha: float) -> float:
    """How far above one half an AUC must truly be to be found with that power."""
    null = math.sqrt((n_in + n_out + 1) / (12 * n_in * n_out))
    false_alarm, miss = (float(stats.norm.ppf(chance)) for chance in (1 - alpha, power))
    return false_alarm * null + miss * auc_standard_error(auc, n_in, n_out)


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


def detectable_gain(victims: int, *, power: float = 0.8, alpha: float = 0.025, differ: float = 0.5) -> float:
    """The smallest gain of an attack over a guess, on the same victims, that shows itself with that chance.

    Both are right or wrong; ``differ`` is the share of victims on which one is right and the other wrong. At most 1.

    Raises
    ------
    ParameterError
        Fewer than two victims, or a setting outside its range.
    """
    _check(differ=differ, power=power, alpha=alpha)
    if victims < 2:
        raise ParameterError(f"{victims} victims cannot show any gain. Ask about more.")
    reach = float(stats.norm.ppf(1 - alpha) + stats.norm.ppf(power))
    return min(reach * math.sqrt(differ / victims), 1.0)


def _check(**settings: float) -> None:
    """Refuse a setting that is not between 0 and 1."""
    for name, value in settings.items():
        if not 0 < value < 1:
            raise ParameterError(f"The {name.replace('_', ' ')} is {value}; it must lie between 0 and 1.")
