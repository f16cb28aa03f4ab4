"""Tables whose anonymised rows can be counted by hand, and what an anonymiser makes of them."""

from typing import Any

import numpy as np

from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.generators.engines.anonymise import Anonymised

NAN = float("nan")
CERTAIN = 1e-6
"""A right law is refused less often than this; a planted fault must be refused at it."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def made(codes: list[list[int]], numbers: list[list[float]], levels: tuple[str, ...] = ("a", "b", "c")) -> Table:
    """A table whose frozen domain is wider than its rows: categories of ``levels``, whole numbers from 0 to 100."""
    n_codes, n_numbers = len(codes[0]) if codes else 0, len(numbers[0]) if numbers else 0
    missing = np.isnan(np.array(numbers)).any(axis=0) if numbers else []
    columns = [
        Column(f"c{i}", Kind.CATEGORICAL, levels=levels, has_missing=MISSING in levels) for i in range(n_codes)
    ] + [
        Column(f"x{i}", Kind.NUMERIC, low=0, high=100, mean=50, sd=10, has_missing=bool(missing[i]))
        for i in range(n_numbers)
    ]
    n = max(len(codes), len(numbers))
    return Table(
        Schema(tuple(columns)),
        np.array(codes, dtype=np.int32).reshape(n, n_codes),
        np.array(numbers, dtype=float).reshape(n, n_numbers),
    )


def column_of(values: list[float]) -> Table:
    """A table of one number column."""
    return made([], [[value] for value in values])


def whole(plugin: Any, table: Table, seed: int = 0) -> Table:
    """All anonymised rows in the order of the real ones."""
    fitted: Anonymised = plugin.fit(table, rng(seed))
    return fitted.whole(rng(seed + 1))


def numbers_of(plugin: Any, values: list[float]) -> list[float]:
    out: list[float] = whole(plugin, column_of(values)).numbers[:, 0].tolist()
    return out
