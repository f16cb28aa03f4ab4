"""How the networks of CTGAN and TVAE see rows: numbers by a mixture of normal distributions, levels one-hot.

The encoding is that of the ctgan package, with the draws of rdt beneath it, to the last bit but for the mixture. There
scikit-learn's mixture is written for any number of columns: each normal distribution has a matrix of its own,
factorised and solved by itself in every step. With one column a matrix is a number, so here a few products handle all
distributions. Start, steps, their order and where they end are those of scikit-learn; a mixture differs by rounding
alone.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln, digamma, gammaln
from sklearn.cluster import KMeans

Floats = NDArray[np.float64]
PackageDraws = np.random.RandomState
"""What the ctgan package draws from beside torch; a method that is to draw as it does begins one at its own seed."""
MOST_PARTS, LEAST_WEIGHT = 10, 0.005
"""How many normal distributions a number has at most, and the weight below which one is left out."""
LEAST_SHARE = 1e-6
"""What the package adds to the probability of each distribution before one is drawn for a value."""
SPREADS = 4
"""Standard deviations from the middle of a distribution to the end of its code."""
SEED = 42
"""From which rdt starts every mixture."""
CONCENTRATION, LEAST_VARIANCE, NEAR, MOST_STEPS = 0.001, 1e-6, 1e-3, 100
"""Of the prior of the weights; added to every variance; the gain below which steps end, and how many there are."""


class RowSpan(NamedTuple):
    """A part of an encoded row: how many values it has, and what makes them of a network's output."""

    dim: int
    activation_fn: str


class Encoding:
    """The encoding of a frame, column by column in the order of the frame."""

    def __init__(self, frame: pd.DataFrame, discrete: Sequence[str]) -> None:
        self.columns = {
            name: LevelCode(values) if name in discrete else NumberCode(str(name), values)
            for name, values in ((name, frame[name].to_numpy()) for name in frame.columns)
        }

    @property
    def spans(self) -> list[list[RowSpan]]:
        """The parts of an encoded row, by column."""
        return [column.spans for column in self.columns.values()]

    @property
    def places(self) -> list[slice]:
        """Where each column lies in an encoded row."""
        ends = [0, *accumulate(sum(span.dim for span in spans) for spans in self.spans)]
        return [slice(start, end) for start, end in pairwise(ends)]

    @property
    def width(self) -> int:
        """How many values an encoded row has."""
        return sum(span.dim for spans in self.spans for span in spans)

    def encode(self, frame: pd.DataFrame) -> Floats:
        """(n, width) the rows as a network sees them."""
        return np.concatenate([column.encode(frame[name].to_numpy()) for name, column in self.columns.items()], axis=1)

    def knows(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """(n,) whether every level of a row is one of those that are encoded."""
        known = np.ones(len(frame), dtype=np.bool_)
        for name, column in self.columns.items():
            if isinstance(column, LevelCode):
                known &= np.isin(frame[name].to_numpy(), column.levels)
        return known

    def decode(self, rows: Floats, spreads: Floats | None = None, rng: PackageDraws | None = None) -> pd.DataFrame:
        """The frame that rows (n, width) stand for; with ``spreads`` (width,) codes of numbers are moved at random."""
        decoded = {}
        for (name, column), where in zip(self.columns.items(), self.places, strict=True):
            part = rows[:, where]
            if isinstance(column, NumberCode) and spreads is not None and rng is not None:
                part = np.column_stack([rng.normal(part[:, 0], spreads[where.start]), part[:, 1:]])
            decoded[name] = column.decode(part)
        return pd.DataFrame(decoded)


class LevelCode:
    """The levels of a column, in the order in which they come; a row has a one where its level is."""

    def __init__(self, values: NDArray[np.int64]) -> None:
        self.levels: NDArray[np.int64] = pd.unique(values)
        self.spans = [RowSpan(len(self.levels), "softmax")]

    def encode(self, values: NDArray[np.int64]) -> Floats:
        """(n, levels) a one and noughts."""
        return np.asarray(values[:, None] == self.levels, dtype=float)

    def decode(self, part: Floats) -> NDArray[np.int64]:
        """(n,) the level of the largest value."""
        return np.asarray(self.levels[np.argmax(part, axis=1)])


class NumberCode:
    """A number as the distribution that it is laid to, and how far it is from its middle."""

    def __init__(self, name: str, values: Floats) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as the package does where the steps end before the mixture stands still
            self.mixture = Mixture(values, min(len(values), MOST_PARTS))
        self.is_used = self.mixture.weights > LEAST_WEIGHT
        self.spans = [RowSpan(1, "tanh"), RowSpan(int(self.is_used.sum()), "softmax")]
        seen = name + "".join(map(str, values[:5]))
        self.seed = int(hashlib.sha256(seen.encode()).hexdigest(), 16) % (2**32 - 1)
        """Of the draws of :meth:`encode`, as rdt derives it."""

    def encode(self, values: Floats) -> Floats:
        """(n, 1 + distributions) code, and a one at the distribution, for which one number is drawn a value."""
        codes = (values[:, None] - self.mixture.means[self.is_used]) / (SPREADS * self._deviations())
        shares = self.mixture.shares(values)[:, self.is_used] + LEAST_SHARE
        up_to = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
        up_to /= up_to[:, -1:]
        drawn = PackageDraws(self.seed).random_sample((len(values), 1))
        part = (up_to <= drawn).sum(axis=1)
        rows = np.arange(len(values))
        encoded = np.zeros((len(values), 1 + up_to.shape[1]))
        encoded[:, 0] = np.clip(codes[rows, part], -0.99, 0.99)
        encoded[rows, part + 1] = 1.0
        return encoded

    def decode(self, part: Floats) -> Floats:
        """(n,) the numbers that codes and likeliest distributions stand for."""
        likeliest = np.argmax(part[:, 1:], axis=1)
        code = np.clip(part[:, 0].astype(float), -1, 1)
        values: Floats = code * SPREADS * self._deviations()[likeliest] + self.mixture.means[self.is_used][likeliest]
        return values

    def _deviations(self) -> Floats:
        return np.asarray(np.sqrt(self.mixture.variances[self.is_used]))


class Mixture:
    """A Bayesian mixture of normal distributions on one column, its weights by breaking a stick: all of them at once.

    What scikit-learn's ``BayesianGaussianMixture`` comes to with ``"dirichlet_process"``. Tables inside have a row a
    distribution, so that each operation runs along the values.
    """

    def __init__(self, values: Floats, parts: int) -> None:
        column = values[:, None]
        self.prior_mean, self.prior_variance = column.mean(axis=0)[0], np.cov(values)
        labels = KMeans(n_clusters=parts, n_init=1, random_state=SEED).fit(column).labels_
        shares = (labels[:, None] == np.arange(parts)).astype(float)
        counts = shares.sum(axis=0) + 10 * np.finfo(float).eps
        middles = (shares.T @ column).ravel() / counts
        off = [column - middle for middle in middles]
        squares = [((shares[:, k] * away.T) @ away).item() for k, away in enumerate(off)]
        self._learn(counts, middles, np.array(squares) / counts)
        self.bound, self.steps = -np.inf, 0
        while self.steps < MOST_STEPS:
            self.steps += 1
            before, self.bound = self.bound, self._step(values)
            if abs(self.bound - before) < NEAR:
                break
        own, others = self.sticks
        self.weights = own / (own + others) * np.hstack((1, np.cumprod((others / (own + others))[:-1])))
        self.weights /= self.weights.sum()

    def shares(self, values: Floats) -> Floats:
        """(n, distributions) the share that each has in each value."""
        return np.asarray(np.exp(self._log_shares(values).T))

    def _log_shares(self, values: Floats) -> Floats:
        """(distributions, n) logarithms of the shares."""
        own, others = self.sticks
        both = digamma(own + others)
        log_weights = digamma(own) - both + np.hstack((0, np.cumsum(digamma(others) - both)[:-1]))
        level = (
            np.log(self.sharpness)
            - 0.5 * (np.log(2 * np.pi) + np.log(self.freedom))
            + 0.5 * (np.log(2.0) + digamma(0.5 * self.freedom) - 1 / self.precision)
            + log_weights
        )
        logs = np.multiply.outer(self.sharpness, values)
        logs -= (self.means * self.sharpness)[:, None]
        np.square(logs, out=logs)
        logs *= -0.5
        logs += level[:, None]
        top = logs.max(axis=0)
        logs -= np.log(np.exp(logs - top).sum(axis=0)) + top
        return logs

    def _step(self, values: Floats) -> float:
        """Weights, middles and spreads by the shares; what the steps raise, a bound of the evidence."""
        log_shares = self._log_shares(values)
        shares = np.exp(log_shares)
        counts = shares.sum(axis=1) + 10 * np.finfo(float).eps
        middles = shares @ values / counts
        off = values - middles[:, None]
        np.square(off, out=off)
        self._learn(counts, middles, np.einsum("kn,kn->k", shares, off) / counts)
        entropy = -np.vdot(shares, log_shares)
        sharp = np.log(self.sharpness) - 0.5 * np.log(self.freedom)
        wishart = -(self.freedom * sharp + self.freedom * 0.5 * np.log(2.0) + gammaln(0.5 * self.freedom)).sum()
        return float(entropy - wishart + betaln(*self.sticks).sum() - 0.5 * np.log(self.precision).sum())

    def _learn(self, counts: Floats, middles: Floats, variances: Floats) -> None:
        """Take over counts, middles and variances of the shares, each (distributions,)."""
        self.sticks = 1.0 + counts, CONCENTRATION + np.hstack((np.cumsum(counts[::-1])[-2::-1], 0))
        self.precision = self.freedom = 1.0 + counts
        self.means: Floats = (self.prior_mean + counts * middles) / self.precision
        away = np.square(middles - self.prior_mean) / self.precision
        self.variances: Floats = self.prior_variance + counts * (variances + LEAST_VARIANCE + away)
        self.variances /= self.freedom
        if not (self.variances > 0).all():
            raise ValueError("A normal distribution of the mixture has no spread.")
        self.sharpness: Floats = 1 / np.sqrt(self.variances)
