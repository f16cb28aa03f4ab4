"""A second table folded into the first: what the rows of a person are like, as columns of that person.

Each column of the second table is summed up by figures that do not depend on the order of the rows: of a category the
most frequent value and how many different ones there are, of a number its mean, least and greatest, of a date the
first and the last, and of the rows themselves how many there are. What is asked of columns of one table can then be
asked across both, and a game looks at such a table as at any other. Where the method is trained on both tables, people
carry their rows with them (:class:`TwoTables`): whoever takes some people takes their rows too, and nobody else's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import MISSING, Codes, Column, Floats, Ints, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import to_domain
from riskkit.table.kinds.numbers import numeric_column
from riskkit.table.load import Tables
from riskkit.table.people.second_table import Children, Join

ROWS = "rows"
"""What summaries of the rows themselves are summaries of, where others name a column."""
NO, YES = "no", "yes"
BANDS = ("0", "1", "2-3", "4-7", "8-15", "16 or more")
"""How many rows a person has, in bands that double."""
_FROM = np.array([1, 2, 4, 8, 16])
"""Where each band but the first begins."""


@dataclass(frozen=True, slots=True, eq=False)
class _Summary:
    """One column to be: its values of each person, by slot, under a domain that holds for all slots.

    ``of_values`` where it sums up what stands in the rows, so that a person without rows has none.
    """

    column: Column
    values: Mapping[str, Codes | Floats]
    of_values: bool = False

    @property
    def open(self) -> Column:
        """The column with a place for a person who has none, though nobody who was loaded is one."""
        column = self.column
        if not (self.of_values and column.is_modelled) or column.has_missing:
            return column
        return replace(column, has_missing=True, levels=(*column.levels, MISSING) if column.levels else ())


def fold_children(tables: Tables, names: Sequence[str] = (), *, is_open: bool = False) -> Tables:
    """The same people with summaries of their rows of the second table behind their own columns.

    A person without rows has none of a category (its level is missing) and no number; how many rows there are is 0.
    A summary has the name of a column as its :attr:`riskkit.core.Column.source`.

    Parameters
    ----------
    names
        Names of columns that a question asks about: ``any(COLUMN=VALUE)`` among them, whether a person has a row with
        that value, is made as well. No other has a value in its name.
    is_open
        Whether a release that is not there yet is to fit in: then every summary of values may be missing.

    Raises
    ------
    DesignError
        There is no second table, one of a slot is missing, or a column of the first has the name of a summary.
    """
    children = tables.children
    if children is None:
        raise DesignError.phrase(
            "There is no second table; load one with the key that joins it, or ask about the first table alone."
        )
    loaded = {"real": tables.real, "synthetic": tables.synthetic, "holdout": tables.holdout}
    parents = {slot: table for slot, table in loaded.items() if table is not None}
    if not set(parents) <= set(children.tables):
        raise DesignError.phrase(
            "The second table is loaded for some of the files alone. Load it for the real one, the release and the "
            "holdout."
        )
    added = list(_every(children, list(parents), names))
    there = {column.name for column in tables.schema.columns}
    for summary in added:
        if summary.column.name in there:
            raise DesignError.phrase(
                "Column {column!r} of the first table has the name of a summary of the second; rename it.",
                column=summary.column.name,
            )
    columns = [summary.open if is_open else summary.column for summary in added]
    schema = Schema((*tables.schema.columns, *columns))
    made = {slot: _beside(schema, table, slot, added) for slot, table in parents.items()}
    return replace(
        tables,
        real=made["real"],
        synthetic=made.get("synthetic"),
        holdout=made.get("holdout"),
        schema=schema,
    )


def fold_under_schema(schema: Schema, parents: Table, children: Table, join: Join) -> Table:
    """Other people under a schema of :func:`fold_children` that is open: a release of both tables, say.

    A summary beyond the range of the loaded tables is the end of that range.
    """
    slot = "synthetic"
    added = []
    for summary in _every(Children("", children.schema, {slot: children}, {slot: join}, {}), [slot], ()):
        column, values = schema.column(summary.column.name), summary.values[slot]
        added.append(
            _Summary(column, {slot: to_domain(values.astype(np.float64), column) if column.is_numeric else values})
        )
    return _beside(schema, parents, slot, added)


def values_of(children: Children, most: int) -> list[str]:
    """The names of all ``any(COLUMN=VALUE)`` of categories that have at most so many levels."""
    return [
        _any(column.name, level)
        for column in children.schema.categorical
        if len(column.levels) <= most
        for level in column.levels
        if level != MISSING
    ]


def summary_of(column: Column) -> str:
    """The one summary that says most of a person's rows in that column: the most frequent value, mean, or last date."""
    if column.kind is Kind.DATE:
        return f"last({column.name})"
    return f"mean({column.name})" if column.is_numeric else f"most_frequent({column.name})"


def _any(column: str, level: str) -> str:
    return f"any({column}={level})"


def _every(children: Children, slots: Sequence[str], names: Sequence[str]) -> Iterator[_Summary]:
    """All summaries: of the rows, then of the columns in the order of the file."""
    joins = {slot: children.joins[slot] for slot in slots}
    tables = {slot: children.tables[slot] for slot in slots}
    sizes = {slot: join.sizes for slot, join in joins.items()}
    yield _number("rows()", ROWS, {slot: size.astype(np.float64) for slot, size in sizes.items()})
    bands = {slot: np.searchsorted(_FROM, size, side="right") for slot, size in sizes.items()}
    yield _category("rows_band()", ROWS, BANDS, bands)
    for column in children.schema.modelled:
        if column.is_numeric:
            own = {slot: _Numbers.summarise(table.column(column), joins[slot]) for slot, table in tables.items()}
            yield from _summarise_numbers(column, own)
        else:
            codes = {slot: table.column(column) for slot, table in tables.items()}
            yield from _summarise_codes(column, codes, joins, names)


def _summarise_codes(
    column: Column, codes: Mapping[str, Codes], joins: Mapping[str, Join], names: Sequence[str]
) -> Iterator[_Summary]:
    """The most frequent level, how many there are, and whether one that is named is there."""
    present = tuple(level for level in column.levels if level != MISSING)
    counted = {slot: _Counts.count(own, joins[slot], len(present)) for slot, own in codes.items()}
    name = column.name
    most = _category(f"most_frequent({name})", name, present, {slot: own.most for slot, own in counted.items()})
    yield replace(most, of_values=True)
    different = {slot: own.different.astype(np.float64) for slot, own in counted.items()}
    yield _number(f"different({name})", name, different)
    for code, level in enumerate(present):
        if _any(name, level) in names:
            has = {slot: _has(own == code, joins[slot]) for slot, own in codes.items()}
            yield _category(_any(name, level), name, (NO, YES), has)


def _summarise_numbers(column: Column, own: Mapping[str, _Numbers]) -> Iterator[_Summary]:
    """The ends, and of a number the mean, with one decimal more."""
    name, is_date = column.name, column.kind is Kind.DATE
    ends = ("first", "last") if is_date else ("least", "greatest")
    for called, values in (
        (ends[0], {slot: each.least for slot, each in own.items()}),
        (ends[1], {slot: each.greatest for slot, each in own.items()}),
    ):
        summary = _number(f"{called}({name})", name, values)
        like = replace(summary.column, decimals=column.decimals)
        if is_date:
            like = replace(like, kind=Kind.DATE, date_format=column.date_format)
        yield replace(summary, column=like, of_values=True)
    if not is_date:
        decimals = column.decimals + 1
        means = {slot: np.round(each.mean, decimals) for slot, each in own.items()}
        summary = _number(f"mean({name})", name, means)
        yield replace(summary, column=replace(summary.column, decimals=decimals), of_values=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Of each person the most frequent level (the first of equals; ``n`` levels where there is none), and how many."""

    most: Ints
    different: Ints

    @classmethod
    def count(cls, codes: Codes, join: Join, n: int) -> _Counts:
        """Values without a level below ``n`` are missing, and not counted."""
        there = codes < n
        keys = _keys(join)
        pair, times = np.unique(join.owner[there] * np.int64(n) + codes[there], return_counts=True)
        owner, level = np.divmod(pair, n) if n else (pair, pair)
        order = np.lexsort((level, -times, owner))
        most = np.full(keys, n, dtype=np.int64)
        firsts = np.unique(owner[order], return_index=True)
        most[firsts[0]] = level[order][firsts[1]]
        return cls(most[join.group], np.bincount(owner, minlength=keys)[join.group])


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Of each person the least, the greatest and the mean of what is there, NaN where nothing is."""

    least: Floats
    greatest: Floats
    mean: Floats

    @classmethod
    def summarise(cls, numbers: Floats, join: Join) -> _Numbers:
        """Summed in the order of the values, so that the order of rows in a file leaves no trace in the last bits."""
        order = np.lexsort((numbers, join.owner))
        order = order[~np.isnan(numbers[order])]
        owner, values = join.owner[order], numbers[order]
        keys = _keys(join)
        least, greatest, mean = np.full((3, keys), np.nan)
        if len(values):
            whose, first, times = np.unique(owner, return_index=True, return_counts=True)
            least[whose], greatest[whose] = values[first], values[first + times - 1]
            mean[whose] = np.add.reduceat(values, first) / times
        return cls(least[join.group], greatest[join.group], mean[join.group])


def _has(is_value: np.ndarray, join: Join) -> Ints:
    """(n_parents,) 1 where a person has such a row."""
    has = np.bincount(join.owner, weights=is_value, minlength=_keys(join)) > 0
    return has[join.group].astype(np.int64)


def _keys(join: Join) -> int:
    """How many numbers keys have."""
    return int(max(join.owner.max(initial=-1), join.group.max(initial=-1))) + 1


def _category(name: str, source: str, levels: Sequence[str], codes: Mapping[str, Ints]) -> _Summary:
    """A category; a code beyond its levels is missing."""
    has_missing = any((own >= len(levels)).any() for own in codes.values())
    every = (*levels, MISSING) if has_missing else tuple(levels)
    column = Column(name, Kind.CATEGORICAL, levels=every, has_missing=has_missing, source=source)
    return _Summary(column, {slot: own.astype(np.int32) for slot, own in codes.items()})


def _number(name: str, source: str, values: Mapping[str, Floats]) -> _Summary:
    """A number, whose domain is that of all slots."""
    every = np.concatenate(list(values.values()))
    known = every[~np.isnan(every)]
    if not len(known) or (len(known) == len(every) and (known == known[0]).all()):  # tells nobody from another
        return _Summary(Column(name, Kind.CONSTANT, Role.IGNORED, source=source), values)
    column = numeric_column(name, known, None, written=known, has_missing=len(known) < len(every))
    return _Summary(replace(column, source=source), values)


def _beside(schema: Schema, table: Table, slot: str, added: Sequence[_Summary]) -> Table:
    """The table with the summaries behind its own columns."""
    used = [summary for summary in added if summary.column.is_modelled]
    codes = [summary.values[slot][:, None] for summary in used if not summary.column.is_numeric]
    numbers = [summary.values[slot][:, None] for summary in used if summary.column.is_numeric]
    return Table(schema, np.hstack([table.codes, *codes]), np.hstack([table.numbers, *numbers]))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TwoTables(Table):
    """People with summaries of their rows of a second table, as :func:`riskkit.table.fold.fold_children` makes them.

    ``second`` are these rows, person by person, and within a person in the order of the file; ``sizes`` (n,) is how
    many each person has. ``key`` is the name of the column that joins both tables; whose key was which is not kept.
    """

    second: Table = field(kw_only=True)
    sizes: Ints = field(kw_only=True)
    key: str = field(kw_only=True)

    @classmethod
    def join(cls, people: Table, children: Table, join: Join, key: str) -> TwoTables:
        """The people with their rows; no key stands in two rows of the first table."""
        place = np.full(int(max(join.owner.max(initial=-1), join.group.max(initial=-1))) + 1, -1, dtype=np.int64)
        place[join.group] = np.arange(len(people))
        order = np.argsort(place[join.owner], kind="stable")
        return cls(people.schema, people.codes, people.numbers, second=children.rows(order), sizes=join.sizes, key=key)

    @property
    def owner(self) -> Ints:
        """(n_children,) the place of the person whose row each is."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def first(self) -> Table:
        """The people without the summaries: the first table as it was loaded."""
        schema = self.first_schema
        names = {column.name for column in schema.columns}
        codes = [place for place, column in enumerate(self.schema.categorical) if column.name in names]
        numbers = [place for place, column in enumerate(self.schema.numeric) if column.name in names]
        return Table(schema, self.codes[:, codes], self.numbers[:, numbers])

    @property
    def first_schema(self) -> Schema:
        """The columns of the first table."""
        return Schema(tuple(column for column in self.schema.columns if not column.source))

    def rows(self, index: npt.ArrayLike) -> TwoTables:
        """The people at these positions, in this order, each with their rows."""
        people = Table.rows(self, index)
        places = np.arange(len(self))[index if isinstance(index, slice) else _places(index)]
        sizes, first = self.sizes[places], np.cumsum(self.sizes) - self.sizes
        before = np.cumsum(sizes) - sizes
        own = np.repeat(first[places] - before, sizes) + np.arange(int(sizes.sum()))
        return TwoTables(
            people.schema, people.codes, people.numbers, second=self.second.rows(own), sizes=sizes, key=self.key
        )

    def plus(self, other: Table) -> Table:
        """These people and then those; of people who have no second table with them the summaries alone are left."""
        both = Table.plus(self, other)
        if not isinstance(other, TwoTables):
            return both
        return TwoTables(
            both.schema,
            both.codes,
            both.numbers,
            second=self.second.plus(other.second),
            sizes=np.concatenate([self.sizes, other.sizes]),
            key=self.key,
        )

    def view(self, parents: Table, children: Table, join: Join) -> Table:
        """Other people as a game looks at these: a release of both tables."""
        return fold_under_schema(self.schema, parents, children, join)


def _places(index: npt.ArrayLike) -> npt.NDArray[Any]:
    """The positions as :meth:`riskkit.core.Table.rows` reads them; an empty list is one of none."""
    places = np.asarray(index)
    return places if places.size else places.astype(np.int64)


def with_second(tables: Tables) -> Tables:
    """The same people with summaries of their rows of the second table, and with these rows at hand.

    Raises
    ------
    DesignError
        There is no second table, one of a slot is missing, or a person stands in several rows of the first.
    """
    seen, children = fold_children(tables, is_open=True), tables.children
    assert children is not None, "folded refuses that"
    if any(children.joins[slot].repeated for slot in ("real", "holdout") if slot in children.joins):
        raise DesignError.phrase(
            "A key stands in several rows of the first table, so its rows of the second belong to several. Leave "
            "one row for each person in the first table, or ask about the first table alone."
        )

    def carried(slot: str, people: Table) -> TwoTables:
        return TwoTables.join(people, children.tables[slot], children.joins[slot], children.key)

    holdout = None if seen.holdout is None else carried("holdout", seen.holdout)
    return replace(seen, real=carried("real", seen.real), holdout=holdout)
