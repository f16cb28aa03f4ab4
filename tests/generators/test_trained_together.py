"""Networks that are trained side by side: each learns its own table and no other."""

import numpy as np
import pytest

pytest.importorskip("ctgan", reason="PyTorch and the ctgan package are not installed: pip install 'riskkit[deep]'")

from riskkit.core import Column, Kind, Schema, Table
from riskkit.generators.ctgan import Ctgan

SCHEMA = Schema(tuple(Column(name, Kind.CATEGORICAL, levels=("0", "1", "2")) for name in "ab"))


def table(seed: int) -> Table:
    """Forty rows of the same levels; the others of other shares."""
    codes = np.random.default_rng(seed).choice(3, size=(40, 2), p=np.roll([0.8, 0.1, 0.1], seed))
    codes[:3] = np.arange(3)[:, None]
    return Table(SCHEMA, codes, np.empty((40, 0)))


def test_each_of_two_networks_comes_to_what_it_learns_alone() -> None:
    """After the same draws, from rows of the same table."""
    tables, method = [table(0), table(1)], Ctgan(epochs=3, batch_size=20)
    together = method.fit_together(tables, [np.random.default_rng(seed) for seed in (5, 6)])
    for seed, own, fitted in zip((5, 6), tables, together, strict=True):
        alone = method.fit(own, np.random.default_rng(seed))
        there, here = (fit.model.network.state_dict() for fit in (alone, fitted))  # type: ignore[attr-defined]
        last = [name for name in there if name.endswith("weight")][-1]
        np.testing.assert_allclose(here[last].numpy(), there[last].numpy(), atol=2e-5)
