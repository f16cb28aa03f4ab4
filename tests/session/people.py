"""Made-up people as data frames, with cells that nothing else would print."""

import numpy as np
import pandas as pd


def people(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """Two numbers that go together, a place and a yes or no."""
    rng = np.random.default_rng(seed)
    pay = rng.normal(50_000, 1_200, n).round(1)
    return pd.DataFrame(
        {
            "pay": pay,
            "tax": (2 * pay + rng.normal(0, 100, n)).round(1),
            "place": rng.choice(["norfolkia", "suffolkia", "essexia"], n),
            "member": np.where(rng.random(n) < 0.3, "yessir", "nossir"),
        }
    )


def adult_like(n: int = 200, seed: int = 0) -> pd.DataFrame:
    """What a table of people holds: whole numbers, missing ones, categories, booleans and dates."""
    rng = np.random.default_rng(seed)
    kids = pd.Series(rng.integers(0, 4, n), dtype="Int64")
    kids[rng.random(n) < 0.1] = pd.NA
    return pd.DataFrame(
        {
            "age": rng.integers(17, 90, n),
            "hours": np.where(rng.random(n) < 0.1, np.nan, rng.integers(1, 99, n)),
            "gain": rng.gamma(2, 1000, n).round(2),
            "job": pd.Categorical(rng.choice(["Sales", "Tech-support", None, 'Craft, "repair"'], n)),
            "insured": rng.random(n) < 0.5,
            "seen": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "kids": kids,
        }
    )
