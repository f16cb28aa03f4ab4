"""What every explained model keeps to: found by walking the folder, so a new file is tested by being there."""

import pickle
import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain.models import LinearModel, Model
from riskkit.explain.trees import TreeEnsemble
from riskkit.registry import make, plugins, spell

QUICK: dict[str, dict[str, Any]] = {"network": {"updates": 200, "rate": 0.03}, "boosting": {"rounds": 40}}
"""Settings under which a model learns small tables without haste at every test."""
MODELS = pytest.mark.parametrize(
    "model", [plugin(**QUICK.get(name, {})) for name, plugin in plugins("explained").items()], ids=spell
)
TREES = ["boosting", "forest", "tree"]
EACH = pytest.mark.parametrize(
    ("model", "kind"),
    [
        pytest.param(model, kind, id=f"{spell(model)}-{kind}")
        for model in (plugin(**QUICK.get(name, {})) for name, plugin in plugins("explained").items())
        for kind in model.predicts
    ],
)
"""Each model with each kind of answer that it predicts."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def data(kind: str, n: int = 300, seed: int = 0) -> tuple[Floats, Any]:
    """Four features, of which the first decides the answer; the last is the same for everybody."""
    x = rng(seed).random((n, 4))
    x[:, 3] = 0.5
    return x, (np.digitize(x[:, 0], [0.3, 0.6]) if kind == "category" else 200.0 * x[:, 0] - 30.0)


def fitted(model: Any, x: Floats, y: Any, levels: int = 0, seed: int = 0) -> Model:
    made: Model = model.fit(x, y, rng(seed), levels)
    answer = made.predict(x)
    assert answer.dtype == np.float64
    assert np.isfinite(answer).all()
    if np.issubdtype(y.dtype, np.integer):
        assert answer.shape == (len(x), levels or y.max() + 1)
        np.testing.assert_allclose(answer.sum(axis=1), 1.0, atol=1e-5)
        assert isinstance(made, LinearModel) or answer.min() >= 0
    else:
        assert answer.shape == (len(x), 1)
    return made


@cache
def learnt(model: Any, kind: str) -> Model:
    """One fit to those data for all tests that only ask it."""
    return fitted(model, *data(kind))


@EACH
def test_learns_what_one_feature_decides(model: Any, kind: str) -> None:
    """A model at chance, or one that looks at the wrong feature, is seen here."""
    made = learnt(model, kind)
    x, y = data(kind, seed=1)
    predictions = made.predict(x)
    if kind == "category":
        assert (predictions.argmax(axis=1) == y).mean() > (0.6 if isinstance(made, LinearModel) else 0.9)
    else:
        assert np.abs(predictions[:, 0] - y).mean() < 0.25 * y.std()


def test_a_model_that_looks_at_nothing_is_seen() -> None:
    class Blind:
        name, predicts = "blind", ("category",)

        def fit(self, x: Floats, *rest: Any) -> Any:
            return make("explained", "tree").fit(np.zeros_like(x), *rest)

    with pytest.raises(AssertionError):
        test_learns_what_one_feature_decides(Blind(), "category")


@EACH
def test_the_same_stream_gives_the_same_bytes_and_no_other_chance_is_used(model: Any, kind: str) -> None:
    import torch

    before = str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist(), torch.get_num_threads()
    x, y = data(kind)
    first, again = learnt(model, kind).predict(x), fitted(model, x, y).predict(x)
    assert first.tobytes() == again.tobytes()
    after = str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist(), torch.get_num_threads()
    assert before == after


@EACH
def test_answers_do_not_depend_on_who_else_is_asked(model: Any, kind: str) -> None:
    x, _ = data(kind)
    made = learnt(model, kind)
    order = rng(2).permutation(len(x))
    whole = made.predict(x)
    np.testing.assert_allclose(made.predict(x[order]), whole[order], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(made.predict(x[:1]), whole[:1], rtol=1e-4, atol=1e-5)
    assert made.predict(x[:0]).shape == (0, whole.shape[1])


@MODELS
def test_classes_the_training_lacks_are_as_good_as_impossible(model: Any) -> None:
    x, y = data("category")
    made = fitted(model, x, 2 * y + 1, levels=7)  # classes 1, 3 and 5 of 0 to 6
    predictions = made.predict(x)
    assert np.abs(predictions[:, [0, 2, 4, 6]]).max() < 0.05
    assert (predictions.argmax(axis=1) == 2 * y + 1).mean() > 0.7


@EACH
def test_a_training_of_one_answer_says_that_answer(model: Any, kind: str) -> None:
    x, y = data(kind)
    same = np.full_like(y, 2)
    made = fitted(model, x, same, levels=4 if kind == "category" else 0)
    assert isinstance(made, TreeEnsemble if model.name in TREES else LinearModel)
    predictions = made.predict(x[:3])
    np.testing.assert_allclose(
        predictions, np.tile([0, 0, 1, 0], (3, 1)) if kind == "category" else np.full((3, 1), 2.0)
    )


@EACH
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_few_rows_do_no_harm(model: Any, kind: str, rows: int) -> None:
    x, y = data(kind)
    order = np.argsort(x[:, 0])[:: len(x) // rows][:rows]
    fitted(model, x[order], y[order], levels=3 if kind == "category" else 0)


@EACH
def test_features_that_never_vary_and_more_features_than_rows_do_no_harm(model: Any, kind: str) -> None:
    _, y = data(kind)
    fitted(model, np.full((300, 3), 0.25), y)
    fitted(model, rng().random((20, 40)), y[:20])


@EACH
def test_what_it_is_given_is_left_as_it_was_and_it_is_pickled_fitted(model: Any, kind: str) -> None:
    x, y = data(kind)
    kept, wanted = x.copy(), y.copy()
    made = fitted(model, x, y)
    np.testing.assert_array_equal(x, kept)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).predict(x), made.predict(x))


@MODELS
def test_what_cannot_be_learnt_is_refused_with_a_sentence(model: Any) -> None:
    x, y = data("category")
    with pytest.raises(DesignError, match=r"one answer for each row; got arrays of shape \(0, 4\) and \(0,\)\.$"):
        model.fit(x[:0], y[:0], rng())
    with pytest.raises(DesignError, match=r"one answer for each row"):
        model.fit(x, y[:-1], rng())
    with pytest.raises(DesignError, match=r"outside the 2 classes"):
        model.fit(x, y, rng(), 2)
    with pytest.raises(DesignError, match=r"An answer is missing or infinite\."):
        model.fit(x, np.where(y == 1, np.nan, 1.0 * y), rng())


@MODELS
def test_a_number_is_refused_by_what_learns_categories(model: Any) -> None:
    x, y = data("number")
    if "number" in model.predicts:
        model.fit(x, y, rng())
        return
    with pytest.raises(DesignError, match=r"learns a category, not a number\."):
        model.fit(x, y, rng())


def test_only_the_linear_regression_is_a_line_and_only_trees_are_ensembles() -> None:
    """A logistic regression has slopes too; taken for a line it would be explained wrongly."""
    made = {name: learnt(make("explained", name, **QUICK.get(name, {})), "category") for name in plugins("explained")}
    assert [name for name, model in made.items() if isinstance(model, LinearModel)] == ["linear"]
    assert [name for name, model in made.items() if isinstance(model, TreeEnsemble)] == TREES


def test_least_squares_is_that_of_the_class_index_for_two_classes() -> None:
    x, y = data("category")
    made = fitted(make("explained", "linear"), x, np.minimum(y, 1))
    wide = np.column_stack([x[:, :3], np.ones(300)])
    np.testing.assert_allclose(made.predict(x)[:, 1], wide @ np.linalg.lstsq(wide, np.minimum(y, 1))[0], atol=1e-12)


def test_ridge_is_that_of_its_penalty() -> None:
    x, y = data("number")
    made = fitted(make("explained", "linear", penalty=2.0), x, y)
    middle = x - x.mean(axis=0)
    slope = np.linalg.solve(middle.T @ middle + 2 * np.eye(4), middle.T @ (y - y.mean()))
    assert isinstance(made, LinearModel)
    np.testing.assert_allclose(made.slope[:, 0], slope, atol=1e-9)
