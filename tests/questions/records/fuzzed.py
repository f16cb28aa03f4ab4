"""Tables made by chance for the certificate: small ones of every kind there is, and larger ones with a rare chain."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskkit.core import MISSING, Column, Ints, Kind, Schema, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.generators.histogram import Histogram


def category(name: str, levels: int, *, missing: bool = False) -> Column:
    """A category of so many levels, the last of which stands for a missing value if asked."""
    texts = [f"level {level}" for level in range(levels)]
    if missing:
        texts[-1] = MISSING
    return Column(name, Kind.CATEGORICAL, levels=tuple(texts), has_missing=missing)


def number(name: str, values: int, *, missing: bool) -> Column:
    """A whole number of so many values."""
    return Column(name, Kind.NUMERIC, high=values - 1, mean=values / 2, sd=1.0, has_missing=missing)


def small(seed: int) -> Table:
    """Up to 14 rows of up to four columns.

    Columns lean on the one before, each other one, or none; a value can have values of its own below it, and one or two
    people a chain of values that nobody else has. There are numbers, missing values, constant columns, levels that
    nobody has and people who are alike.
    """
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 15)), int(rng.integers(1, 5))
    coded: list[Ints] = []
    for _ in range(d):
        size = int(rng.choice([1, 2, 2, 3, 4]))
        fresh = rng.integers(size, size=n)
        above = coded[int(rng.integers(len(coded)))] if coded else fresh
        kind = rng.choice(["fresh", "leaning", "copied", "nested"])
        if kind == "leaning":
            fresh = np.where(rng.random(n) < 0.8, above % size, fresh)
        elif kind == "copied":
            fresh = above % size
        elif kind == "nested":
            fresh = np.minimum(2 * above + rng.integers(2, size=n), 3)
        coded.append(fresh)
    if rng.random() < 0.4:
        people = int(rng.integers(1, 3))
        for codes in coded:
            codes[: people if rng.random() < 0.7 else 1] = min(codes.max() + 1, 4)
    if rng.random() < 0.4:
        alike = rng.integers(n, size=int(rng.integers(1, 4)))
        for codes in coded:
            codes[alike] = codes[alike[0]]
    columns: list[Column] = []
    codes, numbers = np.empty((n, 0), dtype=np.int32), np.empty((n, 0))
    for j, values in enumerate(coded):
        missing = bool(rng.random() < 0.3)
        width = int(values.max()) + 1 + int(rng.integers(2))
        if rng.random() < 0.3:
            columns.append(number(f"column {j}", width, missing=missing))
            numbers = np.column_stack([numbers, np.where(missing & (rng.random(n) < 0.2), np.nan, values)])
        else:
            columns.append(category(f"column {j}", width, missing=missing))
            codes = np.column_stack([codes, values]).astype(np.int32)
    return Table(Schema(tuple(columns)), codes, numbers)


def method(seed: int) -> tuple[Any, int]:
    """A tree, with a pseudo-count or without, or columns by themselves; and how many rows are released."""
    rng = np.random.default_rng([seed, 1])
    n = int(rng.integers(1, 6))
    if rng.random() < 0.25:
        return Histogram(), n
    pseudo = float(rng.choice([0, 0, 0, 0.001, 0.1, 1, 5]))
    return BayesNet(bins=int(rng.choice([2, 3, 10])), smoothing=pseudo), n


def rare_chain(seed: int, rows: int) -> Table:
    """A chain of columns, each finer than the one before, in which a few people have values that nobody else has.

    Of those up to five share the first value, fewer of them the second, and so on to one; the others live on ordinary
    chains, and up to three columns are noise.
    """
    rng = np.random.default_rng([seed, 2])
    depth = int(rng.integers(2, 5))
    rare = np.sort(rng.integers(1, 6, size=depth))[::-1]
    codes = [rng.integers(int(rng.integers(2, 21)), size=rows)]
    for _ in range(1, depth):
        parts = int(rng.integers(2, 5))
        finer = codes[-1] * parts + rng.integers(parts, size=rows)
        many = int(rng.integers(4, 30))
        codes.append(np.where(rng.random(rows) < 0.8, finer % many, rng.integers(many, size=rows)))
    for own, people in zip(codes, rare.tolist(), strict=True):
        own[:people] = own.max() + 1
    codes += [rng.integers(int(rng.integers(2, 6)), size=rows) for _ in range(int(rng.integers(4)))]
    return of_categories(codes)


def of_categories(codes: Sequence[Ints]) -> Table:
    """A table of categories from the codes of each column."""
    columns = tuple(category(f"column {j}", int(own.max()) + 1) for j, own in enumerate(codes))
    return Table(Schema(columns), np.column_stack(codes).astype(np.int32), np.empty((len(codes[0]), 0)))
