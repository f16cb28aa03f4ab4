"""Shapley values: their axioms against enumeration, and sampling that is unbiased."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain import _walks, shapley
from riskkit.explain.shapley import Shapley, exact, linear, permutation
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
