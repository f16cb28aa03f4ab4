"""Tables for tests: small made ones, and Adult where the shared data folder is there.

They are built straight from arrays, so a fault in the reader cannot hide in them.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from riskkit.core import MISSING, Column, Floats, Kind, Schema, Table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

needs_adult = pytest.mark.skipif(
    not (DATA / "adult").is_dir(), reason="the Adult table (shared/data/adult) is not on this machine"
)


def numeric(name: str, values: Floats, decimals: int = 0) -> Column:
    """A numeric column whose domain is that of ``values``."""
    return Column(
        name,
        Kind.NUMERIC,
        low=float(np.nanmin(values)),
        high=float(np.nanmax(values)),
        mean=float(np.nanmean(values)),
        sd=float(np.nanstd(values)),
        decimals=decimals,
        has_missing=bool(np.isnan(values).any()),
    )


def from_frame(frame: pd.DataFrame) -> Table:
    """A table from a frame: text columns are categories in sorted order, numbers are whole numbers."""
    columns: list[Column] = []
    codes, numbers = [], []
    for name in frame.columns:
        series = frame[name]
        if pd.api.types.is_numeric_dtype(series):
            values = series.to_numpy(dtype=float)
            columns.append(numeric(str(name), values))
            numbers.append(values)
        else:
            levels = tuple(sorted(series.unique()))
            columns.append(Column(str(name), Kind.CATEGORICAL, levels=levels))
            codes.append(pd.Categorical(series, categories=list(levels)).codes)
    n = len(frame)
    return Table(
        Schema(tuple(columns)),
        np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.int32),
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
    )


@cache
def adult_frame() -> pd.DataFrame:
    """Adult's 45,222 complete rows in canonical order (train first); the first 30,162 are the train part."""
    parts = [
        pd.read_csv(DATA / "adult" / name, keep_default_na=False) for name in ("adult_train.csv.gz", "adult_test.csv")
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame[~(frame == "?").any(axis=1)].reset_index(drop=True)


@cache
def adult(rows: int = 30_162, drop: tuple[str, ...] = ()) -> Table:
    """The first complete rows of Adult without the columns in ``drop``."""
    return from_frame(adult_frame().iloc[:rows].drop(columns=list(drop)))


def mixed(n: int = 300, seed: int = 0, *, missing: bool = True) -> Table:
    """A small mixed table: two dependent categories, two numbers, missing values in one of each kind."""
    rng = np.random.default_rng(seed)
    ward = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    smoker = (rng.random(n) < 0.2 + 0.2 * ward).astype(np.int32)
    age = np.clip(np.round(50 + 8 * ward + 12 * rng.standard_normal(n)), 18, 99)
    score = np.round(rng.gamma(2.0, 1.5, n) + 0.02 * age, 1)
    ward_levels: tuple[str, ...] = ("east", "north", "south", "west")
    if missing:
        ward = np.where(rng.random(n) < 0.05, 4, ward)
        score[rng.random(n) < 0.1] = np.nan
        ward_levels = (*ward_levels, MISSING)
    columns = (
        Column("ward", Kind.CATEGORICAL, levels=ward_levels, has_missing=missing),
        numeric("age", age),
        Column("smoker", Kind.CATEGORICAL, levels=("no", "yes")),
        numeric("score", score, decimals=1),
    )
    return Table(Schema(columns), np.column_stack([ward, smoker]), np.column_stack([age, score]))
