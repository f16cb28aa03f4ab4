"""What the neural methods share: tables in and out, and where their chance comes from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from riskkit.base.extras import require
from riskkit.base.threads import single_thread
from riskkit.core import Fitted, Floats, Schema, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import to_domain

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 10
"""Rows below which the package's mixture of ten normal distributions a number has nothing to stand on."""
TOGETHER = 16
"""Models that are trained side by side on a device."""
SHORT = "bfloat16"
"""The precision that is not the package's."""
LICENCE = (
    "Licence: ctgan and rdt are under the Business Source License 1.1 (BUSL-1.1), which does not allow a commercial "
    "service that makes synthetic data for others."
)


def precision_setting() -> Any:
    """The setting in which precision products are made."""
    return parameter(
        "float32",
        label="Precision",
        help="The package multiplies with 24 bits (float32). With 8 bits (bfloat16) a training is quicker where the "
        "processor or the device has such products, and slower elsewhere; its networks differ by more than rounding.",
        choices={"float32": "24 bits, as the package", SHORT: "8 bits"},
    )


def has_cuda() -> bool:
    """Whether training can use a CUDA device; not where PyTorch is missing, which training itself says."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def batch_size() -> int:
    """How many models are trained together: one on a processor, whose products cost as much together as apart."""
    return TOGETHER if has_cuda() else 1


Trainer = tuple[Callable[[int], Any], Callable[[Sequence[Any]], object]]
"""What makes a model for a table of so many rows, and what trains several models together."""


class TrainedTogether(CheckedPlugin, ABC):
    """A neural method: it is trained on several tables side by side, and on one as on several.

    ``short_name`` is what a sentence calls it that asks for its libraries.
    """

    short_name: ClassVar[str]
    heavy: ClassVar[bool] = True

    @classmethod
    def check_ready(cls) -> None:
        """Raise :class:`MissingLibrary` where PyTorch or the ctgan package is not installed."""
        require("deep", cls.short_name)

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Train on the table.

        Raises
        ------
        DesignError
            The table has fewer than 10 rows or no column.
        MissingLibrary
            PyTorch, or the package that the method comes from, is not installed.
        """
        return self.fit_together([table], [rng])[0]

    @staticmethod
    def at_once() -> int:
        """How many trainings are made side by side: several where a CUDA device is."""
        return batch_size()

    def fit_together(self, tables: Sequence[Table], rngs: Sequence[np.random.Generator]) -> list[Fitted]:
        """Train on each table as :meth:`fit` does, with one product for all networks; it raises what that raises."""
        self.check_ready()
        model, learn = self.trainer()
        return train([model(len(table)) for table in tables], tables, rngs, learn)

    @abstractmethod
    def trainer(self) -> Trainer:
        """What makes and trains its models; loads what it needs."""


class OnDevice:
    """A model on a device: the one that is named, else a CUDA device where one is."""

    network: Any
    """What makes rows, once training has begun."""

    def set_device(self, device: str = "") -> None:
        """Where it trains and draws; one that travelled here from another process has chosen by its own rule."""
        import torch

        self.device = torch.device(device or ("cuda" if has_cuda() else "cpu"))
        if hasattr(self, "network"):
            self.network.to(self.device)


class DeepModel(OnDevice):
    """What models through the ctgan package have in common: how long they train, and from which chance."""

    seed = 0
    """Where the draws of numpy begin: the package has these beside those of torch."""

    def __init__(self, epochs: int, batch_size: int, device: str = "") -> None:
        self.epochs, self.batch_size = epochs, batch_size
        self.set_device(device)


def train(
    models: Sequence[Any],
    tables: Sequence[Table],
    rngs: Sequence[np.random.Generator],
    learn: Callable[[Sequence[Any]], object],
) -> list[Fitted]:
    """Train each model on its table with chance of its own, on one thread.

    ``learn`` trains models of one shape together. Mixtures of numbers may differ from table to table in how many
    distributions they have, so there may be several shapes.

    Raises
    ------
    DesignError
        A table has fewer than :data:`LEAST_ROWS` rows, or no column.
    """
    shapes: dict[Hashable, list[Any]] = {}
    for model, table, rng in zip(models, tables, rngs, strict=True):
        frame, discrete = _learnable(table)
        with chance_from(rng, model):
            begun = model.begin(frame, discrete)
        shapes.setdefault(begun.shape, []).append(begun)
    with _single_thread():
        for together in shapes.values():
            learn(together)
    return [FittedDeep(table.schema, model) for model, table in zip(models, tables, strict=True)]


def _learnable(table: Table) -> tuple[pd.DataFrame, list[str]]:
    """The table as a model wants it, once it is sure that something can be learnt from it."""
    if len(table) < LEAST_ROWS:
        raise DesignError.phrase(
            "This generator needs at least {least} rows to train on; the table has {rows}.",
            least=LEAST_ROWS,
            rows=len(table),
        )
    frame, discrete = to_frame(table)
    if frame.columns.empty:
        raise DesignError.phrase("This generator needs at least one column to learn; every column is ignored or an id.")
    return frame, discrete


@dataclass(frozen=True, slots=True, eq=False)
class FittedDeep:
    """A model, trained."""

    schema: Schema
    model: Any

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows; only levels that the fitted table holds, numbers rounded and clipped to the frozen domain."""
        import torch

        with chance_from(rng, self.model), torch.no_grad():
            self.model.set_device()
            return from_frame(self.model.sample(n), self.schema)

    def familiarity(self, table: Table, rng: np.random.Generator) -> Floats:
        """(n,) how well the trained network knows each row, from its inside: higher for what it has learnt."""
        import torch

        with chance_from(rng, self.model), torch.no_grad():
            self.model.set_device()
            known: Floats = self.model.familiarity(to_frame(table)[0])
            return known


@contextmanager
def chance_from(rng: np.random.Generator, model: Any) -> Iterator[None]:
    """Let the model draw from ``rng`` alone, on one thread, and leave every global as it was.

    One thread, because more would change the last bits of sums and slow down trainings that run side by side. Only
    models through the ctgan package draw from a state of numpy's too.
    """
    import torch

    devices = [torch.cuda.current_device()] if has_cuda() else []
    if isinstance(model, DeepModel):
        model.seed = int(rng.integers(2**32))  # numpy's legacy seeds end there; torch gets a longer one
    seed = int(rng.integers(2**63 - 1))
    with torch.random.fork_rng(devices), _single_thread():
        torch.manual_seed(seed)
        yield


@contextmanager
def _single_thread() -> Iterator[None]:
    """Let torch and all else that computes use one thread within the block."""
    import torch

    threads = torch.get_num_threads()
    with single_thread():
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def to_frame(table: Table) -> tuple[pd.DataFrame, list[str]]:
    """The table as the package wants it, and the names of its discrete columns.

    Columns get names of our own, so that no header can clash with those the package makes. A number that can be
    missing has a discrete column beside it that says so, and holds the mean of its domain where it is missing.
    """
    import pandas as pd

    categories = {f"code{j}": table.codes[:, j].astype(np.int64) for j in range(table.codes.shape[1])}
    gaps, numbers = {}, {}
    for j, column in enumerate(table.schema.numeric):
        values = table.numbers[:, j]
        missing = np.isnan(values)
        numbers[f"number{j}"] = np.where(missing, column.mean, values)
        if column.has_missing:
            gaps[f"gap{j}"] = missing.astype(np.int64)
    return pd.DataFrame({**categories, **gaps, **numbers}), [*categories, *gaps]


def from_frame(frame: pd.DataFrame, schema: Schema) -> Table:
    """The table that a frame in the form of :func:`to_frame` stands for, inside the frozen domain."""
    codes = np.empty((len(frame), len(schema.categorical)), dtype=np.int32)
    numbers = np.empty((len(frame), len(schema.numeric)))
    for j in range(codes.shape[1]):
        codes[:, j] = frame[f"code{j}"]
    for j, column in enumerate(schema.numeric):
        numbers[:, j] = to_domain(frame[f"number{j}"].to_numpy(dtype=float), column)
        if column.has_missing:
            numbers[frame[f"gap{j}"].to_numpy() == 1, j] = np.nan
    return Table(schema, codes, numbers)
