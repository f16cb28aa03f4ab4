"""Who is alone in a crowd by a few columns, and stands in the release with the same values there.

A person is alone by some columns if nobody else of the crowd, real or holdout, has the same values. Were members
compared with members alone, the larger table would have fewer people who are alone. That a release holds values which
only one person has is what synthpop calls a replicated unique; here people who were not in are counted beside those who
were.

References
----------
.. [1] Raab, Nowok, Dibben 2024, Practical privacy metrics for synthetic data (replicated uniques).
.. [2] Article 29 Working Party, Opinion 05/2014 on anonymisation techniques (WP216).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools
from riskkit.games.mixture import MixedCrowd
from riskkit.table.encode import layout

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """Every column in use as whole numbers, people first and released rows after them.

    ``exact`` (d, n) are values as they are written. ``coarse`` (d, n) has a number column of more than ``groups``
    different values in so many groups of about as many people each, others as they are; ``is_coarse`` (d,) says which.
    ``names`` are the columns, ``people`` how many rows are people's.
    """

    names: tuple[str, ...]
    exact: Numbers
    coarse: Numbers
    is_coarse: Bools
    people: int

    @classmethod
    def code(cls, crowd: MixedCrowd, columns: Sequence[str], groups: int) -> CodedRows:
        """Those columns of that crowd and its release."""
        schema, people = crowd.people.schema, len(crowd.people)
        blocks = [block for block in layout(schema) if block.column.name in columns]
        exact = np.empty((len(blocks), people + len(crowd.release)), dtype=np.int64)
        coarse, is_coarse = np.empty_like(exact), np.zeros(len(blocks), dtype=bool)
        for index, block in enumerate(blocks):
            if not block.column.is_numeric:
                exact[index] = np.concatenate([table.codes[:, block.source] for table in (crowd.people, crowd.release)])
                coarse[index] = exact[index]
                continue
            values = np.concatenate([table.numbers[:, block.source] for table in (crowd.people, crowd.release)]) + 0.0
            different, exact[index] = np.unique(values, return_inverse=True)
            is_coarse[index] = np.isfinite(different).sum() > groups
            coarse[index] = _quantile_groups(values, people, groups) if is_coarse[index] else exact[index]
        return cls(tuple(block.column.name for block in blocks), exact, coarse, is_coarse, people)


def _quantile_groups(values: npt.NDArray[np.float64], people: int, groups: int) -> Numbers:
    """(n,) the group of each value, by quantiles of the people; a missing one is a group of its own."""
    known = values[:people][~np.isnan(values[:people])]
    edges = np.unique(np.quantile(known, np.arange(1, groups) / groups)) if len(known) else np.empty(0)
    group = np.searchsorted(edges, values, side="right")
    return np.where(np.isnan(values), groups, group).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Key:
    """Columns that single people out together, by their places in the readings; ``is_coarse`` with numbers grouped."""

    columns: tuple[int, ...]
    is_coarse: bool = False


def keys(readings: CodedRows, size: int, most: int, rng: np.random.Generator) -> list[Key]:
    """All sets of up to ``size`` columns, smaller ones first; of the first size at which there are too many a part.

    A set that holds a grouped column is read both ways. ``rng`` is drawn from only where not all sets are asked.
    """
    d, chosen = len(readings.names), list[tuple[int, ...]]()
    for of in range(1, min(size, d) + 1):
        left, there = most - len(chosen), math.comb(d, of)
        if there <= left:
            chosen += itertools.combinations(range(d), of)
            continue
        chosen += sorted(_draw_sets(d, of, left, rng))
        break
    grouped = [columns for columns in chosen if readings.is_coarse[list(columns)].any()]
    return [*map(Key, chosen), *(Key(columns, True) for columns in grouped)]


def _draw_sets(d: int, size: int, count: int, rng: np.random.Generator) -> set[tuple[int, ...]]:
    """So many different sets of that size, each as likely."""
    out: set[tuple[int, ...]] = set()
    while len(out) < count:
        drawn = rng.random((2 * (count - len(out)), d)).argsort(axis=1)[:, :size]
        for columns in drawn.tolist():
            if len(out) < count:
                out.add(tuple(sorted(columns)))
    return out


def single_out(readings: CodedRows, wanted: Sequence[Key]) -> Iterator[Bools]:
    """For each set of columns (n_people,) whom it singles out; sets that begin alike are quick one after another."""
    from riskkit.games import _kernels as kernels

    n = readings.exact.shape[1]
    room = 2 ** math.ceil(math.log2(2 * n + 2))
    slots, seen = (np.empty(room, dtype=np.int64) for _ in range(2))
    path: list[tuple[tuple[int, bool], Numbers, int]] = []
    for key in wanted:
        codes = readings.coarse if key.is_coarse else readings.exact
        steps = [(column, key.is_coarse) for column in key.columns]
        shared = [step == there for step, (there, _, _) in zip(steps, path, strict=False)]
        del path[shared.index(False) if False in shared else len(shared) :]
        for step in steps[len(path) :]:
            before = path[-1][1] if path else np.zeros(n, dtype=np.int64)
            numbers, column = np.empty(n, dtype=np.int64), codes[step[0]]
            groups = kernels.join_codes(before, column, int(column.max()) + 1, numbers, slots, seen)
            path.append((step, numbers, groups))
        out = np.empty(readings.people, dtype=np.bool_)
        kernels.alone_and_released(path[-1][1], readings.people, path[-1][2], out)
        yield out
