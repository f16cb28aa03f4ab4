"""Columns whose real and released values agree once they are renumbered, and clearly do not as they are written.

A table whose answers are numbered in another order, or whose numbers are mirrored or moved, shares no row with the
table it was copied from although every value stands in both. Shares of categories and quantiles of numbers show it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import MISSING, Column, Floats, Table
from riskkit.table.places import places
from riskkit.table.readings import number_text

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
    place = places(real.schema)
    sides = _some(real), _some(release)
    gaps = {own.name: _gap(own, *(_known(own, place[own.name], side) for side in sides)) for own in columns}
    if not any(gap.is_recoded(CHANCE / len(columns)) for gap in gaps.values()):
        return {}
    return {name: gap.code for name, gap in gaps.items() if gap.is_recoded(FURTHER)}


def meaning_by_share(column: Column, real: Table, release: Table) -> tuple[tuple[str, str], ...]:
    """The released values of a renumbered column that mean another real one, by their shares alone.

    None where the column is not renumbered as codes are, or shares lie too near to each other to tell them apart.
    """
    place = places(real.schema)[column.name]
    own, their = (_known(column, place, table) for table in (_some(real), _some(release)))
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


def _known(column: Column, position: int, table: Table) -> Floats:
    """The values of a column (n,) that are not missing, categories as their codes."""
    if column.is_numeric:
        numbers = table.numbers[:, position]
        return np.asarray(numbers[~np.isnan(numbers)])
    codes = table.codes[:, position]
    is_missing = np.array([level == MISSING for level in column.levels])
    known: Floats = codes[~is_missing[codes]].astype(np.float64)
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
