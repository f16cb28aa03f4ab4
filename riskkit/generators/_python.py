"""Using the steward's Python object: loading it, its table, its chance."""

from __future__ import annotations

import copy
import io
import os
import pkgutil
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.table.write import to_csv

T = TypeVar("T")


def load(where: str) -> Any:
    """The object of that name, ``package.module:Name``.

    Raises
    ------
    DesignError
        It cannot be imported, or is nothing that could be fitted.
    """
    try:
        found = pkgutil.resolve_name(where)
    except Exception as error:
        raise DesignError(
            f"The Python object {where} cannot be loaded: {type(error).__name__}. Install its package, or start "
            "riskkit in the folder that holds it."
        ) from error
    if not callable(found) and not _is_model(found):
        raise DesignError(f"The Python object {where} is neither a class, nor a function, nor has it fit and sample.")
    return found


def _is_model(found: Any) -> bool:
    return all(callable(getattr(found, method, None)) for method in ("fit", "sample"))


def made(found: Any, where: str) -> Any:
    """A model that nothing was fitted to yet: of a class or function what it makes, else a copy of the object.

    Raises
    ------
    DesignError
        It cannot be made without arguments, or has no ``fit`` and ``sample``.
    """
    is_maker = isinstance(found, type) or not _is_model(found)
    model = asked(where, "making", found) if is_maker else asked(where, "copying", copy.deepcopy, found)
    if not _is_model(model):
        raise DesignError(f"The Python object {where} makes something without fit and sample; give it both.")
    return model


def asked(where: str, what: str, call: Callable[..., T], *given: Any) -> T:
    """What the call returns; what it prints is not kept, because that may be cells of the table.

    Raises
    ------
    DesignError
        It raised; the kind of the error is told, its text is not.
    """
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            return call(*given)
    except Exception as error:  # noqa: BLE001  its text may hold a cell; its kind may not
        kind = type(error).__name__
    raise DesignError(
        f"The Python object {where} stopped in {what} with {kind}. What it said is not shown, because that may be "
        "values of the table: try it in Python on a table of your own to read it."
    )


def to_frame(table: Table) -> pd.DataFrame:
    """The table as pandas reads its file: numbers as numbers, everything else as text, missing values as NaN."""
    kinds: dict[str, Any] = {}
    for column in table.schema.modelled:
        whole = column.decimals == 0 and not column.has_missing
        is_number = column.is_numeric and not column.date_format
        kinds[column.name] = (np.int64 if whole else np.float64) if is_number else str
    return pd.read_csv(
        io.BytesIO(to_csv(table)),
        dtype=kinds,
        keep_default_na=False,
        na_values=[""],
        skip_blank_lines=False,
        float_precision="round_trip",
    )


def to_bytes(frame: Any, where: str) -> bytes:
    """The rows that a model returned as CSV.

    Raises
    ------
    DesignError
        They are no DataFrame.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DesignError(f"The Python object {where} returned no DataFrame from sample; let it return one.")
    return frame.to_csv(index=False, lineterminator="\n").encode(errors="replace")


def reseed(model: Any, seed: int, *, is_fitted: bool) -> None:
    """Hand the seed to a model that keeps a random state of its own.

    ctgan and its kin have ``set_random_state``. SDV's synthesizers start every release from one fixed seed unless
    ``_set_random_state`` is called, so that all their trainings would share their noise; they take it when fitted.
    """
    names = ("set_random_state", "_set_random_state") if is_fitted else ("set_random_state",)
    for name in names:
        if callable(setter := getattr(model, name, None)):
            setter(seed)
            return


@contextmanager
def global_chance(rng: np.random.Generator) -> Iterator[int]:
    """Seed the global states that models draw from, and leave each as it was; the seed is handed on.

    Those are Python's, numpy's and, where it is loaded, torch's.
    """
    seed = int(rng.integers(2**32))
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002  the states that others' code draws from
    with ExitStack() as stack:
        if torch := sys.modules.get("torch"):
            devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
            stack.enter_context(torch.random.fork_rng(devices))
            torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield seed
        finally:
            random.setstate(python)
            np.random.set_state(legacy)  # noqa: NPY002
