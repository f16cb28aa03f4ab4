"""Ensembles: the answers of scikit-learn, and tree values that are those of enumeration and of the shap library."""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from riskkit.core import Floats
from riskkit.explain import trees
from riskkit.explain.shapley import RowsGame, exact, permutation
from riskkit.explain.trees import TreeEnsemble, apply_link
from riskkit.registry import make

KINDS = {
    "tree": (DecisionTreeClassifier(max_depth=5), DecisionTreeRegressor(max_depth=5)),
    "forest": (RandomForestClassifier(12, max_depth=5), RandomForestRegressor(12, max_depth=5, max_features=1 / 3)),
    "boosting": (GradientBoostingClassifier(n_estimators=12), GradientBoostingRegressor(n_estimators=12)),
}
FEW: dict[str, dict[str, int]] = {"forest": {"trees": 12}, "boosting": {"rounds": 12}}
EACH = pytest.mark.parametrize("kind", KINDS)
TARGETS = pytest.mark.parametrize("target", ["two", "three", "number"])


def data(target: str, d: int = 5, n: int = 400) -> tuple[Floats, Any]:
    """Features on a coarse grid, so that thresholds are met on both sides, and answers with interactions."""
    rng = np.random.default_rng(1)
    x = np.round(rng.random((n, d)) * 8) / 8
    level = x[:, 0] * x[:, 1] + x[:, 2] - x[:, d - 1] * x[:, 0] + 0.1 * rng.standard_normal(n)
    if target == "number":
        return x, level
    return x, np.digitize(level, [0.5] if target == "two" else [0.3, 0.8])


def grown(kind: str, target: str, **more: Any) -> tuple[TreeEnsemble, Floats]:
    x, y = data(target)
    return make("explained", kind, **{**FEW.get(kind, {}), **more}).fit(x, y, np.random.default_rng(3)), x


@EACH
@TARGETS
def test_answers_are_those_of_the_library(kind: str, target: str) -> None:
    x, y = data(target)
    ensemble, _ = grown(kind, target)
    seed = int(np.random.default_rng(3).integers(2**31))
    library = KINDS[kind][target == "number"].set_params(random_state=seed).fit(x, y)
    expected = library.predict(x)[:, None] if target == "number" else library.predict_proba(x)
    np.testing.assert_allclose(ensemble.predict(x), expected, atol=1e-12)
    between = np.random.default_rng(0).random((300, 5)) * 3 - 1  # outside of what was met, too
    expected = library.predict(between)[:, None] if target == "number" else library.predict_proba(between)
    np.testing.assert_allclose(ensemble.predict(between), expected, atol=1e-12)


@EACH
def test_a_feature_a_hair_above_a_threshold_is_at_it_in_single_precision(kind: str) -> None:
    """The library compares in single precision; in double precision these rows would go the other way."""
    x, y = data("two")
    ensemble, _ = grown(kind, "two")
    asks = np.flatnonzero(ensemble.feature >= 0)
    rows = np.tile(x[:1], (len(asks), 1))
    rows[np.arange(len(asks)), ensemble.feature[asks]] = ensemble.threshold[asks] + 1e-12
    library = KINDS[kind][0].set_params(random_state=int(np.random.default_rng(3).integers(2**31))).fit(x, y)
    np.testing.assert_allclose(ensemble.predict(rows), library.predict_proba(rows), atol=1e-12)
    made = RowsGame(ensemble.predict).mix(
        rows, x[3], np.arange(len(rows)), np.eye(5, dtype=bool)[ensemble.feature[asks]]
    )
    asked = ensemble.mix(rows, x[3], np.arange(len(rows)), np.eye(5, dtype=bool)[ensemble.feature[asks]])
    np.testing.assert_allclose(asked, made, atol=1e-12)


@EACH
@TARGETS
@pytest.mark.parametrize("references", [1, 7])
def test_tree_values_are_those_of_enumeration(kind: str, target: str, references: int) -> None:
    ensemble, x = grown(kind, target)
    shown, others = x[:20], x[50 : 50 + references]
    truth = exact(ensemble.score, shown, others).phi
    np.testing.assert_allclose(ensemble.shapley(shown, others), truth, atol=1e-12)
    np.testing.assert_allclose(ensemble.shapley(shown, others, [0])[:, :, 0], truth[:, :, 0], atol=1e-12)
    assert np.abs(truth).max() > 0.01


def test_paths_that_ask_about_a_feature_again_and_again() -> None:
    """Three features, ten questions: contradictory leaves must not count, and a feature counts once."""
    x, y = data("number", d=3)
    ensemble = make("explained", "tree", depth=10).fit(x, y, np.random.default_rng(0))
    assert ensemble.deepest == 10
    truth = exact(ensemble.predict, x[:40], x[60:64]).phi
    np.testing.assert_allclose(ensemble.shapley(x[:40], x[60:64]), truth, atol=1e-12)


def test_weights_of_leaves_that_are_turned_round_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault the comparison with enumeration is there for."""
    ensemble, x = grown("forest", "two")
    right = trees._weights

    def turned(size: int) -> Floats:
        return np.ascontiguousarray(np.roll(right(size), 1, axis=1))

    monkeypatch.setattr(trees, "_weights", turned)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(ensemble.shapley(x[:5], x[9:10]), exact(ensemble, x[:5], x[9:10]).phi, atol=1e-6)


@EACH
@TARGETS
def test_answers_on_mixed_rows_are_those_on_the_rows_that_are_made(kind: str, target: str) -> None:
    ensemble, x = grown(kind, target)
    rng = np.random.default_rng(0)
    owner = np.repeat([4, 0, 2], [7, 1, 30])
    member = rng.random((38, 5)) < 0.5
    made = RowsGame(ensemble.predict).mix(x, x[9], owner, member)
    np.testing.assert_allclose(ensemble.mix(x, x[9], owner, member), made, atol=1e-12)


def test_permutations_of_an_ensemble_are_those_of_its_answers() -> None:
    ensemble, x = grown("boosting", "three")
    asked, made = (
        permutation(f, x[:9], x[20:23], 5, np.random.default_rng(0)).phi for f in (ensemble, ensemble.predict)
    )
    np.testing.assert_allclose(asked, made, atol=1e-12)


@pytest.mark.parametrize("references", [1, 30])
def test_tree_values_are_those_of_the_shap_library(references: int) -> None:
    x, y = data("two")
    ensemble, _ = grown("forest", "two")
    library = RandomForestClassifier(12, max_depth=5, random_state=int(np.random.default_rng(3).integers(2**31)))
    with catch_warnings():
        simplefilter("ignore")  # what other people's packages say of one another
        import shap

        explainer = shap.TreeExplainer(
            library.fit(x, y), x[:references], feature_perturbation="interventional", model_output="probability"
        )
        theirs = explainer.shap_values(x[100:200], check_additivity=False)
    np.testing.assert_allclose(ensemble.shapley(x[100:200], x[:references]), theirs, atol=1e-6)


@EACH
def test_one_leaf_says_the_same_of_everyone(kind: str) -> None:
    """Features that decide nothing make a tree of one leaf."""
    y = np.arange(60) % 2
    ensemble = make("explained", kind, **FEW.get(kind, {})).fit(np.ones((60, 3)), y, np.random.default_rng(0))
    x = np.random.default_rng(1).random((4, 3))
    assert np.ptp(ensemble.predict(x), axis=0).max() < 1e-12
    assert not ensemble.shapley(x, x[:1]).any()
    np.testing.assert_allclose(
        ensemble.mix(x, x[0], np.zeros(2, dtype=np.int64), np.ones((2, 3), dtype=bool)), ensemble.predict(x[:2])
    )


def test_links_by_hand() -> None:
    score = np.array([[0.0, np.log(3.0)], [800.0, -800.0]])
    np.testing.assert_allclose(apply_link(score, "logistic"), [[0.5, 0.75], [1.0, 0.0]], atol=1e-12)
    np.testing.assert_allclose(apply_link(score, "softmax"), [[0.25, 0.75], [1.0, 0.0]], atol=1e-12)
    assert apply_link(score, "none") is score
