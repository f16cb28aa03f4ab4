"""The shap library's own explainers: its very values, whatever way they are asked for, and ours beside them."""

from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from riskkit.core import Floats
from riskkit.explain.library import explain
from riskkit.explain.shapley import exact, linear
from riskkit.registry import make

SEED = int(np.random.default_rng(3).integers(2**31))
"""The seed that our models hand to scikit-learn."""
ESTIMATORS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=5, random_state=SEED),
    "forest": RandomForestClassifier(12, max_depth=5, random_state=SEED),
    "boosting": GradientBoostingClassifier(n_estimators=12, random_state=SEED),
}
FEW: dict[str, dict[str, int]] = {"forest": {"trees": 12}, "boosting": {"rounds": 12}}


def rows(n: int = 300, d: int = 4) -> tuple[Floats, Any]:
    rng = np.random.default_rng(1)
    x = rng.random((n, d))
    return x, (x[:, 0] * x[:, 1] + x[:, 2] - x[:, 3] * x[:, 0] > 0.4).astype(np.int64)


def stream(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture
def shap() -> Any:
    with catch_warnings():
        simplefilter("ignore")
        import shap as library

        yield library


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_tree_values_are_the_very_ones_of_the_fitted_estimator(kind: str, shap: Any) -> None:
    """To the last bit; boosted trees of two classes have one score, which is that of the second class."""
    x, y = rows()
    ours = make("explained", kind, **FEW.get(kind, {})).fit(x, y, np.random.default_rng(3), 2)
    explainer = shap.TreeExplainer(ESTIMATORS[kind].fit(x, y), x[:3])
    theirs = explainer.shap_values(x[100:150])
    explanation = explain("shap-tree", ours, x[100:150], x[:3], (0, 1), stream())
    second = theirs if kind == "boosting" else theirs[:, :, 1]
    first = -theirs if kind == "boosting" else theirs[:, :, 0]
    np.testing.assert_array_equal(explanation.phi[:, :, 1], second)
    np.testing.assert_array_equal(explanation.phi[:, :, 0], first)
    np.testing.assert_allclose(explanation.base[1], np.ravel(explainer.expected_value)[-1], atol=1e-12)


def test_trees_of_numbers_and_of_one_leaf(shap: Any) -> None:
    x, _ = rows()
    y = x[:, 0] * x[:, 1] + x[:, 2]
    library = RandomForestRegressor(12, max_depth=5, max_features=1 / 3, random_state=SEED).fit(x, y)
    ours = make("explained", "forest", trees=12).fit(x, y, np.random.default_rng(3))
    theirs = shap.TreeExplainer(library, x[:1]).shap_values(x[50:60])
    np.testing.assert_array_equal(explain("shap-tree", ours, x[50:60], x[:1], (0,), stream()).phi[:, :, 0], theirs)
    level = make("explained", "forest", trees=12).fit(x, np.ones(len(x)), np.random.default_rng(3))
    explanation = explain("shap-tree", level, x[50:60], x[:1], (0,), stream())
    assert not explanation.phi.any()
    assert explanation.base.tolist() == [1.0]


def test_linear_values_are_the_very_ones_and_ours_are_equal(shap: Any) -> None:
    x, y = rows()
    library = LinearRegression().fit(x, y)
    ours: Any = make("explained", "linear").fit(x, y, stream(), 2)
    theirs = shap.LinearExplainer(library, x[:7]).shap_values(x[100:120])
    explanation = explain("shap-linear", ours, x[100:120], x[:7], (1,), stream())
    np.testing.assert_allclose(explanation.phi[:, :, 0], theirs, atol=1e-12)
    np.testing.assert_allclose(
        explanation.phi, linear(ours.slope[:, [1]], ours.offset[[1]], x[100:120], x[:7]).phi, atol=1e-12
    )


@pytest.mark.slow
def test_permutation_values_are_the_very_ones_of_the_library(shap: Any) -> None:
    x, y = rows()
    ours = make("explained", "logistic").fit(x, y, stream(), 2)
    explanation = explain("shap-permutation", ours, x[100:110], x[:2], (0,), stream(5))
    # Five hundred questions walk 55 orders of four features there and back; so many from one seed, whatever it is,
    # leave what two orders differ by. The library's own sum rule holds exactly.
    truth = exact(ours.predict, x[100:110], x[:2])
    np.testing.assert_allclose(
        explanation.phi.sum(axis=1) + explanation.base, ours.predict(x[100:110])[:, :1], atol=1e-12
    )
    assert np.abs(explanation.phi - truth.phi[:, :, :1]).max() < 0.02 * np.abs(truth.phi).max()
    seed = int(stream(5).integers(2**31))
    theirs = shap.PermutationExplainer(lambda some: ours.predict(some)[:, :1], x[:2], seed=seed)(
        x[100:110], silent=True
    )
    np.testing.assert_array_equal(explanation.phi, theirs.values.reshape(explanation.phi.shape))


def test_kernel_values_of_few_features_go_through_every_set(shap: Any) -> None:
    x, y = rows()
    ours = make("explained", "svm").fit(x, y, stream(), 2)
    explanation = explain("shap-kernel", ours, x[100:105], x[:2], (0, 1), stream())
    np.testing.assert_allclose(explanation.phi, exact(ours.predict, x[100:105], x[:2]).phi, atol=1e-9)
    theirs = shap.KernelExplainer(ours.predict, x[:2]).shap_values(x[100:105], silent=True)
    np.testing.assert_allclose(explanation.phi, theirs, atol=1e-12)


@pytest.mark.parametrize("method", [pytest.param("shap-permutation", marks=pytest.mark.slow), "shap-kernel"])
def test_the_same_stream_gives_the_same_values_and_the_global_one_stays(method: str) -> None:
    x, y = rows(d=14) if method == "shap-kernel" else rows()
    ours = make("explained", "network", updates=50).fit(x, y, stream(), 2)
    np.random.seed(7)
    before = np.random.random(3)
    np.random.seed(7)
    first, again, other = (explain(method, ours, x[100:103], x[:1], (0,), stream(s)).phi for s in (1, 1, 2))
    np.testing.assert_array_equal(np.random.random(3), before)
    assert first.tobytes() == again.tobytes() != other.tobytes()


@pytest.mark.slow
def test_more_features_than_the_library_would_ask_about_are_walked_once() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((40, 260))
    ours = make("explained", "logistic").fit(x, (x[:, 0] > 0.5).astype(np.int64), stream(), 2)
    explanation = explain("shap-permutation", ours, x[:2], x[5:6], (0,), stream())
    np.testing.assert_allclose(explanation.phi.sum(axis=1) + explanation.base, ours.predict(x[:2])[:, :1], atol=1e-9)
