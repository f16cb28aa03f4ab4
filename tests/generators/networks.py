"""Tables of categories that lean on each other, for tests of networks."""

from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from riskkit.core import Codes, Column, Kind, Schema, Table


def coded(n: int, sizes: tuple[int, ...], seed: int) -> Codes:
    """Random codes in which each column leans on the one before."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(sizes[0], size=n)]
    for size in sizes[1:]:
        copied = rng.random(n) < rng.random()
        columns.append(np.where(copied, columns[-1] % size, rng.integers(size, size=n)))
    return np.column_stack(columns).astype(np.int32)


def leaning(n: int, seed: int, levels: tuple[int, ...] = (3, 2, 4, 3, 2)) -> Table:
    """Random categories in which each column leans on the one before; the last level of each is in no row."""
    codes = coded(n, levels, seed)
    columns = tuple(
        Column(f"column {j}", Kind.CATEGORICAL, levels=tuple(f"level {code}" for code in range(size + 1)))
        for j, size in enumerate(levels)
    )
    return Table(Schema(columns), codes, np.empty((n, 0)))


def whole_domain(table: Table) -> Table:
    """Every row of the levels of the schema and the numbers of the table."""
    levels = [range(len(column.levels)) for column in table.schema.categorical]
    rows, d = list(product(*levels, *map(np.unique, table.numbers.T))), len(levels)
    return Table(table.schema, [row[:d] for row in rows], np.array([row[d:] for row in rows], dtype=float))


def p_of_releases(fitted: Any, table: Table, n: int, off: float = 1e-9) -> float:
    """The p-value of ``n`` released rows under the probabilities that the fit gives to the whole domain.

    These must sum to 1, but for ``off``.
    """
    domain = whole_domain(table)
    chance = np.exp(fitted.log_prob(domain))
    assert abs(chance.sum() - 1) < off
    place = {key.tobytes(): i for i, key in enumerate(domain.keys())}
    keys = fitted.sample(n, np.random.default_rng(3)).keys()
    seen, expected = np.bincount([place[key.tobytes()] for key in keys], minlength=len(domain)), n * chance
    often = expected >= 5
    pairs = [*zip(seen[often], expected[often], strict=True), (seen[~often].sum(), expected[~often].sum())]
    return float(stats.chi2.sf(sum((s - e) ** 2 / e for s, e in pairs if e > 0), len(pairs) - 1))
