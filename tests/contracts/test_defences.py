"""What every defence of explanations keeps to: found by walking the folder, so a new file is tested by being there."""

from typing import Any

import numpy as np
import pytest

from riskkit.registry import parse, plugins, spell

DEFENCES = pytest.mark.parametrize("defence", [plugin() for plugin in plugins("defences").values()], ids=spell)
OWN = np.random.default_rng(0).normal(size=(200, 6, 3)) * np.array([1.0, 0.5, 2.0])
PHI = np.random.default_rng(1).normal(size=(50, 6, 3))


@DEFENCES
def test_publishes_as_many_rows_and_features_and_leaves_what_it_got(defence: Any) -> None:
    before = OWN.copy(), PHI.copy()
    fitted = defence.fit(OWN)
    published, again = (fitted.apply(PHI, np.random.default_rng(2)) for _ in range(2))
    assert published.shape[:2] == PHI.shape[:2]
    assert 1 <= published.shape[2] <= 3
    assert np.isfinite(published).all()
    assert published.tobytes() == again.tobytes()
    assert np.abs(published - PHI[:, :, : published.shape[2]]).max() > 0 or published.shape[2] < 3
    np.testing.assert_array_equal(OWN, before[0])
    np.testing.assert_array_equal(PHI, before[1])


@DEFENCES
def test_features_that_never_vary_do_no_harm(defence: Any) -> None:
    assert np.isfinite(defence.fit(np.zeros((20, 6, 3))).apply(PHI, np.random.default_rng(2))).all()


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_noise_has_the_size_it_is_said_to_have(name: str) -> None:
    noise = parse("defences", f"{name}:share=0.5").fit(OWN).apply(np.zeros((20_000, 6, 3)), np.random.default_rng(2))
    np.testing.assert_allclose(noise.std(axis=(0, 1)), 0.5 * OWN.std(axis=(0, 1)), rtol=0.02)
    np.testing.assert_allclose(noise.mean(axis=(0, 1)), 0, atol=0.02)
    kurtosis = (noise[:, :, 0] ** 4).mean() / (noise[:, :, 0] ** 2).mean() ** 2
    assert abs(kurtosis - {"laplace": 6.0, "gaussian": 3.0}[name]) < 0.3


def test_rounding_quantising_and_cutting_by_hand() -> None:
    phi = np.array([[[0.126], [-0.004], [0.5], [-0.9]]])
    rng = np.random.default_rng(0)
    assert parse("defences", "rounding:decimals=2").fit(phi).apply(phi, rng)[0, :, 0].tolist() == [0.13, 0.0, 0.5, -0.9]
    assert parse("defences", "top-k:k=2").fit(phi).apply(phi, rng)[0, :, 0].tolist() == [0.0, 0.0, 0.5, -0.9]
    own = np.array([0.0, 1.0])[:, None, None]
    steps = parse("defences", "quantising:bins=4").fit(own)
    quantised = steps.apply(np.array([-3.0, 0.0, 0.24, 0.26, 1.0, 9.0])[:, None, None], rng)
    assert quantised[:, 0, 0].tolist() == [0.125, 0.125, 0.125, 0.375, 0.875, 0.875]
    assert parse("defences", "fewer-classes:keep=2").fit(PHI).apply(PHI, rng).tobytes() == PHI[:, :, :2].tobytes()
