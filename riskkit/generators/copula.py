"""Gaussian copula: every column by its own histogram, held together by correlated normal scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from riskkit.core import Bools, Codes, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.leave_one_out import in_turn
from riskkit.table.encode import layout

TERMS = 40
"""Terms of the series that says how strongly two cut-up normal variables go together."""

ACCURACY = 0.1
"""How far the logarithm of a row's probability may be off: at worst .06 and mostly .015 on Adult's 15 columns, whose
correlations are singular; at worst .0002 on four columns."""

HALVINGS, STEPS = 8, 6
"""Halvings of [-1, 1] and Newton steps after them, enough for a correlation to the last digit."""


@dataclass(frozen=True)
class Copula:
    """Draws correlated normal variables and reads each column's value off its own cumulative histogram.

    The values of a column lie in order (numbers by size, categories as in the schema, missing last) and cut the line
    of a standard normal variable into intervals of their shares. A value's score is the normal quantile of the middle
    of its interval. The correlation of two normal variables is the one under which their cut-up versions have the
    covariance of the table's scores, so that coarse columns do not lose dependence by being coarse. Correlations that
    were settled pair by pair need not fit together: negative eigenvalues of their matrix are set to 0 and its diagonal
    brought back to 1. There is no ridge.

    Categories keep the order of the schema and are not sorted by frequency: two levels could change places by one row
    more or less, and the release would tell that row by an accident.

    Releases hold only values that the table has, so a row has a probability and not a density: the chance that the
    normal variables fall into the box of its intervals. That has no closed form for three columns or more; it is
    integrated numerically, always at the same points, to within :data:`ACCURACY`.

    References
    ----------
    .. [1] Liu and Der Kiureghian 1986, Multivariate distribution models with prescribed marginals and covariances,
       https://doi.org/10.1016/0266-8920(86)90033-0 (the model of Nataf 1962)
    """

    name: ClassVar[str] = "copula"
    title: ClassVar[str] = "Gaussian copula"
    card: ClassVar[str] = (
        "Counts the values of each column, turns them into normal scores and learns one correlation for each pair of "
        "columns; a release draws correlated normal rows and reads every value off its column's counts. Fitting has no "
        "randomness, each release draws anew; both take milliseconds for a thousand rows, and time grows with rows and "
        "with the square of columns. Keeps every histogram and every monotone dependence, loses other dependences; a "
        "value that only one person has is released about as often as in the table, and only if that person is in it. "
        "The probability of a row is integrated numerically, to some hundredths of its logarithm. The model of Nataf "
        "(1962) as in Liu and Der Kiureghian (1986), written for riskkit and under its licence."
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedCopula:  # noqa: ARG002  nothing is drawn here
        """Count the values of every column and settle the correlations. Draws nothing at random.

        Raises
        ------
        DesignError
            The table has fewer than two rows, or no column to model.
        """
        places = np.empty((len(table), len(table.schema.modelled)), dtype=np.int32)
        values: list[Floats] = []
        for j, block in enumerate(layout(table.schema)):
            if block.column.is_numeric:
                held, places[:, j] = np.unique(table.numbers[:, block.source], return_inverse=True)
            else:
                held = np.arange(len(block.column.levels), dtype=float)
                places[:, j] = table.codes[:, block.source]
            values.append(held)
        counts = [np.bincount(places[:, j], minlength=len(held)) for j, held in enumerate(values)]
        return _finish_fit(table.schema, values, counts, places)


@dataclass(frozen=True, slots=True, eq=False)
class FittedCopula:
    """The counts of every column, and what ties the columns together.

    ``values`` and ``counts`` have one entry a modelled column in file order: its values (numbers by size, then NaN
    where missing; codes of all levels of a category) and how many rows have each. ``places`` (n, d) is where in them
    each row of the table lies. ``root`` (d, d) times its own transpose is the matrix of correlations.
    """

    schema: Schema
    values: tuple[Floats, ...]
    counts: tuple[Ints, ...]
    places: Codes
    root: Floats

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows; only values that the table holds."""
        normal = rng.standard_normal((n, len(self.values))) @ self.root.T
        codes = np.empty((n, len(self.schema.categorical)), dtype=np.int32)
        numbers = np.empty((n, len(self.schema.numeric)))
        for j, block in enumerate(layout(self.schema)):
            out = numbers if block.column.is_numeric else codes
            places = np.searchsorted(_cuts(self.counts[j]), normal[:, j], side="right")
            out[:, block.source] = self.values[j][places]
        return Table(self.schema, codes, numbers)

    def log_prob(self, table: Table) -> Floats:
        """(n,) natural logarithm of the probability of each row, within :data:`ACCURACY`.

        It is -inf for a row with a value that no row of the fitted table has. Numbers come before categories, each
        kind with the largest frozen domain first: narrow intervals leave the integral little to do, and no row more or
        less changes the order.
        """
        low, high = np.empty((2, len(table), len(self.values)))
        for j, block in enumerate(layout(self.schema)):
            column = table.numbers if block.column.is_numeric else table.codes
            places, held = _find(self.values[j], column[:, block.source].astype(float))
            cuts = np.concatenate([[-np.inf], _cuts(self.counts[j]), [np.inf]])
            low[:, j], high[:, j] = np.where(held, (cuts[places], cuts[places + 1]), np.inf)
        first = _widest_domain_first(self.schema)
        root = self.root[first]
        return log_volume(low[:, first], high[:, first], root @ root.T)

    @in_turn
    def without(self, row: int) -> FittedCopula:
        """The fit to the same table without that row.

        One count of each column falls by one and the scores are taken again. All scores of a column move with it, so
        the covariance is summed anew; nothing is sorted or looked up again.
        """
        places = np.delete(self.places, row, axis=0)
        values, counts = list(self.values), list(self.counts)
        for j, column in enumerate(self.schema.modelled):
            place = self.places[row, j]
            counts[j] = counts[j].copy()
            counts[j][place] -= 1
            if column.is_numeric and not counts[j][place]:
                values[j], counts[j] = np.delete(values[j], place), np.delete(counts[j], place)
                places[:, j] -= places[:, j] > place
        return _finish_fit(self.schema, values, counts, places)


def _finish_fit(schema: Schema, values: list[Floats], counts: list[Ints], places: Codes) -> FittedCopula:
    """The fit to rows that have been counted."""
    if len(places) < 2 or not values:
        raise DesignError.phrase(
            "The copula generator needs at least two rows and one column with the role known or secret."
        )
    scores, steps, cuts = np.empty(places.shape), [], []
    for j, count in enumerate(counts):
        score, cut, step = _scores(count)
        scores[:, j] = score[places[:, j]]
        cuts.append(cut)
        steps.append(step)
    series = _series(cuts, steps)
    scores -= scores.mean(axis=0)
    correlation = latent_correlation(scores.T @ scores / len(scores), series)
    return FittedCopula(schema, tuple(values), tuple(counts), places, _root(correlation))


def _find(values: Floats, wanted: Floats) -> tuple[Ints, Bools]:
    """(n,) where each wanted number lies in the values, missing ones last, and whether it is there at all."""
    places = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return places, (values[places] == wanted) | (np.isnan(values[places]) & np.isnan(wanted))


def _widest_domain_first(schema: Schema) -> Ints:
    """(d,) the modelled columns, numbers first, each kind by falling size of the frozen domain."""
    sizes = [
        (1, (column.high - column.low) * 10.0**column.decimals) if column.is_numeric else (0, len(column.levels))
        for column in schema.modelled
    ]
    return np.array(sorted(range(len(sizes)), key=lambda j: sizes[j], reverse=True), dtype=np.int64)


def _cuts(counts: Ints) -> Floats:
    """(k - 1,) where the line of a standard normal variable is cut into k intervals of these shares."""
    below = np.cumsum(counts)
    cuts: Floats = ndtri(below[:-1] / below[-1])
    return cuts


def _scores(counts: Ints) -> tuple[Floats, Floats, Floats]:
    """The score of each value, and the step function from normal variable to score.

    Returns (k,) normal quantiles of the middles of the intervals (0 for a value that no row has), and of those that
    rows have the (h - 1,) cuts between them and by how much the score rises at each.
    """
    held = counts > 0
    below = np.cumsum(counts[held])
    middle = ndtri((below - counts[held] / 2) / below[-1])
    score = np.zeros(len(counts))
    score[held] = middle
    return score, ndtri(below[:-1] / below[-1]), np.diff(middle)


def _series(cuts: list[Floats], steps: list[Floats]) -> Floats:
    """(d, TERMS) coefficients of each step function in Hermite polynomials of length 1, degree 1 first.

    The integral of a polynomial times the normal density is known in closed form between any two cuts, so that a
    coefficient is a sum over the cuts. All columns are worked out together.
    """
    cut = np.concatenate(cuts)
    terms = np.empty((TERMS, len(cut)))
    before, now = np.zeros_like(cut), np.exp(-(cut**2) / 2) / np.sqrt(2 * np.pi)
    for m in range(1, TERMS + 1):
        terms[m - 1] = now / np.sqrt(m)
        before, now = now, (cut * now - np.sqrt(m - 1) * before) / np.sqrt(m)
    ends = np.cumsum([0, *map(len, cuts)])
    return np.stack([terms[:, ends[j] : ends[j + 1]] @ step for j, step in enumerate(steps)])


def latent_correlation(covariance: Floats, series: Floats) -> Floats:
    """(d, d) the correlations of normal variables whose cut-up versions have these covariances.

    ``series`` (d, terms) are the coefficients of :func:`_series`: the covariance of two cut-up variables is the sum
    over m of ``r**m`` times the product of their m-th coefficients. A covariance beyond what any correlation gives
    gets -1 or 1; a column without spread has correlation 0 with all others.
    """
    first, second = np.triu_indices(len(covariance), 1)
    factor, wanted = series[first] * series[second], covariance[first, second]
    power = np.arange(1, series.shape[1] + 1)
    low, high = np.full(len(wanted), -1.0), np.ones(len(wanted))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        under = (factor * _powers(middle, power)).sum(axis=1) < wanted
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    r = (low + high) / 2
    for _ in range(STEPS):
        terms = factor * _powers(r, power - 1)  # of the slope, but for the degree
        gap, slope = (terms.sum(axis=1) * r) - wanted, terms @ power
        r = np.clip(r - np.divide(gap, slope, out=np.zeros_like(gap), where=slope > 0), low, high)
    out = np.eye(len(covariance))
    out[first, second] = out[second, first] = np.where(factor[:, 0] > 0, r, 0.0)
    return out


def _powers(r: Floats, power: Ints) -> Floats:
    """(pairs, terms) each correlation to each power; the powers are consecutive."""
    out = np.repeat(r[:, None], len(power), axis=1)
    out[:, 0] = r ** power[0]
    np.cumprod(out, axis=1, out=out)
    return out


def _root(correlation: Floats) -> Floats:
    """(d, d) a root of the correlation: times its own transpose it is the correlation.

    The symmetric root: eigenvectors are free to turn or change sign with one row more or less, it is not. Negative
    eigenvalues count as 0; that only adds to the diagonal, which is then divided out.
    """
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    scaled: Floats = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
    return scaled


POINTS = 1024
"""Points of the rule a box is integrated with."""

BLOCK = 1 << 16
"""So many numbers are worked on together: what fits into the cache."""

SINGULAR = 1e-10
"""A variable that the ones before it leave less variance than this is their sum."""

EDGE = 1e-9
"""Such a sum may lie so far outside its interval: it is worth no more digits."""

FAR = 40.0
"""No normal variable of double precision is further from 0."""


def log_volume(low: Floats, high: Floats, correlation: Floats) -> Floats:
    """(n,) logarithm of the chance that a normal vector of mean 0 and this correlation lies in each of n boxes.

    Parameters
    ----------
    low, high
        (n, d) ends of the boxes, -inf and inf among them. An interval without length makes the chance 0.
    correlation
        (d, d), perhaps singular.

    The variables are taken one after another, each given those before: its interval has a conditional chance, and a
    point of it is passed on to the next. What is left is an integral over the unit cube of one dimension less, which a
    fixed Sobol sequence of :data:`POINTS` points sums up. Of one variable, and of independent ones, the result is
    exact; else two calls with nearly equal arguments make nearly equal errors, for the points are the same.

    References
    ----------
    .. [1] Genz, Numerical computation of multivariate normal probabilities, J. Comput. Graph. Stat. 1 (1992),
       https://doi.org/10.1080/10618600.1992.10477010
    """
    root = triangle(correlation)
    points = cube(len(root))
    out = np.empty(len(low))
    rows = max(1, BLOCK // points.shape[1])
    for start in range(0, len(low), rows):
        part = slice(start, start + rows)
        each = _log_integrand(low[part], high[part], root, points)
        top = np.maximum(each.max(axis=1), -np.finfo(float).max)
        with np.errstate(divide="ignore"):  # a box that no point hits has the chance 0
            out[part] = top + np.log(np.exp(each - top[:, None]).mean(axis=1))
    return out


def _log_integrand(low: Floats, high: Floats, root: Floats, points: Floats) -> Floats:
    """(n, points) logarithm of the product of conditional chances, for each box along each point."""
    drawn = np.zeros((len(root), len(low), points.shape[1]))
    total = np.zeros(drawn.shape[1:])
    for j, row in enumerate(root):
        mean = np.tensordot(row[:j], drawn[:j], axes=1)
        a, b = _conditional(low[:, [j]] - mean, high[:, [j]] - mean, row[j])
        chance, drawn[j] = _within(a, b, points[j])
        with np.errstate(divide="ignore"):
            total += np.log(chance)
    return total


def _conditional(low: Floats, high: Floats, spread: float) -> tuple[Floats, Floats]:
    """The interval in units of what is left to chance; all of the line, or none of it, where nothing is."""
    if spread:
        return low / spread, high / spread
    inside = (low <= EDGE) & (high >= -EDGE) & (low < high)
    return np.where(inside, -np.inf, np.inf), np.full_like(high, np.inf)


def _within(low: Floats, high: Floats, share: Floats) -> tuple[Floats, Floats]:
    """The chance of an interval, and the value that has ``share`` of that chance below it.

    Above 0 both are worked out in the mirror, where the distribution function keeps its digits.
    """
    mirrored = low > 0
    below = ndtr(np.where(mirrored, -high, low))
    chance = np.maximum(ndtr(np.where(mirrored, -low, high)) - below, 0.0)
    value = np.clip(ndtri(below + np.where(mirrored, 1.0 - share, share) * chance), -FAR, FAR)
    return chance, np.where(mirrored, -value, value)


def triangle(correlation: Floats) -> Floats:
    """(d, d) lower triangular root of a correlation; a zero on its diagonal where a variable is a sum of others."""
    d = len(correlation)
    root = np.zeros((d, d))
    for j in range(d):
        rest = correlation[j:, j] - root[j:, :j] @ root[j, :j]
        if rest[0] > SINGULAR:
            root[j:, j] = rest / np.sqrt(rest[0])
    return root


@lru_cache(maxsize=8)
def cube(dimensions: int) -> Floats:
    """(dimensions, POINTS) points of a Sobol sequence, moved by half their grain off the border."""
    from scipy.stats import qmc

    out: Floats = np.ascontiguousarray(qmc.Sobol(dimensions, scramble=False).random(POINTS).T) + 0.5 / POINTS
    out.flags.writeable = False
    return out


PLUGIN = Copula
