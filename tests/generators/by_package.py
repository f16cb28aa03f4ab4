"""The ctgan package's own models, trained from the seeds that riskkit's take."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib
import numpy as np
import pandas as pd
import torch

from riskkit.core import Table
from riskkit.generators.engines.deep import chance_from, from_frame, to_frame


class ByPackage:
    """A model of the package, trained on a table in this process and on one thread; ``kind`` is its class."""

    def __init__(self, kind: Any, table: Table, rng: np.random.Generator, **how: int) -> None:
        self.model, self.schema = kind(enable_gpu=False, **how), table.schema
        with self._chance(rng):
            self.model.fit(*to_frame(table))

    def frame(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """A release as the package makes it."""
        with self._chance(rng):
            return self.model.sample(n)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """A release."""
        return from_frame(self.frame(n, rng), self.schema)

    @contextmanager
    def _chance(self, rng: np.random.Generator) -> Iterator[None]:
        seed, other = int(rng.integers(2**32)), int(rng.integers(2**63 - 1))
        self.model.set_random_state((np.random.RandomState(seed), torch.Generator().manual_seed(other)))
        with joblib.parallel_config(backend="sequential"), chance_from(np.random.default_rng(0), self.model):
            yield
