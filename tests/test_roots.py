"""Roots beside scipy's, to the last bit, and where a wrong one would be seen."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.optimize.elementwise import find_root

from riskkit import roots as module
from riskkit.roots import root, roots

MANY: dict[str, Callable[..., np.ndarray]] = {
    "cubic": lambda x, c, n: x**3 - 2 * x - c * n,
    "exponential": lambda x, c, n: np.exp(x) - n + c,
    "a step": lambda x, c, n: np.sign(x - c) * 1.0,
    "no value": lambda x, c, n: np.where(x < c, np.nan, x - c - 0.1),
    "many turns": lambda x, c, n: np.tan(x * n) - c,
    "zero throughout": lambda x, c, n: x * 0.0,
    "flat at the root": lambda x, c, n: (x - c) ** 9,
    "a pole": lambda x, c, n: 1 / x - c,
}


@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (500,), (0,)])
@pytest.mark.parametrize("name", MANY)
def test_many_roots_are_scipys(name: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(name))
    given = rng.normal(size=shape), rng.integers(1, 9, shape).astype(float)
    narrow = (given[0] - rng.random(shape), given[0] + rng.random(shape))
    for ends in (narrow, (np.full(shape, -5.0), np.full(shape, 5.0)), (np.full(shape, -np.inf), np.full(shape, 5.0))):
        with np.errstate(all="ignore"):
            found, wanted = roots(MANY[name], ends, given), find_root(MANY[name], ends, args=given)
        np.testing.assert_array_equal(found[1], wanted.success)
        np.testing.assert_array_equal(found[0][found[1]], wanted.x[wanted.success])
        assert found[0].shape == wanted.x.shape


def one(rng: np.random.Generator) -> Callable[[float], float]:
    c, k = float(rng.normal()), int(rng.integers(1, 6))
    functions: list[Callable[[float], float]] = [
        lambda x: x**3 - 2 * x - c,
        lambda x: math.exp(x) - abs(c),
        lambda x: (x - c) ** (2 * k + 1),
        lambda x: math.tanh(x * 10**k) - c / 5,
        lambda x: math.copysign(1, x - c),
        lambda x: math.cos(x * k) - c / 3,
        lambda x: np.float64(x - c),
        lambda x: math.nan if x > c else -1,
    ]
    return functions[int(rng.integers(len(functions)))]


def test_one_root_is_scipys() -> None:
    rng, found = np.random.default_rng(3), 0
    for _ in range(2_000):
        function, within = one(rng), float(rng.choice([1e-10, 1e-12, 1e-3]))
        low, high = (float(end) for end in 3 * rng.normal(size=2))
        try:
            wanted = brentq(function, low, high, xtol=within)
        except (ValueError, RuntimeError):
            with pytest.raises(ValueError, match="the function"):
                root(function, low, high, within=within)
            continue
        assert root(function, low, high, within=within) == wanted
        found += 1
    assert found > 700


@pytest.mark.parametrize("name", ["_wanted", "_next"])
def test_a_planted_fault_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another step is taken on the way: the root moves by a last bit."""
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: 0.9 * right(*args))
    with pytest.raises(AssertionError):
        test_one_root_is_scipys() if name == "_wanted" else test_many_roots_are_scipys("many turns", (500,))
