"""A steward's Python objects for the tests, with ``fit`` and ``sample`` as SDV has them."""

import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

CANARY = "quokka-canary"


class Bootstrap:
    """Draws rows by numpy's global state."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data

    def sample(self, num_rows: int) -> pd.DataFrame:
        print(CANARY)  # noqa: T201  what a model prints must not reach the JSON of the command line
        return self.data.iloc[np.random.randint(len(self.data), size=num_rows)]


class Plain(Bootstrap):
    """Draws rows by Python's global state, in its fit already; takes ``n``."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data.iloc[random.choices(range(len(data)), k=len(data))]

    def sample(self, n: int) -> pd.DataFrame:
        return self.data.iloc[random.choices(range(len(self.data)), k=n)]


class Loud(Bootstrap):
    """Writes where compiled code writes, past Python."""

    def sample(self, num_rows: int) -> pd.DataFrame:
        for pipe in (1, 2):
            os.write(pipe, CANARY.encode())
        return super().sample(num_rows)


class Sleeps(Bootstrap):
    """Tells the number of its process, and takes its time."""

    def sample(self, num_rows: int) -> pd.DataFrame:
        Path(os.environ["OWN_NOTE"]).write_text(str(os.getpid()), encoding="utf-8")
        time.sleep(300)
        return super().sample(num_rows)


class WithTorch(Bootstrap):
    """Draws rows by torch's global state."""

    def sample(self, num_rows: int) -> pd.DataFrame:
        import torch

        return self.data.iloc[torch.randint(len(self.data), (num_rows,)).numpy()]


class FixedLikeSdv(Bootstrap):
    """Starts every release from one fixed seed unless it is told otherwise, and only a fitted one can be told."""

    model: Any = None
    is_seeded = False

    def fit(self, data: pd.DataFrame) -> None:
        self.data, self.model = data, np.random.RandomState(1)

    def _set_random_state(self, seed: int) -> None:
        self.model.seed(seed)
        self.is_seeded = True

    def sample(self, num_rows: int) -> pd.DataFrame:
        if not self.is_seeded:
            self._set_random_state(73251)
        return self.data.iloc[self.model.randint(len(self.data), size=num_rows)]


def factory() -> Bootstrap:
    return Bootstrap()


instance = Bootstrap()


class Breaks(Bootstrap):
    def fit(self, data: pd.DataFrame) -> None:
        raise ValueError(f"{CANARY} cannot be understood")


class BreaksLater(Bootstrap):
    def sample(self, num_rows: int) -> pd.DataFrame:
        raise ValueError(f"{CANARY} cannot be understood")


class NeedsMetadata(Bootstrap):
    def __init__(self, metadata: object) -> None:
        self.metadata = metadata


class Listed(Bootstrap):
    def sample(self, num_rows: int) -> Any:
        return [CANARY] * num_rows


class MakesUp(Bootstrap):
    def sample(self, num_rows: int) -> pd.DataFrame:
        frame = super().sample(num_rows).reset_index(drop=True)
        frame.loc[3, "ward"] = CANARY
        return frame


class Short(Bootstrap):
    def sample(self, num_rows: int) -> pd.DataFrame:
        return super().sample(num_rows - 1)


def maker_of_nothing() -> object:
    return object()


number = 3
