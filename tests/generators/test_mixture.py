"""The encoding of a number against the ctgan package's own: the same mixtures, and the same draws from a state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("ctgan", reason="PyTorch and the ctgan package are not installed: pip install 'riskkit[deep]'")

from ctgan.data_transformer import DataTransformer
from sklearn.mixture import BayesianGaussianMixture

from riskkit.generators.engines.mixture import Encoding, Mixture

SETTINGS = {
    "weight_concentration_prior_type": "dirichlet_process",
    "weight_concentration_prior": 0.001,
    "random_state": 0,
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
    theirs, ours = (kind(n_components=10, **SETTINGS).fit(values) for kind in (BayesianGaussianMixture, Mixture))
    assert ours.n_iter_ == theirs.n_iter_
    for name in ("weights_", "means_", "covariances_", "mean_precision_", "degrees_of_freedom_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(ours.lower_bound_, theirs.lower_bound_, rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(ours.predict_proba(values), theirs.predict_proba(values), rtol=1e-6, atol=1e-9)


def test_rows_are_encoded_by_the_same_draws_and_the_state_goes_on_alike() -> None:
    frame = pd.DataFrame({name: np.resize(values, 200) for name, values in columns().items()})
    frame["code"] = np.arange(200) % 3
    encoded, left = [], []
    for kind in (DataTransformer, Encoding):
        encoding = kind()
        encoding.fit(frame, ["code"])
        np.random.seed(11)
        encoded.append(encoding.transform(frame))
        left.append(np.random.random_sample())
        layout = [[(span.dim, span.activation_fn) for span in part] for part in encoding.output_info_list]
    theirs, ours = encoded
    assert sum(dim for part in layout for dim, _ in part) == ours.shape[1]
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    assert left[0] == left[1]
    assert list(encoding.inverse_transform(ours)) == list(frame)
