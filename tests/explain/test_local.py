"""Explanations other than Shapley values, by hand; what they give away of their rows, and what readers keep of them."""

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain import local
from riskkit.explain.publishing import KnownRows, fidelity
from riskkit.explain.shapley import Predict
from riskkit.registry import parse

RNG = np.random.default_rng(0)
X = RNG.random((200, 4))
REFERENCES = np.full((1, 4), 0.5)
SLOPE = np.array([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0], [-1.0, 0.5]])


def line(x: Floats) -> Floats:
    """Two lines."""
    out: Floats = x @ SLOPE
    return out


def squares(x: Floats) -> Floats:
    """(n, 1) the sum of squares, whose slope is twice the row."""
    return (x**2).sum(axis=1, keepdims=True)


def classes(x: Floats) -> Floats:
    """Whether the first feature is above a half."""
    return np.stack([x[:, 0] <= 0.5, x[:, 0] > 0.5], axis=1).astype(np.float64)


def phi(explainer: str, predict: Predict, x: Floats = X, references: Floats = REFERENCES) -> Floats:
    return local.EXPLAINERS[explainer](predict, x, references, np.random.default_rng(1)).phi


def test_the_slope_of_a_line_is_the_same_everywhere_and_of_squares_twice_the_row() -> None:
    np.testing.assert_allclose(phi("gradients", line), np.broadcast_to(SLOPE, (200, 4, 2)), atol=1e-9)
    np.testing.assert_allclose(phi("gradients", squares)[:, :, 0], 2 * X, atol=1e-9)


def test_integrated_gradients_of_a_line_are_shapley_values_and_add_up_for_squares() -> None:
    np.testing.assert_allclose(phi("integrated-gradients", line), (X - 0.5)[:, :, None] * SLOPE, atol=1e-9)
    values = phi("integrated-gradients", squares)[:, :, 0]
    np.testing.assert_allclose(values, X**2 - 0.25, atol=1e-9)
    np.testing.assert_allclose(values.sum(axis=1), squares(X)[:, 0] - squares(REFERENCES)[0, 0], atol=1e-9)


def test_integrated_gradients_of_several_references_are_their_mean() -> None:
    both = np.vstack([REFERENCES, np.zeros((1, 4))])
    apart = [phi("integrated-gradients", squares, references=each[None]) for each in both]
    np.testing.assert_allclose(phi("integrated-gradients", squares, references=both), np.mean(apart, axis=0))


def test_lime_finds_the_slopes_of_a_line() -> None:
    np.testing.assert_allclose(phi("lime", line, X[:5]), np.broadcast_to(SLOPE, (5, 4, 2)), atol=0.1)


def test_lime_draws_from_its_stream_alone() -> None:
    assert phi("lime", squares, X[:5]).tobytes() == phi("lime", squares, X[:5]).tobytes()


def test_the_nearest_row_of_another_class_by_hand() -> None:
    rows = np.array([[0.2, 0.0], [0.9, 0.5]])
    references = np.array([[0.8, 0.9], [0.6, 0.1], [0.1, 0.5], [0.3, 0.0]])
    values = phi("counterfactuals", classes, rows, references)
    np.testing.assert_allclose(values[:, :, 0], [[0.4, 0.1], [-0.8, 0.0]])
    np.testing.assert_array_equal(values[:, :, 0], values[:, :, 1])
    assert (phi("counterfactuals", classes, rows[:1], references[2:]) == 0).all()


def test_a_number_has_no_other_class() -> None:
    with pytest.raises(DesignError, match=r"no other class"):
        phi("counterfactuals", squares)


def error(explainer: str, predict: Predict, references: Floats = REFERENCES) -> float:
    """The mean distance of what least squares, taught 150 rows, recovers of 50 others."""
    values = phi(explainer, predict, references=references)
    known = KnownRows(X[:150], values[:150])
    inverted = parse("inverters", "linear").fit(known, np.random.default_rng(0)).invert(values[150:])
    return float(np.abs(inverted.estimates - X[150:]).mean())


CONSTANT = float(np.abs(X[150:] - np.median(X[:150], axis=0)).mean())


@pytest.mark.parametrize("explainer", ["gradients", "integrated-gradients", "lime"])
def test_what_is_planted_is_recovered(explainer: str) -> None:
    """The slope of the sum of squares is the row itself."""
    assert error(explainer, squares) < 0.5 * CONSTANT


def test_counterfactuals_against_one_row_are_the_row_itself() -> None:
    """Planted: of those who are of another class than the only reference, the change is the reference less the row."""
    values = phi("counterfactuals", classes, X[X[:, 0] > 0.5], np.zeros((1, 4)))
    np.testing.assert_allclose(-values[:, :, 0], X[X[:, 0] > 0.5])


def test_slopes_of_a_line_give_nothing_away() -> None:
    """The null: the same numbers for everybody."""
    assert error("gradients", line) > 0.9 * CONSTANT


EXACT = np.array([[4.0, -3.0, 2.0, 1.0, 0.5]])


@pytest.mark.parametrize(
    ("published", "rank", "top"),
    [
        ([8.0, -6.0, 4.0, 2.0, 1.0], 1.0, 1.0),
        ([-8.0, 6.0, -4.0, -2.0, -1.0], -1.0, 1.0),
        ([0.0, 0.0, 0.0, 0.0, 0.0], 0.0, 0.6),  # all tie: each of five features has three of five places
        ([0.5, 1.0, 2.0, -3.0, 4.0], -0.3, 1 / 3),
    ],
)
def test_ranks_and_top_three_by_hand(published: list[float], rank: float, top: float) -> None:
    kept = fidelity(EXACT, np.array([published]))
    np.testing.assert_allclose(kept.rank, [rank], atol=1e-12)
    np.testing.assert_allclose(kept.top, [top], atol=1e-12)


def test_features_that_tie_for_a_place_share_it() -> None:
    kept = fidelity(EXACT, np.array([[4.0, 0.0, 0.0, 0.0, 0.5]]))
    np.testing.assert_allclose(kept.top, [5 / 9])  # one for sure, and two that share one place with a third


def test_what_differs_by_rounding_alone_is_a_tie() -> None:
    exact = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(fidelity(exact, exact + 1e-14 * np.arange(5)).rank, [1.0])


def test_other_rows_are_refused() -> None:
    with pytest.raises(DesignError, match=r"row by row"):
        fidelity(EXACT, np.zeros((2, 5)))
