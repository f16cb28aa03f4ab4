"""People who carry their rows of a second table with them: what a method that takes two tables is trained on.

A game looks at such a table as at any other: a row is a person, with summaries of their rows of the second table among
the columns. Whoever takes some people takes their rows too, and nobody else's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Ints, Schema, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.table.children import Join
from riskkit.table.folded import folded, folded_under
from riskkit.table.load import Tables


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TwoTables(Table):
    """People with summaries of their rows of a second table, as :func:`riskkit.table.folded.folded` makes them.

    ``second`` are these rows, person by person, and within a person in the order of the file; ``sizes`` (n,) is how
    many each person has. ``key`` is the name of the column that joins both tables; whose key was which is not kept.
    """

    second: Table = field(kw_only=True)
    sizes: Ints = field(kw_only=True)
    key: str = field(kw_only=True)

    @classmethod
    def of(cls, people: Table, children: Table, join: Join, key: str) -> TwoTables:
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

    def seen(self, parents: Table, children: Table, join: Join) -> Table:
        """Other people as a game looks at these: a release of both tables."""
        return folded_under(self.schema, parents, children, join)


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
    seen, children = folded(tables, is_open=True), tables.children
    assert children is not None, "folded refuses that"
    if any(children.joins[slot].repeated for slot in ("real", "holdout") if slot in children.joins):
        raise DesignError(
            phrase(
                "A key stands in several rows of the first table, so its rows of the second belong to several. Leave "
                "one row for each person in the first table, or ask about the first table alone."
            )
        )

    def carried(slot: str, people: Table) -> TwoTables:
        return TwoTables.of(people, children.tables[slot], children.joins[slot], children.key)

    holdout = None if seen.holdout is None else carried("holdout", seen.holdout)
    return replace(seen, real=carried("real", seen.real), holdout=holdout)
