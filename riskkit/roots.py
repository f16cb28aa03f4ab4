"""Where functions are zero.

As scipy's ``brentq`` and ``find_root``, to the last bit. These take a third of a second of every process to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from riskkit.core import Bools, Floats

_LEAST, _STEP = float(np.finfo(np.float64).smallest_normal), float(np.finfo(np.float64).eps)
_MOST_STEPS = math.log2(np.finfo(np.float64).max) - math.log2(_LEAST)


def root(function: Callable[[float], float], low: float, high: float, *, within: float) -> float:
    """The number between these two at which the function is zero, ``within`` how far of it.

    Raises
    ------
    ValueError
        Both ends lie on one side of zero, or the function has no value somewhere between.

    References
    ----------
    .. [1] Brent 1973, Algorithms for minimization without derivatives, chapter 4.
    """
    before, now = low, high
    f_before, f_now = _of(function, before), _of(function, now)
    if f_before == 0 or f_now == 0:
        return before if f_before == 0 else now
    if (f_before < 0) == (f_now < 0):
        raise ValueError("the function is on one side of zero at both ends")
    other, f_other, step, step_before = before, f_before, now - before, now - before
    for _ in range(100):
        if f_before != 0 and f_now != 0 and (f_before < 0) != (f_now < 0):
            other, f_other, step, step_before = before, f_before, now - before, now - before
        if abs(f_other) < abs(f_now):
            before, now, other, f_before, f_now, f_other = now, other, now, f_now, f_other, f_now
        least, half = (within + 4 * _STEP * abs(now)) / 2, (other - now) / 2
        if f_now == 0 or abs(half) < least:
            return now
        wanted, step_before_last = half, step_before
        step_before = half
        if abs(step_before_last) > least and abs(f_now) < abs(f_before):
            wanted = _wanted(before, now, other, f_before, f_now, f_other)
            if 2 * abs(wanted) < min(abs(step_before_last), 3 * abs(half) - least):
                step_before = step
            else:
                wanted = half
        step = wanted
        before, f_before = now, f_now
        now += step if abs(step) > least else least if half > 0 else -least
        f_now = _of(function, now)
    raise ValueError("the function has too many turns")


def _of(function: Callable[[float], float], number: float) -> float:
    value = float(function(number))
    if math.isnan(value):
        raise ValueError("the function has no value there")
    return value


def _wanted(before: float, now: float, other: float, f_before: float, f_now: float, f_other: float) -> float:
    """The step to zero by a line through two points, or by a parabola through three; NaN where there is none."""
    try:
        if before == other:
            return -f_now * (now - before) / (f_now - f_before)
        by_before, by_other = (f_before - f_now) / (before - now), (f_other - f_now) / (other - now)
        return -f_now * (f_other * by_other - f_before * by_before) / (by_other * by_before * (f_other - f_before))
    except ZeroDivisionError:
        return math.nan


def roots(
    function: Callable[..., Floats], ends: tuple[Floats, Floats], beside: Sequence[Floats] = ()
) -> tuple[Floats, Bools]:
    """Where the function is zero between each two ends, and whether it is anywhere there.

    Parameters
    ----------
    function : callable
        Numbers (k,), and the ones ``beside`` them that belong to them, to what is to be zero, each by itself.
    ends, beside : arrays (...,) of one shape
        Between which two numbers each root lies, and what the function takes with it.

    Returns
    -------
    (...,) the roots, NaN where both ends lie on one side of zero; and whether there is one.

    References
    ----------
    .. [1] Chandrupatla 1997, Advances in Engineering Software 28:145-149.
    """
    first, second, *others = np.broadcast_arrays(*ends, *beside)
    shape = first.shape
    a, b = (np.array(end, dtype=np.float64).ravel() for end in (first, second))
    args = [np.array(each).ravel() for each in others]
    fa, fb = function(a, *args).astype(np.float64), function(b, *args).astype(np.float64)
    root, is_found = np.full(len(a), np.nan), np.zeros(len(a), dtype=np.bool_)
    places, c, fc, t = np.arange(len(a)), b, fb, np.full(len(a), 0.5)
    nothing = np.where(np.isfinite(np.minimum(np.abs(fa), np.abs(fb))), _LEAST, np.nan)  # what is taken for zero
    steps = 0
    while True:
        is_nearer = np.abs(fa) < np.abs(fb)
        best, left = np.where(is_nearer, a, b), np.where(is_nearer, fa, fb)
        gap, enough = np.abs(b - a), np.abs(best) * (4 * _STEP) + 4 * _LEAST
        is_zero = np.abs(left) <= nothing
        is_one_sided, is_finite = np.sign(fa) == np.sign(fb), np.isfinite(a) & np.isfinite(b)
        is_lost = ~is_zero & (is_one_sided | ~is_finite | (np.isnan(fa) & np.isnan(fb)))
        ends_here = is_zero | is_lost | (np.where(is_lost, np.nan, gap) < enough)
        root[places[ends_here]] = np.where(is_lost, np.nan, best)[ends_here]
        is_found[places[ends_here]] = ~is_lost[ends_here]
        goes_on = ~ends_here
        if steps >= _MOST_STEPS or not goes_on.any():
            return root.reshape(shape), is_found.reshape(shape)
        places, a, b, c, fa, fb, fc, t = (each[goes_on] for each in (places, a, b, c, fa, fb, fc, t))
        nothing = nothing[goes_on]
        args, gap, enough = [each[goes_on] for each in args], gap[goes_on], enough[goes_on]
        if steps:
            t = _next(a, b, c, fa, fb, fc, gap, enough)
        x = a + t * (b - a)
        fx = function(x, *args)
        is_same = np.sign(fx) == np.sign(fa)
        c, fc = np.where(is_same, a, b), np.where(is_same, fa, fb)
        b, fb = np.where(is_same, b, a), np.where(is_same, fb, fa)
        a, fa = x, fx
        steps += 1


def _next(a: Floats, b: Floats, c: Floats, fa: Floats, fb: Floats, fc: Floats, gap: Floats, enough: Floats) -> Floats:
    """Which part of the way from a to b is looked at next: by a parabola where that can be trusted, else the middle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        xi, phi, alpha = (a - b) / (c - b), (fa - fb) / (fc - fb), (c - a) / (b - a)
        is_trusted = (1 - np.sqrt(1 - xi) < phi) & (phi < np.sqrt(xi))
        parabola = fa / (fa - fb) * fc / (fc - fb) - alpha * fa / (fc - fa) * fb / (fb - fc)
    edge = 0.5 * enough / gap
    return np.clip(np.where(is_trusted, parabola, 0.5), edge, 1 - edge)
