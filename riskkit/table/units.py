"""Numbers of the release in another unit: the straight line that brings them to the real ones, and how they then read.

Centimetres beside inches, z-scores, amounts in thousands, dates moved by a number of days: a verbatim copy shares no
number with its table until somebody says the line.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from riskkit.core import Floats
from riskkit.table.parse import decimals_of
from riskkit.table.recoding import largest_gap, straight

_FACTORS = (
    2.54, 30.48, 0.3048, 0.9144, 1.609344, 0.45359237, 28.349523125, 6.35029318, 3.785411784, 4.184,
    7.0, 12.0, 24.0, 30.4375, 52.0, 60.0, 365.25, 1440.0, 3600.0, 86400.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6,
)  # fmt: skip
_USUAL = (*((factor, 0.0) for own in _FACTORS for factor in (own, 1 / own)), (5 / 9, -160 / 9), (9 / 5, 32.0))
"""Lines between units that are in use: inches, feet, yards, miles, pounds, ounces, stones, gallons, calories, units of
time, powers of ten, degrees."""
_GAP = 0.1
"""The gap between both distributions that a line may leave to be proposed."""
_AS_GOOD = 0.02
"""How much more a usual unit may leave than the best line."""
_CLEARLY = 2.0
"""How much less a falling line must leave than a rising one: of even distributions both leave about as much."""
_ENDS, _SOME, _WITHIN = 5, 400, 0.25
"""Least and largest numbers of each side that a line is laid through, released numbers it is tried on, and how far its
scale may lie from that of the best line."""
_LOST = 1e-9
"""The share of the range of real numbers that arithmetic may move a number by."""


def converted(released: Floats, scale: float, offset: float, known: Floats) -> Floats:
    """(n,) released numbers as ``scale * released + offset``, in the decimals of the ``known`` ones.

    Released digits that were rounded away cannot come back: a number becomes the nearest known one where that lies
    within the rounding. Known are real numbers and those of the holdout alike, so that neither is met more easily.
    """
    if not len(known):
        return scale * released + offset
    decimals = decimals_of(known)
    exact = scale * released + offset
    out: Floats = np.round(exact, decimals) + 0.0
    known = np.unique(known)
    slack = max(0.5 * abs(scale) * 10.0 ** -decimals_of(released), _LOST * float(known[-1] - known[0]))
    nearest = _nearest(exact, known)
    return np.where(np.abs(nearest - exact) <= slack, nearest, out)


def proposed(real: Floats, release: Floats) -> tuple[float, float] | None:
    """Scale and offset that probably bring released numbers to real ones (n,); None where no straight line does.

    Of the lines that leave hardly more of the gap between both distributions than the best one, a unit in use comes
    first, then the one by which most released numbers become a real one. It is for a person to confirm.
    """
    own, their = (values[~np.isnan(values)] for values in (real, release))
    if min(len(np.unique(own)), len(np.unique(their))) <= 2:
        return None
    falling, rising = (
        min([line for line in straight(own, their) if (line[1] > 0) == up], default=None) for up in (0, 1)
    )
    fitted = falling if rising is None or (falling and _CLEARLY * falling[0] < rising[0] - _LOST) else rising
    if fitted is None or fitted[0] > _GAP:
        return None
    gap, scale, offset = fitted
    some = np.unique(their)
    some = some[:: max(-(-len(some) // _SOME), 1)]
    known, decimals = np.unique(own), decimals_of(their)

    def worth(line: tuple[float, float]) -> tuple[float, float]:
        return round(_met(some, line, known, decimals), 2), -largest_gap(own, line[0] * their + line[1])

    usual = [line for line in _USUAL if -worth(line)[1] <= gap + _AS_GOOD]
    every = [(scale, offset), *_through_ends(own, their, scale)]
    met = [_met(some, line, known, decimals) for line in every]
    best = max([line for line, share in zip(every, met, strict=True) if share >= max(met) - _AS_GOOD], key=worth)
    if usual and worth(max(usual, key=worth))[0] >= worth(best)[0] - _AS_GOOD:
        return max(usual, key=worth)
    least = worth(best)[0]
    return next((short for digits in range(2, 16) if worth(short := _rounded(best, digits))[0] >= least), best)


def _through_ends(own: Floats, their: Floats, scale: float) -> list[tuple[float, float]]:
    """Lines through one of the least and one of the largest numbers of both sides, of about that scale."""
    own, their = np.unique(own), np.unique(their)
    ends = own[:_ENDS], own[-_ENDS:], their[:_ENDS], their[-_ENDS:]
    if scale < 0:
        ends = ends[0], ends[1], ends[3], ends[2]
    out = []
    for low, high, from_low, from_high in product(*(end.tolist() for end in ends)):
        if from_low != from_high and low != high:
            slope = (high - low) / (from_high - from_low)
            if abs(slope / scale - 1) <= _WITHIN:
                out.append((slope, low - slope * from_low))
    return out


def _met(some: Floats, line: tuple[float, float], known: Floats, decimals: int) -> float:
    """The share of these released numbers that are known ones on that line, but for the digits they were rounded to."""
    exact = line[0] * some + line[1]
    slack = max(0.5 * abs(line[0]) * 10.0**-decimals, _LOST * float(known[-1] - known[0]))
    return float((np.abs(_nearest(exact, known) - exact) <= slack).mean())


def _rounded(line: tuple[float, float], digits: int) -> tuple[float, float]:
    """The line in so many digits."""
    return float(f"{line[0]:.{digits}g}"), float(f"{line[1]:.{digits}g}") + 0.0


def _nearest(values: Floats, known: Floats) -> Floats:
    """Of the known numbers, ascending, the nearest to each value."""
    place = np.searchsorted(known, values)
    below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
    out: Floats = np.where(np.abs(values - below) <= np.abs(values - above), below, above)
    return out
