"""What somebody knows of a row and what they want to know, what a model guesses, and people in groups.

A table is encoded once (:class:`Encoded`); every question then picks its columns (:class:`Features`) and its secret
(:class:`Secret`) out of it. Scales and levels are those of the frozen schema, never of the rows at hand, so the same
record has the same coordinates in the release, among members and in the control.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from riskkit.core import MISSING, Bools, Codes, Column, Floats, Ints, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import onehot, scale_column

Singles = npt.NDArray[np.float32]
SecretKind = Literal["category", "number"]


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """The known columns of some rows, in file order whatever the order they were asked for in.

    ``table`` holds these columns alone. A release that was published before discretisation is seen by its nearest
    valid rows.
    """

    table: Table
    matrix: Singles

    def __len__(self) -> int:
        return len(self.matrix)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """(d,) which columns of :meth:`ordinal` are codes."""
        return tuple(not column.is_numeric for column in self.table.schema.modelled)

    @property
    def sizes(self) -> tuple[int, ...]:
        """(d,) how many levels each column has; 0 for a number."""
        return tuple(len(column.levels) for column in self.table.schema.modelled)

    def ordinal(self) -> Singles:
        """(n, d) one dimension a column: categories as codes, numbers in standard deviations, NaN where missing."""
        return self.matrix

    def onehot(self) -> Singles:
        """(n, width) each category a dimension of zeros and ones; numbers in standard deviations.

        A missing number is its column's mean with a flag beside it. Every level keeps its dimension.
        """
        return onehot(self.table, scale="standard", drop_first=False).astype(np.float32)

    def keys(self) -> npt.NDArray[np.void]:
        """(n,) one key a row; two rows cannot be told apart by the known columns when their keys are equal."""
        return self.table.keys()

    def rows(self, index: npt.ArrayLike) -> Features:
        """The rows at these positions, in this order: an index array (k,) or a mask (n,)."""
        places = np.asarray(index)
        return Features(self.table.rows(places), self.matrix[places])


@dataclass(frozen=True, slots=True, eq=False)
class Secret:
    """One column of some rows as what is to be guessed.

    A ``category`` is ``codes`` (n,), missing being a level like any other; a ``number`` is ``values`` (n,) float64 with
    NaN where missing. The array of the other kind is empty.
    """

    column: Column
    codes: Codes
    values: Floats

    @classmethod
    def take(cls, table: Table, name: str) -> Secret:
        """The column of that name in this table.

        Raises
        ------
        DesignError
            There is no such column, or it is not in use.
        """
        position, column = _place(table.schema, name)
        none_coded, none_measured = np.empty(0, dtype=np.int32), np.empty(0)
        if column.is_numeric:
            return cls(column, none_coded, table.numbers[:, position])
        return cls(column, table.codes[:, position], none_measured)

    @property
    def kind(self) -> SecretKind:
        """Whether it is a category or a number."""
        return "number" if self.column.is_numeric else "category"

    @property
    def n_levels(self) -> int:
        """How many levels the frozen domain has; 0 for a number."""
        return len(self.column.levels)

    @property
    def truth(self) -> Codes | Floats:
        """(n,) the codes, or the numbers."""
        return self.values if self.column.is_numeric else self.codes

    @property
    def present(self) -> Bools:
        """(n,) the rows that can be asked about: all of them, save those whose number is missing."""
        return ~np.isnan(self.values) if self.column.is_numeric else np.ones(len(self.codes), dtype=bool)

    def __len__(self) -> int:
        return len(self.truth)

    def rows(self, index: npt.ArrayLike) -> Secret:
        """The rows at these positions, in this order: an index array (k,) or a mask (n,)."""
        places = np.asarray(index)
        if self.column.is_numeric:
            return Secret(self.column, self.codes, self.values[places])
        return Secret(self.column, self.codes[places], self.values)


@dataclass(frozen=True, slots=True, eq=False)
class KnownAndSecret:
    """The rows of one table that can be asked about: where they stand, what is known of them, what is secret."""

    at: Ints
    known: Features
    secret: Secret


def beside(schema: Schema, secret: str) -> tuple[str, ...]:
    """The columns in use from which a secret can be guessed: all others, but for other summaries of the same column."""
    source = schema.column(secret).source
    return tuple(
        column.name for column in schema.modelled if column.name != secret and not (source and column.source == source)
    )


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table of which every column in use was encoded once; questions pick columns out of it."""

    table: Table

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def _ordinal(self) -> Singles:
        out = np.empty((len(self.table), len(self.table.schema.modelled)), dtype=np.float32, order="F")
        for index, column in enumerate(self.table.schema.modelled):
            position, _ = _place(self.table.schema, column.name)
            if column.is_numeric:
                out[:, index] = scale_column(self.table.numbers[:, position], column, "standard")
            else:
                out[:, index] = self.table.codes[:, position]
        return out

    @cached_property
    def keys(self) -> npt.NDArray[np.void]:
        """(n,) one key a record over all columns in use."""
        return self.table.keys()

    @cached_property
    def order(self) -> Ints:
        """(n,) the rows sorted by their keys: the same records in the same order, however the file was sorted."""
        return np.argsort(self.keys, kind="stable")

    def features(self, columns: Sequence[str]) -> Features:
        """These columns of every row.

        Raises
        ------
        DesignError
            A column that does not exist or is not in use.
        """
        schema = self.table.schema
        wanted = {_place(schema, name)[1].name for name in columns}
        picked = [position for position, column in enumerate(schema.modelled) if column.name in wanted]
        small = Schema(tuple(schema.modelled[position] for position in picked))
        codes = [_place(schema, column.name)[0] for column in small.categorical]
        numbers = [_place(schema, column.name)[0] for column in small.numeric]
        table = Table(small, self.table.codes[:, codes], self.table.numbers[:, numbers])
        return Features(table, self._ordinal[:, picked])

    def ask(self, secret: str, known: Sequence[str]) -> KnownAndSecret:
        """The rows whose secret is not a missing number, in sorted order: what is learnt from them has no other."""
        wanted, features = Secret.take(self.table, secret), self.features(known)
        index = self.order[wanted.present[self.order]]
        return KnownAndSecret(index, features.rows(index), wanted.rows(index))


def _place(schema: Schema, name: str) -> tuple[int, Column]:
    """The position of a column in codes or numbers, and the column."""
    column = schema.column(name)
    if name in schema.places:
        return schema.places[name], column
    raise DesignError.phrase(
        "Column {name!r} is not in use, so it can be neither known nor secret. Give it another role on the Data page.",
        name=name,
    )


NO_GUESS = -1
"""The value of a category where a model does not guess at all; never right."""


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """One guess a row.

    ``value`` (n,) is a code or a number. ``probability`` (n, n_levels), for a category, covers every level of the
    frozen domain: a level that the training never had has 0. ``matched`` (n,) says, of models that look rows up,
    whether there was anything to look at.
    """

    value: Ints | Floats
    probability: Floats | None = None
    matched: Bools | None = None


class FittedInference(Protocol):
    """A model that has learnt to guess one secret from some known columns.

    One whose guess of a person depends on who else is asked about says ``together = True``.
    """

    def guess(self, known: Features) -> Guess:
        """One guess for each row, from its known columns alone."""


class Inference(Protocol):
    """A method that guesses a secret: a frozen dataclass whose fields are its parameters.

    ``guesses`` says whether it can guess a ``category``, a ``number`` or both.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    guesses: ClassVar[tuple[SecretKind, ...]]

    def fit(self, known: Features, secret: Secret, rng: np.random.Generator) -> FittedInference:
        """Learn from rows whose secret is there. All randomness of the training comes from ``rng``."""


def join_folds(parts: Sequence[Guess], back: Ints) -> Guess:
    """The guesses of all folds, in the order of the rows: (n,) ``back`` is where each row's guess stands among them."""

    def of(arrays: Sequence[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays)[back]

    return Guess(*(of([getattr(part, name) for part in parts]) for name in ("value", "probability", "matched")))


def guess_level(probability: Floats, matched: Bools | None = None) -> Guess:
    """The guess of a category from (n, n_levels): its most likely level (of equal ones the first), none where all 0."""
    value = probability.argmax(axis=1)
    value[~probability.any(axis=1)] = NO_GUESS
    return Guess(value, probability, matched)


def guess_number(values: Floats, column: Column, matched: Bools | None = None) -> Guess:
    """The guess of a number (n,), kept within the frozen domain of its column."""
    return Guess(np.clip(np.asarray(values, dtype=np.float64), column.low, column.high), None, matched)


BANDS = (0.25, 0.5, 0.75)
"""A number is cut into four groups at these shares of its members."""
FEW_LEVELS = 12
"""Levels of a category by which people are grouped without being asked."""
NOBODY = "missing"
"""The group of those without a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The groups of one column: their ``names`` by number, and for each table the number (n,) of every row's."""

    by: str
    names: tuple[str, ...]
    is_banded: bool
    number: Mapping[str, Ints]


def group_column(by: str, tables: Mapping[str, Table], first: str) -> Grouping:
    """The groups of that column; bands of a number are cut by those of the table ``first``.

    Raises
    ------
    DesignError
        There is no such column, or it is not in use.
    """
    own = Secret.take(tables[first], by)
    column = own.column
    if not column.is_numeric:
        names = tuple(level or NOBODY for level in column.levels)
        return Grouping(
            by, names, False, {of: Secret.take(table, by).codes.astype(np.int64) for of, table in tables.items()}
        )
    there = own.values[own.present]
    cuts = np.unique(np.quantile(there, BANDS)) if len(there) else np.empty(0)
    number = {of: _bands(Secret.take(table, by).values, cuts) for of, table in tables.items()}
    return Grouping(by, (*_band_names(cuts, column), NOBODY), True, number)


def default_columns(schema: Schema, most: int) -> tuple[str, ...]:
    """The columns by which people are grouped where nobody said: categories of few levels and numbers, at most so many.

    Categories come first, each kind in file order.
    """
    few = [
        column.name
        for column in schema.categorical
        if 2 <= sum(level != MISSING for level in column.levels) <= FEW_LEVELS
    ]
    return tuple([*few, *(column.name for column in schema.numeric)][:most])


def _band_names(cuts: Floats, column: Column) -> Sequence[str]:
    """The name of each band."""
    ends = [_band_end(cut, column) for cut in cuts]
    middle = [f"above {low} to {high}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]}", *middle, f"above {ends[-1]}"] if ends else ["any"]


def _bands(values: Floats, cuts: Floats) -> Ints:
    """(n,) the number of the band of each number; the last, beyond all bands, where there is none."""
    place = np.searchsorted(cuts, np.nan_to_num(values), side="left")
    return np.where(np.isnan(values), len(cuts) + 1, place).astype(np.int64)


def _band_end(cut: float, column: Column) -> str:
    """The end of a band as its column is read."""
    if column.kind is Kind.DATE:
        return str(np.datetime64(round(cut), "D"))
    return f"{cut:.{column.decimals}f}"
