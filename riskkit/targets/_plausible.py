"""Which records are possible: what one column says of another without exception.

The rule: column A determines column B where every value of A in the table goes with one value of B, and that means
something: both have at least two values, A's values are seen :data:`ROWS_PER_VALUE` times on average (so a number
that is almost different in every row determines nothing), and unrelated columns would agree like this with a chance
below :data:`CHANCE`. Every row after the first of its A value agrees by luck with at most the share of B's commonest
value, so that chance is at most ``share ** (rows - values of A)``.

Columns tied by such rules move together, and only in combinations that occur in the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.table.encode import layout, to_domain

ROWS_PER_VALUE = 5
"""How often a value must be seen on average before it may determine another column."""

CHANCE = 1e-6
"""Above this chance of agreeing by luck, agreement is no rule."""

HEAD = 2_000
"""Rows looked at first: most pairs of columns contradict each other there already."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """The value in column ``cause`` fixes the value in column ``effect`` (positions among the modelled columns)."""

    cause: int
    effect: int


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Columns that change together and all they may be.

    ``columns`` are positions among the modelled columns. ``codes`` (m, n_categorical) and ``numbers`` (m, n_numeric)
    are whole rows, of which only those columns count.
    """

    columns: tuple[int, ...]
    codes: Codes
    numbers: Floats

    def __len__(self) -> int:
        return len(self.codes)


def value_numbers(table: Table, position: int) -> Ints:
    """(n,) which of the values that occur in that modelled column each row has, counted from 0; missing is a value."""
    block = layout(table.schema)[position]
    if block.column.is_numeric:
        return np.unique(table.numbers[:, block.source], return_inverse=True)[1].astype(np.int64)
    codes = table.codes[:, block.source]
    rank: Ints = np.cumsum(np.bincount(codes) > 0, dtype=np.int64) - 1
    return rank[codes]


def rules(table: Table) -> tuple[ColumnRule, ...]:
    """All pairs of columns where the first determines the second (the rule is at the top of this module)."""
    values = [value_numbers(table, position) for position in range(len(table.schema.modelled))]
    counts = [int(column.max(initial=-1)) + 1 for column in values]
    return tuple(
        ColumnRule(cause, effect)
        for cause in range(len(values))
        for effect in range(len(values))
        if cause != effect
        and 2 <= counts[effect] <= counts[cause] <= len(table) / ROWS_PER_VALUE
        and _fits(values[cause][:HEAD], values[effect][:HEAD])
        and _fits(values[cause], values[effect])
        and _means_something(values[effect], len(table) - counts[cause])
    )


def twins(known: Sequence[ColumnRule]) -> tuple[int, ...]:
    """Columns that say one to one what an earlier column says; each is the later of its pair."""
    pairs = {(rule.cause, rule.effect) for rule in known}
    return tuple(sorted({later for earlier, later in pairs if earlier < later and (later, earlier) in pairs}))


def moves(table: Table, known: Sequence[ColumnRule], reach: int) -> tuple[Move, ...]:
    """What may change in a record: columns tied by rules together, categories first and free numbers last.

    A category may be any level that occurs in the table. A free number may be one of the ``reach`` lowest and highest
    steps of its domain, or missing where that occurs; a number that is the same in all rows stays as it is.
    """
    blocks = layout(table.schema)
    tied, free = [], []
    for group in _groups(len(blocks), known):
        if (
            len(group) == 1
            and blocks[group[0]].column.is_numeric
            and _varies(table.numbers[:, blocks[group[0]].source])
        ):
            free.append(_ends(table, group[0], reach))
        else:
            tied.append(_combinations(table, group))
    return (*tied, *free)


def _fits(cause: Ints, effect: Ints) -> bool:
    """Whether no two rows agree on the cause and differ on the effect."""
    implied = np.zeros(int(cause.max(initial=0)) + 1, dtype=np.int64)
    implied[cause] = effect
    return bool((implied[cause] == effect).all())


def _means_something(effect: Ints, repeats: int) -> bool:
    """Whether ``repeats`` rows would hardly agree on the effect by luck."""
    commonest = np.bincount(effect).max() / len(effect)
    return bool(repeats * math.log(commonest) <= math.log(CHANCE))


def _groups(n_columns: int, known: Sequence[ColumnRule]) -> list[tuple[int, ...]]:
    """Columns gathered into groups that rules tie together, in the order of their first column."""
    leader = list(range(n_columns))
    for rule in known:
        old, new = leader[rule.effect], leader[rule.cause]
        leader = [new if mark == old else mark for mark in leader]
    gathered: dict[int, list[int]] = {}
    for position, mark in enumerate(leader):
        gathered.setdefault(mark, []).append(position)
    return [tuple(group) for group in gathered.values()]


def _varies(values: Floats) -> bool:
    """Whether the rows hold more than one number (missing is one)."""
    return not (np.isnan(values).all() or (values == values[0]).all())


def _combinations(table: Table, group: tuple[int, ...]) -> Move:
    """Each combination of those columns that occurs in the table, once, as its first row has it."""
    seen = value_numbers(table, group[0])
    for position in group[1:]:
        values = value_numbers(table, position)
        seen = np.unique(seen * (values.max() + 1) + values, return_inverse=True)[1].astype(np.int64)
    first = np.zeros(seen.max() + 1, dtype=np.int64)
    first[seen[::-1]] = np.arange(len(seen))[::-1]
    return Move(group, table.codes[first], table.numbers[first])


def _ends(table: Table, position: int, reach: int) -> Move:
    """The outermost steps of one number, and missing where it occurs."""
    block = layout(table.schema)[position]
    column = block.column
    step = 10.0**-column.decimals
    inward = np.arange(min(reach, round((column.high - column.low) / step) + 1)) * step
    steps = np.unique(to_domain(np.concatenate([column.low + inward, column.high - inward]), column))
    if np.isnan(table.numbers[:, block.source]).any():
        steps = np.append(steps, np.nan)
    numbers = np.repeat(table.numbers[:1], len(steps), axis=0)
    numbers[:, block.source] = steps
    return Move((position,), np.repeat(table.codes[:1], len(steps), axis=0), numbers)
