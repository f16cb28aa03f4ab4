"""The facts of a column of numbers do not depend on the order of the rows."""

import numpy as np
import pytest

from riskkit.table.kinds.numbers import numeric_column


@pytest.mark.parametrize("weighted", [True, False])
def test_mean_and_spread_have_the_same_bits_in_every_order(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=400) * 10.0 ** rng.integers(-8, 8, 400), 2)
    weights = rng.integers(1, 9, 800).astype(float) if weighted else None
    moments, averaged = set(), set()
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(800)
        weighing = None if weights is None else weights[order]
        column = numeric_column("x", values[order], weighing, written=values, has_missing=False)
        moments.add((column.mean.hex(), column.sd.hex()))
        averaged.add(float(np.average(values[order], weights=weighing)).hex())
    assert len(moments) == 1
    assert len(averaged) > 1  # the plain mean would leave a trace
