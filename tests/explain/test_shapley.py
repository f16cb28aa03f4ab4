"""Shapley values: axioms against enumeration, sampling that is unbiased, and trees whose values are those of both."""

from collections.abc import Callable
from itertools import permutations
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain import _walks, shapley, trees
from riskkit.explain.shapley import RowsGame, Shapley, exact, linear, permutation
from riskkit.explain.trees import TreeEnsemble, apply_link
from riskkit.registry import make
from tests.explain.made import Predict, by_definition, game, products

SEEDS = st.integers(0, 2**32 - 1)
WIDTHS = st.integers(1, 5)
QUICK = settings_of_hypothesis(max_examples=40)


def sampled(predict: Predict, x: Floats, references: Floats, v: int = 3, seed: int = 0, **more: Any) -> Shapley:
    return permutation(predict, x, references, v, np.random.default_rng(seed), **more)


METHODS = pytest.mark.parametrize("method", [exact, sampled], ids=["exact", "sampled"])
Method = Callable[[Predict, Floats, Floats], Shapley]

# --- the axioms -----------------------------------------------------------------------------------------------------


@QUICK
@given(seed=SEEDS, d=st.integers(1, 4), references=st.integers(1, 3), outputs=st.integers(1, 3))
def test_enumeration_is_the_definition(seed: int, d: int, references: int, outputs: int) -> None:
    predict, x, others = game(seed, d, references=references, outputs=outputs)
    np.testing.assert_allclose(exact(predict, x, others).phi, by_definition(predict, x, others), atol=1e-9)


@METHODS
@QUICK
@given(seed=SEEDS, d=WIDTHS)
def test_efficiency_the_values_add_up_to_the_answer(method: Method, seed: int, d: int) -> None:
    predict, x, others = game(seed, d)
    values = method(predict, x, others)
    np.testing.assert_allclose(values.base, predict(others).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(values.base + values.phi.sum(axis=1), predict(x), atol=1e-9)


@METHODS
@QUICK
@given(seed=SEEDS, d=st.integers(2, 5))
def test_null_a_feature_the_model_does_not_read_gets_nothing(method: Method, seed: int, d: int) -> None:
    predict, x, others = game(seed, d - 1)
    column = seed % d
    rng = np.random.default_rng(seed)
    wide = np.insert(x, column, rng.standard_normal(len(x)), axis=1)
    values = method(lambda z: predict(np.delete(z, column, axis=1)), wide, np.insert(others, column, 0.5, axis=1))
    np.testing.assert_allclose(values.phi[:, column], 0.0, atol=1e-12)


@QUICK
@given(seed=SEEDS, d=st.integers(2, 5))
def test_symmetry_features_that_can_be_exchanged_get_the_same(seed: int, d: int) -> None:
    inner, x, others = game(seed, d)
    x[:, 1], others[:, 1] = x[:, 0], others[:, 0]
    turned = [1, 0, *range(2, d)]
    phi = exact(lambda z: inner(z) + inner(z[:, turned]), x, others).phi
    np.testing.assert_allclose(phi[:, 0], phi[:, 1], atol=1e-9)


@METHODS
@QUICK
@given(seed=SEEDS, d=WIDTHS)
def test_linearity_the_values_of_a_sum_are_the_sums_of_the_values(method: Method, seed: int, d: int) -> None:
    first, x, others = game(seed, d)
    second = products(d, 2, np.random.default_rng(seed + 1))
    together = method(lambda z: 2.0 * first(z) - 3.0 * second(z), x, others).phi
    apart = 2.0 * method(first, x, others).phi - 3.0 * method(second, x, others).phi
    np.testing.assert_allclose(together, apart, atol=1e-9)


@METHODS
def test_a_feature_equal_to_the_one_reference_gets_exactly_nothing(method: Method) -> None:
    predict, x, others = game(1, 5, n=50, references=1)
    phi = method(predict, x, others).phi
    assert ((phi == 0).all(axis=2) == (x == others)).all()
    assert (x == others).any()


def test_two_features_by_hand() -> None:
    """f = x0 + 2 x1 + 4 x0 x1 at (1, 1) against (0, 0): each alone adds 1 and 2, and the 4 are shared."""
    values = exact(lambda z: z[:, :1] + 2 * z[:, 1:] + 4 * z[:, :1] * z[:, 1:], np.ones((1, 2)), np.zeros((1, 2)))
    assert values.phi[0, :, 0].tolist() == [3.0, 4.0]
    assert values.base.tolist() == [0.0]


def test_a_row_that_is_the_reference_and_no_row_at_all() -> None:
    predict, x, others = game(0, 4, references=1)
    for method in (exact, sampled):
        assert not method(predict, others, others).phi.any()
        assert method(predict, x[:0], others).phi.shape == (0, 4, 2)


# --- the closed form ------------------------------------------------------------------------------------------------


@QUICK
@given(seed=SEEDS, d=WIDTHS, references=st.integers(1, 3), v=st.integers(1, 3))
def test_a_linear_model_is_exact_by_any_number_of_permutations(seed: int, d: int, references: int, v: int) -> None:
    rng = np.random.default_rng(seed)
    slope, offset = rng.standard_normal((d, 2)), rng.standard_normal(2)
    x, others = rng.random((4, d)), rng.random((references, d))
    closed = linear(slope, offset, x, others)
    for values in (exact(lambda z: z @ slope + offset, x, others), sampled(lambda z: z @ slope + offset, x, others, v)):
        np.testing.assert_allclose(values.phi, closed.phi, atol=1e-12)
        np.testing.assert_allclose(values.base, closed.base, atol=1e-12)


# --- sampling -------------------------------------------------------------------------------------------------------


def deviations(phi: Floats, truth: Floats) -> Floats:
    """How many standard errors the mean over rows that were explained independently lies from the truth."""
    error = phi.std(axis=0, ddof=1) / np.sqrt(len(phi))
    return np.abs(phi.mean(axis=0) - truth) / error


@pytest.mark.parametrize("antithetic", [False, True])
@pytest.mark.parametrize(("v", "references"), [(1, 1), (2, 3)])
def test_sampling_is_unbiased(v: int, references: int, antithetic: bool) -> None:
    predict, x, others = game(3, 5, n=1, references=references)
    x[0] = np.random.default_rng(8).standard_normal(5)
    truth = exact(predict, x, others).phi[0]
    phi = sampled(predict, np.repeat(x, 4000, axis=0), others, v, antithetic=antithetic).phi
    assert phi.std(axis=0).min() > 1e-3  # the rows have orders of their own
    assert deviations(phi, truth).max() < 4.0


def test_orders_that_are_not_random_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault the check above is there for: one feature in ten orders does not join where it should."""
    predict, x, others = game(3, 5, n=1, references=1)
    x[0] = np.random.default_rng(8).standard_normal(5)
    truth = exact(predict, x, others).phi[0]
    fair = _walks.draw

    def favouring(uniform: Floats, movable: Any, order: Any) -> None:
        fair(uniform, movable, order)
        order[::10] = np.sort(order[::10], axis=2)

    monkeypatch.setattr(_walks, "draw", favouring)
    assert deviations(sampled(predict, np.repeat(x, 4000, axis=0), others, 1).phi, truth).max() > 4.0


def test_every_order_is_as_likely() -> None:
    movable = np.ones((2000, 5), dtype=bool)
    movable[:, 2] = False
    order = np.full((2000, 12, 4), -7)
    _walks.draw(np.random.default_rng(0).random(order.shape), movable, order)
    met, times = np.unique(order.reshape(-1, 4), axis=0, return_counts=True)
    assert sorted(map(tuple, met.tolist())) == sorted(permutations([0, 1, 3, 4]))
    assert ((times - 1000) ** 2 / 1000).sum() < 49.7  # chi-squared of 23, one in a thousand


def test_more_permutations_err_less() -> None:
    """The error falls with the root of the number of orders."""
    predict, x, others = game(5, 5, n=400, references=1, outputs=1)
    truth = exact(predict, x, others).phi
    few, many = (np.sqrt(((sampled(predict, x, others, v).phi - truth) ** 2).mean()) for v in (4, 64))
    assert 3.0 < few / many < 5.3


def test_orders_walked_backwards_too_leave_no_error_where_features_act_in_pairs() -> None:
    rng = np.random.default_rng(0)
    predict, x, others = products(6, 2, rng, most=2), rng.random((5, 6)), rng.random((2, 6))
    truth = exact(predict, x, others).phi
    np.testing.assert_allclose(sampled(predict, x, others, 1, antithetic=True).phi, truth, atol=1e-12)
    assert np.abs(sampled(predict, x, others, 2).phi - truth).max() > 1e-3


@pytest.mark.parametrize("d", [1, 6, 63, 64, 90])
def test_wide_rows_are_walked_to_the_end(d: int) -> None:
    """A sum of squares has the same steps in every order; up to 63 features coalitions are kept in one word."""
    rng = np.random.default_rng(d)
    x, others = rng.random((3, d)), rng.random((2, d))
    phi = sampled(lambda z: (z**2).sum(axis=1, keepdims=True), x, others, 4).phi[:, :, 0]
    np.testing.assert_allclose(phi, x**2 - (others**2).mean(axis=0), atol=1e-10)


def test_no_coalition_is_asked_about_twice_and_none_that_no_order_passes() -> None:
    asked: list[Floats] = []
    predict, x, others = game(7, 6, n=1, references=1)
    x[0] = others[0] + 1.0
    x[0, 4] = others[0, 4]

    def seen(z: Floats) -> Floats:
        asked.append(z)
        return predict(z)

    sampled(seen, x, others, 50)
    rows = np.concatenate(asked[1:])  # the first are the references
    assert len(np.unique(rows, axis=0)) == len(rows) <= 2**5
    asked.clear()
    sampled(seen, x, others, 2)
    assert len(np.concatenate(asked[1:])) <= 2 + 2 * 4


def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, others = rng.random((7, 4)), rng.random((2, 4))

    def cubes(z: Floats) -> Floats:
        return z**3 @ np.ones((4, 1))

    whole = sampled(cubes, x, others).phi
    monkeypatch.setattr(shapley, "BLOCK", 1)
    monkeypatch.setattr(shapley, "CELLS", 12)
    np.testing.assert_allclose(sampled(cubes, x, others).phi, whole, atol=1e-12)


def test_the_same_stream_gives_the_same_bytes_and_another_gives_others() -> None:
    predict, x, others = game(2, 5)
    first, again, other = (sampled(predict, x, others, 2, seed).phi for seed in (0, 0, 1))
    assert first.tobytes() == again.tobytes() != other.tobytes()


# --- what is refused ------------------------------------------------------------------------------------------------


def test_too_many_features_for_enumeration_are_refused_with_a_sentence() -> None:
    most = shapley.MOST_FEATURES
    x, reference = np.ones((1, most + 1)), np.zeros((1, most + 1))

    def total(z: Floats) -> Floats:
        return z.sum(axis=1, keepdims=True)

    with pytest.raises(DesignError, match=rf"up to {most + 1}, more than {most}\. Take permutations instead\.$"):
        exact(total, x, reference)
    x[0, 3] = 0.0  # equal to the reference: it plays no part
    np.testing.assert_allclose(exact(total, x, reference).phi[:, :, 0], x, atol=1e-9)


def test_no_permutation_is_refused_with_a_sentence() -> None:
    predict, x, others = game(0, 3)
    with pytest.raises(DesignError, match=r"^Sampled values need at least 1 permutation; got 0\.$"):
        sampled(predict, x, others, 0)


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
