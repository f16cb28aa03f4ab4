"""Releases read as if values had changed places, dates of each person had been moved, or numbers turned together.

A row whose answers stand in other columns than those of the person it copies, whose dates lie all as many days later,
or whose numbers are sums and differences of that person's, shares no value with them in any column. But what changes
places is still there; moved dates are as far apart as they were; and turned numbers of everybody lie to each other as
they did. So tables are brought to forms that none of this changes, and copies are counted there
(:mod:`riskkit.games.give_aways`). A form of some columns shows who is copied in these alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from riskkit.core import MISSING, Bools, Column, Floats, Kind, Schema, Table
from riskkit.table.kinds.alike import words
from riskkit.table.points import points_of

Views = tuple[Table, Table, Table]
"""The real table, the release and the holdout, row by row as they were, in other columns."""

_BETWEEN = re.compile(r"\w\s*[;,|/+&]\s*\w")
"""A sign between the parts of a value."""
LIKE = 0.5
"""The share of their values, or of the range of most, that columns have in common between which values may move."""
FEWEST = 3
"""Columns of a group, at least: two say too little."""
MOST = (0.1, 0.9)
"""The quantiles between which most numbers lie."""
PER_COLUMN = 5
"""Rows for each column of numbers, at least, by which it is told how a table lies."""
DIFFER = 0.5
"""The share of its values that differ in a column of which two say whose they are, at least."""
CLOCK = 60
"""Different times of day that a column has, at least."""
DECIMALS = 9
"""Decimals that are kept, of standard deviations: what sums lost is rounded off."""
SPREAD = 1e-9
"""Directions in which numbers vary by less than so much of the largest variance are none."""


def in_any_column(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three with the values of every group of like columns in ascending order, in each row; without all others.

    There is no such form without a group. What is alike is told by the real table and the holdout together.
    """
    tables = real, release, holdout
    parts = [part for part in (_sort_numbers(tables), _sort_categories(tables)) if part is not None]
    if not parts:
        return ()
    first, second, third = (np.hstack([part[place] for part in parts]) for place in range(3))
    return (_views(first, second, third),)


def in_each_row(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three with dates, and numbers of like columns, as they lie in each row: from its mean, and as its parts.

    So every row may be moved, or scaled, by a number of its own. Only of positive numbers there are parts.
    """
    parts = [table.numbers for table in (real, release, holdout)]
    dates = [place for place, column in enumerate(real.schema.numeric) if column.kind is Kind.DATE]
    numbers = [group for group in _like_numbers(parts[0], parts[2]) if not set(group) & set(dates)]
    every = [*([dates] if len(dates) >= FEWEST else []), *numbers]
    positive = [group for group in numbers if all(not (part[:, group] <= 0).any() for part in parts)]
    from_mean = [[part[:, group] - _mean(part[:, group]) for group in every] for part in parts]
    of_sum = [[part[:, group] / _mean(part[:, group]) for group in positive] for part in parts]
    return tuple(_views(*map(np.hstack, form)) for form in (from_mean, of_sum) if form[0])


def by_the_clock(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three with the times of day of all dates that have one: whole days may be added to them row by row.

    There is no such form where dates have none, or hardly differ in it.
    """
    dates = [place for place, column in enumerate(real.schema.numeric) if column.kind is Kind.DATE]
    parts = [table.numbers[:, dates] % 1 for table in (real, release, holdout)]
    known = np.vstack([parts[0], parts[2]])
    has_times = [len(np.unique(np.round(column, DECIMALS))) > CLOCK for column in known.T]
    return (_views(*(part[:, has_times] for part in parts)),) if any(has_times) else ()


def _mean(numbers: Floats) -> Floats:
    """(n, 1) the mean of each row's numbers, of those that are there."""
    is_there = ~np.isnan(numbers)
    total = np.where(is_there, numbers, 0.0).sum(axis=1, keepdims=True)
    mean: Floats = total / np.maximum(is_there.sum(axis=1, keepdims=True), 1)
    return mean


def turned(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three by the directions in which the numbers of each lie; of real table and holdout once by those of either.

    No turn, stretch or move of all numbers of a table together changes where its rows lie by its own directions. They
    are worked out from all numbers that are no dates, from the largest group of like ones, and from two neighbouring
    ones that nearly all differ, as a place on a map has; none where a table has too few rows or columns to have any.
    """
    places = [place for place, column in enumerate(real.schema.numeric) if column.kind is Kind.NUMERIC]
    if len(places) < 2:
        return ()
    every = [np.asarray(points.numbers)[:, places] for points in points_of((real, release, holdout))]
    like = _like_numbers(real.numbers[:, places], holdout.numbers[:, places])
    groups = [list(range(len(places))), *sorted(like, key=len)[-1:]]
    groups += [
        [places.index(place), places.index(place + 1)]
        for place in _pairs(real, holdout)
        if {place, place + 1} <= {*places}
    ]
    different = [group for number, group in enumerate(groups) if group not in groups[:number]]
    return tuple(views for group in different for views in _turn(*(numbers[:, group] for numbers in every)))


def _turn(real: Floats, release: Floats, holdout: Floats) -> Iterator[Views]:
    """The same of these columns."""
    own, released, others = (_directions(numbers) for numbers in (real, release, holdout))
    for by in (own, others):
        if by is not None and released is not None and by[1].shape == released[1].shape:
            yield _views(_lie(real, by), _lie(release, released), _lie(holdout, by))


def in_numbers(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three by their numbers alone, without dates: all other values may be those of nobody."""
    numbers, others = _parts(real.schema)
    if min(len(numbers), len(others)) < FEWEST:
        return ()
    return (_views(*(table.numbers[:, numbers] for table in (real, release, holdout))),)


def in_categories(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three by categories and the days of dates alone, each the same or not: numbers may be those of nobody."""
    numbers, others = _parts(real.schema)
    if min(len(numbers), len(others)) < FEWEST:
        return ()
    tables, every = (real, release, holdout), list(real.schema.categorical)
    codes = [list(table.codes.T) for table in tables]
    for place in set(range(len(real.schema.numeric))) - set(numbers):
        days = [np.floor(table.numbers[:, place]) for table in tables]
        known = np.unique(np.concatenate(days))
        every.append(Column(str(place), Kind.CATEGORICAL, levels=tuple(map(str, known))))
        for own, column in zip(codes, days, strict=True):
            own.append(np.searchsorted(known, column).astype(np.int32))
    first, second, third = (
        Table(Schema(tuple(every)), np.column_stack(own), table.numbers[:, :0])
        for own, table in zip(codes, tables, strict=True)
    )
    return ((first, second, third),)


def _parts(schema: Schema) -> tuple[list[int], list[Column]]:
    """The places of the columns of numbers that are no dates, and all other columns."""
    numbers = [place for place, column in enumerate(schema.numeric) if column.kind is Kind.NUMERIC]
    return numbers, [column for column in (*schema.categorical, *schema.numeric) if column.kind is not Kind.NUMERIC]


def in_two_columns(real: Table, release: Table, holdout: Table) -> tuple[Views, ...]:
    """The three by those two neighbouring columns of numbers in which most people have a near copy, whoever they are.

    As a place on a map has. No such form without two columns of numbers that nearly all differ.
    """
    return tuple(
        _views(*(table.numbers[:, place : place + 2] for table in (real, release, holdout)))
        for place in _pairs(real, holdout)
    )


def _pairs(real: Table, holdout: Table) -> list[int]:
    """The places of the first of two neighbouring columns of numbers that nearly all differ."""
    known = np.vstack([real.numbers, holdout.numbers])
    differ = [len(np.unique(column)) >= DIFFER * len(column) for column in known.T]
    return [place for place in range(len(differ) - 1) if differ[place] and differ[place + 1]]


DISGUISES: Mapping[str, Callable[[Table, Table, Table], tuple[Views, ...]]] = {
    "numbers": in_numbers,
    "categories": in_categories,
    "pair": in_two_columns,
    "places": in_any_column,
    "rows": in_each_row,
    "clock": by_the_clock,
    "turned": turned,
}
"""The forms in which disguised copies are looked for, by what the sentence about them is found by."""


def _views(real: Floats, release: Floats, holdout: Floats) -> Views:
    """Rows of numbers as tables, in standard deviations of the real table and the holdout together."""
    parts = [np.array(part, dtype=np.float64) for part in (real, release, holdout)]
    columns = []
    for place, known in enumerate(np.vstack([parts[0], parts[2]]).T):
        there = known[~np.isnan(known)]
        with np.errstate(over="ignore", invalid="ignore"):
            middle, unit = (float(there.mean()), float(there.std())) if len(there) else (0.0, 0.0)
        is_varied = 0 < unit < np.inf
        for part in parts:
            part[:, place] = np.round((part[:, place] - middle) / unit, DECIMALS) if is_varied else 0.0
        has_missing = any(bool(np.isnan(part[:, place]).any()) for part in parts)
        columns.append(Column(str(place), Kind.NUMERIC, sd=1.0, has_missing=has_missing))
    schema = Schema(tuple(columns))
    first, second, third = (Table(schema, np.empty((len(part), 0), dtype=np.int32), part) for part in parts)
    return first, second, third


# --------------------------------------------------------------------------------------------------------------
# Values in any column


def _sort_numbers(tables: Sequence[Table]) -> tuple[Floats, ...] | None:
    """(n, columns) of each table the numbers of like columns, ascending in each row."""
    parts = [table.numbers for table in tables]
    return _in_order(parts, _like_numbers(parts[0], parts[2]))


def _like_numbers(real: Floats, holdout: Floats) -> list[list[int]]:
    """The columns of numbers whose ranges, those of most numbers, are nearly the same, group by group."""
    known = np.vstack([real, holdout])
    ranges = [
        np.quantile(own, MOST) if len(own := column[~np.isnan(column)]) else (np.nan, np.nan) for column in known.T
    ]
    low, high = np.array(ranges, dtype=np.float64).reshape(-1, 2).T
    both = np.minimum.outer(high, high) - np.maximum.outer(low, low)
    either = np.maximum.outer(high, high) - np.minimum.outer(low, low)
    return _groups((either > 0) & (both >= LIKE * either))


def _sort_categories(tables: Sequence[Table]) -> tuple[Floats, ...] | None:
    """The same of categories, by the place of each value among those of all columns.

    Parts of a value, as of ``A12;B30``, may change places too.
    """
    columns = tables[0].schema.categorical
    are_lists = [sum(map(bool, map(_BETWEEN.search, column.levels))) > len(column.levels) / 2 for column in columns]
    texts = [
        tuple(map(words, column.levels)) if is_list else column.levels
        for column, is_list in zip(columns, are_lists, strict=True)
    ]
    values = [frozenset(levels) - {MISSING, ""} for levels in texts]
    alike = [[bool(own | two) and len(own & two) >= LIKE * len(own | two) for two in values] for own in values]
    rank = {text: index for index, text in enumerate(sorted({text for levels in texts for text in levels}))}
    codes = [
        np.column_stack(
            [
                np.array([rank[text] for text in levels], dtype=np.float64)[codes]
                for levels, codes in zip(texts, table.codes.T, strict=True)
            ]
        )
        if columns
        else table.numbers[:, :0]
        for table in tables
    ]
    groups = _groups(np.array(alike, dtype=bool).reshape(len(columns), len(columns)))
    lists = [[place] for place in np.flatnonzero(are_lists).tolist() if not any(place in group for group in groups)]
    return _in_order(codes, [*groups, *lists])


def _groups(alike: Bools) -> list[list[int]]:
    """The columns (k, k) that are linked by being alike, group by group; those of too few columns left out."""
    from scipy.sparse.csgraph import connected_components  # not at the top: it takes long to load

    if len(alike) < FEWEST:
        return []
    many, group = connected_components(alike, directed=False)
    every = [np.flatnonzero(group == number).tolist() for number in range(many)]
    return [places for places in every if len(places) >= FEWEST]


def _in_order(parts: Sequence[Floats], groups: Sequence[list[int]]) -> tuple[Floats, ...] | None:
    if not groups:
        return None
    return tuple(np.hstack([np.sort(part[:, group], axis=1) for group in groups]) for part in parts)


# --------------------------------------------------------------------------------------------------------------
# Numbers turned together


def _directions(numbers: Floats) -> tuple[Floats, Floats] | None:
    """The middle of rows (n, k) and the directions in which they lie (k, d), each of variance one.

    Of all directions of variance one, those that are axes of the fourth moments; each points to where rows reach
    further (Cardoso 1989, Source separation using higher order moments). None of too few rows, or of numbers too large.
    """
    if len(numbers) < PER_COLUMN * numbers.shape[1]:
        return None
    middle = numbers.mean(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.cov(numbers, rowvar=False)
        if not np.isfinite(spread).all():
            return None
        variance, across = np.linalg.eigh(spread)
        has_spread = variance > SPREAD * variance[-1]
        if has_spread.sum() < 2:
            return None
        across = across[:, has_spread] / np.sqrt(variance[has_spread])
        lies = (numbers - middle) @ across
        fourth = (lies * (lies**2).sum(axis=1)[:, None]).T @ lies / len(lies)
        if not np.isfinite(fourth).all():
            return None
        across = across @ np.linalg.eigh(fourth)[1]
    skew = ((numbers - middle) @ across) ** 3
    return middle, across * np.where(skew.sum(axis=0) < 0, -1.0, 1.0)


def _lie(numbers: Floats, axes: tuple[Floats, Floats]) -> Floats:
    """(n, d) where rows lie by these directions."""
    middle, across = axes
    out: Floats = (numbers - middle) @ across
    return out
