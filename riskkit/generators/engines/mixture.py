"""How the ctgan package encodes a number, made quicker: its Bayesian mixture of normal distributions, on one column.

The package hands scikit-learn a table of one column. The mixture there is written for any number of columns: each
normal distribution has a matrix of its own, factorised and solved by itself in every step. With one column a matrix is
a number, so here a few products handle all distributions. Start, steps, their order and where they end are those of
scikit-learn; a mixture differs by rounding alone. What is drawn is drawn from the same state in the same order.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from ctgan.data_transformer import ColumnTransformInfo, DataTransformer, SpanInfo
from numpy.typing import NDArray
from rdt.transformers import ClusterBasedNormalizer
from rdt.transformers.numerical import FloatFormatter
from scipy.special import betaln, digamma, gammaln
from sklearn.mixture import BayesianGaussianMixture

Floats = NDArray[np.float64]
LEAST_SHARE = 1e-6
"""What the package adds to the probability of each distribution before one is drawn for a value."""


class Encoding(DataTransformer):  # type: ignore[misc]
    """The package's encoding of a table, its numbers by :class:`Normalizer`."""

    def _fit_continuous(self, data: Any) -> ColumnTransformInfo:
        """The mixture of a column, and how wide its code is."""
        (name,) = data.columns
        mixture = Normalizer(
            missing_value_generation="from_column",
            max_clusters=min(len(data), self._max_clusters),
            weight_threshold=self._weight_threshold,
        )
        mixture.fit(data, name)
        parts = int(sum(mixture.valid_component_indicator))
        return ColumnTransformInfo(
            column_name=name,
            column_type="continuous",
            transform=mixture,
            output_info=[SpanInfo(1, "tanh"), SpanInfo(parts, "softmax")],
            output_dimensions=1 + parts,
        )


class Normalizer(ClusterBasedNormalizer):  # type: ignore[misc]
    """The package's code of a number: which distribution it is laid to, and how far it is from its middle."""

    def _fit(self, data: Any) -> None:
        """Fit the mixture."""
        self._bgm_transformer = Mixture(
            n_components=self.max_clusters,
            weight_concentration_prior_type="dirichlet_process",
            weight_concentration_prior=0.001,
            random_state=self._get_current_random_seed(),
        )
        FloatFormatter._fit(self, data)
        values = FloatFormatter._transform(self, data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as the package does where the steps end before the mixture stands still
            self._bgm_transformer.fit(values.reshape(-1, 1))
        self.valid_component_indicator = self._bgm_transformer.weights_ > self.weight_threshold

    def _transform(self, data: Any) -> Floats:
        """Code and distribution of each value; one number is drawn a value, from numpy's global state."""
        values = FloatFormatter._transform(self, data).reshape(-1, 1)
        valid, mixture = self.valid_component_indicator, self._bgm_transformer
        spreads = self.STD_MULTIPLIER * np.sqrt(mixture.covariances_.ravel()[valid])
        codes = (values - mixture.means_.ravel()[valid]) / spreads
        shares = mixture.predict_proba(values)[:, valid] + LEAST_SHARE
        up_to = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
        up_to /= up_to[:, -1:]
        drawn = np.random.random_sample((len(values), 1))  # noqa: NPY002  the state that the package draws from
        part = (up_to <= drawn).sum(axis=1)
        return np.stack([np.clip(codes[np.arange(len(codes)), part], -0.99, 0.99), part], axis=1)


class Mixture(BayesianGaussianMixture):  # type: ignore[misc]
    """scikit-learn's mixture on one column, with stick-breaking weights: every distribution at once.

    Tables inside have a row a distribution, so that each operation runs along the values.
    """

    def _estimate_log_prob_resp(self, values: Floats, **_: Any) -> tuple[Floats, Floats]:
        """Logarithms of the density at each value, and of the share that each distribution has in it."""
        sharp = self.precisions_cholesky_.ravel()
        level = (
            np.log(sharp)
            - 0.5 * (np.log(2 * np.pi) + np.log(self.degrees_of_freedom_))
            + 0.5 * (np.log(2.0) + digamma(0.5 * self.degrees_of_freedom_) - 1 / self.mean_precision_)
            + self._estimate_log_weights()
        )
        logs = np.multiply.outer(sharp, values[:, 0])
        logs -= (self.means_.ravel() * sharp)[:, None]
        np.square(logs, out=logs)
        logs *= -0.5
        logs += level[:, None]
        top = logs.max(axis=0)
        norm = np.log(np.exp(logs - top).sum(axis=0)) + top
        logs -= norm
        return norm, logs.T

    def _m_step(self, values: Floats, log_resp: Floats, **_: Any) -> None:
        """Weights, middles and spreads by the shares."""
        column = values[:, 0]
        shares = np.exp(log_resp.T)
        counts = shares.sum(axis=1) + 10 * np.finfo(float).eps
        middles = shares @ column / counts
        off = column - middles[:, None]
        np.square(off, out=off)
        spreads = np.einsum("kn,kn->k", shares, off) / counts + self.reg_covar
        self._estimate_weights(counts)
        self._estimate_means(counts, middles[:, None])
        self._estimate_precisions(counts, middles[:, None], spreads[:, None, None])
        self._entropy = -np.vdot(shares, log_resp.T)

    def _estimate_precisions(self, counts: Floats, middles: Floats, spreads: Floats) -> None:
        """Variances and one over their roots, by the counts, middles and variances of the shares."""
        self.degrees_of_freedom_ = self.degrees_of_freedom_prior_ + counts
        away = np.square(middles[:, 0] - self.mean_prior_[0]) * self.mean_precision_prior_ / self.mean_precision_
        variances = np.ravel(self.covariance_prior_) + counts * (spreads.ravel() + away)
        variances /= self.degrees_of_freedom_
        if not (variances > 0).all():
            raise ValueError("A normal distribution of the mixture has no spread.")
        self.covariances_ = variances[:, None, None]
        self.precisions_cholesky_ = 1 / np.sqrt(self.covariances_)

    def _compute_lower_bound(self, *_: Any) -> float:
        """What the steps raise, for the shares that the last one was made of."""
        freedom = self.degrees_of_freedom_
        sharp = np.log(self.precisions_cholesky_.ravel()) - 0.5 * np.log(freedom)
        wishart = -(freedom * sharp + freedom * 0.5 * np.log(2.0) + gammaln(0.5 * freedom)).sum()
        weights = -betaln(*self.weight_concentration_).sum()
        return float(self._entropy - wishart - weights - 0.5 * np.log(self.mean_precision_).sum())
