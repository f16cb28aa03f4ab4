"""What somebody knows of a row and what they want to know: known columns as matrices, a secret as codes or numbers.

A table is encoded once (:class:`Encoded`); every question then picks its columns (:class:`Features`) and its secret
(:class:`Secret`) out of it. Scales and levels are those of the frozen schema, never of the rows at hand, so the same
record has the same coordinates in the release, among members and in the control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Codes, Column, Floats, Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.encode import one_hot, scaled

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

    def one_hot(self) -> Singles:
        """(n, width) each category a dimension of zeros and ones; numbers in standard deviations.

        A missing number is its column's mean with a flag beside it. Every level keeps its dimension.
        """
        return one_hot(self.table, scale="standard", drop_first=False).astype(np.float32)

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
    def of(cls, table: Table, name: str) -> Secret:
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
                out[:, index] = scaled(self.table.numbers[:, position], column, "standard")
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

    def of(self, columns: Sequence[str]) -> Features:
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
        wanted, features = Secret.of(self.table, secret), self.of(known)
        index = self.order[wanted.present[self.order]]
        return KnownAndSecret(index, features.rows(index), wanted.rows(index))


def _place(schema: Schema, name: str) -> tuple[int, Column]:
    """The position of a column in codes or numbers, and the column."""
    column = schema.column(name)
    among = schema.numeric if column.is_numeric else schema.categorical
    for position, candidate in enumerate(among):
        if candidate.name == name:
            return position, column
    raise DesignError(
        phrase(
            "Column {name!r} is not in use, so it can be neither known nor secret. Give it another role "
            "on the Data page.",
            name=name,
        )
    )
