"""Values that agree once they are renumbered, moved or brought to another unit, and do not as they are written.

A table whose answers are numbered in another order, or whose numbers are mirrored, moved, in inches for centimetres or
in single precision, shares no row with the table it was copied from although every value stands in both. Shares of
categories and quantiles of numbers show it. What probably means what is proposed, for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product

import numpy as np

from riskkit.core import MISSING, Bools, Column, Floats, Ints, Table
from riskkit.table.kinds.numbers import decimals_of, number_text
from riskkit.table.kinds.spellings import small

CHANCE = 1e-6
"""The chance, over all columns, at which values that mean the same would differ so much."""
FURTHER = 1e-3
"""The same of each further column, where one is renumbered."""
FITS = 1e-3
"""The chance below which renumbered values do not agree either, unless nearly nothing is left of the difference."""
BETTER, NEARLY = 0.1, 0.02
"""What may be left of the difference once values are renumbered, and what is nearly nothing; chi-square, or the square
of the largest gap between two distributions of numbers."""
LEAST_GAP = 0.1
"""The gap between two distributions of numbers below which no line is asked about."""
CLEARLY = 10.0
"""How much worse, in chi-square, two shares must fit when they are exchanged for it to be plain which is which."""
FEW = 50
"""Different numbers up to which a column is looked at as codes."""
ROWS = 20_000
"""Rows of either table that are looked at, evenly over the file."""
_MIDDLES = (np.linspace(0.05, 0.95, 91), np.array([0.25, 0.5, 0.75]))
"""The quantiles through which a line is laid: most of them, and three where the ends would mislead."""


@dataclass(frozen=True, slots=True)
class _Gap:
    """How far real and released values lie apart as they are written, and renumbered in the way that fits best.

    ``written`` and ``left`` are the two differences, ``chance`` and ``left_chance`` how likely as large ones are where
    values mean the same.
    """

    code: str
    written: float
    chance: float
    left: float
    left_chance: float

    def is_recoded(self, chance: float) -> bool:
        """Whether renumbering explains a difference that ``chance`` does not."""
        fits = BETTER if self.left_chance >= FITS else NEARLY
        return self.chance <= chance and self.left <= fits * self.written


def recodings(real: Table, release: Table) -> dict[str, str]:
    """The columns of which that is so, each with ``codes_apart`` (another order) or ``line_apart`` (a straight line).

    The files may hold any people of one population. A column is named where neither chance explains the difference nor
    a method that missed the shares somewhat: they are the same shares in another order. Missing values keep their
    meaning and are not looked at.
    """
    columns = real.schema.modelled
    sides = _some(real), _some(release)
    gaps = {own.name: _gap(own, *(_present_values(own, side) for side in sides)) for own in columns}
    if not any(gap.is_recoded(CHANCE / len(columns)) for gap in gaps.values()):
        return {}
    return {name: gap.code for name, gap in gaps.items() if gap.is_recoded(FURTHER)}


def meaning_by_share(column: Column, real: Table, release: Table) -> tuple[tuple[str, str], ...]:
    """The released values of a renumbered column that mean another real one, by their shares alone.

    None where the column is not renumbered as codes are, or shares lie too near to each other to tell them apart.
    """
    own, their = (_present_values(column, _some(table)) for table in (real, release))
    gap = _gap(column, own, their)
    if gap.code != "codes_apart" or not gap.is_recoded(FURTHER):
        return ()
    values, (known, seen) = _counts(own, their)
    first, second = np.argsort(-known, kind="stable"), np.argsort(-seen, kind="stable")
    both = np.column_stack([known[first], seen[second]])
    best = _chi_square(*both.T)
    for rank in range(len(both) - 1):
        other = both.copy()
        other[[rank, rank + 1], 1] = both[[rank + 1, rank], 1]
        if _chi_square(*other.T) < best + CLEARLY:
            return ()
    texts = [number_text(value) if column.is_numeric else column.levels[int(value)] for value in values]
    return tuple((texts[new], texts[old]) for old, new in zip(first, second, strict=True) if old != new)


def _some(table: Table) -> Table:
    return table if len(table) <= ROWS else table.rows(np.linspace(0, len(table) - 1, ROWS).astype(np.int64))


def _present_values(column: Column, table: Table) -> Floats:
    """The values of a column (n,) that are not missing, categories as their codes."""
    values = table.column(column)
    if column.is_numeric:
        return np.asarray(values[~np.isnan(values)])
    is_missing = np.array([level == MISSING for level in column.levels])
    known: Floats = values[~is_missing[values]].astype(np.float64)
    return known


def _gap(column: Column, real: Floats, release: Floats) -> _Gap:
    """Of numbers that are more than a few, the gap that a straight line leaves; else that of shares in any order."""
    values, (own, their) = _counts(real, release)
    if min(np.count_nonzero(own), np.count_nonzero(their)) < 2:
        return _Gap("codes_apart", 0.0, 1.0, 0.0, 1.0)
    if column.is_numeric and len(values) > FEW:
        return _line(real, release)
    written, left = _chi_square(own, their), _chi_square(np.sort(own), np.sort(their))
    return _Gap("codes_apart", written, _rare(written, len(own)), left, _rare(left, len(own)))


def _counts(real: Floats, release: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
    """The different values of both, and how often each stands in either."""
    values, which = np.unique(np.concatenate([real, release]), return_inverse=True)
    own, their = (np.bincount(part, minlength=len(values)) for part in (which[: len(real)], which[len(real) :]))
    return values, (own.astype(np.float64), their.astype(np.float64))


def _chi_square(first: Floats, second: Floats) -> float:
    """Pearson's statistic of two rows of counts (levels,), those of no row left out."""
    both = np.vstack([first, second])[:, first + second > 0]
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    return float(((both - expected) ** 2 / expected).sum())


def _rare(chi_square: float, levels: int) -> float:
    """The chance of so large a statistic; 1 where it is an everyday one, for which no library is loaded."""
    freedom = max(levels - 1, 1)
    if chi_square <= freedom + 2 * (2 * freedom) ** 0.5:
        return 1.0
    from scipy import special  # takes long to load, and most files need it for no column

    return float(special.chdtrc(freedom, chi_square))


def _rare_gap(gap: float) -> float:
    """The same of Kolmogorov's statistic."""
    if gap <= 1:
        return 1.0
    from scipy import special  # as above

    return float(special.kolmogorov(gap))


def _line(real: Floats, release: Floats) -> _Gap:
    """What the best of a few straight lines, rising or falling, leaves of the gap."""
    written, left = largest_gap(real, release), min([(1.0, 1.0, 0.0), *straight(real, release)])[0]
    root = np.sqrt(len(real) * len(release) / (len(real) + len(release)))
    chance = _rare_gap(float(root * written)) if written >= LEAST_GAP else 1.0
    left_chance = _rare_gap(float(root * left)) if chance < FURTHER else 1.0
    return _Gap("line_apart", written**2, chance, left**2, left_chance)


def straight(real: Floats, release: Floats) -> list[tuple[float, float, float]]:
    """A few straight lines, rising and falling: the gap that each leaves, and real = scale * released + offset."""
    lines = []
    for middle in _MIDDLES:
        own, their = np.quantile(real, middle), np.quantile(release, middle)
        for seen in (their, their[::-1]):
            if np.ptp(seen) and np.ptp(own):  # a line that maps every number to one explains nothing
                scale, offset = map(float, np.polyfit(seen, own, 1))
                lines.append((largest_gap(real, offset + scale * release), scale, offset))
    return lines


def largest_gap(first: Floats, second: Floats) -> float:
    """The largest distance of two distribution functions."""
    own, their = np.sort(first), np.sort(second)
    every = np.concatenate([own, their])
    shares = [np.searchsorted(side, every, "right") / len(side) for side in (own, their)]
    return float(np.abs(shares[0] - shares[1]).max())


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


def convert(released: Floats, scale: float, offset: float, known: Floats) -> Floats:
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


def propose_line(real: Floats, release: Floats) -> tuple[float, float] | None:
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
        return round(_share_on_line(some, line, known, decimals), 2), -largest_gap(own, line[0] * their + line[1])

    usual = [line for line in _USUAL if -worth(line)[1] <= gap + _AS_GOOD]
    every = [(scale, offset), *_through_ends(own, their, scale)]
    met = [_share_on_line(some, line, known, decimals) for line in every]
    best = max([line for line, share in zip(every, met, strict=True) if share >= max(met) - _AS_GOOD], key=worth)
    if usual and worth(max(usual, key=worth))[0] >= worth(best)[0] - _AS_GOOD:
        return max(usual, key=worth)
    least = worth(best)[0]
    return next((short for digits in range(2, 16) if worth(short := _round_line(best, digits))[0] >= least), best)


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


def _share_on_line(some: Floats, line: tuple[float, float], known: Floats, decimals: int) -> float:
    """The share of these released numbers that are known ones on that line, but for the digits they were rounded to."""
    exact = line[0] * some + line[1]
    slack = max(0.5 * abs(line[0]) * 10.0**-decimals, _LOST * float(known[-1] - known[0]))
    return float((np.abs(_nearest(exact, known) - exact) <= slack).mean())


def _round_line(line: tuple[float, float], digits: int) -> tuple[float, float]:
    """The line in so many digits."""
    return float(f"{line[0]:.{digits}g}"), float(f"{line[1]:.{digits}g}") + 0.0


def _nearest(values: Floats, known: Floats) -> Floats:
    """Of the known numbers, ascending, the nearest to each value."""
    place = np.searchsorted(known, values)
    below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
    out: Floats = np.where(np.abs(values - below) <= np.abs(values - above), below, above)
    return out


DOUBLE, SINGLE = 5e-15, 2.0**-24
"""By which share of itself a number is moved at most: by sums, or by the 15 digits of a spreadsheet, and
by being written in single precision."""


def is_whole(values: Floats) -> bool:
    """Whether all are whole numbers, which keep their last digit."""
    known = values[~np.isnan(values)]
    return bool((known == np.floor(known)).all())


def is_single(values: Floats) -> bool:
    """Whether all are numbers of single precision."""
    with np.errstate(over="ignore"):
        return bool((values == values.astype(np.float32)).all())


def nearest_real(values: Floats, real: Floats) -> dict[float, float]:
    """Of these different numbers those that are a real one but for its last digits, with that one.

    Both are sorted and hold no hole. Numbers that would become one in single precision alone stay apart, as the file
    tells them apart.
    """
    if not len(values) or not len(real):
        return {}
    share = SINGLE if is_single(values) != is_single(real) else DOUBLE
    nearest = _nearest(values, real)
    moved: Bools = (np.abs(values - nearest) <= share * np.abs(values)) & (values != nearest)
    if share == SINGLE and moved.any():
        _, place, times = np.unique(np.where(moved, nearest, values), return_inverse=True, return_counts=True)
        moved &= times[place] == 1
    return dict(zip(values[moved].tolist(), nearest[moved].tolist(), strict=True))


_NAMED = 2.0
"""How much more a like name counts than the whole difference of two shares."""
_LIKE = 0.75
"""The share of letters in common, in order, from which two names are alike."""
_MOST = 200
"""Levels on a side beyond which only equal names are looked for."""


def likely(column: Column, real: Table, release: Table) -> tuple[tuple[str, str], ...]:
    """The released levels that no real row has, each with the real level it probably stands for.

    Names that are alike count most, then how much of either table a level makes up. Each real level is taken once;
    a released level for which none is left is not there. Numbers and dates have no levels and give nothing. Where both
    files have the same levels, or numbers, in another order, shares alone say which is which, if they do.
    """
    if not column.is_modelled:
        return ()
    if column.is_numeric:
        return meaning_by_share(column, real, release)
    own, their = (np.bincount(table.column(column), minlength=len(column.levels)) for table in (real, release))
    known = np.array([level != MISSING for level in column.levels])
    lost, new = np.flatnonzero(known & (own > 0) & (their == 0)), np.flatnonzero(known & (their > 0) & (own == 0))
    if not len(lost) or not len(new):
        return meaning_by_share(column, real, release)
    cost = _distances(column.levels, new, lost, their / len(release), own / len(real))
    from scipy.optimize import linear_sum_assignment  # not at the top: it takes long to load, and few tables need it

    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return tuple((column.levels[new[a]], column.levels[lost[b]]) for a, b in sorted(pairs))


def line(column: Column, real: Table, release: Table) -> tuple[float, float] | None:
    """Scale and offset that probably bring released numbers or dates to real ones; None of other columns, or where
    no straight line does."""
    if not (column.is_numeric and column.is_modelled):
        return None
    return propose_line(real.column(column), release.column(column))


def _distances(levels: Sequence[str], new: Ints, lost: Ints, released: Floats, real: Floats) -> Floats:
    """(new, lost) how little a released level is like a real one."""
    names = ["".join(letter for letter in small(level) if letter.isalnum()) for level in levels]
    cost = np.abs(released[new][:, None] - real[lost][None, :])
    is_few = max(len(new), len(lost)) <= _MOST
    for a, first in enumerate(new.tolist()):
        for b, second in enumerate(lost.tolist()):
            cost[a, b] -= _NAMED * _likeness(names[first], names[second], is_few)
    return np.asarray(cost, dtype=np.float64)


def _likeness(first: str, second: str, is_few: bool) -> float:
    """1 of the same letters, less where one begins the other or most letters are the same, else 0."""
    if first == second:
        return float(bool(first))
    if not is_few or not first or not second:
        return 0.0
    if not (first.isdigit() or second.isdigit()) and (first.startswith(second) or second.startswith(first)):
        return 0.9
    ratio = SequenceMatcher(None, first, second).ratio()
    return ratio if ratio >= _LIKE and not (first.isdigit() and second.isdigit()) else 0.0
