"""Tables of the tests of target rules, and M worked out another way."""

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.table.encode import onehot
from tests.tables import from_frame, numeric


def hand() -> Table:
    """Four rows whose category and number do not vary together.

    "rare" holds in row 0 only: share 1/4, variance 3/16. The number has mean 0 and variance 1/2.
    """
    return from_frame(pd.DataFrame({"kind": ["rare", "often", "often", "often"], "number": [0, 0, 1, -1]}))


def school(n: int = 400, seed: int = 5) -> Table:
    """A grade as text and as number (twins), a region that follows from the town, and three unrelated columns."""
    rng = np.random.default_rng(seed)
    grade = rng.choice(6, n, p=[0.3, 0.25, 0.2, 0.15, 0.08, 0.02])
    town = rng.choice(5, n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    frame = pd.DataFrame(
        {
            "grade": np.array(["first", "second", "third", "fourth", "fifth", "sixth"])[grade],
            "grade number": grade + 1,
            "town": np.array(["Ayr", "Bude", "Crewe", "Deal", "Ely"])[town],
            "region": np.array(["west", "west", "east", "north", "east"])[town],
            "sex": rng.choice(["f", "m"], n),
            "age": np.round(rng.normal(40, 10, n)),
        }
    )
    return from_frame(frame)


def small_domain(seed: int = 3) -> Table:
    """40 rows of 3 x 3 x 2 levels and a number from 0 to 3, so that every record can be listed."""
    rng = np.random.default_rng(seed)
    a, b = rng.choice(3, 40, p=[0.6, 0.3, 0.1]), rng.choice(3, 40, p=[0.5, 0.4, 0.1])
    frame = {"a": np.array(list("pqr"))[a], "b": np.array(list("stu"))[b], "c": rng.choice(["v", "w"], 40)}
    table = from_frame(pd.DataFrame({**frame, "d": rng.integers(0, 4, 40)}))
    assert table.schema.column("d").high == 3
    return table


def all_records(table: Table) -> Table:
    """Every record whose categories are levels and whose numbers are steps of the domain."""
    levels = [range(len(column.levels)) for column in table.schema.categorical]
    steps = [np.arange(column.low, column.high + 1) for column in table.schema.numeric]
    codes = list(itertools.product(*levels, *steps))
    width = len(levels)
    return Table(table.schema, np.array([row[:width] for row in codes]), np.array([row[width:] for row in codes]))


def with_number(table: Table, name: str, values: Floats, decimals: int = 0) -> Table:
    """The table with one more number as its last column."""
    schema = Schema((*table.schema.columns, numeric(name, values, decimals)))
    return Table(schema, table.codes, np.column_stack([table.numbers, values]))


def with_category(table: Table, name: str, levels: tuple[str, ...], code: int) -> Table:
    """The table with one more category as its last column, the same in every row."""
    schema = Schema((*table.schema.columns, Column(name, Kind.CATEGORICAL, levels=levels)))
    return Table(schema, np.column_stack([table.codes, np.full(len(table), code)]), table.numbers)


def reference(table: Table, records: Table | None = None) -> Floats:
    """M by numpy's own covariance and the explicit inverse, without any guard."""
    rows = onehot(table)
    gap = onehot(table if records is None else records) - rows.mean(axis=0)
    return _length(gap, np.linalg.inv(np.cov(rows, rowvar=False, ddof=0)))


def unguarded(table: Table, records: Table) -> Floats:
    """M with a pseudo-inverse that takes rounding for variance: the fault that the guards are there to stop."""
    rows = onehot(table)
    gap = (onehot(records) - rows.mean(axis=0)) / rows.std(axis=0)
    return _length(gap, np.linalg.pinv(np.corrcoef(rows, rowvar=False), rcond=1e-30))


def _length(gap: Floats, inverse: npt.NDArray[Any]) -> Floats:
    return np.asarray(np.sqrt(np.abs(np.einsum("ij,jk,ik->i", gap, inverse, gap))))
