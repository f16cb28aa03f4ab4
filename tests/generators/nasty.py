"""Small tables on which trees go wrong first: ties, copies, rare levels, constants, numbers that are mostly missing."""

import numpy as np

from riskkit.core import MISSING, Column, Floats, Ints, Kind, Schema, Table


def nasty(seed: int) -> Table:
    """Two to sixty rows of two to six columns, by chance."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 61))
    columns: list[Column] = []
    codes: list[Ints] = []
    numbers: list[Floats] = []
    for index in range(int(rng.integers(2, 7))):
        if rng.random() < 0.5:
            levels = int(rng.integers(1, 9))
            own = np.minimum(rng.geometric(rng.uniform(0.2, 0.9), n) - 1, levels - 1)
            own = _leaning(own, codes, levels, rng)
            has_missing = bool(rng.random() < 0.3)
            names = tuple(f"level {level}" for level in range(levels)) + ((MISSING,) if has_missing else ("in no row",))
            own = np.where(has_missing & (rng.random(n) < 0.1), levels, own)
            columns.append(Column(f"column {index}", Kind.CATEGORICAL, levels=names, has_missing=has_missing))
            codes.append(own)
            continue
        columns.append(_number(f"column {index}", n, codes, numbers, rng))
    shape = np.column_stack(codes).astype(np.int32) if codes else np.empty((n, 0), dtype=np.int32)
    table = Table(Schema(tuple(columns)), shape, np.column_stack(numbers) if numbers else np.empty((n, 0)))
    if rng.random() < 0.5:  # copies of people
        table = table.rows(np.sort(rng.integers(n, size=n)))
    return table


def _leaning(own: Ints, codes: list[Ints], levels: int, rng: np.random.Generator) -> Ints:
    """Half of the time the column follows an earlier one, now and then exactly."""
    if not codes or rng.random() < 0.5:
        return own
    followed = codes[int(rng.integers(len(codes)))] % levels
    return np.where(rng.random(len(own)) < rng.choice([0.5, 0.9, 1.0]), followed, own)


def _number(name: str, n: int, codes: list[Ints], numbers: list[Floats], rng: np.random.Generator) -> Column:
    """A number of one of several kinds, added to ``numbers``: counts, tenths, huge ones, nearly constant ones."""
    decimals = int(rng.choice([0, 0, 1, 9]))
    unit = 10.0**-decimals
    values = {
        0: rng.integers(0, 4, n) * unit,
        1: np.round(rng.normal(0, 20, n)) * unit,
        2: 1e12 * (decimals == 0) + np.arange(n) % 7 * unit,
        3: np.where(rng.random(n) < 0.8, 0.0, rng.integers(1, 1_000, n) * unit),
    }[int(rng.integers(4))]
    if codes and rng.random() < 0.5:
        values = values + codes[-1] * 3 * unit
    values = np.round(values, decimals)
    missing = rng.random(n) < rng.choice([0.0, 0.2, 0.9])
    low, high = float(values.min()), float(values.max())
    mean = float(values.mean())
    numbers.append(np.where(missing, np.nan, values))
    return Column(
        name, Kind.NUMERIC, low=low, high=high, mean=mean, sd=1.0, decimals=decimals, has_missing=bool(missing.any())
    )
