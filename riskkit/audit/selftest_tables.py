"""The made-up people of the self-test, in files that were read: everything goes the way a user's files go."""

from __future__ import annotations

import numpy as np

from riskkit.seeds import stream
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv

SEED = 2026


def people(n: int, *labels: str) -> dict[str, list[str]]:
    """A table of people whose columns hang together: age, height, ward, illness."""
    rng = stream(SEED, "selftest", *labels)
    age = rng.integers(18, 91, n)
    height = np.round(rng.normal(170, 9, n), 1)
    ward = rng.choice(["medical", "surgical", "intensive", "day care"], n, p=[0.5, 0.3, 0.1, 0.1])
    sick = rng.random(n) < np.where(age > 60, 0.6, 0.2)
    illness = np.where(sick, rng.choice(["heart", "lung", "cancer"], n), rng.choice(["injury", "infection"], n))
    columns = {"age": age, "height": height, "ward": ward, "illness": illness}
    return {name: [str(value) for value in values] for name, values in columns.items()}


def load_tables(real: dict[str, list[str]], release: dict[str, list[str]], holdout: dict[str, list[str]]) -> Tables:
    """The three as files that were read: everything goes the way a user's files go."""
    files = {"real.csv": real, "release.csv": release, "holdout.csv": holdout}
    texts = [read_csv(as_csv(columns), name=name) for name, columns in files.items()]
    return load(*texts)


def as_csv(columns: dict[str, list[str]]) -> bytes:
    """The columns as the bytes of a CSV; no cell needs quotes."""
    lines = [",".join(columns), *(",".join(cells) for cells in zip(*columns.values(), strict=True))]
    return "\n".join(lines).encode()


def mix(columns: dict[str, list[str]], other: dict[str, list[str]], share: float, name: str) -> dict[str, list[str]]:
    """The second table with that share of its rows replaced by rows of the first, in an order of its own."""
    n = len(next(iter(columns.values())))
    rng = stream(SEED, "selftest", name)
    copied = rng.permutation(n)[: round(share * n)]
    order = rng.permutation(n)
    rows = [(columns, int(row)) for row in copied] + [(other, row) for row in range(n - len(copied))]
    return {key: [rows[row][0][key][rows[row][1]] for row in order] for key in columns}
