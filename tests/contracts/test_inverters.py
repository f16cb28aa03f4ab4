"""What every attacker on explanations keeps to: found by walking the folder, so a new file is tested by being there."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.explain.publishing import Inverted, KnownRows
from riskkit.registry import parse, spell
from tests.contracts import rooms

QUICK: dict[str, dict[str, Any]] = {"network": {"epochs": 5}, "forest": {"trees": 20}}
"""Settings under which an attacker learns small tables without haste at every test."""
INVERTERS = pytest.mark.parametrize("inverter", rooms.made("inverters", QUICK), ids=spell)


def known_rows(n: int = 300, d: int = 4, outputs: int = 1, seed: int = 0) -> KnownRows:
    """Rows whose every feature is told by its explanation, the features being unlike in scale."""
    x = np.random.default_rng(seed).random((n, d))
    weights = np.random.default_rng(99).normal(size=(d, outputs)) * np.arange(1, d + 1)[:, None]
    return KnownRows(x, (x - 0.3)[:, :, None] * weights)


def invert(inverter: Any, held: KnownRows, phi: Floats, seed: int = 0) -> Inverted:
    """What the attacker says; the shape of every answer is looked at here."""
    inverted: Inverted = inverter.fit(held, np.random.default_rng(seed)).invert(phi)
    assert inverted.estimates.shape == inverted.accepted.shape == (len(phi), held.inputs.shape[1])
    assert inverted.estimates.dtype == np.float64
    assert inverted.accepted.dtype == bool
    assert ((inverted.estimates >= 0) & (inverted.estimates <= 1)).all()
    return inverted


@INVERTERS
@pytest.mark.parametrize("outputs", [1, 3])
def test_learns_what_explanations_tell(inverter: Any, outputs: int) -> None:
    """Better than the best constant on new rows, whatever the scale and the number of outputs."""
    slow = inverter.name == "network" and inverter.rates != "tuned" and inverter.optimiser in ("sgd", "momentum")
    slow = slow or getattr(inverter, "rates", "") == "given"
    if inverter.name == "network":
        inverter = replace(inverter, epochs=100, batch=16)
    held, asked = known_rows(outputs=outputs), known_rows(200, outputs=outputs, seed=1)
    error = np.abs(invert(inverter, held, asked.phi).estimates - asked.inputs).mean()
    constant = np.abs(np.median(held.inputs, axis=0) - asked.inputs).mean()
    assert error < (1.05 if slow else 0.7) * constant


def test_an_attacker_that_looks_at_nothing_is_seen() -> None:
    held, asked = known_rows(), known_rows(200, seed=1)
    blind = invert(parse("inverters", "forest:trees=20"), KnownRows(held.inputs, np.zeros_like(held.phi)), asked.phi)
    assert np.abs(blind.estimates - asked.inputs).mean() > 0.9 * np.abs(0.5 - asked.inputs).mean()


@INVERTERS
def test_the_same_stream_gives_the_same_answers_and_no_other_chance_is_used(inverter: Any) -> None:
    with rooms.only_its_own_chance():
        first, again = (invert(inverter, known_rows(), known_rows(50, seed=1).phi) for _ in range(2))
    assert first.estimates.tobytes() == again.estimates.tobytes()


@INVERTERS
def test_the_unit_of_the_explanations_changes_nothing(inverter: Any) -> None:
    held, asked = known_rows(), known_rows(50, seed=1)
    plain = invert(inverter, held, asked.phi)
    scaled = invert(inverter, KnownRows(held.inputs, held.phi * 1024), asked.phi * 1024)
    np.testing.assert_allclose(scaled.estimates, plain.estimates, atol=1e-9)


@INVERTERS
def test_who_is_asked_about_beside_changes_nothing(inverter: Any) -> None:
    held, asked = known_rows(), known_rows(50, seed=1)
    fitted = inverter.fit(held, np.random.default_rng(0))
    whole, some = fitted.invert(asked.phi), fitted.invert(asked.phi[10:20])
    np.testing.assert_allclose(some.estimates, whole.estimates[10:20], atol=1e-6)
    np.testing.assert_array_equal(some.accepted, whole.accepted[10:20])


@INVERTERS
def test_constant_explanations_a_single_row_and_far_victims_do_no_harm(inverter: Any) -> None:
    held = known_rows()
    invert(inverter, KnownRows(held.inputs, np.zeros_like(held.phi)), np.ones((5, 4, 1)))
    invert(inverter, held.first(1), held.phi[:7])
    invert(inverter, held, held.phi[:7] * 1e6)


@INVERTERS
def test_what_is_held_is_left_as_it_was(inverter: Any) -> None:
    held, asked = known_rows(), known_rows(20, seed=1)
    before = held.inputs.copy(), held.phi.copy(), asked.phi.copy()
    invert(inverter, held, asked.phi)
    for was, now in zip(before, (held.inputs, held.phi, asked.phi), strict=True):
        np.testing.assert_array_equal(was, now)


def test_what_an_attacker_holds_is_looked_at() -> None:
    with pytest.raises(DesignError, match=r"holds no row"):
        KnownRows(np.zeros((0, 2)), np.zeros((0, 2, 1)))
    with pytest.raises(DesignError, match=r"one explanation"):
        KnownRows(np.zeros((3, 2)), np.zeros((4, 2, 1)))
    with pytest.raises(DesignError, match=r"finite"):
        KnownRows(np.zeros((3, 2)), np.full((3, 2, 1), np.nan))
