"""The encoding of a number against the ctgan package's own: the same mixtures, and the same draws."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("ctgan", reason="PyTorch and the ctgan package are not installed: pip install 'riskkit[deep]'")

from ctgan.data_transformer import DataTransformer
from sklearn.mixture import BayesianGaussianMixture

from riskkit.generators.engines.mixture import SEED, Encoding, Mixture
from riskkit.generators.engines.stack import layout

SETTINGS = {
    "weight_concentration_prior_type": "dirichlet_process",
    "weight_concentration_prior": 0.001,
    "random_state": SEED,
}


def columns() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Numbers of all sorts: in two heaps, of few values or one, with one far away, mostly nought, large and small."""
    rng = np.random.default_rng(5)
    return {
        "two heaps": np.concatenate([rng.normal(0, 1, 120), rng.normal(9, 0.2, 80)]),
        "few values": rng.integers(0, 4, 200).astype(float),
        "one value": np.full(50, 3.0),
        "one far away": np.append(rng.normal(0, 1, 99), 1e6),
        "mostly nought": np.where(rng.random(300) < 0.95, 0.0, rng.exponential(1e4, 300)),
        "large": rng.normal(1e9, 1e5, 150),
        "small": rng.normal(0, 1e-4, 150),
        "ten rows": rng.normal(0, 1, 10),
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("what", columns())
def test_a_mixture_is_that_of_scikit_learn(what: str) -> None:
    values = columns()[what].reshape(-1, 1)
    theirs = BayesianGaussianMixture(n_components=10, **SETTINGS).fit(values)
    ours = Mixture(values[:, 0], 10)
    assert ours.steps == theirs.n_iter_
    for name, fitted in {
        "weights": theirs.weights_,
        "means": theirs.means_,
        "variances": theirs.covariances_,
        "precision": theirs.mean_precision_,
        "freedom": theirs.degrees_of_freedom_,
    }.items():
        np.testing.assert_allclose(getattr(ours, name), fitted.ravel(), rtol=1e-7, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(ours.bound, theirs.lower_bound_, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(ours.shares(values[:, 0]), theirs.predict_proba(values), rtol=1e-6, atol=1e-9)


def test_rows_are_encoded_and_decoded_as_the_package_does() -> None:
    frame = pd.DataFrame({name: np.resize(values, 200) for name, values in columns().items()})
    frame["code"] = np.arange(200) % 3
    theirs, ours = DataTransformer(), Encoding(frame, ["code"])
    theirs.fit(frame, ["code"])
    assert layout(ours.spans) == layout(theirs.output_info_list)
    encoded = ours.encode(frame)
    np.testing.assert_allclose(encoded, theirs.transform(frame), rtol=1e-6, atol=1e-9)
    spreads = np.linspace(0, 0.1, ours.width)
    np.random.seed(11)
    decoded = theirs.inverse_transform(encoded, spreads)
    pd.testing.assert_frame_equal(ours.decode(encoded, spreads, np.random.RandomState(11)), decoded, rtol=1e-6)
    pd.testing.assert_frame_equal(ours.decode(encoded), theirs.inverse_transform(encoded), rtol=1e-6)
